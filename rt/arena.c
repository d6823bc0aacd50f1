/* SPDX-License-Identifier: MIT
 *
 * rt/arena.c: malloc and its family. Addresses must be the same in every run of one
 * schedule, so there are two arenas of the same build:
 *
 *   inner  at RT_ARENA_BASE, for the holder of the token: its state depends on the
 *          program's own calls in their order and on nothing else;
 *   outer  for everybody else: threads in the kernel, threads that end, the C library
 *          inside a wrapper. Under a lock.
 *
 * The inner arena is divided: every thread has a stretch of its own (threads from MANY on share main's),
 * and what it frees, whoever made it, it uses again itself. So the addresses that a thread
 * gets depend on what it did, not on what others did meanwhile: runs of one program that differ
 * in their schedule can be compared. What a thread keeps of others' blocks has a limit, beyond
 * which they go back to where they came from.
 *
 * Who does not hold the token and frees an inner block leaves it in a list that is
 * settled at a point of the order: when the thread attaches again or is joined.
 * Without a recording all use the inner arena, under the lock.
 *
 * A block is a 16 byte head and a payload of one of the class sizes: multiples of 16 up
 * to 1024, then 8 sizes a doubling. Free blocks of a class are a stack. Nothing is
 * merged; big free blocks give their pages back. */
#include "rt/arena.h"
#include "rt/mem.h"
#include "rt/policy.h"
#include "rt/stream.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define EXPORT __attribute__((visibility("default")))
#define REGION (UINT64_C(1) << 41)
#define SMALL 1024u
#define N_SMALL (SMALL / 16u)
#define N_CLASS (N_SMALL + 8u * 31u)
#define MAX_BLOCK (UINT64_C(1) << 40) /* malloc of more fails, as it does without the runtime */
#define UNTOLD (UINT64_C(64) << 10)
#define GIVE_BACK (UINT64_C(8) << 20)

struct head {
    uint32_t class;
    uint32_t offset; /* from the payload of the class to the pointer given out */
    uint64_t size;   /* asked for; FREED when it is free */
};
#define FREED UINT64_MAX

struct arena {
    uint8_t *base, *top, *end;
    uint64_t kept; /* bytes of others' blocks in 'free' */
    void *free[N_CLASS];
};
static struct arena inner, outer;

/* The first half of the region is main's, the other half that of threads 1 to MANY - 1. */
#define MANY 1024u
#define STRETCH (REGION / 2 / MANY)
#define MOST_KEPT (UINT64_C(16) << 20)
static struct arena *stretch[MANY]; /* made when they are needed */
static uint8_t *region_end;         /* of the inner arena; NULL: it is not divided */
static uint32_t lock_word;

static void lock(void) {
    rt_word_lock(&lock_word);
}

static void unlock(void) {
    rt_word_unlock(&lock_word);
}

void rt_arena_lock(void) {
    lock();
}

void rt_arena_unlock(void) {
    unlock();
}

static unsigned class_of(uint64_t n) {
    if (n <= SMALL)
        return n ? (unsigned)((n - 1) >> 4) : 0;
    unsigned log = 63u - (unsigned)__builtin_clzll(n - 1); /* 2^log < n <= 2^(log+1) */
    return N_SMALL + 8u * (log - 10u) + (unsigned)(((n - 1) >> (log - 3u)) & 7u);
}

static uint64_t class_size(unsigned c) {
    if (c < N_SMALL)
        return 16u * ((uint64_t)c + 1);
    unsigned k = c - N_SMALL;
    return (UINT64_C(8) + (k & 7u) + 1) << (k / 8u + 7u);
}

/* The address space of an arena; less of it where a limit forbids so much. */
static int reserve(struct arena *a, uint64_t at) {
    for (uint64_t n = REGION; n >= UINT64_C(64) << 20; n /= 4) {
        void *p = mmap((void *)(uintptr_t)at, n, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (p == MAP_FAILED)
            continue;
        a->base = a->top = p;
        a->end = a->base + n;
        return 1;
    }
    return 0;
}

static struct head *head_of(void *p) {
    return (struct head *)p - 1;
}

/* *fresh: the payload was never used, so it is zero. */
static void *take(struct arena *a, uint64_t n, int *fresh) {
    if (n > MAX_BLOCK)
        return NULL;
    if (!a->base && !reserve(a, a == &inner ? RT_ARENA_BASE : RT_ARENA_BASE + REGION))
        return NULL;
    if (a == &inner && !region_end) {
        region_end = a->end;
        if ((uint64_t)(a->end - a->base) == REGION)
            a->end = a->base + REGION / 2;
    }
    unsigned c = class_of(n);
    void *p = a->free[c];
    *fresh = !p;
    if (p) {
        memcpy(&a->free[c], p, sizeof(void *));
    } else {
        uint64_t total = class_size(c) + sizeof(struct head);
        if ((uint64_t)(a->end - a->top) < total)
            return NULL;
        p = a->top + sizeof(struct head);
        a->top += total;
    }
    *head_of(p) = (struct head){.class = c, .size = n};
    return p;
}

static void put(struct arena *a, void *p, unsigned c) {
    head_of(p)->size = FREED;
    uint64_t n = class_size(c);
    if (n >= GIVE_BACK) {
        uintptr_t from = ((uintptr_t)p + 4095) & ~(uintptr_t)4095;
        uintptr_t to = ((uintptr_t)p + n) & ~(uintptr_t)4095;
        madvise((void *)from, to - from, MADV_DONTNEED);
    }
    memcpy(p, &a->free[c], sizeof(void *));
    a->free[c] = p;
}

/* Is the caller the holder of the token, in the program's own code? */
static int holder(void) {
    struct rt_thread *t = rt_self;
    return rt_on && t && t == rt_hot.self;
}

static bool is_divided(void) {
    return region_end && region_end != inner.end;
}

/* The stretch of a thread. Its own book-keeping lies at its beginning. */
static struct arena *arena_of(const struct rt_thread *t) {
    if (!t->number || t->number >= MANY || !is_divided())
        return &inner;
    if (!stretch[t->number]) {
        uint8_t *base = inner.base + REGION / 2 + t->number * STRETCH;
        struct arena *a = (struct arena *)(void *)base;
        a->base = base;
        a->top = base + ((sizeof *a + 15) & ~(uint64_t)15);
        a->end = base + STRETCH;
        stretch[t->number] = a;
    }
    return stretch[t->number];
}

/* The stretch that a block is from. */
static struct arena *home_of(const uint8_t *p) {
    if (p < inner.end)
        return &inner;
    return stretch[(uint64_t)(p - inner.base - REGION / 2) / STRETCH];
}

static void *get(uint64_t n, int *fresh) {
    if (holder() && !rt_self->inside) {
        struct arena *a = arena_of(rt_self);
        void *p = take(a, n, fresh);
        if (p && !*fresh && home_of(p) != a)
            a->kept -= class_size(class_of(n));
        return p || a == &inner ? p : take(&inner, n, fresh);
    }
    lock();
    void *p = take(rt_on ? &outer : &inner, n, fresh);
    unlock();
    return p;
}

/* The payload as the class knows it, from the pointer given out. */
static void *payload(void *p) {
    return (uint8_t *)p - head_of(p)->offset;
}

static int is_ours(const struct arena *a, const void *p) {
    const uint8_t *q = p;
    if (a != &inner || q < inner.end || !is_divided())
        return q >= a->base && q < a->top;
    if (q >= region_end)
        return 0;
    a = home_of(q);
    return a && q > (const uint8_t *)(a + 1) && q < a->top;
}

/* Back into use, by the thread that frees it. */
static void put_inner(void *p, unsigned c) {
    struct arena *a = rt_self ? arena_of(rt_self) : &inner, *home = home_of(p);
    if (a != home && a->kept + class_size(c) > MOST_KEPT)
        a = home;
    else if (a != home)
        a->kept += class_size(c);
    put(a, p, c);
}

static void release(void *p) {
    struct head *h = head_of(p);
    uint8_t *q = payload(p);
    unsigned c = h->class;
    if (q != p) {
        h->size = FREED;
        head_of(q)->class = c;
    }
    if (is_ours(&inner, q)) {
        if (holder()) {
            put_inner(q, c);
        } else if (!rt_on) {
            lock();
            put(&inner, q, c);
            unlock();
        } else if (rt_self) {
            head_of(q)->size = FREED;
            memcpy(q, &rt_self->deferred, sizeof(void *));
            rt_self->deferred = q;
        }
    } else {
        lock();
        put(&outer, q, c);
        unlock();
    }
}

void rt_arena_settle(struct rt_thread *t) {
    void *p = t->deferred;
    t->deferred = NULL;
    while (p) {
        void *next;
        memcpy(&next, p, sizeof next);
        put_inner(p, head_of(p)->class);
        p = next;
    }
}

/* The program's mistake: what malloc does then, but with the trace closed. */
static void bad(const char *what, void *p) {
    dprintf(2, "augur: %s: %p is not an allocated block (freed twice, or not from malloc?)\n", what,
            p);
    abort();
}

static void check(const char *what, void *p) {
    if ((uintptr_t)p % 16 || (!is_ours(&inner, p) && !is_ours(&outer, p)))
        bad(what, p);
    struct head *h = head_of(p);
    if (h->size == FREED || h->class >= N_CLASS)
        bad(what, p);
}

static void *get_aligned(uint64_t align, uint64_t n) {
    int fresh;
    if (align <= 16)
        return get(n, &fresh);
    if (n > MAX_BLOCK || align > MAX_BLOCK)
        return NULL;
    uint8_t *p = get(n + align, &fresh);
    if (!p)
        return NULL;
    uint8_t *q = (uint8_t *)(((uintptr_t)p + align - 1) & ~(uintptr_t)(align - 1));
    if (q != p)
        *head_of(q) =
            (struct head){.class = head_of(p)->class, .offset = (uint32_t)(q - p), .size = n};
    else
        head_of(p)->size = n;
    return q;
}

/* ---- the events ---- */

/* Does this call belong to the trace? No point is passed: the C library and the dynamic
 * linker allocate with locks of their own held, which others would wait for with the token. The
 * hooks around the program's own calls are points. */
static int begins(void) {
    if (!rt_enter())
        return 0;
    rt_self->inside = 0; /* the block comes from the inner arena */
    return 1;
}

/* zeroed: the block was set to zero. Big blocks that were never used are zero in everybody's
 * view already; telling it would only touch their shadow. */
static void ends(void *p, uint64_t n, int zeroed) {
    if (p) {
        rt_event_len(AU_OP_ALLOC, p, 0, n);
        if (zeroed)
            rt_tell_set(p, 0, n);
    }
    rt_leave(0);
}

static void *no_memory(void) {
    errno = ENOMEM;
    return NULL;
}

EXPORT void *malloc(size_t n) {
    int fresh, told = begins();
    void *p = get(n, &fresh);
    if (told)
        ends(p, n, 0);
    return p ? p : no_memory();
}

EXPORT void *calloc(size_t count, size_t each) {
    size_t n;
    if (__builtin_mul_overflow(count, each, &n))
        return no_memory();
    int fresh, told = begins();
    void *p = get(n, &fresh);
    if (p && !fresh)
        memset(p, 0, n);
    if (told)
        ends(p, n, !fresh || n < UNTOLD);
    return p ? p : no_memory();
}

EXPORT void free(void *p) {
    if (!p)
        return;
    check("free", p);
    if (begins()) {
        rt_event_len(AU_OP_FREE, p, 0, head_of(p)->size);
        release(p);
        rt_leave(0);
        return;
    }
    int error = errno;
    release(p);
    errno = error;
}

EXPORT void *realloc(void *old, size_t n) {
    if (!old)
        return malloc(n);
    if (!n) {
        free(old);
        return NULL;
    }
    check("realloc", old);
    int fresh, told = begins();
    struct head *h = head_of(old);
    uint64_t was = h->size, capacity = class_size(h->class) - h->offset;
    if (n <= capacity && (capacity <= SMALL || n >= capacity / 2)) {
        h->size = n;
        if (told) {
            rt_event_len(AU_OP_FREE, old, 0, was);
            rt_event_len(AU_OP_ALLOC, old, 0, n);
            rt_leave(0);
        }
        return old;
    }
    void *p = get(n, &fresh);
    if (p) {
        uint64_t kept = was < n ? was : n;
        memcpy(p, old, kept);
        if (told) {
            rt_event_len(AU_OP_ALLOC, p, 0, n);
            if (kept) {
                rt_patch(old, kept);
                rt_tell_copy(p, old, kept);
            }
            rt_event_len(AU_OP_FREE, old, 0, was);
        }
        release(old);
    }
    if (told)
        rt_leave(0);
    return p ? p : no_memory();
}

EXPORT void *reallocarray(void *old, size_t count, size_t each) {
    size_t n;
    return __builtin_mul_overflow(count, each, &n) ? no_memory() : realloc(old, n);
}

EXPORT void *memalign(size_t align, size_t n) {
    if (!align || align & (align - 1)) {
        errno = EINVAL;
        return NULL;
    }
    int told = begins();
    void *p = get_aligned(align, n);
    if (told)
        ends(p, n, 0);
    return p ? p : no_memory();
}

EXPORT void *aligned_alloc(size_t align, size_t n) {
    return memalign(align, n);
}

EXPORT int posix_memalign(void **out, size_t align, size_t n) {
    if (align < sizeof(void *) || align & (align - 1))
        return EINVAL;
    int error = errno;
    void *p = memalign(align, n);
    errno = error;
    if (!p)
        return ENOMEM;
    *out = p;
    return 0;
}

EXPORT void *valloc(size_t n) {
    return memalign(4096, n);
}

EXPORT void *pvalloc(size_t n) {
    return memalign(4096, (n + 4095) & ~(size_t)4095);
}

/* What was asked for and no more: realloc keeps no more than that, and the recording
 * knows the block by this size. */
EXPORT size_t malloc_usable_size(void *p) {
    return p ? (size_t)head_of(p)->size : 0;
}
