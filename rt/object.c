/* SPDX-License-Identifier: MIT
 *
 * rt/object.c: synchronisation objects that were told, and who holds them (for the
 * texts of deadlocks and divergences). An open hash table that only grows. */
#include "rt/policy.h"
#include "rt/stream.h"

#include <stdio.h>
#include <sys/mman.h>

struct object {
    const void *at;
    struct rt_thread *owner;
    uint32_t depth;
    uint8_t kind;
};
static struct object *table;
static size_t size, used;

static size_t slot(const void *at) {
    return (size_t)(((uint64_t)(uintptr_t)at * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (size - 1);
}

static struct object *find(const void *at) {
    if (!size)
        return NULL;
    for (size_t i = slot(at); table[i].at; i = (i + 1) & (size - 1))
        if (table[i].at == at)
            return &table[i];
    return NULL;
}

static struct object *add(const void *at) {
    struct object *o = find(at);
    if (o)
        return o;
    if (2 * (used + 1) > size) {
        struct object *old = table;
        size_t n = size;
        size = n ? 2 * n : 4096;
        table = mmap(NULL, size * sizeof *table, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (table == MAP_FAILED)
            rt_die("no memory for %zu synchronisation objects", size);
        for (size_t i = 0; i < n; i++)
            if (old[i].at) {
                size_t k = slot(old[i].at);
                while (table[k].at)
                    k = (k + 1) & (size - 1);
                table[k] = old[i];
            }
        if (old)
            munmap(old, n * sizeof *old);
    }
    size_t i = slot(at);
    while (table[i].at)
        i = (i + 1) & (size - 1);
    table[i].at = at;
    used++;
    return &table[i];
}

void rt_object(const void *object, uint8_t kind, int32_t init) {
    struct object *o = find(object);
    if (!o || o->kind != kind)
        rt_object_init(object, kind, init);
}

int rt_object_known(const void *object) {
    const struct object *o = find(object);
    return o && o->kind;
}

void rt_object_init(const void *object, uint8_t kind, int32_t init) {
    struct object *o = add(object);
    o->kind = kind;
    o->owner = NULL;
    o->depth = 0;
    rt_log_object(object, kind, init);
}

void rt_owner(const void *lock, int acquired) {
    struct object *o = add(lock);
    if (acquired) {
        o->owner = rt_hot.self;
        o->depth++;
    } else if (!o->depth || !--o->depth) {
        o->owner = NULL;
    }
}

void rt_tell_wait(const struct rt_thread *t, char *text, size_t n) {
    static const char *const what[] = {
        [RT_WAIT_LOCK] = "mutex",        [RT_WAIT_RDLOCK] = "read lock",
        [RT_WAIT_WRLOCK] = "write lock", [RT_WAIT_COND] = "condition",
        [RT_WAIT_SEM] = "semaphore",     [RT_WAIT_BARRIER] = "barrier",
        [RT_WAIT_JOIN] = "the end of",   [RT_WAIT_ONCE] = "once",
        [RT_WAIT_FUTEX] = "futex",       [RT_WAIT_SLEEP] = "sleep"};
    if (t->wait_kind == RT_WAIT_JOIN) {
        const struct rt_thread *u = t->key;
        snprintf(text, n, "waits for the end of T%u", u->number);
        return;
    }
    if (t->wait_kind == RT_WAIT_KERNEL) {
        if (t->wait_fd >= 0)
            snprintf(text, n, "waits for descriptor %d", t->wait_fd);
        else
            snprintf(text, n, "waits in a system call");
        return;
    }
    if (t->quiet) {
        snprintf(text, n, "waits inside of libomp");
        return;
    }
    struct object *o = find(t->key);
    int k = snprintf(text, n, "waits for %s %p", what[t->wait_kind], t->key);
    if (o && o->owner && k > 0 && (size_t)k < n)
        snprintf(text + k, n - (size_t)k, " held by T%u", o->owner->number);
}
