/* Which variables fork and join leave open, against the definition on small traces. */
#include "model/symbolic.h"
#include "sync_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static bool writes(au_op op) {
    return op == AU_OP_WRITE || op == AU_OP_AWRITE || op == AU_OP_RMW;
}

/* before[i * n + j]: program order, fork and join put i before j. */
static bool *order_of(const au_trace *t) {
    const au_columns *e = &t->events;
    size_t n = e->n;
    bool *before = au_alloc_array(n * n, 1);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            before[i * n + j] = e->thread[i] == e->thread[j] ||
                                (e->op[i] == AU_OP_FORK && e->obj[i] == e->thread[j]) ||
                                (e->op[j] == AU_OP_JOIN && e->obj[j] == e->thread[i]) ||
                                (e->op[i] == AU_OP_FORK && e->op[j] == AU_OP_JOIN &&
                                 e->obj[i] == e->obj[j]); /* of a thread without events */
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < k; i++)
            if (before[i * n + k])
                for (size_t j = k + 1; j < n; j++)
                    before[i * n + j] |= before[k * n + j];
    return before;
}

static void as_defined(const au_trace *t, size_t *opened, size_t *closed) {
    const au_columns *e = &t->events;
    au_bitset open;
    au_open_variables(t, &open);
    bool *before = order_of(t), *expected = au_alloc_array(t->names.var.n, 1);
    for (size_t i = 0; i < e->n; i++)
        for (size_t j = i + 1; j < e->n; j++)
            if (au_op_is_access(e->op[i]) && au_op_is_access(e->op[j]) && e->obj[i] == e->obj[j] &&
                (writes(e->op[i]) || writes(e->op[j])) && !before[i * e->n + j])
                expected[e->obj[i]] = true;
    for (size_t v = 0; v < t->names.var.n; v++) {
        if (au_bitset_has(&open, v) != expected[v])
            au_sync_trace_print(t);
        assert_int_equal(au_bitset_has(&open, v), expected[v]);
        *(expected[v] ? opened : closed) += 1;
    }
    au_bitset_release(&open);
    free(before);
    free(expected);
}

static void random_traces(void **state) {
    (void)state;
    size_t opened = 0, closed = 0;
    for (uint64_t seed = 0; seed < 4000; seed++) {
        au_rng rng;
        au_rng_init(&rng, seed);
        uint32_t threads = 2 + au_rng_below(&rng, 3), vars = 1 + au_rng_below(&rng, 20);
        au_trace *t = au_sync_trace(&rng, threads, 10 + au_rng_below(&rng, 90), vars,
                                    ST_FORK | (seed % 2 ? ST_ALL : ST_ATOMIC));
        as_defined(t, &opened, &closed);
        au_trace_free(t);
    }
    assert_true(opened > 1000);
    assert_true(closed > 1000);
}

/* Threads that fork and join each other at random and touch one variable now and then. */
static void random_trees(void **state) {
    (void)state;
    size_t opened = 0, closed = 0;
    for (uint64_t seed = 0; seed < 4000; seed++) {
        au_rng rng;
        au_rng_init(&rng, seed);
        au_trace *t = AU_NEW(au_trace);
        au_names_init(&t->names);
        au_columns_init(&t->events);
        enum { THREADS = 8 };
        uint8_t what[THREADS] = {1}; /* 0 not begun, 1 runs, 2 joined */
        for (int i = 0; i < THREADS; i++) {
            char name[] = {'T', (char)('0' + i), 0};
            au_intern_add(&t->names.thread, name, 2);
            au_intern_add(&t->names.var, name, 2);
        }
        for (int i = 0; i < 60; i++) {
            uint16_t who = (uint16_t)au_rng_below(&rng, THREADS);
            uint32_t other = au_rng_below(&rng, THREADS);
            if (what[who] != 1)
                continue;
            if (au_rng_below(&rng, 3) && other != who && what[other] < 2) {
                au_columns_push(&t->events, what[other] ? AU_OP_JOIN : AU_OP_FORK, who, other,
                                AU_NONE, NULL);
                what[other]++;
            } else {
                au_columns_push(&t->events, au_rng_below(&rng, 3) ? AU_OP_READ : AU_OP_WRITE, who,
                                au_rng_below(&rng, THREADS), AU_NONE, NULL);
            }
        }
        as_defined(t, &opened, &closed);
        au_trace_free(t);
    }
    assert_true(opened > 1000);
    assert_true(closed > 1000);
}

static void knowledge_begins_empty(void **state) {
    (void)state;
    au_rng rng;
    au_rng_init(&rng, 1);
    au_trace *t = au_sync_trace(&rng, 3, 40, 3, ST_ALL);
    au_symbolic s;
    au_symbolic_init(&s, t);
    assert_int_equal(au_bitset_count(&s.symbolic), 0);
    for (size_t i = 0; i < t->events.n; i++)
        assert_true(au_term_same(s.write[i], AU_NO_TERM));
    assert_int_equal(s.until, AU_NONE);
    au_symbolic_release(&s);
    au_trace_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_traces),
                                       cmocka_unit_test(random_trees),
                                       cmocka_unit_test(knowledge_begins_empty)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
