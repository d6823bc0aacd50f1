/* Columns: pushing, appending, views and tails, with and without values; the
 * names tables; whole traces in memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/rng.h"
#include "trace/reader_priv.h"
#include "trace/trace.h"

static void ops_have_names_and_spaces(void **state) {
    (void)state;
    for (au_op op = 0; op < AU_OPS; op++)
        assert_int_equal(au_op_by_name(au_op_name(op), strlen(au_op_name(op))), op);
    assert_string_equal(au_op_name(AU_OP_READ), "r");
    assert_int_equal(au_op_space(AU_OP_READ), AU_WIRE_SPACE_VAR);
    assert_int_equal(au_op_space(AU_OP_FENCE), AU_WIRE_SPACE_NONE);
    assert_int_equal(au_op_by_name("acqq", 4), AU_OPS);
    assert_int_equal(au_op_by_name("ac", 2), AU_OPS);
    assert_int_equal(au_op_by_name("", 0), AU_OPS);
}

static void names_know_their_objects(void **state) {
    (void)state;
    au_names n;
    au_names_init(&n);
    assert_null(au_names_space(&n, AU_WIRE_SPACE_NONE));
    assert_ptr_equal(au_names_space(&n, AU_WIRE_SPACE_LOC), &n.loc);
    au_intern_add(&n.lock, "a", 1);
    au_intern_add(&n.lock, "b", 1);
    au_intern_add(&n.lock, "c", 1);
    au_names_set_sync(&n, 1, AU_WIRE_OBJ_SEM, 7);
    assert_int_equal(au_names_sync(&n, 0).kind, AU_WIRE_OBJ_UNKNOWN);
    assert_int_equal(au_names_sync(&n, 1).kind, AU_WIRE_OBJ_SEM);
    assert_int_equal(au_names_sync(&n, 1).init, 7);
    assert_int_equal(au_names_sync(&n, 2).kind, AU_WIRE_OBJ_UNKNOWN);
    au_names_release(&n);
}

static void formats_have_names(void **state) {
    (void)state;
    assert_int_equal(au_format_by_name("std"), AU_FORMAT_STD);
    assert_int_equal(au_format_by_name("bin"), AU_FORMAT_BINARY);
    assert_int_equal(au_format_by_name("nonsense"), AU_FORMAT_AUTO);
    assert_int_equal(au_format_by_path("a/b.std"), AU_FORMAT_STD);
    assert_int_equal(au_format_by_path("a/b.std.gz"), AU_FORMAT_STD);
    assert_int_equal(au_format_by_path("b.trace.zst"), AU_FORMAT_BINARY);
    assert_int_equal(au_format_by_path("b.rapidbin"), AU_FORMAT_RAPIDBIN);
    assert_int_equal(au_format_by_path("b.jsonl"), AU_FORMAT_JSONL);
    assert_int_equal(au_format_by_path(".gz"), AU_FORMAT_AUTO);
    assert_int_equal(au_format_by_path("std"), AU_FORMAT_AUTO);
}

static void values_begin_late(void **state) {
    (void)state;
    au_columns c;
    au_columns_init(&c);
    au_block b = au_columns_block(&c, 0, 0);
    assert_int_equal(b.n, 0);
    au_columns_push(&c, AU_OP_READ, 1, 2, 3, NULL);
    b = au_columns_block(&c, 0, 1);
    assert_null(b.value);
    assert_false(au_block_has_value(&b, 0));
    au_columns_push(&c, AU_OP_WRITE, 4, 5, AU_NONE, &(int64_t){-9});
    b = au_columns_block(&c, 0, 2);
    assert_false(au_block_has_value(&b, 0));
    assert_true(au_block_has_value(&b, 1));
    assert_int_equal(b.value[0], 0);
    assert_int_equal(b.value[1], -9);
    b = au_columns_block(&c, 1, 2);
    assert_int_equal(b.first, 1);
    assert_int_equal(b.op[0], AU_OP_WRITE);
    assert_int_equal(b.thread[0], 4);
    assert_int_equal(b.obj[0], 5);
    assert_true(b.loc[0] == AU_NONE);
    au_columns_clear(&c);
    au_columns_push(&c, AU_OP_WRITE, 4, 5, 6, &(int64_t){1});
    b = au_columns_block(&c, 0, 1);
    assert_non_null(b.value);
    assert_null(b.has_value); /* all have one */
    au_columns_release(&c);
}

/* What a column set must hold: the plain way. */
struct model {
    size_t n;
    struct {
        au_op op;
        uint16_t thread;
        uint32_t obj, loc;
        bool has;
        int64_t value;
    } at[3000];
};

static void check(const au_columns *c, const struct model *m) {
    au_block b = au_columns_block(c, 0, c->n);
    assert_int_equal(b.n, m->n);
    for (size_t i = 0; i < b.n; i++) {
        assert_int_equal(b.op[i], m->at[i].op);
        assert_int_equal(b.thread[i], m->at[i].thread);
        assert_int_equal(b.obj[i], m->at[i].obj);
        assert_int_equal(b.loc[i], m->at[i].loc);
        assert_int_equal(au_block_has_value(&b, i), m->at[i].has);
        if (m->at[i].has)
            assert_int_equal(b.value[i], m->at[i].value);
    }
}

/* Random pushes, appends and tails do what the plain way does. */
static void ways_of_adding_agree(void **state) {
    (void)state;
    static struct model m;
    for (uint64_t seed = 0; seed < 60; seed++) {
        au_rng r;
        au_rng_init(&r, seed);
        au_columns c;
        au_columns_init(&c);
        m.n = 0;
        size_t touched = 0;
        while (m.n < 2500) {
            au_columns part;
            au_columns_init(&part);
            uint32_t way = au_rng_below(&r, 3);
            if (way == 2)
                part = au_columns_tail(&c, 400, &touched);
            uint32_t with = au_rng_below(&r, seed % 4 + 1); /* 0: no values in this part */
            for (uint32_t k = au_rng_below(&r, 300); k > 0; k--) {
                bool has = with && au_rng_below(&r, with) == 0;
                int64_t v = (int64_t)au_rng_next(&r);
                uint32_t x = au_rng_below(&r, 1000);
                au_columns_push(way ? &part : &c, (au_op)(x % AU_OPS), (uint16_t)x, x, x + 1,
                                has ? &v : NULL);
                m.at[m.n].op = (au_op)(x % AU_OPS);
                m.at[m.n].thread = (uint16_t)x;
                m.at[m.n].obj = x;
                m.at[m.n].loc = x + 1;
                m.at[m.n].has = has;
                m.at[m.n++].value = v;
            }
            au_block b = au_columns_block(&part, 0, part.n);
            if (way == 1) {
                au_columns_append(&c, &b);
                au_columns_release(&part);
            } else if (way == 2) {
                au_columns_take_tail(&c, &part);
            }
        }
        check(&c, &m);
        au_columns_release(&c);
    }
}

/* Past a megabyte columns are page mappings: growing keeps what is there. */
static void large_columns_grow(void **state) {
    (void)state;
    au_columns c;
    au_columns_init(&c);
    const uint32_t n = 3000000;
    size_t touched = 0;
    while (c.n < n) {
        au_columns t = au_columns_tail(&c, 5000, &touched);
        for (uint32_t i = 0; i < 5000; i++)
            au_columns_push(&t, AU_OP_READ, (uint16_t)(c.n + i), (uint32_t)c.n + i, 7, NULL);
        au_columns_take_tail(&c, &t);
    }
    for (uint32_t i = 0; i < n; i++) {
        assert_true(c.obj[i] == i);
        assert_true(c.thread[i] == (uint16_t)i);
    }
    au_columns_push(&c, AU_OP_WRITE, 0, 0, 0, &(int64_t){5});
    au_block b = au_columns_block(&c, 0, c.n);
    assert_false(au_block_has_value(&b, n - 1));
    assert_int_equal(b.value[n], 5);
    au_columns_release(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ops_have_names_and_spaces), cmocka_unit_test(names_know_their_objects),
        cmocka_unit_test(formats_have_names),        cmocka_unit_test(values_begin_late),
        cmocka_unit_test(ways_of_adding_agree),      cmocka_unit_test(large_columns_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
