/* Traces with knowledge of how values depend on each other, as models: small ones by hand. */
#include "model/ctp.h"
#include "model/run.h"
#include "model/symbolic.h"
#include "oracle/oracle.h"
#include "same_model.h"
#include "small_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

typedef struct {
    au_trace *t;
    au_symbolic s;
    au_model *m;
    au_symbolic_map map;
} known;

static void begin(known *k, const char *trace) {
    *k = (known){.t = au_small_trace(trace)};
    au_symbolic_init(&k->s, k->t);
}

static void end(known *k) {
    if (k->m)
        au_symbolic_map_release(&k->map);
    au_model_free(k->m);
    au_symbolic_release(&k->s);
    au_trace_free(k->t);
}

/* Event e (from 0) is symbolic: its term. */
static au_term sees(known *k, uint32_t e, unsigned width) {
    au_bitset_add(&k->s.symbolic, e);
    return au_term_of_var(k->s.terms, e, width);
}

static au_term number(known *k, unsigned width, uint64_t v) {
    return au_term_const(k->s.terms, width, v);
}

static au_term plus(known *k, au_term a, uint64_t c) {
    return au_term_make(k->s.terms, AU_T_ADD, a, number(k, au_term_width(k->s.terms, a), c));
}

static au_term is(known *k, au_term a, uint64_t c) {
    return au_term_eq(k->s.terms, a, number(k, au_term_width(k->s.terms, a), c));
}

static uint32_t text(known *k, const char *s) {
    return au_intern_add(&k->s.strings, s, strlen(s));
}

static size_t fact(known *k, au_fact_kind kind, uint32_t after, au_term cond) {
    uint32_t line = 10 + (uint32_t)k->s.fact.n;
    au_vec_push(&k->s.fact, ((au_fact){after, k->t->events.thread[after], (uint8_t)kind, cond,
                                       text(k, "p.c"), line, text(k, "why"), 0, 0}));
    return k->s.fact.n - 1;
}

static void init(known *k, const char *var, uint64_t value) {
    uint32_t v = au_intern_find(&k->t->names.var, var, strlen(var));
    au_bitset_add(&k->s.init_known, v);
    k->s.init[v] = value;
}

static void elsewhere(known *k, uint32_t event, au_term when, const char *var) {
    au_vec_push(&k->s.elsewhere,
                ((au_elsewhere){event, when, au_intern_add(&k->t->names.var, var, strlen(var))}));
}

/* The events of thread from index 'from' on, n of them, are one step of the program. */
static void hooks(known *k, const uint64_t *sizes, uint16_t thread) {
    for (; *sizes; sizes++)
        au_hooks_note(&k->t->hooks, thread, *sizes, false);
}

static void build(known *k) {
    au_error err = AU_ERROR_NONE;
    k->m = au_model_from_symbolic(&k->s, &k->map, &err);
    if (!k->m)
        fail_msg("%s", err.text);
    const char *wrong = au_model_check(k->m);
    if (wrong)
        fail_msg("%s", wrong);
    if (au_symbolic_check(&k->s, k->m, &k->map, &err))
        fail_msg("%s", err.text);
    char *differs = au_round_trip(k->m, 0, NULL);
    if (differs)
        fail_msg("%s", differs);
}

static void refused(known *k, const char *part) {
    au_error err = AU_ERROR_NONE;
    au_model *m = au_model_from_symbolic(&k->s, NULL, &err);
    assert_null(m);
    if (!strstr(err.text, part))
        fail_msg("expected '%s' in '%s'", part, err.text);
    end(k);
}

static const au_step *step(const known *k, uint32_t event) {
    uint32_t s = au_symbolic_step(&k->map, event);
    assert_int_not_equal(s, AU_NONE);
    return &k->m->step.at[s];
}

/* Can the fact fail in some interleaving? */
static bool can_fail(const known *k, size_t f) {
    au_error err = AU_ERROR_NONE;
    au_oracle_options o = AU_ORACLE_DEFAULTS;
    o.props = AU_PROP_ASSERT;
    au_oracle_result *r = au_oracle_run(k->m, &o, &err);
    assert_non_null(r);
    assert_true(r->exhaustive);
    bool found = false;
    for (size_t i = 0; i < r->finding.n; i++)
        found |= r->finding.at[i].event[0].step == k->map.fact_step[f];
    au_oracle_free(r);
    return found;
}

/* Is there a race between these events? */
static bool races(const known *k, uint32_t a, uint32_t b) {
    au_error err = AU_ERROR_NONE;
    au_oracle_options o = AU_ORACLE_DEFAULTS;
    o.props = AU_PROP_RACE;
    au_oracle_result *r = au_oracle_run(k->m, &o, &err);
    assert_non_null(r);
    bool found = false;
    for (size_t i = 0; i < r->finding.n; i++) {
        uint32_t x = r->finding.at[i].event[0].step, y = r->finding.at[i].event[1].step;
        uint32_t s = au_symbolic_step(&k->map, a), t = au_symbolic_step(&k->map, b);
        found |= (x == s && y == t) || (x == t && y == s);
    }
    au_oracle_free(r);
    return found;
}

static const au_var_info *variable(const au_model *m, const char *name) {
    for (size_t v = 0; v < m->var.n; v++)
        if (!strcmp(m->var.at[v].name, name))
            return &m->var.at[v];
    return NULL;
}

/* ---- accesses ------------------------------------------------------------------------------ */

/* x++ twice, then the sum is looked at. */
static void a_lost_update(void **state) {
    (void)state;
    known k;
    begin(&k, "M fork A;M fork B;A r x 0;A w x 1;B r x 1;B w x 2;M join A;M join B;M r x 2");
    init(&k, "x", 0);
    k.s.write[3] = plus(&k, sees(&k, 2, 32), 1);
    k.s.write[5] = plus(&k, sees(&k, 4, 32), 1);
    size_t f = fact(&k, AU_FACT_ASSERT, 8, is(&k, sees(&k, 8, 32), 2));
    build(&k);
    assert_true(can_fail(&k, f));
    const au_step *r = step(&k, 2), *w = step(&k, 3);
    assert_int_equal(r->kind, AU_STEP_ASSIGN);
    assert_int_equal(r->n_updates, 1);
    assert_int_equal(r->n_accesses, 1);
    assert_false(r->indivisible);
    assert_int_equal(k.m->var.at[w->update[0].var].width, 32);
    const au_step *a = &k.m->step.at[k.map.fact_step[f]];
    assert_int_equal(a->kind, AU_STEP_ASSERT);
    assert_int_equal(a->line, 10);
    assert_string_equal(au_intern_str(&k.m->strings, a->loc), "p.c");
    /* the facts stand right behind their events */
    assert_int_equal(k.m->observed.at[k.m->observed.n - 1], a->id);
    assert_true(races(&k, 3, 4));
    end(&k);
    /* the same under a lock */
    begin(&k, "M fork A;M fork B;A acq l;A r x 0;A w x 1;A rel l;B acq l;B r x 1;B w x 2;B rel l;"
              "M join A;M join B;M r x 2");
    init(&k, "x", 0);
    k.s.write[4] = plus(&k, sees(&k, 3, 32), 1);
    k.s.write[8] = plus(&k, sees(&k, 7, 32), 1);
    f = fact(&k, AU_FACT_ASSERT, 12, is(&k, sees(&k, 12, 32), 2));
    build(&k);
    assert_false(can_fail(&k, f));
    assert_false(races(&k, 4, 7));
    end(&k);
}

/* if (x == 0) y = 1 in A, x = 1; assert(y == 0) in B: needs the branch. */
static void branches_are_assumed(void **state) {
    (void)state;
    for (int other = 0; other < 2; other++) {
        known k;
        begin(&k, "A r x 0;A w y 1;B w x 1;B r y 1;B w z 1;A r z 1");
        init(&k, "x", 0);
        init(&k, "y", 0);
        init(&k, "z", 0);
        fact(&k, AU_FACT_ASSUME, 0, is(&k, sees(&k, 0, 32), 0));
        au_term y = sees(&k, 3, 32);
        size_t f = fact(&k, AU_FACT_ASSERT, 3, is(&k, y, 1));
        /* x is 1 here: had A not read before, it would not have written y */
        size_t g = fact(
            &k, AU_FACT_ASSERT, 5,
            other ? is(&k, sees(&k, 5, 32), 1)
                  : au_term_or(k.s.terms, is(&k, sees(&k, 5, 32), 1), is(&k, sees(&k, 5, 32), 0)));
        build(&k);
        assert_true(can_fail(&k, f));
        assert_int_equal(can_fail(&k, g), other);
        end(&k);
    }
}

/* Reads that are not symbolic keep their value, but happen whatever they see. */
static void pinned_reads(void **state) {
    (void)state;
    known k;
    begin(&k, "A w x 1;B r x 1;B w y 5;A w x 2;A r y 5;A w y 6");
    init(&k, "x", 0);
    init(&k, "y", 0);
    size_t f = fact(&k, AU_FACT_ASSERT, 4, is(&k, sees(&k, 4, 32), 5));
    build(&k);
    assert_true(can_fail(&k, f)); /* A first */
    assert_true(races(&k, 3, 1)); /* B's read next to x := 2 */
    assert_int_equal(step(&k, 1)->n_accesses, 1);
    assert_int_equal(k.m->step.at[step(&k, 1)->id + 1].kind, AU_STEP_ASSUME);
    end(&k);
    /* x is written before the fork only: nobody looks */
    begin(&k, "A w x 1;A fork B;B r x 1;B w y 2;A r y 2;A join B;A w x 3;A r x 3");
    build(&k);
    assert_int_equal(au_symbolic_step(&k.map, 2), AU_NONE);
    assert_int_equal(au_symbolic_step(&k.map, 0), AU_NONE);
    assert_null(variable(k.m, "x"));
    assert_non_null(variable(k.m, "y"));
    end(&k);
}

static void read_modify_write(void **state) {
    (void)state;
    known k;
    begin(&k, "A rmw x 1;B rmw x 2;A ar x 2;A rmw y 7;B rmw y 8");
    init(&k, "x", 0);
    init(&k, "y", 3);
    k.s.write[0] = plus(&k, sees(&k, 0, 64), 1);
    k.s.write[1] = plus(&k, sees(&k, 1, 64), 1);
    size_t f = fact(&k, AU_FACT_ASSERT, 1, is(&k, sees(&k, 1, 64), 1));
    size_t g = fact(&k, AU_FACT_ASSERT, 2, is(&k, sees(&k, 2, 64), 2));
    size_t h = fact(&k, AU_FACT_ASSERT, 2,
                    au_term_make(k.s.terms, AU_T_ULE, sees(&k, 2, 64), number(&k, 64, 2)));
    build(&k);
    assert_true(can_fail(&k, f));
    assert_true(can_fail(&k, g));
    assert_false(can_fail(&k, h));
    assert_true(step(&k, 0)->indivisible);
    assert_int_equal(step(&k, 0)->n_accesses, 2);
    assert_int_equal(variable(k.m, "x")->width, 64);
    /* nothing is known of y's: pinned to what they replaced */
    assert_false(au_term_is_true(k.m->terms, step(&k, 3)->guard));
    end(&k);
    /* what the first of all replaced is told by what it added */
    begin(&k, "A rmw x 6;B rmw x 7");
    k.s.write[0] = plus(&k, sees(&k, 0, 32), 1);
    k.s.write[1] = plus(&k, sees(&k, 1, 32), 1);
    f = fact(&k, AU_FACT_ASSERT, 1, is(&k, sees(&k, 1, 32), 6));
    build(&k);
    assert_int_equal(variable(k.m, "x")->init, 5);
    assert_true(can_fail(&k, f));
    end(&k);
}

/* cas(x, 0, 1) by both; one fails. */
static void compare_and_exchange(void **state) {
    (void)state;
    known k;
    begin(&k, "A rmw x 1;B ar x 1;B w y 1;A r y 1");
    init(&k, "x", 0);
    init(&k, "y", 0);
    for (uint32_t e = 0; e < 2; e++) {
        au_term old = sees(&k, e, 32);
        k.s.write[e] = au_term_ite(k.s.terms, is(&k, old, 0), number(&k, 32, 1), old);
    }
    size_t won = fact(&k, AU_FACT_ASSERT, 0, is(&k, sees(&k, 0, 32), 0));
    size_t lost = fact(&k, AU_FACT_ASSERT, 1, au_term_not(k.s.terms, is(&k, sees(&k, 1, 32), 0)));
    size_t any = fact(&k, AU_FACT_ASSERT, 1,
                      au_term_make(k.s.terms, AU_T_ULE, sees(&k, 1, 32), number(&k, 32, 1)));
    build(&k);
    assert_true(can_fail(&k, won));
    assert_true(can_fail(&k, lost));
    assert_false(can_fail(&k, any));
    assert_int_equal(step(&k, 1)->n_accesses, 2);
    assert_true(step(&k, 1)->indivisible);
    end(&k);
}

/* ---- several cells ------------------------------------------------------------------------- */

static void several_cells(void **state) {
    (void)state;
    known k;
    /* A writes both halves at once, B reads both at once: never one of each */
    begin(&k, "A w lo 1;A w hi 1;B r lo 1;B r hi 1;A w lo 2");
    init(&k, "lo", 0);
    init(&k, "hi", 0);
    hooks(&k, (uint64_t[]){2, 1, 0}, 0);
    hooks(&k, (uint64_t[]){2, 0}, 1);
    au_term same = au_term_eq(k.s.terms, sees(&k, 2, 32), sees(&k, 3, 32));
    au_term two = is(&k, sees(&k, 2, 32), 2);
    size_t f = fact(&k, AU_FACT_ASSERT, 3, au_term_or(k.s.terms, same, two));
    size_t g = fact(&k, AU_FACT_ASSERT, 3, same);
    build(&k);
    assert_false(can_fail(&k, f));
    assert_true(can_fail(&k, g));
    assert_int_equal(au_symbolic_step(&k.map, 0), au_symbolic_step(&k.map, 1));
    assert_int_equal(au_symbolic_step(&k.map, 2), au_symbolic_step(&k.map, 3));
    assert_int_equal(step(&k, 2)->n_accesses, 2);
    assert_true(step(&k, 2)->indivisible);
    end(&k);
}

/* A copy: what is written is what the same step read, also where both overlap. */
static void copies(void **state) {
    (void)state;
    known k;
    begin(&k, "A r a 1;A r b 2;A w b 1;A w c 2;B w a 5;B r c 2;B w b 6;B w c 7");
    init(&k, "a", 1);
    init(&k, "b", 2);
    init(&k, "c", 0);
    hooks(&k, (uint64_t[]){4, 0}, 0);
    k.s.write[2] = sees(&k, 0, 32);
    k.s.write[3] = sees(&k, 1, 32);
    size_t f = fact(&k, AU_FACT_ASSERT, 5, is(&k, sees(&k, 5, 32), 2));
    size_t g = fact(&k, AU_FACT_ASSERT, 5,
                    au_term_or(k.s.terms, is(&k, sees(&k, 5, 32), 2), is(&k, sees(&k, 5, 32), 0)));
    build(&k);
    const au_step *s = step(&k, 0);
    assert_int_equal(s->n_accesses, 4);
    for (uint32_t e = 1; e < 4; e++)
        assert_int_equal(au_symbolic_step(&k.map, e), s->id);
    assert_true(can_fail(&k, f)); /* B before A */
    assert_false(can_fail(&k, g));
    end(&k);
    /* read what was written in the same step */
    begin(&k, "A w a 4;A r a 4;A w b 5;B r b 5;B w a 9");
    init(&k, "a", 0);
    init(&k, "b", 0);
    hooks(&k, (uint64_t[]){3, 0}, 0);
    k.s.write[2] = plus(&k, sees(&k, 1, 32), 1);
    f = fact(&k, AU_FACT_ASSERT, 3,
             au_term_or(k.s.terms, is(&k, sees(&k, 3, 32), 5), is(&k, sees(&k, 3, 32), 0)));
    build(&k);
    assert_false(can_fail(&k, f));
    end(&k);
    /* what must hold before the write of the same step is its guard */
    begin(&k, "A r a 1;A w b 1;B w a 2;B r b 1");
    init(&k, "a", 1);
    init(&k, "b", 0);
    hooks(&k, (uint64_t[]){2, 0}, 0);
    fact(&k, AU_FACT_PIN, 0, is(&k, sees(&k, 0, 32), 1));
    f = fact(&k, AU_FACT_ASSERT, 3, is(&k, sees(&k, 3, 32), 1));
    build(&k);
    assert_false(au_term_is_true(k.m->terms, step(&k, 0)->guard));
    assert_true(can_fail(&k, f)); /* A has stopped */
    end(&k);
}

/* ---- pointers ------------------------------------------------------------------------------- */

/* *p where p may be &x (100) or &y (200). */
static void other_places(void **state) {
    (void)state;
    known k;
    begin(&k, "A r p 100;A r x 1;B w p 200;B w y 2;B w p 300;A r q 0;B w q 1");
    init(&k, "p", 100);
    init(&k, "x", 1);
    init(&k, "y", 0);
    init(&k, "q", 0);
    au_term p = sees(&k, 0, 64), v = sees(&k, 1, 32);
    fact(&k, AU_FACT_PIN, 0, au_term_or(k.s.terms, is(&k, p, 100), is(&k, p, 200)));
    elsewhere(&k, 1, is(&k, p, 200), "y");
    size_t few =
        fact(&k, AU_FACT_ASSERT, 1, au_term_make(k.s.terms, AU_T_ULE, v, number(&k, 32, 2)));
    size_t two = fact(&k, AU_FACT_ASSERT, 1, au_term_not(k.s.terms, is(&k, v, 2)));
    size_t one = fact(&k, AU_FACT_ASSERT, 1, is(&k, v, 1));
    build(&k);
    assert_true(can_fail(&k, one));
    assert_true(can_fail(&k, two));
    assert_false(can_fail(&k, few));
    assert_string_equal(k.m->var.at[step(&k, 1)->access[0].var].name, "x");
    end(&k);
    /* a write through it, and what follows */
    begin(&k, "A r p 100;A w x 7;B w p 200;B r y 0;B r x 7;A w p 100");
    init(&k, "p", 100);
    init(&k, "x", 1);
    init(&k, "y", 0);
    p = sees(&k, 0, 64);
    fact(&k, AU_FACT_PIN, 0, au_term_or(k.s.terms, is(&k, p, 100), is(&k, p, 200)));
    elsewhere(&k, 1, is(&k, p, 200), "y");
    size_t y = fact(&k, AU_FACT_ASSERT, 3, is(&k, sees(&k, 3, 32), 0));
    size_t both = fact(&k, AU_FACT_ASSERT, 4,
                       au_term_not(k.s.terms, au_term_and(k.s.terms, is(&k, sees(&k, 3, 32), 7),
                                                          is(&k, sees(&k, 4, 32), 7))));
    build(&k);
    assert_true(can_fail(&k, y));
    assert_false(can_fail(&k, both));
    end(&k);
    /* an update through it */
    begin(&k, "A r p 100;A rmw x 2;B w p 200;B ar y 5;B w p 100");
    init(&k, "p", 100);
    init(&k, "x", 1);
    init(&k, "y", 5);
    p = sees(&k, 0, 64);
    fact(&k, AU_FACT_PIN, 0, au_term_or(k.s.terms, is(&k, p, 100), is(&k, p, 200)));
    elsewhere(&k, 1, is(&k, p, 200), "y");
    k.s.write[1] = plus(&k, sees(&k, 1, 32), 1);
    y = fact(&k, AU_FACT_ASSERT, 3, is(&k, sees(&k, 3, 32), 5));
    both = fact(&k, AU_FACT_ASSERT, 3,
                au_term_or(k.s.terms, is(&k, sees(&k, 3, 32), 5), is(&k, sees(&k, 3, 32), 6)));
    build(&k);
    assert_true(can_fail(&k, y));
    assert_false(can_fail(&k, both));
    end(&k);
}

/* ---- what is not known ------------------------------------------------------------------------ */

static void unknown_values(void **state) {
    (void)state;
    known k;
    /* what x held before nobody knows: B cannot have read it */
    begin(&k, "A w x 1;B r x 1;B w y 1;A r y 1");
    size_t f = fact(&k, AU_FACT_ASSERT, 1, is(&k, sees(&k, 1, 8), 1));
    init(&k, "y", 0);
    build(&k);
    assert_false(can_fail(&k, f));
    assert_int_equal(variable(k.m, "x")->width, 8);
    end(&k);
    /* what a free leaves behind */
    begin(&k, "A w x 1;B r x 1;A w x;B r z 0;A w z 1");
    init(&k, "x", 1);
    init(&k, "z", 0);
    f = fact(&k, AU_FACT_ASSERT, 1, is(&k, sees(&k, 1, 32), 1));
    size_t g = fact(&k, AU_FACT_ASSERT, 3, is(&k, sees(&k, 3, 32), 0));
    build(&k);
    assert_false(can_fail(&k, f));
    assert_true(can_fail(&k, g));
    assert_true(races(&k, 1, 2)); /* the read itself is there to be seen */
    end(&k);
    /* a write without a value wrote what was read then; a read without one saw what was there */
    begin(&k, "A w x;B r x 4;B r x;A w x 5;A w z 1;B r z 1");
    init(&k, "z", 0);
    f = fact(&k, AU_FACT_ASSERT, 1, is(&k, sees(&k, 1, 32), 4));
    build(&k);
    assert_true(can_fail(&k, f)); /* 5 */
    assert_int_equal(au_term_value(k.m->terms, step(&k, 0)->update[0].value), 4);
    end(&k);
    /* neither of both: it must be this write all the same */
    begin(&k, "A w x;B r x;B w z 2;A w x;A r z 2");
    init(&k, "z", 0);
    f = fact(&k, AU_FACT_ASSERT, 4, is(&k, sees(&k, 4, 32), 2));
    build(&k);
    uint64_t one = au_term_value(k.m->terms, step(&k, 0)->update[0].value);
    uint64_t two = au_term_value(k.m->terms, step(&k, 3)->update[0].value);
    assert_int_not_equal(one, two);
    assert_true(can_fail(&k, f));
    end(&k);
}

/* Code without hooks wrote x: nobody knows what happens behind the read. */
static void foreign_writes(void **state) {
    (void)state;
    known k;
    begin(&k, "A w x 1;B r y 0;B r x 2;B w y 1;A r y 1;A w z 1;B r z 1;A w x 3");
    init(&k, "y", 0);
    init(&k, "z", 0);
    size_t f = fact(&k, AU_FACT_ASSERT, 1, is(&k, sees(&k, 1, 32), 0));
    build(&k);
    assert_int_equal(au_symbolic_step(&k.map, 2), AU_NONE);
    assert_int_equal(au_symbolic_step(&k.map, 3), AU_NONE);
    assert_int_equal(au_symbolic_step(&k.map, 6), AU_NONE);
    assert_int_not_equal(au_symbolic_step(&k.map, 5), AU_NONE); /* there, but not reached */
    assert_false(can_fail(&k, f));
    assert_int_equal(k.m->observed.n, 3); /* x := 1, r := y, the fact; A would see no 1 */
    end(&k);
}

static void a_run_that_failed(void **state) {
    (void)state;
    known k;
    begin(&k, "A w x 1;B r x 1;A w x 2;A w y 3;B w y 1");
    init(&k, "x", 0);
    init(&k, "y", 0);
    size_t f = fact(&k, AU_FACT_ASSERT, 1, is(&k, sees(&k, 1, 32), 0));
    size_t g = fact(&k, AU_FACT_ASSUME, 1, is(&k, sees(&k, 1, 32), 1));
    build(&k);
    assert_int_equal(k.m->observed.n, 3);
    assert_int_equal(k.m->observed.at[2], k.map.fact_step[f]);
    assert_int_equal(k.map.fact_step[g], AU_NONE);
    assert_int_equal(k.map.last, 2);
    assert_true(can_fail(&k, f));
    end(&k);
}

/* ---- synchronisation ---------------------------------------------------------------------------- */

static void all_primitives(void **state) {
    (void)state;
    known k;
    begin(&k, "M fork A;M fork B;"
              "A acq l;A acq q;A acq q;A rel q;A rel q;A rdacq w;A rel w;A down s;A r x 0;A w x 1;"
              "A up s;A rel l;A wait c;"
              "B acq l;B wracq w;B rel w;B tryfail t;B signal c;B once o;B rel l;"
              "A wake c;A acq l;A rel l;A once o;A arrive b;B arrive b;B leave b;A leave b;"
              "B begin;B down s;B r x 1;B w x 2;B up s;B end;M join A;M join B;M r x 2");
    au_small_trace_kind(k.t, "s", AU_WIRE_OBJ_SEM, 1);
    au_small_trace_kind(k.t, "b", AU_WIRE_OBJ_BARRIER, 2);
    init(&k, "x", 0);
    k.s.write[11] = plus(&k, sees(&k, 10, 32), 1);
    k.s.write[33] = plus(&k, sees(&k, 32, 32), 1);
    /* facts inside a wait or at a barrier stand behind it */
    size_t in = fact(&k, AU_FACT_ASSERT, 14, is(&k, sees(&k, 10, 32), 0));
    size_t at = fact(&k, AU_FACT_ASSERT, 26, is(&k, sees(&k, 10, 32), 0));
    size_t f = fact(&k, AU_FACT_ASSERT, 38, is(&k, sees(&k, 38, 32), 2));
    build(&k);
    assert_int_equal(k.m->step.at[k.map.fact_step[in]].src, step(&k, 23)->dst);
    assert_int_equal(k.m->step.at[k.map.fact_step[at]].src, step(&k, 29)->dst);
    assert_int_equal(step(&k, 13)->kind, AU_STEP_WAIT);
    assert_int_equal(step(&k, 23)->kind, AU_STEP_WAKE);
    assert_int_not_equal(step(&k, 32)->block, AU_NONE);
    assert_false(can_fail(&k, f));
    assert_false(can_fail(&k, in));
    end(&k);
}

/* ---- bad knowledge ----------------------------------------------------------------------------- */

static void bad_knowledge(void **state) {
    (void)state;
    known k;
    begin(&k, "A r x 0;A w x 1;B w x 2");
    k.s.write[1] = au_term_of_var(k.s.terms, 0, 32); /* not said to be symbolic */
    refused(&k, "no symbolic read");
    begin(&k, "A r x 0;A w x 1;B w x 2");
    k.s.write[1] = plus(&k, sees(&k, 0, 32), 5); /* not what it wrote */
    au_error err = AU_ERROR_NONE;
    au_symbolic_map map;
    au_model *m = au_model_from_symbolic(&k.s, &map, &err);
    assert_non_null(m);
    assert_int_equal(au_symbolic_check(&k.s, m, &map, &err), AU_EINTERNAL);
    assert_non_null(strstr(err.text, "event 2 (thread 'A', w(x)): a bug of augur: the model writes "
                                     "5, the run 1"));
    au_symbolic_map_release(&map);
    au_model_free(m);
    end(&k);
    begin(&k, "A r x 0;A w x 1;B r x 1;B w x 2");
    fact(&k, AU_FACT_ASSUME, 0, is(&k, sees(&k, 0, 32), 7));
    refused(&k, "its condition does not hold there");
    begin(&k, "A r x 0;A w x 1;B r x 1;B w x 2");
    sees(&k, 0, 32);
    sees(&k, 2, 64);
    refused(&k, "is 32 and 64 bits wide");
    begin(&k, "A r x 0;A w x 1");
    au_bitset_add(&k.s.symbolic, 1);
    refused(&k, "a symbolic read that is no read");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lost_update),
        cmocka_unit_test(branches_are_assumed),
        cmocka_unit_test(pinned_reads),
        cmocka_unit_test(read_modify_write),
        cmocka_unit_test(compare_and_exchange),
        cmocka_unit_test(several_cells),
        cmocka_unit_test(copies),
        cmocka_unit_test(other_places),
        cmocka_unit_test(unknown_values),
        cmocka_unit_test(foreign_writes),
        cmocka_unit_test(a_run_that_failed),
        cmocka_unit_test(all_primitives),
        cmocka_unit_test(bad_knowledge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
