/* trace/thin_priv.h: what is kept of the present epochs (thin.c), for who repeats an access of them (recording_runs.c). */
#ifndef AU_TRACE_THIN_PRIV_H
#define AU_TRACE_THIN_PRIV_H

#include "trace/thin.h"

enum { AU_THIN_REPLY = 0xff }; /* as an operation; the kind is the object */

typedef struct {
    uint64_t number; /* in the run: events and replies of all threads */
    uint64_t hook;
    uint32_t before, after; /* hooks of its step before and after its own */
    uint32_t obj, loc;
    int64_t value; /* not of accesses */
    uint16_t thread;
    uint8_t op;
    uint8_t shape; /* of accesses, AU_SHAPE_* */
    bool has_value;
} au_thin_entry;

/* An access of one cell; of several, the first and the others: where a schedule has to stop inside of an access, the
 * program cannot (hooks_split.c). */
enum { AU_SHAPE_WHOLE, AU_SHAPE_FIRST, AU_SHAPE_OTHER };

/* Accesses of one kind in the present epoch of a thread. */
typedef struct {
    uint32_t var, loc;
    uint32_t version;      /* of the variable, when it began */
    uint32_t slot;         /* in the thread's table */
    uint64_t number, hook; /* of the last … */
    uint32_t before, after;
    uint8_t op, shape;
    bool has_last; /* … if there is one */
} au_thin_group;

enum { AU_THIN_RECENT = 64 }; /* a power of two */
typedef struct {
    AU_VEC(au_thin_group) group;
    uint32_t *slot; /* group + 1 */
    size_t slots;   /* a power of two, or 0 */
    uint64_t low;   /* number of the first event of this epoch that may come out later; AU_NONE64 */
    size_t next_end;  /* in the thread's ends */
    uint64_t epoch;   /* a number that no other epoch has, of any thread; from 1 */
    uint32_t touched; /* the group of the last access */
    /* the present step */
    AU_VEC(au_thin_entry) step;
    AU_VEC(uint32_t) version; /* one each */
    uint64_t first, last;     /* its hooks */
    bool open;
    bool at_point;                   /* when it last stopped, its step had ended */
    uint32_t recent[AU_THIN_RECENT]; /* groups, by location: where to look first */
} au_thin_thread;

typedef struct {
    uint32_t version;
    uint16_t writer; /* the last */
    bool written;
    bool others; /* somebody else has read it since */
} au_thin_var;

struct au_thin {
    const au_epochs *ends;
    AU_VEC(au_thin_thread) thread;
    AU_VEC(au_thin_var) var;
    AU_VEC(au_thin_entry) kept; /* not handed out yet; the first 'sorted' are in order */
    size_t sorted, out;         /* the first 'out' were handed out */
    uint64_t number, left_out;
    uint64_t epochs; /* so far */
    uint16_t running;
    uint64_t most;  /* may wait */
    uint64_t worth; /* entries from which on it is worth to look */
    bool over;
};

/* The present step of the thread is over: its next event does not belong to it. If it was one plain access of this epoch,
 * which goes on, *group is where that belongs (AU_NONE: no event); else false. */
bool au_thin_close(au_thin *t, uint16_t thread, uint32_t *group);
/* The number of the thread's next hook that ends an epoch; AU_NONE64: none does. */
uint64_t au_thin_until(const au_thin *t, uint16_t thread);

/* As au_thin_access and au_thin_close, of an access that does what one of the group did before. False: it is not so,
 * and nothing was done. */
static inline bool au_thin_again(au_thin *t, au_thin_thread *x, uint16_t thread, uint32_t in,
                                 uint64_t hook) {
    au_thin_group *g = &x->group.at[in];
    const au_thin_var *v = &t->var.at[g->var];
    bool own = v->written & (v->writer == thread);
    if ((v->version != g->version) | (g->op == AU_OP_READ ? !own & !v->others : !own | v->others))
        return false;
    if (x->low == AU_NONE64)
        x->low = t->number;
    g->has_last = true;
    g->number = t->number++;
    g->hook = hook;
    g->before = g->after = 0;
    t->left_out++;
    return true;
}

#endif
