/* SPDX-License-Identifier: MIT
 *
 * rt/kmpc.c: calls into libomp that say more than OMPT's callbacks do (ompt.c): reductions, which libomp
 * guards by a lock, leaves to atomics, or combines in a tree of its threads; and the memory of tasks,
 * which it uses again: told as allocated, so that nobody takes it for that of the task before.
 * Each calls libomp's own function, during which the thread is in libomp. */
#include "rt/omp.h"
#include "rt/ompt.h"
#include "rt/stream.h"
#include "rt/sync.h"

static void out_there(void) {
    if (rt_self)
        rt_self->omp = 1;
}

static void back_again(void) {
    if (rt_self)
        rt_self->omp = 0;
}

RT_EXPORT void *__kmpc_omp_task_alloc(void *place, int32_t thread, int32_t flags, size_t size,
                                      size_t shared, void *entry) {
    out_there();
    void *task = rt_real.__kmpc_omp_task_alloc(place, thread, flags, size, shared, entry);
    back_again();
    if (task && rt_enter_omp()) {
        rt_event_len(AU_OP_ALLOC, task, 0, size + shared);
        rt_leave(0);
    }
    return task;
}

/* The task is where others find it: they may. */
static int32_t offered(int32_t result) {
    back_again();
    if (rt_enter_omp()) {
        rt_omp_offer();
        rt_leave(0);
    }
    return result;
}

RT_EXPORT int32_t __kmpc_omp_task(void *place, int32_t thread, void *task) {
    out_there();
    return offered(rt_real.__kmpc_omp_task(place, thread, task));
}

RT_EXPORT int32_t __kmpc_omp_task_with_deps(void *place, int32_t thread, void *task, int32_t n,
                                            void *list, int32_t m, void *no_alias) {
    out_there();
    return offered(rt_real.__kmpc_omp_task_with_deps(place, thread, task, n, list, m, no_alias));
}

static int32_t reduce(__typeof__(__kmpc_reduce) *real, void *place, int32_t thread, int32_t n,
                      size_t size, void *data, void (*combine)(void *, void *), void *lock,
                      int blocking) {
    int on = rt_enter_omp();
    if (on) {
        rt_point(); /* an event is left of this turn: nobody runs between libomp's lock and ours */
        rt_omp_reduction_begins();
        rt_leave(0);
    }
    out_there();
    int32_t how = real(place, thread, n, size, data, combine, lock);
    if (on && rt_enter_omp()) {
        rt_omp_reduction_goes_on(how, lock, blocking);
        rt_leave(0);
    }
    back_again();
    return how;
}

RT_EXPORT int32_t __kmpc_reduce(void *place, int32_t thread, int32_t n, size_t size, void *data,
                                void (*combine)(void *, void *), void *lock) {
    return reduce(rt_real.__kmpc_reduce, place, thread, n, size, data, combine, lock, 1);
}

RT_EXPORT int32_t __kmpc_reduce_nowait(void *place, int32_t thread, int32_t n, size_t size,
                                       void *data, void (*combine)(void *, void *), void *lock) {
    return reduce(rt_real.__kmpc_reduce_nowait, place, thread, n, size, data, combine, lock, 0);
}

static void end_reduce(__typeof__(__kmpc_end_reduce) *real, void *place, int32_t thread,
                       void *lock) {
    if (rt_enter_omp()) {
        rt_omp_reduction_ends(lock);
        rt_leave(0);
    }
    out_there();
    real(place, thread, lock);
    back_again();
}

RT_EXPORT void __kmpc_end_reduce(void *place, int32_t thread, void *lock) {
    end_reduce(rt_real.__kmpc_end_reduce, place, thread, lock);
}

RT_EXPORT void __kmpc_end_reduce_nowait(void *place, int32_t thread, void *lock) {
    end_reduce(rt_real.__kmpc_end_reduce_nowait, place, thread, lock);
}
