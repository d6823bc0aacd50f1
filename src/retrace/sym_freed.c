/* retrace/sym_freed.c: uses of freed memory (AU_CHECK_UAF).
 *
 * A free is an event that writes each variable of the object, without a value. Here it gets one, a
 * number that the variable never has otherwise, and reads of the variable in other threads are
 * asserted not to see it. Which variables are freed is known only at the end. */
#include "retrace/sym_priv.h"

#define LEFT_THERE UINT64_C(0xfeeefeeefeeefeee)

void au_sym_freed(au_sym *s, uint32_t first, uint32_t n) {
    const au_columns *e = &s->into->trace->events;
    if (!(s->checks & AU_CHECK_UAF))
        return;
    for (uint32_t i = first; i - first < n && i < e->n; i++)
        if (e->op[i] == AU_OP_WRITE && !(e->any_value && e->has_value[i]))
            *au_map_put(&s->free, e->obj[i], NULL) = (uint64_t)i + 1;
}

/* The low 4 bytes are enough to tell them apart. */
static bool is_taken(const au_sym *s, uint32_t var) {
    const au_columns *e = &s->into->trace->events;
    for (uint32_t k = s->first_of[var]; k < s->first_of[var + 1]; k++)
        if ((uint32_t)e->value[s->writes[k]] == (uint32_t)LEFT_THERE)
            return true;
    return (uint32_t)s->into->init[var] == (uint32_t)LEFT_THERE;
}

/* Is the variable freed, by another thread? Its free has its number from then on. */
static bool is_freed(au_sym *s, uint32_t var, uint16_t thread) {
    const uint64_t *k = au_map_find(&s->free, var);
    if (!k || s->into->trace->events.thread[*k - 1] == thread || is_taken(s, var))
        return false;
    *au_map_put(&s->into->freed, *k - 1, NULL) = LEFT_THERE;
    return true;
}

typedef AU_VEC(au_fact) facts;

/* Both lists are in order thread by thread; so is the result, the added ones first. */
static void merge(au_sym *s, const facts *more) {
    size_t n = s->into->fact.n, events = s->into->trace->events.n;
    uint32_t *at = au_alloc_array(events + 2, sizeof *at);
    au_fact *all = au_alloc_array(n + more->n + 1, sizeof *all);
    for (size_t i = 0; i < n + more->n; i++) {
        const au_fact *f = i < more->n ? &more->at[i] : &s->into->fact.at[i - more->n];
        at[(f->after == AU_NONE ? 0 : (size_t)f->after + 1) + 1]++;
    }
    for (size_t i = 1; i < events + 2; i++)
        at[i] += at[i - 1];
    for (size_t i = 0; i < n + more->n; i++) {
        const au_fact *f = i < more->n ? &more->at[i] : &s->into->fact.at[i - more->n];
        all[at[f->after == AU_NONE ? 0 : (size_t)f->after + 1]++] = *f;
    }
    au_vec_reserve(&s->into->fact, n + more->n);
    memcpy(s->into->fact.at, all, (n + more->n) * sizeof *all);
    s->into->fact.n = n + more->n;
    free(at);
    free(all);
}

void au_sym_finish(au_sym *s) {
    const au_columns *e = &s->into->trace->events;
    facts more = {0};
    size_t next = 0;
    if (!s->free.n || s->wrong)
        return;
    au_sym_index(s);
    uint32_t text = au_intern_add(&s->into->strings, "use after free", strlen("use after free"));
    for (size_t i = 0; i < s->read.n; i++) {
        const au_sym_place *r = &s->read.at[i];
        bool freed = is_freed(s, e->obj[r->event], e->thread[r->event]);
        while (next < s->into->elsewhere.n && s->into->elsewhere.at[next].event < r->event)
            next++;
        for (size_t k = next; k < s->into->elsewhere.n; k++) {
            if (s->into->elsewhere.at[k].event != r->event)
                break;
            freed |= is_freed(s, s->into->elsewhere.at[k].var, e->thread[r->event]);
        }
        if (!freed)
            continue;
        /* its variable is there already: the width is its own */
        unsigned width = 8 * r->bytes;
        au_term x = au_term_of_var(s->t, r->event, width);
        au_term bad = au_term_eq(s->t, x, au_term_const(s->t, width, LEFT_THERE));
        au_fact f = {.after = r->event,
                     .thread = e->thread[r->event],
                     .kind = AU_FACT_ASSERT,
                     .cond = au_term_not(s->t, bad),
                     .file = r->file,
                     .line = r->line,
                     .text = text};
        au_vec_push(&more, f);
    }
    if (more.n)
        merge(s, &more);
    au_vec_release(&more);
}
