#include "trace/replies.h"

#include "base/alloc.h"
#include "trace/event.h"

void au_replies_release(au_replies *a) {
    au_vec_release(&a->at);
}

void au_replies_note(au_replies *a, au_libc_reply kind, uint16_t thread, uint64_t index,
                     uint64_t all) {
    struct au_replied *x = a->latest[kind] ? &a->at.at[a->latest[kind] - 1] : NULL;
    if (x && x->thread == thread && kind != AU_REPLY_LOOKS) {
        x->last = index;
        x->all = all;
        x->n++;
        return;
    }
    au_vec_push(&a->at, ((struct au_replied){index, index, all, 1, thread, (uint8_t)kind}));
    a->latest[kind] = (uint32_t)a->at.n;
}

/* ---- a schedule ------------------------------------------------------------------------------ */

typedef struct {
    const au_replies *a;
    const au_columns *c;
    size_t threads;
    size_t *next;    /* by thread: its next entry, in 'order' from … */
    size_t *first;   /* … this one on; thread's entries end where those of the next one begin */
    uint32_t *order; /* entries by thread */
    uint64_t *done;  /* by entry: how many of its answers were given */
    uint64_t *upto;  /* by thread: events executed */
    uint32_t top[AU_REPLIES]; /* by kind: the last entry that was begun, + 1 */
} walk;

static void begin(walk *w) {
    size_t n = w->a->at.n;
    w->first = au_alloc_array(w->threads + 1, sizeof *w->first);
    w->next = au_alloc_array(w->threads + 1, sizeof *w->next);
    w->upto = au_alloc_array(w->threads + 1, sizeof *w->upto);
    w->order = au_alloc_array(n + 1, sizeof *w->order);
    w->done = au_alloc_array(n + 1, sizeof *w->done);
    for (size_t i = 0; i < n; i++)
        w->first[w->a->at.at[i].thread + 1]++;
    for (size_t t = 0; t < w->threads; t++)
        w->first[t + 1] += w->first[t];
    for (size_t t = 0; t < w->threads; t++)
        w->next[t] = w->first[t];
    for (size_t i = 0; i < n; i++)
        w->order[w->next[w->a->at.at[i].thread]++] = (uint32_t)i;
    for (size_t t = 0; t < w->threads; t++)
        w->next[t] = w->first[t];
}

static void end(walk *w) {
    free(w->first);
    free(w->next);
    free(w->upto);
    free(w->order);
    free(w->done);
}

/* All answers of this kind before entry i were given. */
static bool whole_before(const walk *w, uint32_t i) {
    for (uint32_t k = i; k-- > 0;)
        if (w->a->at.at[k].kind == w->a->at.at[i].kind)
            return w->done[k] == w->a->at.at[k].n; /* and so were, when it began, those before it */
    return true;
}

static bool synchronises(au_op op) {
    return au_op_space(op) == AU_WIRE_SPACE_LOCK || au_op_space(op) == AU_WIRE_SPACE_THREAD ||
           op == AU_OP_EXIT;
}

/* Other threads have done as much to what it may look at as in the run, no more and no less. */
static bool sees_the_same(const walk *w, const struct au_replied *x) {
    uint64_t *index = au_alloc_array(w->threads + 1, sizeof *index);
    bool same = w->c != NULL;
    for (size_t e = 0; same && e < w->c->n; e++) {
        uint16_t t = w->c->thread[e];
        bool then = e < x->all, now = ++index[t] <= w->upto[t];
        same = t == x->thread || then == now || !synchronises(w->c->op[e]);
    }
    free(index);
    return same;
}

static bool give(walk *w, uint32_t i, uint64_t upto) {
    const struct au_replied *x = &w->a->at.at[i];
    if (x->kind == AU_REPLY_LOOKS)
        return sees_the_same(w, x);
    if (i + 1 < w->top[x->kind])
        return false; /* somebody was answered who came later */
    w->top[x->kind] = i + 1;
    if (x->kind == AU_REPLY_NUMBER && !whole_before(w, i))
        return false;
    w->done[i] = upto > x->last ? x->n : 1;
    return true;
}

bool au_replies_hold(const au_replies *a, const au_schedule *s, const au_columns *c,
                     size_t threads) {
    if (!a->at.n)
        return true;
    walk w = {.a = a, .c = c, .threads = threads};
    begin(&w);
    bool holds = true;
    for (uint32_t k = 0; k < s->n && holds; k++) {
        uint16_t t = s->turn[k].thread;
        uint64_t upto = s->turn[k].upto;
        w.upto[t] = upto > w.upto[t] ? upto : w.upto[t];
        while (holds && w.next[t] < w.first[t + 1]) {
            uint32_t i = w.order[w.next[t]];
            if (a->at.at[i].first >= upto)
                break; /* nothing that it does depends on it yet */
            holds = give(&w, i, upto);
            if (a->at.at[i].last >= upto)
                break;
            w.next[t]++;
        }
    }
    end(&w);
    return holds;
}
