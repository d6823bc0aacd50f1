/* The generator of random models: well-formed always, interesting often; and the
 * shrinker. */
#include "gen_model.h"

#include "model/ctp.h"
#include "model/run.h"
#include "oracle/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static unsigned models(void) {
    const char *s = getenv("AU_TEST_MODELS"); /* how many; the sanitizer pass asks for fewer */
    unsigned n = s ? (unsigned)strtoul(s, NULL, 10) : 0;
    return n ? n : 1500;
}

static au_model *read_model(const char *text, uint32_t unroll) {
    au_error err = AU_ERROR_NONE;
    au_ctp_options o = {.unroll = unroll};
    au_model *m = au_ctp_read(text, strlen(text), "gen", &o, &err);
    if (!m)
        print_message("%s\n%s\n", text, err.text);
    assert_non_null(m);
    const char *wrong = au_model_check(m);
    if (wrong)
        print_message("%s\n%s\n", text, wrong);
    assert_null(wrong);
    return m;
}

static void the_same_seed_gives_the_same_text(void **state) {
    (void)state;
    char *a = au_gen_ctp(42, NULL), *b = au_gen_ctp(42, NULL), *c = au_gen_ctp(43, NULL);
    assert_string_equal(a, b);
    assert_string_not_equal(a, c);
    free(a);
    free(b);
    free(c);
}

static void always_well_formed(void **state) {
    (void)state;
    for (unsigned seed = 0; seed < models(); seed++) {
        au_gen_ctp_options o = au_gen_ctp_defaults(1 + seed % 6);
        o.loops = seed & 1;
        o.havoc = seed & 2;
        o.misuse = seed & 4;
        o.widths = seed % 5 == 0;
        o.arithmetic = seed % 3;
        if (seed & 8)
            o.locks = o.rlocks = o.conds = 0;
        if (seed & 16)
            o.branches = o.blocks = false;
        char *text = au_gen_ctp(seed, &o);
        au_model *m = read_model(text, o.loops ? 2 : 0);
        assert_true(m->thread.n >= 2 && m->thread.n <= 3);
        au_model_observe(m);
        assert_null(au_model_check(m));
        assert_int_equal(au_model_check_observed(m, NULL, NULL), AU_OK);
        au_model_free(m);
        if (o.loops) { /* as a graph with loops, too */
            m = read_model(text, AU_NONE);
            assert_int_equal(m->has_loops, strstr(text, "while") != NULL);
            au_model_free(m);
        }
        free(text);
    }
}

/* How often a small model has each kind of finding; what is never found would be
 * tested by no random test. */
static void often_interesting(void **state) {
    (void)state;
    unsigned n = models() / 3, found[8] = {0}, nondet = 0, complete = 0;
    uint64_t most = 0;
    for (unsigned seed = 0; seed < n; seed++) {
        au_gen_ctp_options o = au_gen_ctp_defaults(1 + seed % 2);
        o.misuse = seed % 4 == 0;
        char *text = au_gen_ctp(seed, &o);
        au_model *m = read_model(text, 0);
        au_model_observe(m);
        au_oracle_options opts = AU_ORACLE_DEFAULTS;
        opts.max_states = 200000;
        au_error err = AU_ERROR_NONE;
        au_oracle_result *r = au_oracle_run(m, &opts, &err);
        if (!r)
            fail_msg("%s: %s", text, err.text);
        unsigned seen = 0;
        for (size_t i = 0; i < r->finding.n; i++)
            seen |= 1u << r->finding.at[i].kind;
        for (unsigned k = 0; k < 8; k++)
            found[k] += seen >> k & 1;
        bool changed = false;
        for (size_t i = 0; i < r->read_from.n; i++)
            changed |= r->read_from.at[i].changed;
        nondet += changed;
        bool ends = false;
        for (size_t i = 0; i < r->final.n; i++)
            ends |= r->final.at[i].complete;
        complete += ends;
        most = r->states > most ? r->states : most;
        au_oracle_free(r);
        au_model_free(m);
        free(text);
    }
    print_message(
        "of %u models: %u assertions fail, %u race, %u atomicity, %u deadlock, %u misuse, "
        "%u nondeterminism, %u can end; at most %llu states\n",
        n, found[AU_FOUND_ASSERT], found[AU_FOUND_RACE], found[AU_FOUND_ATOMICITY],
        found[AU_FOUND_DEADLOCK], found[AU_FOUND_MISUSE], nondet, complete,
        (unsigned long long)most);
    assert_true(found[AU_FOUND_ASSERT] > n / 20);
    assert_true(found[AU_FOUND_RACE] > n / 4 && found[AU_FOUND_RACE] < n);
    assert_true(found[AU_FOUND_ATOMICITY] > n / 20);
    assert_true(found[AU_FOUND_DEADLOCK] > n / 20 && found[AU_FOUND_DEADLOCK] < n / 2);
    assert_true(found[AU_FOUND_MISUSE] > 0);
    assert_true(nondet > n / 4);
    assert_true(complete > n / 2);
}

/* "Fails" if two threads write y and some assert mentions it. */
typedef struct {
    unsigned tries;
} counter;

static bool two_writers(const char *text, void *ctx) {
    ((counter *)ctx)->tries++;
    au_error err = AU_ERROR_NONE;
    au_model *m = au_ctp_read(text, strlen(text), "gen", NULL, &err);
    if (!m)
        return false;
    uint32_t threads = 0;
    bool asserted = false;
    for (size_t i = 0; i < m->step.n; i++) {
        const au_step *s = &m->step.at[i];
        for (uint32_t k = 0; k < s->n_updates; k++)
            if (strcmp(m->var.at[s->update[k].var].name, "y") == 0)
                threads |= 1u << s->thread;
        asserted |= s->kind == AU_STEP_ASSERT;
    }
    au_model_free(m);
    return __builtin_popcount(threads) >= 2 && asserted;
}

static void shrinks_to_what_matters(void **state) {
    (void)state;
    unsigned done = 0;
    for (uint64_t seed = 1; done < 10; seed++) {
        au_gen_ctp_options o = au_gen_ctp_defaults(5);
        char *text = au_gen_ctp(seed, &o);
        counter c = {0};
        if (two_writers(text, &c)) {
            char *small = au_shrink_ctp(text, two_writers, &c);
            assert_true(two_writers(small, &c));
            /* nothing can be left out: two writes and an assert in two threads */
            unsigned lines = 0;
            for (const char *p = small; *p; p++)
                lines += *p == '\n';
            if (lines > 8)
                fail_msg("after %u tries:\n%s", c.tries, small);
            assert_null(strstr(small, "acq"));
            free(small);
            done++;
        }
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_seed_gives_the_same_text),
        cmocka_unit_test(always_well_formed),
        cmocka_unit_test(often_interesting),
        cmocka_unit_test(shrinks_to_what_matters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
