/* model/symbolic.h: what is known of the values in a trace beyond the values themselves: how
 * what a thread writes and where it goes depends on what it read.
 *
 * The trace stays what it is; this stands beside it, by event number. A read that is
 * *symbolic* may see another value in another interleaving: the term that stands for what it
 * saw is variable number e of 'terms', e being its event, of the width of the access. Every other
 * read keeps the value it saw (it is pinned). A write has a term, or its constant is in the
 * trace. Between the events of a thread stand *facts*: what must hold for the thread to go on as
 * it did (assume), or what it checks (assert).
 *
 * All terms of an event or fact are over reads of its own thread that come before it (an
 * RMW's write: or over its own read). Every term has, under the values of the trace, the
 * value that the program computed: who puts terms in checks that (retrace/sym.h). */
#ifndef AU_MODEL_SYMBOLIC_H
#define AU_MODEL_SYMBOLIC_H

#include "base/bitset.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/vec.h"
#include "model/model.h"
#include "trace/trace.h"

#define AU_NO_TERM ((au_term){UINT32_MAX})

typedef enum {
    AU_FACT_ASSUME, /* a branch was taken this way */
    AU_FACT_PIN,    /* … or something not modelled keeps its inputs */
    AU_FACT_ASSERT  /* false: the program fails here */
} au_fact_kind;

typedef struct {
    uint32_t after; /* the last event of this thread before it, AU_NONE: before its first */
    uint16_t thread;
    uint8_t kind;
    au_term cond;  /* width 1, true in the run (an ASSERT that failed in the run: false) */
    uint32_t file; /* in 'strings' */
    uint32_t line;
    uint32_t text; /* in 'strings': "assertion 'x == 2'", "null pointer", why it is pinned … */
    uint64_t site; /* hash of the instruction in the program; 0: not known */
    uint8_t side;  /* of a branch: its condition's value */
} au_fact;

/* The pointer of an access may point elsewhere in another interleaving. Where it equals 'when',
 * the access goes to 'var' instead of the trace's. The access's own term stays the
 * same: the read gives variable e, whatever it is read from. If no 'when' of an event holds and
 * the pointer is not what it was either, the thread stops (an assume before it says so). */
typedef struct {
    uint32_t event;
    au_term when; /* width 1 */
    uint32_t var; /* of the trace */
} au_elsewhere;

/* A write that the thread only comes to because this was true: the condition of a branch. */
typedef struct {
    uint32_t event;
    au_term cond; /* width 1 */
} au_decided;

typedef struct {
    uint32_t file, line, why; /* file, why: in 'strings' */
    uint64_t times;
} au_pinned;

typedef struct {
    const au_trace *trace; /* borrowed */
    au_terms *terms;
    au_intern strings;
    au_bitset symbolic;   /* events: reads (and the read of an RMW) */
    au_term *write;       /* event: what it writes; AU_NO_TERM: the trace's constant, or no write.
                         * A READ or AREAD with a term is a compare-and-exchange that failed:
                         * it writes that in the same step */
    AU_VEC(au_fact) fact; /* in the order of the run */
    AU_VEC(au_elsewhere) elsewhere; /* by event */
    AU_VEC(au_decided) decided;     /* by event */
    AU_VEC(au_pinned) pinned;
    /* What a variable held before anybody wrote it, where the program text says so. */
    au_bitset init_known;
    uint64_t *init; /* by variable of the trace, zero-extended */
    /* Events that write because the memory is freed -> what they leave there: a number that the
     * variable never has otherwise. Others without a value wrote what nobody knows. */
    au_map freed;
    /* Threads that waited in a call when the run ended. */
    AU_VEC(struct au_waiting {
        uint16_t thread;
        uint8_t op;   /* AU_OP_ACQ, RDACQ, WRACQ, DOWN, JOIN */
        uint32_t obj; /* of the trace */
    })
    waiting;
    /* Rounds of loops that left no trace (retrace/spin.c), by thread, in the order of their beginnings; some are in
     * others. The thread's events behind 'after' up to 'upto' and its facts from 'fact' to 'fact_end' could as well
     * not be there. */
    AU_VEC(struct au_round {
        uint16_t thread;
        uint32_t after; /* AU_NONE: from its first event */
        uint32_t upto;
        uint32_t fact;
        uint32_t fact_end;
        uint64_t hooks; /* so many */
    })
    round;
    const char *none; /* not NULL: there is no knowledge beyond this event, and why */
    uint32_t until;   /* events from here on are pinned; AU_NONE: all known */
} au_symbolic;

void au_symbolic_init(au_symbolic *s, const au_trace *t);
void au_symbolic_release(au_symbolic *s);

/* ---- rounds.c ------------------------------------------------------------------------------- */

void au_symbolic_sort_rounds(au_symbolic *s);
/* Along the events (or facts) of one thread. */
typedef struct {
    const au_symbolic *s;
    uint32_t thread;
    bool facts;
    size_t next;
    uint64_t hooks; /* of rounds that are over: in the end they were not needed */
    uint32_t kept;  /* the walker's own: becomes what it was when a round is over */
    AU_VEC(struct au_round_in {
        uint32_t round;
        uint64_t hooks;
        uint32_t kept;
    })
    in;
} au_round_walk;
void au_round_walk_init(au_round_walk *w, const au_symbolic *s, uint32_t thread, bool facts);
void au_round_walk_release(au_round_walk *w);
/* To its event (or fact) number n, which rises. In which round is that? The innermost one's number + 1, 0: in none. */
uint32_t au_round_walk_to(au_round_walk *w, size_t n);

/* ---- open.c: which variables can be seen differently at all --------------------------- */

/* One bit a variable of the trace: two threads access it, one writing, and fork and
 * join do not put all such pairs in one order. Linear in the trace. Initialises *open, which the
 * caller releases. */
void au_open_variables(const au_trace *t, au_bitset *open);

/* ---- open_set.c: … in any of several runs of one program ------------------------------------ */

/* Two accesses of different runs are in one order if fork and join put them there whatever else the
 * threads do: an access in the c-th part of thread u (parts end at its forks) comes before one
 * of v if v knows of that part, because it was made after it or joined u. But what one thread writes and
 * another reads may be another value where threads go another way than in this run, even if the
 * two are in order: such a variable is open, too, unless only main wrote it before it made
 * another thread (which is the same in all runs). */
typedef struct au_open_set au_open_set;
au_open_set *au_open_set_new(void);
void au_open_set_free(au_open_set *o);
/* thread: names by thread of the trace, the same in all runs; NULL: it is not looked at. True: a
 * variable that an earlier run has, too, is open only now. */
bool au_open_set_add(au_open_set *o, const au_trace *t, const char *const *thread);
/* One bit a variable of the trace; initialises *open. */
void au_open_set_get(const au_open_set *o, const au_trace *t, au_bitset *open);
/* What is written to it is a term in some run. True: that opens it. */
bool au_open_set_widen(au_open_set *o, const char *var);

/* ---- from_symbolic*.c ------------------------------------------------------------------- */

/* Which steps events and facts became. */
typedef struct {
    size_t first, last;  /* events that the model was made of */
    uint32_t *step_of;   /* by event - first: step (of a read the one that reads), AU_NONE */
    uint32_t *fact_step; /* by fact - first_fact: step, AU_NONE: left out, or it holds whatever
                          * happens */
    size_t facts, first_fact;
} au_symbolic_map;
void au_symbolic_map_release(au_symbolic_map *m);
static inline uint32_t au_symbolic_step(const au_symbolic_map *m, size_t event) {
    return event >= m->first && event < m->last ? m->step_of[event - m->first] : AU_NONE;
}

static inline uint32_t au_symbolic_fact(const au_symbolic_map *m, size_t fact) {
    return fact >= m->first_fact && fact - m->first_fact < m->facts
               ? m->fact_step[fact - m->first_fact]
               : AU_NONE;
}

/* The trace as a model: as au_model_from_trace_open makes it, but with the terms of s.
 *
 *   a symbolic read e            r := x, r being a local variable that stands for e
 *   any other read               r := x, assume r == v; none if no interleaving changes it
 *   a write                      x := term or constant
 *   rmw, cmpxchg                 one indivisible step; what is pinned of it is its guard
 *   several cells, a copy        one indivisible step (all events of a step of the
 *                                program; hooks.h); two of plain accesses race
 *   elsewhere                    if (when) { the access there } else { … here }
 *   facts                        assume or assert, after their event
 *   synchronisation              as in from_trace.h
 *
 * Variables that nothing can change (not open, no term written, no elsewhere) have no steps.
 * What the run does not tell (what memory held before its first write, what a free leaves
 * behind) is a number that no event of the variable has, and a thread that would read it
 * stops. Behind a read that saw what no event wrote (code without hooks did), its thread ends
 * in the model. An assertion that failed in the run ends everything.
 *
 * The observed run is the trace's, every fact right after its event. map may be NULL. */
au_model *au_model_from_symbolic(const au_symbolic *s, au_symbolic_map *map, au_error *err);

/* For several models of one trace: what is found out about it once, in linear time. Borrows s. */
typedef struct au_symbolic_plan au_symbolic_plan;
au_symbolic_plan *au_symbolic_plan_new(const au_symbolic *s, au_error *err);
void au_symbolic_plan_free(au_symbolic_plan *p);

/* For a model that is to stand beside those of other runs of the program: two runs whose thread goes
 * the same way must give the same steps. All borrowed, NULL: as the trace alone tells. */
typedef struct {
    const au_bitset *open;  /* as au_open_set_get gives them */
    const au_bitset *steps; /* variables whose accesses are steps, beyond those of this trace */
    const uint8_t *width;   /* by variable: bits */
    bool fresh;             /* a local stands for one read only: "r3_32", the third of its thread */
    /* By variable: a number that stands for what is not known (no event of any run has it), and what
     * was there at the start. */
    const uint64_t *doubt;
    const au_bitset *init_known;
    const uint64_t *init;
} au_plan_among;
au_symbolic_plan *au_symbolic_plan_among(const au_symbolic *s, const au_plan_among *among,
                                         au_error *err);
/* What the plan found out of a variable of the trace. */
typedef struct {
    bool steps, terms; /* its accesses are steps; a term is written to it */
    bool doubted;      /* somebody may see what is not known */
    bool init_seen;    /* somebody saw what was there at the start: init; else it is not known */
    uint64_t init;
    bool clash; /* an event has the number that was given for what is not known */
} au_plan_var;
au_plan_var au_symbolic_plan_var(const au_symbolic_plan *p, uint32_t var);
/* Threads whose knowledge ends early: at a read of what code without hooks wrote. */
bool au_symbolic_plan_cut(const au_symbolic_plan *p);

/* ---- slice.c ------------------------------------------------------------------------------ */

/* What of a trace is in a model. */
typedef struct {
    au_bitset events, facts, threads;
} au_slice;
/* Only what these facts and events (and that they are reached) depend on: reads that nothing
 * kept depends on, writes of variables that no kept read sees, synchronisation that
 * orders nothing kept and what threads do afterwards are left out. NULL for both: all facts. */
void au_slice_init(au_slice *into, const au_symbolic_plan *p, const au_bitset *facts,
                   const au_bitset *events);
void au_slice_release(au_slice *s);

/* The model of a slice, NULL: of everything. What is left out has the step AU_NONE. In a slice a
 * fact can fail, an event come next (beside another) or a read see a write exactly if it can in
 * the whole model; about deadlocks, misuse and whole runs it says nothing. */
au_model *au_model_from_plan(const au_symbolic_plan *p, const au_slice *slice, au_symbolic_map *map,
                             au_error *err);

/* A part of a long run as a model of its own: events [first, last), from the state that the run had
 * reached; no step of the program is divided, so that the part may become a little longer (*map
 * tells). What can happen in it can happen in the run, after the events before it; what cannot may
 * still happen elsewhere. Memory and time follow the part, but for a walk through the trace
 * from where the last part began to here. Threads that go on after the part do not end in it. The model
 * cannot be printed: its initial state is not one of .ctp's. For questions about prefixes. */
au_model *au_model_from_range(au_symbolic_plan *p, size_t first, size_t last, const au_slice *slice,
                              au_symbolic_map *map, au_error *err);

/* A plan, a slice and its model. */
au_model *au_model_slice(const au_symbolic *s, const au_bitset *facts, const au_bitset *events,
                         au_symbolic_map *map, au_error *err);

/* Does the model, run on the observed schedule, give every recorded value, and hold every
 * fact? AU_OK, or AU_EINTERNAL and the event and values in *err. */
au_status au_symbolic_check(const au_symbolic *s, const au_model *m, const au_symbolic_map *map,
                            au_error *err);

#endif
