/* model/model.h: the one data model of the exact stages.
 *
 * A model is a set of threads. A thread is a graph of control nodes; its edges
 * are steps: a guard, simultaneous updates, and at most one shared access (more
 * only in a step written [ … ], which is one indivisible access). One recorded
 * trace gives straight lines, several merged traces and unrolled source give
 * loop-free graphs, full source gives graphs with loops.
 *
 * Synchronisation is part of the model: every primitive is a guarded assignment
 * over variables of kind SYNC (see sync.h for the table), so that a stage which
 * only understands guards and updates is already right; 'kind' and 'obj' of a
 * step say what it was for stages that want to know.
 *
 * How a step runs in a state s:
 *   guard holds in s      all right-hand sides are evaluated in s, then assigned;
 *                         for an ASSERT the condition is looked at first: false
 *                         is a failure and the thread stops for good;
 *   guard does not hold   blocking steps wait; others (a false 'assume') stop
 *                         the thread for good; of the BRANCHes out of a node exactly
 *                         one is enabled, of the SIGNALs at least one: the others are
 *                         just not taken.
 * A thread with started != AU_NONE takes no step while that variable is 0; its
 * guards do not repeat it (it has not started: that is neither waiting nor stopped).
 * Stopped is not waiting. */
#ifndef AU_MODEL_MODEL_H
#define AU_MODEL_MODEL_H

#include "base/arena.h"
#include "base/intern.h"
#include "base/none.h"
#include "base/vec.h"
#include "model/term.h"

typedef enum { AU_VAR_SHARED, AU_VAR_LOCAL, AU_VAR_SYNC } au_var_kind;

typedef struct {
    const char *name; /* unique within its kind, locals within their thread; sync: "$…" */
    au_var_kind kind;
    uint8_t width;   /* 1 … 64; 32 in .ctp where nothing else is said */
    uint32_t thread; /* LOCAL: its owner; SYNC: the thread it belongs to or AU_NONE */
    uint64_t init;   /* zero-extended */
} au_var_info;

typedef enum {
    AU_OBJ_LOCK,
    AU_OBJ_RLOCK,
    AU_OBJ_RWLOCK,
    AU_OBJ_SEM,
    AU_OBJ_COND,
    AU_OBJ_BARRIER
} au_obj_kind;

/* A synchronisation object. Its state variables are made by au_model_add_sync
 * and, where they are per thread, on first use: see sync.h. */
typedef struct {
    const char *name;
    au_obj_kind kind;
    int32_t init;         /* SEM: count, BARRIER: size */
    uint32_t var[2];      /* state variables, AU_NONE if unused */
    AU_VEC(uint32_t) per; /* per thread, AU_NONE where that thread never needs one */
} au_sync_obj;

typedef enum {
    AU_STEP_ASSIGN, /* local or shared := term */
    AU_STEP_ASSUME, /* [assume] is an ASSUME with 'blocking' */
    AU_STEP_ASSERT,
    AU_STEP_BRANCH, /* one side of an if or while */
    AU_STEP_NOP,
    AU_STEP_HAVOC, /* updates one variable with any value: see 'havoc' */
    AU_STEP_ACQ,   /* LOCK, RLOCK, SEM; this and the next two without 'blocking': 'try acq' */
    AU_STEP_REL,   /* LOCK, RLOCK, RWLOCK, SEM */
    AU_STEP_RDACQ,
    AU_STEP_WRACQ,
    AU_STEP_WAIT,   /* releases obj2 (the lock) and starts waiting on obj (the condition) */
    AU_STEP_WAKE,   /* woken and lock re-acquired; 'spurious' on the edge without a signal */
    AU_STEP_SIGNAL, /* one edge for each thread that may be woken, one for nobody there */
    AU_STEP_BROADCAST,
    AU_STEP_ARRIVE, /* at the barrier */
    AU_STEP_LEAVE,  /* … and on, when it is full */
    AU_STEP_FORK,   /* obj is the thread */
    AU_STEP_JOIN,   /* obj is the thread */
    AU_STEP_KINDS
} au_step_kind;

typedef struct {
    uint32_t var;
    au_term value; /* over the state before the step */
} au_update;

typedef struct {
    uint32_t var;
    bool write;
} au_access;

/* The memory order (C11) of a step. NONE: what the form of the step says, which is seq_cst for an
 * atomic access ([ … ]), not atomic for any other. A NOP with an order is a fence. Every order is at
 * least as strong under sequential consistency, so a stage that knows of none is right about
 * sequentially consistent executions, and only about them: see au_model_is_weak. */
typedef enum {
    AU_MO_NONE,
    AU_MO_RLX, /* not of a fence */
    AU_MO_ACQ, /* of what reads */
    AU_MO_REL, /* of what writes */
    AU_MO_ACQ_REL,
    AU_MO_SC, /* fences only: an access is NONE */
    AU_MO_COUNT
} au_memory_order;

typedef struct {
    uint32_t id; /* its place in model->step */
    uint32_t thread;
    uint32_t src, dst; /* nodes of the thread */
    au_step_kind kind;
    uint8_t order;    /* au_memory_order */
    bool blocking;    /* guard false: wait, do not stop */
    bool indivisible; /* written [ … ]: its accesses do not race with another such … */
    bool plain;    /* … but these do: one step of a recorded run, several cells, nothing atomic */
    bool spurious; /* WAKE without a signal */
    bool timed;    /* WAIT that has a time, and its spurious WAKE: nobody waits there for good */
    au_term guard; /* width 1 */
    au_term cond;  /* ASSERT: width 1; true elsewhere */
    au_update *update; /* n_updates of them, in the model's arena */
    au_access *access; /* accesses of SHARED variables: reads left to right, then the write */
    uint32_t n_updates, n_accesses;
    uint32_t havoc;     /* HAVOC: the variable that takes any value, else AU_NONE */
    uint32_t obj, obj2; /* index in model->obj, or a thread for FORK/JOIN; else AU_NONE */
    uint32_t choice;    /* SIGNAL: the thread it wakes, AU_NONE for nobody */
    uint32_t block;     /* outermost marked atomic block, numbered in the model; AU_NONE */
    uint32_t label;     /* string id in model->strings, AU_NONE if it has none */
    uint32_t line, col; /* where it stands in its source; 0 unknown */
    uint32_t loc;       /* string id of "file" the line is in, AU_NONE: the model's own */
} au_step;

/* What the builder knows about the shape at a node, for the printer. */
typedef enum { AU_NODE_PLAIN, AU_NODE_IF, AU_NODE_LOOP } au_node_kind;
typedef struct {
    au_node_kind kind;
    uint32_t merge;       /* IF: where both sides meet; LOOP: the node after it */
    AU_VEC(uint32_t) out; /* step ids, in the order written */
} au_node;

typedef struct {
    const char *name;
    bool forked;          /* some step forks it: it does not run from the start */
    uint32_t entry, exit; /* nodes; the builder sets exit, which has no steps out of it */
    uint32_t started;     /* SYNC variable: 1 once it runs; AU_NONE if never forked */
    uint32_t done;        /* SYNC variable: 1 at its exit; AU_NONE if never joined */
    AU_VEC(au_node) node;
} au_thread;

/* A call of a function of which its thread has one copy for several calls: the step leads to the
 * function's entry, and what comes back from it to this call goes on at the node, to which no step leads that does
 * not come back so. A path that comes back to another call than it came from is none of the program. */
typedef struct {
    uint32_t step, on; /* node of the step's thread */
} au_call;

typedef struct {
    const char *file; /* what errors and findings call it */
    au_arena arena;
    au_terms *terms;
    au_intern strings;
    AU_VEC(au_var_info) var;
    AU_VEC(au_sync_obj) obj;
    AU_VEC(au_thread) thread;
    AU_VEC(au_step) step;
    uint32_t n_blocks;         /* marked atomic blocks */
    bool has_loops;            /* some thread graph has a cycle */
    AU_VEC(au_call) call;      /* may be empty; who does not look at it only knows less */
    AU_VEC(uint32_t) observed; /* the observed run: step ids in order; may be empty */
} au_model;

au_model *au_model_new(const char *file);
void au_model_free(au_model *m);

uint32_t au_model_add_var(au_model *m, const char *name, au_var_kind kind, unsigned width,
                          uint64_t init, uint32_t thread);
uint32_t au_model_add_thread(au_model *m, const char *name); /* with an entry node */
uint32_t au_model_add_node(au_model *m, uint32_t thread);
/* A step src -> dst with guard true and nothing else; fill in the rest with the
 * functions below. The pointer is valid until the next step is added. */
au_step *au_model_add_step(au_model *m, uint32_t thread, uint32_t src, uint32_t dst,
                           au_step_kind kind);
void au_step_add_update(au_model *m, au_step *s, uint32_t var, au_term value);
void au_step_add_access(au_model *m, au_step *s, uint32_t var, bool write);

au_term au_model_var_term(au_model *m, uint32_t var);
const char *au_step_kind_name(au_step_kind k);                  /* "acq", "branch", … */
const char *au_obj_kind_name(au_obj_kind k);                    /* "lock", "sem", … */
const char *au_step_label(const au_model *m, const au_step *s); /* "" if none */

const char *au_memory_order_name(au_memory_order o); /* "rlx", "acq", … */

/* Some access has an order weaker than seq_cst: what sequentially consistent interleavings show can
 * happen, what they do not show may happen all the same. */
bool au_model_is_weak(const au_model *m);
/* … as the reason of a stage that looks at interleavings. */
#define AU_MODEL_WEAK                                                                              \
    "only interleavings were looked at, and with memory orders weaker than seq_cst a program "     \
    "does "                                                                                        \
    "more ('augur check --memory-model rc11' looks at all that C11 allows)"

/* Its accesses do not race with those of another such step. */
static inline bool au_step_is_atomic(const au_step *s) {
    return s->indivisible && !s->plain;
}

/* Makes n what s is, in another model or at another place: everything but its ends, terms, updates,
 * accesses and strings. */
void au_step_copy_marks(au_step *n, const au_step *s);

/* Does a step look at a lock that is no operation of it (a try that failed)? Transactions are made
 * on the understanding that nobody does: a lock that is taken and given back is not seen. */
bool au_model_looks_at_locks(const au_model *m);

/* Debug aid and test: checks the invariants of this header, numbered in check.c
 * (widths, at most one access unless indivisible, nodes in range, done/started
 * set …). NULL or what is wrong (valid until the next call in this thread).
 * Requires: au_sync_finish was called. */
const char *au_model_check(const au_model *m);

#endif
