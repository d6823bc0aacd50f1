/* SPDX-License-Identifier: MIT
 *
 * rt/verifier.c: what verification benchmarks expect from their environment (SV-COMP's
 * reach_error and __VERIFIER_*; weak: a program may bring its own). */
#include "rt/io.h"
#include "rt/sched.h"
#include "rt/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void failed(int why, const char *text) {
    fflush(NULL);
    if (rt_enter()) {
        rt_point();
        rt_event(AU_SOP_FAIL, NULL, (uint64_t)why);
        rt_note(AU_NOTE_TEXT, text);
        rt_finish(AU_END_ASSERT, SIGABRT);
    } else {
        dprintf(2, "%s\n", text);
    }
    rt_real.abort();
    __builtin_unreachable();
}

#define WEAK RT_EXPORT __attribute__((weak))

/* The pass calls it first in a function of the program that is called reach_error. */
void __augur_reach_error(void);
RT_EXPORT void __augur_reach_error(void) {
    if (!rt_enter())
        return;
    rt_point();
    rt_event(AU_SOP_FAIL, NULL, AU_FAIL_REACH_ERROR);
    rt_leave(0);
}

void reach_error(void);
void __VERIFIER_error(void);
void __VERIFIER_assume(int holds);
void __VERIFIER_assert(int holds);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

WEAK void reach_error(void) {
    failed(AU_FAIL_REACH_ERROR, "reach_error was called");
}
WEAK void __VERIFIER_error(void) {
    failed(AU_FAIL_REACH_ERROR, "__VERIFIER_error was called");
}
/* A run that breaks an assumption is none: it ends, successfully. */
WEAK void __VERIFIER_assume(int holds) {
    if (!holds)
        exit(0);
}
WEAK void __VERIFIER_assert(int holds) {
    if (!holds)
        failed(AU_FAIL_ASSERT, "__VERIFIER_assert failed");
}

/* Atomic blocks exclude each other: a lock, and a marked block inside. */
static pthread_mutex_t atomic_lock = PTHREAD_MUTEX_INITIALIZER;

WEAK void __VERIFIER_atomic_begin(void) {
    pthread_mutex_lock(&atomic_lock);
    __augur_atomic_begin(NULL);
}
WEAK void __VERIFIER_atomic_end(void) {
    __augur_atomic_end();
    pthread_mutex_unlock(&atomic_lock);
}

/* Any value will do: from the seed of the recording, mostly small. Logged and fed. */
static uint64_t chaos(void) {
    static uint64_t state;
    if (!state && rt_control)
        state = rt_control->seed;
    state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return z % 3 ? z >> 8 & 15 : z;
}

static uint64_t any(void) {
    if (!rt_enter())
        return 0;
    RT_CALL(c);
    size_t n;
    rt_point();
    if (!rt_call_feed(&c, AU_INPUT_VALUE, NULL, 0, &n))
        c.result = (int64_t)chaos();
    rt_call_log(&c, AU_INPUT_VALUE, NULL, 0);
    return (uint64_t)rt_call_end(&c, AU_SOP_RWRITE, NULL, 0);
}

#define NONDET(type, name)                                                                         \
    type __VERIFIER_nondet_##name(void);                                                           \
    WEAK type __VERIFIER_nondet_##name(void) {                                                     \
        return (type)any();                                                                        \
    }

NONDET(char, char)
NONDET(signed char, schar)
NONDET(unsigned char, uchar)
NONDET(short, short)
NONDET(unsigned short, ushort)
NONDET(int, int)
NONDET(unsigned, uint)
NONDET(unsigned, unsigned)
NONDET(unsigned, u32)
NONDET(long, long)
NONDET(unsigned long, ulong)
NONDET(long long, longlong)
NONDET(unsigned long long, ulonglong)
NONDET(size_t, size_t)
NONDET(float, float)
NONDET(double, double)
WEAK _Bool __VERIFIER_nondet_bool(void);
WEAK _Bool __VERIFIER_nondet_bool(void) {
    return any() & 1;
}
void *__VERIFIER_nondet_pointer(void);
WEAK void *__VERIFIER_nondet_pointer(void) {
    return NULL;
}
