/* Random traces: valid, of exactly the size asked for, and the same for ever. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "trace/count.h"
#include "trace/gen.h"
#include "trace/validate.h"

#include <stdio.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* What one pass over a generated trace finds out. */
struct facts {
    au_counts n;
    uint32_t depth;           /* locks held by one thread at a time, at most */
    uint32_t held, in_blocks; /* at the end */
    uint32_t private_vars;    /* used by one thread only */
    uint64_t private_accesses;
    uint64_t hash; /* of all columns */
};

static au_gen *make(const au_gen_options *o) {
    au_error err = AU_ERROR_NONE;
    au_gen *g = au_gen_new(o, &err);
    if (!g)
        fail_msg("%s", err.text);
    return g;
}

static void check_values(const au_block *b, int64_t *last) {
    for (size_t i = 0; i < b->n; i++) {
        assert_int_equal(au_block_has_value(b, i), au_op_is_access(b->op[i]));
        if (b->op[i] == AU_OP_READ)
            assert_true(b->value[i] == last[b->obj[i]]);
        if (b->op[i] == AU_OP_WRITE) {
            assert_true(b->value[i] == (int32_t)b->value[i]);
            assert_true(b->value[i] != last[b->obj[i]]);
            last[b->obj[i]] = b->value[i];
        }
    }
}

static struct facts look_at(const au_gen_options *o) {
    struct facts f = {0};
    au_gen *g = make(o);
    const au_names *names = au_gen_names(g);
    au_validator *v = au_validator_new(names);
    au_counter *c = au_counter_new();
    size_t threads = names->thread.n, vars = names->var.n;
    uint32_t *held = au_alloc_array(threads, sizeof *held);
    uint32_t *open = au_alloc_array(threads, sizeof *open);
    uint32_t *user = au_alloc_array(vars + 1, sizeof *user); /* thread + 1; UINT32_MAX: several */
    uint64_t *used = au_alloc_array(vars + 1, sizeof *used);
    int64_t *last = au_alloc_array(vars + 1, sizeof *last);
    XXH64_state_t *hash = XXH64_createState();
    XXH64_reset(hash, 0);
    uint64_t at = 0;
    for (;;) {
        au_block b;
        char why[200] = "";
        au_gen_next(g, &b);
        assert_int_equal(b.first, at);
        if (!b.n)
            break;
        at += b.n;
        if (au_validator_block(v, &b, 0, why, sizeof why) != b.n)
            fail_msg("%s", why);
        au_counter_add(c, &b);
        assert_int_equal(b.value != NULL, o->values);
        if (o->values)
            check_values(&b, last);
        for (size_t i = 0; i < b.n; i++) {
            uint16_t t = b.thread[i];
            held[t] += b.op[i] == AU_OP_ACQ;
            held[t] -= b.op[i] == AU_OP_REL;
            open[t] += b.op[i] == AU_OP_BEGIN;
            open[t] -= b.op[i] == AU_OP_END;
            assert_true(open[t] <= 1);
            f.depth = held[t] > f.depth ? held[t] : f.depth;
            if (!au_op_is_access(b.op[i]))
                continue;
            uint32_t x = b.obj[i];
            user[x] = user[x] == 0 || user[x] == t + 1u ? t + 1u : UINT32_MAX;
            used[x]++;
        }
        XXH64_update(hash, b.op, b.n * sizeof *b.op);
        XXH64_update(hash, b.thread, b.n * sizeof *b.thread);
        XXH64_update(hash, b.obj, b.n * sizeof *b.obj);
        XXH64_update(hash, b.loc, b.n * sizeof *b.loc);
        if (b.value)
            XXH64_update(hash, b.value, b.n * sizeof *b.value);
    }
    for (size_t t = 0; t < threads; t++) {
        f.held += held[t];
        f.in_blocks += open[t];
    }
    for (size_t x = 0; x < vars; x++)
        if (user[x] && user[x] != UINT32_MAX) {
            f.private_vars++;
            f.private_accesses += used[x];
        }
    assert_int_equal(at, au_gen_events(g));
    au_counter_get(c, &f.n);
    f.hash = XXH64_digest(hash);
    XXH64_freeState(hash);
    free(held);
    free(open);
    free(user);
    free(used);
    free(last);
    au_counter_free(c);
    au_validator_free(v);
    au_gen_free(g);
    return f;
}

static void random_options_give_valid_traces_of_that_size(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        au_rng r;
        au_gen_options o;
        au_rng_init(&r, seed);
        au_gen_options_init(&o);
        o.threads = 1 + au_rng_below(&r, au_rng_below(&r, 2) ? 4 : 60);
        o.locks = au_rng_below(&r, 30);
        o.vars = au_rng_below(&r, 5) ? 1 + au_rng_below(&r, 200) : 0;
        o.depth = au_rng_below(&r, 6);
        o.atomic = au_rng_below(&r, 2);
        o.values = au_rng_below(&r, 2);
        o.shared = au_rng_below(&r, 5) / 4.0;
        o.seed = au_rng_next(&r);
        o.events = 2 * (o.threads - 1);
        if (o.vars)
            o.events += au_rng_below(&r, au_rng_below(&r, 4) ? 300 : 40000);
        else if ((o.locks && o.depth) || o.atomic)
            o.events += 2 * au_rng_below(&r, 3000);
        struct facts f = look_at(&o);
        assert_int_equal(f.n.events, o.events);
        assert_int_equal(f.n.threads, o.events ? o.threads : 0);
        assert_int_equal(f.n.by_op[AU_OP_FORK], o.threads - 1);
        assert_int_equal(f.n.by_op[AU_OP_JOIN], o.threads - 1);
        assert_int_equal(f.held, 0);
        assert_int_equal(f.in_blocks, 0);
        assert_true(f.depth <= o.depth);
        assert_true(f.n.locks <= o.locks);
        assert_true(f.n.vars <= o.vars);
        assert_true(o.atomic || !f.n.atomic_blocks);
        assert_int_equal(f.n.events, f.n.lock_events + f.n.accesses + 2 * f.n.atomic_blocks +
                                         2 * (uint64_t)(o.threads - 1));
        if (f.n.lock_events > 100 * o.locks + 500)
            assert_int_equal(f.n.locks, o.depth ? o.locks : 0);
        if (f.n.accesses > 100 * (o.vars + o.threads))
            assert_int_equal(f.n.vars, o.vars);
    }
}

static void everything_asked_for_is_there(void **state) {
    (void)state;
    au_gen_options o;
    au_gen_options_init(&o);
    o.events = 100000;
    o.threads = 10;
    o.locks = 300;
    o.vars = 1000;
    o.depth = 5;
    o.atomic = true;
    o.shared = 0.25;
    struct facts f = look_at(&o);
    assert_int_equal(f.n.events, 100000);
    assert_int_equal(f.n.threads, 10);
    assert_int_equal(f.n.locks, 300);
    assert_int_equal(f.n.vars, 1000);
    assert_int_equal(f.depth, 5);
    assert_true(f.n.atomic_blocks > 1000);
    /* a quarter of the accesses is of shared variables */
    double part = 1 - (double)f.private_accesses / (double)f.n.accesses;
    assert_true(part > 0.24 && part < 0.26);
    assert_int_equal(f.private_vars, 750);
}

static void defaults(void **state) {
    (void)state;
    au_gen_options o;
    au_gen_options_init(&o);
    struct facts f = look_at(&o);
    assert_int_equal(f.n.events, 1000000);
    assert_int_equal(f.n.threads, 4);
    assert_int_equal(f.n.locks, 8);
    assert_int_equal(f.n.vars, 64);
    assert_int_equal(f.depth, 2);
    assert_int_equal(f.n.atomic_blocks, 0);
}

static void private_and_shared_only(void **state) {
    (void)state;
    au_gen_options o;
    au_gen_options_init(&o);
    o.events = 20000;
    o.shared = 0;
    assert_int_equal(look_at(&o).private_vars, 64);
    o.shared = 1;
    assert_int_equal(look_at(&o).private_vars, 0);
}

/* Traces are named by their options and seed: these never change. */
static void same_seed_same_trace_for_ever(void **state) {
    (void)state;
    static const struct {
        const char *shape;
        uint64_t events, seed;
        uint32_t threads;
        bool atomic, values;
        uint64_t hash;
    } golden[] = {
        {NULL, 100000, 1, 0, false, false, 0xb6fc75eb77b569e3},
        {NULL, 100000, 7, 16, true, true, 0x0fa4b5a9ce89c981},
        {NULL, 5000, UINT64_MAX, 3, true, false, 0x6fba045008f22613},
        {"raytracer", 0, 1, 20, false, false, 0x121e9e32ea6c032f},
        {"elevator", 0, 1, 0, false, false, 0x622195659e78c9e1},
        {"tsp", 100000, 1, 0, false, false, 0xb9a2a86cbfacb9c0},
        {"account", 0, 1, 0, false, true, 0xfdec8e03cfd1eb68},
        {"daisy", 0, 1, 0, false, false, 0x6f5020b563fcbca1},
        {"thrift", 0, 2, 0, false, false, 0x785451dd6d4dbd61},
    };
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        au_gen_options o;
        au_gen_options_init(&o);
        o.shape = golden[i].shape;
        if (golden[i].events)
            o.events = golden[i].events;
        if (golden[i].threads)
            o.threads = golden[i].threads;
        o.seed = golden[i].seed;
        o.atomic = golden[i].atomic;
        o.values = golden[i].values;
        if (look_at(&o).hash != golden[i].hash)
            fail_msg("row %zu has hash 0x%016llx", i, (unsigned long long)look_at(&o).hash);
    }
}

static void other_seed_other_trace(void **state) {
    (void)state;
    au_gen_options o;
    au_gen_options_init(&o);
    o.events = 1000;
    uint64_t one = look_at(&o).hash;
    o.seed = 2;
    assert_true(one != look_at(&o).hash);
}

static void refuse(const au_gen_options *o, const char *part) {
    au_error err = AU_ERROR_NONE;
    assert_null(au_gen_new(o, &err));
    assert_int_equal(err.status, AU_EUSAGE);
    if (!strstr(err.text, part))
        fail_msg("'%s' does not say '%s'", err.text, part);
}

static void impossible_numbers_are_refused(void **state) {
    (void)state;
    au_gen_options o, base;
    au_gen_options_init(&base);
    o = base, o.events = 7, o.threads = 5;
    refuse(&o, "too few");
    o = base, o.threads = 0;
    refuse(&o, "0 threads");
    o = base, o.threads = 65536;
    refuse(&o, "65536 threads");
    o = base, o.events = 11, o.vars = 0;
    refuse(&o, "even");
    o = base, o.events = 10, o.vars = 0, o.locks = 0;
    refuse(&o, "exactly 6 events");
    o = base, o.depth = 65;
    refuse(&o, "65 deep");
    o = base, o.locks = (1u << 24) + 1;
    refuse(&o, "locks");
    o = base, o.shared = 1.5;
    refuse(&o, "between 0 and 1");
    o = base, o.shape = "cube";
    refuse(&o, "no shape 'cube'");
    o = base, o.shape = "account", o.threads = 3;
    refuse(&o, "'threads'");
    o = base, o.shape = "raytracer", o.events = 3;
    refuse(&o, "'events'");
    o = base, o.shape = "tsp", o.locks = 3;
    refuse(&o, "'locks'");
    o = base, o.shape = "tsp", o.events = 2000;
    refuse(&o, "106 atomic blocks");
    o = base, o.shape = "daisy", o.shared = 0.5;
    refuse(&o, "'shared-fraction'");
}

static void smallest_traces(void **state) {
    (void)state;
    au_gen_options o;
    au_gen_options_init(&o);
    o.events = 0, o.threads = 1;
    assert_int_equal(look_at(&o).n.events, 0);
    o.events = 1;
    assert_int_equal(look_at(&o).n.accesses, 1);
    o.threads = 65535, o.events = 2 * 65534;
    assert_int_equal(look_at(&o).n.threads, 65535);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_options_give_valid_traces_of_that_size),
        cmocka_unit_test(everything_asked_for_is_there),
        cmocka_unit_test(defaults),
        cmocka_unit_test(private_and_shared_only),
        cmocka_unit_test(same_seed_same_trace_for_ever),
        cmocka_unit_test(other_seed_other_trace),
        cmocka_unit_test(impossible_numbers_are_refused),
        cmocka_unit_test(smallest_traces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
