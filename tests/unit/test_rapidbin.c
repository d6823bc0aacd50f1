/* RapidBin: read from bytes written by hand, written back as they were, refused
 * where they are wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/rng.h"
#include "trace/rapidbin_priv.h"
#include "trace/reader_priv.h"

/* threads, locks, variables, events */
#define HEAD(t, l, v, e) 0, t, 0, 0, 0, l, 0, 0, 0, v, 0, 0, 0, 0, 0, 0, 0, e

/* Worked out by hand from the description, not by our code. */
static const unsigned char example[] = {
    HEAD(2, 1, 2, 7),
    0x00,
    0x01,
    0,
    0,
    0,
    0x00,
    0x50,
    0x00, /* T0 fork T1 at 1: 1<<48 | 1<<14 | 4<<10 */
    0x00,
    0x02,
    0,
    0,
    0,
    0x00,
    0x20,
    0x00, /* T0 req L0 at 2: 2<<48 | 8<<10 */
    0x00,
    0x02,
    0,
    0,
    0,
    0x00,
    0x00,
    0x00, /* T0 acq L0 at 2 */
    0x7f,
    0xff,
    0,
    0,
    0,
    0x00,
    0x4c,
    0x00, /* T0 w V1 at 32767: 1<<14 | 3<<10 */
    0x00,
    0x00,
    0,
    0,
    0,
    0x00,
    0x04,
    0x00, /* T0 rel L0 at 0: 1<<10 */
    0x00,
    0x05,
    0,
    0,
    0,
    0x00,
    0x08,
    0x01, /* T1 r V0 at 5: 2<<10 | 1 */
    0x00,
    0x06,
    0,
    0,
    0,
    0x00,
    0x54,
    0x00, /* T0 join T1 at 6: 1<<14 | 5<<10 */
};

static au_status read_all(const void *p, size_t n, au_columns *c, au_names *names, au_error *err) {
    au_columns_init(c);
    au_names_init(names);
    char *copy = au_alloc(n); /* exactly as long, for the sanitizer */
    memcpy(copy, p, n);
    au_reader *r = au_reader_from(au_in_memory(copy, n, "t"), NULL, err);
    au_status st = r ? AU_OK : err->status;
    au_block b = {.n = 1};
    while (st == AU_OK && b.n) {
        st = au_reader_next(r, &b, err);
        if (st == AU_OK)
            au_columns_append(c, &b);
    }
    if (r && st == AU_OK) {
        assert_int_equal(au_reader_format(r), AU_FORMAT_RAPIDBIN);
        au_reader_take_names(r, names);
    }
    au_reader_free(r);
    free(copy);
    return st;
}

static void reads_the_example(void **state) {
    (void)state;
    static const struct {
        au_op op;
        const char *thread, *obj;
        uint32_t loc;
    } want[] = {
        {AU_OP_FORK, "T0", "T1", 1},      {AU_OP_REQ, "T0", "L0", 2}, {AU_OP_ACQ, "T0", "L0", 2},
        {AU_OP_WRITE, "T0", "V1", 32767}, {AU_OP_REL, "T0", "L0", 0}, {AU_OP_READ, "T1", "V0", 5},
        {AU_OP_JOIN, "T0", "T1", 6},
    };
    au_columns c;
    au_names n;
    au_error err = AU_ERROR_NONE;
    assert_int_equal(read_all(example, sizeof example, &c, &n, &err), AU_OK);
    assert_int_equal(c.n, 7);
    assert_false(c.any_value);
    for (size_t i = 0; i < c.n; i++) {
        const au_intern *s = au_names_space_const(&n, au_op_space(c.op[i]));
        assert_int_equal(c.op[i], want[i].op);
        assert_string_equal(au_intern_str(&n.thread, c.thread[i]), want[i].thread);
        assert_string_equal(au_intern_str(s, c.obj[i]), want[i].obj);
        assert_int_equal(c.loc[i], want[i].loc);
    }
    au_columns_release(&c);
    au_names_release(&n);
}

static au_out *written(const au_columns *c, const au_names *n, au_status want, au_error *err) {
    au_out *out = au_out_memory();
    au_encoder *e = au_encode_rapidbin(out, n);
    au_status st = AU_OK;
    for (size_t i = 0; i < c->n && st == AU_OK; i += 3) {
        au_block b = au_columns_block(c, i, i + 3 < c->n ? i + 3 : c->n);
        st = e->put(e, &b, err);
    }
    if (st == AU_OK)
        st = e->finish(e, err);
    assert_int_equal(st, want);
    e->free(e);
    return out;
}

static void writes_back_what_it_read(void **state) {
    (void)state;
    au_columns c;
    au_names n;
    au_error err = AU_ERROR_NONE;
    assert_int_equal(read_all(example, sizeof example, &c, &n, &err), AU_OK);
    au_out *o = written(&c, &n, AU_OK, &err);
    size_t k;
    const char *p = au_out_memory_data(o, &k);
    assert_int_equal(k, sizeof example);
    assert_memory_equal(p, example, sizeof example);
    au_out_abandon(o);
    au_columns_release(&c);
    au_names_release(&n);
}

/* Names of any other form are numbered by first use. */
static void numbers_other_names(void **state) {
    (void)state;
    au_columns c, d;
    au_names n, m;
    au_error err = AU_ERROR_NONE;
    au_columns_init(&c);
    au_names_init(&n);
    au_intern_add(&n.thread, "main", 4);
    au_intern_add(&n.var, "V3", 2);
    au_intern_add(&n.var, "V03", 3); /* not how 3 is written */
    au_intern_add(&n.lock, "L7", 2);
    au_intern_add(&n.loc, "a.c:1", 5);
    au_columns_push(&c, AU_OP_WRITE, 0, 1, AU_NONE, &(int64_t){9});
    au_columns_push(&c, AU_OP_READ, 0, 0, AU_LOC_NAMED, NULL);
    au_columns_push(&c, AU_OP_ACQ, 0, 0, 3, NULL);
    au_out *o = written(&c, &n, AU_OK, &err);
    size_t k;
    const char *p = au_out_memory_data(o, &k);
    assert_int_equal(read_all(p, k, &d, &m, &err), AU_OK);
    assert_int_equal(au_rapidbin_get(p, 2), 1);     /* threads */
    assert_int_equal(au_rapidbin_get(p + 2, 4), 8); /* locks: the largest number is 7 */
    assert_int_equal(au_rapidbin_get(p + 6, 4), 2); /* variables */
    assert_string_equal(au_intern_str(&m.thread, d.thread[0]), "T0");
    assert_string_equal(au_intern_str(&m.var, d.obj[0]), "V1");
    assert_string_equal(au_intern_str(&m.var, d.obj[1]), "V0");
    assert_string_equal(au_intern_str(&m.lock, d.obj[2]), "L7");
    assert_int_equal(d.loc[0], 0);
    assert_int_equal(d.loc[1], 0);
    assert_int_equal(d.loc[2], 3);
    au_out_abandon(o);
    au_columns_release(&c);
    au_names_release(&n);
    au_columns_release(&d);
    au_names_release(&m);
}

static void refuses_what_has_no_room(void **state) {
    (void)state;
    static const struct {
        au_op op;
        uint32_t loc;
        const char *message;
    } cases[] = {
        {AU_OP_SIGNAL, 0, "RapidBin has no event 'signal'"},
        {AU_OP_ACQ, 40000, "RapidBin cannot hold location 40000 (at most 32767)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        au_columns c;
        au_names n;
        au_error err = AU_ERROR_NONE;
        au_columns_init(&c);
        au_names_init(&n);
        au_intern_add(&n.thread, "A", 1);
        au_intern_add(&n.lock, "m", 1);
        au_columns_push(&c, cases[i].op, 0, 0, cases[i].loc, NULL);
        au_out_abandon(written(&c, &n, AU_EUNSUPPORTED, &err));
        assert_string_equal(err.text, cases[i].message);
        au_columns_release(&c);
        au_names_release(&n);
    }
}

static void expect_error(const unsigned char *p, size_t n, const char *message) {
    au_columns c;
    au_names names;
    au_error err = AU_ERROR_NONE;
    assert_int_equal(read_all(p, n, &c, &names, &err), AU_EFORMAT);
    assert_string_equal(err.text, message);
    au_columns_release(&c);
    au_names_release(&names);
}

static void refuses_damage(void **state) {
    (void)state;
    unsigned char b[sizeof example + 1];
    expect_error(example, 10, "t: byte 10: the file ends in the header of RapidBin");
    expect_error(example, 18, "t: byte 18: the file ends after 0 of 7 events");
    expect_error(example, 30, "t: byte 26: the file ends after 1 of 7 events");
    memcpy(b, example, sizeof example);
    b[sizeof example] = 0;
    expect_error(b, sizeof b, "t: byte 74: bytes after the last of 7 events");
    b[18 + 6] = 0x58; /* operation 6 */
    expect_error(b, sizeof example, "t: byte 18: event 1 has unknown operation 6");
    memcpy(b, example, sizeof example);
    b[18] = 0x80;
    expect_error(b, sizeof example, "t: byte 18: event 1 is negative");
    memcpy(b, example, sizeof example);
    b[9] = 1;
    expect_error(b, sizeof example,
                 "t: byte 58: event 6 uses more variables than the 1 of the header");
    memcpy(b, example, sizeof example);
    b[1] = 1;
    expect_error(b, sizeof example,
                 "t: byte 18: event 1 uses more threads than the 1 of the header");
    memcpy(b, example, sizeof example);
    b[2] = 0x80;
    expect_error(b, sizeof example,
                 "t: byte 0: not a RapidBin header (2 threads, 2147483649 locks, 2 variables, 7 "
                 "events)");
    /* a claim of 2^40 events allocates nothing */
    memcpy(b, example, sizeof example);
    b[12] = 1;
    expect_error(b, sizeof example, "t: byte 74: the file ends after 7 of 1099511627783 events");
    /* the rules of validate.h hold here too */
    memcpy(b, example, sizeof example);
    b[18 + 4 * 8 + 7] = 1; /* the release by T1 */
    expect_error(b, sizeof example,
                 "t: event 5: thread 'T1' releases 'L0', which thread 'T0' holds");
}

static void every_truncation_fails(void **state) {
    (void)state;
    for (size_t n = 1; n < sizeof example; n++) {
        au_columns c;
        au_names names;
        au_error err = AU_ERROR_NONE;
        assert_int_equal(read_all(example, n, &c, &names, &err), AU_EFORMAT);
        au_columns_release(&c);
        au_names_release(&names);
    }
}

/* Many events: blocks and the temporary file are crossed. */
static void long_round_trip(void **state) {
    (void)state;
    au_columns c, d;
    au_names n, m;
    au_error err = AU_ERROR_NONE;
    au_rng r;
    au_rng_init(&r, 7);
    au_columns_init(&c);
    au_names_init(&n);
    char s[16];
    for (uint32_t i = 0; i < 90000; i++) {
        uint32_t x = au_rng_below(&r, 5000);
        uint32_t t = au_rng_below(&r, 1024);
        uint32_t obj = au_intern_add(&n.var, s, (size_t)snprintf(s, sizeof s, "V%u", x));
        uint32_t thread = au_intern_add(&n.thread, s, (size_t)snprintf(s, sizeof s, "T%u", t));
        au_columns_push(&c, x % 2 ? AU_OP_READ : AU_OP_WRITE, (uint16_t)thread, obj, x, NULL);
    }
    au_out *o = written(&c, &n, AU_OK, &err);
    size_t k;
    const char *p = au_out_memory_data(o, &k);
    assert_int_equal(k, 18 + 8 * c.n);
    assert_int_equal(read_all(p, k, &d, &m, &err), AU_OK);
    assert_int_equal(d.n, c.n);
    assert_memory_equal(c.op, d.op, c.n);
    assert_memory_equal(c.thread, d.thread, c.n * sizeof *c.thread);
    assert_memory_equal(c.obj, d.obj, c.n * sizeof *c.obj);
    assert_memory_equal(c.loc, d.loc, c.n * sizeof *c.loc);
    for (uint32_t i = 0; i < n.var.n; i++)
        assert_string_equal(au_intern_str(&n.var, i), au_intern_str(&m.var, i));
    au_out_abandon(o);
    au_columns_release(&c);
    au_names_release(&n);
    au_columns_release(&d);
    au_names_release(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_example),   cmocka_unit_test(writes_back_what_it_read),
        cmocka_unit_test(numbers_other_names), cmocka_unit_test(refuses_what_has_no_room),
        cmocka_unit_test(refuses_damage),      cmocka_unit_test(every_truncation_fails),
        cmocka_unit_test(long_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
