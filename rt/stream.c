/* SPDX-License-Identifier: MIT
 *
 * rt/stream.c: the encoder of wire/stream.h and the ring of chunks (wire/control.h).
 *
 * A chunk always has RT_SMALL bytes behind rt_hot.limit, so that small records need one
 * comparison. */
#include "rt/encode.h"

#include <linux/futex.h>
#include <string.h>

uint8_t rt_turn_why = AU_TURN_START;

/* rt_told: the thread the stream is at. */
struct rt_thread *rt_told;
struct au_site rt_no_site;
uint64_t rt_logged;
static uint64_t patch_end;
static uint8_t *chunk;

static uint8_t *chunk_at(uint32_t n) {
    return (uint8_t *)rt_control + rt_control->ring_offset +
           (uint64_t)(n % AU_CHUNKS) * AU_CHUNK_BYTES;
}

void rt_stream_start(void) {
    chunk = rt_hot.out = chunk_at(rt_control->filled);
    rt_hot.limit = chunk + AU_CHUNK_BYTES - RT_SMALL;
    rt_hot.bits = UINT64_C(1) << 63;
    rt_hot.prev = &rt_no_site;
}

void rt_chunk_next(void) {
    struct au_control *c = rt_control;
    c->bytes += (uint64_t)(rt_hot.out - chunk);
    c->logged = rt_logged;
    uint32_t filled = __atomic_add_fetch(&c->filled, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&c->sleeping, __ATOMIC_SEQ_CST))
        rt_futex(&c->filled, FUTEX_WAKE, 1, NULL);
    for (;;) {
        uint32_t drained = __atomic_load_n(&c->drained, __ATOMIC_SEQ_CST);
        if (filled - drained < AU_CHUNKS)
            break;
        __atomic_store_n(&c->waiting, 1, __ATOMIC_SEQ_CST);
        struct timespec second = {1, 0};
        if (rt_futex(&c->drained, FUTEX_WAIT, drained, &second) != 0 && rt_real.getppid() == 1 &&
            __atomic_load_n(&c->drained, __ATOMIC_SEQ_CST) == drained)
            rt_quit(125); /* nobody reads the trace any more */
        __atomic_store_n(&c->waiting, 0, __ATOMIC_SEQ_CST);
    }
    chunk = rt_hot.out = chunk_at(filled);
    rt_hot.limit = chunk + AU_CHUNK_BYTES - RT_SMALL;
}

void rt_big_room(size_t n) {
    if ((size_t)(rt_hot.limit - rt_hot.out) < n || rt_hot.out > rt_hot.limit)
        rt_chunk_next();
}

/* Room for a record of n bytes, behind the expected events so far. */
static uint8_t *room(size_t n) {
    rt_big_room(n);
    return rt_hot.out;
}

static void flush_run(void) {
    rt_hot.out = rt_put_run(rt_room());
}

void rt_stream_flush(void) {
    flush_run();
    rt_log_bits();
}

void rt_stream_tell(void) {
    rt_stream_flush();
    uint64_t at = (uint64_t)rt_control->filled << 32 | (uint64_t)(rt_hot.out - chunk);
    __atomic_store_n(&rt_control->begun, at, __ATOMIC_RELEASE);
}

void rt_log_bits(void) {
    unsigned n = 63u - (unsigned)__builtin_ctzll(rt_hot.bits);
    if (!n)
        return;
    uint64_t b = rt_hot.bits >> (64u - n);
    rt_hot.bits = UINT64_C(1) << 63;
    uint8_t *p = room(16);
    p[1] = (uint8_t)n;
    *(rt_word *)(p + 2) = b; /* zero above the n bits, as the chunk is */
    unsigned bytes = (n + 7) / 8;
    rt_hot.out = p + 2 + bytes;
    rt_tag(p, AU_TAG_BITS);
}

/* So far: who went on, and after how many of its events. */
static uint64_t way = 1;

uint64_t rt_way(void) {
    return way;
}

void rt_commit_slow(void) {
    struct rt_thread *t = rt_hot.self;
    way = (way ^ (t->number + rt_now(t))) * UINT64_C(0x9e3779b97f4a7c15) + t->number;
    flush_run();
    rt_log_bits();
    if (rt_told)
        rt_told->prev = rt_hot.prev;
    rt_hot.prev = t->prev ? t->prev : &rt_no_site;
    rt_told = t;
    uint8_t *p = room(16);
    uint8_t *q = au_put_v(p + 1, t->number);
    *q++ = rt_turn_why;
    rt_hot.out = q;
    rt_tag(p, AU_TAG_TURN);
}

void rt_log(struct au_site *s, uint8_t op, uint8_t size, uint64_t address, uint64_t value,
            uint32_t len, const void *data) {
    rt_commit();
    rt_encode(s, op, size, address, value, len, data);
}

static void patch_piece(const uint8_t *from, size_t n) {
    rt_commit();
    flush_run();
    uint8_t *p = room(64 + n);
    uint64_t a = (uint64_t)(uintptr_t)from;
    uint8_t *q = au_put_v(p + 1, au_zigzag((int64_t)(a - patch_end)));
    q = au_put_v(q, n);
    rt_put_bytes(q, from, n);
    /* What the stream was told is what the shadow gets, whoever writes meanwhile. */
    rt_put_bytes((void *)(uintptr_t)rt_shadow(from), q, n);
    patch_end = a + n;
    rt_hot.out = q + n;
    rt_tag(p, AU_TAG_PATCH);
}

void rt_patch(const void *from, size_t n) {
    const uint8_t *p = from;
    while (n) {
        size_t piece = n < 64 ? n : 64;
        if (rt_same_bytes(p, (const uint8_t *)(uintptr_t)rt_shadow(p), piece)) {
            p += piece;
            n -= piece;
            continue;
        }
        /* One record for what differs without a gap of a whole piece. */
        size_t far = piece;
        while (far < n && far + 64 <= RT_DATA_MAX) {
            size_t more = n - far < 64 ? n - far : 64;
            if (rt_same_bytes(p + far, (const uint8_t *)(uintptr_t)rt_shadow(p + far), more))
                break;
            far += more;
        }
        patch_piece(p, far);
        p += far;
        n -= far;
    }
}

void rt_log_thread(const struct rt_thread *t) {
    if (rt_told) /* the main thread is told before its first turn */
        rt_commit();
    flush_run();
    uint8_t *p = room(64);
    uint8_t *q = au_put_v(p + 1, t->number);
    q = au_put_v(q, (uint64_t)(uintptr_t)t->stack);
    q = au_put_v(q, t->stack_size);
    q = au_put_v(q, (uint64_t)(uintptr_t)t->entry);
    rt_hot.out = q;
    rt_tag(p, AU_TAG_THREAD);
}

void rt_log_object(const void *object, uint8_t kind, int32_t init) {
    rt_commit();
    flush_run();
    uint8_t *p = room(64);
    uint8_t *q = au_put_v(p + 1, (uint64_t)(uintptr_t)object);
    *q++ = kind;
    q = au_put_v(q, au_zigzag(init));
    rt_hot.out = q;
    rt_tag(p, AU_TAG_OBJ);
}

void rt_log_text(uint8_t kind, const char *text, size_t n) {
    if (n > RT_DATA_MAX)
        n = RT_DATA_MAX;
    rt_commit();
    flush_run();
    uint8_t *p = room(64 + n);
    p[1] = kind;
    uint8_t *q = au_put_v(p + 2, n);
    rt_put_bytes(q, text, n);
    rt_hot.out = q + n;
    rt_tag(p, AU_TAG_NOTE);
}

void rt_log_block(const char *name) {
    static const char *known[64];
    const char **k = &known[((uintptr_t)name >> 2) % 64];
    if (*k == name)
        return;
    *k = name;
    char text[8 + 512];
    uint64_t address = (uint64_t)(uintptr_t)name;
    size_t n = name ? strnlen(name, 512) : 0;
    rt_put_bytes(text, &address, 8);
    if (n)
        rt_put_bytes(text + 8, name, n);
    rt_log_text(AU_NOTE_BLOCK, text, 8 + n);
}

void rt_log_input(uint8_t kind, int64_t result, int error, const void *bytes, size_t n) {
    rt_commit();
    flush_run();
    uint8_t *p = room(64 + n);
    p[1] = kind;
    uint8_t *q = au_put_v(p + 2, au_zigzag(result));
    q = au_put_v(q, (uint64_t)(unsigned)error);
    q = au_put_v(q, n);
    rt_put_bytes(q, bytes, n);
    rt_hot.out = q + n;
    rt_tag(p, AU_TAG_INPUT);
}

void rt_log_module(const struct __augur_module *m, uint32_t first, const char *path) {
    rt_commit();
    flush_run();
    size_t length = strlen(path);
    if (length > 4096)
        length = 4096;
    /* A record lies in one chunk: of a module with more globals than that the rest keep their
     * addresses as names. */
    uint32_t most = (AU_CHUNK_BYTES - 8192) / 10;
    uint32_t n_globals = m->n_globals < most ? m->n_globals : most;
    uint8_t *p = room(64 + 10 * (size_t)n_globals + length);
    rt_put_bytes(p + 1, &m->id, 8);
    uint8_t *q = au_put_v(p + 9, first);
    q = au_put_v(q, m->n_sites);
    q = au_put_v(q, n_globals);
    for (uint32_t i = 0; i < n_globals; i++)
        q = au_put_v(q, (uint64_t)(uintptr_t)m->global[i]);
    q = au_put_v(q, length);
    rt_put_bytes(q, path, length);
    rt_hot.out = q + length;
    rt_tag(p, AU_TAG_MODULE);
}

void rt_log_end(uint8_t why, int64_t status) {
    flush_run();
    rt_log_bits();
    uint8_t *p = room(16);
    p[1] = why;
    rt_hot.out = au_put_v(p + 2, au_zigzag(status));
    rt_tag(p, AU_TAG_END);
    rt_chunk_next();
}
