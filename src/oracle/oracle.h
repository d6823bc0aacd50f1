/* oracle/oracle.h: brute force over a small model.
 *
 * Enumerates every interleaving (as a graph of states) and answers every
 * question that the clever stages answer, so that each of them can be tested
 * against it. It shares no code with them beyond the model and its reader: it
 * evaluates terms by itself and knows nothing of orders, locksets or solvers.
 *
 * What is looked for is defined in docs/oracle.md. */
#ifndef AU_ORACLE_ORACLE_H
#define AU_ORACLE_ORACLE_H

#include "base/error.h"
#include "base/out.h"
#include "model/model.h"
#include "model/semantics.h"

typedef struct {
    au_semantics semantics;
    au_memory memory;
    bool
        memory_asked; /* somebody chose it: sc is all there is to say, whatever the model's orders */
    bool executions;  /* sc by executions, as the other memory models, not by interleavings */
    bool whole;       /* only interleavings that run to the end (--no-prefix) */
    bool keep_reads;  /* reads before the decisive events keep their writer */
    uint32_t context_bound; /* AU_NONE: none */
    unsigned props;         /* AU_PROP_* */
    au_atomic_blocks atomic;
    uint64_t max_states; /* 0: 10 million */
} au_oracle_options;

#define AU_ORACLE_DEFAULTS                                                                         \
    {                                                                                              \
        AU_SEM_CTP, AU_MEMORY_SC, false, false, false, false, AU_NONE,                             \
            AU_PROP_ALL & ~AU_PROP_LOST, AU_ATOMIC_AUTO, 0                                         \
    }

/* A turn: this thread runs until it has executed 'upto' steps (1-based). */
typedef struct {
    uint32_t thread, upto;
} au_oracle_turn;

typedef struct {
    uint32_t step;  /* the first of its node's edges where one statement has several */
    uint32_t index; /* 1-based within its thread, on the schedule's path */
} au_oracle_event;

/* What an order of steps does not say of an execution. */
typedef struct {
    au_oracle_event read, writer; /* writer.step AU_NONE: the initial value */
    uint32_t var;
} au_oracle_seen;
typedef struct {
    uint32_t var;
    au_oracle_event event;
} au_oracle_written;
typedef struct {
    uint32_t n_reads, n_writes;
    au_oracle_seen *read;
    au_oracle_written *write; /* of variables with several: by variable, in their order */
    bool raced; /* rc11: two events race in it, and C11 does not define what it does */
} au_oracle_execution;

typedef enum {
    AU_FOUND_ASSERT,    /* events: the assert */
    AU_FOUND_RACE,      /* events: the two next steps; var */
    AU_FOUND_ATOMICITY, /* events: e1, f, e2; var; detail is the pattern, "RWR" */
    AU_FOUND_DEADLOCK,  /* events: what each thread waits at, by thread */
    AU_FOUND_MISUSE,    /* events: the step; obj; detail says which */
    AU_FOUND_LOST       /* events: the read, another thread's write, the write that loses it; var */
} au_found;

typedef struct {
    au_found kind;
    uint32_t var, obj;  /* AU_NONE where they mean nothing */
    const char *detail; /* static text or "" */
    bool spurious;      /* the schedule needs a wake-up without a signal */
    uint32_t n_events, n_turns;
    au_oracle_event *event;
    au_oracle_turn *turn;                 /* the schedule */
    const au_oracle_execution *execution; /* NULL: an interleaving */
} au_oracle_finding;

/* A read and a write it can see. */
typedef struct {
    uint32_t read; /* step, AU_NONE: the final value */
    uint32_t var;
    uint32_t writer; /* step, AU_NONE: the initial value */
    bool observed;   /* it did so in the observed run */
    bool changed;    /* the read was in the observed run and saw another write there */
    bool spurious;
    uint32_t n_turns;
    au_oracle_turn *turn;
    const au_oracle_execution *execution;
} au_read_from;

/* Values seen while a thread stands at a node (signed). */
typedef struct {
    uint32_t thread, node, var;
    int64_t low, high;
} au_range;

typedef enum { AU_AT_DONE, AU_AT_STOPPED, AU_AT_WAITING, AU_AT_UNSTARTED } au_rest;

/* A state in which nothing can move. */
typedef struct {
    bool complete;   /* every thread that was started is done */
    uint64_t *value; /* of each variable of kind SHARED, in the model's order; NULL if values are
                        ignored */
    au_rest *rest;   /* of each thread */
    uint32_t *node;  /* where each thread stands; AU_NONE when stopped */
    uint32_t n_turns;
    au_oracle_turn *turn;
    const au_oracle_execution *execution;
} au_final;

typedef struct {
    au_arena arena; /* everything below lives here */
    bool exhaustive;
    const char *reason; /* why it is not exhaustive */
    uint64_t states, moves;
    bool weak;                    /* by executions: these three are filled in */
    uint64_t executions, blocked; /* in which every thread comes to its end, in which not */
    bool undefined;               /* rc11: some execution races */
    AU_VEC(au_oracle_finding) finding;
    AU_VEC(au_read_from) read_from;
    AU_VEC(au_range) range;
    AU_VEC(au_final) final;
    AU_VEC(au_oracle_turn) observed;
} au_oracle_result;

/* Requires: a model without loops whose observed run is filled in (au_model_observe).
 * Caller owns the result. NULL on failure (too many threads, …), *err set; running
 * into max_states is not a failure: the result says exhaustive = false. */
au_oracle_result *au_oracle_run(const au_model *m, const au_oracle_options *o, au_error *err);
void au_oracle_free(au_oracle_result *r);

/* The number of findings and of reads that can see another write. */
size_t au_oracle_found(const au_oracle_result *r);

void au_oracle_json(const au_model *m, const au_oracle_options *o, const au_oracle_result *r,
                    double seconds, au_out *out);
void au_oracle_text(const au_model *m, const au_oracle_options *o, const au_oracle_result *r,
                    au_out *out);

#endif
