/* oracle/oracle_priv.h: between the files of the oracle only. */
#ifndef AU_ORACLE_PRIV_H
#define AU_ORACLE_PRIV_H

#include "base/bitset.h"
#include "oracle/oracle.h"

/* --- machine.c: a model in executable form ------------------------------ */

/* Terms as straight code: each instruction has a result of its own, so that a part of a term that
 * is there twice is computed once. */
typedef struct {
    uint8_t op, width, low; /* width of the result (of the operands for comparisons) */
    uint32_t kid[3];        /* operands: which instruction of the same code */
    uint64_t k;             /* constant, or variable */
} au_insn;
typedef struct {
    uint32_t first, n;
} au_machine_code;

typedef struct {
    uint32_t var;
    au_machine_code value;
} au_mupdate;

/* What a step does under the chosen semantics. */
typedef struct {
    bool present;     /* exists at all */
    bool free_assert; /* values ignored: the assert may hold or fail */
    au_machine_code guard, cond;
    au_machine_code own; /* the step's guard before mcm pinned it */
    au_mupdate *update;
    uint32_t n_updates;
    uint32_t event; /* the step that stands for it in findings */
} au_mstep;

typedef struct {
    const au_model *m;
    const au_oracle_options *o;
    au_arena *arena;
    AU_VEC(au_insn) insn;
    au_mstep *step;
    uint64_t *result; /* of each instruction of the code that is running */
    uint32_t room;    /* … of them */
    /* Writer of each read in the observed run: of_read[step] has one entry an
     * access: step + 1, 0 for the initial value, UINT32_MAX unknown. */
    uint32_t **of_read;
    uint32_t *final_writer; /* of each variable after the whole observed run, likewise */
    bool observed_ends;     /* the observed run brought every thread it started to its end */
    struct {
        uint64_t *value;
        uint32_t n;
    } havoc[65];      /* what is tried, by width; of the widths that are asked for */
    bool havoc_guess; /* that is not all there is */
    bool ignores_values, ignores_sync;
} au_machine;

void au_machine_init(au_machine *k, const au_model *m, const au_oracle_options *o, au_arena *a);
void au_machine_release(au_machine *k);
uint64_t au_machine_eval(au_machine *k, au_machine_code c, const uint64_t *value);
bool au_machine_holds(au_machine *k, au_machine_code c,
                      const uint64_t *value); /* empty code: true */

/* Not base/bits.h: the oracle shares nothing with what it judges. */
static inline int64_t au_oracle_signed(uint64_t v, unsigned width) {
    return (int64_t)(v << (64 - width)) >> (64 - width);
}

/* --- graph.c: every reachable state and move ------------------------------ */

#define AU_STOPPED UINT32_MAX /* a node: the thread has stopped for good */

enum {
    AU_MOVE_STOP = 1, /* not an event: a false assume, an unlock by a non-owner */
    AU_MOVE_FAIL = 2, /* an assert whose condition was false */
    AU_MOVE_LAST = 4  /* keep_reads: a read that does not keep its writer; its thread ends here */
};

typedef struct {
    uint32_t src, dst, step;
    uint8_t flags;
} au_move;

/* Fixed-size records, each stored once, with dense numbers. */
typedef struct {
    size_t size;
    AU_VEC(char) data;
    au_idtable index;
    uint32_t n;
} au_records;

void au_records_init(au_records *s, size_t size);
void au_records_release(au_records *s);
uint32_t au_records_put(au_records *s, const void *record, bool *fresh);
const void *au_records_at(const au_records *s, uint32_t id);

typedef AU_VEC(uint32_t) au_u32_vec;

enum { AU_NO_END, AU_AN_END, AU_AN_END_WITHOUT_SPURIOUS };

/* One state, unpacked. */
typedef struct {
    uint64_t *value;  /* of every variable */
    uint32_t *node;   /* of every thread, or AU_STOPPED */
    uint32_t *writer; /* keep_reads: last writer of every variable: step + 1 or 0 */
    uint32_t last;    /* context bound: thread that moved last, AU_NONE at the start */
    uint32_t switches;
} au_state;

typedef struct au_weak au_weak;

typedef struct {
    au_machine *k;
    au_weak *weak; /* a memory model: states have executions (weak.h); NULL: interleavings */
    uint32_t n_threads;
    au_records shared, *local, state;
    uint64_t *shared_buf, *local_buf;
    uint32_t *key_buf;
    au_u32_vec shared_var, *local_var;
    AU_VEC(au_move) move;
    uint32_t *first_move; /* moves of state s: first_move[s] … first_move[s+1]-1 (sorted by src) */
    uint8_t *can_end;     /* 'whole': an end with every thread done can be reached, see below */
    bool exhaustive;
    /* shortest way from the start, fewest spurious wake-ups first: */
    uint32_t *parent_move; /* AU_NONE at the start */
    uint32_t *level;       /* spurious wake-ups on that way, and reads that do not keep theirs */
    uint32_t levels;
    au_state cur, nxt; /* scratch */
} au_graph;

/* Requires: g->weak is set. */
void au_graph_build(au_graph *g, au_machine *k);
void au_graph_release(au_graph *g);
void au_graph_load(au_graph *g, uint32_t state, au_state *into);

/* For weak.c. g->nxt := g->cur; the move to g->nxt, in which only the step's thread and what is
 * shared differ from the state; the execution of a state. */
void au_graph_copy(au_graph *g);
void au_graph_record(au_graph *g, uint32_t src, const au_step *p, uint8_t flags);
uint32_t au_graph_exec(const au_graph *g, uint32_t state);

typedef enum { AU_CAN_MOVE, AU_WAITS, AU_HAS_STOPPED, AU_IS_DONE, AU_NOT_STARTED } au_status_of;
/* Of thread t in state s. 'real' leaves spurious wake-ups out: a waiter without a
 * signal then waits. */
au_status_of au_graph_status(au_graph *g, const au_state *s, uint32_t t, bool real);
/* Whether this step (whose node the thread is at) can run now. */
bool au_graph_enabled(au_graph *g, const au_state *s, const au_step *p);
bool au_graph_started(const au_graph *g, const au_state *s, uint32_t t);
/* Whether thread t holds this lock (a semaphore is held by nobody); or any. */
bool au_graph_holds(const au_graph *g, const au_state *s, uint32_t obj, uint32_t t);
bool au_graph_holds_any(const au_graph *g, const au_state *s, uint32_t t);

/* --- deadlock.c ------------------------------------------------------------ */

/* What each control node can still lead to, for "who could give this". */
typedef struct au_givers au_givers;

au_givers *au_givers_new(const au_machine *k);
void au_givers_free(au_givers *w);

/* The deadlocks of state s: sets of threads (as masks), each smallest in its
 * sense, at most n_threads of them. Returns how many. */
uint32_t au_deadlocks(au_graph *g, au_givers *w, const au_state *s, uint64_t *set);

/* --- blocks.c: which steps lie in one atomic block -------------------------- */

typedef struct {
    uint32_t n;    /* blocks */
    au_bitset *of; /* of[step]: the blocks it may lie in */
    bool *opens; /* critical sections: this step opens one if its thread holds no lock; else NULL */
} au_blocks;

void au_blocks_init(au_blocks *b, const au_machine *k);
void au_blocks_release(au_blocks *b, const au_machine *k);

/* --- watch.c: questions about orders, as walks over (state, watch) ---------- */

void au_watch_atomicity(au_graph *g, au_oracle_result *r);
void au_watch_reads(au_graph *g, au_oracle_result *r);

/* --- lost.c ------------------------------------------------------------------- */

void au_watch_lost(au_graph *g, au_oracle_result *r);

/* --- findings.c -------------------------------------------------------------- */

/* Moves in order. */
typedef au_u32_vec au_path;

/* The moves from the start to this state, added to an empty path. */
void au_path_to(const au_graph *g, uint32_t state, au_path *p);
/* Its schedule (carried on to an end where whole runs are asked for, unless only the
 * prefix counts), in the result's arena. */
au_oracle_turn *au_path_turns(const au_graph *g, au_oracle_result *r, const au_path *decisive,
                              bool prefix, uint32_t *n_turns, bool *spurious);
/* How many events of this thread the path has; of_step: up to and including that
 * step (or another edge of its statement), AU_NONE: all. */
uint32_t au_path_index(const au_graph *g, const au_path *p, uint32_t thread, uint32_t of_step);
/* Not a mere stop. A failed assert has run, although it ends its thread. */
bool au_move_is_event(const au_move *v);
au_oracle_finding *au_add_finding(const au_graph *g, au_oracle_result *r, au_found kind,
                                  const au_path *p, uint32_t n_events);
/* Everything that a single state or move shows: asserts, races, deadlocks, misuse. */
void au_find_in_states(au_graph *g, au_oracle_result *r);
void au_collect_ranges(au_graph *g, au_oracle_result *r);
void au_collect_finals(au_graph *g, au_oracle_result *r);

/* --- weak_show.c: where g->weak is set ----------------------------------------- */

/* In the execution before nothing races, in that behind it something does. False without g->weak. */
bool au_weak_move_races(const au_graph *g, const au_move *v);
/* The execution at the end of the path, in the result's arena. */
const au_oracle_execution *au_weak_execution(const au_graph *g, au_oracle_result *r,
                                             const au_path *p);
void au_weak_reads(au_graph *g, au_oracle_result *r);
/* Fills executions, blocked, undefined. */
void au_weak_count(au_graph *g, au_oracle_result *r);

#endif
