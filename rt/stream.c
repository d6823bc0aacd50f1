/* SPDX-License-Identifier: MIT
 *
 * rt/stream.c: the encoder of wire/stream.h and the ring of chunks (wire/control.h).
 *
 * A record's tag is stored after its body, so that a program killed inside a record leaves
 * a zero there, which ends the chunk. */
#include "rt/stream.h"

#include <linux/futex.h>
#include <string.h>

uint8_t rt_turn_why = AU_TURN_START;

/* The thread the stream is at, and its expected events of turns before this one that are not
 * written yet. */
static struct rt_thread *told;
static uint64_t owed;
static uint64_t patch_end;
static uint8_t *chunk;

static void tag(uint8_t *at, uint8_t t) {
    __asm__ volatile("" ::: "memory");
    *(volatile uint8_t *)at = t;
    rt_control->logged++;
}

static uint8_t *chunk_at(uint32_t n) {
    return (uint8_t *)rt_control + rt_control->ring_offset +
           (uint64_t)(n % AU_CHUNKS) * AU_CHUNK_BYTES;
}

void rt_stream_start(void) {
    chunk = rt_hot.out = chunk_at(rt_control->filled);
    rt_hot.limit = chunk + AU_CHUNK_BYTES;
    rt_hot.bits = UINT64_C(1) << 63;
}

void rt_chunk_next(void) {
    struct au_control *c = rt_control;
    c->bytes += (uint64_t)(rt_hot.out - chunk);
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
    rt_hot.limit = chunk + AU_CHUNK_BYTES;
}

/* Room for n bytes and the records that flush writes before them. */
static uint8_t *room(size_t n) {
    if ((size_t)(rt_hot.limit - rt_hot.out) < n + 1)
        rt_chunk_next();
    return rt_hot.out;
}

static void flush_run(void) {
    uint64_t n = owed + (uint64_t)(rt_hot.mark - rt_hot.budget);
    owed = 0;
    rt_hot.mark = rt_hot.budget;
    if (!n)
        return;
    uint8_t *p = room(16);
    rt_hot.out = au_put_v(p + 1, n);
    tag(p, AU_TAG_RUN);
}

void rt_log_bits(void) {
    unsigned n = 63u - (unsigned)__builtin_ctzll(rt_hot.bits);
    if (!n)
        return;
    uint64_t b = rt_hot.bits >> (64u - n);
    rt_hot.bits = UINT64_C(1) << 63;
    uint8_t *p = room(16);
    p[1] = (uint8_t)n;
    memcpy(p + 2, &b, 8);
    unsigned bytes = (n + 7) / 8;
    memset(p + 2 + bytes, 0, 8 - bytes);
    rt_hot.out = p + 2 + bytes;
    tag(p, AU_TAG_BITS);
}

void rt_stream_pause(void) {
    owed += (uint64_t)(rt_hot.mark - rt_hot.budget);
    rt_hot.mark = rt_hot.budget;
}

void rt_stream_resume(void) {
    rt_hot.mark = rt_hot.budget;
}

void rt_commit(void) {
    struct rt_thread *t = rt_hot.self;
    if (t == told)
        return;
    flush_run();
    rt_log_bits();
    if (told)
        told->prev = rt_hot.prev;
    rt_hot.prev = t->prev;
    told = t;
    uint8_t *p = room(16);
    uint8_t *q = au_put_v(p + 1, t->number);
    *q++ = rt_turn_why;
    rt_hot.out = q;
    tag(p, AU_TAG_TURN);
}

void rt_log(struct au_site *s, uint8_t op, uint8_t size, uint64_t address, uint64_t value,
            uint32_t len, const void *data) {
    rt_commit();
    struct au_site *prev = rt_hot.prev;
    bool read = au_sop_is_read(op);
    unsigned f = 0;
    if (!prev || prev->succ != s->id)
        f |= AU_EV_SITE;
    if (s->op != op || s->size != size)
        f |= AU_EV_OP;
    if (s->pred != address)
        f |= AU_EV_ADDR;
    if (!read && s->val != value)
        f |= AU_EV_VAL;
    if (s->len != len)
        f |= AU_EV_LEN;
    if (data)
        f |= AU_EV_DATA;
    if (f) {
        flush_run();
        uint8_t *p = room(64 + (data ? len : 0));
        uint8_t *q = p + 1;
        if (f & AU_EV_SITE)
            q = au_put_v(q, s->id);
        if (f & AU_EV_OP) {
            *q++ = op;
            *q++ = size;
        }
        if (f & AU_EV_ADDR)
            q = au_put_v(q, au_zigzag((int64_t)(address - s->pred)));
        if (f & AU_EV_VAL)
            q = au_put_v(q, au_zigzag((int64_t)(value - s->val)));
        if (f & AU_EV_LEN)
            q = au_put_v(q, len);
        if (data) {
            memcpy(q, data, len);
            q += len;
        }
        rt_hot.out = q;
        tag(p, (uint8_t)(AU_TAG_EV | f));
        rt_hot.mark--; /* the event itself is told */
    }
    rt_hot.budget--;
    if (prev)
        prev->succ = s->id;
    s->op = op;
    s->size = size;
    s->len = len;
    if (f & AU_EV_ADDR)
        au_site_miss_address(s, address);
    else
        au_site_hit_address(s);
    if (!read) {
        if (f & AU_EV_VAL)
            au_site_miss_value(s, value);
        else
            au_site_hit_value(s);
    }
    rt_hot.prev = s;
}

static void patch_piece(const uint8_t *from, size_t n) {
    rt_commit();
    flush_run();
    uint8_t *p = room(64 + n);
    uint64_t a = (uint64_t)(uintptr_t)from;
    uint8_t *q = au_put_v(p + 1, au_zigzag((int64_t)(a - patch_end)));
    q = au_put_v(q, n);
    memcpy(q, from, n);
    /* What the stream was told is what the shadow gets, whoever writes meanwhile. */
    memcpy((void *)(uintptr_t)rt_shadow(from), q, n);
    patch_end = a + n;
    rt_hot.out = q + n;
    tag(p, AU_TAG_PATCH);
}

void rt_patch(const void *from, size_t n) {
    const uint8_t *p = from;
    while (n) {
        size_t piece = n < 64 ? n : 64;
        if (memcmp(p, (const void *)(uintptr_t)rt_shadow(p), piece) == 0) {
            p += piece;
            n -= piece;
            continue;
        }
        /* One record for what differs without a gap of a whole piece. */
        size_t far = piece;
        while (far < n && far + 64 <= RT_DATA_MAX) {
            size_t more = n - far < 64 ? n - far : 64;
            if (memcmp(p + far, (const void *)(uintptr_t)rt_shadow(p + far), more) == 0)
                break;
            far += more;
        }
        patch_piece(p, far);
        p += far;
        n -= far;
    }
}

void rt_log_thread(const struct rt_thread *t) {
    if (told) /* the main thread is told before its first turn */
        rt_commit();
    flush_run();
    uint8_t *p = room(64);
    uint8_t *q = au_put_v(p + 1, t->number);
    q = au_put_v(q, (uint64_t)(uintptr_t)t->stack);
    q = au_put_v(q, t->stack_size);
    q = au_put_v(q, (uint64_t)(uintptr_t)t->entry);
    rt_hot.out = q;
    tag(p, AU_TAG_THREAD);
}

void rt_log_object(const void *object, uint8_t kind, int32_t init) {
    rt_commit();
    flush_run();
    uint8_t *p = room(64);
    uint8_t *q = au_put_v(p + 1, (uint64_t)(uintptr_t)object);
    *q++ = kind;
    q = au_put_v(q, au_zigzag(init));
    rt_hot.out = q;
    tag(p, AU_TAG_OBJ);
}

void rt_log_text(uint8_t kind, const char *text, size_t n) {
    if (n > RT_DATA_MAX)
        n = RT_DATA_MAX;
    rt_commit();
    flush_run();
    uint8_t *p = room(64 + n);
    p[1] = kind;
    uint8_t *q = au_put_v(p + 2, n);
    memcpy(q, text, n);
    rt_hot.out = q + n;
    tag(p, AU_TAG_NOTE);
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
    memcpy(text, &address, 8);
    if (n)
        memcpy(text + 8, name, n);
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
    memcpy(q, bytes, n);
    rt_hot.out = q + n;
    tag(p, AU_TAG_INPUT);
}

void rt_log_module(const struct __augur_module *m, uint32_t first, const char *path) {
    rt_commit();
    flush_run();
    size_t length = strlen(path);
    if (length > 4096)
        length = 4096;
    uint8_t *p = room(64 + 10 * (size_t)m->n_globals + length);
    memcpy(p + 1, &m->id, 8);
    uint8_t *q = au_put_v(p + 9, first);
    q = au_put_v(q, m->n_sites);
    q = au_put_v(q, m->n_globals);
    for (uint32_t i = 0; i < m->n_globals; i++)
        q = au_put_v(q, (uint64_t)(uintptr_t)m->global[i]);
    q = au_put_v(q, length);
    memcpy(q, path, length);
    rt_hot.out = q + length;
    tag(p, AU_TAG_MODULE);
}

void rt_log_end(uint8_t why, int64_t status) {
    flush_run();
    rt_log_bits();
    uint8_t *p = room(16);
    p[1] = why;
    rt_hot.out = au_put_v(p + 2, au_zigzag(status));
    tag(p, AU_TAG_END);
    rt_chunk_next();
}
