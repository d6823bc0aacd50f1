/* model/symbolic_priv.h: what is found out once about a trace with knowledge, and how its parts
 * become models; for open.c, symbolic*.c, from_symbolic*.c and slice*.c only. */
#ifndef AU_MODEL_SYMBOLIC_PRIV_H
#define AU_MODEL_SYMBOLIC_PRIV_H

#include "base/bits.h"
#include "model/from_trace_priv.h"
#include "model/symbolic.h"

/* ---- clocks of fork and join (open.c) --------------------------------------------------- */

typedef struct {
    uint32_t thread; /* + 1; 0: nobody yet */
    uint32_t count;
} au_epoch;

typedef AU_VEC(uint32_t) au_clock; /* by thread; what is not there is 0 */

typedef struct {
    au_clock *clock; /* by thread */
    size_t n;
} au_clocks;

void au_clocks_init(au_clocks *c, const au_trace *t);
void au_clocks_release(au_clocks *c);
/* Before what follows from an event: a fork or join moves clocks on, any other thread wakes. */
void au_clocks_event(au_clocks *c, const au_trace *t, size_t event);
static inline uint32_t au_clocks_knows(const au_clocks *c, uint32_t thread, uint32_t of) {
    return of < c->clock[thread].n ? c->clock[thread].at[of] : 0;
}
static inline au_epoch au_clocks_now(const au_clocks *c, uint32_t thread) {
    return (au_epoch){thread + 1, c->clock[thread].at[thread]};
}
/* Does it come before what the thread does now? */
static inline bool au_clocks_before(const au_clocks *c, au_epoch e, uint32_t thread) {
    return !e.thread || e.thread == thread + 1 ||
           au_clocks_knows(c, thread, e.thread - 1) >= e.count;
}

/* ---- the plan (from_symbolic_plan.c) -------------------------------------------------------- */

enum {
    AU_VAR_OPEN = 1,    /* fork and join do not order its accesses */
    AU_VAR_STEPS = 2,   /* its accesses are steps of the model */
    AU_VAR_DOUBTED = 4, /* may hold, in some interleaving, what nobody knows: plan.doubt */
    AU_VAR_TERMS = 8,   /* a term is written to it */
    AU_VAR_INIT = 16,   /* what it held at the start is known */
    AU_VAR_CLASH = 32   /* an event has the number that stands for what is not known */
};

/* The state before an event (from_symbolic_state.c). */
typedef struct {
    const au_symbolic_plan *p;
    size_t at;       /* the events before this one have happened */
    uint64_t *value; /* by variable */
    struct au_state_lock {
        uint32_t holder; /* thread + 1 */
        uint32_t level;  /* recursion depth, readers, count, arrived */
        uint32_t generation;
    } * lock;
    struct au_state_thread {
        uint32_t depth;  /* of atomic blocks */
        uint32_t inside; /* the rel of its wait, its arrive; AU_NONE: in neither … */
        uint32_t until;  /* … until this event */
        uint32_t generation;
        bool begun, forked; /* it has an event; it was forked */
    } * thread;
    au_map readers;
} au_run_state;

struct au_symbolic_plan {
    const au_symbolic *s;
    au_trace_sync j;
    uint8_t *flag;  /* by variable: AU_VAR_* */
    uint8_t *width; /* by variable: bits */
    uint64_t *init; /* by variable: value at the start */
    /* Values that no event tells are numbers from doubt on, doubt + 0 being what no read saw. */
    uint64_t *doubt; /* by variable: the first of them, which no event of the variable has */
    uint32_t *doubts;
    au_map value;       /* event: what it wrote (or, a read, saw), if the trace does not say so */
    au_map before;      /* an event that reads and writes: what it saw */
    au_map cut;         /* events that saw what no event wrote: nothing is known behind them */
    uint32_t *until;    /* by event: 2 * event (+ 1: a fact after it) at which it is last used; 0 */
    uint32_t *index;    /* by event: its number within its thread, from 1; NULL: no hooks */
    uint32_t *of_fact;  /* facts by thread, each thread's in order … */
    size_t *first_fact; /* … where each one's begin */
    uint32_t *last;     /* by thread: its last event, AU_NONE */
    size_t end;         /* events from here on are in no model: the run failed before … */
    size_t failed;      /* … at this fact; SIZE_MAX */
    au_bitset fails;    /* among other runs: facts at which their thread failed; may be empty */
    bool fresh;         /* locals are used once */
    const au_plan_among *among; /* while it is made, NULL */
    au_run_state state;         /* where the last range began; p NULL: none did yet */
};

static inline bool au_plan_reads(const au_symbolic *s, size_t e) {
    au_op op = s->trace->events.op[e];
    return op != AU_OP_WRITE && op != AU_OP_AWRITE;
}
static inline bool au_plan_writes(const au_symbolic *s, size_t e) {
    au_op op = s->trace->events.op[e];
    return (op != AU_OP_READ && op != AU_OP_AREAD) || s->write[e].n != UINT32_MAX;
}
/* Fills init, doubt, value, before, cut and what is doubted (from_symbolic_values.c). Requires
 * widths and steps. */
void au_plan_values(au_symbolic_plan *p);
/* What an access wrote or, if it writes nothing, saw; what it saw. */
uint64_t au_plan_value(const au_symbolic_plan *p, size_t event);
uint64_t au_plan_seen(const au_symbolic_plan *p, size_t event);
/* It is not the first event of its step of the program. */
bool au_plan_goes_on(const au_symbolic_plan *p, size_t event);
/* The first elsewhere of an event, in s->elsewhere, and how many there are. */
size_t au_plan_elsewhere(const au_symbolic_plan *p, size_t event, size_t *n);

void au_state_init(au_run_state *s, const au_symbolic_plan *p);
void au_state_release(au_run_state *s);
/* To before event 'to'. */
void au_state_move(au_run_state *s, size_t to);
uint32_t au_state_readers(const au_run_state *s, uint32_t lock, uint32_t thread);

/* Leaves out of the observed run what would not see there what it saw (symbolic_check.c). */
void au_symbolic_drop(const au_symbolic *s, au_model *m, const au_symbolic_map *map);

#endif
