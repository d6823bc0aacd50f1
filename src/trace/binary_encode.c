/* trace/binary_encode.c: blocks into frames. */
#include "base/error.h"
#include "base/vec.h"
#include "trace/binary_priv.h"
#include "trace/reader_priv.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Measured on one core (2.3 GHz), 10M events, decoding without checks:
 *
 *     level  events a frame   random events         loops
 *      -1       64 Ki         5.3 bytes, 120-150 M/s   1.1 bytes an event
 *       1       64 Ki         3.7 bytes,     79 M/s    0.9
 *       1       16 Ki         4.0 bytes,     58 M/s
 *       3       64 Ki         3.8 bytes,     73 M/s    0.6
 *
 * Below level 0 zstd leaves out the Huffman coding, which only random traces
 * profit from, and which costs half of the reader's speed. */
enum {
    FRAME_EVENTS = 1 << 16,
    NAMES_BYTES = 1 << 20, /* a frame of names ends after this many bytes */
    LEVEL = -1
};
_Static_assert(FRAME_EVENTS <= AU_WIRE_MAX_EVENTS, "frames are readable");

typedef struct {
    au_encoder base;
    bool pack;
    au_columns pending; /* less than a frame */
    uint64_t events;
    size_t named[AU_WIRE_SPACES]; /* names already written */
    AU_VEC(char) raw;
    au_meta_bytes meta;
    uint32_t meta_count;
    bool headed; /* head and META are written */
    au_framer framer;
} encoder;

static void put_frame(encoder *e, uint8_t kind, uint32_t count, const void *raw, size_t n) {
    struct au_wire_frame f;
    const void *payload = au_framer_make(&e->framer, kind, count, raw, n, &f);
    au_out_write(e->base.out, &f, sizeof f);
    au_out_write(e->base.out, payload, f.stored);
}

static void put_head(encoder *e) {
    if (e->headed)
        return;
    e->headed = true;
    struct au_wire_head h = {.version = AU_WIRE_VERSION};
    memcpy(h.magic, AU_WIRE_MAGIC, sizeof h.magic);
    au_out_write(e->base.out, &h, sizeof h);
    if (e->meta_count)
        put_frame(e, AU_WIRE_META, e->meta_count, e->meta.at, e->meta.n);
}

static void meta(au_encoder *base, const char *key, const char *value) {
    encoder *e = (encoder *)base;
    AU_BUG_IF(e->headed);
    AU_BUG_IF(strlen(key) + strlen(value) + 8 > AU_WIRE_MAX_RAW - e->meta.n);
    au_meta_add(&e->meta, key, value);
    e->meta_count++;
}

/* The names that came since the last frame. */
static au_status put_names(encoder *e, au_error *err) {
    uint32_t count = 0;
    au_vec_clear(&e->raw);
    for (uint8_t space = AU_WIRE_SPACE_THREAD; space < AU_WIRE_SPACES; space++) {
        const au_intern *t = au_names_space_const(e->base.names, space);
        for (; e->named[space] < t->n; e->named[space]++) {
            uint32_t id = (uint32_t)e->named[space];
            uint32_t len = (uint32_t)au_intern_len(t, id);
            if (len > AU_WIRE_MAX_RAW - 12)
                return au_error_set(err, AU_EUNSUPPORTED,
                                    "a name of %u bytes is too long for a binary trace", len);
            if (count && e->raw.n + 12 + len > NAMES_BYTES) {
                put_frame(e, AU_WIRE_NAMES, count, e->raw.at, e->raw.n);
                au_vec_clear(&e->raw);
                count = 0;
            }
            struct au_sync_info sync = {0};
            if (space == AU_WIRE_SPACE_LOCK)
                sync = au_names_sync(e->base.names, id);
            char entry[12] = {(char)space, (char)sync.kind, 0, 0};
            memcpy(entry + 4, &sync.init, 4);
            memcpy(entry + 8, &len, 4);
            au_vec_append(&e->raw, entry, sizeof entry);
            au_vec_append(&e->raw, au_intern_str(t, id), len);
            count++;
        }
    }
    if (count)
        put_frame(e, AU_WIRE_NAMES, count, e->raw.at, e->raw.n);
    return AU_OK;
}

static uint8_t width_of(uint64_t range) {
    return range == 0            ? 0
           : range <= UINT8_MAX  ? 1
           : range <= UINT16_MAX ? 2
           : range <= UINT32_MAX ? 4
                                 : 8;
}

/* The loops below work on chunks of a fixed size so that the compiler turns
 * them into vector code at -O2. */
enum { CHUNK = 64 };

/* Smallest and largest of v[i] + add, modulo the type. */
#define RANGE(name, T)                                                                             \
    static void name(const T *v, size_t n, T add, T *least, T *most) {                             \
        T lo = (T)(v[0] + add), hi = lo;                                                           \
        size_t i = 0;                                                                              \
        for (; i + CHUNK <= n; i += CHUNK)                                                         \
            for (size_t k = 0; k < CHUNK; k++) {                                                   \
                T x = (T)(v[i + k] + add);                                                         \
                lo = x < lo ? x : lo;                                                              \
                hi = x > hi ? x : hi;                                                              \
            }                                                                                      \
        for (; i < n; i++) {                                                                       \
            T x = (T)(v[i] + add);                                                                 \
            lo = x < lo ? x : lo;                                                                  \
            hi = x > hi ? x : hi;                                                                  \
        }                                                                                          \
        *least = lo;                                                                               \
        *most = hi;                                                                                \
    }
RANGE(range_8, uint8_t)
RANGE(range_16, uint16_t)
RANGE(range_32, uint32_t)
RANGE(range_64, uint64_t)

#define NARROW(name, From, To)                                                                     \
    static void name(char *restrict to, const From *restrict v, size_t n, From base) {             \
        size_t i = 0;                                                                              \
        for (; i + CHUNK <= n; i += CHUNK)                                                         \
            for (size_t k = 0; k < CHUNK; k++) {                                                   \
                To x = (To)(v[i + k] - base);                                                      \
                memcpy(to + (i + k) * sizeof x, &x, sizeof x);                                     \
            }                                                                                      \
        for (; i < n; i++) {                                                                       \
            To x = (To)(v[i] - base);                                                              \
            memcpy(to + i * sizeof x, &x, sizeof x);                                               \
        }                                                                                          \
    }
NARROW(narrow_8_8, uint8_t, uint8_t)
NARROW(narrow_16_8, uint16_t, uint8_t)
NARROW(narrow_16_16, uint16_t, uint16_t)
NARROW(narrow_32_8, uint32_t, uint8_t)
NARROW(narrow_32_16, uint32_t, uint16_t)
NARROW(narrow_32_32, uint32_t, uint32_t)
NARROW(narrow_64_8, uint64_t, uint8_t)
NARROW(narrow_64_16, uint64_t, uint16_t)
NARROW(narrow_64_32, uint64_t, uint32_t)
NARROW(narrow_64_64, uint64_t, uint64_t)

static struct au_wire_column plan_8(uint8_t kind, const uint8_t *v, size_t n) {
    uint8_t lo, hi;
    range_8(v, n, 0, &lo, &hi);
    return (struct au_wire_column){.kind = kind, .width = width_of((uint8_t)(hi - lo)), .base = lo};
}

static struct au_wire_column plan_16(uint8_t kind, const uint16_t *v, size_t n) {
    uint16_t lo, hi;
    range_16(v, n, 0, &lo, &hi);
    return (struct au_wire_column){
        .kind = kind, .width = width_of((uint16_t)(hi - lo)), .base = lo};
}

/* Of the two ways to see "none" (2^32-1), the largest number or the one before
 * 0, the narrower. */
static struct au_wire_column plan_32(uint8_t kind, const uint32_t *v, size_t n) {
    uint32_t lo, hi, lo1, hi1;
    range_32(v, n, 0, &lo, &hi);
    range_32(v, n, 1, &lo1, &hi1);
    bool shift = hi1 - lo1 < hi - lo;
    return (struct au_wire_column){.kind = kind,
                                   .width = width_of(shift ? hi1 - lo1 : hi - lo),
                                   .base = shift ? lo1 - 1u : lo};
}

/* Adding 2^63 makes the order of signed numbers that of unsigned ones. */
static struct au_wire_column plan_64(uint8_t kind, const int64_t *v, size_t n) {
    const uint64_t flip = UINT64_C(1) << 63;
    uint64_t lo, hi;
    range_64((const uint64_t *)v, n, flip, &lo, &hi);
    return (struct au_wire_column){.kind = kind, .width = width_of(hi - lo), .base = lo - flip};
}

static void narrow(char *to, const struct au_wire_column *c, const void *v, size_t n) {
    switch (au_binary_column_size(c->kind) << 4 | c->width) {
    case 0x11:
        narrow_8_8(to, v, n, (uint8_t)c->base);
        break;
    case 0x21:
        narrow_16_8(to, v, n, (uint16_t)c->base);
        break;
    case 0x22:
        narrow_16_16(to, v, n, (uint16_t)c->base);
        break;
    case 0x41:
        narrow_32_8(to, v, n, (uint32_t)c->base);
        break;
    case 0x42:
        narrow_32_16(to, v, n, (uint32_t)c->base);
        break;
    case 0x44:
        narrow_32_32(to, v, n, (uint32_t)c->base);
        break;
    case 0x81:
        narrow_64_8(to, v, n, c->base);
        break;
    case 0x82:
        narrow_64_16(to, v, n, c->base);
        break;
    case 0x84:
        narrow_64_32(to, v, n, c->base);
        break;
    case 0x88:
        narrow_64_64(to, v, n, c->base);
        break;
    default:
        AU_BUG_IF(c->width);
    }
}

static void put_events(encoder *e, const au_block *b) {
    struct au_wire_column c[AU_WIRE_COLS];
    const void *v[AU_WIRE_COLS] = {b->op, b->thread, b->obj, b->loc, b->value, b->has_value};
    uint32_t n = 4;
    c[0] = plan_8(AU_WIRE_COL_OP, b->op, b->n);
    c[1] = plan_16(AU_WIRE_COL_THREAD, b->thread, b->n);
    c[2] = plan_32(AU_WIRE_COL_OBJ, b->obj, b->n);
    c[3] = plan_32(AU_WIRE_COL_LOC, b->loc, b->n);
    if (b->value) {
        c[n++] = plan_64(AU_WIRE_COL_VALUE, b->value, b->n);
        if (b->has_value)
            c[n++] = plan_8(AU_WIRE_COL_HAS_VALUE, b->has_value, b->n);
        else
            c[n++] = (struct au_wire_column){.kind = AU_WIRE_COL_HAS_VALUE, .base = 1};
    }
    au_vec_clear(&e->raw);
    au_vec_append(&e->raw, (const char *)&n, sizeof n);
    const size_t heads = n * sizeof *c;
    au_vec_append(&e->raw, (const char *)c, heads);
    for (uint32_t i = 0; i < n; i++) {
        size_t bytes = b->n * c[i].width;
        au_vec_reserve(&e->raw, e->raw.n + bytes);
        narrow(e->raw.at + e->raw.n, &c[i], v[i], b->n);
        e->raw.n += bytes;
    }
    put_frame(e, AU_WIRE_EVENTS, (uint32_t)b->n, e->raw.at, e->raw.n);
    e->events += b->n;
}

static au_block part(const au_block *b, size_t from, size_t n) {
    return (au_block){.n = n,
                      .first = b->first + from,
                      .op = b->op + from,
                      .thread = b->thread + from,
                      .obj = b->obj + from,
                      .loc = b->loc + from,
                      .value = b->value ? b->value + from : NULL,
                      .has_value = b->has_value ? b->has_value + from : NULL};
}

/* Writes what is pending as one frame. */
static au_status flush(encoder *e, au_error *err) {
    put_head(e);
    au_status st = put_names(e, err);
    if (st == AU_OK && e->pending.n) {
        au_block b = au_columns_block(&e->pending, 0, e->pending.n);
        put_events(e, &b);
        au_columns_clear(&e->pending);
    }
    return st;
}

static au_status put(au_encoder *base, const au_block *b, au_error *err) {
    encoder *e = (encoder *)base;
    for (size_t i = 0; i < b->n;) {
        size_t left = b->n - i;
        if (!e->pending.n && left >= FRAME_EVENTS) {
            /* A whole frame: straight from the caller's columns. */
            au_status st = flush(e, err);
            if (st != AU_OK)
                return st;
            au_block whole = part(b, i, FRAME_EVENTS);
            put_events(e, &whole);
            i += FRAME_EVENTS;
            continue;
        }
        size_t room = FRAME_EVENTS - e->pending.n;
        au_block some = part(b, i, left < room ? left : room);
        au_columns_append(&e->pending, &some);
        i += some.n;
        if (e->pending.n == FRAME_EVENTS) {
            au_status st = flush(e, err);
            if (st != AU_OK)
                return st;
        }
    }
    return AU_OK;
}

static au_status finish(au_encoder *base, au_error *err) {
    encoder *e = (encoder *)base;
    au_status st = flush(e, err);
    if (st != AU_OK)
        return st;
    const au_names *n = e->base.names;
    struct au_wire_end end = {.events = e->events,
                              .threads = (uint32_t)n->thread.n,
                              .vars = (uint32_t)n->var.n,
                              .objects = (uint32_t)n->lock.n};
    put_frame(e, AU_WIRE_END, 0, &end, sizeof end);
    return AU_OK;
}

static void free_encoder(au_encoder *base) {
    encoder *e = (encoder *)base;
    au_columns_release(&e->pending);
    au_vec_release(&e->raw);
    au_vec_release(&e->meta);
    au_framer_release(&e->framer);
    free(e);
}

au_encoder *au_encode_binary(au_out *out, const au_names *names, bool pack) {
    encoder *e = AU_NEW(encoder);
    e->base = (au_encoder){.put = put,
                           .meta = meta,
                           .finish = finish,
                           .free = free_encoder,
                           .out = out,
                           .names = names};
    e->pack = pack;
    au_columns_init(&e->pending);
    au_framer_init(&e->framer, pack, LEVEL);
    return &e->base;
}
