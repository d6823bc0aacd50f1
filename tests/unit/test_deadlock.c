/* Lock-order cycles and sync-preserving deadlocks. */
#include "base/rng.h"
#include "linear/lockgraph.h"
#include "linear/syncp_deadlock.h"
#include "small_trace.h"
#include "trace/validate.h"
#include "witness/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <stdio.h>

#include <cmocka.h>

static au_trace *trace(const char *text) {
    au_trace *t = au_small_trace_at(text, 1);
    au_validator *v = au_validator_new(&t->names);
    au_block b = au_columns_block(&t->events, 0, t->events.n);
    char why[256];
    if (au_validator_block(v, &b, 0, why, sizeof why) != b.n)
        fail_msg("%s", why);
    au_validator_free(v);
    return t;
}

static au_lockgraph *graph(const au_trace *t, size_t at_once, const au_lockgraph_limits *limits) {
    au_lockgraph *g = au_lockgraph_new(&t->names, true);
    for (size_t i = 0; i < t->events.n; i += at_once) {
        size_t to = t->events.n - i < at_once ? t->events.n : i + at_once;
        au_block b = au_columns_block(&t->events, i, to);
        au_lockgraph_block(g, &b);
    }
    au_lockgraph_finish(g, limits);
    return g;
}

/* What is left of the cycles after each stage, and how many of them are
 * sync-preserving deadlocks, each with a schedule that the checker executes. */
typedef struct {
    uint64_t candidates, unordered, unguarded, syncp;
} answer;

static answer ask(au_trace *t) {
    answer a = {0};
    au_lockgraph *g = graph(t, SIZE_MAX, NULL), *one = graph(t, 1, NULL);
    const au_funnel *f = au_lockgraph_funnel(g);
    assert_memory_equal(f->left, au_lockgraph_funnel(one)->left, sizeof f->left);
    assert_string_equal(au_lockgraph_note(g), "");
    a.candidates = f->left[AU_STAGE_CANDIDATES];
    a.unordered = f->left[AU_STAGE_MUST_HB];
    a.unguarded = f->left[AU_STAGE_LOCKSET];
    assert_int_equal(a.unguarded, au_lockgraph_cycles(g));
    au_error err = AU_ERROR_NONE;
    au_syncp *s = au_syncp_new(t, &err);
    au_findings out;
    au_findings_init(&out);
    au_syncp_deadlock_counts n;
    au_syncp_deadlocks(t, s, g, NULL, &out, NULL, NULL, &n);
    a.syncp = n.found;
    assert_int_equal(out.finding.n, a.unguarded);
    au_checker *c = au_checker_new(t);
    uint64_t shown = 0;
    for (size_t i = 0; i < out.finding.n; i++) {
        const au_finding *x = &out.finding.at[i];
        assert_int_equal(x->kind, AU_KIND_DEADLOCK);
        assert_int_equal(x->standing, AU_IS_POSSIBLE);
        assert_true(*au_finding_why(x) && *x->detail && x->n_events >= 2);
        if (!x->schedule.n)
            continue;
        au_check_result r;
        au_checker_run(c, x, &r);
        if (r.verdict != AU_CHECK_SHOWN)
            fail_msg("%s", r.why);
        shown++;
    }
    assert_int_equal(shown, n.found);
    au_checker_free(c);
    au_findings_release(&out);
    au_syncp_free(s);
    au_lockgraph_free(g);
    au_lockgraph_free(one);
    au_trace_free(t);
    return a;
}

static void expect(const char *text, uint64_t candidates, uint64_t unordered, uint64_t unguarded,
                   uint64_t syncp) {
    answer a = ask(trace(text));
    assert_int_equal(a.candidates, candidates);
    assert_int_equal(a.unordered, unordered);
    assert_int_equal(a.unguarded, unguarded);
    assert_int_equal(a.syncp, syncp);
}

#define AB(t) t " acq a;" t " acq b;" t " rel b;" t " rel a;"
#define BA(t) t " acq b;" t " acq a;" t " rel a;" t " rel b;"

static void two_locks(void **state) {
    (void)state;
    expect(AB("T1") BA("T2"), 1, 1, 1, 1);
    expect(AB("T1") AB("T2"), 0, 0, 0, 0);
}

static void text_of_a_cycle(void **state) {
    (void)state;
    au_trace *t = trace(AB("T1") BA("T2"));
    au_lockgraph *g = graph(t, SIZE_MAX, NULL);
    au_findings out;
    au_findings_init(&out);
    au_finding *x = au_lockgraph_tell(g, 0, &out);
    assert_string_equal(
        x->detail, "'T1' holds 'a' (1) and wants 'b' (2); 'T2' holds 'b' (5) and wants 'a' (6)");
    assert_int_equal(x->event[0].number, 1);
    assert_int_equal(x->event[0].index, 2);
    assert_int_equal(x->event[1].number, 5);
    assert_int_equal(x->event[1].index, 2);
    assert_int_equal(x->event[1].thread, 1);
    assert_int_equal(x->schedule.n, 0);
    au_findings_release(&out);
    au_lockgraph_free(g);
    au_trace_free(t);
}

static void philosophers(void **state) {
    (void)state;
    expect("T1 acq a;T1 acq b;T1 rel b;T1 rel a;"
           "T2 acq b;T2 acq c;T2 rel c;T2 rel b;"
           "T3 acq c;T3 acq a;T3 rel a;T3 rel c;",
           1, 1, 1, 1);
    /* one of them the other way round */
    expect("T1 acq a;T1 acq b;T1 rel b;T1 rel a;"
           "T2 acq b;T2 acq c;T2 rel c;T2 rel b;"
           "T3 acq a;T3 acq c;T3 rel c;T3 rel a;",
           0, 0, 0, 0);
}

static void gate(void **state) {
    (void)state;
    expect("T1 acq g;" AB("T1") "T1 rel g;T2 acq g;" BA("T2") "T2 rel g", 1, 1, 0, 0);
    /* only one of them goes through the gate */
    expect("T1 acq g;" AB("T1") "T1 rel g;" BA("T2"), 1, 1, 1, 1);
    /* the gate is open again before the second lock */
    expect("T1 acq g;T1 acq a;T1 rel g;T1 acq b;T1 rel b;T1 rel a;T2 acq g;" BA("T2") "T2 rel g", 1,
           1, 1, 1);
    /* a thread that holds both gates is not in the way of one that holds none */
    expect("T1 acq g;" AB("T1") "T1 rel g;T2 acq g;" BA("T2") "T2 rel g;" BA("T3"), 2, 2, 1, 1);
}

static void gated_philosophers(void **state) {
    (void)state;
    expect("T1 acq g;T1 acq a;T1 acq b;T1 rel b;T1 rel a;T1 rel g;"
           "T2 acq g;T2 acq b;T2 acq c;T2 rel c;T2 rel b;T2 rel g;"
           "T3 acq g;T3 acq c;T3 acq a;T3 rel a;T3 rel c;T3 rel g;",
           1, 1, 0, 0);
    /* two of three share a gate */
    expect("T1 acq g;T1 acq a;T1 acq b;T1 rel b;T1 rel a;T1 rel g;"
           "T2 acq g;T2 acq b;T2 acq c;T2 rel c;T2 rel b;T2 rel g;"
           "T3 acq c;T3 acq a;T3 rel a;T3 rel c;",
           1, 1, 0, 0);
}

static void fork_and_join(void **state) {
    (void)state;
    expect("M fork T1;" AB("T1") "M join T1;M fork T2;" BA("T2") "M join T2", 1, 0, 0, 0);
    expect("M fork T1;M fork T2;" AB("T1") BA("T2") "M join T1;M join T2", 1, 1, 1, 1);
    expect(AB("M") "M fork T1;" BA("T1"), 1, 0, 0, 0);
    /* ordered here, but not there: the same dependency in two segments */
    expect(AB("M") "M fork T1;" AB("M") BA("T1"), 1, 1, 1, 1);
}

static void one_thread(void **state) {
    (void)state;
    expect(AB("T1") BA("T1"), 0, 0, 0, 0);
    /* T1 twice in a cycle of three: no */
    expect("T1 acq a;T1 acq b;T1 rel b;T1 rel a;T2 acq b;T2 acq c;T2 rel c;T2 rel b;"
           "T1 acq c;T1 acq a;T1 rel a;T1 rel c",
           0, 0, 0, 0);
}

static void read_write_locks(void **state) {
    (void)state;
    expect("T1 rdacq a;T1 rdacq b;T1 rel b;T1 rel a;T2 rdacq b;T2 rdacq a;T2 rel a;T2 rel b", 0, 0,
           0, 0);
    expect("T1 rdacq a;T1 wracq b;T1 rel b;T1 rel a;T2 rdacq b;T2 wracq a;T2 rel a;T2 rel b", 1, 1,
           1, 1);
    expect("T1 wracq a;T1 rdacq b;T1 rel b;T1 rel a;T2 wracq b;T2 rdacq a;T2 rel a;T2 rel b", 1, 1,
           1, 1);
    expect("T1 rdacq a;T1 wracq b;T1 rel b;T1 rel a;T2 rdacq b;T2 rdacq a;T2 rel a;T2 rel b", 0, 0,
           0, 0);
    /* a gate that both pass for reading is none; for writing by one of them it is */
    expect("T1 rdacq g;" AB("T1") "T1 rel g;T2 rdacq g;" BA("T2") "T2 rel g", 1, 1, 1, 1);
    expect("T1 rdacq g;" AB("T1") "T1 rel g;T2 wracq g;" BA("T2") "T2 rel g", 1, 1, 0, 0);
}

static void recursion(void **state) {
    (void)state;
    /* b is held already when it is acquired within a */
    expect("T1 acq b;T1 acq a;T1 acq b;T1 rel b;T1 rel a;T1 rel b;" BA("T2"), 0, 0, 0, 0);
    /* still held after the inner release */
    expect("T1 acq a;T1 acq a;T1 rel a;T1 acq b;T1 rel b;T1 rel a;" BA("T2"), 1, 1, 1, 1);
}

static void not_nested(void **state) {
    (void)state;
    /* a is given up before b is asked for */
    expect("T1 acq a;T1 acq c;T1 rel a;T1 acq b;T1 rel c;T1 rel b;" BA("T2"), 0, 0, 0, 0);
    expect("T1 acq c;T1 acq a;T1 rel c;T1 acq b;T1 rel a;T1 rel b;" BA("T2"), 1, 1, 1, 1);
}

static void needs_another_read(void **state) {
    (void)state;
    /* T2 sees what T1 wrote when it had both locks */
    expect("T1 acq a;T1 acq b;T1 w x;T1 rel b;T1 rel a;T2 r x;" BA("T2"), 1, 1, 1, 0);
    /* only the first time */
    expect("T1 acq a;T1 acq b;T1 w x;T1 rel b;T1 rel a;T2 r x;" BA("T2") AB("T1"), 1, 1, 1, 1);
    /* what T1 wrote before it asks for b is no obstacle */
    expect("T1 acq a;T1 w x;T1 acq b;T1 rel b;T1 rel a;T2 acq b;T2 r x;T2 acq a;T2 rel a;T2 rel b",
           1, 1, 1, 1);
}

/* Sections that must come first close others. */
static void order_of_sections(void **state) {
    (void)state;
    /* T2's section of c follows T1's, which is over only after b; it is a deadlock all
     * the same, with T2's section first */
    expect("T1 acq a;T1 acq c;T1 acq b;T1 rel b;T1 rel c;T1 rel a;"
           "T2 acq c;T2 rel c;" BA("T2"),
           1, 1, 1, 0);
    expect("T1 acq c;T1 w x;T1 rel c;T1 acq a;T1 acq b;T1 rel b;T1 rel a;"
           "T2 acq c;T2 r x;T2 rel c;" BA("T2"),
           1, 1, 1, 1);
}

static void ends_in_it(void **state) {
    (void)state;
    au_trace *t = trace("T1 acq a;T2 acq b;T1 req b;T2 req a");
    au_lockgraph *g = graph(t, SIZE_MAX, NULL);
    assert_int_equal(au_lockgraph_cycles(g), 1);
    assert_true(au_lockgraph_cycle(g, 0)->observed);
    au_lockgraph_free(g);
    answer a = ask(t);
    assert_int_equal(a.syncp, 1);
    /* a request that was answered */
    t = trace("T1 acq a;T1 req b;T1 acq b;T1 rel b;T1 rel a;" BA("T2"));
    g = graph(t, SIZE_MAX, NULL);
    assert_int_equal(au_lockgraph_cycles(g), 1);
    assert_false(au_lockgraph_cycle(g, 0)->observed);
    au_lockgraph_free(g);
    au_trace_free(t);
    expect("T1 acq a;T1 tryfail b;T1 rel a;" BA("T2"), 0, 0, 0, 0);
}

static void condition_wait(void **state) {
    (void)state;
    /* T1 waits with a in its hand and wants b back */
    expect("T1 acq a;T1 acq b;T1 rel b;T1 wait c;T2 acq b;T2 signal c;T2 rel b;T1 wake c;T1 acq b;"
           "T1 rel b;T1 rel a;" BA("T2"),
           1, 1, 1, 1);
}

/* acq? for an acquisition that was only tried */
static au_trace *tried(const char *text) {
    char *plain = au_strdup(text);
    au_trace *t;
    bool try[64] = {0};
    size_t events = 0, n = 0;
    for (const char *c = text; *c; c++) {
        try[events] |= *c == '?';
        if (*c != '?')
            plain[n++] = *c;
        events += *c == ';';
    }
    plain[n] = 0;
    t = trace(plain);
    free(plain);
    assert_true(t->events.n < 64);
    au_columns old = t->events;
    au_columns_init(&t->events);
    for (size_t i = 0; i < old.n; i++) {
        int64_t one = 1;
        au_columns_push(&t->events, old.op[i], old.thread[i], old.obj[i], old.loc[i],
                        try[i] ? &one : NULL);
    }
    au_columns_release(&old);
    return t;
}

static void expect_tried(const char *text, uint64_t syncp) {
    answer a = ask(tried(text));
    assert_int_equal(a.candidates, syncp);
    assert_int_equal(a.syncp, syncp);
}

/* Who tries does not wait. What was got by trying is held like anything else. */
static void tries(void **state) {
    (void)state;
    expect_tried("T1 acq a;T1 acq b;T1 rel b;T1 rel a;T2 acq b;T2 acq a;T2 rel a;T2 rel b;", 1);
    expect_tried("T1 acq a;T1 acq? b;T1 rel b;T1 rel a;T2 acq b;T2 acq a;T2 rel a;T2 rel b;", 0);
    expect_tried("T1 acq a;T1 acq? b;T1 rel b;T1 rel a;T2 acq b;T2 acq? a;T2 rel a;T2 rel b;", 0);
    expect_tried("T1 acq? a;T1 acq b;T1 rel b;T1 rel a;T2 acq? b;T2 acq a;T2 rel a;T2 rel b;", 1);
    expect_tried("T1 acq a;T1 acq? b;T1 rel b;T1 acq b;T1 rel b;T1 rel a;"
                 "T2 acq b;T2 acq a;T2 rel a;T2 rel b;",
                 1);
    expect_tried(
        "T1 rdacq a;T1 wracq? b;T1 rel b;T1 rel a;T2 rdacq b;T2 wracq a;T2 rel a;T2 rel b;", 0);
}

static void limits(void **state) {
    (void)state;
    au_trace *t = trace(AB("T1") AB("T2") AB("T3") BA("T4") BA("T5") BA("T6"));
    au_lockgraph *g = graph(t, SIZE_MAX, NULL);
    assert_int_equal(au_lockgraph_cycles(g), 9);
    au_lockgraph_free(g);
    g = graph(t, SIZE_MAX, &(au_lockgraph_limits){.cycles = 4});
    assert_int_equal(au_lockgraph_cycles(g), 4);
    assert_int_equal(au_lockgraph_funnel(g)->left[AU_STAGE_LOCKSET], 9);
    assert_string_equal(au_lockgraph_note(g), "more than 4 cycles: the rest is not listed");
    au_lockgraph_free(g);
    g = graph(t, SIZE_MAX, &(au_lockgraph_limits){.steps = 20});
    assert_non_null(strstr(au_lockgraph_note(g), "search limit reached at lock cycles of"));
    au_lockgraph_free(g);
    au_trace_free(t);
}

/* n philosophers: the one cycle has n threads, and is found at once. */
static void long_cycle(void **state) {
    (void)state;
    enum { N = 300 };
    char *text = au_alloc((size_t)N * 80), *p = text;
    for (int i = 0; i < N; i++)
        p += sprintf(p, "T%d acq l%d;T%d acq l%d;T%d rel l%d;T%d rel l%d;", i, i, i, (i + 1) % N, i,
                     (i + 1) % N, i, i);
    expect(text, 1, 1, 1, 1);
    free(text);
}

/* --- many locks, against all pairs ------------------------------------------------------ */

enum { MANY = 24, MANY_THREADS = 3 };

/* Each thread takes and gives locks at random, some for reading, often not in order; one thread after
 * the other, so that every trace is possible. */
static au_trace *many_locks(au_rng *r) {
    static const char *const op[] = {"acq", "wracq", "rdacq"};
    char *text = au_alloc_array(1 << 16, 1);
    size_t n = 0, size = 1 << 16;
    unsigned modes = au_rng_below(r, 2), spread = 2 + au_rng_below(r, 5);
    for (int t = 0; t < MANY_THREADS; t++) {
        bool held[MANY] = {0};
        for (int i = 0; i < 60; i++) {
            /* mostly upwards, so that some locks are on no cycle */
            unsigned l = (unsigned)i * MANY / 60 + au_rng_below(r, spread * 2);
            l = l < spread ? 0 : l - spread;
            l = l < MANY ? l : MANY - 1;
            if (held[l])
                n += (size_t)snprintf(text + n, size - n, "T%d rel l%u;", t, l);
            else
                n += (size_t)snprintf(text + n, size - n, "T%d %s l%u;", t,
                                      modes ? op[1 + au_rng_below(r, 2)] : op[0], l);
            held[l] = !held[l];
        }
        for (unsigned l = 0; l < MANY; l++)
            if (held[l])
                n += (size_t)snprintf(text + n, size - n, "T%d rel l%u;", t, l);
    }
    au_trace *t = trace(text);
    free(text);
    return t;
}

/* Every pair of a held lock and one asked for that are on a cycle of such pairs is an edge, with all its
 * dependencies; no other is. */
static size_t edges_by_pairs(const au_lockgraph *g, size_t locks) {
    bool reach[MANY][MANY] = {0};
    for (uint32_t d = 0; d < au_lockgraph_deps(g); d++) {
        uint32_t n;
        const au_lock_mode *h = au_lockgraph_set(g, au_lockgraph_dep(g, d)->held, &n);
        for (uint32_t i = 0; i < n; i++)
            reach[au_lock_of(h[i])][au_lock_of(au_lockgraph_dep(g, d)->wants)] = true;
    }
    for (size_t k = 0; k < locks; k++)
        for (size_t i = 0; i < locks; i++)
            for (size_t j = 0; j < locks; j++)
                reach[i][j] |= reach[i][k] && reach[k][j];
    size_t wanted = 0, had = 0;
    for (uint32_t d = 0; d < au_lockgraph_deps(g); d++) {
        uint32_t n;
        const au_lock_dep *x = au_lockgraph_dep(g, d);
        const au_lock_mode *h = au_lockgraph_set(g, x->held, &n);
        for (uint32_t i = 0; i < n; i++) {
            if (!reach[au_lock_of(x->wants)][au_lock_of(h[i])])
                continue;
            wanted++;
            for (uint32_t e = 0; e < au_lockgraph_edges(g); e++) {
                const au_lock_edge *y = au_lockgraph_edge(g, e);
                if (y->thread != x->thread || y->holds != h[i] || y->wants != x->wants)
                    continue;
                for (size_t k = 0; k < y->dep.n; k++)
                    had += y->dep.at[k] == d;
            }
        }
    }
    assert_int_equal(had, wanted);
    for (uint32_t e = 0; e < au_lockgraph_edges(g); e++)
        wanted -= au_lockgraph_edge(g, e)->dep.n;
    assert_int_equal(wanted, 0);
    return had;
}

/* The place that a cycle's text names is where the lock was acquired last. */
static void sites_are_right(const au_lockgraph *g, const au_trace *t) {
    for (uint32_t d = 0; d < au_lockgraph_deps(g); d++) {
        const au_lock_dep *x = au_lockgraph_dep(g, d);
        uint32_t n;
        const au_lock_mode *h = au_lockgraph_set(g, x->held, &n);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t loc = AU_NONE;
            for (size_t e = 0; e < x->at.at[0].first.number; e++)
                if (t->events.thread[e] == x->thread && t->events.obj[e] == au_lock_of(h[i]) &&
                    t->events.op[e] != AU_OP_REL)
                    loc = t->events.loc[e];
            const au_lock_site *s = x->at.at[0].site;
            while (s && s->lock != au_lock_of(h[i]))
                s = s->before;
            assert_non_null(s);
            assert_int_equal(s->loc, loc);
        }
    }
}

static void all_pairs(void **state) {
    (void)state;
    au_rng r;
    au_rng_init(&r, 5);
    size_t edges = 0;
    for (int round = 0; round < 200; round++) {
        au_trace *t = many_locks(&r);
        au_lockgraph *g = graph(t, SIZE_MAX, &(au_lockgraph_limits){1, 1, 1000});
        edges += edges_by_pairs(g, t->names.lock.n);
        sites_are_right(g, t);
        au_lockgraph_free(g);
        au_trace_free(t);
    }
    assert_true(edges > 1000);
}

/* One thread holds them all: what is kept grows with the locks, not with their square. */
static void nested(void **state) {
    (void)state;
    enum { N = 20000 };
    au_trace *t = trace("T0 w x; T1 w x");
    for (int i = 0; i < 2 * N; i++) {
        char s[16];
        int k = i < N ? i : 2 * N - 1 - i;
        uint32_t lock = au_intern_add(&t->names.lock, s, (size_t)snprintf(s, sizeof s, "l%d", k));
        au_columns_push(&t->events, i < N ? AU_OP_ACQ : AU_OP_REL, 0, lock, 7, NULL);
    }
    au_lockgraph *g = graph(t, 1000, NULL);
    assert_int_equal(au_lockgraph_deps(g), N - 1);
    assert_int_equal(au_lockgraph_edges(g), 0);
    assert_int_equal(au_lockgraph_cycles(g), 0);
    au_lockgraph_free(g);
    au_trace_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_locks),
        cmocka_unit_test(tries),
        cmocka_unit_test(text_of_a_cycle),
        cmocka_unit_test(philosophers),
        cmocka_unit_test(gate),
        cmocka_unit_test(gated_philosophers),
        cmocka_unit_test(fork_and_join),
        cmocka_unit_test(one_thread),
        cmocka_unit_test(read_write_locks),
        cmocka_unit_test(recursion),
        cmocka_unit_test(not_nested),
        cmocka_unit_test(needs_another_read),
        cmocka_unit_test(order_of_sections),
        cmocka_unit_test(ends_in_it),
        cmocka_unit_test(condition_wait),
        cmocka_unit_test(limits),
        cmocka_unit_test(long_cycle),
        cmocka_unit_test(all_pairs),
        cmocka_unit_test(nested),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
