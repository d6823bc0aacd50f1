/* SPDX-License-Identifier: MIT
 *
 * rt/end.c: how a recording ends: exit, abort, a failed assertion, a deadlock, and the
 * stop at the end of a schedule. */
#include "rt/omp.h"
#include "rt/policy.h"
#include "rt/start.h"
#include "rt/stream.h"

#include <linux/futex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <assert.h>
#include <errno.h>
#include <sys/syscall.h>

#define EXPORT __attribute__((visibility("default")))

_Noreturn void rt_quit(int status) {
    for (;;)
        __asm__ volatile("syscall" ::"a"(SYS_exit_group), "D"((long)status)
                         : "rcx", "r11", "memory");
}

void rt_finish(uint8_t why, int64_t status) {
    static uint32_t done;
    struct au_control *c = rt_control;
    if (!rt_on || __atomic_exchange_n(&done, 1, __ATOMIC_SEQ_CST))
        return;
    struct rt_thread *t = rt_hot.self;
    if (t) {
        rt_commit();
        uint64_t now = rt_now(t);
        c->events += now - t->events;
        t->events = now;
    }
    if (why == AU_END_EXIT && rt_module_loaded_more())
        c->asked = AU_ASKED; /* what is in a plugin, no number of the suite says */
    rt_log_end(why, status);
    c->status = (int32_t)status;
    __atomic_store_n(&c->ended, 1u + why, __ATOMIC_SEQ_CST);
    rt_futex(&c->filled, FUTEX_WAKE, 1, NULL);
    rt_on = 0;
    rt_hot.on = 0;
    rt_hot.budget = 0;
}

void rt_note(uint8_t kind, const char *text) {
    rt_log_text(kind, text, strlen(text));
    dprintf(2, "augur: %s\n", text);
}

/* Threads that only wait inside of libomp, for what it gave others: its own business, not the program's. */
static int only_in_libomp(void) {
    for (uint32_t i = 0; i < rt_control->threads; i++) {
        const struct rt_thread *t = rt_thread_of(i);
        if (t && t->state == RT_WAITING && !t->quiet && !rt_omp_object(t->key))
            return 0;
    }
    return rt_omp_size != 0;
}

_Noreturn void rt_deadlock(void) {
    struct au_control *c = rt_control;
    if (only_in_libomp())
        rt_diverged("all threads wait inside of libomp, which augur does not model");
    size_t n = (size_t)snprintf(c->message, sizeof c->message, "deadlock");
    for (uint32_t i = 0; i < c->threads && n < sizeof c->message - 100; i++) {
        struct rt_thread *t = rt_thread_of(i);
        if (!t || t->state != RT_WAITING)
            continue;
        char what[120];
        rt_tell_wait(t, what, sizeof what);
        n += (size_t)snprintf(c->message + n, sizeof c->message - n, "\nT%u %s", t->number, what);
    }
    rt_finish(AU_END_DEADLOCK, 0);
    rt_quit(125);
}

/* gdb breaks here: every thread stands where the schedule put it. */
EXPORT void __augur_stopped(void);
EXPORT __attribute__((noinline)) void __augur_stopped(void) {
    __asm__ volatile("");
}

void rt_stop(void) {
    struct au_control *c = rt_control;
    rt_stream_flush();
    __atomic_store_n(&c->stopped, 1, __ATOMIC_SEQ_CST);
    rt_futex(&c->stopped, FUTEX_WAKE, 1, NULL);
    __augur_stopped();
    while (!__atomic_load_n(&c->resume, __ATOMIC_SEQ_CST))
        rt_futex(&c->resume, FUTEX_WAIT, 0, NULL);
}

/* ---- the program's own ends ---- */

#define LAST_EVENTS 20000u /* of others before the program ends, and … */
#define LAST_ROUNDS 1000u  /* … hand-overs to them */

uint32_t rt_main_runs;

int rt_ends_program(const void *function) {
    return function == (const void *)(uintptr_t)exit ||
           function == (const void *)(uintptr_t)rt_real.exit ||
           function == (const void *)(uintptr_t)_exit ||
           function == (const void *)(uintptr_t)_Exit ||
           function == (const void *)(uintptr_t)quick_exit;
}

/* A turn without an event leaves no trace, and no replay repeats it: one of a library's own threads might have such. */
static int ready_are_ours(void) {
    for (const struct rt_thread *t = rt_ready_first(); t; t = t->ready_next)
        if (t->foreign && !t->events)
            return 0;
    return rt_ready_count() != 0;
}

/* Threads that nobody joins are cut off by the end of main, and a scheduler that lets main go on to there never
 * shows them. So just before main's last event all others that can run go on for a while: main did not get the
 * processor sooner. Before exit handlers only; what they tear down is their own affair. */
void rt_last_turns(void) {
    struct au_control *c = rt_control;
    if (!rt_main_runs || rt_omp_size || rt_replaying_turns())
        return;
    uint64_t from = c->events;
    rt_policy_last(1);
    for (unsigned n = 0; n < LAST_ROUNDS && ready_are_ours() && c->events - from < LAST_EVENTS; n++)
        rt_yield();
    rt_policy_last(0);
}

EXPORT void _exit(int status) {
    rt_finish(AU_END_EXIT, status);
    rt_real._exit(status);
    __builtin_unreachable();
}

EXPORT void _Exit(int status) {
    _exit(status);
}

EXPORT void quick_exit(int status) {
    rt_finish(AU_END_EXIT, status);
    rt_real.quick_exit(status);
    __builtin_unreachable();
}

static void failed(uint64_t how, uint8_t why) {
    if (rt_enter()) {
        rt_point();
        rt_event(AU_SOP_FAIL, NULL, how);
        rt_finish(why, 6);
    }
}

EXPORT void abort(void) {
    failed(AU_FAIL_ABORT, AU_END_SIGNAL);
    rt_real.abort();
    __builtin_unreachable();
}

EXPORT void __assert_fail(const char *what, const char *file, unsigned line, const char *function) {
    failed(AU_FAIL_ASSERT, AU_END_ASSERT);
    dprintf(2, "%s%s%s:%u: %s%sAssertion `%s' failed.\n", program_invocation_short_name,
            program_invocation_short_name[0] ? ": " : "", file, line, function ? function : "",
            function ? ": " : "", what);
    rt_real.abort();
    __builtin_unreachable();
}
