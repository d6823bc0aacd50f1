/* solve/query.h: the questions, and how each becomes a property over an au_cssa.
 *
 * docs/oracle.md says what each question means; events are named by a step, which
 * stands for all edges of its statement (the sides of a branch, whom a signal wakes). */
#ifndef AU_SOLVE_QUERY_H
#define AU_SOLVE_QUERY_H

#include "solve/cssa.h"

typedef enum {
    AU_ASK_ASSERT,    /* step[0] fails */
    AU_ASK_RACE,      /* step[0] and step[1] are next at once; var */
    AU_ASK_ATOMICITY, /* step[0], step[1], step[2] in this order in one block of step[0]'s thread;
                         var; write[i]: as what step i accesses it */
    AU_ASK_DEADLOCK,  /* some set of threads waits for each other for good; none of those told
                         already (known) */
    AU_ASK_MISUSE,    /* step[0] misuses obj when it is next; or (at_end) it ends its thread, which
                         holds obj */
    AU_ASK_NONDET,    /* step[0] sees of var what writer (a step, AU_NONE: nobody) wrote; step[0]
                         AU_NONE: the last value, at the end of a complete run */
    AU_ASK_REACH,     /* step[0] is next or executed */
    AU_ASK_LOST, /* step[2] writes to var what was computed from what step[0] or a later step of the thread
                         read of it, over another thread's write: solve/lost.h */
    AU_ASK_STALE, /* step[2] writes to var, which the thread only comes to by the branch obj (a step), decided by its
                         read step[0] of var; var has changed so that it would go the other way: solve/lost.h */
    AU_ASK_KINDS
} au_ask_kind;

typedef struct {
    au_ask_kind kind;
    uint32_t step[3];
    uint32_t var, obj, writer; /* AU_NONE where they mean nothing */
    bool write[3];
    bool changes
        [3]; /* RACE, ATOMICITY: step i counts only if it writes another value than it read: of a
                        compare-and-exchange, that it succeeds */
    bool at_end;
    au_atomic_blocks atomic; /* ATOMICITY: what a block is */
} au_query;
typedef AU_VEC(au_query) au_queries;

/* A question about this step and nothing else. */
static inline au_query au_query_about(au_ask_kind kind, uint32_t step) {
    return (au_query){.kind = kind,
                      .step = {step, AU_NONE, AU_NONE},
                      .var = AU_NONE,
                      .obj = AU_NONE,
                      .writer = AU_NONE};
}

/* The step that stands for the statement of this one. */
uint32_t au_query_event(const au_model *m, uint32_t step);
/* The events of the statement that this step stands for, one after the other from *i on; AU_NONE at the end. */
uint32_t au_query_edge(const au_cssa *c, uint32_t step, size_t *i);

/* Every question that the model raises at all, without looking at orders: all asserts,
 * conflicting pairs of accesses, triples in a block, uses of locks, reads of the observed run
 * with writers other than the observed (all writers if 'every_writer'); one deadlock question
 * if something can wait. */
void au_queries_of(au_cssa *c, unsigned props, au_atomic_blocks atomic, bool every_writer,
                   au_queries *into);

/* The property; names and axioms may be added. Deadlock: see deadlock.h. */
au_term au_query_term(au_cssa *c, const au_query *q);

#endif
