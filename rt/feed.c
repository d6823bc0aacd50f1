/* SPDX-License-Identifier: MIT
 *
 * rt/feed.c: inputs from outside: logged while recording, fed while replaying.
 * In the control memory each is: v thread, then the INPUT record as in the stream. Each
 * thread has a cursor of its own, so a replay that orders threads otherwise still gives
 * every thread what it got. */
#include "rt/live.h"
#include "rt/signal.h"
#include "rt/stream.h"

#include <errno.h>
#include <string.h>

int rt_replaying(void) {
    return rt_control && rt_control->mode == AU_MODE_REPLAY;
}

void rt_input(uint8_t kind, int64_t result, const void *bytes, size_t n) {
    rt_input_caused(kind, result, 0, bytes, n);
}

uint32_t rt_taken_cause;

void rt_input_caused(uint8_t kind, int64_t result, uint32_t cause, const void *bytes, size_t n) {
    int error = result < 0 ? errno : (int)cause;
    const char *p = bytes;
    while (n > RT_DATA_MAX) {
        rt_log_input(kind | AU_INPUT_MORE, result, error, p, RT_DATA_MAX);
        p += RT_DATA_MAX;
        n -= RT_DATA_MAX;
    }
    rt_log_input(kind, result, error, p, n);
}

struct record {
    uint8_t kind;
    int64_t result;
    uint64_t error, n;
    const uint8_t *bytes;
};

/* The record behind *at; 0: none. */
static int record_at(const uint8_t *base, uint64_t *at, uint32_t *of, struct record *r) {
    const uint8_t *end = base + rt_control->inputs_size, *p = base + *at;
    uint64_t thread, result;
    if (p >= end)
        return 0;
    p = au_get_v(p, end, &thread);
    if (!p || end - p < 2 || p[0] != AU_TAG_INPUT)
        return 0;
    r->kind = p[1];
    p = au_get_v(p + 2, end, &result);
    if (p)
        p = au_get_v(p, end, &r->error);
    if (p)
        p = au_get_v(p, end, &r->n);
    if (!p || r->n > (uint64_t)(end - p))
        return 0;
    r->result = au_unzigzag(result);
    r->bytes = p;
    *of = (uint32_t)thread;
    *at = (uint64_t)(p + r->n - base);
    return 1;
}

/* The next INPUT (or signal) of t behind *at; 0: none. */
static int next(struct rt_thread *t, uint64_t *at, int signals, struct record *r) {
    const uint8_t *base = (const uint8_t *)rt_control + rt_control->inputs_offset;
    uint32_t thread;
    while (record_at(base, at, &thread, r)) {
        if (thread != t->number || (rt_living() && (r->kind & AU_INPUT_INSIDE)))
            continue; /* it is made again, not fed */
        if (((r->kind & ~AU_INPUT_INSIDE) == AU_INPUT_SIGNAL) == signals)
            return 1;
    }
    *at = rt_control->inputs_size;
    return 0;
}

uint64_t rt_signal_next(struct rt_thread *t) {
    if (!t->signal_next) {
        struct record r;
        uint64_t at = t->signal_at, events = UINT64_MAX - 1;
        if (next(t, &at, 1, &r) && r.n == sizeof events)
            memcpy(&events, r.bytes, sizeof events);
        t->signal_next = events + 1;
    }
    return t->signal_next == UINT64_MAX ? UINT64_MAX : t->signal_next - 1;
}

int rt_signal_due(struct rt_thread *t, uint64_t events, uint8_t *flags) {
    struct record r;
    if (rt_signal_next(t) != events)
        return 0;
    next(t, &t->signal_at, 1, &r);
    t->signal_next = 0;
    *flags = r.kind & AU_INPUT_INSIDE;
    return r.result > 0 && r.result < 65 ? (int)r.result : 0;
}

uint64_t rt_signal_then(const struct rt_thread *t, int sig) {
    const uint8_t *base = (const uint8_t *)rt_control + rt_control->inputs_offset;
    uint64_t at = 0, events;
    unsigned passed = 0;
    struct record r;
    uint32_t thread;
    while (record_at(base, &at, &thread, &r)) {
        if (thread != t->number || r.kind != (AU_INPUT_SIGNAL | AU_INPUT_INSIDE) ||
            r.n != sizeof events || passed++ < t->own_signals)
            continue;
        memcpy(&events, r.bytes, sizeof events);
        return r.result == sig ? events : UINT64_MAX;
    }
    return UINT64_MAX;
}

int rt_failure_due(struct rt_thread *t, uint64_t events) {
    struct record r;
    uint64_t at = t->input_at, then;
    if (!rt_replaying() || !next(t, &at, 0, &r) || r.kind != AU_INPUT_FAILED || r.n != sizeof then)
        return 0;
    memcpy(&then, r.bytes, sizeof then);
    if (then != events)
        return 0;
    t->input_at = at;
    return (int)r.result;
}

int rt_input_take(uint8_t *kind, int64_t *result, void *bytes, size_t cap, size_t *n) {
    if (!rt_replaying())
        return 0;
    struct rt_thread *t = rt_hot.self;
    uint64_t before = t->input_at;
    struct record r;
    size_t filled = 0;
    do {
        if (!next(t, &t->input_at, 0, &r))
            return 0;
        if ((r.kind & ~(AU_INPUT_MORE | AU_INPUT_INSIDE)) !=
            *kind) { /* it asks for something else than then */
            t->input_at = before;
            return 0;
        }
        size_t piece = r.n < cap - filled ? r.n : cap - filled;
        if (piece)
            memcpy((char *)bytes + filled, r.bytes, piece);
        filled += piece;
    } while (r.kind & AU_INPUT_MORE);
    *result = r.result;
    if (n)
        *n = filled;
    rt_taken_cause = (uint32_t)r.error;
    if (r.result < 0)
        errno = (int)r.error;
    *kind |= r.kind & AU_INPUT_INSIDE;
    return 1;
}

int rt_input_replay(uint8_t kind, int64_t *result, void *bytes, size_t cap, size_t *n) {
    size_t filled = 0;
    if (!rt_input_take(&kind, result, bytes, cap, &filled))
        return 0;
    if (n)
        *n = filled;
    rt_input_caused(kind, *result, rt_taken_cause, bytes, filled);
    return 1;
}

enum rt_then rt_input_then(uint8_t kind, int64_t result, uint32_t cause, const void *bytes,
                           size_t n) {
    const uint8_t *base = (const uint8_t *)rt_control + rt_control->inputs_offset;
    enum rt_then then = RT_NOTHING;
    uint64_t at = 0;
    uint32_t thread;
    struct record r;
    while (record_at(base, &at, &thread, &r)) {
        if ((r.kind & ~AU_INPUT_MORE) != (kind | AU_INPUT_INSIDE) || r.result < 0 ||
            r.error != cause)
            continue;
        if (r.result == result && r.n >= n && (!n || !memcmp(r.bytes, bytes, n)))
            return RT_LIKEWISE;
        then = RT_OTHERWISE;
    }
    return then;
}
