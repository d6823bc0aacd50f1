/* model/from_trace_priv.h: what models made of traces have in common: what a first pass
 * over the trace finds out (judge), and the builder of everything that is no access; for from_*.c
 * and slice*.c only. */
#ifndef AU_MODEL_FROM_TRACE_PRIV_H
#define AU_MODEL_FROM_TRACE_PRIV_H

#include "base/bitset.h"
#include "base/hash.h"
#include "model/from_trace.h"

#define AU_TRACE_END AU_NONE

typedef struct {
    uint8_t kind; /* AU_WIRE_OBJ_*; UNKNOWN: never used */
    int32_t init; /* SEM: count, BARRIER: size */
} au_judged_obj;

/* A condition wait: rel(m) wait(c) … wake(c) acq(m), as far as the trace goes. */
typedef struct {
    uint32_t rel, wait, wake, acq;
    uint32_t signalled; /* the event that is taken to have woken it, AU_TRACE_END: none */
} au_judged_wait;

typedef enum { AU_TRY_FREE, AU_TRY_TAKEN, AU_TRY_READ } au_try; /* READ: by readers only */

typedef struct {
    au_judged_obj *obj; /* by lock id */
    bool *used;         /* by thread id: it has an event, is forked or joined */
    uint32_t *next; /* by event: the thread's next event in the model's vocabulary, AU_TRACE_END */
    AU_VEC(au_judged_wait) wait; /* in the order of rel */
    au_map woken;                /* signal: the thread that it woke */
    au_map tries;                /* tryfail: au_try, if the object was taken */
    uint32_t *once;              /* by lock id: ONCE, its first event */
    /* au_judge_values only: */
    uint8_t *width;   /* by variable id: 32, or 64 where a value needs it */
    uint64_t *init;   /* by variable id: value at the start, cut to its width */
    uint64_t *before; /* by event: for an RMW the value it saw */
} au_trace_sync;

/* Everything but values. On failure nothing is kept. */
au_status au_judge_sync(const au_trace *t, au_trace_sync *j, au_error *err);
/* width, init and before. Requires: au_judge_sync. */
au_status au_judge_values(const au_trace *t, au_trace_sync *j, au_error *err);
void au_judged_release(au_trace_sync *j);
/* The wait that this event releases the lock for; NULL: none. */
const au_judged_wait *au_judged_wait_at(const au_trace_sync *j, size_t rel);

/* A value of the trace as one of a variable of this width. */
static inline uint64_t au_judge_cut(int64_t value, unsigned width) {
    return width == 32 ? (uint32_t)value : (uint64_t)value;
}

/* Events that the model has no step for and that no other event hangs on. */
bool au_judge_ignores(au_op op);
/* Sets "event 12 (T1, r(x)): …". */
au_status au_judge_error(const au_trace *t, size_t event, au_error *err, au_status st,
                         const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* ---- the builder (from_trace_sync.c) ------------------------------------------------------ */

/* What an event does in the observed run. */
enum { AU_LEFT_OUT, AU_TAKES, AU_PART_OF }; /* PART_OF: belongs to a step taken at another event */

struct au_from_taken {
    uint32_t event, step;
};
typedef struct au_from au_from;
struct au_from {
    const au_trace *t;
    au_error *err;
    const au_trace_sync *j;
    au_model *m;
    size_t first, last; /* events of the trace that it is made of */
    uint32_t *step_of;  /* by event - first */
    uint8_t *role;      /* by event - first */
    struct au_from_thread {
        uint32_t id;           /* in the model, AU_NONE if unused */
        uint32_t node;         /* where its next step starts */
        uint32_t depth, block; /* of atomic blocks; the outermost one */
        uint32_t nop;          /* the step of a thread without events */
        uint32_t inside;       /* inside a wait or at a barrier, until this event; AU_NONE */
        bool waits;            /* the trace ends inside its condition wait */
        bool begun;            /* its first event was there */
        bool ended;            /* nothing more of it is in the model */
    } * thread;                /* by thread id of the trace */
    uint32_t *obj;             /* by lock id: object (ONCE: variable) in the model */
    /* The observed run, edges of signals still to be chosen. */
    AU_VEC(struct au_from_taken) run;
    /* An access: steps by au_from_step, au_from_mark, au_from_take. */
    au_status (*access)(au_from *b, size_t event);
    /* NULL, or which events are in the model at all. */
    bool (*keeps)(const au_from *b, size_t event);
    /* NULL, or called for an object that was made just now (in b->obj). */
    void (*made)(au_from *b, uint32_t lock);
    /* NULL, or called before the first event of a thread, and when all steps of an event are
     * there and taken. */
    void (*begin)(au_from *b, size_t event);
    void (*after)(au_from *b, size_t event);
    bool marked; /* there is a BEGIN */
};

/* Threads are there (only these of them, NULL: all), nothing else. The judged stay the caller's. */
void au_from_init(au_from *b, const au_trace *t, const au_trace_sync *j, size_t first, size_t last,
                  const au_bitset *threads, au_error *err);
/* The model stays with the caller; step_of, too. */
void au_from_release(au_from *b);
au_status au_from_event(au_from *b, size_t event);
/* A thread that begins inside of the wait or arrival that this event (before b->first) began. */
au_status au_from_inside(au_from *b, uint32_t event);
/* Exits, signal edges, the observed run. */
void au_from_finish(au_from *b);

/* A step for event i from where its thread stands to a new node. */
au_step *au_from_step(au_from *b, size_t event, au_step_kind kind);
/* The atomic block that the thread is in, AU_NONE. */
uint32_t au_from_block(au_from *b, uint32_t thread);
/* Block and place of the steps from 'first' on, which stand for the event. */
void au_from_mark(au_from *b, size_t event, uint32_t first);
/* It is the next step of the observed run. */
static inline void au_from_take(au_from *b, size_t event, uint32_t step) {
    au_vec_push(&b->run, ((struct au_from_taken){(uint32_t)event, step}));
}
/* A name that no variable of the trace has: s, or s and 'more' as often as it takes. */
char *au_from_free_name(const au_from *b, const char *s, const char *more);

#endif
