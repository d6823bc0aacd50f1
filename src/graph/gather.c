/* graph/gather.c: the same schedule with fewer turns. */
#include "graph/gather.h"

#include "base/error.h"
#include "base/vec.h"

#include <stdlib.h>

/* How far an object or a variable is, in operations on it; variables count writes, and the
 * reads since the last one. */
typedef struct {
    uint32_t now, reads;
} clock;

typedef struct {
    uint32_t event, thread;
    uint32_t ticket; /* it is its turn when its object is that far */
    uint32_t reads;  /* writes: … and so many reads were done since the write before */
} entry;

struct au_gather {
    const au_trace *t;
    clock *object, *var;
    uint32_t *fork_of;   /* by thread: 1: forked in this order, 2: and that is done */
    uint32_t *left;      /* by thread: events of the order still to come */
    uint32_t *at, *last; /* by thread: in line: its next entry, one past its last */
    AU_VEC(entry) line;  /* by thread, in its order */
};

au_gather *au_gather_new(const au_trace *t) {
    au_gather *g = AU_NEW(au_gather);
    size_t threads = t->names.thread.n;
    g->t = t;
    g->object = au_alloc_array(t->names.lock.n, sizeof *g->object);
    g->var = au_alloc_array(t->names.var.n, sizeof *g->var);
    g->fork_of = au_alloc_array(threads, sizeof *g->fork_of);
    g->left = au_alloc_array(threads, sizeof *g->left);
    g->at = au_alloc_array(threads, sizeof *g->at);
    g->last = au_alloc_array(threads, sizeof *g->last);
    return g;
}

void au_gather_free(au_gather *g) {
    if (!g)
        return;
    free(g->object);
    free(g->var);
    free(g->fork_of);
    free(g->left);
    free(g->at);
    free(g->last);
    au_vec_release(&g->line);
    free(g);
}

static bool writes(au_op op) {
    return op == AU_OP_WRITE || op == AU_OP_AWRITE || op == AU_OP_RMW;
}

static clock *clock_of(au_gather *g, uint32_t e) {
    const au_columns *x = &g->t->events;
    if (au_op_is_access(x->op[e]))
        return &g->var[x->obj[e]];
    return au_op_space(x->op[e]) == AU_WIRE_SPACE_LOCK ? &g->object[x->obj[e]] : NULL;
}

static void advance(const au_gather *g, clock *c, uint32_t e) {
    au_op op = g->t->events.op[e];
    if (c && au_op_is_access(op) && !writes(op)) {
        c->reads++;
    } else if (c) {
        c->now++;
        c->reads = 0;
    }
}

/* Back to the beginning, at the cost of the order and not of all names. */
static void reset(au_gather *g, const uint32_t *order, size_t n) {
    for (size_t i = 0; i < n; i++) {
        clock *c = clock_of(g, order[i]);
        if (c)
            *c = (clock){0};
    }
}

static void prepare(au_gather *g, const uint32_t *order, size_t n) {
    const au_columns *x = &g->t->events;
    uint32_t threads = (uint32_t)g->t->names.thread.n, sum = 0;
    memset(g->left, 0, threads * sizeof *g->left);
    memset(g->fork_of, 0, threads * sizeof *g->fork_of);
    for (size_t i = 0; i < n; i++) {
        g->left[x->thread[order[i]]]++;
        if (x->op[order[i]] == AU_OP_FORK)
            g->fork_of[x->obj[order[i]]] = 1;
    }
    for (uint32_t t = 0; t < threads; t++) {
        g->at[t] = g->last[t] = sum;
        sum += g->left[t];
    }
    au_vec_reserve(&g->line, n + 1);
    reset(g, order, n);
    for (size_t i = 0; i < n; i++) {
        uint32_t e = order[i], t = x->thread[e];
        clock *c = clock_of(g, e);
        g->line.at[g->last[t]++] = (entry){e, t, c ? c->now : 0, c ? c->reads : 0};
        advance(g, c, e);
    }
    reset(g, order, n);
}

static bool can(au_gather *g, const entry *k) {
    const au_columns *x = &g->t->events;
    const clock *c = clock_of(g, k->event);
    if (g->fork_of[k->thread] == 1)
        return false;
    if (x->op[k->event] == AU_OP_JOIN)
        return !g->left[x->obj[k->event]] && g->fork_of[x->obj[k->event]] != 1;
    if (!c)
        return true;
    bool reads = au_op_is_access(x->op[k->event]) && !writes(x->op[k->event]);
    return c->now == k->ticket && (reads || c->reads == k->reads);
}

void au_gather_order(au_gather *g, uint32_t *order, size_t n) {
    const au_columns *x = &g->t->events;
    uint32_t threads = (uint32_t)g->t->names.thread.n, t = 0;
    size_t done = 0;
    prepare(g, order, n);
    while (done < n) {
        uint32_t tried = 0;
        while (tried < threads && (!g->left[t] || !can(g, &g->line.at[g->at[t]]))) {
            t = (t + 1) % threads;
            tried++;
        }
        AU_BUG_IF(tried == threads); /* the order itself is one way */
        for (; g->left[t] && can(g, &g->line.at[g->at[t]]); g->left[t]--) {
            uint32_t e = g->line.at[g->at[t]++].event;
            advance(g, clock_of(g, e), e);
            if (x->op[e] == AU_OP_FORK)
                g->fork_of[x->obj[e]] = 2;
            order[done++] = e;
        }
    }
}
