/* The .ctp reader: grammar, splitting, unrolling, the trace list, and every error
 * with its place. */
#include "base/alloc.h"
#include "ctp_text.h"
#include "model/ctp.h"
#include "model/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static au_model *read_with(const char *text, uint32_t unroll) {
    au_error err = AU_ERROR_NONE;
    au_ctp_options opts = {.unroll = unroll};
    au_model *m = au_ctp_read(text, strlen(text), "m.ctp", &opts, &err);
    if (!m)
        print_error("%s\n", err.text);
    assert_non_null(m);
    const char *wrong = au_model_check(m);
    if (wrong)
        print_error("%s\n", wrong);
    assert_null(wrong);
    assert_int_equal(au_model_check_observed(m, NULL, &err), AU_OK);
    return m;
}
static au_model *read_ok(const char *text) {
    return read_with(text, 0);
}

static const au_step *step(const au_model *m, size_t i) {
    assert_true(i < m->step.n);
    return &m->step.at[i];
}
/* The value of variable 'name' after the observed run. */
static int32_t last_value(const au_model *m, const char *name) {
    uint64_t *value = au_alloc_array(m->var.n, sizeof *value);
    for (size_t i = 0; i < m->var.n; i++)
        value[i] = m->var.at[i].init;
    for (size_t i = 0; i < m->observed.n; i++) {
        const au_step *s = step(m, m->observed.at[i]);
        uint64_t next[8];
        assert_true(s->n_updates <= 8);
        for (uint32_t k = 0; k < s->n_updates; k++)
            next[k] = au_term_eval(m->terms, s->update[k].value, value);
        for (uint32_t k = 0; k < s->n_updates; k++)
            value[s->update[k].var] = next[k];
    }
    int32_t v = (int32_t)value[find_var(m, name)];
    free(value);
    return v;
}

static void declarations(void **state) {
    (void)state;
    au_model *m = read_ok("shared x, y = -1, z = 0x10 + 2 * 3\n"
                          "lock a, b; rlock r rwlock w\n"
                          "thread T { nop } sem s, t = 3 cond c, d  barrier q = 2");
    assert_int_equal((int32_t)m->var.at[find_var(m, "x")].init, 0);
    assert_int_equal((int32_t)m->var.at[find_var(m, "y")].init, -1);
    assert_int_equal((int32_t)m->var.at[find_var(m, "z")].init, 22);
    static const struct {
        const char *name;
        au_obj_kind kind;
        int32_t init;
    } want[] = {{"a", AU_OBJ_LOCK, 0},   {"b", AU_OBJ_LOCK, 0}, {"r", AU_OBJ_RLOCK, 0},
                {"w", AU_OBJ_RWLOCK, 0}, {"s", AU_OBJ_SEM, 0},  {"t", AU_OBJ_SEM, 3},
                {"c", AU_OBJ_COND, 0},   {"d", AU_OBJ_COND, 0}, {"q", AU_OBJ_BARRIER, 2}};
    assert_int_equal(m->obj.n, sizeof want / sizeof *want);
    for (size_t i = 0; i < m->obj.n; i++) {
        assert_string_equal(m->obj.at[i].name, want[i].name);
        assert_int_equal(m->obj.at[i].kind, want[i].kind);
        assert_int_equal(m->obj.at[i].init, want[i].init);
    }
    assert_string_equal(m->file, "m.ctp");
    au_model_free(m);
}

static void kinds_of_steps(void **state) {
    (void)state;
    au_model *m = read_ok("shared x lock m rwlock w cond c barrier b = 1\n"
                          "thread T { a := 1; x := a; assume x > 0; assert x; acq m; rel m\n"
                          "  rdacq w rel w wracq w rel w acq m signal c broadcast c wait c m\n"
                          "  arrive b fork U join U havoc a havoc x nop [assume x == 0] }\n"
                          "thread U { }");
    static const au_step_kind want[] = {
        AU_STEP_ASSIGN, AU_STEP_ASSIGN, AU_STEP_ASSUME,    AU_STEP_ASSERT, AU_STEP_ACQ,
        AU_STEP_REL,    AU_STEP_RDACQ,  AU_STEP_REL,       AU_STEP_WRACQ,  AU_STEP_REL,
        AU_STEP_ACQ,    AU_STEP_SIGNAL, AU_STEP_BROADCAST, AU_STEP_WAIT,   AU_STEP_WAKE,
        AU_STEP_WAKE,   AU_STEP_ARRIVE, AU_STEP_LEAVE,     AU_STEP_FORK,   AU_STEP_JOIN,
        AU_STEP_HAVOC,  AU_STEP_HAVOC,  AU_STEP_NOP,       AU_STEP_ASSUME, AU_STEP_NOP};
    assert_int_equal(m->step.n, sizeof want / sizeof *want);
    for (size_t i = 0; i < m->step.n; i++)
        assert_int_equal(step(m, i)->kind, want[i]);
    assert_int_equal(m->thread.at[1].node.n, 2); /* the empty thread has a nop */
    assert_true(m->thread.at[1].forked && !m->thread.at[0].forked);
    assert_int_equal(step(m, 21)->havoc, find_var(m, "x"));
    assert_true(step(m, 21)->n_accesses == 1 && step(m, 21)->access[0].write);
    assert_true(step(m, 23)->blocking && step(m, 23)->indivisible);
    assert_false(step(m, 2)->blocking);
    assert_int_equal(step(m, 4)->line, 2);
    assert_int_equal(step(m, 4)->col, 52);
    /* straight threads number their nodes in the order of the text */
    for (size_t i = 0; i < 13; i++)
        assert_true(step(m, i)->src == i && step(m, i)->dst == i + 1);
    au_model_free(m);
}

/* Accesses of step i as text: "Rx", "Wx", "-" for none. */
static void expect_accesses(const au_model *m, size_t i, const char *want) {
    char have[100] = "";
    const au_step *s = step(m, i);
    for (uint32_t k = 0; k < s->n_accesses; k++)
        sprintf(have + strlen(have), "%c%s", s->access[k].write ? 'W' : 'R',
                m->var.at[s->access[k].var].name);
    assert_string_equal(s->n_accesses ? have : "-", want);
}

static void one_access_stays_one_step(void **state) {
    (void)state;
    au_model *m =
        read_ok("shared x thread T { b := 1 assume x > b  a := x + 1  x := 2 + a\n"
                "a := x * 0  assume x || 1  assert x == x0  if (x > 0) { nop } x0 := 2 }");
    assert_int_equal(m->step.n, 11);
    static const char *const want[] = {"-",  "Rx", "Rx", "Wx", "Rx", "Rx",
                                       "Rx", "Rx", "Rx", "-",  "-"};
    for (size_t i = 0; i < m->step.n; i++)
        expect_accesses(m, i, want[i]);
    assert_true(au_term_is_true(m->terms, step(m, 5)->guard)); /* it folded; the read stays */
    assert_int_equal(au_term_value(m->terms, step(m, 4)->update[0].value), 0);
    au_model_free(m);
}

static void more_accesses_are_split(void **state) {
    (void)state;
    au_model *m = read_ok("shared x = 3, y = 4\n"
                          "thread T { t1: x := x + 1\n  t2: a := x - x\n  t3: y := x\n"
                          "t4: if (x < y) { } t5: assert (y ? x : x) }");
    static const char *const want[] = {"Rx", "Wx", "Rx", "Rx", "-",  "Rx", "Wy", "Rx",
                                       "Ry", "-",  "-",  "Ry", "Rx", "Rx", "-"};
    static const char *const label[] = {"t1", "t1", "t2", "t2", "t2", "t3", "t3", "t4",
                                        "t4", "t4", "t4", "t5", "t5", "t5", "t5"};
    assert_int_equal(m->step.n, 15);
    for (size_t i = 0; i < m->step.n; i++) {
        expect_accesses(m, i, want[i]);
        assert_string_equal(au_step_label(m, step(m, i)), label[i]);
    }
    /* temporaries are shared between statements, those of asserts among asserts */
    assert_int_equal(m->var.at[find_var(m, "_3")].kind, AU_VAR_LOCAL);
    size_t locals = 0;
    for (size_t i = 0; i < m->var.n; i++)
        locals += m->var.at[i].kind == AU_VAR_LOCAL;
    assert_int_equal(locals, 6); /* a, three, and two of the assert */
    assert_int_equal(last_value(m, "x"), 4);
    assert_int_equal(last_value(m, "y"), 4);
    au_model_free(m);
}

static void temporaries_take_free_names(void **state) {
    (void)state;
    au_model *m = read_ok("shared x, _2 thread T { _1: x := x + 1 _3 := _2 + x }");
    assert_int_equal(m->var.at[find_var(m, "_4")].kind, AU_VAR_LOCAL);
    assert_int_equal(m->var.at[find_var(m, "_5")].kind, AU_VAR_LOCAL);
    au_model_free(m);
}

static void brackets_are_one_step(void **state) {
    (void)state;
    au_model *m = read_ok("shared x = 1, y = 2, n\n"
                          "thread T { t1: [ x := x + y + x ] [ a := n; n := a + 1; a := a + 10 ]\n"
                          "[ assume n == 1; n := 5 ] [ assert x == 4 && y == 2; y := n ]\n"
                          "[ nop ] [ havoc x ] [ b := x * 0 ] }");
    assert_int_equal(m->step.n, 7);
    static const char *const want[] = {"RxRyWx", "RnWn", "RnWn", "RxRyRnWy", "-", "Wx", "Rx"};
    for (size_t i = 0; i < m->step.n; i++) {
        expect_accesses(m, i, want[i]);
        assert_true(step(m, i)->indivisible);
        assert_int_equal(step(m, i)->blocking, i == 2);
    }
    assert_int_equal(step(m, 2)->kind, AU_STEP_ASSUME);
    assert_int_equal(step(m, 3)->kind, AU_STEP_ASSERT);
    assert_int_equal(m->observed.n, 7);
    assert_int_equal(last_value(m, "a"), 10);
    assert_int_equal(last_value(m, "y"), 5);
    assert_int_equal(last_value(m, "n"), 5);
    au_model_free(m);
}

static void expressions(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int32_t value;
    } of[] = {{"1 + 2 * 3", 7},
              {"(1 + 2) * 3", 9},
              {"10 - 4 - 3", 3},
              {"1 ? 2 : 0 ? 3 : 4", 2},
              {"0 ? 2 : 0 ? 3 : 4", 4},
              {"1 | 6 ^ 3 & 2", 1 | (6 ^ (3 & 2))},
              {"1 == 1 < 2", 1},
              {"3 > 2 > 1", 0},
              {"1 << 2 + 1", 8},
              {"-8 >> 1", -4},
              {"1 << 32", 1},
              {"1 << -1", INT32_MIN},
              {"5 / 0", 0},
              {"5 % 0", 5},
              {"-5 % 3", -2},
              {"-5 / 3", -1},
              {"0x80000000 / -1", INT32_MIN},
              {"2147483647 + 1", INT32_MIN},
              {"4294967295", -1},
              {"!5 + !0", 1},
              {"~5", -6},
              {"- -5", 5},
              {"+7", 7},
              {"5 && 0 || 3", 1},
              {"0XfF", 255}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        char *text = au_sprintf("shared v = %s thread T { }", of[i].text);
        au_model *m = read_ok(text);
        assert_int_equal((int32_t)m->var.at[find_var(m, "v")].init, of[i].value);
        au_model_free(m);
        free(text);
    }
}

static void branches(void **state) {
    (void)state;
    au_model *m = read_ok("shared x thread T { a := 2\n"
                          "i1: if (a == 1) { x := 1 } else if (a == 2) { x := 2; nop } else { } \n"
                          "if (a) { } else { }  b := 1 }");
    const au_thread *t = &m->thread.at[0];
    const au_step *yes = step(m, 1), *no = step(m, 2);
    assert_int_equal(yes->kind, AU_STEP_BRANCH);
    assert_int_equal(yes->src, no->src);
    assert_int_equal(t->node.at[yes->src].kind, AU_NODE_IF);
    uint32_t merge = t->node.at[yes->src].merge;
    assert_int_equal(t->node.at[no->dst].kind, AU_NODE_IF);
    assert_int_equal(t->node.at[no->dst].merge, merge); /* the inner one is last: same end */
    assert_int_equal(t->node.at[merge].kind, AU_NODE_IF);
    assert_int_equal(step(m, t->node.at[merge].out.at[0])->dst,
                     step(m, t->node.at[merge].out.at[1])->dst);
    assert_false(m->has_loops);
    assert_int_equal(m->observed.n, 7);
    assert_int_equal(last_value(m, "x"), 2);
    au_model_free(m);
}

static void loops(void **state) {
    (void)state;
    static const char text[] = "shared x = 2 thread T { l: while (x > 0) { atomic { x := x - 1 } "
                               "i := i + 1 } e: nop }";
    au_model *m = read_with(text, 2); /* two rounds are just enough */
    assert_false(m->has_loops);
    assert_int_equal(m->step.n, 2 * (2 + 3) + 2);
    assert_int_equal(m->n_blocks, 2);
    assert_int_equal(last_value(m, "i"), 2);
    assert_string_equal(au_step_label(m, step(m, m->observed.at[m->observed.n - 1])), "e");
    au_model_free(m);
    m = read_with(text, 1); /* stops like a false assume */
    assert_int_equal(last_value(m, "i"), 1);
    const au_step *end = step(m, m->step.n - 2);
    assert_int_equal(end->kind, AU_STEP_ASSUME);
    assert_false(end->blocking);
    expect_accesses(m, m->step.n - 2, "Rx");
    assert_string_equal(au_step_label(m, end), "l");
    assert_int_equal(step(m, m->observed.at[m->observed.n - 1])->update[0].var, find_var(m, "i"));
    au_model_free(m);
    m = read_with(text, AU_NONE);
    assert_true(m->has_loops);
    assert_int_equal(m->step.n, 6);
    assert_int_equal(m->thread.at[0].node.at[0].kind, AU_NODE_LOOP);
    assert_int_equal(last_value(m, "i"), 2);
    au_model_free(m);
    m = read_with("shared f thread T { while (f) { } }", 3);
    assert_int_equal(m->step.n, 7);
    au_model_free(m);
    m = read_with("shared f thread T { while (f) { } }", AU_NONE);
    assert_int_equal(m->step.n, 2);
    assert_true(step(m, 0)->src == step(m, 0)->dst);
    au_model_free(m);
}

static void atomic_blocks(void **state) {
    (void)state;
    au_model *m = read_ok("shared x thread T { atomic { a: nop atomic { nop } } nop atomic { } \n"
                          "b: atomic { if (x) { nop } c: nop } }");
    assert_int_equal(m->n_blocks, 2);
    static const uint32_t block[] = {0, 0, AU_NONE, 1, 1, 1, 1};
    static const char *const label[] = {"a", "", "", "b", "b", "b", "c"};
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(step(m, i)->block, block[i]);
        assert_string_equal(au_step_label(m, step(m, i)), label[i]);
    }
    au_model_free(m);
}

static void forms(void **state) {
    (void)state;
    /* no line breaks, semicolons everywhere, comments, names with dots, CRLF */
    au_model *m =
        read_ok(";;shared a.b$c_1=1;// c\n# ;;;\nthread T.1{;t:x:=a.b$c_1;;y:=x?x:x u:nop;}"
                ";trace t-u;\r\n");
    assert_int_equal(m->step.n, 3);
    assert_int_equal(m->observed.n, 3);
    au_model_free(m);
    au_error err = AU_ERROR_NONE;
    m = au_ctp_read("thread T { } # \xc3\xa4", 17, "m", NULL, &err);
    assert_non_null(m);
    au_model_free(m);
}

static void memory_orders(void **state) {
    (void)state;
    au_model *m = read_ok("shared x thread T { [x := 1] [sc x := 2] [rlx x := 3] [rel x := 4]\n"
                          "[acq a := x] [acq_rel b := x; x := b + 1] if [acq x] { nop }\n"
                          "fence acq fence rel fence acq_rel fence sc x := 5 }");
    static const uint8_t order[] = {AU_MO_NONE,    AU_MO_NONE,    AU_MO_RLX, AU_MO_REL,  AU_MO_ACQ,
                                    AU_MO_ACQ_REL, AU_MO_ACQ,     AU_MO_ACQ, AU_MO_NONE, AU_MO_ACQ,
                                    AU_MO_REL,     AU_MO_ACQ_REL, AU_MO_SC,  AU_MO_NONE};
    assert_int_equal(m->step.n, sizeof order);
    for (size_t i = 0; i < m->step.n; i++)
        assert_int_equal(step(m, i)->order, order[i]);
    assert_int_equal(step(m, 9)->kind, AU_STEP_NOP);
    assert_true(au_model_is_weak(m));
    au_model_free(m);
    m = read_ok("shared x thread T { [x := 1] [sc a := x] fence acq x := 5 }");
    assert_false(au_model_is_weak(m));
    au_model_free(m);
    /* The words are names as before. */
    m = read_ok("shared rlx, sc thread T { fence := 1 [sc := rlx] [rlx := 1; sc := rlx]\n"
                "if [rlx == 1] { na: acq_rel := fence } if [sc -1 == 0] { fence: nop } }");
    assert_int_equal(step(m, 1)->n_accesses, 2);
    assert_false(au_model_is_weak(m));
    au_model_free(m);
}

/* The observed run as labels, "-" for a step without one. */
static void expect_run(const char *text, const char *want) {
    au_model *m = read_ok(text);
    char have[400] = "";
    for (size_t i = 0; i < m->observed.n; i++) {
        const char *l = au_step_label(m, step(m, m->observed.at[i]));
        sprintf(have + strlen(have), "%s%s", i ? " " : "", *l ? l : "-");
    }
    assert_string_equal(have, want);
    au_model_free(m);
}

static void traces(void **state) {
    (void)state;
#define TWO "shared x thread T { a: nop nop b: x := x + 1 c: nop } thread U { d: nop e: nop } "
    expect_run(TWO, "a - b b c d e");
    expect_run(TWO "trace d a-b e c", "d a - b b e c");
    expect_run(TWO "trace d - e a - c", "d e a - b b c");
    expect_run(TWO "trace d, a-b/1; e b-c", "d a - b e b c");
    expect_run(TWO "trace d", "d");
#define COND                                                                                       \
    "lock m cond c thread W { a: acq m b: wait c m d: nop } thread S { e: signal c f: nop }"
    expect_run(COND "trace a b e b d", "a b e b d");
    expect_run(COND "trace a-b e-f b-d", "a b e f b d");
    expect_run(COND "trace a-b b d", "a b b d"); /* without a signal: a spurious wake-up */
    expect_run(
        "barrier b = 2 thread T { t: arrive b u: nop } thread U { v: arrive b } trace t v t-u",
        "t v v t u");
    expect_run("barrier b = 2 thread T { t: arrive b u: nop } thread U { v: arrive b } "
               "trace t v/1 t-u v",
               "t v t u v");
    expect_run("thread T { b: atomic { nop i: if (1) { nop } j: nop } k: nop } trace b k",
               "b i b j k");
    expect_run("thread T { b: atomic { nop i: if (1) { nop } j: nop } k: nop } trace b-i", "b i");
    expect_run("thread T { a: assert 0 b: nop } thread U { c: nop } trace c a", "c a");
#undef TWO
#undef COND
}

static void errors_of_text(void **state) {
    (void)state;
    expect_error("shared x = `", 12, "unexpected character '`'");
    expect_error("shared x = @", 12, "expected an expression, found '@'");
    expect_error("thread T { x := \xc3\xa4 }", 17,
                 "byte 0xc3: only comments and quoted names may have other than ASCII");
    expect_error("shared x = 12ab", 12, "'12ab' is not a number");
    expect_error("shared x = 010", 12,
                 "'010': a number does not start with 0 (there is no octal here)");
    expect_error("shared x = 4294967296 thread T { }", 12, "'4294967296' does not fit in 32 bits");
    expect_error("shared x = 0x123456789 thread T { }", 12,
                 "'0x123456789' does not fit in 32 bits");
    expect_error("shared x = 0x10000000000000000", 12,
                 "'0x10000000000000000' does not fit in 64 bits");
    expect_error("hello", 1, "expected a declaration, 'thread' or 'trace', found 'hello'");
    expect_error("", 1, "there is no thread in this model");
    expect_error("shared", 7, "expected a name, found the end of the file");
    expect_error("shared lock", 8, "expected a name, found the keyword 'lock'");
    expect_error("shared x := 1", 10, "a declaration has '=', not ':='");
    expect_error("lock m = 1", 8, "'m' has no initial value");
    expect_error("barrier b", 9, "barrier 'b' needs '= n', the number of threads");
    expect_error("thread T", 9, "expected '{', found the end of the file");
    expect_error("thread T { nop", 15, "the '{' at 1:10 has no '}'");
    expect_error("thread T { a: }", 15, "expected a statement or '}', found '}'");
    expect_error("thread T { a: b: nop }", 15, "a statement has one label");
    expect_error("thread T { a = 1 }", 14, "assignment is ':='");
    expect_error("thread T { a 1 }", 14, "expected ':=' or ':', found '1'");
    expect_error("shared x thread T { [na x := 1] }", 22,
                 "what stands between '[' and ']' is atomic: leave out 'na' and the brackets");
    expect_error("shared x thread T { [acq x := 1] }", 22,
                 "a write is 'rlx', 'rel' or 'sc', not 'acq'");
    expect_error("shared x thread T { [rel a := x] }", 22,
                 "a read is 'rlx', 'acq' or 'sc', not 'rel'");
    expect_error("shared x thread T { if [acq_rel x] { nop } }", 25,
                 "a read is 'rlx', 'acq' or 'sc', not 'acq_rel'");
    expect_error("shared x, y thread T { [rlx x := y] }", 25,
                 "a step with a memory order accesses one variable, not 'y' and 'x'");
    expect_error("thread T { [rlx a := 1] }", 13,
                 "'rlx' says how a shared variable is accessed, and there is none here");
    expect_error("shared x thread T { rlx x := 1 }", 21,
                 "a memory order stands behind the '[' of an atomic access: [rlx ...]");
    expect_error("shared x thread T { [x := 1; rlx x := 2] }", 30,
                 "a memory order stands behind the '[' of an atomic access: [rlx ...]");
    expect_error("thread T { fence rlx }", 18, "a relaxed fence does nothing: leave it out");
    expect_error("thread T { fence x }", 18, "expected 'acq', 'rel', 'acq_rel' or 'sc', found 'x'");
    expect_error("shared x thread T { [x := 1; fence sc] }", 30,
                 "'fence' stands alone, not inside '['");
    expect_error("thread T { l: a 1 }", 17, "expected ':=', found '1'");
    expect_error("thread T { a := }", 17, "expected an expression, found '}'");
    expect_error("thread T { a := acq m }", 17, "expected an expression, found the keyword 'acq'");
    expect_error("thread T { a := (1 }", 20, "expected ')', found '}'");
    expect_error("thread T { a := 1 ? 2 }", 23, "expected ':', found '}'");
    expect_error("thread T { if 1 { } }", 15, "expected '(', found '1'");
    expect_error("thread T { if (1) nop }", 19, "expected '{', found 'nop'");
    expect_error("thread T { else { } }", 12, "'else' without an 'if' before it");
    expect_error("thread T { acq 1 }", 16, "expected the name of a lock, found '1'");
    expect_error("thread T { wait c }", 19,
                 "expected the name of the lock to wait with, found '}'");
    expect_error("thread T { [ ] }", 12, "'[ ]' without a statement");
    expect_error("thread T { [ nop }", 18, "expected a statement or ']', found '}'");
    expect_error("thread T { [ acq m ] }", 14, "'acq' cannot stand between '[' and ']'");
    expect_error("thread T { [ if (1) { } ] }", 14, "'if' cannot stand between '[' and ']'");
    expect_error("thread T { [ a: nop ] }", 14, "a label stands before '[', not inside");
    expect_error("thread T { [ [ nop ] ] }", 14, "'[' inside '['");
    expect_error("thread T { [ havoc a; b := 1 ] }", 23,
                 "'havoc' stands alone between '[' and ']'");
    expect_error("thread T { [ assume 1; assert 1 ] }", 24,
                 "'assume' and 'assert' cannot stand in one '[ ... ]'");
    expect_error("thread T { } trace", 19, "expected a label, found the end of the file");
    expect_error("thread T { a: nop } trace a trace a", 29, "there is a 'trace' already");
    expect_error("thread T { a: nop } trace a/0", 29,
                 "expected the number of steps to run, found '0'");
    expect_error("thread T { a: nop } trace 5", 27, "expected a label, found '5'");
}

static void errors_of_meaning(void **state) {
    (void)state;
    expect_error("shared x lock x thread T { }", 15, "'x' is declared already, at 1:8");
    expect_error("shared x = y thread T { }", 12, "'y': an initial value is a constant");
    expect_error("sem s = -1 thread T { }", 9, "semaphore 's' starts below 0");
    expect_error("barrier b = 0 thread T { }", 13, "barrier 'b' is for at least 1 thread");
    expect_error("thread T { } thread T { }", 21, "there is a thread 'T' already");
    expect_error("thread T { a: nop a: nop }", 19, "label 'a' is used already, at 1:12");
    expect_error("thread T { a: nop } thread U { a: nop }", 32,
                 "label 'a' is used already, at 1:12");
    expect_error("thread T { a := b }", 17,
                 "unknown name 'b': neither shared nor assigned in this thread");
    expect_error("thread T { b := 1 } thread U { a := b }", 37,
                 "unknown name 'b': neither shared nor assigned in this thread");
    expect_error("lock m thread T { m := 1 }", 19, "'m' is a lock and cannot be assigned");
    expect_error("sem s thread T { havoc s }", 24, "'s' is a sem and cannot be assigned");
    expect_error("cond c thread T { a := 1 + c }", 28, "'c' is a cond and cannot be read");
    expect_error("lock m thread T { [ a := m ] }", 26, "'m' is a lock and cannot be read");
    expect_error("thread T { acq m }", 16, "unknown lock 'm'");
    expect_error("shared x thread T { acq x }", 25, "'acq' needs a lock, 'x' is a shared variable");
    expect_error("rwlock m thread T { acq m }", 25, "'m' is a rwlock: take it with rdacq or wracq");
    expect_error("lock m thread T { rdacq m }", 25, "'m' is a lock: take it with acq");
    expect_error("sem m thread T { wracq m }", 24, "'wracq' needs a rwlock, 'm' is a sem");
    expect_error("cond c thread T { acq c }", 23, "'acq' needs a lock, 'c' is a cond");
    expect_error("barrier c = 1 thread T { rel c }", 30, "'rel' needs a lock, 'c' is a barrier");
    expect_error("lock m thread T { wait m m }", 24, "'wait' needs a cond, 'm' is a lock");
    expect_error("cond c rwlock m thread T { wait c m }", 35,
                 "'wait' needs a lock, 'm' is a rwlock");
    expect_error("lock m thread T { signal m }", 26, "'signal' needs a cond, 'm' is a lock");
    expect_error("thread T { broadcast c }", 22, "unknown cond 'c'");
    expect_error("lock b thread T { arrive b }", 26, "'arrive' needs a barrier, 'b' is a lock");
    expect_error("thread T { fork U }", 17, "unknown thread 'U'");
    expect_error("thread T { join x }", 17, "unknown thread 'x'");
    expect_error("thread T { fork T }", 17, "thread 'T' forks itself");
    expect_error("thread T { while (1) { } }", 12,
                 "a 'while' needs '--unroll N', the number of rounds to look at");
    /* what stands where nothing is executed is looked at as well */
    expect_error("thread T { if (0) { acq m } }", 25, "unknown lock 'm'");
}

static void errors_of_traces(void **state) {
    (void)state;
#define M "lock m sem s thread T { a: acq m b: rel m } thread U { c: acq m d: rel m } "
    expect_error(M "trace x", 82, "unknown label 'x'");
    expect_error(M "trace a-x", 84, "unknown label 'x'");
    expect_error(M "trace a-d", 84, "'a' and 'd' are labels of different threads");
    expect_error(M "trace b", 82, "'b' cannot run here: T is at 1:28");
    expect_error(M "trace a a", 84, "'a' cannot run here: T is at 1:37");
    expect_error(M "trace a-b b", 86, "'b' cannot run here: T has ended");
    expect_error(M "trace a c", 84, "'c' cannot run here: lock 'm' is held by T");
    expect_error(M "trace a-b c/2", 86, "'c' ends after 1 of 2 steps");
    expect_error(M "trace a(U)", 82, "'a' is not a signal");
#undef M
    expect_error("thread T { a: assert 0 b: nop } trace a b", 41,
                 "'b' cannot run here: T failed an assert");
    expect_error("thread T { a: assert 0 b: nop } trace a-b", 39, "T fails an assert before 'b'");
    expect_error("thread T { a: assume 0 b: nop } trace a-b", 39,
                 "'a' cannot run here: its condition is false");
    expect_error("thread T { a: nop b: assume 0 } trace a-b", 39,
                 "'b' cannot run here: its condition is false");
    expect_error("sem s thread T { a: acq s } trace a", 35,
                 "'a' cannot run here: semaphore 's' is 0");
    expect_error("lock m thread T { a: rel m } trace a", 36,
                 "'a' cannot run here: lock 'm' is not held by T");
    expect_error("rwlock m thread T { a: rdacq m b: wracq m } trace a-b", 51,
                 "'b' cannot run here: lock 'm' is held by readers");
    expect_error("thread T { fork U } thread U { a: nop } trace a", 47,
                 "'a' cannot run here: thread 'U' has not been forked");
    expect_error("thread T { a: fork U b: fork U } thread U { } trace a-b", 53,
                 "'b' cannot run here: thread 'U' runs already");
    expect_error("thread T { a: join U } thread U { nop } trace a", 47,
                 "'a' cannot run here: thread 'U' has not ended");
    expect_error("barrier b = 2 thread T { a: arrive b c: nop } trace a-c", 53,
                 "'a' cannot run here: barrier 'b' is not full");
    expect_error("cond c lock m thread T { a: acq m b: wait c m d: nop } trace a-d", 62,
                 "'b' cannot run here: condition 'c' was not signalled");
    expect_error("thread T { a: nop if (1) { } else { b: nop } } trace a-b", 56,
                 "T ends without coming to 'b'");
    expect_error("cond c thread T { a: signal c } thread U { } trace a(V)", 54,
                 "unknown thread 'V'");
    expect_error("cond c thread T { a: signal c } thread U { } trace a(U)", 54,
                 "thread 'U' does not wait for this signal");
    expect_error("thread T { a: atomic { } b: nop } trace a", 41, "'a' has no steps");
}

static void places(void **state) {
    (void)state;
    expect_error_with("thread T {\n\tnop\n\t acq  q\n}\n", 0,
                      "m.ctp:3:8: unknown lock 'q'\n\t acq  q\n\t      ^");
    /* CRLF is not part of the line; control bytes do not reach the terminal */
    expect_error_with("thread T {\r\n  acq q\r\n}", 0,
                      "m.ctp:2:7: unknown lock 'q'\n  acq q\n      ^");
    expect_error_with("# \033[31m\n\033", 0, "m.ctp:2:1: byte 0x1b is not text\n?\n^");
    au_error err = AU_ERROR_NONE;
    assert_null(au_ctp_read("thread T {\0 }", 13, "m.ctp", NULL, &err));
    assert_string_equal(err.text, "m.ctp:1:11: byte 0x00 is not text\nthread T {? }\n          ^");
    /* a long line is cut on both sides of the column */
    char line[2001];
    memset(line, ' ', 2000);
    line[2000] = 0;
    memcpy(line, "thread T {", 10);
    memcpy(line + 1000, "acq q", 5);
    line[1999] = '}';
    assert_null(au_ctp_read(line, 2000, "m.ctp", NULL, &err));
    const char *second = strchr(err.text, '\n') + 1, *third = strchr(second, '\n') + 1;
    assert_memory_equal(err.text, "m.ctp:1:1005: unknown lock 'q'\n", 31);
    assert_true(third - second < 120 && strlen(third) < 80);
    assert_memory_equal(second, "...", 3);
    assert_int_equal(second[strlen(third) - 1], 'q');
    /* a long file name does not hide the place */
    char file[3000];
    memset(file, 'f', sizeof file - 1);
    file[sizeof file - 1] = 0;
    assert_null(au_ctp_read("thread T { acq q }", 18, file, NULL, &err));
    assert_non_null(strstr(err.text, "f:1:16: unknown lock 'q'\nthread T { acq q }\n     "));
}

/* n times 'open', then 'middle', then n times 'close', between before and after */
static au_model *deep(const char *before, const char *open, unsigned n, const char *middle,
                      const char *close, const char *after, au_error *err) {
    size_t room =
        strlen(before) + n * (strlen(open) + strlen(close)) + strlen(middle) + strlen(after) + 1;
    char *text = au_alloc(room), *p = stpcpy(text, before);
    for (unsigned i = 0; i < n; i++)
        p = stpcpy(p, open);
    p = stpcpy(p, middle);
    for (unsigned i = 0; i < n; i++)
        p = stpcpy(p, close);
    stpcpy(p, after);
    au_ctp_options opts = {.unroll = 1};
    au_model *m = au_ctp_read(text, strlen(text), "m.ctp", &opts, err);
    free(text);
    return m;
}

static void limits(void **state) {
    (void)state;
    static const struct {
        const char *before, *open, *middle, *close, *after, *message;
        unsigned fits;
    } of[] = {
        {"thread T { a := ", "(", "1", ")", " }", "expression is more than 1000 levels", 1000},
        {"thread T { a := ", "-", "1", "", " }", "expression is more than 1000 levels", 999},
        {"thread T { a := ", "1 + ", "1", "", " }", "expression is more than 1000 levels", 999},
        {"thread T { a := ", "1 ? 1 : ", "1", "", " }", "expression is more than 1000 levels", 999},
        {"thread T { a := ", "1 ? ", "1", " : 1", " }", "expression is more than 1000 levels", 999},
        {"thread T { ", "atomic { ", "nop", "}", " }", "blocks are more than 1000 levels", 999},
        {"thread T { ", "if (1) { ", "nop", "}", " }", "blocks are more than 1000 levels", 999},
        {"thread T { ", "while (1) { ", "nop", "}", " }", "blocks are more than 1000 levels", 999},
        {"thread T { ", "if (0) { } else ", "{ }", "", " }", "expected a statement", 0},
        {"thread T { if (0) { } ", "else if (0) { } ", "", "", " }",
         "blocks are more than 1000 levels", 998},
        {"thread T { [ ", "a := a + 1; ", "nop", "", "] }",
         "more than 64 statements in one '[ ... ]'", 63},
        {"thread T { [ a := 1 ", "+ 1", "", "", "; a := a + 1 ] }", "is more than 1000 levels deep",
         997},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        au_error err = AU_ERROR_NONE;
        if (of[i].fits) {
            au_model *m = deep(of[i].before, of[i].open, of[i].fits, of[i].middle, of[i].close,
                               of[i].after, &err);
            if (!m)
                print_error("%zu: %s\n", i, err.text);
            assert_non_null(m);
            assert_null(au_model_check(m));
            au_model_free(m);
            for (unsigned n = of[i].fits + 2; n < 200000; n *= 100) {
                assert_null(deep(of[i].before, of[i].open, n, of[i].middle, of[i].close,
                                 of[i].after, &err));
                assert_non_null(strstr(err.text, of[i].message));
            }
        }
    }
    /* nested loops multiply */
    au_error err = AU_ERROR_NONE;
    au_ctp_options opts = {.unroll = 1000};
    static const char loops3[] = "thread T { while (1) { while (1) { while (1) { nop } } } }";
    assert_null(au_ctp_read(loops3, strlen(loops3), "m.ctp", &opts, &err));
    assert_non_null(strstr(err.text, "more than 4194304 steps with --unroll 1000"));
    opts.max_steps = 10;
    assert_null(au_ctp_read("thread T { while (1) { nop } }", 30, "m.ctp", &opts, &err));
    assert_non_null(strstr(err.text, "more than 10 steps with --unroll 1000"));
    size_t big = (16u << 20) + 1;
    char *blanks = au_alloc(big);
    memset(blanks, ' ', big);
    assert_null(au_ctp_read(blanks, big, "m.ctp", NULL, &err));
    assert_string_equal(err.text, "m.ctp: larger than 16 MiB, not a model written by hand");
    free(blanks);
}

static void files(void **state) {
    (void)state;
    au_error err = AU_ERROR_NONE;
    assert_null(au_ctp_load("no/such.ctp", NULL, &err));
    assert_int_equal(err.status, AU_EIO);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(declarations),
        cmocka_unit_test(kinds_of_steps),
        cmocka_unit_test(one_access_stays_one_step),
        cmocka_unit_test(more_accesses_are_split),
        cmocka_unit_test(temporaries_take_free_names),
        cmocka_unit_test(brackets_are_one_step),
        cmocka_unit_test(expressions),
        cmocka_unit_test(branches),
        cmocka_unit_test(loops),
        cmocka_unit_test(atomic_blocks),
        cmocka_unit_test(forms),
        cmocka_unit_test(traces),
        cmocka_unit_test(memory_orders),
        cmocka_unit_test(errors_of_text),
        cmocka_unit_test(errors_of_meaning),
        cmocka_unit_test(errors_of_traces),
        cmocka_unit_test(places),
        cmocka_unit_test(limits),
        cmocka_unit_test(files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
