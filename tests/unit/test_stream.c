/* Records of recordings: what is written comes out again; hostile bytes are refused. */
#include "base/rng.h"
#include "trace/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static void take(au_stream *s, au_stream_record *r) {
    au_error err = AU_ERROR_NONE;
    if (au_stream_next(s, r, &err) != AU_OK)
        fail_msg("%s", err.text);
}

/* The next record, chunks fed as needed. PAD at the end. */
static void take_from(au_stream *s, const au_stream_writer *w, size_t *chunk, au_stream_record *r) {
    for (take(s, r); r->tag == AU_TAG_PAD && *chunk < au_stream_writer_chunks(w); take(s, r)) {
        size_t n;
        const uint8_t *p = au_stream_writer_chunk(w, (*chunk)++, &n);
        au_stream_feed(s, p, n);
    }
}

static void every_record(void **state) {
    (void)state;
    au_stream_writer *w = au_stream_writer_new(1 << 16);
    const uint64_t globals[] = {0x555555558010, 0x555555558020};
    au_stream_put_module(w, UINT64_C(0xfeedface12345678), 16, 10, globals, 2, "/tmp/a.out");
    au_stream_put_thread(w, 0, 0x7ffffff00000, 0x100000, 0x555555555000);
    au_stream_put_thread(w, 1, 0x760000000000, 0x800000, 0x555555555100);
    au_stream_put_event(w, 16, AU_OP_FORK, 0, 0, 1, 0, NULL);
    au_stream_put_turn(w, 1, AU_TURN_BLOCKED);
    au_stream_put_object(w, globals[0], AU_WIRE_OBJ_SEM, -3);
    au_stream_put_patch(w, globals[1], "hello", 5);
    au_stream_put_event(w, 17, AU_OP_READ, 4, globals[1], 0x6c6c6568, 0, NULL);
    au_stream_put_bits(w, 11, "\xff\x07");
    au_stream_put_input(w, AU_INPUT_BYTES, -1, 11, "xyz", 3);
    au_stream_put_note(w, AU_NOTE_THREAD_NAME, "worker");
    au_stream_put_event(w, 18, AU_SOP_RWRITE, 0, 0x1000, 0, 6, "abcdef");
    au_stream_put_event(w, 19, AU_SOP_RCOPY, 0, 0x1003, 0x1000, 6, NULL);
    au_stream_put_event(w, 20, AU_SOP_RSET, 0, 0x1001, 'z', 2, NULL);
    au_stream_put_event(w, 21, AU_OP_RMW, 2, 0x1003, 0x2121, 0, NULL);
    au_stream_put_end(w, AU_END_SIGNAL, 6);
    au_stream_writer_flush(w);

    au_stream *s = au_stream_new();
    au_stream_record r;
    size_t k = 0;
    take_from(s, w, &k, &r);
    assert_int_equal(r.tag, AU_TAG_MODULE);
    assert_true(r.value == UINT64_C(0xfeedface12345678));
    assert_int_equal(r.first_site, 16);
    assert_int_equal(r.n_sites, 10);
    assert_int_equal(r.n_globals, 2);
    assert_memory_equal(r.global, globals, sizeof globals);
    assert_int_equal(r.n, 10);
    assert_memory_equal(r.data, "/tmp/a.out", 10);
    take_from(s, w, &k, &r);
    assert_int_equal(r.tag, AU_TAG_THREAD);
    assert_true(r.address == 0x7ffffff00000 && r.extent == 0x100000 && r.value == 0x555555555000);
    take_from(s, w, &k, &r);
    assert_int_equal(r.thread, 1);
    assert_int_equal(au_stream_threads(s), 2);
    take_from(s, w, &k, &r);
    assert_int_equal(r.tag, AU_TAG_EV);
    assert_int_equal(r.op, AU_OP_FORK);
    assert_true(r.thread == 0 && r.index == 1 && r.value == 1 && r.site == 16 && r.told);
    take_from(s, w, &k, &r);
    assert_true(r.tag == AU_TAG_TURN && r.kind == AU_TURN_BLOCKED && r.thread == 1);
    take_from(s, w, &k, &r);
    assert_true(r.tag == AU_TAG_OBJ && r.address == globals[0] && r.kind == AU_WIRE_OBJ_SEM &&
                (int64_t)r.value == -3);
    take_from(s, w, &k, &r);
    assert_true(r.tag == AU_TAG_PATCH && r.address == globals[1] && r.n == 5);
    take_from(s, w, &k, &r);
    assert_true(r.tag == AU_TAG_EV && r.op == AU_OP_READ && r.value == 0x6c6c6568 &&
                r.thread == 1 && r.index == 1 && r.address == globals[1]);
    take_from(s, w, &k, &r);
    assert_true(r.tag == AU_TAG_BITS && r.value == 11 && r.n == 2 && r.data[1] == 7);
    take_from(s, w, &k, &r);
    assert_true(r.tag == AU_TAG_INPUT && (int64_t)r.value == -1 && r.extent == 11 && r.n == 3);
    take_from(s, w, &k, &r);
    assert_true(r.tag == AU_TAG_NOTE && r.kind == AU_NOTE_THREAD_NAME && r.n == 6);
    take_from(s, w, &k, &r);
    assert_true(r.op == AU_SOP_RWRITE && r.len == 6 && r.n == 6);
    take_from(s, w, &k, &r);
    assert_true(r.op == AU_SOP_RCOPY && r.len == 6 && r.value == 0x1000);
    char text[10] = {0};
    au_shadow_read(au_stream_memory(s), 0x1000, text, 9);
    assert_string_equal(text, "abcabcdef");
    take_from(s, w, &k, &r);
    au_shadow_read(au_stream_memory(s), 0x1000, text, 9);
    assert_string_equal(text, "azzabcdef");
    take_from(s, w, &k, &r);
    assert_true(r.op == AU_OP_RMW && r.old == ('a' | 'b' << 8) && r.value == 0x2121);
    au_shadow_read(au_stream_memory(s), 0x1000, text, 9);
    assert_string_equal(text, "azz!!cdef");
    take_from(s, w, &k, &r);
    assert_true(r.tag == AU_TAG_END && r.kind == AU_END_SIGNAL && r.value == 6);
    assert_int_equal(au_stream_events(s), 6);
    assert_int_equal(au_stream_index(s, 1), 5);
    take_from(s, w, &k, &r);
    assert_int_equal(r.tag, AU_TAG_PAD);
    assert_true(au_stream_ended(s));
    au_stream_free(s);
    au_stream_writer_free(w);
}

/* Loops whose events are nearly all expected, in two threads that take turns. */
static void expected_events_cost_nothing(void **state) {
    (void)state;
    enum { ROWS = 100, COLS = 1000 };
    au_stream_writer *w = au_stream_writer_new(1 << 20);
    au_stream_put_module(w, 1, 16, 8, NULL, 0, "m");
    au_stream_put_thread(w, 0, 0, 0, 0);
    au_stream_put_thread(w, 1, 0, 0, 0);
    for (uint32_t row = 0; row < ROWS; row++) {
        uint32_t t = row & 1, site = 16 + 4 * t;
        au_stream_put_turn(w, t, AU_TURN_BUDGET);
        for (uint32_t i = 0; i < COLS; i++) {
            uint64_t a = 0x1000000 + UINT64_C(8) * (row * 5000 + i);
            au_stream_put_event(w, site, AU_OP_WRITE, 8, a, i, 0, NULL);
            au_stream_put_event(w, site + 1, AU_OP_READ, 8, a, i, 0, NULL);
        }
    }
    au_stream_writer_flush(w);
    size_t bytes = 0, n;
    for (size_t i = 0; i < au_stream_writer_chunks(w); i++) {
        au_stream_writer_chunk(w, i, &n);
        bytes += n;
    }
    assert_true(bytes < 40 * ROWS);
    au_stream *s = au_stream_new();
    au_stream_record r;
    uint64_t k = 0;
    for (size_t chunk = 0; (take_from(s, w, &chunk, &r), r.tag) != AU_TAG_PAD;) {
        if (r.tag != AU_TAG_EV)
            continue;
        uint64_t row = k / (2 * COLS), i = k % (2 * COLS) / 2;
        assert_true(r.address == 0x1000000 + 8 * (row * 5000 + i));
        assert_true(r.value == i);
        assert_int_equal(r.thread, row & 1);
        assert_true(r.index == row / 2 * 2 * COLS + k % (2 * COLS) + 1);
        k++;
    }
    assert_int_equal(k, 2 * ROWS * COLS);
    au_stream_free(s);
    au_stream_writer_free(w);
}

enum { SITES = 12, EVENTS = 3000, AREA = 9000 };
static const uint8_t ops[] = {AU_OP_READ,   AU_OP_WRITE,  AU_OP_AREAD,  AU_OP_AWRITE,  AU_OP_RMW,
                              AU_OP_ACQ,    AU_OP_ALLOC,  AU_SOP_RREAD, AU_SOP_RWRITE, AU_SOP_RSET,
                              AU_SOP_RCOPY, AU_SOP_FRAME, AU_OP_CALL,   AU_OP_LOCKERR, AU_OP_XRET};

typedef struct {
    uint32_t thread, site, len;
    uint8_t op, size;
    uint64_t address, value, old, index;
} shot;

/* Random events against a plain copy of memory. */
static void random_streams(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        au_rng g;
        au_rng_init(&g, seed);
        static uint8_t mem[AREA + 64];
        static shot want[EVENTS];
        memset(mem, 0, sizeof mem);
        const uint64_t base = seed % 3 ? 0x7fffffffe000 - 100 : UINT64_MAX - 4096 * 8;
        const uint64_t step = seed % 2 ? 8 : 3;
        au_stream_writer *w = au_stream_writer_new(seed % 4 ? 1 << 16 : 12000);
        au_stream_put_module(w, seed, 20, SITES, NULL, 0, "m");
        uint64_t index[4] = {0};
        uint32_t self = 0;
        for (uint32_t t = 0; t < 4; t++)
            au_stream_put_thread(w, t, 0, 0, 0);
        for (size_t i = 0; i < EVENTS; i++) {
            if (!au_rng_below(&g, 30)) {
                self = (uint32_t)au_rng_below(&g, 4);
                au_stream_put_turn(w, self, AU_TURN_BUDGET);
            }
            shot *e = &want[i];
            *e = (shot){.thread = self, .index = ++index[self]};
            uint32_t which =
                au_rng_below(&g, 8) ? (uint32_t)(i % SITES) : (uint32_t)au_rng_below(&g, SITES);
            e->site = 20 + which;
            e->op = ops[au_rng_below(&g, 9) ? which % 7 : au_rng_below(&g, sizeof ops)];
            static const uint8_t sizes[] = {1, 2, 4, 8, 3};
            bool access = e->op == AU_OP_READ || e->op == AU_OP_WRITE ||
                          (e->op >= AU_OP_AREAD && e->op <= AU_OP_RMW);
            e->size = access ? sizes[which % 5] : 0;
            size_t at = au_rng_below(&g, 5) ? i * step % AREA : au_rng_below(&g, AREA);
            e->address = base + at;
            e->value = au_rng_below(&g, 3) ? i * 7 : au_rng_next(&g);
            e->len = e->op >= AU_SOP_RREAD && e->op < AU_SOP_FRAME
                         ? (uint32_t)au_rng_below(&g, AREA - at + 1)
                         : 0;
            if (e->size < 8)
                e->value &= (UINT64_C(1) << 8 * e->size) - 1;
            uint8_t data[AREA];
            switch (e->op) {
            case AU_OP_READ:
            case AU_OP_AREAD:
                if (!au_rng_below(&g, 20)) /* behind the hooks' back */
                    for (unsigned b = 0; b < e->size; b++)
                        mem[at + b] = (uint8_t)au_rng_next(&g);
                e->value = 0;
                memcpy(&e->value, mem + at, e->size);
                break;
            case AU_OP_WRITE:
            case AU_OP_AWRITE:
            case AU_OP_RMW:
                memcpy(&e->old, mem + at, e->size);
                memcpy(mem + at, &e->value, e->size);
                break;
            case AU_SOP_RWRITE:
                for (uint32_t b = 0; b < e->len; b++)
                    mem[at + b] = data[b] = (uint8_t)au_rng_next(&g);
                break;
            case AU_SOP_RSET:
                e->value &= 0xff;
                memset(mem + at, (int)e->value, e->len);
                break;
            case AU_SOP_RCOPY: {
                size_t from = au_rng_below(&g, AREA - e->len + 1);
                e->value = base + from;
                memmove(mem + at, mem + from, e->len);
                break;
            }
            case AU_SOP_RREAD:
                e->value = 0;
                break;
            default:
                break;
            }
            au_stream_put_event(w, e->site, e->op, e->size, e->address, e->value, e->len,
                                e->op == AU_SOP_RWRITE ? data : NULL);
        }
        au_stream_writer_flush(w);
        au_stream *s = au_stream_new();
        au_stream_record r;
        size_t chunk = 0, k = 0;
        while (take_from(s, w, &chunk, &r), r.tag != AU_TAG_PAD) {
            if (r.tag != AU_TAG_EV)
                continue;
            const shot *e = &want[k++];
            assert_int_equal(r.thread, e->thread);
            assert_true(r.index == e->index);
            assert_int_equal(r.site, e->site);
            assert_int_equal(r.op, e->op);
            assert_int_equal(r.size, e->size);
            assert_true(r.address == e->address);
            assert_true(r.value == e->value);
            assert_true(r.old == e->old);
            assert_int_equal(r.len, e->len);
        }
        assert_int_equal(k, EVENTS);
        static uint8_t image[AREA + 64];
        au_shadow_read(au_stream_memory(s), base, image, AREA + 64);
        /* what changed unseen and was never read is not known: only what was told */
        assert_int_equal(au_stream_events(s), EVENTS);
        assert_memory_equal(image, mem, AREA + 64);
        au_stream_free(s);
        au_stream_writer_free(w);
    }
}

static void refuse(const void *p, size_t n, const char *what) {
    au_stream *s = au_stream_new();
    au_stream_record r;
    au_error err = AU_ERROR_NONE;
    au_stream_feed(s, p, n);
    au_status st;
    while ((st = au_stream_next(s, &r, &err)) == AU_OK && r.tag != AU_TAG_PAD)
        ;
    assert_int_equal(st, AU_EFORMAT);
    if (!strstr(err.text, what))
        fail_msg("'%s' instead of '%s'", err.text, what);
    au_error again = AU_ERROR_NONE; /* stays failed */
    assert_int_equal(au_stream_next(s, &r, &again), AU_EFORMAT);
    assert_string_equal(err.text, again.text);
    au_stream_free(s);
}
#define REFUSE(bytes, what) refuse((bytes), sizeof(bytes) - 1, (what))
#define MODULE                                                                                     \
    "\x08"                                                                                         \
    "12345678"                                                                                     \
    "\x10\x02\x00\x00" /* sites 16 and 17 */
#define THREAD "\x03\x00\x00\x00\x00"

static void hostile_bytes(void **state) {
    (void)state;
    REFUSE("\x0b", "unknown record 11");
    REFUSE("\x7f", "unknown record 127");
    REFUSE("\xc1\x01", "unknown record 193");
    REFUSE("\x81\x01", "an event of an unknown thread");
    REFUSE(THREAD "\x81\x10", "site 16 belongs to no module");
    REFUSE(MODULE THREAD "\x81\x12", "site 18 belongs to no module");
    REFUSE(MODULE THREAD "\x81\x00", "site 0 belongs to no module");
    REFUSE(MODULE THREAD "\x80", "an event without its site");
    REFUSE(MODULE THREAD "\x81", "does not end before its chunk");
    REFUSE(MODULE THREAD "\x83\x01\x24\x00", "unknown operation 36");
    REFUSE(MODULE THREAD "\x83\x01\x47\x00", "unknown operation 71");
    REFUSE(MODULE THREAD "\x8b\x01\x02\x04\x02", "a read tells its value");
    REFUSE(MODULE THREAD "\x91\x01\x80\x80\x80\x80\x10", "a range of 4294967296 bytes");
    REFUSE(MODULE THREAD "\xb3\x01\x41\x00\x05"
                         "abcd",
           "does not end before its chunk");
    REFUSE(MODULE THREAD "\x01\x05", "no event can be expected");
    REFUSE(MODULE THREAD "\x81\x01\x01\x05", "no event can be expected after that of site 1");
    REFUSE("\x01\x05", "a run of an unknown thread");
    REFUSE("\x02\x00\x00", "a turn of unknown thread 0");
    REFUSE("\x03\x01\x00\x00\x00", "thread 1 appears before the main thread");
    REFUSE(THREAD "\x03\x00\x00\x00\x00", "thread 0 appears twice");
    REFUSE(THREAD "\x03\x02\x00\x00\x00\x02\x01\x00", "a turn of unknown thread 1");
    REFUSE("\x04\x00\x09\x00", "unknown kind 9");
    REFUSE("\x05\x00\x05"
           "abcd",
           "a patch does not end");
    REFUSE("\x06\x09\x00", "branch outcomes do");
    REFUSE("\x07\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", "an input does not end");
    REFUSE("\x07\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "an input does not end");
    REFUSE(MODULE MODULE, "sites of another");
    REFUSE("\x08"
           "12345678"
           "\x0f\x02\x00\x00",
           "a module with sites 15 and on");
    REFUSE("\x08"
           "12345678"
           "\x10\x02\x7f\x00",
           "a module does not end");
    REFUSE("\x0a\x00\x00\x02", "something follows the end");
    /* a claim of four billion sites is none of many bytes */
    au_stream *s = au_stream_new();
    au_stream_record r;
    const char many[] =
        "\x08"
        "12345678"
        "\x10\xe0\xff\xff\xff\x0f\x00\x00" THREAD "\x81\xe8\xff\xff\xff\x0f\x01\x02";
    au_stream_feed(s, many, sizeof many - 1);
    take(s, &r);
    assert_int_equal(r.tag, AU_TAG_MODULE);
    take(s, &r);
    take(s, &r);
    assert_true(r.site == 0xffffffe8);
    au_error err = AU_ERROR_NONE;
    assert_int_equal(au_stream_next(s, &r, &err), AU_EFORMAT);
    au_stream_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_record),
        cmocka_unit_test(expected_events_cost_nothing),
        cmocka_unit_test(random_streams),
        cmocka_unit_test(hostile_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
