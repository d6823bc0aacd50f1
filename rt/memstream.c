/* SPDX-License-Identifier: MIT
 *
 * rt/memstream.c: streams whose file is memory (open_memstream). The C library writes that memory, and where it is and how long,
 * when the stream is flushed or closed, by whoever does it: such bytes as have changed are told as that call's writes.
 * What goes into such a stream is a state (stdio.h). */
#include "rt/bytes.h"
#include "rt/mem.h"
#include "rt/stdio.h"
#include "rt/stream.h"

#include <pthread.h>
#include <wchar.h>

/* Streams beyond these are not followed: what they write is noticed by who reads it (rt_patch). */
enum { MOST = 1024 };

struct memory {
    FILE *f;
    char **at; /* the program's: where it is, and how many letters it has */
    size_t *n;
    size_t letter; /* bytes of one */
};

static struct memory memory[MOST];
static size_t n_memory; /* 1 + the highest that was used */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static FILE *keep(struct memory m) {
    if (!m.f)
        return NULL;
    rt_real.pthread_mutex_lock(&lock);
    size_t i = 0;
    while (i < n_memory && memory[i].f)
        i++;
    if (i < MOST) {
        memory[i] = m;
        n_memory += i == n_memory;
    }
    rt_real.pthread_mutex_unlock(&lock);
    return m.f;
}

/* The next one behind *i that is f (NULL: any); forgets it if it is gone. */
static bool next(FILE *f, bool gone, size_t *i, struct memory *m) {
    bool found = false;
    rt_real.pthread_mutex_lock(&lock);
    for (; *i < n_memory && !found; ++*i)
        if (memory[*i].f && (!f || memory[*i].f == f)) {
            *m = memory[*i];
            found = true;
            if (gone)
                memory[*i].f = NULL;
        }
    rt_real.pthread_mutex_unlock(&lock);
    return found;
}

static void tell_changed(const void *p, size_t n) {
    const uint8_t *is = p, *was = (const uint8_t *)(uintptr_t)rt_shadow(p);
    for (size_t i = 0; i < n;) {
        size_t from = i;
        while (i < n && is[i] != was[i])
            i++;
        if (i > from)
            rt_tell(AU_SOP_RWRITE, is + from, i - from);
        else
            i++;
    }
}

static void tell(const struct memory *m) {
    tell_changed(m->at, sizeof *m->at);
    tell_changed(m->n, sizeof *m->n);
    if (*m->at)
        tell_changed(*m->at, (*m->n + 1) * m->letter);
}

void rt_memstream_written(FILE *f, bool gone) {
    struct memory m;
    if (!n_memory || !rt_string_enter())
        return;
    for (size_t i = 0; next(f, gone, &i, &m);)
        tell(&m);
    rt_leave(0);
}

RT_EXPORT FILE *open_memstream(char **at, size_t *n) {
    return keep((struct memory){rt_real.open_memstream(at, n), at, n, 1});
}
RT_EXPORT __FILE *open_wmemstream(wchar_t **at, size_t *n) {
    return keep((struct memory){rt_real.open_wmemstream(at, n), (char **)at, n, sizeof(wchar_t)});
}
