/* witness/check_model.h: the checker of schedules on a model, values and all.
 *
 * Executes a schedule step by step with the model's guards and updates. A turn says
 * how many steps of its thread have run, not which: where several can (whom a signal
 * wakes), they are tried one after the other, ways without a spurious wake-up first.
 * Shares no code with the oracle, nor with the stages. */
#ifndef AU_WITNESS_CHECK_MODEL_H
#define AU_WITNESS_CHECK_MODEL_H

#include "model/model.h"
#include "witness/check.h"

typedef struct {
    uint32_t step;  /* any edge of its statement; AU_NONE: none (the initial value) */
    uint64_t index; /* within its thread on the schedule's path, from 1 */
} au_model_event;

/* What a schedule has to show:
 *   race       after its end the two events are next, access 'var', one writing, not both
 *              indivisible
 *   atomicity  the three are executed in this order, access 'var' in one of the five patterns
 *   deadlock   after its end all are next and none can run, a wake-up without a signal left
 *              aside; and only threads of the set could change that (docs/oracle.md)
 *   assertion  the assert is executed and its condition is false
 *   misuse     the event is next and releases a lock that it does not hold or takes one
 *              twice; or it is executed, the last of its thread, and 'obj' is still held
 *   nondet     event[0] is the write of 'var' that event[1] sees, which is executed, or next
 *   lost       event[0] reads 'var', event[1] of another thread writes it, event[2] writes it next
 *              in the first thread, nothing else between event[1] and event[2], and another value than
 *              it would if that thread's reads since its last write had seen what event[1] wrote; of a stale
 *              decision: the step 'obj' of that thread between event[0] and event[2] would not have been taken then */
typedef struct {
    au_kind kind;
    uint32_t var,
        obj; /* AU_NONE where they mean nothing; lost: obj is the branch of a stale decision, a step, or AU_NONE */
    const au_model_event *event;
    uint32_t n_events;
    au_schedule schedule;
    const uint64_t *havoc; /* what each executed havoc chose, in order; 0 past n_havoc */
    uint32_t n_havoc;
    bool whole;     /* a failed assert does not end its thread */
    bool valueless; /* guards over data hold, asserts may fail: LOCKS_ONLY at best */
} au_model_finding;

/* What an executed step read or wrote. */
typedef struct {
    uint32_t step, var;
    uint64_t index; /* of the step, within its thread */
    uint64_t value;
    uint32_t writer; /* of what was read: step, AU_NONE: initial */
    bool write;
} au_model_seen;
typedef AU_VEC(au_model_seen) au_model_seen_vec;

/* reads_kept is not looked at and always true. 'seen' (may be NULL) gets the accesses
 * in the order of the schedule, as far as it was executed; the caller releases it. */
void au_model_check_schedule(const au_model *m, const au_model_finding *f, au_check_result *r,
                             au_model_seen_vec *seen);

#endif
