/* model/from_trace_priv.h: what a first pass over a trace finds out; for
 * from_trace*.c only. */
#ifndef AU_MODEL_FROM_TRACE_PRIV_H
#define AU_MODEL_FROM_TRACE_PRIV_H

#include "model/from_trace.h"

#define AU_TRACE_END SIZE_MAX

typedef struct {
    uint8_t kind; /* AU_WIRE_OBJ_*; UNKNOWN: never used */
    int32_t init; /* SEM: count, BARRIER: size */
} au_judged_obj;

typedef struct {
    au_judged_obj *obj; /* by lock id */
    uint8_t *width;     /* by variable id: 32, or 64 where a value needs it */
    uint64_t *init;     /* by variable id: value at the start, cut to its width */
    uint64_t *before;   /* by event: for an RMW the value it saw */
    bool *used;         /* by thread id: it has an event, is forked or joined */
    size_t *next; /* by event: the thread's next event in the model's vocabulary, AU_TRACE_END */
} au_judged;

/* On failure nothing is kept. */
au_status au_judge_trace(const au_trace *t, au_judged *j, au_error *err);
void au_judged_release(au_judged *j);

/* A value of the trace as one of a variable of this width. */
static inline uint64_t au_judge_cut(int64_t value, unsigned width) {
    return width == 32 ? (uint32_t)value : (uint64_t)value;
}

/* Events that the model has no step for and that no other event hangs on. */
bool au_judge_ignores(au_op op);
/* Sets "event 12 (T1, r(x)): …". */
au_status au_judge_error(const au_trace *t, size_t event, au_error *err, au_status st,
                         const char *fmt, ...) __attribute__((format(printf, 5, 6)));

#endif
