/* SPDX-License-Identifier: MIT
 *
 * rt/omp.h: programs of OpenMP, on LLVM's libomp. libomp runs with the token as all of the
 * program does; what it calls of the C library makes no events. Where it would wait, its thread
 * waits quietly in the scheduler: the token moves and nothing is told, since what the program
 * can notice of it is told by OMPT's callbacks (ompt.c). A replayed turn therefore does not say
 * which quiet thread ran; while the thread whose turn it is waits quietly, others that are quiet and
 * ready stand in for it, without a budget: none of them gets past its next event (policy.c). */
#ifndef AUGUR_RT_OMP_H
#define AUGUR_RT_OMP_H

#include "rt/sched.h"

#pragma GCC visibility push(hidden)

/* libomp's code; size 0: the program has none. */
extern uintptr_t rt_omp_low, rt_omp_size;
/* Objects that stand for what libomp orders (ompt.c): no program has these addresses. */
#define RT_OMP_OBJECTS UINT64_C(0x790000000000)
static inline int rt_omp_object(const void *key) {
    return (uint64_t)(uintptr_t)key - RT_OMP_OBJECTS < UINT64_C(0x10000000000);
}

static inline int rt_omp_has(const void *code) {
    return (uintptr_t)code - rt_omp_low < rt_omp_size;
}

/* Finds libomp among the loaded libraries and tells it not to spin. */
void rt_omp_start(void);
/* Says so if the program's OpenMP is one that the runtime does not understand. */
void rt_omp_tell(void);
/* Is the thread in libomp, or in what libomp called? Only where rt_omp_size is not 0. */
int rt_omp_calls(const struct rt_thread *t);

/* Recording: gives threads that look for tasks the time to find those that are there. */
void rt_omp_offer(void);
/* A reduction, as kmpc.c sees it; with the token. 'how' is what libomp answered: 1 combine (under its lock,
 * or as the root of a tree of threads), 2 combine by atomics, 0 done by others. */
void rt_omp_reduction_begins(void);
void rt_omp_reduction_goes_on(int how, const void *lock, int blocking);
void rt_omp_reduction_ends(const void *lock);

/* rt_enter for what libomp does and the recording tells. */
int rt_enter_omp(void);

/* What wrappers do where rt_enter says no: with libomp's own waits they wait quietly. */
int rt_omp_mutex_lock(pthread_mutex_t *m);
int rt_omp_cond_wait(pthread_cond_t *c, pthread_mutex_t *m);
int rt_omp_cond_wake(pthread_cond_t *c, unsigned most);
int rt_omp_yield(void);
int rt_omp_join(pthread_t thread, void **result);

#pragma GCC visibility pop
#endif
