/* solve/deadlock_priv.h: between deadlock.c (the search), acts.c (what threads can still do) and cores.c (what
 * was found). */
#ifndef AU_SOLVE_DEADLOCK_PRIV_H
#define AU_SOLVE_DEADLOCK_PRIV_H

#include "solve/cssa_priv.h"
#include "solve/deadlock.h"

enum { AU_GIVE_RELEASE, AU_GIVE_SIGNAL, AU_GIVE_ARRIVE, AU_GIVES };

struct au_dead {
    au_cssa *c;
    const au_dead_part *part; /* NULL: the model is all there is */
    uint32_t threads;
    au_bitset **acts; /* [thread][node]: what can still be done from there */
    au_term *stuck, *outside, *ended, *stopped; /* by thread */
    bool *waits;    /* by thread: it has steps that may wait for good … */
    bool **lasting; /* … by thread and node (stuck.h) */
    au_term *hope;  /* [t * threads + u] */
    au_map can;     /* (thread, act) to a term */
    au_term rest;   /* some set not known yet */
    AU_VEC(au_u32s) core;
};

static inline uint32_t au_dead_act(const au_dead *d, uint32_t obj, uint32_t what) {
    (void)d;
    return obj * AU_GIVES + what;
}
static inline uint32_t au_dead_fork(const au_dead *d, uint32_t thread) {
    return (uint32_t)d->c->m->obj.n * AU_GIVES + thread;
}
static inline uint32_t au_dead_write(const au_dead *d, uint32_t var) {
    return (uint32_t)d->c->m->obj.n * AU_GIVES + d->threads + var;
}

void au_dead_find_acts(au_dead *d);
/* The thread has steps from there that are not in the part: it can move, whatever they are. */
bool au_dead_is_cut(const au_dead *d, uint32_t thread, uint32_t node);

/* A false guard ends the thread. / Left out of the question whether a thread waits. */
bool au_dead_stops(const au_cssa *c, const au_step *s);
bool au_dead_skips(const au_cssa *c, const au_step *s);
void au_dead_leave_out(au_dead *d, const au_u32s *core);

#endif
