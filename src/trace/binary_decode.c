/* trace/binary_decode.c: frames into blocks; one EVENTS frame is one block.
 *
 * Nothing is believed before it is checked: every number in a column is compared with
 * the size of its name table before the events leave this file (the frames themselves:
 * frames.h). */
#include "base/error.h"
#include "base/limits.h"
#include "base/vec.h"
#include "trace/binary_priv.h"
#include "trace/frames.h"
#include "trace/reader_priv.h"

#include <stdio.h>

typedef struct {
    au_decoder base;
    uint64_t events; /* decoded so far */
    uint64_t first;  /* number of the first event of the last block */
    au_frames frames;
} decoder;

static au_status __attribute__((format(printf, 3, 4)))
bad(const decoder *d, au_error *err, const char *fmt, ...) {
    char what[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    return au_frames_bad(&d->frames, err, "%s", what);
}

/* ---- columns ------------------------------------------------------------ */

/* Chunks of a fixed size: the compiler makes vector code of them at -O2. The encoder has the mirror of this. */
enum { CHUNK = 64 };

#define WIDEN(name, To, From)                                                                      \
    static void name(To *restrict to, const char *restrict p, size_t n, To base) {                 \
        size_t i = 0;                                                                              \
        for (; i + CHUNK <= n; i += CHUNK)                                                         \
            for (size_t k = 0; k < CHUNK; k++) {                                                   \
                From x;                                                                            \
                memcpy(&x, p + (i + k) * sizeof x, sizeof x);                                      \
                to[i + k] = (To)(base + x);                                                        \
            }                                                                                      \
        for (; i < n; i++) {                                                                       \
            From x;                                                                                \
            memcpy(&x, p + i * sizeof x, sizeof x);                                                \
            to[i] = (To)(base + x);                                                                \
        }                                                                                          \
    }
WIDEN(widen_8_8, uint8_t, uint8_t)
WIDEN(widen_16_8, uint16_t, uint8_t)
WIDEN(widen_16_16, uint16_t, uint16_t)
WIDEN(widen_32_8, uint32_t, uint8_t)
WIDEN(widen_32_16, uint32_t, uint16_t)
WIDEN(widen_32_32, uint32_t, uint32_t)
WIDEN(widen_64_8, uint64_t, uint8_t)
WIDEN(widen_64_16, uint64_t, uint16_t)
WIDEN(widen_64_32, uint64_t, uint32_t)
WIDEN(widen_64_64, uint64_t, uint64_t)

#define FILL(name, To)                                                                             \
    static void name(To *to, size_t n, To base) {                                                  \
        for (size_t i = 0; i < n; i++)                                                             \
            to[i] = base;                                                                          \
    }
FILL(fill_16, uint16_t)
FILL(fill_32, uint32_t)
FILL(fill_64, uint64_t)

/* false if there is no such width for this column. */
static bool widen(void *to, const struct au_wire_column *c, const char *p, size_t n) {
    switch (au_binary_column_size(c->kind) << 4 | c->width) {
    case 0x10:
        if (n) /* without events there are no columns to fill */
            memset(to, (int)c->base, n);
        return true;
    case 0x11:
        widen_8_8(to, p, n, (uint8_t)c->base);
        return true;
    case 0x20:
        fill_16(to, n, (uint16_t)c->base);
        return true;
    case 0x21:
        widen_16_8(to, p, n, (uint16_t)c->base);
        return true;
    case 0x22:
        widen_16_16(to, p, n, (uint16_t)c->base);
        return true;
    case 0x40:
        fill_32(to, n, (uint32_t)c->base);
        return true;
    case 0x41:
        widen_32_8(to, p, n, (uint32_t)c->base);
        return true;
    case 0x42:
        widen_32_16(to, p, n, (uint32_t)c->base);
        return true;
    case 0x44:
        widen_32_32(to, p, n, (uint32_t)c->base);
        return true;
    case 0x80:
        fill_64(to, n, c->base);
        return true;
    case 0x81:
        widen_64_8(to, p, n, c->base);
        return true;
    case 0x82:
        widen_64_16(to, p, n, c->base);
        return true;
    case 0x84:
        widen_64_32(to, p, n, c->base);
        return true;
    case 0x88:
        widen_64_64(to, p, n, c->base);
        return true;
    default:
        return false;
    }
}

/* Is there an element that is not below the limit? */
#define ANY_FROM(name, T)                                                                          \
    static bool name(const T *v, size_t n, T limit) {                                              \
        T most = 0;                                                                                \
        size_t i = 0;                                                                              \
        for (; i + CHUNK <= n; i += CHUNK)                                                         \
            for (size_t k = 0; k < CHUNK; k++)                                                     \
                most = v[i + k] > most ? v[i + k] : most;                                          \
        for (; i < n; i++)                                                                         \
            most = v[i] > most ? v[i] : most;                                                      \
        return most >= limit;                                                                      \
    }
ANY_FROM(any_from_8, uint8_t)
ANY_FROM(any_from_16, uint16_t)

/* A location is good if it is a number, none, or the id of a name. */
static bool bad_loc(uint32_t loc, uint32_t named) {
    return loc >= AU_LOC_NAMED && loc != AU_NONE && loc - AU_LOC_NAMED >= named;
}

static bool any_bad_loc(const uint32_t *v, size_t n, uint32_t named) {
    uint32_t most = 0; /* "none" counts as 0 in v + 1 */
    size_t i = 0;
    for (; i + CHUNK <= n; i += CHUNK)
        for (size_t k = 0; k < CHUNK; k++) {
            uint32_t x = v[i + k] + 1;
            most = x > most ? x : most;
        }
    for (; i < n; i++) {
        uint32_t x = v[i] + 1;
        most = x > most ? x : most;
    }
    return most > AU_LOC_NAMED + named;
}

/* By operation: an operand x is good if x + add (modulo 2^32) is below limit. */
struct operand_rule {
    uint32_t add, limit;
};

static void operand_rules(struct operand_rule *rule, const au_names *names) {
    for (au_op op = 0; op < AU_OPS; op++) {
        uint8_t space = au_op_space(op);
        const au_intern *t = au_names_space_const(names, space);
        uint32_t n = t ? (uint32_t)t->n : 0;
        bool optional = !t || space == AU_WIRE_SPACE_BLOCK; /* 2^32-1 is good too */
        rule[op] = (struct operand_rule){optional, n + optional};
    }
}

static bool bad_operand(const struct operand_rule *rule, au_op op, uint32_t obj) {
    return obj + rule[op].add >= rule[op].limit;
}

/* Not inlined: among the caller's variables the sum would live in memory. */
static bool __attribute__((noinline))
any_bad_operand(const struct operand_rule *rule, const au_op *op, const uint32_t *obj, size_t n) {
    unsigned any = 0;
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        any |= bad_operand(rule, op[i], obj[i]);
        any |= bad_operand(rule, op[i + 1], obj[i + 1]);
        any |= bad_operand(rule, op[i + 2], obj[i + 2]);
        any |= bad_operand(rule, op[i + 3], obj[i + 3]);
    }
    for (; i < n; i++)
        any |= bad_operand(rule, op[i], obj[i]);
    return any;
}

/* Says which event is wrong; at least one is. */
static au_status blame(const decoder *d, const au_columns *c, size_t n, const au_names *names,
                       const struct operand_rule *rule, au_error *err) {
    for (size_t i = 0; i < n; i++) {
        unsigned long long event = d->events + i + 1;
        if (c->op[i] >= AU_OPS)
            return bad(d, err, "event %llu has unknown operation %u", event, c->op[i]);
        if (c->thread[i] >= names->thread.n)
            return bad(d, err, "event %llu is of thread %u, but %zu threads have names", event,
                       c->thread[i], names->thread.n);
        if (bad_operand(rule, c->op[i], c->obj[i]))
            return bad(d, err, "event %llu (%s) has operand %u, which has no name", event,
                       au_op_name(c->op[i]), c->obj[i]);
        if (bad_loc(c->loc[i], (uint32_t)names->loc.n))
            return bad(d, err, "event %llu has location %u, which has no name", event, c->loc[i]);
        if (c->any_value && c->has_value[i] > 1)
            return bad(d, err, "event %llu has a damaged value flag", event);
    }
    return bad(d, err, "the events do not fit the names");
}

static au_status check_events(const decoder *d, const au_columns *c, size_t n,
                              const au_names *names, au_error *err) {
    struct operand_rule rule[AU_OPS];
    operand_rules(rule, names);
    if (any_from_8(c->op, n, AU_OPS) ||
        (names->thread.n <= UINT16_MAX && any_from_16(c->thread, n, (uint16_t)names->thread.n)) ||
        any_bad_operand(rule, c->op, c->obj, n) || any_bad_loc(c->loc, n, (uint32_t)names->loc.n) ||
        (c->any_value && any_from_8(c->has_value, n, 2)))
        return blame(d, c, n, names, rule, err);
    return AU_OK;
}

static au_status events(decoder *d, uint32_t count, const char *p, size_t n, au_columns *c,
                        const au_names *names, au_error *err) {
    uint32_t cols;
    if (count > AU_WIRE_MAX_EVENTS)
        return bad(d, err, "the frame claims %u events, the limit is %u", count,
                   AU_WIRE_MAX_EVENTS);
    if (n < sizeof cols)
        return bad(d, err, "the frame is too short for its columns");
    memcpy(&cols, p, sizeof cols);
    struct au_wire_column head[AU_WIRE_COLS];
    size_t at = sizeof cols + cols * sizeof *head;
    if (cols > AU_WIRE_COLS || n < at)
        return bad(d, err, "the frame is too short for its %u columns", cols);
    memcpy(head, p + sizeof cols, cols * sizeof *head);

    au_columns_reserve(c, count);
    void *to[AU_WIRE_COLS] = {c->op, c->thread, c->obj, c->loc, c->value, c->has_value};
    unsigned seen = 0;
    for (uint32_t i = 0; i < cols; i++) {
        const struct au_wire_column *h = &head[i];
        if (h->kind >= AU_WIRE_COLS || seen & 1u << h->kind || h->zero || h->zero2)
            return bad(d, err, "column %u is damaged", i);
        unsigned size = au_binary_column_size(h->kind);
        if (h->width > size || (size < 8 && h->base >> 8 * size))
            return bad(d, err, "column %u is too wide", i);
        if ((n - at) / (h->width ? h->width : 1) < (h->width ? count : 0))
            return bad(d, err, "the frame is too short for its %u events", count);
        if (!widen(to[h->kind], h, p + at, count))
            return bad(d, err, "column %u has width %u", i, h->width);
        at += (size_t)h->width * count;
        seen |= 1u << h->kind;
    }
    const unsigned values = 1u << AU_WIRE_COL_VALUE | 1u << AU_WIRE_COL_HAS_VALUE;
    const unsigned must = (1u << AU_WIRE_COLS) - 1 - values;
    if (at != n)
        return bad(d, err, "the frame has %zu bytes too many", n - at);
    if ((seen & must) != must || ((seen & values) != 0 && (seen & values) != values))
        return bad(d, err, "the frame lacks a column");

    c->any_value = seen & values;
    au_status st = check_events(d, c, count, names, err);
    if (st != AU_OK)
        return st;
    c->any_value = c->any_value && memchr(c->has_value, 1, count);
    c->all_value = !count || (c->any_value && !memchr(c->has_value, 0, count));
    c->n = count;
    return AU_OK;
}

/* ---- the other frames --------------------------------------------------- */

static au_status names_frame(decoder *d, uint32_t count, const char *p, size_t n, au_names *names,
                             au_error *err) {
    const char *end = p + n;
    for (uint32_t i = 0; i < count; i++) {
        if (end - p < 12)
            return bad(d, err, "the frame is too short for its %u names", count);
        uint8_t space = (uint8_t)p[0], kind = (uint8_t)p[1];
        uint16_t zero;
        int32_t init;
        uint32_t len;
        memcpy(&zero, p + 2, sizeof zero);
        memcpy(&init, p + 4, sizeof init);
        memcpy(&len, p + 8, sizeof len);
        p += 12;
        if ((size_t)(end - p) < len)
            return bad(d, err, "the frame is too short for its %u names", count);
        au_intern *t = au_names_space(names, space);
        if (!t || zero)
            return bad(d, err, "name %u of the frame is damaged", i);
        if (space == AU_WIRE_SPACE_THREAD && t->n >= AU_MAX_THREADS)
            return bad(d, err, "%s", au_limit_say(AU_AT_THREADS, 0, 0, (char[AU_LIMIT_TEXT]){0}));
        if (t->n >= AU_LOC_NAMED - 1)
            return bad(d, err, "too many names");
        size_t before = t->n;
        uint32_t id = au_intern_add(t, p, len);
        if (t->n == before)
            return bad(d, err, "name %u of the frame is there twice", i);
        if (kind > AU_WIRE_OBJ_SPIN || (space != AU_WIRE_SPACE_LOCK && (kind || init)))
            return bad(d, err, "name %u of the frame has unknown kind %u", i, kind);
        if (kind || init)
            au_names_set_sync(names, id, kind, init);
        p += len;
    }
    if (p != end)
        return bad(d, err, "the frame has %zu bytes too many", (size_t)(end - p));
    return AU_OK;
}

static au_status end_frame(decoder *d, const char *p, size_t n, const au_names *names,
                           au_error *err) {
    struct au_wire_end e;
    AU_BUG_IF(n != sizeof e); /* frames.c has looked */
    memcpy(&e, p, sizeof e);
    if (e.events != d->events)
        return bad(d, err, "the trace has %llu events, its end says %llu",
                   (unsigned long long)d->events, (unsigned long long)e.events);
    if (e.threads != names->thread.n || e.vars != names->var.n || e.objects != names->lock.n ||
        e.zero)
        return bad(d, err, "the numbers of names do not match the end of the trace");
    return AU_OK;
}

/* One frame. */
static au_status frame(decoder *d, au_columns *c, au_names *names, au_error *err) {
    au_frame f;
    au_status st = au_frames_next(&d->frames, &f, err);
    if (st != AU_OK)
        return st;
    switch (f.kind) {
    case AU_WIRE_NAMES:
        return names_frame(d, f.count, f.p, f.n, names, err);
    case AU_WIRE_EVENTS:
        return events(d, f.count, f.p, f.n, c, names, err);
    case AU_WIRE_END:
        return end_frame(d, f.p, f.n, names, err);
    case AU_WIRE_META:
    case 0:
        return AU_OK;
    default:
        return f.kind & 0x80 ? AU_OK : bad(d, err, "the frame has unknown kind %u", f.kind);
    }
}

static au_status next(au_decoder *base, au_columns *c, au_names *names, au_error *err) {
    decoder *d = (decoder *)base;
    d->first = d->events;
    while (!d->frames.ended && !c->n) {
        au_status st = frame(d, c, names, err);
        if (st != AU_OK)
            return st;
    }
    d->events += c->n;
    d->base.incomplete = d->frames.incomplete;
    return AU_OK;
}

static uint64_t where(const au_decoder *base, size_t i) {
    return ((const decoder *)base)->first + i + 1;
}

static const char *meta(const au_decoder *base, const char *key) {
    return au_frames_meta(&((const decoder *)base)->frames, key);
}

static void free_decoder(au_decoder *base) {
    decoder *d = (decoder *)base;
    au_frames_release(&d->frames);
    free(d);
}

au_decoder *au_decode_binary(au_in *in, const au_read_options *opts, au_error *err) {
    decoder *d = AU_NEW(decoder);
    uint32_t features;
    bool once = opts->ahead || (opts->online && au_in_is_live(in));
    if (au_frames_start(&d->frames, in, opts->partial, once, AU_WIRE_FEATURE_STREAM, &features,
                        err) != AU_OK) {
        free_decoder(&d->base);
        return NULL;
    }
    if (features & AU_WIRE_FEATURE_STREAM) {
        au_frames frames = d->frames;
        free(d);
        return once ? au_decode_online(&frames, opts) : au_decode_recording(&frames, opts, err);
    }
    d->base = (au_decoder){
        .next = next, .where = where, .free = free_decoder, .meta = meta, .in = in, .opts = opts};
    d->base.bounded = AU_WIRE_MAX_EVENTS;
    return &d->base;
}
