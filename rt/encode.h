/* SPDX-License-Identifier: MIT
 *
 * rt/encode.h: the encoder of one event, to be inlined where op and size are constants
 * (hooks.c), and the check whether an event is the expected one. */
#ifndef AUGUR_RT_ENCODE_H
#define AUGUR_RT_ENCODE_H

#include "rt/stream.h"

#define RT_LIKELY(x) __builtin_expect(!!(x), 1)
#define RT_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* The tag is stored after the body of a record: a program killed in between leaves a zero
 * there, which ends the chunk. */
static inline void rt_tag(uint8_t *at, uint8_t t) {
    __asm__ volatile("" ::: "memory");
    *(volatile uint8_t *)at = t;
    rt_logged++;
}

/* Memory, without leaving the runtime's own code: a signal handler that finds the thread in
 * the C library may take it for the program (signal.c). */
static inline void rt_put_bytes(void *to, const void *from, size_t n) {
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}
static inline void rt_fill_bytes(void *p, int byte, size_t n) {
    __asm__ volatile("rep stosb" : "+D"(p), "+c"(n) : "a"(byte) : "memory");
}
static inline void rt_slide_bytes(void *to, const void *from, size_t n) { /* may overlap */
    if ((uintptr_t)to - (uintptr_t)from >= n) {
        rt_put_bytes(to, from, n);
        return;
    }
    to = (char *)to + n - 1;
    from = (const char *)from + n - 1;
    __asm__ volatile("std\n\trep movsb\n\tcld" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}
typedef uint64_t rt_word __attribute__((may_alias, aligned(1)));
static inline int rt_same_bytes(const uint8_t *a, const uint8_t *b, size_t n) {
    uint64_t differ = 0;
    for (; n >= 8; n -= 8, a += 8, b += 8)
        differ |= *(const rt_word *)a ^ *(const rt_word *)b;
    for (; n; n--)
        differ |= *a++ ^ *b++;
    return !differ;
}

static inline uint8_t *rt_put_v(uint8_t *p, uint64_t x) {
    if (RT_LIKELY(x < 0x80)) {
        *p = (uint8_t)x;
        return p + 1;
    }
    return au_put_v(p, x);
}

static inline void rt_spend(void) {
    /* One instruction, so that a signal handler that ends the turn is not overwritten. */
    __asm__ volatile("decq %0" : "+m"(rt_hot.budget));
}

/* Room for RT_SMALL bytes is left in the chunk behind rt_hot.limit. */
static inline uint8_t *rt_room(void) {
    if (RT_UNLIKELY(rt_hot.out >= rt_hot.limit))
        rt_chunk_next();
    return rt_hot.out;
}

/* The RUN record of the expected events so far, at p. */
static inline uint8_t *rt_put_run(uint8_t *p) {
    uint64_t n = (uint64_t)(rt_hot.mark - rt_hot.budget);
    if (n) {
        rt_hot.mark = rt_hot.budget;
        uint8_t *q = rt_put_v(p + 1, n);
        rt_tag(p, AU_TAG_RUN);
        p = q;
    }
    return p;
}

/* Does and counts the event if it is exactly the expected one (not for reads, nothing with
 * a length or bytes): nothing is written. The budget must not be used up. */
static inline int rt_hit(struct au_site *s, uint8_t op, uint64_t address, uint64_t value) {
    if (!(rt_hot.budget > 0 && rt_hot.prev->succ == s->id && s->op == op && s->pred == address &&
          s->val == value && s->len == 0 && s->size == 0))
        return 0;
    s->pred += (uint64_t)s->stride;
    s->val += (uint64_t)s->vstride;
    rt_hot.prev = s;
    rt_spend();
    return 1;
}

/* One event of the holder, whose turn is committed and which may execute it. */
static inline __attribute__((always_inline)) void rt_encode(struct au_site *s, uint8_t op,
                                                            uint8_t size, uint64_t address,
                                                            uint64_t value, uint32_t len,
                                                            const void *data) {
    struct au_site *prev = rt_hot.prev;
    bool read = au_sop_is_read(op);
    uint32_t id = s->id;
    unsigned f = 0;
    if (prev->succ != id)
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
        if (data)
            rt_big_room(len);
        uint8_t *p = rt_put_run(rt_room());
        uint8_t *q = p + 1;
        if (f & AU_EV_SITE) {
            q = rt_put_v(q, id);
            if (RT_LIKELY(prev->id))
                prev->succ = id;
        }
        if (f & AU_EV_OP) {
            s->op = *q++ = op;
            s->size = *q++ = size;
        }
        if (f & AU_EV_ADDR) {
            q = rt_put_v(q, au_zigzag((int64_t)(address - s->pred)));
            au_site_miss_address(s, address);
        } else
            au_site_hit_address(s);
        if (f & AU_EV_VAL) {
            q = rt_put_v(q, au_zigzag((int64_t)(value - s->val)));
            au_site_miss_value(s, value);
        } else if (!read)
            au_site_hit_value(s);
        if (f & AU_EV_LEN) {
            q = rt_put_v(q, len);
            s->len = len;
        }
        if (data) {
            rt_put_bytes(q, data, len);
            q += len;
        }
        rt_hot.out = q;
        rt_tag(p, (uint8_t)(AU_TAG_EV | f));
        rt_hot.mark--; /* the event itself is told */
    } else {
        au_site_hit_address(s);
        if (!read)
            au_site_hit_value(s);
    }
    rt_hot.prev = s;
    rt_spend();
}

#endif
