/* The .ctp printer: what it prints reads as the same model and prints the same. */
#include "base/alloc.h"
#include "base/rng.h"
#include "gen_model.h"
#include "model/ctp.h"
#include "model/run.h"
#include "model/sync.h"
#include "same_model.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static char *print(const au_model *m) {
    au_error err = AU_ERROR_NONE;
    char *s = au_print_model(m, &err);
    if (!s)
        fail_msg("%s", err.text);
    return s;
}

static au_model *read_with(const char *text, uint32_t unroll) {
    au_error err = AU_ERROR_NONE;
    au_ctp_options opts = {.unroll = unroll};
    au_model *m = au_ctp_read(text, strlen(text), "text", &opts, &err);
    if (!m)
        fail_msg("%s\n%s", err.text, text);
    const char *wrong = au_model_check(m);
    if (wrong)
        fail_msg("%s\n%s", wrong, text);
    return m;
}

/* Prints m, reads that, compares, prints again. With loops the condition's temporaries have
 * other names: only the text is compared. */
static void round_trip(const au_model *m, uint32_t unroll, bool compare) {
    if (compare) {
        char *wrong = au_round_trip(m, unroll, NULL);
        if (wrong)
            fail_msg("%s", wrong);
        return;
    }
    char *text = print(m);
    au_model *again = read_with(text, unroll);
    char *second = print(again);
    if (strcmp(text, second))
        fail_msg("printed differently:\n%s----\n%s", text, second);
    free(text);
    free(second);
    au_model_free(again);
}

static void all_models_of_the_papers(void **state) {
    (void)state;
    DIR *d = opendir(AU_SOURCE_ROOT "/tests/models");
    assert_non_null(d);
    unsigned n = 0;
    for (struct dirent *e; (e = readdir(d));) {
        size_t len = strlen(e->d_name);
        if (len < 4 || strcmp(e->d_name + len - 4, ".ctp"))
            continue;
        char *path = au_sprintf(AU_SOURCE_ROOT "/tests/models/%s", e->d_name);
        static const uint32_t unroll[] = {1, 3, AU_NONE};
        for (size_t i = 0; i < 3; i++) {
            au_error err = AU_ERROR_NONE;
            au_ctp_options opts = {.unroll = unroll[i]};
            au_model *m = au_ctp_load(path, &opts, &err);
            if (!m)
                fail_msg("%s", err.text);
            assert_null(au_model_check(m));
            assert_int_equal(au_model_check_observed(m, NULL, &err), AU_OK);
            round_trip(m, unroll[i], !m->has_loops);
            au_model_free(m);
        }
        free(path);
        n++;
    }
    closedir(d);
    assert_true(n >= 40);
}

/* The example of the manual is the figure. */
static void manual(void **state) {
    (void)state;
    FILE *f = fopen(AU_SOURCE_ROOT "/docs/ctp.md", "r");
    assert_non_null(f);
    static char page[40000];
    page[fread(page, 1, sizeof page - 1, f)] = 0;
    fclose(f);
    char *text = strstr(page, "```\n");
    assert_non_null(text);
    text += 4;
    *strstr(text, "```\n") = 0;
    au_model *a = read_with(text, 0);
    au_error err = AU_ERROR_NONE;
    au_model *b = au_ctp_load(AU_SOURCE_ROOT "/tests/models/fig1.ctp", NULL, &err);
    assert_non_null(b);
    char *one = print(a), *two = print(b);
    assert_string_equal(one, two);
    free(one);
    free(two);
    au_model_free(a);
    au_model_free(b);
}

static void random_models(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 600; seed++) {
        au_gen_ctp_options o = au_gen_ctp_defaults((unsigned)(seed % 5) + 1);
        o.loops = seed % 3 == 0;
        o.havoc = seed % 7 == 0;
        o.misuse = seed % 4 == 0;
        o.widths = seed % 3 == 1;
        o.tries = seed % 2 == 0;
        char *text = au_gen_ctp(seed, &o);
        au_model *m = read_with(text, 3);
        round_trip(m, 3, true);
        au_model_free(m);
        if (o.loops) {
            m = read_with(text, AU_NONE);
            if (m->observed.n < 5000) {
                au_error err = AU_ERROR_NONE;
                char *printed = au_print_model(m, &err);
                if (printed) {
                    free(printed);
                    round_trip(m, AU_NONE, false);
                } else { /* only the reads of a loop's condition may be beyond it */
                    assert_int_equal(err.status, AU_EUNSUPPORTED);
                    assert_non_null(strstr(err.text, "loop's condition"));
                }
            }
            au_model_free(m);
        }
        free(text);
    }
}

/* ---- random expressions: the simplifier and the printer must agree ---- */

static void expression(au_rng *r, unsigned depth, au_out *o) {
    static const char *const binary[] = {"+",  "-", "*", "/",  "%",  "&",  "|",  "^",  "<<",
                                         ">>", "<", ">", "<=", ">=", "==", "!=", "&&", "||"};
    static const char *const leaf[] = {"a", "b",  "c",  "_7",  "0",          "1",          "-1",
                                       "2", "31", "32", "255", "0x80000000", "2147483647", "x"};
    uint32_t k = depth ? au_rng_below(r, 10) : 0;
    if (k < 2) {
        au_out_str(o, leaf[au_rng_below(r, sizeof leaf / sizeof *leaf)]);
    } else if (k < 4) {
        au_out_char(o, "-!~+"[au_rng_below(r, 4)]);
        au_out_char(o, '(');
        expression(r, depth - 1, o);
        au_out_char(o, ')');
    } else if (k < 5) {
        for (int i = 0; i < 3; i++) {
            au_out_str(o, i == 0 ? "((" : i == 1 ? ") ? (" : ") : (");
            expression(r, depth - 1, o);
        }
        au_out_str(o, "))");
    } else {
        au_out_char(o, '(');
        expression(r, depth - 1, o);
        au_out_str(o, binary[au_rng_below(r, sizeof binary / sizeof *binary)]);
        expression(r, depth - 1, o);
        au_out_char(o, ')');
    }
}

static void random_expressions(void **state) {
    (void)state;
    au_rng r;
    au_rng_init(&r, 20240501);
    for (int i = 0; i < 3000; i++) {
        au_out *o = au_out_memory();
        unsigned depth = 1 + au_rng_below(&r, 5);
        au_out_str(o, "shared x = 3, y thread T { havoc a havoc b havoc c havoc _7\n");
        static const char *const form[] = {"a := ",   "y := ",     "assume ",         "assert ",
                                           "[ a := ", "[ assume ", "[ x := b; a := ", "if ("};
        uint32_t f = au_rng_below(&r, 8);
        au_out_str(o, form[f]);
        expression(&r, depth, o);
        au_out_str(o, f == 7 ? ") { nop } }" : f >= 4 ? " ] }" : " }");
        size_t n;
        au_model *m = read_with(au_out_memory_data(o, &n), 0);
        round_trip(m, 0, true);
        au_model_free(m);
        au_out_abandon(o);
    }
}

static void expect_print(const char *text, const char *want) {
    au_model *m = read_with(text, 2);
    char *have = print(m);
    assert_string_equal(have, want);
    free(have);
    round_trip(m, 2, true);
    au_model_free(m);
}

static void looks(void **state) {
    (void)state;
    expect_print(
        "sem l = 1 shared x = -5, y thread T1 { t1: a := x nop t10: x := 2 + a\n"
        " atomic { t3: x := x + 1 } if (x > 0) { y := 1 } else { [ y := y - a; a := y ] } }\n"
        "thread T2 { fork T3 join T3 } thread T3 { }",
        "shared x = -5, y = 0\n"
        "sem l = 1\n"
        "thread T1 {\n"
        "  t1:   a := x\n"
        "  T1.1: nop\n"
        "  t10:  x := a + 2\n"
        "  atomic {\n"
        "    t3.1: _1 := x\n"
        "    t3.2: x := _1 + 1\n"
        "  }\n"
        "  T1.2: if (x > 0) {\n"
        "    T1.3: y := 1\n"
        "  } else {\n"
        "    T1.4: [ y := y - a; a := y ]\n"
        "  }\n"
        "}\n"
        "thread T2 {\n"
        "  T2.1: fork T3\n"
        "  T2.2: join T3\n"
        "}\n"
        "thread T3 {\n"
        "  T3.1: nop\n"
        "}\n"
        "trace t1-T1.4 T2.1 T3.1 T2.2\n");
}

static void reads_that_fold_away(void **state) {
    (void)state;
    expect_print("shared x, y thread T { t1: a := x * 0 t2: assume x || 1 t3: assert x & 0\n"
                 "t4: [ a := 1; y := x - x ] t5: [ assume 1 || x ] t6: if (x * 0) { t7: nop }\n"
                 "t8: [ b := 0 * (x + y) ] }",
                 "shared x = 0, y = 0\n"
                 "thread T {\n"
                 "  t1: a := 0 + 0 * x\n"
                 "  t2: assume 1 || 0 * x\n"
                 "  t3: assert 0 || 0 * x\n"
                 "  t4: [ y := 0 + 0 * x; a := 1 ]\n"
                 "  t5: [ assume 1 || 0 * x ]\n"
                 "  t6: if (0 || 0 * x) {\n"
                 "    t7: nop\n"
                 "  }\n"
                 "  t8: [ b := 0 + 0 * x + 0 * y ]\n"
                 "}\n"
                 "trace t1-t3\n");
}

static void terms(void **state) {
    (void)state;
    expect_print(
        "thread T { havoc a havoc b l: assert !(a < b && !(b == 3)) || ~a == -b\n"
        "m: c := (a - 1) * -(b + 2) << (a & 7) >> b  n: c := a < b ? a - b : (b ? 1 : 2) }",
        "thread T {\n"
        "  T.1: havoc a\n"
        "  T.2: havoc b\n"
        "  l:   assert !(a < b && b != 3) || ~a == -b\n"
        "  m:   c := (a - 1) * (-2 - b) << (a & 7) >> b\n"
        "  n:   c := a < b ? a - b : b == 0 ? 2 : 1\n"
        "}\n"
        "trace T.1-n\n");
}

/* ---- models that were not read ---- */

typedef struct {
    au_model *m;
    uint32_t thread, at, x;
} built;

static built build(const char *shared, const char *thread) {
    built b = {.m = au_model_new("built")};
    b.x = au_model_add_var(b.m, shared, AU_VAR_SHARED, 32, 0, AU_NONE);
    b.thread = au_model_add_thread(b.m, thread);
    b.at = b.m->thread.at[b.thread].entry;
    return b;
}
static au_step *add(built *b, au_step_kind kind) {
    uint32_t next = au_model_add_node(b->m, b->thread);
    au_step *s = au_model_add_step(b->m, b->thread, b->at, next, kind);
    b->at = next;
    return s;
}
static void finish(built *b) {
    b->m->thread.at[b->thread].exit = b->at;
    au_sync_finish(b->m);
    au_model_observe(b->m); /* as the reader does where nothing is given */
    const char *wrong = au_model_check(b->m);
    if (wrong)
        fail_msg("%s", wrong);
}
static void expect_built(built *b, const char *want) {
    finish(b);
    char *text = print(b->m);
    assert_string_equal(text, want);
    free(text);
    round_trip(b->m, 0, false);
    au_model_free(b->m);
}
static void expect_unsupported(built *b, const char *want) {
    finish(b);
    au_error err = AU_ERROR_NONE;
    assert_null(au_print_model(b->m, &err));
    assert_int_equal(err.status, AU_EUNSUPPORTED);
    assert_string_equal(err.text, want);
    au_model_free(b->m);
}

static void names_are_made(void **state) {
    (void)state;
    built b = build("while", "0x7f main");
    au_model *m = b.m;
    au_model_add_var(m, "a b", AU_VAR_SHARED, 32, 1, AU_NONE);
    au_model_add_var(m, "a_b", AU_VAR_SHARED, 32, 2, AU_NONE);
    au_model_add_var(m, "7", AU_VAR_SHARED, 32, 3, AU_NONE);
    uint32_t l = au_model_add_sync(m, "a_b", AU_OBJ_LOCK, 0);
    uint32_t v = au_model_add_var(m, "a_b", AU_VAR_LOCAL, 32, 0, 0);
    uint32_t dead = au_model_add_var(m, "dead", AU_VAR_LOCAL, 32, 5, 0);
    au_step *s = add(&b, AU_STEP_ASSIGN);
    au_step_add_update(m, s, v, au_model_var_term(m, dead));
    s->label = au_intern_add(&m->strings, "x y", 3);
    uint32_t at = b.at;
    b.at = au_model_add_node(m, 0);
    au_sync_acq(m, 0, at, b.at, l);
    s = add(&b, AU_STEP_NOP);
    s->label = au_intern_add(&m->strings, "T0x7f_main.1", 12);
    expect_built(&b, "shared \"while\" = 0, \"a b\" = 1, a_b = 2, \"7\" = 3\n"
                     "lock \"a_b\"\n"
                     "thread \"0x7f main\" {\n"
                     "  local dead = 5\n"
                     "  \"x y\":        a_b_2 := dead\n"
                     "  T1.1:         acq \"a_b\"\n"
                     "  T0x7f_main.1: nop\n"
                     "}\n"
                     "trace \"x y\"-T0x7f_main.1\n");
}

static void narrow_terms(void **state) {
    (void)state;
    built b = build("x", "T");
    au_model *m = b.m;
    au_terms *t = m->terms;
    uint32_t a = au_model_add_var(m, "a", AU_VAR_LOCAL, 32, 0, 0);
    uint32_t c = au_model_add_var(m, "c", AU_VAR_LOCAL, 32, 0, 0);
    add(&b, AU_STEP_HAVOC)->havoc = a;
    au_term v = au_model_var_term(m, a);
    au_term byte = au_term_extract(t, v, 8, 8), low = au_term_extract(t, v, 0, 8);
    au_term less = au_term_make(t, AU_T_SLT, byte, au_term_const(t, 8, 5));
    const au_term of[] = {
        au_term_zext(t, byte, 32),
        au_term_sext(t, byte, 32),
        au_term_zext(t, au_term_make(t, AU_T_ADD, byte, low), 32),
        au_term_zext(t, less, 32),
        au_term_sext(t, less, 32),
        au_term_zext(t, au_term_make(t, AU_T_CONCAT, low, byte), 32),
        au_term_make(t, AU_T_LSHR, v, au_term_const(t, 32, 4)),
        au_term_zext(t, au_term_make(t, AU_T_ULT, v, au_term_const(t, 32, 5)), 32),
        au_term_zext(t, au_term_extract(t, v, 3, 1), 32),
        au_term_zext(t, au_term_make(t, AU_T_UDIV, byte, low), 32),
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        au_step_add_update(m, add(&b, AU_STEP_ASSIGN), c, of[i]);
    finish(&b);
    round_trip(m, 0, true);
    au_model_free(m);
}

static void beyond_the_language(void **state) {
    (void)state;
    built b;
    b = build("x", "T");
    uint32_t barrier = au_model_add_sync(b.m, "b", AU_OBJ_BARRIER, 1);
    au_step *s = add(&b, AU_STEP_ASSUME);
    s->guard = au_term_eq(b.m->terms, au_model_var_term(b.m, b.m->obj.at[barrier].var[0]),
                          au_term_const(b.m->terms, 32, 0));
    expect_unsupported(&b, "cannot print the model as .ctp: a term reads the state of a "
                           "synchronisation object");

    b = build("x", "T");
    s = add(&b, AU_STEP_NOP);
    s->label = au_intern_add(&b.m->strings, "l", 1);
    s->guard = au_term_bool(b.m->terms, false);
    expect_unsupported(&b, "cannot print 'l' as .ctp: its kind and its updates do not go together");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looks),
        cmocka_unit_test(reads_that_fold_away),
        cmocka_unit_test(terms),
        cmocka_unit_test(names_are_made),
        cmocka_unit_test(narrow_terms),
        cmocka_unit_test(beyond_the_language),
        cmocka_unit_test(all_models_of_the_papers),
        cmocka_unit_test(manual),
        cmocka_unit_test(random_models),
        cmocka_unit_test(random_expressions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
