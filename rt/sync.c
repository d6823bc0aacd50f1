/* SPDX-License-Identifier: MIT
 *
 * rt/sync.c: deadlines, the table of objects, and other things that wrappers share. */
#include "rt/sync.h"
#include "rt/times.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Thread_local pid_t own_tid __attribute__((tls_model("initial-exec")));

pid_t rt_tid(void) {
    if (!own_tid)
        own_tid = (pid_t)rt_real.syscall(SYS_gettid);
    return own_tid;
}

int rt_deadline_of(clockid_t clock, const struct timespec *when, struct timespec *store,
                   const struct timespec **deadline) {
    *deadline = NULL;
    if (!when)
        return 0;
    if ((clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) || when->tv_nsec < 0 ||
        when->tv_nsec >= 1000000000)
        return EINVAL;
    rt_times_until(clock, when);
    rt_deadline(clock, when, store);
    *deadline = store;
    return 0;
}

void rt_deadline_in(const struct timespec *span, struct timespec *store) {
    rt_times_until(-1, span);
    rt_real.clock_gettime(CLOCK_MONOTONIC, store);
    int64_t s;
    if (__builtin_add_overflow((int64_t)store->tv_sec, (int64_t)span->tv_sec, &s))
        s = INT64_MAX / 2;
    store->tv_sec = (time_t)s;
    store->tv_nsec += span->tv_nsec;
    if (store->tv_nsec >= 1000000000) {
        store->tv_nsec -= 1000000000;
        store->tv_sec++;
    }
}

static bool later(const struct timespec *a, const struct timespec *b) {
    return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

void rt_poll_wait(const void *key, const struct timespec *deadline, enum rt_wait_kind kind,
                  enum rt_wait_result *result) {
    const struct timespec ms = {0, 1000000};
    struct timespec soon;
    rt_deadline_in(&ms, &soon);
    bool last = deadline && !later(deadline, &soon);
    *result = rt_wait(key, last ? deadline : &soon, kind);
    if (*result != RT_TIMEOUT)
        return;
    if (rt_replaying()) { /* turns come at once there, the other process does not */
        const struct timespec pause = {0, 100000};
        rt_real.nanosleep(&pause, NULL);
    }
    if (!last)
        *result = RT_SPURIOUS;
}

/* Open addressing; the number of entries is a power of two and at least twice those
 * in use. Removed keys stay with value 0 and vanish when the table grows. */
struct entry {
    const void *key;
    uint64_t value;
};
static struct entry *table;
static size_t room, used;

static struct entry *place(struct entry *t, size_t n, const void *key) {
    size_t i = (size_t)(((uint64_t)key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (n - 1);
    while (t[i].key && t[i].key != key)
        i = (i + 1) & (n - 1);
    return &t[i];
}

static void grow(void) {
    size_t live = 0;
    for (size_t i = 0; i < room; i++)
        live += table[i].value != 0;
    size_t n = 1024;
    while (n < 4 * (live + 1))
        n *= 2;
    struct entry *t =
        mmap(NULL, n * sizeof *t, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (t == MAP_FAILED)
        rt_die("out of memory for the table of locks");
    for (size_t i = 0; i < room; i++)
        if (table[i].value)
            *place(t, n, table[i].key) = table[i];
    if (table)
        munmap(table, room * sizeof *table);
    table = t;
    room = n;
    used = live;
}

void rt_table_start(void) {
    grow();
}

uint64_t rt_table_get(const void *key) {
    return room ? place(table, room, key)->value : 0;
}

void rt_table_set(const void *key, uint64_t value) {
    if (2 * (used + 1) > room) {
        if (!value && !rt_table_get(key))
            return;
        grow();
    }
    struct entry *e = place(table, room, key);
    if (!e->key) {
        if (!value)
            return;
        e->key = key;
        used++;
    }
    e->value = value;
}
