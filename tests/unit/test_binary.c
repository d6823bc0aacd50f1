/* The binary format: what goes in comes out; damage of any kind is an error or,
 * with 'partial', a prefix; never a crash, never wrong events; and the golden
 * trace still reads as it did. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/rng.h"
#include "trace/binary_priv.h"
#include "trace/reader_priv.h"
#include "trace/trace.h"
#include "trace/writer.h"

#include <unistd.h>
#include <zstd.h>

struct bytes {
    char *at;
    size_t n;
};

static struct bytes taken(au_out *out) {
    struct bytes b;
    const char *p = au_out_memory_data(out, &b.n);
    b.at = au_alloc(b.n);
    memcpy(b.at, p, b.n);
    au_out_abandon(out);
    return b;
}

static struct bytes encode(const au_columns *c, const au_names *n, bool pack, size_t step) {
    au_out *out = au_out_memory();
    au_encoder *e = au_encode_binary(out, n, pack);
    e->meta(e, "program", "test");
    e->meta(e, "empty", "");
    for (size_t i = 0; i < c->n; i += step) {
        au_block b = au_columns_block(c, i, i + step < c->n ? i + step : c->n);
        assert_int_equal(e->put(e, &b, NULL), AU_OK);
    }
    assert_int_equal(e->finish(e, NULL), AU_OK);
    e->free(e);
    return taken(out);
}

static void name_all(au_intern *t, char letter, uint32_t n) {
    char s[16];
    for (uint32_t i = 0; i < n; i++)
        au_intern_add(t, s, (size_t)snprintf(s, sizeof s, "%c%u", letter, i));
}

static void same_names(const au_names *a, const au_names *b) {
    for (uint8_t space = AU_WIRE_SPACE_THREAD; space < AU_WIRE_SPACES; space++) {
        const au_intern *x = au_names_space_const(a, space), *y = au_names_space_const(b, space);
        assert_int_equal(x->n, y->n);
        for (uint32_t i = 0; i < x->n; i++) {
            assert_int_equal(au_intern_len(x, i), au_intern_len(y, i));
            assert_memory_equal(au_intern_str(x, i), au_intern_str(y, i), au_intern_len(x, i));
        }
    }
    for (uint32_t i = 0; i < a->lock.n; i++) {
        assert_int_equal(au_names_sync(a, i).kind, au_names_sync(b, i).kind);
        assert_int_equal(au_names_sync(a, i).init, au_names_sync(b, i).init);
    }
}

/* Are the first n events of both the same? */
static bool same_events(const au_columns *a, const au_columns *b, size_t n) {
    au_block x = au_columns_block(a, 0, a->n), y = au_columns_block(b, 0, b->n);
    if (n > x.n || n > y.n)
        return false;
    for (size_t i = 0; i < n; i++) {
        bool has = au_block_has_value(&x, i);
        if (x.op[i] != y.op[i] || x.thread[i] != y.thread[i] || x.obj[i] != y.obj[i] ||
            x.loc[i] != y.loc[i] || has != au_block_has_value(&y, i) ||
            (has && x.value[i] != y.value[i]))
            return false;
    }
    return true;
}

/* Decodes without the validator: random events are no possible run. */
static void decode_all(struct bytes in, au_columns *c, au_names *n) {
    au_error err = AU_ERROR_NONE;
    au_read_options opts = {0};
    au_columns_init(c);
    au_names_init(n);
    au_in *src = au_in_memory(in.at, in.n, "t");
    au_decoder *d = au_decode_binary(src, &opts, &err);
    assert_non_null(d);
    au_columns block;
    au_columns_init(&block);
    do {
        au_columns_clear(&block);
        au_status st = d->next(d, &block, n, &err);
        if (st != AU_OK)
            print_error("%s\n", err.text);
        assert_int_equal(st, AU_OK);
        if (block.n)
            assert_int_equal(d->where(d, 0), c->n + 1);
        au_block b = au_columns_block(&block, 0, block.n);
        au_columns_append(c, &b);
    } while (block.n);
    assert_false(d->incomplete);
    assert_string_equal(d->meta(d, "program"), "test");
    assert_string_equal(d->meta(d, "empty"), "");
    assert_null(d->meta(d, "nothing"));
    au_columns_release(&block);
    d->free(d);
    au_in_close(src);
}

/* Random columns: all operations, widths of every size, mixes of values. */
static void random_columns(uint64_t seed, au_columns *c, au_names *n) {
    static const uint32_t sizes[] = {1, 3, 200, 300, 40000, 70000};
    au_rng r;
    au_rng_init(&r, seed);
    au_columns_init(c);
    au_names_init(n);
    name_all(&n->thread, 'T', sizes[au_rng_below(&r, 5)]);
    name_all(&n->var, 'v', sizes[au_rng_below(&r, 6)]);
    name_all(&n->lock, 'l', sizes[au_rng_below(&r, 4)]);
    name_all(&n->block, 'b', au_rng_below(&r, 3));
    name_all(&n->loc, 'p', sizes[au_rng_below(&r, 4)]);
    for (uint32_t i = 0; i < n->lock.n; i += 3)
        au_names_set_sync(n, i, (uint8_t)au_rng_below(&r, 9), (int32_t)au_rng_next(&r));
    au_intern_add(&n->var, "with\0nul", 8);
    au_intern_add(&n->var, "", 0);
    size_t events = au_rng_below(&r, 4) ? au_rng_below(&r, 500) : 150000;
    uint32_t values = au_rng_below(&r, 4), locs = au_rng_below(&r, 4);
    uint32_t bits = au_rng_below(&r, 64); /* how large the values are */
    for (size_t i = 0; i < events; i++) {
        au_op op = (au_op)(seed % 3 ? au_rng_below(&r, AU_OPS) : 2);
        const au_intern *t = au_names_space_const(n, au_op_space(op));
        bool none = !t || !t->n || (t == &n->block && au_rng_below(&r, 2));
        uint32_t loc = locs == 0   ? AU_NONE
                       : locs == 1 ? au_rng_below(&r, 30)
                       : locs == 2 ? AU_LOC_NAMED + au_rng_below(&r, (uint32_t)n->loc.n)
                                   : (uint32_t)au_rng_next(&r) >> 1;
        if (locs && au_rng_below(&r, 10) == 0)
            loc = AU_NONE;
        int64_t v = (int64_t)au_rng_next(&r) >> bits;
        bool has = values == 3 || (values && au_rng_below(&r, values + 1));
        au_columns_push(c, op, (uint16_t)au_rng_below(&r, (uint32_t)n->thread.n),
                        none ? AU_NONE : au_rng_below(&r, (uint32_t)t->n), loc, has ? &v : NULL);
    }
}

static void what_goes_in_comes_out(void **state) {
    (void)state;
    static const size_t steps[] = {SIZE_MAX / 2, 1000, 65536, 70001};
    for (uint64_t seed = 0; seed < 48; seed++) {
        au_columns c, d;
        au_names n, m;
        random_columns(seed, &c, &n);
        struct bytes b = encode(&c, &n, seed & 1, steps[seed % 4]);
        decode_all(b, &d, &m);
        assert_int_equal(c.n, d.n);
        assert_true(same_events(&c, &d, c.n));
        same_names(&n, &m);
        free(b.at);
        au_columns_release(&c);
        au_columns_release(&d);
        au_names_release(&n);
        au_names_release(&m);
    }
}

static void empty_trace(void **state) {
    (void)state;
    au_columns c, d;
    au_names n, m;
    au_columns_init(&c);
    au_names_init(&n);
    struct bytes b = encode(&c, &n, true, 1);
    decode_all(b, &d, &m);
    assert_int_equal(d.n, 0);
    free(b.at);
    au_names_release(&n);
    au_columns_release(&d);
    au_names_release(&m);
}

/* A small valid run. */
static void small_run(au_columns *c, au_names *n) {
    static const struct {
        au_op op;
        uint8_t thread;
        uint32_t obj;
    } run[] = {
        {AU_OP_FORK, 0, 1}, {AU_OP_ACQ, 0, 0},  {AU_OP_WRITE, 0, 0}, {AU_OP_REL, 0, 0},
        {AU_OP_ACQ, 1, 0},  {AU_OP_READ, 1, 0}, {AU_OP_REL, 1, 0},   {AU_OP_WAIT, 1, 1},
        {AU_OP_WAKE, 1, 1}, {AU_OP_ACQ, 1, 0},  {AU_OP_RMW, 1, 1},   {AU_OP_REL, 1, 0},
    };
    au_columns_init(c);
    au_names_init(n);
    name_all(&n->thread, 'T', 2);
    name_all(&n->var, 'x', 2);
    name_all(&n->lock, 'm', 2);
    name_all(&n->loc, 'f', 1);
    au_names_set_sync(n, 0, AU_WIRE_OBJ_LOCK, 0);
    au_names_set_sync(n, 1, AU_WIRE_OBJ_COND, 0);
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        int64_t v = (int64_t)i * 1000 - 3;
        au_columns_push(c, run[i].op, run[i].thread, run[i].obj, i % 3 ? (uint32_t)i : AU_LOC_NAMED,
                        i % 2 ? &v : NULL);
    }
    for (int i = 0; i < 40; i++)
        au_columns_push(c, AU_OP_WRITE, (uint16_t)(i % 2), (uint32_t)i / 2 % 2, 17, NULL);
}

static struct bytes small_trace(bool pack) {
    au_columns c;
    au_names n;
    small_run(&c, &n);
    struct bytes all = encode(&c, &n, pack, 400);
    au_columns_release(&c);
    au_names_release(&n);
    return all;
}

/* Reads in the given way; the events that came out go to c. */
static au_status read_all(struct bytes b, bool partial, au_columns *c, bool *incomplete,
                          au_error *err) {
    au_read_options opts = {.partial = partial};
    au_columns_clear(c);
    *incomplete = false;
    /* A copy of exactly this size, so that the sanitizer sees every byte too many. */
    char *copy = au_alloc(b.n);
    memcpy(copy, b.at, b.n);
    au_reader *r = au_reader_from(au_in_memory(copy, b.n, "t"), &opts, err);
    au_status st = r ? AU_OK : err->status;
    au_block block = {.n = 1};
    while (st == AU_OK && block.n) {
        st = au_reader_next(r, &block, err);
        if (st == AU_OK)
            au_columns_append(c, &block);
    }
    if (r && st == AU_OK)
        *incomplete = au_reader_incomplete(r);
    if (r && st != AU_OK) { /* it goes on failing */
        au_error again = AU_ERROR_NONE;
        assert_int_equal(au_reader_next(r, &block, &again), st);
        assert_string_equal(again.text, err->text);
    }
    au_reader_free(r);
    free(copy);
    return st;
}

static void every_truncation(void **state) {
    (void)state;
    au_columns c, d;
    au_names n;
    small_run(&c, &n);
    au_columns_init(&d);
    for (int pack = 0; pack < 2; pack++) {
        struct bytes b = small_trace(pack);
        size_t prefixes = 0;
        for (size_t k = 0; k < b.n; k++) {
            for (int partial = 0; partial < 2; partial++) {
                bool incomplete;
                au_error err = AU_ERROR_NONE;
                au_status st = read_all((struct bytes){b.at, k}, partial, &d, &incomplete, &err);
                assert_true(same_events(&c, &d, d.n));
                if (partial && k >= sizeof(struct au_wire_head)) {
                    assert_int_equal(st, AU_OK);
                    assert_true(incomplete);
                    prefixes += d.n > 0;
                } else {
                    assert_int_equal(st, AU_EFORMAT);
                    if (k >= sizeof(struct au_wire_head))
                        assert_non_null(strstr(err.text, "--partial"));
                }
            }
        }
        assert_true(prefixes > 0);
        free(b.at);
    }
    au_columns_release(&c);
    au_columns_release(&d);
    au_names_release(&n);
}

static void every_flip(void **state) {
    (void)state;
    static const unsigned char flips[] = {1, 2, 4, 8, 16, 32, 64, 128, 255, 0x55};
    au_columns c, d;
    au_names n;
    small_run(&c, &n);
    au_columns_init(&d);
    for (int pack = 0; pack < 2; pack++) {
        struct bytes b = small_trace(pack);
        for (size_t k = 0; k < b.n; k++) {
            for (size_t f = 0; f < sizeof flips; f++) {
                b.at[k] = (char)(b.at[k] ^ flips[f]);
                for (int partial = 0; partial < 2; partial++) {
                    bool incomplete;
                    au_error err = AU_ERROR_NONE;
                    au_status st = read_all(b, partial, &d, &incomplete, &err);
                    assert_true(same_events(&c, &d, d.n));
                    assert_true(st == AU_EFORMAT || (partial && st == AU_OK && incomplete));
                }
                b.at[k] = (char)(b.at[k] ^ flips[f]);
            }
        }
        free(b.at);
    }
    au_columns_release(&c);
    au_columns_release(&d);
    au_names_release(&n);
}

/* ---- traces written by hand, each wrong in one way ----------------------- */

static void put_head(au_out *o, uint32_t version, uint32_t features) {
    struct au_wire_head h = {.version = version, .features = features};
    memcpy(h.magic, AU_WIRE_MAGIC, sizeof h.magic);
    au_out_write(o, &h, sizeof h);
}

static void put_frame(au_out *o, uint8_t kind, uint32_t count, const void *p, size_t n) {
    struct au_wire_frame f = {.magic = AU_WIRE_FRAME_MAGIC,
                              .kind = kind,
                              .raw = (uint32_t)n,
                              .stored = (uint32_t)n,
                              .count = count};
    f.check = au_binary_check(&f, p);
    au_out_write(o, &f, sizeof f);
    au_out_write(o, p, n);
}

static void put_names(au_out *o) {
    static const char names[] = "\1\0\0\0\0\0\0\0\1\0\0\0T"
                                "\2\0\0\0\0\0\0\0\1\0\0\0x";
    put_frame(o, AU_WIRE_NAMES, 2, names, sizeof names - 1);
}

/* One frame of events; cols columns of width 0. */
struct wrong_events {
    uint32_t count, cols;
    struct au_wire_column c[8];
    size_t extra; /* bytes after the columns */
};

static void put_events(au_out *o, const struct wrong_events *w) {
    char p[256] = {0};
    memcpy(p, &w->cols, 4);
    memcpy(p + 4, w->c, sizeof w->c);
    put_frame(o, AU_WIRE_EVENTS, w->count, p,
              4 + (w->cols < 8 ? w->cols : 8) * sizeof *w->c + w->extra);
}

static void put_end(au_out *o, uint64_t events, uint32_t threads, uint32_t vars) {
    struct au_wire_end e = {.events = events, .threads = threads, .vars = vars};
    put_frame(o, AU_WIRE_END, 0, &e, sizeof e);
}

static void expect_error(au_out *o, const char *message) {
    struct bytes b = taken(o);
    au_columns c;
    au_columns_init(&c);
    bool incomplete;
    au_error err = AU_ERROR_NONE;
    au_status st = read_all(b, false, &c, &incomplete, &err);
    assert_string_equal(err.text, message);
    assert_int_equal(st, message[0] ? AU_EFORMAT : AU_OK);
    au_columns_release(&c);
    free(b.at);
}

/* A column of width 0 */
#define COL(k, b)                                                                                  \
    { .kind = AU_WIRE_COL_##k, .base = (b) }
#define GOOD_COLS COL(OP, 2), COL(THREAD, 0), COL(OBJ, 0), COL(LOC, 5)

static void heads(void **state) {
    (void)state;
    au_out *o = au_out_memory();
    expect_error(o, "t: the file is empty, not a trace");
    o = au_out_memory();
    put_head(o, 2, 0);
    expect_error(o, "t: byte 8: trace format version 2, this augur reads version 1");
    o = au_out_memory();
    put_head(o, 1, 6);
    expect_error(o, "t: byte 12: the trace uses features (0x6) that this augur does not know");
    o = au_out_memory();
    au_out_write(o, AU_WIRE_MAGIC, 8);
    expect_error(o, "t: byte 8: the recording was cut in its head");
    o = au_out_memory();
    put_head(o, 1, 0);
    expect_error(o, "t: byte 16: the recording was cut here, it has no end (--partial reads what "
                    "is there)");
    o = au_out_memory();
    put_head(o, 1, 0);
    put_end(o, 0, 0, 0);
    expect_error(o, "");
    o = au_out_memory();
    put_head(o, 1, 0);
    put_end(o, 0, 0, 0);
    au_out_char(o, 0);
    expect_error(o, "t: byte 72: bytes after the end of the trace");
}

static void ends_that_do_not_match(void **state) {
    (void)state;
    const struct wrong_events good = {3, 4, {GOOD_COLS}, 0};
    for (int i = 0; i < 4; i++) {
        au_out *o = au_out_memory();
        put_head(o, 1, 0);
        put_names(o);
        put_events(o, &good);
        put_end(o, i == 1 ? 4 : 3, i == 2 ? 0 : 1, i == 3 ? 9 : 1);
        expect_error(o, i == 0   ? ""
                        : i == 1 ? "t: byte 174: the trace has 3 events, its end says 4"
                                 : "t: byte 174: the numbers of names do not match the end of the "
                                   "trace");
    }
}

static void wrong_events(void **state) {
    (void)state;
    static const struct {
        struct wrong_events w;
        const char *message;
    } cases[] = {
        {{70000, 4, {GOOD_COLS}, 0}, "the frame claims 70000 events, the limit is 65536"},
        {{1, 5, {GOOD_COLS, COL(OP, 2)}, 0}, "column 4 is damaged"},
        {{1, 5, {GOOD_COLS, {.kind = 6}}, 0}, "column 4 is damaged"},
        {{1, 200000000, {GOOD_COLS}, 0}, "the frame is too short for its 200000000 columns"},
        {{1, 4, {GOOD_COLS}, 3}, "the frame has 3 bytes too many"},
        {{1, 3, {GOOD_COLS}, 0}, "the frame lacks a column"},
        {{1, 5, {GOOD_COLS, COL(VALUE, 2)}, 0}, "the frame lacks a column"},
        {{1, 6, {GOOD_COLS, COL(VALUE, 2), COL(HAS_VALUE, 2)}, 0},
         "event 1 has a damaged value flag"},
        {{1, 4, {COL(OP, AU_OPS), COL(THREAD, 0), COL(OBJ, 0), COL(LOC, 0)}, 0},
         "event 1 has unknown operation 36"},
        {{1, 4, {COL(OP, 256), COL(THREAD, 0), COL(OBJ, 0), COL(LOC, 0)}, 0},
         "column 0 is too wide"},
        {{1, 4, {{.kind = 0, .width = 2}, COL(THREAD, 0), COL(OBJ, 0), COL(LOC, 0)}, 2},
         "column 0 is too wide"},
        {{1, 4, {COL(OP, 2), COL(THREAD, 0), {.kind = 2, .width = 3}, COL(LOC, 0)}, 3},
         "column 2 has width 3"},
        {{60000, 4, {COL(OP, 2), COL(THREAD, 0), {.kind = 2, .width = 4}, COL(LOC, 0)}, 8},
         "the frame is too short for its 60000 events"},
        {{1, 4, {COL(OP, 2), COL(THREAD, 1), COL(OBJ, 0), COL(LOC, 0)}, 0},
         "event 1 is of thread 1, but 1 threads have names"},
        {{1, 4, {COL(OP, 2), COL(THREAD, 0), COL(OBJ, 1), COL(LOC, 0)}, 0},
         "event 1 (r) has operand 1, which has no name"},
        {{1, 4, {COL(OP, 2), COL(THREAD, 0), COL(OBJ, UINT32_MAX), COL(LOC, 0)}, 0},
         "event 1 (r) has operand 4294967295, which has no name"},
        {{1, 4, {COL(OP, 0), COL(THREAD, 0), COL(OBJ, 0), COL(LOC, 0)}, 0},
         "event 1 (acq) has operand 0, which has no name"},
        {{1, 4, {COL(OP, 24), COL(THREAD, 0), COL(OBJ, 0), COL(LOC, 0)}, 0},
         "event 1 (fence) has operand 0, which has no name"},
        {{1, 4, {COL(OP, 6), COL(THREAD, 0), COL(OBJ, 0), COL(LOC, 0)}, 0},
         "event 1 (begin) has operand 0, which has no name"},
        {{1, 4, {COL(OP, 2), COL(THREAD, 0), COL(OBJ, 0), COL(LOC, 1u << 31)}, 0},
         "event 1 has location 2147483648, which has no name"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        au_out *o = au_out_memory();
        put_head(o, 1, 0);
        put_names(o);
        put_events(o, &cases[i].w);
        char *message = au_sprintf("t: byte 74: %s", cases[i].message);
        expect_error(o, message);
        free(message);
    }
}

static void wrong_frames(void **state) {
    (void)state;
    static const struct {
        uint8_t kind;
        uint32_t count;
        const char *p;
        size_t n;
        const char *message;
    } cases[] = {
        {9, 0, "", 0, "t: byte 16: the frame has unknown kind 9"},
        {AU_WIRE_NAMES, 1, "\1\0\0\0", 4, "t: byte 16: the frame is too short for its 1 names"},
        {AU_WIRE_NAMES, 1000000000, "", 0,
         "t: byte 16: the frame is too short for its 1000000000 names"},
        {AU_WIRE_NAMES, 1, "\1\0\0\0\0\0\0\0\377\377\377\377T", 13,
         "t: byte 16: the frame is too short for its 1 names"},
        {AU_WIRE_NAMES, 0, "\1", 1, "t: byte 16: the frame has 1 bytes too many"},
        {AU_WIRE_NAMES, 1, "\7\0\0\0\0\0\0\0\1\0\0\0T", 13,
         "t: byte 16: name 0 of the frame is damaged"},
        {AU_WIRE_NAMES, 1, "\3\11\0\0\0\0\0\0\1\0\0\0T", 13,
         "t: byte 16: name 0 of the frame has unknown kind 9"},
        {AU_WIRE_NAMES, 1, "\2\1\0\0\0\0\0\0\1\0\0\0T", 13,
         "t: byte 16: name 0 of the frame has unknown kind 1"},
        {AU_WIRE_NAMES, 2, "\1\0\0\0\0\0\0\0\1\0\0\0T\1\0\0\0\0\0\0\0\1\0\0\0T", 26,
         "t: byte 16: name 1 of the frame is there twice"},
        {AU_WIRE_META, 1, "\1\0\0\0k\2\0\0\0v", 10,
         "t: byte 16: the frame is too short for its 1 entries"},
        {AU_WIRE_META, 0, "k", 1, "t: byte 16: the frame has 1 bytes too many"},
        {AU_WIRE_EVENTS, 0, "\0", 1, "t: byte 16: the frame is too short for its columns"},
        {AU_WIRE_END, 0, "\0", 1, "t: byte 16: the end frame has 1 bytes, not 24"},
        {0x85, 7, "from the future", 15, ""}, /* may be skipped */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        au_out *o = au_out_memory();
        put_head(o, 1, 0);
        put_frame(o, cases[i].kind, cases[i].count, cases[i].p, cases[i].n);
        put_end(o, 0, 0, 0);
        expect_error(o, cases[i].message);
    }
}

/* Headers that claim much are refused before anything is allocated. */
static void claims(void **state) {
    (void)state;
    struct au_wire_frame f = {.magic = AU_WIRE_FRAME_MAGIC, .kind = AU_WIRE_EVENTS};
    static const struct {
        uint8_t codec;
        uint32_t raw, stored;
        const char *message;
    } cases[] = {
        {0, 4000000000u, 4000000000u,
         "t: byte 16: the frame claims 4000000000 bytes, the limit is 16777216"},
        {0, 10, 4000000000u, "t: byte 16: the frame claims 4000000000 bytes for 10"},
        {1, 10, 4000000000u, "t: byte 16: the frame claims 4000000000 bytes for 10"},
        {7, 10, 10, "t: byte 16: the frame has unknown codec 7"},
        {0, 16000000, 16000000,
         "t: byte 16: the recording was cut here, it has no end (--partial reads what is there)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        au_out *o = au_out_memory();
        put_head(o, 1, 0);
        f.codec = cases[i].codec;
        f.raw = cases[i].raw;
        f.stored = cases[i].stored;
        au_out_write(o, &f, sizeof f);
        expect_error(o, cases[i].message);
    }
    /* A packed frame whose content is larger than its header says. */
    char zeroes[5000] = {0}, packed[200];
    size_t n = ZSTD_compress(packed, sizeof packed, zeroes, sizeof zeroes, 1);
    au_out *o = au_out_memory();
    put_head(o, 1, 0);
    f = (struct au_wire_frame){.magic = AU_WIRE_FRAME_MAGIC,
                               .kind = AU_WIRE_META,
                               .codec = AU_WIRE_ZSTD,
                               .raw = 1000,
                               .stored = (uint32_t)n};
    f.check = au_binary_check(&f, packed);
    au_out_write(o, &f, sizeof f);
    au_out_write(o, packed, n);
    expect_error(o, "t: byte 16: the packed size does not match the frame");
}

/* ---- reader and writer --------------------------------------------------- */

struct lines {
    size_t n, stop_after;
    char text[400];
};

static bool collect(void *ctx, uint64_t where, const char *text) {
    struct lines *l = ctx;
    size_t used = strlen(l->text);
    snprintf(l->text + used, sizeof l->text - used, "%llu: %s\n", (unsigned long long)where, text);
    return ++l->n != l->stop_after;
}

static void lint_goes_on(void **state) {
    (void)state;
    au_columns c;
    au_names n;
    au_columns_init(&c);
    au_names_init(&n);
    name_all(&n.thread, 'T', 2);
    name_all(&n.var, 'x', 1);
    name_all(&n.lock, 'm', 1);
    au_columns_push(&c, AU_OP_ACQ, 0, 0, 1, NULL);
    au_columns_push(&c, AU_OP_ACQ, 1, 0, 2, NULL); /* bad */
    au_columns_push(&c, AU_OP_REL, 1, 0, 3, NULL); /* bad */
    au_columns_push(&c, AU_OP_WRITE, 1, 0, 4, &(int64_t){44});
    au_columns_push(&c, AU_OP_REL, 0, 0, 5, NULL);
    struct bytes b = encode(&c, &n, true, 2);

    struct lines l = {0};
    au_read_options opts = {.lint = collect, .lint_ctx = &l};
    au_error err = AU_ERROR_NONE;
    au_reader *r = au_reader_from(au_in_memory(b.at, b.n, "t"), &opts, &err);
    assert_int_equal(au_reader_format(r), AU_FORMAT_BINARY);
    assert_string_equal(au_reader_meta(r, "program") ? "early" : "later", "later");
    au_block block;
    assert_int_equal(au_reader_next(r, &block, &err), AU_OK);
    assert_int_equal(block.n, 3);
    assert_int_equal(block.first, 0);
    assert_int_equal(block.loc[0], 1);
    assert_int_equal(block.loc[1], 4);
    assert_int_equal(block.loc[2], 5);
    assert_true(au_block_has_value(&block, 1));
    assert_int_equal(block.value[1], 44);
    assert_false(au_block_has_value(&block, 2));
    assert_int_equal(au_reader_next(r, &block, &err), AU_OK);
    assert_int_equal(block.n, 0);
    assert_string_equal(l.text, "2: thread 'T1' acquires 'm0' while thread 'T0' holds it\n"
                                "3: thread 'T1' releases 'm0', which thread 'T0' holds\n");
    assert_string_equal(au_reader_meta(r, "program"), "test");
    au_reader_free(r);

    l = (struct lines){.stop_after = 1};
    r = au_reader_from(au_in_memory(b.at, b.n, "t"), &opts, &err);
    assert_int_equal(au_reader_next(r, &block, &err), AU_OK);
    assert_int_equal(block.n, 1);
    assert_int_equal(au_reader_next(r, &block, &err), AU_OK);
    assert_int_equal(block.n, 0);
    assert_int_equal(l.n, 1);
    au_reader_free(r);

    r = au_reader_from(au_in_memory(b.at, b.n, "t"), NULL, &err);
    assert_int_equal(au_reader_next(r, &block, &err), AU_EFORMAT);
    assert_string_equal(err.text,
                        "t: event 2: thread 'T1' acquires 'm0' while thread 'T0' holds it");
    au_reader_free(r);
    free(b.at);
    au_columns_release(&c);
    au_names_release(&n);
}

/* Written to a file, plain, gzip and zstd, and loaded whole. */
static void files(void **state) {
    (void)state;
    static const char *const endings[] = {"", ".gz", ".zst"};
    char dir[] = "/tmp/augur-binary-XXXXXX";
    assert_non_null(mkdtemp(dir));
    au_columns c;
    au_names n;
    small_run(&c, &n);
    while (c.n < 200000) /* more than one frame; the values are in the first */
        au_columns_push(&c, AU_OP_WRITE, 0, 0, (uint32_t)c.n, NULL);
    for (size_t i = 0; i < 3; i++) {
        char *path = au_sprintf("%s/t.trace%s", dir, endings[i]);
        au_error err = AU_ERROR_NONE;
        au_write_options opts = {.format = AU_FORMAT_BINARY, .pack = i != 1};
        au_writer *w = au_writer_open(path, &opts, &n, &err);
        assert_non_null(w);
        au_writer_meta(w, "k", "v");
        au_block b = au_columns_block(&c, 0, c.n);
        assert_int_equal(au_writer_put(w, &b, &err), AU_OK);
        assert_int_equal(au_writer_close(w, &err), AU_OK);
        au_in *in = au_in_open(path, &err);
        assert_int_equal(au_in_is_packed(in), i != 0);
        au_in_close(in);
        au_trace *t = au_trace_load(path, NULL, &err);
        assert_non_null(t);
        assert_int_equal(t->events.n, c.n);
        assert_true(same_events(&c, &t->events, c.n));
        same_names(&n, &t->names);
        assert_false(t->incomplete);
        au_trace_free(t);
        w = au_writer_open(path, &opts, &n, &err);
        au_writer_abandon(w);
        assert_int_equal(access(path, F_OK), 0); /* the old one is untouched */
        unlink(path);
        free(path);
    }
    assert_int_equal(rmdir(dir), 0);
    au_columns_release(&c);
    au_names_release(&n);
}

static void full_disk(void **state) {
    (void)state;
    if (access("/dev/full", W_OK))
        skip();
    au_columns c;
    au_names n;
    small_run(&c, &n);
    au_error err = AU_ERROR_NONE;
    au_write_options opts = {.format = AU_FORMAT_BINARY};
    au_writer *w = au_writer_open("/dev/full", &opts, &n, &err);
    assert_non_null(w);
    au_block b = au_columns_block(&c, 0, c.n);
    assert_int_equal(au_writer_put(w, &b, &err), AU_OK); /* still in the buffer */
    assert_int_equal(au_writer_close(w, &err), AU_EIO);
    assert_string_equal(err.text, "cannot write '/dev/full': No space left on device");
    au_columns_release(&c);
    au_names_release(&n);
}

/* tests/golden/v1.trace was made by tests/golden/make_v1.c, byte by byte. */
static void golden_v1(void **state) {
    (void)state;
    static const struct {
        const char *op, *thread, *obj;
        uint32_t loc;
        bool has;
        int64_t value;
    } want[] = {
        {"fork", "main", "worker", 10, false, 0},
        {"acq", "main", "mutex", 11, false, 0},
        {"w", "main", "balance", 12, true, -70000},
        {"rel", "main", "mutex", 13, false, 0},
        {"begin", "worker", NULL, AU_NONE, false, 0},
        {"r", "worker", "balance", AU_LOC_NAMED, true, 5000000000},
        {"end", "worker", NULL, AU_LOC_NAMED + 1, false, 0},
        {"join", "main", "worker", 14, false, 0},
    };
    au_error err = AU_ERROR_NONE;
    au_trace *t = au_trace_load(AU_SOURCE_ROOT "/tests/golden/v1.trace", NULL, &err);
    if (!t)
        print_error("%s\n", err.text);
    assert_non_null(t);
    assert_int_equal(t->events.n, sizeof want / sizeof *want);
    au_block b = au_columns_block(&t->events, 0, t->events.n);
    for (size_t i = 0; i < b.n; i++) {
        const au_intern *s = au_names_space_const(&t->names, au_op_space(b.op[i]));
        assert_string_equal(au_op_name(b.op[i]), want[i].op);
        assert_string_equal(au_intern_str(&t->names.thread, b.thread[i]), want[i].thread);
        if (want[i].obj)
            assert_string_equal(au_intern_str(s, b.obj[i]), want[i].obj);
        else
            assert_true(b.obj[i] == AU_NONE);
        assert_true(b.loc[i] == want[i].loc);
        assert_int_equal(au_block_has_value(&b, i), want[i].has);
        if (want[i].has)
            assert_int_equal(b.value[i], want[i].value);
    }
    assert_string_equal(au_intern_str(&t->names.loc, 0), "bank.c:20");
    assert_string_equal(au_intern_str(&t->names.loc, 1), "bank.c:21");
    assert_int_equal(au_names_sync(&t->names, 0).kind, AU_WIRE_OBJ_RLOCK);
    au_trace_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_goes_in_comes_out),
        cmocka_unit_test(empty_trace),
        cmocka_unit_test(every_truncation),
        cmocka_unit_test(every_flip),
        cmocka_unit_test(heads),
        cmocka_unit_test(ends_that_do_not_match),
        cmocka_unit_test(wrong_events),
        cmocka_unit_test(wrong_frames),
        cmocka_unit_test(claims),
        cmocka_unit_test(lint_goes_on),
        cmocka_unit_test(files),
        cmocka_unit_test(full_disk),
        cmocka_unit_test(golden_v1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
