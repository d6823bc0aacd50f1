/* model/ctp_label.c: a label for every printed statement, and the observed run in
 * terms of them. */
#include "model/ctp_priv.h"

#include <stdio.h>

static const au_step *first_out(const au_model *m, uint32_t thread, uint32_t node) {
    const au_node *n = &m->thread.at[thread].node.at[node];
    return n->out.n ? &m->step.at[n->out.at[0]] : NULL;
}

/* Nodes inside a statement: behind a wait or an arrive, and between the reads of the
 * condition of a loop. */
static void find_begins(au_ctp_labels *l, uint32_t t) {
    const au_model *m = l->names->m;
    const au_thread *th = &m->thread.at[t];
    uint32_t *begin = l->begin.at[t];
    for (uint32_t i = 0; i < th->node.n; i++)
        begin[i] = i;
    for (uint32_t i = 0; i < th->node.n; i++) {
        const au_step *s = first_out(m, t, i);
        if (s && (s->kind == AU_STEP_WAIT || s->kind == AU_STEP_ARRIVE))
            begin[s->dst] = i;
        if (!s || th->node.at[i].kind != AU_NODE_LOOP)
            continue;
        while (s && s->kind == AU_STEP_ASSIGN && s->dst != i && begin[s->dst] == s->dst) {
            begin[s->dst] = i;
            s = first_out(m, t, s->dst);
        }
    }
}

/* base.1, base.2, …: the next that is free. */
static const char *invent(au_ctp_labels *l, const char *base) {
    uint32_t id = au_intern_add(&l->base, base, strlen(base));
    while (l->serial.n <= id)
        au_vec_push(&l->serial, 0);
    size_t room = strlen(base) + 16;
    char *s = au_arena_alloc(&l->names->arena, room);
    do
        snprintf(s, room, "%s.%u", base, ++l->serial.at[id]);
    while (au_intern_find(&l->used, s, strlen(s)) != AU_NONE);
    au_intern_add(&l->used, s, strlen(s));
    return s;
}

/* What the made-up labels of a thread begin with: its name, or a short one. */
static const char *thread_base(au_ctp_labels *l, uint32_t thread) {
    const char *name = l->names->m->thread.at[thread].name;
    if (au_ctp_is_name(name))
        return name;
    char *s = au_arena_alloc(&l->names->arena, 16);
    snprintf(s, 16, "T%u", thread + 1);
    return s;
}

void au_ctp_labels_init(au_ctp_labels *l, au_ctp_names *names) {
    *l = (au_ctp_labels){.names = names};
    au_intern_init(&l->used);
    au_intern_init(&l->base);
    const au_model *m = names->m;
    for (size_t i = 0; i < m->strings.n; i++)
        au_vec_push(&l->count, 0);
    for (uint32_t t = 0; t < m->thread.n; t++) {
        size_t nodes = m->thread.at[t].node.n;
        au_vec_push(&l->at, AU_ARENA_ARRAY(&names->arena, const char *, nodes));
        au_vec_push(&l->begin, AU_ARENA_ARRAY(&names->arena, uint32_t, nodes));
        find_begins(l, t);
        for (uint32_t i = 0; i < nodes; i++) {
            const au_step *s = first_out(m, t, i);
            if (s && s->label != AU_NONE && l->begin.at[t][i] == i)
                l->count.at[s->label]++;
        }
    }
    for (uint32_t i = 0; i < l->count.n; i++) {
        const char *s = au_intern_str(&m->strings, i);
        if (l->count.at[i] == 1 && strlen(s) == au_intern_len(&m->strings, i))
            au_intern_add(&l->used, s, strlen(s));
    }
    const char **base = AU_ARENA_ARRAY(&names->arena, const char *, m->thread.n);
    for (uint32_t t = 0; t < m->thread.n; t++)
        base[t] = thread_base(l, t);
    /* numbered in the order of the steps, which is that of the text they came from */
    for (size_t i = 0; i < m->step.n; i++) {
        const au_step *s = &m->step.at[i];
        const char **at = &l->at.at[s->thread][l->begin.at[s->thread][s->src]];
        if (*at)
            continue;
        const char *own = s->label != AU_NONE ? au_intern_str(&m->strings, s->label) : NULL;
        if (own && strlen(own) != au_intern_len(&m->strings, s->label))
            own = NULL;
        const char *label =
            own && l->count.at[s->label] == 1 ? own : invent(l, own ? own : base[s->thread]);
        *at = au_ctp_quoted(&names->arena, label, false);
    }
}

void au_ctp_labels_release(au_ctp_labels *l) {
    au_intern_release(&l->used);
    au_intern_release(&l->base);
    au_vec_release(&l->count);
    au_vec_release(&l->at);
    au_vec_release(&l->begin);
    au_vec_release(&l->serial);
}

const char *au_ctp_label(const au_ctp_labels *l, uint32_t thread, uint32_t node) {
    return l->at.at[thread][l->begin.at[thread][node]];
}

/* ---- the trace list ---- */

/* A signal whose waiter must be named: there could be another. */
static bool names_waiter(const au_model *m, const au_step *s) {
    return s->kind == AU_STEP_SIGNAL && s->choice != AU_NONE &&
           m->thread.at[s->thread].node.at[s->src].out.n > 2;
}

static uint32_t begin_of(const au_ctp_labels *l, const au_step *s) {
    return l->begin.at[s->thread][s->src];
}

/* Whether more steps of the same statement follow this one, other than a wake-up
 * (before which the reader stops by itself). */
static bool is_cut(const au_ctp_labels *l, const au_step *s) {
    return s->kind != AU_STEP_WAIT && s->dst != begin_of(l, s) &&
           l->begin.at[s->thread][s->dst] == begin_of(l, s);
}

/* Whether some step can be taken at the beginning. */
static bool can_begin(const au_model *m) {
    uint64_t *value = au_alloc_array(m->var.n, sizeof *value);
    bool can = false;
    for (size_t i = 0; i < m->var.n; i++)
        value[i] = m->var.at[i].init;
    for (size_t t = 0; t < m->thread.n && !can; t++) {
        const au_thread *th = &m->thread.at[t];
        const au_node *n = &th->node.at[th->entry];
        if (th->started != AU_NONE && !value[th->started])
            continue;
        for (size_t i = 0; i < n->out.n && !can; i++)
            can = !m->step.at[n->out.at[i]].spurious &&
                  au_term_eval(m->terms, m->step.at[n->out.at[i]].guard, value);
    }
    free(value);
    return can;
}

void au_ctp_print_trace(au_ctp_labels *l, au_out *out) {
    const au_model *m = l->names->m;
    if (!m->observed.n) {
        if (can_begin(m)) /* or the reader would run it */
            au_out_str(out, "trace ;\n");
        return;
    }
    /* when a statement was last in an item: an item ends before a second time */
    uint32_t **stamp = au_alloc_array(m->thread.n, sizeof *stamp);
    for (size_t t = 0; t < m->thread.n; t++)
        stamp[t] = au_alloc_array(m->thread.at[t].node.n, sizeof **stamp);
    uint32_t item = 0;
    size_t column = 5;
    au_out_str(out, "trace");
    for (size_t i = 0; i < m->observed.n;) {
        const au_step *first = &m->step.at[m->observed.at[i]], *last = first;
        uint32_t t = first->thread, of_last = 1;
        stamp[t][begin_of(l, first)] = ++item;
        for (i++; i < m->observed.n; i++) {
            const au_step *s = &m->step.at[m->observed.at[i]];
            if (s->thread != t || names_waiter(m, s) || names_waiter(m, last) ||
                s->kind == AU_STEP_WAKE)
                break;
            if (is_cut(l, last)) {
                of_last++;
            } else if (stamp[t][begin_of(l, s)] == item) {
                break;
            } else {
                stamp[t][begin_of(l, s)] = item;
                of_last = 1;
            }
            last = s;
        }
        const char *a = au_ctp_label(l, t, first->src), *b = au_ctp_label(l, t, last->src);
        size_t room = strlen(a) + strlen(b) + 40;
        const char *woken = names_waiter(m, last) ? l->names->thread[last->choice] : NULL;
        room += woken ? strlen(woken) : 0;
        char *text = au_alloc(room);
        int n = snprintf(text, room, strcmp(a, b) ? "%s-%s" : "%s", a, b);
        if (woken)
            n += snprintf(text + n, room - (size_t)n, "(%s)", woken);
        else if (is_cut(l, last))
            n += snprintf(text + n, room - (size_t)n, "/%u", of_last);
        if (column + 1 + (size_t)n > 78 && column > 5) {
            au_out_str(out, "\n     ");
            column = 5;
        }
        au_out_char(out, ' ');
        au_out_str(out, text);
        column += 1 + (size_t)n;
        free(text);
    }
    au_out_char(out, '\n');
    for (size_t t = 0; t < m->thread.n; t++)
        free(stamp[t]);
    free(stamp);
}
