/* record/launch_drain.c: the reading end of the ring.
 *
 * The program must never find the ring changed under it: a chunk is the drainer's from the
 * moment 'filled' passes it until the drainer, having zeroed it, lets 'drained' pass it. */
#include "base/clock.h"
#include "record/launch.h"

#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { TICK_NS = 100 * 1000 * 1000 };

static uint32_t load(const uint32_t *p) {
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);
}
static void store(uint32_t *p, uint32_t v) {
    __atomic_store_n(p, v, __ATOMIC_SEQ_CST);
}

/* Between processes, so not FUTEX_PRIVATE. */
static void futex_wait(uint32_t *p, uint32_t seen) {
    const struct timespec t = {.tv_nsec = TICK_NS};
    syscall(SYS_futex, p, FUTEX_WAIT, seen, &t, NULL, 0);
}
static void futex_wake(uint32_t *p) {
    syscall(SYS_futex, p, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static const double OFTEN =
    0.05; /* seconds: the begun chunk of a live stream is looked at so often */

struct drain {
    au_control_map *m;
    au_chunk_fn *sink;
    void *ctx;
    uint32_t drained;
    size_t taken; /* bytes of the begun chunk: live streams */
    double looked;
    bool wanted, broken;
    uint64_t chunks;
};

static unsigned char *chunk_of(const struct drain *d) {
    return d->m->ring + (size_t)(d->drained % AU_CHUNKS) * AU_CHUNK_BYTES;
}

static void take(struct drain *d) {
    d->chunks++;
    if (d->wanted)
        d->wanted = d->sink(d->ctx, chunk_of(d) + d->taken, AU_CHUNK_BYTES - d->taken);
    d->taken = 0;
}

/* A live stream: the whole records of the begun chunk, which the program does not touch any more. */
static void take_begun(struct drain *d) {
    const struct au_control *c = d->m->c;
    double now = au_now();
    if (!c->live || d->broken || now - d->looked < OFTEN)
        return;
    d->looked = now;
    uint64_t begun = __atomic_load_n(&c->begun, __ATOMIC_ACQUIRE);
    size_t whole = (uint32_t)begun;
    if (begun >> 32 != d->drained || whole <= d->taken || whole >= AU_CHUNK_BYTES || !d->wanted)
        return;
    d->wanted = d->sink(d->ctx, chunk_of(d) + d->taken, whole - d->taken);
    d->taken = whole;
}

static void take_published(struct drain *d) {
    struct au_control *c = d->m->c;
    for (uint32_t filled; (filled = load(&c->filled)) != d->drained;) {
        if (filled - d->drained > AU_CHUNKS) { /* the program wrote where it must not */
            d->broken = true;
            return;
        }
        take(d);
        memset(chunk_of(d), 0, AU_CHUNK_BYTES);
        store(&c->drained, ++d->drained);
        if (load(&c->waiting))
            futex_wake(&c->drained);
    }
}

void au_drain(au_control_map *m, au_child *child, au_chunk_fn *sink, au_tick_fn *tick, void *ctx,
              au_launch_result *r) {
    struct au_control *c = m->c;
    struct drain d = {.m = m, .sink = sink, .ctx = ctx, .wanted = true};
    double begun = au_now();
    *r = (au_launch_result){0};
    for (;;) {
        /* In this order: what was published before the end is seen after it. */
        bool over = au_launch_ended(child);
        take_published(&d);
        take_begun(&d);
        if (tick)
            tick(ctx);
        if (over)
            break;
        store(&c->sleeping, 1);
        uint32_t filled = load(&c->filled);
        if ((filled == d.drained || d.broken) && !au_launch_ended(child))
            futex_wait(&c->filled, filled);
        store(&c->sleeping, 0);
    }
    r->seconds = au_now() - begun;
    r->status = au_launch_wait(child);
    /* The begun chunk: a program that was killed has not published it. */
    if (!d.broken && chunk_of(&d)[d.taken])
        take(&d);
    r->chunks = d.chunks;
    r->broken = d.broken;
    memcpy(&r->last, c, sizeof r->last);
    r->attached = d.chunks > 0 || r->last.ended || r->last.threads;
    r->ended = r->last.ended != 0;
    r->last.message[sizeof r->last.message - 1] = 0;
}
