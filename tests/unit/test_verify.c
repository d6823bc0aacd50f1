/* Proofs by unit propagation, gates, and that no certificate survives a change of its proof (src/verify). */
#include "base/alloc.h"
#include "verify/rup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

/* After its needs. */
#include <cmocka.h>

typedef AU_VEC(unsigned char) bytes;

static void put(bytes *b, int lit) {
    unsigned v = 2 * (unsigned)abs(lit) + (lit < 0);
    for (; v > 127; v >>= 7)
        au_vec_push(b, (unsigned char)(v | 128));
    au_vec_push(b, (unsigned char)v);
}

/* One line: its kind, its literals, 0. */
static void line(bytes *b, char kind, const int *lit) {
    au_vec_push(b, (unsigned char)kind);
    do
        put(b, *lit);
    while (*lit++);
}

/* All eight clauses over 2, 3 and 4. */
static void all_eight(au_cnf *c) {
    au_cnf_init(c);
    for (int i = 2; i < 5; i++)
        au_cnf_new(c);
    for (int i = 0; i < 8; i++)
        AU_CNF_CLAUSE(c, i & 1 ? 2 : -2, i & 2 ? 3 : -3, i & 4 ? 4 : -4);
}

static const int *const proof[] = {(const int[]){2, 3, 0}, (const int[]){2, 0},
                                   (const int[]){3, 0}};
enum { LINES = 3 };

static bool check_without(const au_cnf *c, int left_out, au_rup_result *r) {
    bytes b = {0};
    for (int i = 0; i < LINES; i++)
        if (i != left_out)
            line(&b, 'a', proof[i]);
    bool good = au_rup_check(c, b.at, b.n, r);
    au_vec_release(&b);
    return good;
}

static void a_proof_holds_and_each_line_counts(void **state) {
    (void)state;
    au_cnf c;
    au_rup_result r;
    all_eight(&c);
    assert_true(check_without(&c, -1, &r));
    assert_string_equal(r.why, "");
    assert_int_equal(r.added, 3);
    assert_false(check_without(&c, 0, &r)); /* then '2' does not follow */
    assert_int_equal(r.line, 1);
    for (int i = 1; i < LINES; i++) {
        assert_false(check_without(&c, i, &r));
        assert_string_equal(r.why, "it ends without the empty clause");
    }
    au_cnf_release(&c);
}

static void what_only_keeps_solutions_is_refused(void **state) {
    (void)state;
    au_cnf c;
    au_rup_result r;
    bytes b = {0};
    au_cnf_init(&c);
    au_cnf_new(&c);
    au_cnf_new(&c);
    AU_CNF_CLAUSE(&c, 2, 3); /* '2' is blocked (RAT), and does not follow */
    line(&b, 'a', (const int[]){2, 0});
    assert_false(au_rup_check(&c, b.at, b.n, &r));
    assert_int_equal(r.line, 1);
    au_vec_release(&b);
    au_cnf_release(&c);
}

static void clauses_can_be_taken_away(void **state) {
    (void)state;
    au_cnf c;
    au_rup_result r;
    bytes b = {0};
    all_eight(&c);
    line(&b, 'd', (const int[]){-2, 3, 4, 0}); /* its order does not matter … */
    line(&b, 'd', (const int[]){9, 0});        /* … but there must be such variables */
    assert_false(au_rup_check(&c, b.at, b.n, &r));
    assert_string_equal(r.why, "it is damaged");
    b.n = 0;
    line(&b, 'd', (const int[]){3, -2, 4, 0});
    for (int i = 0; i < LINES; i++) /* the last one needs what is gone */
        line(&b, 'a', proof[i]);
    assert_false(au_rup_check(&c, b.at, b.n, &r));
    assert_int_equal(r.line, 4);
    au_vec_release(&b);
    au_cnf_release(&c);
}

static void damage_is_found(void **state) {
    (void)state;
    au_cnf c;
    au_rup_result r;
    all_eight(&c);
    assert_false(au_rup_check(&c, (const unsigned char *)"a\x84", 2, &r));
    assert_string_equal(r.why, "it is damaged");
    assert_false(au_rup_check(&c, (const unsigned char *)"x", 1, &r));
    assert_string_equal(r.why, "it is damaged");
    assert_false(au_rup_check(&c, NULL, 0, &r));
    au_cnf_release(&c);
}

/* A gate has the value of its inputs in every solution: with inputs and the wrong output there is none. */
static void gates_are_what_they_say(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++)
        for (int in = 0; in < 16; in++) {
            au_cnf c;
            au_rup_result r;
            au_cnf_init(&c);
            int a = au_cnf_new(&c), b = au_cnf_new(&c), e = au_cnf_new(&c);
            int y = kind == 0   ? au_cnf_and(&c, a, -b)
                    : kind == 1 ? au_cnf_xor(&c, a, -b)
                                : au_cnf_ite(&c, a, b, -e);
            bool va = in & 1, vb = in & 2, ve = in & 4, out = in & 8;
            bool want = kind == 0 ? va && !vb : kind == 1 ? va != !vb : va ? vb : !ve;
            AU_CNF_CLAUSE(&c, va ? a : -a);
            AU_CNF_CLAUSE(&c, vb ? b : -b);
            AU_CNF_CLAUSE(&c, ve ? e : -e);
            AU_CNF_CLAUSE(&c, out ? y : -y);
            assert_int_equal(au_rup_check(&c, NULL, 0, &r), out != want);
            au_cnf_release(&c);
        }
}

static void clauses_that_say_nothing_vanish(void **state) {
    (void)state;
    au_cnf c;
    au_cnf_init(&c);
    int a = au_cnf_new(&c), b = au_cnf_new(&c);
    AU_CNF_CLAUSE(&c, a, b, -a);
    AU_CNF_CLAUSE(&c, AU_CNF_TRUE, b);
    assert_int_equal(c.n_clauses, 1);
    AU_CNF_CLAUSE(&c, a, AU_CNF_FALSE, a, b);
    assert_int_equal(c.n_clauses, 2);
    assert_int_equal(c.lit.n, 5);
    au_cnf_release(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_proof_holds_and_each_line_counts),
        cmocka_unit_test(what_only_keeps_solutions_is_refused),
        cmocka_unit_test(clauses_can_be_taken_away),
        cmocka_unit_test(damage_is_found),
        cmocka_unit_test(gates_are_what_they_say),
        cmocka_unit_test(clauses_that_say_nothing_vanish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
