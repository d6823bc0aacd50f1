/* solve/cssa.h: all interleavings of a loop-free model as one formula (Wang et al.,
 * sections 4 and 8), before any backend.
 *
 * Concurrent static single assignment: a step of the model that exists under the chosen
 * semantics is an event; what an event reads of a shared or synchronisation variable is a
 * name of its own (a π-function over the events that may have written it); locals are
 * gone: they are terms over names, with ite where paths meet (φ).
 *
 * A prefix of an interleaving is a choice of
 *   - which events are executed: a name of width 1 each (in a thread they form a path
 *     from the entry to the cut; nothing has to be executed);
 *   - a total order of the executed events that respects each thread's 'place';
 *   - for each executed read the write that it sees: the last one stored before it in
 *     that order, or the initial value; a final read sees the last one of all.
 * Everything else follows: the axioms (terms of width 1 that hold in every prefix) say
 * what is executed where guards hold, and the values of names are those of their writers.
 * A backend asserts the axioms, an order and the π-functions, and then decides
 * properties, which are terms of width 1 over the names below (query.h).
 *
 * Order without execution. It is enough to look for a total order of *all* ordered events
 * in which every thread's events stand by 'place' (a topological number along the control
 * graph), executed or not: an execution never contradicts it, since events of paths
 * not taken can stand anywhere between their neighbours. must-before (below) holds in
 * at least one such order of every prefix, as does "executed before not executed" for an
 * event b that is 'certain': see au_cssa_event.
 *
 * Everything lives as long as the au_cssa, which borrows the model. Names are only ever
 * added (au_cssa_before, …): a backend looks at names from where it stopped. */
#ifndef AU_SOLVE_CSSA_H
#define AU_SOLVE_CSSA_H

#include "base/bitset.h"
#include "base/error.h"
#include "base/hash.h"
#include "model/model.h"
#include "model/semantics.h"

typedef struct {
    au_semantics semantics;
    bool whole;     /* a failed assert does not stop its thread (--no-prefix). That every thread
                     * comes to its end is left to the properties: au_cssa_complete */
    bool order_all; /* every event is ordered, also those that touch nothing that others touch
                     * (needed to count context switches) */
    bool in_time;   /* none is made if the time is over before (base/deadline.h) */
} au_cssa_options;

/* --- names: the variables of au_cssa's terms ------------------------------- */

typedef enum {
    AU_NAME_MODEL,  /* 0 … m->var.n - 1: never in a finished term */
    AU_NAME_EXEC,   /* a: event. It is executed */
    AU_NAME_READ,   /* a: index in read. The value seen */
    AU_NAME_HAVOC,  /* a: event. Any value */
    AU_NAME_BEFORE, /* a, b: ordered events of different threads, a < b: a comes before b */
    AU_NAME_SEES,   /* a: index in read, b: index in its writer: that is the write it sees */
    AU_NAME_FREE    /* of width 1, constrained by nothing but the terms it is in */
} au_name_kind;

typedef struct {
    au_name_kind kind;
    uint8_t width;
    uint32_t a, b;
} au_name;

/* --- events ------------------------------------------------------------------ */

#define AU_INITIAL UINT32_MAX /* a writer: the initial value */
#define AU_FINAL UINT32_MAX   /* the event of a final read: after all that is executed */

typedef AU_VEC(uint32_t) au_u32s;

/* What one event reads of one variable. Of an event that is not executed it means
 * nothing. */
typedef struct {
    uint32_t event; /* AU_FINAL: the value at the end of the prefix */
    uint32_t var;   /* of the model */
    uint32_t name;  /* its value; NONE where values do not count (cam, locks) */
    au_u32s writer; /* events that it may see, AU_INITIAL included; never empty */
    au_u32s other;  /* stores of the variable that it cannot see and that must not come in
                       between all the same */
} au_cssa_read;

typedef struct {
    uint32_t var;
    au_term value; /* .n == UINT32_MAX where values do not count */
} au_cssa_write;

typedef struct {
    uint32_t step, thread;
    uint32_t place;  /* within its thread, from 0: a topological order of its steps */
    bool ordered;    /* takes part in the order; else it stands right after 'anchor' */
    bool certain;    /* every path through its thread passes it: if a later event of the
                         thread is executed, so is this */
    uint32_t anchor; /* not ordered: the last ordered event before it, or AU_NONE: it can come
                         before everything else */
    au_term exec;    /* its name */
    au_term passes;  /* executed, and its thread goes on: an assert that failed stops it */
    au_term guard;   /* what executing it requires of the state */
    au_term fails;   /* width 1: an executed assert is violated (cam: a free name) */
    au_term own;     /* the guard without what mcm adds to it */
    uint32_t first_read, n_reads;
    uint32_t first_write, n_writes;
} au_cssa_event;

typedef struct {
    const au_model *m;
    au_cssa_options o;
    bool weak; /* see au_cssa_new_weak */
    au_arena arena;
    au_terms *terms;
    AU_VEC(au_name) name;
    AU_VEC(au_cssa_event) event; /* by thread, then place */
    AU_VEC(au_cssa_read) read;   /* those of events first; final ones are added */
    AU_VEC(au_cssa_write) write;
    AU_VEC(au_term) axiom; /* more may be added by queries: look again from where you were */
    uint32_t *first_event; /* of thread t: first_event[t] … first_event[t + 1] - 1 */
    uint32_t *event_of;    /* of a step, AU_NONE if it does not exist */
    uint32_t **reach;      /* reach[t][node]: term number of "t gets to the node" */
    uint32_t *last_must;   /* [event * threads + t]: 1 + place of the last ordered event of t that
                                 must come before, 0: none. Only where that event is certain */
    AU_VEC(uint32_t) * stores; /* by variable: events that may store it, by thread and place */
    uint32_t *final_read;      /* by variable: its final read, AU_NONE if none was asked for */
    au_map pair, sees;         /* names made already */
    /* Internal to src/solve: */
    struct au_cssa_more *more;
} au_cssa;

/* Requires: no loops, observed run filled in. NULL and *err on a model that is too
 * large, or if it is to be in time and is not. The caller frees it. */
au_cssa *au_cssa_new(const au_model *m, const au_cssa_options *o, au_error *err);
/* The same of ctp and prefixes for a memory model (weak.h): a read of a shared variable may see a write that
 * another one has overwritten. The order says when writes come about, not which is the last. */
au_cssa *au_cssa_new_weak(const au_model *m, au_error *err);
void au_cssa_free(au_cssa *c);

/* --- terms for properties --------------------------------------------------------- */

/* a comes before b in the order (of executed or not executed events: ask for exec as
 * well). Events of one thread and must-before give constants; not ordered events stand
 * where their anchor does. */
au_term au_cssa_before(au_cssa *c, uint32_t a, uint32_t b);
/* The read sees this write (an event or AU_INITIAL); false if it is none of its writers. */
au_term au_cssa_sees(au_cssa *c, uint32_t read, uint32_t writer);
/* The read of this variable by this event, AU_NONE if it does not read it. */
uint32_t au_cssa_read_of(const au_cssa *c, uint32_t event, uint32_t var);
/* The final read, made on first use. */
uint32_t au_cssa_final(au_cssa *c, uint32_t var);
au_term au_cssa_final_value(au_cssa *c, uint32_t var);
/* The thread gets to this node; stands there at the end of the prefix (and is started). */
au_term au_cssa_reaches(au_cssa *c, uint32_t thread, uint32_t node);
au_term au_cssa_stands(au_cssa *c, uint32_t thread, uint32_t node);
/* Some fork of it was executed (or none is needed). */
au_term au_cssa_started(au_cssa *c, uint32_t thread);
/* Every thread that was started is at its end. */
au_term au_cssa_complete(au_cssa *c);
/* No wake-up without a signal is executed (true if there are none). */
au_term au_cssa_no_spurious(au_cssa *c);
au_term au_cssa_free_name(au_cssa *c);
/* A guard of this event, were it to run at the end of the prefix. */
au_term au_cssa_at_end(au_cssa *c, uint32_t event, au_term guard);

/* Whether it stores its writes when executed: exec, and for an assert not failed. */
static inline au_term au_cssa_stored(const au_cssa *c, uint32_t event) {
    return c->event.at[event].passes;
}
static inline au_term au_cssa_exec(const au_cssa *c, uint32_t event) {
    return c->event.at[event].exec;
}
/* a and b are ordered events of different threads: must a come before b? */
static inline bool au_cssa_must(const au_cssa *c, uint32_t a, uint32_t b) {
    const au_cssa_event *x = &c->event.at[a];
    return c->last_must[(size_t)b * c->m->thread.n + x->thread] > x->place;
}

#endif
