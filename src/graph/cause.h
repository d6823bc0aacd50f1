/* graph/cause.h: the causality graph of a trace (Sinha et al., docs/papers.md), and exact
 * questions about it.
 *
 * An interleaving of a part of the trace is a *keeping* one if every thread's events come in
 * its order and every read sees the write it saw in the run. The question here is whether
 * there is a keeping interleaving at whose end a read r, the last event of its thread,
 * sees the write c instead of the write w that it saw.
 *
 * The graph: program order, fork and join, what must happen before (linear/linear.h), the first
 * 'once' before the others, and each write before its reads. It is built once; a question adds a
 * few edges of its own and takes them away again (order.c). What is not an edge is a choice:
 *   - of two critical sections of one lock one comes first;
 *   - another write d of a variable comes before the write a of a read-couple (a, b) or after b.
 * Choices are made by need (greedy.c, decide.c). Only events before the decisive ones take part,
 * and releases without which they could not be reached.
 *
 * Exact for locks, read-write locks, fork, join, once and conditions (where a waiter may wake
 * without a signal). For semaphores, barriers, failed tries and objects made anew, "infeasible"
 * uses must-happens-before only and "feasible" the order of the run; between the two the
 * answer is unknown. */
#ifndef AU_GRAPH_CAUSE_H
#define AU_GRAPH_CAUSE_H

#include "base/error.h"
#include "trace/trace.h"

typedef struct au_cause au_cause;

typedef struct {
    bool pairs; /* the observed pairs of signal and wake are edges (the paper's reading) */
    /* A write comes before its read only where no other write of the variable stored the value
     * that was read (without values: never): what holds as long as reads see the values they
     * saw, whoever wrote them. For the filters below, not for questions about reads. */
    bool by_value;
    bool no_reads; /* … never: what holds whatever reads see */
    bool in_time;  /* NULL, *err set, if the command's time is over before it is built */
} au_cause_options;

/* Borrows the trace. NULL with *err set if it has too many events. */
au_cause *au_cause_new(const au_trace *t, const au_cause_options *o, au_error *err);
void au_cause_free(au_cause *g);
/* Bytes it keeps, the trace itself not counted. */
size_t au_cause_memory(const au_cause *g);
/* Are there objects for which the graph is not exact (see above)? */
bool au_cause_is_odd(const au_cause *g);
/* Is a before b in the graph (or a itself)? */
bool au_cause_before(const au_cause *g, uint32_t a, uint32_t b);

/* Who executes: the checker of witnesses, which this layer does not know. Everything that is
 * called feasible was executed by it. Events are numbers in the trace. */
typedef struct {
    void *ctx;
    void (*begin)(void *ctx); /* nothing is executed yet */
    /* Executes the next event of its thread, if it can be and (keep) if it is no read that
     * would see another write. False: nothing has changed. */
    bool (*go)(void *ctx, uint32_t event, bool keep);
    /* The last write of a variable, event + 1; 0: none. */
    uint32_t (*last)(void *ctx, uint32_t var);
    size_t (*mark)(void *ctx);
    void (*rewind)(void *ctx, size_t mark);
} au_cause_exec;

typedef enum { AU_CAUSE_INFEASIBLE, AU_CAUSE_FEASIBLE, AU_CAUSE_UNKNOWN } au_cause_answer;

/* Where w is: the three forms of a witness, or any of them. */
typedef enum {
    AU_FORM_LATER,  /* c, r, and then w */
    AU_FORM_BEFORE, /* w, then c, then r */
    AU_FORM_ABSENT, /* c, r; w not at all (perhaps only because nothing comes after r) */
    AU_FORM_ANY
} au_form;

typedef struct {
    uint32_t read;  /* event; AU_NONE: the end of a whole interleaving … */
    uint32_t var;   /* … where the value of this variable is looked at */
    uint32_t write; /* c: event + 1, 0: the initial value */
    au_form form;
} au_cause_question;

typedef struct {
    uint64_t graphs;  /* linearisations tried */
    uint64_t learned; /* cycles of choices found, each of which is not made again */
    uint64_t nodes;   /* combinations of choices looked into */
    uint64_t steps;   /* events put in order, in all linearisations */
    bool chose;       /* the last question: it needed choices */
} au_cause_stats;

typedef struct au_cause_search au_cause_search;
/* 'most': combinations of choices for one question. exec may be NULL: then "feasible" is the
 * graph's word alone (tests). Both are borrowed. */
au_cause_search *au_cause_search_new(au_cause *g, const au_cause_exec *exec, uint64_t most);
void au_cause_search_free(au_cause_search *s);
/* Give up after so many events put in order (stats.steps), for one question and for all; 0: no
 * limit. */
void au_cause_search_limit(au_cause_search *s, uint64_t question, uint64_t all);
/* Only the edges of the question and what they induce, no choice: false if they close a
 * cycle. Fast. */
bool au_cause_maybe(au_cause_search *s, const au_cause_question *q);
au_cause_answer au_cause_ask(au_cause_search *s, const au_cause_question *q);
/* After FEASIBLE: the events in order, up to the read (or the end). Borrowed until the next
 * question. */
const uint32_t *au_cause_order(au_cause_search *s, size_t *n);
/* Somebody else has used the executor: it is to begin anew. */
void au_cause_search_forget(au_cause_search *s);
const au_cause_stats *au_cause_search_stats(const au_cause_search *s);

/* Filters: can two accesses be next at once; can e1, f, e2 come in this order? False: the
 * edges, and what they induce, close a cycle, so no interleaving does it (of those that the graph's
 * edges hold for). True says nothing. The last events of the two threads are read or
 * written whatever they see. */
bool au_cause_can_race(au_cause_search *s, uint32_t a, uint32_t b);
bool au_cause_can_break(au_cause_search *s, uint32_t e1, uint32_t f, uint32_t e2);

#endif
