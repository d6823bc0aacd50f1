/* tests/random/paths.h: every path of a tiny model, walked by plain recursion.
 *
 * The yardstick of the oracle. Written from docs/oracle.md, model.h and sync.h; it
 * shares nothing with src/oracle and does nothing clever: no state is ever
 * recognised, no path is left out, each answer is read off a path as a sequence of
 * events. What is found goes into one set of keys, each with the least number of
 * context switches that shows it, with and without a spurious wake-up. */
#ifndef AU_TESTS_PATHS_H
#define AU_TESTS_PATHS_H

#include "base/intern.h"
#include "model/model.h"
#include "oracle/oracle.h" /* for the enumerations of options only */

#define AU_PATHS_THREADS 6
#define AU_PATHS_VARS 64
#define AU_PATHS_DEPTH 200
#define AU_PATHS_LEVELS 5 /* 0 … 3 switches, and more */

typedef struct {
    uint64_t value[AU_PATHS_VARS];
    uint32_t writer[AU_PATHS_VARS]; /* last step that wrote it, AU_NONE: nobody */
    uint32_t node[AU_PATHS_THREADS];
    uint32_t ran[AU_PATHS_THREADS];     /* events so far */
    uint32_t holds[AU_PATHS_THREADS];   /* locks held, each as often as taken */
    uint32_t section[AU_PATHS_THREADS]; /* the critical section it is in: depth + 1; 0 none */
    bool stopped[AU_PATHS_THREADS];
    bool frozen[AU_PATHS_THREADS]; /* --keep-reads: its last event was a read with another writer */
    uint32_t last;                 /* the thread of the last event, AU_NONE at the start */
    uint32_t switches;
    bool spurious;
    uint32_t n_unkept; /* events that are allowed only as decisive ones */
    bool unkept_write; /* one of them writes, nobody knows what: nothing comes after it */
} au_path_state;

/* A step that halts its thread (a false assume, an unlock of a lock not held) is no
 * event: it has no number and no turn. Where it is what is looked for, it comes right
 * after the schedule. */
typedef enum { AU_RAN, AU_FAILED, AU_HALTED } au_path_outcome;

typedef struct {
    uint32_t step; /* the edge taken */
    au_path_outcome outcome;
    bool unkept;
    uint32_t index;   /* 1-based in its thread; HALTED: the one it would have had */
    uint32_t section; /* critical section it stands in, 0 if none or one with a wait */
} au_path_event;

typedef enum {
    AU_KEY_ASSERT, /* step */
    AU_KEY_RACE,   /* step, step, var: smaller step first */
    AU_KEY_MARKED, /* e1, f, e2, var, pattern: by marked blocks */
    AU_KEY_CRITICAL,
    AU_KEY_DEADLOCK, /* steps, by thread */
    AU_KEY_MISUSE,   /* what, step, obj */
    AU_KEY_READ,     /* read, var, writer */
    AU_KEY_FINAL,    /* complete, then each thread's rest and node, then values (two words each) */
    AU_KEY_KINDS
} au_path_key;

typedef enum {
    AU_MISUSE_REL,   /* unlock of a lock not held */
    AU_MISUSE_WAIT,  /* wait without the lock */
    AU_MISUSE_TWICE, /* non-recursive lock taken twice */
    AU_MISUSE_END    /* held when the thread ends */
} au_path_misuse;

/* The least number of switches of a path that shows it; AU_NONE: no such path. */
typedef struct {
    uint32_t any, without_spurious;
} au_path_least;

typedef struct {
    int64_t low, high;
    bool seen;
} au_path_range;

typedef struct {
    const au_model *m;
    au_semantics semantics;
    bool whole, keep_reads;

    uint32_t *first;        /* by step: the first edge of its node */
    bool *observed;         /* by step (first edges): ran in the observed run */
    uint32_t *observed_src; /* by step (first edges) * variables: the writer it saw then */
    uint64_t *observed_val; /* by step * variables: the value then */
    uint32_t *final_src;    /* by variable: the last writer of the observed run */
    bool observed_ends;     /* every thread started in the observed run came to its end */
    bool *only_asserts;     /* by variable: a local that nothing but asserts looks at */
    bool *waits;            /* by step that takes a lock: the section it opens has a wait */
    AU_VEC(uint32_t) line[AU_PATHS_THREADS]; /* the observed steps of each thread */
    uint32_t base[AU_PATHS_THREADS + 1];     /* numbers of the threads' first nodes */

    au_path_state state[AU_PATHS_DEPTH + 1];
    au_path_event event[AU_PATHS_DEPTH];
    uint64_t steps, budget, paths;
    bool over; /* the budget was not enough: the sets are not complete */

    au_intern keys;
    AU_VEC(au_path_least) least; /* by key */
    au_path_range *range;        /* (node number * variables + var) * levels + level */
    const char *probe;           /* not NULL: only look whether this key is shown */
    size_t probe_len;
    bool probe_hit;
} au_paths;

/* Borrows m. False if the model is too large for the arrays here. */
bool au_paths_init(au_paths *w, const au_model *m, au_semantics semantics, bool whole,
                   bool keep_reads);
void au_paths_release(au_paths *w);

/* Walks all paths, at most 'budget' steps altogether: false if that was not enough. */
bool au_paths_walk(au_paths *w, uint64_t budget);

/* One move of a thread. */
typedef struct {
    uint32_t step;
    au_path_outcome outcome;
    bool unkept;
} au_path_move;
#define AU_PATHS_MOVES (2 * AU_PATHS_THREADS + 4)
uint32_t au_paths_moves(const au_paths *w, const au_path_state *s, uint32_t thread,
                        au_path_move *move);
/* Makes event[depth] and state[depth + 1]. */
void au_paths_take(au_paths *w, uint32_t depth, const au_path_move *move);

/* What the threads do in a state. */
bool au_paths_started(const au_paths *w, const au_path_state *s, uint32_t t);
bool au_paths_done(const au_paths *w, const au_path_state *s, uint32_t t);
/* Stopped for good, or past its last step of the observed run under mcm. */
bool au_paths_gone(const au_paths *w, const au_path_state *s, uint32_t t);
/* Under mcm: it could go on, with another value than in the observed run. */
bool au_paths_elsewhere(const au_paths *w, const au_path_state *s, uint32_t t);
bool au_paths_complete(const au_paths *w, const au_path_state *s); /* all started are done */
bool au_paths_waiting(const au_paths *w, const au_path_state *s, uint32_t t);
/* The thread's next step (the first edge), AU_NONE if it has none. */
uint32_t au_paths_next(const au_paths *w, const au_path_state *s, uint32_t t);

/* Looking at state[depth] and event[depth] of the path; 'end' is the depth at which the
 * path that counts ends (its switches). */
void au_paths_see_state(au_paths *w, uint32_t depth, uint32_t end);
void au_paths_see_event(au_paths *w, uint32_t depth, uint32_t end);
void au_paths_see_final(au_paths *w, uint32_t depth);
void au_paths_see_deadlock(au_paths *w, uint32_t depth);

void au_paths_emit(au_paths *w, const uint32_t *word, size_t n, uint32_t end);
void au_paths_emit_at(au_paths *w, const uint32_t *word, size_t n, uint32_t end, uint32_t switches);

#endif
