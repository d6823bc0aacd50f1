/* Lock contexts, the atomicity meta-analysis and its schedules on small traces. */
#include "base/rng.h"
#include "linear/atomicity.h"
#include "linear/lockctx.h"
#include "linear/schedule.h"
#include "small_trace.h"
#include "trace/gen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static au_trace *trace(const char *text) {
    return au_small_trace_at(text, 0);
}

typedef struct {
    au_trace *t;
    au_atomicity *a;
    au_findings found;
    au_atomicity_result r;
} answer;

static answer analyse_with(au_trace *t, au_atomicity_options o) {
    answer x = {.t = t, .a = au_atomicity_new(&t->names, &o)};
    au_findings_init(&x.found);
    au_block b = au_columns_block(&t->events, 0, t->events.n);
    b.first = 0;
    au_atomicity_block(x.a, &b);
    au_atomicity_finish(x.a, &x.found, &x.r, NULL, NULL);
    return x;
}

static answer analyse(const char *text) {
    au_atomicity_options o = AU_ATOMICITY_DEFAULTS;
    return analyse_with(trace(text), o);
}

static void release(answer *x) {
    au_findings_release(&x->found);
    au_atomicity_free(x->a);
    au_trace_free(x->t);
}

/* AWA and WRW representatives of a trace. */
static void expect(const char *text, uint64_t awa, uint64_t wrw) {
    answer x = analyse(text);
    assert_int_equal(x.r.awa, awa);
    assert_int_equal(x.r.wrw, wrw);
    assert_int_equal(x.r.funnel.left[AU_STAGE_LOCKSET], awa + wrw);
    assert_int_equal(x.found.finding.n, awa + wrw);
    release(&x);
}

/* --- the paper's counts ------------------------------------------------------------- */

static void raytracer_counts(void **state) {
    (void)state;
    for (uint32_t n = 10; n <= 40; n *= 2)
        for (int common = 0; common < 2; common++) {
            au_gen_options g;
            au_gen_options_init(&g);
            g.shape = "raytracer";
            g.threads = n;
            au_gen *gen = au_gen_new(&g, NULL);
            au_atomicity_options o = AU_ATOMICITY_DEFAULTS;
            au_atomicity *a = au_atomicity_new(au_gen_names(gen), &o);
            au_columns copy;
            au_columns_init(&copy);
            for (;;) {
                au_block b;
                au_gen_next(gen, &b);
                if (!b.n)
                    break;
                au_columns_append(&copy, &b);
            }
            for (size_t i = 0; i < copy.n && common; i++)
                if (copy.op[i] == AU_OP_ACQ || copy.op[i] == AU_OP_REL)
                    copy.obj[i] = 0;
            au_block b = au_columns_block(&copy, 0, copy.n);
            au_atomicity_block(a, &b);
            au_findings found;
            au_findings_init(&found);
            au_atomicity_result r;
            au_atomicity_finish(a, &found, &r, NULL, NULL);
            assert_int_equal(r.awa, common ? 0 : n * (n - 1));
            assert_int_equal(r.wrw, 0);
            assert_string_equal(r.funnel.unit, "representatives");
            au_findings_release(&found);
            au_atomicity_free(a);
            au_columns_release(&copy);
            au_gen_free(gen);
        }
}

#define F_IN_L2 "B acq l2;%sB w x;B rel l2"

static void acquisition_histories(void **state) {
    (void)state;
    static const char *const took_l2 = "A acq l2;A rel l2;", *const took_l1 = "B acq l1;B rel l1;";
    for (int k = 0; k < 4; k++) {
        char text[400];
        snprintf(text, sizeof text, "A begin;A acq l1;%sA r x;A w x;A rel l1;A end;" F_IN_L2,
                 k & 1 ? took_l2 : "", k & 2 ? took_l1 : "");
        expect(text, k == 3 ? 0 : 1, 0);
    }
}

static void histories_beyond_64_locks(void **state) {
    (void)state;
    char text[8000];
    int n = 0;
    for (int l = 0; l < 80; l++) /* numbers for many locks */
        n += snprintf(text + n, sizeof text - (size_t)n, "A acq m%d;A rel m%d;", l, l);
    snprintf(text + n, sizeof text - (size_t)n,
             "A begin;A acq l1;A acq l2;A rel l2;A r x;A w x;A rel l1;A end;"
             "B acq l2;B acq l1;B rel l1;B w x;B rel l2");
    expect(text, 0, 0);
    snprintf(text + n, sizeof text - (size_t)n,
             "A begin;A acq l1;A acq l2;A rel l2;A r x;A w x;A rel l1;A end;"
             "B acq l2;B w x;B rel l2");
    expect(text, 1, 0);
    snprintf(text + n, sizeof text - (size_t)n,
             "A begin;A acq l1;A r x;A w x;A rel l1;A end;B acq l1;B w x;B rel l1");
    expect(text, 0, 0);
}

static void recursion_changes_nothing(void **state) {
    (void)state;
    expect("A begin;A acq l;A acq l;A r x;A rel l;A w x;A rel l;A end;B acq l;B w x;B rel l", 0, 0);
    expect("A begin;A acq l;A acq l;A r x;A rel l;A w x;A rel l;A end;B acq m;B acq m;B w x;"
           "B rel m;B rel m",
           1, 0);
    answer x = analyse("A begin;A acq l;A acq m;A acq l;A r x;A rel l;A rel m;A rel l;A end");
    assert_int_equal(x.r.n_not_nested, 0);
    release(&x);
}

static void the_witness_may_be_a_release(void **state) {
    (void)state;
    const char *text = "A begin;A acq l;A r x;A rel l;A acq l;A w x;A rel l;A end;"
                       "B acq l;B w x;B rel l";
    answer x = analyse(text);
    assert_int_equal(x.r.awa, 1); /* only the release has the empty lockset */
    assert_int_equal(x.r.wrw, 0);
    assert_int_equal(x.r.funnel.left[AU_STAGE_CANDIDATES], 2);
    const au_finding *f = &x.found.finding.at[0];
    assert_string_equal(f->detail, "RWW");
    assert_int_equal(f->event[0].number, 2);
    assert_int_equal(f->event[1].number, 9);
    assert_int_equal(f->event[2].number, 5);
    assert_int_equal(f->event[2].index, 6);
    assert_int_equal(f->standing, AU_IS_POSSIBLE);
    release(&x);
}

/* e2 validates: what comes after the last access is no witness. */
static void witnesses_end_before_the_last_access(void **state) {
    (void)state;
    expect("A begin;A acq l;A r x;A w x;A rel l;A r y;A end;B acq l;B w x;B rel l", 0, 0);
    expect("A begin;A r x;A end;A begin;A w x;A end;B w x", 0, 0);
    expect("A begin;A w x;A r y;A w x;A end;B r x", 0, 1);
    expect("A begin;A w x;A r x;A end;B r x", 0, 0);
    expect("A begin;A begin;A r x;A end;A w x;A end;B w x", 1, 0); /* outermost */
    expect("A begin;A rmw x;A rmw x;A end;B rmw x", 1, 1);
    expect("A begin;A ar x;A aw x;A end;B aw x", 1, 0);
}

static void modes_of_read_write_locks(void **state) {
    (void)state;
    expect("A begin;A rdacq l;A w x;A w x;A rel l;A end;B rdacq l;B r x;B rel l", 0, 1);
    expect("A begin;A wracq l;A w x;A w x;A rel l;A end;B rdacq l;B r x;B rel l", 0, 0);
    expect("A begin;A rdacq l;A w x;A w x;A rel l;A end;B wracq l;B r x;B rel l", 0, 0);
    /* histories: shared against shared is no conflict */
#define HISTORIES(a, b)                                                                            \
    "A begin;A acq k;A " a " l;A rel l;A w x;A w x;A rel k;A end;"                                 \
    "B " b " l;B acq k;B rel k;B r x;B rel l"
    expect(HISTORIES("rdacq", "rdacq"), 0, 1);
    expect(HISTORIES("wracq", "rdacq"), 0, 0);
    expect(HISTORIES("rdacq", "wracq"), 0, 0);
}

/* --- blocks -------------------------------------------------------------------------- */

static void critical_sections_without_marks(void **state) {
    (void)state;
    expect("A acq l;A r x;A w x;A rel l;B w x", 1, 0);
    expect("A acq l;A r x;A rel l;A acq l;A w x;A rel l;B w x", 0, 0); /* two sections */
    expect("A acq l;A acq m;A r x;A rel m;A w x;A rel l;B w x", 2, 0); /* outermost */
    expect("A acq l;A r x;A w x;B w x", 1, 0);                         /* open at the end */
    answer x = analyse("A acq l;A r x;A w x;A rel l;B w x");
    assert_int_equal(x.r.blocks, AU_BLOCKS_CRITICAL);
    release(&x);
}

static void a_section_with_a_wait_is_none(void **state) {
    (void)state;
    expect("A acq m;A r x;A w x;A rel m;A wait c;A wake c;A acq m;A r x;A w x;A rel m;B w x", 0, 0);
    /* the wait gives up the inner lock only */
    expect("A acq l;A acq m;A r x;A w x;A rel m;A wait c;A wake c;A acq m;A rel m;A w x;A rel l;"
           "B w x",
           0, 0);
    /* the section after it counts again */
    expect("A acq m;A rel m;A wait c;A wake c;A acq m;A w x;A rel m;A acq m;A r x;A w x;A rel m;"
           "B w x",
           1, 0);
    /* in a marked block a wait does not matter */
    expect("A begin;A acq m;A r x;A rel m;A wait c;A wake c;A acq m;A w x;A rel m;A end;B w x", 2,
           0);
}

static void the_first_begin_starts_over(void **state) {
    (void)state;
    expect("A acq l;A r x;A w x;A rel l;B w x;B begin;B end", 0, 0);
    answer x = analyse("A acq l;A r x;A w x;A rel l;A begin;A r y;A w y;A end;B w x;B w y");
    assert_int_equal(x.r.blocks, AU_BLOCKS_MARKED);
    assert_int_equal(x.r.awa, 1);
    assert_string_equal(au_intern_str(&x.t->names.var, x.found.finding.at[0].obj), "y");
    release(&x);
}

static void kinds_of_blocks_can_be_chosen(void **state) {
    (void)state;
    static const struct {
        au_block_kind kind;
        uint64_t awa;
    } want[] = {
        {AU_BLOCKS_AUTO, 1}, {AU_BLOCKS_MARKED, 1}, {AU_BLOCKS_CRITICAL, 2}, {AU_BLOCKS_NONE, 0}};
    for (size_t i = 0; i < 4; i++) {
        au_atomicity_options o = AU_ATOMICITY_DEFAULTS;
        o.blocks = want[i].kind;
        answer x = analyse_with(trace("A acq l;A r x;A w x;A rel l;A begin;A acq l;A r y;A w y;"
                                      "A rel l;A end;B w x;B w y"),
                                o);
        assert_int_equal(x.r.awa, want[i].awa);
        release(&x);
    }
}

/* --- nesting, fork and join, limits --------------------------------------------------- */

static void a_thread_that_does_not_nest_is_named(void **state) {
    (void)state;
    answer x = analyse("B w x;A begin;A acq l;A acq m;A r x;A rel l;A w x;A rel m;A end;A acq k;"
                       "A rel k");
    assert_int_equal(x.r.n_not_nested, 1);
    assert_string_equal(au_intern_str(&x.t->names.thread, x.r.not_nested[0].thread), "A");
    assert_int_equal(x.r.not_nested[0].event.number, 5);
    assert_int_equal(x.r.awa, 2);
    for (size_t i = 0; i < x.found.finding.n; i++) {
        assert_int_equal(x.found.finding.at[i].standing, AU_IS_POSSIBLE);
        const char *why = au_finding_why(&x.found.finding.at[i]);
        assert_int_equal(x.found.finding.at[i].why, AU_WHY_NOT_NESTED);
        assert_non_null(strstr(why, "thread 'A' does not release its locks"));
        assert_non_null(strstr(why, "event 6 "));
    }
    release(&x);
}

static void fork_and_join_prune(void **state) {
    (void)state;
    answer x =
        analyse("A begin;A r x;A w x;A end;A fork B;B w x;A join B;A begin;A r x;A w x;A end");
    assert_int_equal(x.r.funnel.left[AU_STAGE_CANDIDATES], 1);
    assert_int_equal(x.r.funnel.left[AU_STAGE_MUST_HB], 0);
    assert_int_equal(x.r.awa, 0);
    release(&x);
    /* one block in between is enough */
    x = analyse("A begin;A r x;A w x;A end;A fork B;A begin;A r x;A w x;A end;B w x;A join B");
    assert_int_equal(x.r.awa, 1);
    assert_int_equal(x.found.finding.at[0].event[0].number, 6);
    release(&x);
    /* the fork lies inside the block: the position after it is a witness */
    expect("A begin;A r x;A fork B;A w x;A end;B w x", 1, 0);
    expect("A begin;A r x;A w x;A fork B;A end;B w x", 0, 0);
}

static void findings_are_limited_but_counted(void **state) {
    (void)state;
    au_atomicity_options o = AU_ATOMICITY_DEFAULTS;
    o.max_findings = 2;
    answer x =
        analyse_with(trace("A begin;A acq l;A r x;A rel l;A r y;A w y;A w x;A end;B w x;B w y"), o);
    assert_int_equal(x.r.awa, 3);
    assert_int_equal(x.found.finding.n, 2);
    assert_int_equal(x.r.left_out, 1);
    assert_int_not_equal(x.found.finding.at[0].obj, x.found.finding.at[1].obj);
    release(&x);
}

static void all_tells_every_triple_of_locations(void **state) {
    (void)state;
    au_atomicity_options o = AU_ATOMICITY_DEFAULTS;
    o.all = true;
    /* e1, e2 are two of three, f one of two: every location is another event */
    answer x = analyse_with(trace("A begin;A r x;A r x;A w x;A end;B w x;B w x"), o);
    assert_int_equal(x.r.awa, 6);
    assert_int_equal(x.r.funnel.left[AU_STAGE_LOCKSET], 1);
    release(&x);
}

static void count_found(void *ctx, const au_finding *f) {
    assert_int_equal(f->n_events, 3);
    ++*(int *)ctx;
}

static void violations_are_told_as_they_come(void **state) {
    (void)state;
    au_trace *t = trace("A fork B;A begin;A r x;A w x;A end;B w x;B w x;C begin;C w x;C w x;C end");
    au_atomicity_options o = AU_ATOMICITY_DEFAULTS;
    au_atomicity *a = au_atomicity_new(&t->names, &o);
    au_findings found;
    au_findings_init(&found);
    static const int told[] = {0, 0, 0, 0, 0, 1, 1, 1, 2, 5, 5};
    int n = 0;
    for (size_t i = 0; i < t->events.n; i++) {
        au_block b = au_columns_block(&t->events, i, i + 1);
        au_atomicity_block(a, &b);
        au_atomicity_poll(a, &found, count_found, &n);
        /* A with B; A with C; at last C with the writes of A and B, and the read of A */
        assert_int_equal(n, told[i]);
    }
    au_findings_release(&found);
    au_atomicity_free(a);
    au_trace_free(t);
}

/* --- schedules --------------------------------------------------------------------------- */

static au_schedule_outcome schedule(const char *text, char *turns, size_t size) {
    answer x = analyse(text);
    assert_true(x.found.finding.n > 0);
    au_finding *f = &x.found.finding.at[0];
    au_scheduler *s = au_scheduler_new(x.t);
    au_schedule_outcome out = au_atomicity_schedule(s, &x.found, f);
    size_t n = 0;
    turns[0] = 0;
    for (uint32_t i = 0; i < f->schedule.n; i++)
        n += (size_t)snprintf(turns + n, size - n, "%s%s:%u", i ? " " : "",
                              au_intern_str(&x.t->names.thread, f->schedule.turn[i].thread),
                              (unsigned)f->schedule.turn[i].upto);
    if (out == AU_SCHEDULE_NONE)
        snprintf(turns, size, "%s", au_finding_why(f));
    au_scheduler_free(s);
    release(&x);
    return out;
}

static void schedules_are_laid_down(void **state) {
    (void)state;
    char s[200];
    assert_int_equal(schedule("A begin;A r x;A w x;A end;B w x", s, sizeof s),
                     AU_SCHEDULE_KEEPS_READS);
    assert_string_equal(s, "A:2 B:1 A:3");
    assert_int_equal(schedule("A begin;A acq l;A r x;A rel l;A acq l;A w x;A rel l;A end;"
                              "B acq l;B w x;B rel l",
                              s, sizeof s),
                     AU_SCHEDULE_KEEPS_READS);
    assert_string_equal(s, "A:4 B:3 A:6"); /* B gives the lock back before A goes on */
    /* the history: A used l2 before B takes it for good */
    assert_int_equal(schedule("A begin;A acq l1;A acq l2;A rel l2;A r x;A w x;A rel l1;A end;"
                              "B acq l2;B w x;B rel l2",
                              s, sizeof s),
                     AU_SCHEDULE_KEEPS_READS);
    assert_string_equal(s, "A:5 B:2 A:6");
    /* who is needed is run: C forks B; f in the trace before e1 */
    assert_int_equal(schedule("C w y;C fork B;B w x;C w y;A begin;A w x;A w x;A end", s, sizeof s),
                     AU_SCHEDULE_KEEPS_READS);
    assert_string_equal(s, "C:2 A:2 B:1 A:3");
}

static void deadlocks_on_the_way_are_said(void **state) {
    (void)state;
    char s[200];
    /* at f B holds l2 and needs l1 to go on; A holds l1 and needs l2 to get to e2 */
    assert_int_equal(schedule("A begin;A acq l1;A r x;A acq l2;A w x;A rel l2;A rel l1;A end;"
                              "B acq l2;B w x;B acq l1;B rel l1;B rel l2",
                              s, sizeof s),
                     AU_SCHEDULE_NONE);
    assert_non_null(strstr(s, "deadlock on the way to the second access"));
}

/* --- contexts against lists written out --------------------------------------------------- */

enum { LOCKS = 40, WALKS = 3, POSITIONS = 400 };

/* Locks of all sizes: below 64, above, far above. */
static uint32_t lock_number(unsigned i) {
    return i < 20 ? i : i < 30 ? 50 + i : 1000 * i;
}

typedef struct {
    unsigned n, lock[LOCKS];
    bool shared[LOCKS];
    uint64_t since[LOCKS], since_shared[LOCKS]; /* bit i: lock i */
} written;

static void write_acquire(written *w, unsigned lock, bool shared) {
    uint64_t bit = UINT64_C(1) << lock;
    for (unsigned i = 0; i < w->n; i++) {
        if (!shared) {
            w->since[i] |= bit;
            w->since_shared[i] &= ~bit;
        } else if (!(w->since[i] & bit)) {
            w->since_shared[i] |= bit;
        }
    }
    w->lock[w->n] = lock;
    w->shared[w->n] = shared;
    w->since[w->n] = w->since_shared[w->n] = 0;
    w->n++;
}

static bool write_release(written *w, unsigned at) {
    bool last = at + 1 == w->n;
    for (unsigned i = at; i + 1 < w->n; i++) {
        w->lock[i] = w->lock[i + 1];
        w->shared[i] = w->shared[i + 1];
        w->since[i] = w->since[i + 1];
        w->since_shared[i] = w->since_shared[i + 1];
    }
    w->n--;
    return last;
}

static bool same_written(const written *a, const written *b) {
    if (a->n != b->n)
        return false;
    for (unsigned i = 0; i < a->n; i++)
        if (a->lock[i] != b->lock[i] || a->shared[i] != b->shared[i] ||
            a->since[i] != b->since[i] || a->since_shared[i] != b->since_shared[i])
            return false;
    return true;
}

static bool written_took(const written *a, unsigned i, const written *b, unsigned j) {
    return (a->since[i] | (b->shared[j] ? 0 : a->since_shared[i])) >> b->lock[j] & 1;
}

static bool written_compatible(const written *a, const written *b, bool *apart) {
    *apart = true;
    bool crossed = false;
    for (unsigned i = 0; i < a->n; i++)
        for (unsigned j = 0; j < b->n; j++) {
            *apart &= a->lock[i] != b->lock[j] || (a->shared[i] && b->shared[j]);
            crossed |= written_took(a, i, b, j) && written_took(b, j, a, i);
        }
    return *apart && !crossed;
}

static void contexts_agree_with_lists(void **state) {
    (void)state;
    au_rng r;
    au_rng_init(&r, 3);
    written *at = au_alloc_array(WALKS * POSITIONS, sizeof *at);
    uint32_t *id = au_alloc_array(WALKS * POSITIONS, sizeof *id);
    size_t alike = 0, fit = 0, crossed = 0, deep = 0;
    for (int round = 0; round < 12; round++) {
        au_lockctx *c = au_lockctx_new();
        unsigned locks = round % 3 ? 6 : LOCKS, most = round % 3 ? 4 : 24;
        for (int walk = 0; walk < WALKS; walk++) {
            written w = {0};
            uint32_t now = AU_LOCKCTX_NOTHING;
            for (int k = 0; k < POSITIONS; k++) {
                unsigned lock = au_rng_below(&r, locks), i = 0;
                while (i < w.n && w.lock[i] != lock)
                    i++;
                if (i == w.n && w.n < most) {
                    bool shared = round % 2 && au_rng_below(&r, 3) == 0;
                    write_acquire(&w, lock, shared);
                    now = au_lockctx_acquire(c, now, lock_number(lock), shared);
                } else if (w.n) {
                    i = au_rng_below(&r, 4) ? w.n - 1 : i < w.n ? i : 0;
                    lock = w.lock[i];
                    bool nested, last = write_release(&w, i);
                    now = au_lockctx_release(c, now, lock_number(lock), &nested);
                    assert_int_equal(nested, last);
                }
                assert_int_equal(au_lockctx_held(c, now), w.n);
                for (i = 0; i < w.n; i++) {
                    bool shared;
                    assert_int_equal(au_lockctx_lock(c, now, i, &shared), lock_number(w.lock[i]));
                    assert_int_equal(shared, w.shared[i]);
                }
                at[walk * POSITIONS + k] = w;
                id[walk * POSITIONS + k] = now;
                deep += w.n > 16;
            }
        }
        for (int a = 0; a < WALKS * POSITIONS; a++)
            for (int b = a % 7; b < WALKS * POSITIONS; b += 7) {
                bool same = same_written(&at[a], &at[b]), apart;
                bool fits = written_compatible(&at[a], &at[b], &apart);
                assert_int_equal(id[a] == id[b], same);
                assert_int_equal(au_lockctx_disjoint(c, id[a], id[b]), apart);
                assert_int_equal(au_lockctx_compatible(c, id[a], id[b]), fits);
                alike += same && a != b;
                fit += fits;
                crossed += apart && !fits;
            }
        au_lockctx_free(c);
    }
    assert_true(alike && fit && crossed && deep);
    free(at);
    free(id);
}

/* --- two processes ---------------------------------------------------------------------- */

static void expect_same(const answer *x, const answer *y) {
    assert_int_equal(x->r.awa, y->r.awa);
    assert_int_equal(x->r.wrw, y->r.wrw);
    assert_int_equal(x->r.left_out, y->r.left_out);
    assert_int_equal(x->r.truncated, y->r.truncated);
    assert_int_equal(x->r.contexts, y->r.contexts);
    assert_int_equal(x->r.n_not_nested, y->r.n_not_nested);
    assert_memory_equal(x->r.funnel.left, y->r.funnel.left, sizeof x->r.funnel.left);
    assert_int_equal(x->found.finding.n, y->found.finding.n);
    for (size_t i = 0; i < x->found.finding.n; i++) {
        const au_finding *f = &x->found.finding.at[i], *g = &y->found.finding.at[i];
        assert_int_equal(f->obj, g->obj);
        assert_string_equal(f->detail, g->detail);
        assert_string_equal(au_finding_why(f), au_finding_why(g));
        for (int k = 0; k < 3; k++) {
            assert_int_equal(f->event[k].number, g->event[k].number);
            assert_int_equal(f->event[k].index, g->event[k].index);
            assert_int_equal(f->event[k].thread, g->event[k].thread);
        }
    }
}

/* Many variables and few, with and without a limit that bites: the findings of one part in its order. */
static void parts_find_the_same(void **state) {
    (void)state;
    uint64_t found = 0, left_out = 0;
    uint32_t most_parts = 0;
    for (uint32_t k = 0; k < 24; k++) {
        au_gen_options g;
        au_gen_options_init(&g);
        g.events = k % 2 ? 30000 : 3000;
        g.threads = 4;
        g.locks = 3;
        g.vars = k % 2 ? 1500 : 6;
        g.atomic = k % 3 == 0;
        g.seed = k;
        au_gen *gen = au_gen_new(&g, NULL);
        au_trace t = {.names = *au_gen_names(gen)};
        au_columns_init(&t.events);
        for (;;) {
            au_block b;
            au_gen_next(gen, &b);
            if (!b.n)
                break;
            au_columns_append(&t.events, &b);
        }
        t.names = *au_gen_names(gen);
        au_atomicity_options o = AU_ATOMICITY_DEFAULTS;
        o.all = k % 4 == 1;
        o.max_findings = (uint64_t[]){0, 5, 40, 1000}[k / 6];
        answer one = analyse_with(&t, o), two = {.t = &t};
        assert_null(au_atomicity_beside_start(&t, &o, 1, 40000));
        assert_null(au_atomicity_beside_start(&t, &o, 2, 40000));
        assert_int_equal(o.parts, 0);
        /* one process or two, parts of this size or smaller */
        au_atomicity_beside *b =
            au_atomicity_beside_start(&t, &o, 1 + k % 2, (uint64_t[]){1, 1000, 3000}[k % 3]);
        assert_non_null(b);
        assert_true(o.parts >= 2 && o.part == 0);
        most_parts = o.parts > most_parts ? o.parts : most_parts;
        two.a = au_atomicity_new(&t.names, &o);
        au_findings_init(&two.found);
        au_block all = au_columns_block(&t.events, 0, t.events.n);
        au_atomicity_block(two.a, &all);
        uint64_t read = au_atomicity_finish_both(two.a, b, &two.found, &two.r, NULL, NULL);
        assert_int_equal(read, t.events.n);
        expect_same(&one, &two);
        found += one.found.finding.n;
        left_out += one.r.left_out;
        au_atomicity_beside_free(b);
        au_findings_release(&one.found);
        au_findings_release(&two.found);
        au_atomicity_free(one.a);
        au_atomicity_free(two.a);
        au_columns_release(&t.events);
        au_gen_free(gen);
    }
    assert_true(found > 100 && left_out > 100 && most_parts == 16);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(raytracer_counts),
        cmocka_unit_test(acquisition_histories),
        cmocka_unit_test(contexts_agree_with_lists),
        cmocka_unit_test(histories_beyond_64_locks),
        cmocka_unit_test(recursion_changes_nothing),
        cmocka_unit_test(the_witness_may_be_a_release),
        cmocka_unit_test(witnesses_end_before_the_last_access),
        cmocka_unit_test(modes_of_read_write_locks),
        cmocka_unit_test(critical_sections_without_marks),
        cmocka_unit_test(a_section_with_a_wait_is_none),
        cmocka_unit_test(the_first_begin_starts_over),
        cmocka_unit_test(kinds_of_blocks_can_be_chosen),
        cmocka_unit_test(a_thread_that_does_not_nest_is_named),
        cmocka_unit_test(fork_and_join_prune),
        cmocka_unit_test(findings_are_limited_but_counted),
        cmocka_unit_test(all_tells_every_triple_of_locations),
        cmocka_unit_test(violations_are_told_as_they_come),
        cmocka_unit_test(schedules_are_laid_down),
        cmocka_unit_test(deadlocks_on_the_way_are_said),
        cmocka_unit_test(parts_find_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
