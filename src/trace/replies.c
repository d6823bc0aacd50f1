#include "trace/replies.h"

#include "base/alloc.h"
#include "trace/event.h"

void au_replies_release(au_replies *a) {
    au_vec_release(&a->at);
}

/* Calls of both kinds may change what calls of both kinds are told. */
static au_libc_reply line_of(au_libc_reply kind) {
    return kind == AU_REPLY_MEMORY ? AU_REPLY_STATE : kind;
}

/* Does one more answer belong to the entry? Between two looks at memory no other thread does anything. */
static bool goes_on(const struct au_replied *x, au_libc_reply kind, uint16_t thread, uint64_t index,
                    uint64_t all) {
    bool looks = kind == AU_REPLY_MEMORY || kind == AU_REPLY_PATCHED;
    return x->thread == thread && x->kind == kind && kind != AU_REPLY_LOOKS &&
           (!looks || all - index == x->all - x->last);
}

void au_replies_note(au_replies *a, au_libc_reply kind, uint16_t thread, uint64_t index,
                     uint64_t all) {
    uint32_t *latest = &a->latest[line_of(kind)];
    struct au_replied *x = *latest ? &a->at.at[*latest - 1] : NULL;
    if (x && goes_on(x, kind, thread, index, all)) {
        x->last = index;
        x->all = all;
        x->n++;
        return;
    }
    au_vec_push(&a->at,
                ((struct au_replied){index, index, all, 1, *latest, thread, (uint8_t)kind}));
    *latest = (uint32_t)a->at.n;
}

/* ---- the run --------------------------------------------------------------------------------- */

typedef struct {
    AU_VEC(uint64_t) all;   /* events of all threads before it, by write of the thread … */
    AU_VEC(uint64_t) index; /* … and its own number */
} written;

struct au_replies_view {
    const au_replies *a;
    const au_columns *c;
    size_t threads;
    size_t *next;    /* by thread: its next entry, in 'order' from … */
    size_t *first;   /* … this one on; thread's entries end where those of the next one begin */
    uint32_t *order; /* entries by thread */
    uint64_t *done;  /* by entry: how many of its answers were given */
    uint64_t *upto;  /* by thread: events executed */
    written *writes; /* by thread; made when first needed, which in a long run is seldom */
    uint32_t top[AU_REPLIES]; /* by kind: the last entry that was begun, + 1 */
};

static bool is_write(au_op op) {
    return au_op_is_access(op) && op != AU_OP_READ && op != AU_OP_AREAD;
}

static void find_writes(au_replies_view *v) {
    uint64_t *index = au_alloc_array(v->threads + 1, sizeof *index);
    v->writes = au_alloc_array(v->threads + 1, sizeof *v->writes);
    for (size_t e = 0; e < v->c->n; e++) {
        uint16_t t = v->c->thread[e];
        index[t]++;
        if (!is_write(v->c->op[e]))
            continue;
        au_vec_push(&v->writes[t].all, e);
        au_vec_push(&v->writes[t].index, index[t]);
    }
    free(index);
}

au_replies_view *au_replies_view_new(const au_replies *a, const au_columns *c, size_t threads) {
    size_t n = a->at.n;
    au_replies_view *v = au_alloc(sizeof *v);
    *v = (au_replies_view){.a = a, .c = c, .threads = threads};
    v->first = au_alloc_array(threads + 1, sizeof *v->first);
    v->next = au_alloc_array(threads + 1, sizeof *v->next);
    v->upto = au_alloc_array(threads + 1, sizeof *v->upto);
    v->order = au_alloc_array(n + 1, sizeof *v->order);
    v->done = au_alloc_array(n + 1, sizeof *v->done);
    for (size_t i = 0; i < n; i++)
        v->first[a->at.at[i].thread + 1]++;
    for (size_t t = 0; t < threads; t++)
        v->first[t + 1] += v->first[t];
    for (size_t t = 0; t < threads; t++)
        v->next[t] = v->first[t];
    for (size_t i = 0; i < n; i++)
        v->order[v->next[a->at.at[i].thread]++] = (uint32_t)i;
    return v;
}

void au_replies_view_free(au_replies_view *v) {
    for (size_t t = 0; v->writes && t < v->threads; t++) {
        au_vec_release(&v->writes[t].all);
        au_vec_release(&v->writes[t].index);
    }
    free(v->writes);
    free(v->first);
    free(v->next);
    free(v->upto);
    free(v->order);
    free(v->done);
    free(v);
}

/* ---- a schedule ------------------------------------------------------------------------------ */

static void begin(au_replies_view *v) {
    for (size_t t = 0; t < v->threads; t++) {
        v->next[t] = v->first[t];
        v->upto[t] = 0;
    }
    for (size_t i = 0; i < v->a->at.n; i++)
        v->done[i] = 0;
    for (size_t k = 0; k < AU_REPLIES; k++)
        v->top[k] = 0;
}

/* All answers of this kind before entry i were given; and so were, when the last of them began, those before it. */
static bool whole_before(const au_replies_view *v, uint32_t i) {
    uint32_t k = v->a->at.at[i].before;
    return !k || v->done[k - 1] == v->a->at.at[k - 1].n;
}

static bool synchronises(au_op op) {
    return au_op_space(op) == AU_WIRE_SPACE_LOCK || au_op_space(op) == AU_WIRE_SPACE_THREAD ||
           op == AU_OP_EXIT;
}

/* Other threads have done as much to what it may look at as in the run, no more and no less: to locks and threads, or
 * anything at all. */
static bool sees_the_same(const au_replies_view *v, const struct au_replied *x, bool anything) {
    uint64_t *index = au_alloc_array(v->threads + 1, sizeof *index);
    bool same = v->c != NULL;
    for (size_t e = 0; same && e < v->c->n; e++) {
        uint16_t t = v->c->thread[e];
        bool then = e < x->all, now = ++index[t] <= v->upto[t];
        same = t == x->thread || then == now || (!anything && !synchronises(v->c->op[e]));
    }
    free(index);
    return same;
}

/* How many of these numbers, which grow, are smaller? */
static size_t count_below(const uint64_t *at, size_t n, uint64_t most) {
    size_t low = 0;
    while (low < n) {
        size_t middle = (low + n) / 2;
        if (at[middle] < most)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

/* Other threads have written as much as in the run, whatever it looks at. */
static bool finds_the_same(au_replies_view *v, const struct au_replied *x) {
    if (!v->writes && v->c)
        find_writes(v);
    for (size_t t = 0; v->writes && t < v->threads; t++) {
        const written *w = &v->writes[t];
        if (t != x->thread && count_below(w->all.at, w->all.n, x->all) !=
                                  count_below(w->index.at, w->index.n, v->upto[t] + 1))
            return false;
    }
    return v->writes != NULL;
}

static bool give(au_replies_view *v, uint32_t i, uint64_t upto) {
    const struct au_replied *x = &v->a->at.at[i];
    au_libc_reply line = line_of((au_libc_reply)x->kind);
    if (x->kind == AU_REPLY_LOOKS || x->kind == AU_REPLY_PATCHED)
        return sees_the_same(v, x, x->kind == AU_REPLY_PATCHED);
    if (i + 1 < v->top[line])
        return false; /* somebody was answered who came later */
    v->top[line] = i + 1;
    if (line != AU_REPLY_TIME && !whole_before(v, i))
        return false;
    if (x->kind == AU_REPLY_MEMORY && !finds_the_same(v, x))
        return false;
    v->done[i] = upto > x->last ? x->n : 1;
    return true;
}

/* The thread goes on to this event: the first answer on its way that may be another one. */
static au_libc_reply go_on(au_replies_view *v, uint16_t thread, uint64_t upto) {
    for (size_t *next = &v->next[thread]; *next < v->first[thread + 1]; ++*next) {
        uint32_t i = v->order[*next];
        const struct au_replied *x = &v->a->at.at[i];
        if (x->first >= upto)
            break; /* nothing that it does depends on it yet */
        if (!give(v, i, upto))
            return (au_libc_reply)x->kind;
        if (x->last >= upto)
            break;
    }
    return AU_REPLY_UNSTATED;
}

/* When the thread of 'to' is asked next, of all entries; UINT32_MAX: not before that event. */
static uint32_t asked_next(const au_replies_view *v, const au_event_ref *to) {
    size_t next = v->next[to->thread];
    if (next == v->first[to->thread + 1])
        return UINT32_MAX;
    uint32_t i = v->order[next];
    return v->a->at.at[i].first < to->index ? i : UINT32_MAX;
}

au_libc_reply au_replies_broken(au_replies_view *v, const au_schedule *s, const au_event_ref *to,
                                uint32_t n) {
    au_libc_reply other = AU_REPLY_UNSTATED;
    if (!v->a->at.n)
        return other;
    begin(v);
    for (uint32_t k = 0; k < s->n && !other; k++) {
        uint16_t t = s->turn[k].thread;
        uint64_t upto = s->turn[k].upto;
        v->upto[t] = upto > v->upto[t] ? upto : v->upto[t];
        other = go_on(v, t, upto);
    }
    /* The events that it is about come next, whoever is first: in the order of the run. */
    for (uint32_t k = 0; k < n && !other; k++) {
        const au_event_ref *first = &to[0];
        for (uint32_t i = 1; i < n; i++)
            if (asked_next(v, &to[i]) < asked_next(v, first))
                first = &to[i];
        if (asked_next(v, first) < UINT32_MAX)
            other = go_on(v, (uint16_t)first->thread, first->index);
        if (!other && asked_next(v, first) < UINT32_MAX)
            v->next[first->thread] = v->first[first->thread + 1]; /* a part of the last one */
    }
    return other;
}
