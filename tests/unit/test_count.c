/* Counting what is in a trace: the columns of the papers' tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "trace/count.h"

static au_columns col;

static void event(au_op op, uint16_t thread, uint32_t obj) {
    au_columns_push(&col, op, thread, obj, 0, NULL);
}

static au_counts counted(void) {
    au_counter *c = au_counter_new();
    au_counts n;
    /* in two blocks: nothing depends on where they are cut */
    au_block b = au_columns_block(&col, 0, col.n / 2);
    au_counter_add(c, &b);
    b = au_columns_block(&col, col.n / 2, col.n);
    au_counter_add(c, &b);
    au_counter_get(c, &n);
    au_counter_free(c);
    return n;
}

static int fresh(void **state) {
    (void)state;
    au_columns_release(&col);
    au_columns_init(&col);
    return 0;
}

/* Sinha et al., figure 1: T1 writes x under l, T2 reads it under l. The read sees
 * the write, the initial write challenges: three witnesses; and as many for the
 * implicit read at the end. */
static void figure_1_of_seed_004(void **state) {
    (void)state;
    event(AU_OP_ACQ, 0, 0);
    event(AU_OP_WRITE, 0, 0);
    event(AU_OP_REL, 0, 0);
    event(AU_OP_ACQ, 1, 0);
    event(AU_OP_READ, 1, 0);
    event(AU_OP_REL, 1, 0);
    au_counts n = counted();
    assert_int_equal(n.events, 6);
    assert_int_equal(n.threads, 2);
    assert_int_equal(n.locks, 1);
    assert_int_equal(n.lock_events, 4);
    assert_int_equal(n.accesses, 2);
    assert_int_equal(n.vars, 1);
    assert_int_equal(n.shared_vars, 1);
    assert_int_equal(n.witnesses, 3 * 2);
}

static void only_shared_variables_have_witnesses(void **state) {
    (void)state;
    event(AU_OP_WRITE, 0, 0); /* one thread */
    event(AU_OP_READ, 0, 0);
    event(AU_OP_READ, 0, 1); /* nobody writes */
    event(AU_OP_READ, 1, 1);
    event(AU_OP_WRITE, 0, 4); /* shared; 2 and 3 are not used */
    event(AU_OP_WRITE, 1, 4);
    au_counts n = counted();
    assert_int_equal(n.vars, 3);
    assert_int_equal(n.accesses, 6);
    assert_int_equal(n.shared_vars, 1);
    assert_int_equal(n.shared_accesses, 2);
    assert_int_equal(n.witnesses, 3 * (0 + 1) * 2);
}

static void every_kind_of_event_has_its_column(void **state) {
    (void)state;
    event(AU_OP_FORK, 0, 1);
    event(AU_OP_FORK, 0, 2); /* without an event of its own */
    event(AU_OP_BEGIN, 1, 0);
    event(AU_OP_RDACQ, 1, 3);
    event(AU_OP_REL, 1, 3);
    event(AU_OP_WRACQ, 1, 3);
    event(AU_OP_REL, 1, 3);
    event(AU_OP_END, 1, 0);
    event(AU_OP_ACQ, 1, 0);
    event(AU_OP_REL, 1, 0);
    event(AU_OP_WAIT, 1, 1);
    event(AU_OP_SIGNAL, 0, 1);
    event(AU_OP_BROADCAST, 0, 1);
    event(AU_OP_WAKE, 1, 1);
    event(AU_OP_AREAD, 0, 0);
    event(AU_OP_AWRITE, 0, 0);
    event(AU_OP_RMW, 1, 0);
    au_counts n = counted();
    assert_int_equal(n.threads, 3);
    assert_int_equal(n.lock_events, 6);
    assert_int_equal(n.locks, 2); /* a condition is none */
    assert_int_equal(n.wait_notify, 3);
    assert_int_equal(n.atomic_blocks, 1);
    assert_int_equal(n.accesses, 3);
    assert_int_equal(n.by_op[AU_OP_WAKE], 1);
    assert_int_equal(n.witnesses, 3 * (2 + 1) * 2); /* two reads, two writes */
}

/* The definition itself, triplet by triplet. */
static uint64_t by_definition(uint32_t vars) {
    uint64_t witnesses = 0;
    for (uint32_t v = 0; v < vars; v++) {
        AU_VEC(size_t) writes = {0}; /* the implicit one is SIZE_MAX */
        uint32_t seen[64] = {0}, threads = 0;
        for (size_t i = 0; i < col.n; i++)
            if (au_op_is_access(col.op[i]) && col.obj[i] == v) {
                threads += !seen[col.thread[i]];
                seen[col.thread[i]] = 1;
                if (col.op[i] == AU_OP_WRITE)
                    au_vec_push(&writes, i);
            }
        if (threads >= 2 && writes.n) {
            au_vec_push(&writes, SIZE_MAX);
            size_t w = SIZE_MAX;
            for (size_t i = 0; i <= col.n; i++) { /* i == col.n: the implicit read */
                if (i < col.n && col.obj[i] != v)
                    continue;
                if (i < col.n && col.op[i] == AU_OP_WRITE)
                    w = i;
                else if (i == col.n || col.op[i] == AU_OP_READ)
                    for (size_t c = 0; c < writes.n; c++)
                        witnesses += writes.at[c] == w ? 0 : 3;
            }
        }
        au_vec_release(&writes);
    }
    return witnesses;
}

static void formula_agrees_with_the_definition(void **state) {
    for (uint64_t seed = 0; seed < 300; seed++) {
        fresh(state);
        au_rng r;
        au_rng_init(&r, seed);
        uint32_t n = au_rng_below(&r, 120), threads = 1 + au_rng_below(&r, 4),
                 vars = 1 + au_rng_below(&r, 9);
        for (uint32_t i = 0; i < n; i++)
            event(au_rng_below(&r, 3) ? AU_OP_READ : AU_OP_WRITE,
                  (uint16_t)au_rng_below(&r, threads), au_rng_below(&r, vars));
        assert_int_equal(counted().witnesses, by_definition(vars));
    }
}

static void large_counts_are_exact(void **state) {
    (void)state;
    enum { N = 1 << 20 };
    for (size_t i = 0; i < N; i++)
        event(i % 2 ? AU_OP_WRITE : AU_OP_READ, (uint16_t)(i / 2 % 2), 0);
    au_counter *c = au_counter_new();
    au_block b = au_columns_block(&col, 0, col.n);
    for (int i = 0; i < 64; i++)
        au_counter_add(c, &b);
    au_counts n;
    au_counter_get(c, &n);
    uint64_t half = (uint64_t)N * 64 / 2;
    assert_true(n.witnesses == 3 * (half + 1) * half);
    au_counter_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(figure_1_of_seed_004, fresh),
        cmocka_unit_test_setup(only_shared_variables_have_witnesses, fresh),
        cmocka_unit_test_setup(every_kind_of_event_has_its_column, fresh),
        cmocka_unit_test(formula_agrees_with_the_definition),
        cmocka_unit_test_setup(large_counts_are_exact, fresh),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    au_columns_release(&col);
    return failed;
}
