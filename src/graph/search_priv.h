/* graph/search_priv.h: one question at a time; between the files of this layer only. */
#ifndef AU_GRAPH_SEARCH_PRIV_H
#define AU_GRAPH_SEARCH_PRIV_H

#include "graph/cause_priv.h"

typedef struct {
    uint32_t from, to; /* indices */
    uint16_t from_thread, to_thread;
    size_t data; /* in pool: the past of 'from', then what comes after 'to' */
} au_cause_edge;

/* A choice that was made: which of two comes first. */
typedef struct {
    bool section;           /* two sections, else two writes */
    uint32_t first, second; /* sections; events (the first perhaps AU_NONE: initial) */
} au_cause_choice;
typedef AU_VEC(au_cause_choice) au_cause_choices;

/* States of objects carry the number of the linearisation they belong to. */
typedef struct {
    uint64_t run;
    uint32_t holder;  /* section + 1, held alone */
    uint32_t readers; /* threads that hold it together */
} au_cause_lock;
typedef struct {
    uint64_t run;
    uint32_t last, waiting; /* event + 1; reads of it that are still to come */
} au_cause_var;

/* An event whose own read need not see what it saw: what must come before it. */
typedef struct {
    uint32_t event;
    uint32_t *need;
    bool last; /* nothing of its thread comes after it */
} au_cause_end;

struct au_cause_search {
    au_cause *g;
    const au_cause_exec *exec;
    const au_cause_past *p; /* the reading of this try */
    uint64_t most;
    au_cause_stats stats;
    /* the question */
    au_cause_question q;
    uint32_t reader; /* thread of the read; AU_NONE */
    uint32_t w;      /* what the read saw: event + 1, 0 initial */
    au_cause_end end[2];
    uint32_t n_ends;
    uint32_t *need;             /* of the read; borrowed from its end */
    uint32_t *limit;            /* by thread: no event after this one takes part */
    uint32_t *set;              /* the events that take part, by thread */
    AU_VEC(au_cause_edge) edge; /* of the question and its choices */
    AU_VEC(uint32_t) pool;
    size_t todo; /* edges from here on have not been followed */
    bool grew;   /* the set, since edges were followed */
    uint64_t nodes;
    bool refused;       /* the executor did not agree */
    bool tired;         /* too many steps */
    uint64_t step_most; /* of the question, and of all: stats.steps at which it ends */
    uint64_t all_most;  /* 0: no limit */
    uint64_t step_end;
    /* the event that the last edge ended at (NONE: it is not known any more): what comes before
     * it, and after it, by the graph alone and by all edges */
    uint32_t target_thread, target;
    uint32_t *before_target, *after_base, *after_target;
    /* scratch */
    uint32_t *a, *b, *c, *open;
    AU_VEC(uint8_t) used;
    /* a linearisation */
    uint64_t run;
    uint32_t *done, *head;
    bool *blocked;
    au_cause_lock *lock;
    au_cause_var *var;
    uint32_t **in; /* by thread: edges into it, by index … */
    uint32_t *n_in, *at_in;
    AU_VEC(uint32_t) in_pool;
    uint32_t start;     /* it begins as the trace does: with the events before this one, … */
    au_cause_ids order; /* … and goes on so */
    au_cause_ids whole; /* both together, when somebody asks for it */
    /* the executor: it has executed so many events as the trace has them, and perhaps others after them */
    bool begun;
    uint32_t at;
    AU_VEC(size_t) mark; /* after each of them */
};

/* --- order.c ------------------------------------------------------------------------------ */

/* The set becomes larger by this clock; false if it must not. */
bool au_search_need(au_cause_search *s, const uint32_t *clock);
/* False: it closes a cycle. The thread's event 'from' comes into the set. */
bool au_search_edge(au_cause_search *s, uint32_t from_thread, uint32_t from, uint32_t to_thread,
                    uint32_t to);
/* Follows new edges to what they induce. */
bool au_search_follow(au_cause_search *s);
/* Starts a question: the set and the first edges. */
bool au_search_start(au_cause_search *s, const au_cause_question *q);
/* Of questions of other kinds: from nothing; then ends (executed or only next). */
void au_search_clear(au_cause_search *s);
bool au_search_end(au_cause_search *s, uint32_t event, bool last, bool executed);
bool au_search_in(const au_cause_search *s, uint32_t event); /* takes part */
/* The choice, or the other one. */
bool au_search_choose(au_cause_search *s, const au_cause_choice *c, bool other);

/* --- greedy.c ------------------------------------------------------------------------------- */

/* Puts the set into an order close to the trace's. False: stuck, and 'why' gets the choices
 * that cannot all stand (none: there is no way at all). */
bool au_search_linearise(au_cause_search *s, au_cause_choices *why);

/* --- decide.c ------------------------------------------------------------------------------ */

/* The executor to where all events before this one have been executed, as in the trace. */
bool au_search_execute_to(au_cause_search *s, uint32_t event);

/* --- ahead.c --------------------------------------------------------------------------------- */

/* The read would see c (event + 1), and what it saw has been done before. au_cause_order gives the events up to
 * the read. */
typedef void au_ahead_seen(void *ctx, uint32_t c, bool before);
void au_search_ahead(au_cause_search *s, uint32_t read, au_ahead_seen *seen, void *ctx);

#endif
