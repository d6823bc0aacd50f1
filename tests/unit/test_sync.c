/* Every primitive against the table in sync.h: guards and updates are evaluated
 * on all small states and compared with what the table says. */
#include "model/sync.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

typedef struct {
    au_model *m;
    uint32_t t[3];     /* threads */
    uint64_t s[64];    /* a state */
    uint64_t next[64]; /* the state after the last step */
} fix;

static void setup(fix *f) {
    f->m = au_model_new("test");
    for (int i = 0; i < 3; i++) {
        f->t[i] = au_model_add_thread(f->m, (const char *[]){"A", "B", "C"}[i]);
        f->m->thread.at[f->t[i]].exit = au_model_add_node(f->m, f->t[i]);
    }
    memset(f->s, 0, sizeof f->s);
}

/* A node after 'src' of thread t. */
static uint32_t fresh(fix *f, uint32_t t) {
    return au_model_add_node(f->m, t);
}

static void finish(fix *f) {
    for (int i = 0; i < 3; i++) { /* threads need a way to their exit */
        au_thread *t = &f->m->thread.at[f->t[i]];
        if (!t->node.at[t->entry].out.n)
            au_model_add_step(f->m, f->t[i], t->entry, t->exit, AU_STEP_NOP);
    }
    au_sync_finish(f->m);
    const char *wrong = au_model_check(f->m);
    if (wrong)
        fail_msg("%s", wrong);
}

static const au_step *step(const fix *f, uint32_t id) {
    return &f->m->step.at[id];
}

/* Takes the step in f->s; the new state is f->next. False if the guard is. */
static bool go(fix *f, uint32_t id) {
    const au_step *s = step(f, id);
    memcpy(f->next, f->s, sizeof f->s);
    if (!au_term_eval(f->m->terms, s->guard, f->s))
        return false;
    for (uint32_t i = 0; i < s->n_updates; i++)
        f->next[s->update[i].var] = au_term_eval(f->m->terms, s->update[i].value, f->s);
    return true;
}

/* The next state is the present one but for 'n' (variable, value) pairs. */
static void expect(const fix *f, int n, ...) {
    uint64_t want[64];
    memcpy(want, f->s, sizeof want);
    va_list ap;
    va_start(ap, n);
    for (int i = 0; i < n; i++) {
        uint32_t v = va_arg(ap, uint32_t);
        want[v] = (uint32_t)va_arg(ap, int);
    }
    va_end(ap);
    for (size_t v = 0; v < f->m->var.n; v++)
        if (f->next[v] != want[v])
            fail_msg("'%s' is %llu, expected %llu", f->m->var.at[v].name,
                     (unsigned long long)f->next[v], (unsigned long long)want[v]);
}

static void locks(void **state) {
    (void)state;
    fix f;
    setup(&f);
    uint32_t l = au_model_add_sync(f.m, "m", AU_OBJ_LOCK, 0);
    uint32_t b = f.t[1], n = fresh(&f, b), x = f.m->thread.at[b].exit;
    uint32_t acq = au_sync_acq(f.m, b, 0, n, l), rel = au_sync_rel(f.m, b, n, x, l);
    finish(&f);
    uint32_t m = f.m->obj.at[l].var[0];
    assert_string_equal(f.m->var.at[m].name, "$m");
    assert_int_equal(f.m->obj.at[l].var[1], AU_NONE);
    assert_true(step(&f, acq)->blocking);
    assert_false(step(&f, rel)->blocking);
    for (uint64_t owner = 0; owner <= 3; owner++) {
        f.s[m] = owner;
        assert_int_equal(go(&f, acq), owner == 0);
        if (owner == 0)
            expect(&f, 1, m, 2);
        assert_int_equal(go(&f, rel), owner == 2);
        if (owner == 2)
            expect(&f, 1, m, 0);
    }
    au_model_free(f.m);
}

static void recursive_locks(void **state) {
    (void)state;
    fix f;
    setup(&f);
    uint32_t l = au_model_add_sync(f.m, "m", AU_OBJ_RLOCK, 0);
    uint32_t b = f.t[1], n = fresh(&f, b), x = f.m->thread.at[b].exit;
    uint32_t acq = au_sync_acq(f.m, b, 0, n, l), rel = au_sync_rel(f.m, b, n, x, l);
    finish(&f);
    uint32_t m = f.m->obj.at[l].var[0], d = f.m->obj.at[l].var[1];
    assert_string_equal(f.m->var.at[d].name, "$m.depth");
    assert_true(step(&f, acq)->blocking);
    for (uint64_t owner = 0; owner <= 3; owner++)
        for (uint64_t depth = owner ? 1 : 0; depth <= (owner ? 3u : 0u); depth++) {
            f.s[m] = owner;
            f.s[d] = depth;
            assert_int_equal(go(&f, acq), owner == 0 || owner == 2);
            if (owner == 0 || owner == 2)
                expect(&f, 2, m, 2, d, (int)depth + 1);
            assert_int_equal(go(&f, rel), owner == 2);
            if (owner == 2)
                expect(&f, 2, d, (int)depth - 1, m, depth == 1 ? 0 : 2);
        }
    au_model_free(f.m);
}

static void read_write_locks(void **state) {
    (void)state;
    fix f;
    setup(&f);
    uint32_t l = au_model_add_sync(f.m, "m", AU_OBJ_RWLOCK, 0);
    uint32_t b = f.t[1], x = f.m->thread.at[b].exit;
    uint32_t n1 = fresh(&f, b), n2 = fresh(&f, b);
    uint32_t rd = au_sync_rdacq(f.m, b, 0, n1, l), wr = au_sync_wracq(f.m, b, n1, n2, l);
    uint32_t rel = au_sync_rel(f.m, b, n2, x, l);
    finish(&f);
    uint32_t m = f.m->obj.at[l].var[0], r = f.m->obj.at[l].var[1];
    uint32_t h = f.m->obj.at[l].per.at[b];
    assert_string_equal(f.m->var.at[h].name, "$m.reads.B");
    assert_true(step(&f, rd)->blocking && step(&f, wr)->blocking && !step(&f, rel)->blocking);
    for (uint64_t w = 0; w <= 3; w++)
        for (uint64_t readers = 0; readers <= 3; readers++)
            for (uint64_t mine = 0; mine <= readers; mine++) {
                f.s[m] = w;
                f.s[r] = readers;
                f.s[h] = mine;
                assert_int_equal(go(&f, rd), w == 0);
                if (w == 0)
                    expect(&f, 2, r, (int)readers + 1, h, (int)mine + 1);
                assert_int_equal(go(&f, wr), w == 0 && readers == 0);
                if (w == 0 && readers == 0)
                    expect(&f, 1, m, 2);
                assert_int_equal(go(&f, rel), w == 2 || mine > 0);
                if (w == 2)
                    expect(&f, 1, m, 0);
                else if (mine)
                    expect(&f, 2, r, (int)readers - 1, h, (int)mine - 1);
            }
    au_model_free(f.m);
}

static void semaphores(void **state) {
    (void)state;
    fix f;
    setup(&f);
    uint32_t o = au_model_add_sync(f.m, "s", AU_OBJ_SEM, 5);
    uint32_t a = f.t[0], n = fresh(&f, a), x = f.m->thread.at[a].exit;
    uint32_t acq = au_sync_acq(f.m, a, 0, n, o), rel = au_sync_rel(f.m, a, n, x, o);
    finish(&f);
    uint32_t s = f.m->obj.at[o].var[0];
    assert_int_equal(f.m->var.at[s].init, 5);
    assert_true(step(&f, acq)->blocking && !step(&f, rel)->blocking);
    for (int count = -2; count <= 2; count++) {
        f.s[s] = (uint32_t)count;
        assert_int_equal(go(&f, acq), count > 0);
        if (count > 0)
            expect(&f, 1, s, count - 1);
        assert_true(go(&f, rel));
        expect(&f, 1, s, count + 1);
    }
    au_model_free(f.m);
}

/* A and B wait (A through a lock, B through an rlock), C signals and broadcasts. */
static void conditions(void **state) {
    (void)state;
    fix f;
    setup(&f);
    uint32_t c = au_model_add_sync(f.m, "c", AU_OBJ_COND, 0);
    uint32_t l = au_model_add_sync(f.m, "l", AU_OBJ_LOCK, 0);
    uint32_t r = au_model_add_sync(f.m, "r", AU_OBJ_RLOCK, 0);
    uint32_t wa = au_sync_wait(f.m, f.t[0], 0, f.m->thread.at[f.t[0]].exit, c, l);
    uint32_t wb = au_sync_wait(f.m, f.t[1], 0, f.m->thread.at[f.t[1]].exit, c, r);
    uint32_t n = fresh(&f, f.t[2]);
    uint32_t sig = au_sync_signal(f.m, f.t[2], 0, n, c, false);
    f.m->step.at[sig].line = 77;
    uint32_t all = au_sync_signal(f.m, f.t[2], n, f.m->thread.at[f.t[2]].exit, c, true);
    finish(&f);
    const au_sync_obj *o = &f.m->obj.at[c];
    assert_int_equal(o->per.n, 2); /* C never waits */
    uint32_t w1 = o->per.at[0], w2 = o->per.at[1];
    assert_string_equal(f.m->var.at[w1].name, "$c.w.A");
    uint32_t m = f.m->obj.at[l].var[0], q = f.m->obj.at[r].var[0], d = f.m->obj.at[r].var[1];
    const au_node *at = &f.m->thread.at[f.t[2]].node.at[0];
    assert_int_equal(at->out.n, 3);
    uint32_t to[3] = {AU_NONE, AU_NONE, AU_NONE}; /* edges to A, B, nobody */
    for (size_t i = 0; i < 3; i++) {
        const au_step *e = step(&f, at->out.at[i]);
        assert_int_equal(e->line, 77);
        assert_false(e->blocking);
        to[e->choice == AU_NONE ? 2 : e->choice] = e->id;
    }
    assert_int_equal(to[2], sig);
    assert_int_equal(step(&f, wa)->kind, AU_STEP_WAIT);
    assert_false(step(&f, wa)->blocking);
    assert_true(step(&f, wa + 1)->blocking && !step(&f, wa + 1)->spurious);
    assert_true(step(&f, wa + 2)->blocking && step(&f, wa + 2)->spurious);
    assert_int_equal(step(&f, wa + 1)->src, step(&f, wa)->dst);
    for (uint64_t x = 0; x <= 2; x++)
        for (uint64_t y = 0; y <= 2; y++)
            for (uint64_t owner = 0; owner <= 3; owner++) {
                f.s[w1] = x;
                f.s[w2] = y;
                f.s[m] = f.s[q] = owner;
                f.s[d] = owner ? 2 : 0;
                if (x == 0) {
                    assert_int_equal(go(&f, wa), owner == 1);
                    if (owner == 1)
                        expect(&f, 2, m, 0, w1, 1);
                    assert_int_equal(go(&f, wb), owner == 2);
                    if (owner == 2) /* one level only */
                        expect(&f, 3, d, 1, q, 2, w2, 1);
                }
                assert_int_equal(go(&f, wa + 1), x == 2 && owner == 0);
                if (x == 2 && owner == 0)
                    expect(&f, 2, w1, 0, m, 1);
                assert_int_equal(go(&f, wa + 2), x == 1 && owner == 0);
                if (x == 1 && owner == 0)
                    expect(&f, 2, w1, 0, m, 1);
                assert_int_equal(go(&f, wb + 1), y == 2 && (owner == 0 || owner == 2));
                if (y == 2 && owner == 2)
                    expect(&f, 3, w2, 0, q, 2, d, 3);
                assert_int_equal(go(&f, to[0]), x == 1);
                if (x == 1)
                    expect(&f, 1, w1, 2);
                assert_int_equal(go(&f, to[1]), y == 1);
                if (y == 1)
                    expect(&f, 1, w2, 2);
                assert_int_equal(go(&f, to[2]), x != 1 && y != 1);
                if (x != 1 && y != 1)
                    expect(&f, 0);
                assert_true(go(&f, all));
                expect(&f, 2, w1, x == 1 ? 2 : (int)x, w2, y == 1 ? 2 : (int)y);
            }
    au_model_free(f.m);
}

static void barriers(void **state) {
    (void)state;
    fix f;
    setup(&f);
    uint32_t o = au_model_add_sync(f.m, "b", AU_OBJ_BARRIER, 3);
    uint32_t s = au_sync_arrive(f.m, f.t[1], 0, f.m->thread.at[f.t[1]].exit, o);
    finish(&f);
    uint32_t a = f.m->obj.at[o].var[0], g = f.m->obj.at[o].var[1], p = f.m->obj.at[o].per.at[1];
    assert_int_equal(step(&f, s)->kind, AU_STEP_ARRIVE);
    assert_int_equal(step(&f, s + 1)->kind, AU_STEP_LEAVE);
    assert_true(!step(&f, s)->blocking && step(&f, s + 1)->blocking);
    for (uint64_t arrived = 0; arrived < 3; arrived++)
        for (uint64_t gen = 0; gen < 3; gen++)
            for (uint64_t mine = 0; mine < 3; mine++) {
                f.s[a] = arrived;
                f.s[g] = gen;
                f.s[p] = mine;
                assert_true(go(&f, s));
                if (arrived == 2)
                    expect(&f, 3, p, (int)gen, a, 0, g, (int)gen + 1);
                else
                    expect(&f, 2, p, (int)gen, a, (int)arrived + 1);
                assert_int_equal(go(&f, s + 1), gen != mine);
                if (gen != mine)
                    expect(&f, 0);
            }
    au_model_free(f.m);
}

static void threads(void **state) {
    (void)state;
    fix f;
    setup(&f);
    uint32_t n = fresh(&f, f.t[0]);
    uint32_t fork = au_sync_fork(f.m, f.t[0], 0, n, f.t[1]);
    uint32_t join = au_sync_join(f.m, f.t[0], n, f.m->thread.at[f.t[0]].exit, f.t[1]);
    /* B: two ways to its exit; its first step is an assume */
    au_thread *b = &f.m->thread.at[f.t[1]];
    uint32_t mid = fresh(&f, f.t[1]), v = au_model_add_var(f.m, "v", AU_VAR_LOCAL, 32, 0, f.t[1]);
    b = &f.m->thread.at[f.t[1]];
    au_step *s = au_model_add_step(f.m, f.t[1], 0, mid, AU_STEP_ASSUME);
    s->guard = au_term_eq(f.m->terms, au_model_var_term(f.m, v), au_term_const(f.m->terms, 32, 0));
    uint32_t first = s->id;
    au_term one =
        au_term_eq(f.m->terms, au_model_var_term(f.m, v), au_term_const(f.m->terms, 32, 1));
    s = au_model_add_step(f.m, f.t[1], mid, b->exit, AU_STEP_BRANCH);
    s->guard = one;
    uint32_t last = s->id;
    s = au_model_add_step(f.m, f.t[1], mid, b->exit, AU_STEP_BRANCH);
    s->guard = au_term_not(f.m->terms, one);
    finish(&f);
    b = &f.m->thread.at[f.t[1]];
    assert_true(b->forked);
    assert_false(f.m->thread.at[f.t[0]].forked);
    assert_int_equal(f.m->thread.at[f.t[0]].started, AU_NONE);
    assert_int_equal(f.m->thread.at[f.t[0]].done, AU_NONE);
    assert_string_equal(f.m->var.at[b->started].name, "$B.started");
    assert_true(step(&f, join)->blocking);
    assert_false(step(&f, fork)->blocking);
    assert_false(step(&f, first)->blocking);
    for (int started = 0; started < 2; started++)
        for (int done = 0; done < 2; done++) {
            f.s[b->started] = (uint64_t)started;
            f.s[b->done] = (uint64_t)done;
            assert_int_equal(go(&f, fork), !started);
            if (!started)
                expect(&f, 1, b->started, 1);
            assert_int_equal(go(&f, join), done);
            if (done)
                expect(&f, 0);
            /* the guard of a first step says nothing about 'started' */
            f.s[v] = 0;
            assert_true(go(&f, first));
            expect(&f, 0);
            assert_true(go(&f, last + 1));
            expect(&f, 1, b->done, 1);
            f.s[v] = 1;
            assert_false(go(&f, first));
            assert_true(go(&f, last));
            expect(&f, 1, b->done, 1);
        }
    au_model_free(f.m);
}

/* Names from traces are any text; the state variables stay apart. */
static void strange_names(void **state) {
    (void)state;
    au_model *m = au_model_new("test");
    uint32_t t = au_model_add_thread(m, "a b"), u = au_model_add_thread(m, "c.depth");
    uint32_t r = au_model_add_sync(m, "c", AU_OBJ_RLOCK, 0);
    uint32_t l = au_model_add_sync(m, "c.depth", AU_OBJ_LOCK, 0);
    uint32_t x = au_model_add_node(m, t), y = au_model_add_node(m, u);
    m->thread.at[t].exit = x;
    m->thread.at[u].exit = y;
    au_sync_acq(m, t, 0, x, r);
    au_sync_acq(m, u, 0, y, l);
    au_sync_finish(m);
    assert_null(au_model_check(m));
    au_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(locks),
        cmocka_unit_test(recursive_locks),
        cmocka_unit_test(read_write_locks),
        cmocka_unit_test(semaphores),
        cmocka_unit_test(conditions),
        cmocka_unit_test(barriers),
        cmocka_unit_test(threads),
        cmocka_unit_test(strange_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
