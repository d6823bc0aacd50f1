/* retrace/sym.c: terms of a run that is retraced, each with its value. */
#include "retrace/sym.h"

#include "retrace/sym_priv.h"

#include <stdarg.h>
#include <stdio.h>

static size_t watch_parts(const void *of, uint64_t at, uint64_t n, au_part *into, size_t room) {
    return au_watch_parts(of, at, n, into, room);
}
static bool watch_object(const void *of, uint64_t at, uint64_t *start, uint64_t *size,
                         bool *freed) {
    return au_watch_object(of, at, start, size, freed);
}

au_sym *au_sym_new(au_symbolic *into, const au_bitset *open, unsigned checks, unsigned split,
                   const au_watch *watch) {
    au_sym *s = AU_NEW(au_sym);
    s->into = into;
    s->t = into->terms;
    s->checks = checks;
    s->split = split;
    s->behind = AU_NONE;
    if (watch)
        s->world = (au_sym_world){watch, watch_parts, watch_object};
    au_bitset_init(&s->open, open->bits);
    au_bitset_join(&s->open, open);
    au_map_init(&s->file);
    au_map_init(&s->pin);
    au_map_init(&s->base);
    au_map_init(&s->may_be);
    au_map_init(&s->free);
    au_map_init(&s->memory.index);
    s->memory.gate = au_alloc_array(1024, sizeof *s->memory.gate);
    au_sym_settle(s);
    return s;
}

void au_sym_free(au_sym *s) {
    if (!s)
        return;
    au_bitset_release(&s->open);
    au_vec_release(&s->value);
    au_vec_release(&s->term);
    au_map_release(&s->file);
    au_map_release(&s->pin);
    au_vec_release(&s->mapped);
    au_map_release(&s->base);
    au_map_release(&s->may_be);
    au_map_release(&s->free);
    au_vec_release(&s->read);
    au_map_release(&s->memory.index);
    au_vec_release(&s->memory.word);
    au_vec_release(&s->memory.spare);
    free(s->memory.gate);
    au_vec_release(&s->range.piece);
    au_vec_release(&s->work);
    for (size_t i = 0; i < s->values.n; i++)
        au_vec_release(&s->values.at[i]);
    au_vec_release(&s->values);
    free(s->writes);
    free(s->first_of);
    free(s->born);
    free(s->end);
    free(s->wrong);
    free(s);
}

void au_sym_stand(au_sym *s, const au_spot *at) {
    s->at = at;
}

size_t au_sym_terms(const au_sym *s) {
    return au_terms_count(s->t);
}

const char *au_sym_wrong(const au_sym *s) {
    return s->wrong;
}

/* Only the first thing that goes wrong is told: the rest may follow from it. */
void au_sym_fail(au_sym *s, const char *fmt, ...) {
    if (s->wrong)
        return;
    char text[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    const au_spot *p = s->at;
    if (p->code)
        s->wrong = au_sprintf("%s:%u: %s", au_code_text(p->code, p->code->file[p->insn]),
                              p->code->line[p->insn], text);
    else
        s->wrong = au_strdup(text);
}

void au_sym_settle(au_sym *s) {
    size_t n = au_terms_count(s->t), from = s->value.n;
    if (from == n)
        return;
    au_vec_reserve(&s->value, n);
    au_vec_reserve(&s->term, n);
    for (size_t i = from; i < n; i++) {
        au_term x = {(uint32_t)i};
        uint16_t owner = AU_NONE16;
        for (unsigned k = au_term_kids(s->t, x); k-- > 0;) {
            uint16_t of = s->term.at[au_term_kid(s->t, x, k).n].owner;
            if (owner != AU_NONE16 && of != AU_NONE16 && of != owner)
                au_sym_fail(s, "a term mentions reads of threads %u and %u", owner, of);
            if (of != AU_NONE16)
                owner = of;
        }
        s->value.at[i] = au_term_worth(s->t, x, s->value.at);
        s->term.at[i] = (au_sym_term){.owner = owner};
    }
    s->value.n = s->term.n = n;
}

au_term au_sym_var(au_sym *s, uint32_t event, unsigned width, uint64_t bits) {
    au_sym_settle(s);
    au_term x = au_term_of_var(s->t, event, width);
    bits &= au_mask(width);
    s->behind = event;
    if (x.n == s->value.n) {
        au_vec_push(&s->value, bits);
        au_vec_push(&s->term, (au_sym_term){.owner = s->at->thread});
    } else if (s->value.at[x.n] != bits) {
        au_sym_fail(s, "event %u read two values", event + 1);
    }
    return x;
}

au_term au_sym_term_of(au_sym *s, au_val v, unsigned width) {
    if (!au_sym_is(s, v))
        return au_term_const(s->t, width, v.v);
    au_term x = {v.m - 2};
    if (s->term.at[x.n].owner != s->at->thread)
        au_sym_fail(s, "thread %u met a term of thread %u", s->at->thread, s->term.at[x.n].owner);
    unsigned has = au_term_width(s->t, x);
    if (has == width)
        return x;
    return has > width ? au_term_extract(s->t, x, 0, width) : au_term_zext(s->t, x, width);
}

au_tint au_sym_result(au_sym *s, au_term x, uint64_t value, const char *what) {
    au_sym_settle(s);
    value &= au_mask(au_term_width(s->t, x));
    if (s->value.at[x.n] != value)
        au_sym_fail(s, "the term of %s is worth %llu, the program computed %llu", what,
                    (unsigned long long)s->value.at[x.n], (unsigned long long)value);
    return au_sym_tint(s, x);
}
