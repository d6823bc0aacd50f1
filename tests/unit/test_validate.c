/* The rules of validate.h, each by good and bad examples.
 *
 * A trace is written as "T1 acq m, T2 rel m, …": thread, operation, operand. The
 * message expected for the first bad event comes with its number; without one
 * the trace is good. Objects whose name starts with 'N' are declared not
 * recursive, with 'W' as read-write locks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/rng.h"
#include "trace/validate.h"

static void add_event(const char *s, au_columns *c, au_names *n) {
    char thread[32], op[32], obj[32] = "";
    int got = sscanf(s, " %31s %31s %31s", thread, op, obj);
    assert_true(got >= 2);
    au_op o = au_op_by_name(op, strlen(op));
    assert_int_not_equal(o, AU_OPS);
    uint32_t id = AU_NONE;
    if (got == 3) {
        id = au_intern_add(au_names_space(n, au_op_space(o)), obj, strlen(obj));
        if (au_op_space(o) == AU_WIRE_SPACE_LOCK && (*obj == 'N' || *obj == 'W'))
            au_names_set_sync(n, id, *obj == 'N' ? AU_WIRE_OBJ_LOCK : AU_WIRE_OBJ_RWLOCK, 0);
    }
    uint32_t t = au_intern_add(&n->thread, thread, strlen(thread));
    au_columns_push(c, o, (uint16_t)t, id, AU_NONE, NULL);
}

static void parse(const char *text, au_columns *c, au_names *n) {
    char *copy = au_strdup(text), *save = NULL;
    au_columns_init(c);
    au_names_init(n);
    for (char *p = strtok_r(copy, ",", &save); p; p = strtok_r(NULL, ",", &save))
        add_event(p, c, n);
    free(copy);
}

/* at: number of the bad event from 1, 0 if there is none. */
static void expect(const char *text, size_t at, const char *message) {
    au_columns c;
    au_names n;
    parse(text, &c, &n);
    /* Whole, and event by event: the state carries over. */
    for (int cut = 0; cut < 2; cut++) {
        char why[512] = "unchanged";
        au_validator *v = au_validator_new(&n);
        size_t bad = c.n;
        if (!cut) {
            au_block b = au_columns_block(&c, 0, c.n);
            bad = au_validator_block(v, &b, 0, why, sizeof why);
        }
        for (size_t i = 0; cut && i < c.n && bad == c.n; i++) {
            au_block b = au_columns_block(&c, i, i + 1);
            if (au_validator_block(v, &b, 0, why, sizeof why) == 0)
                bad = i;
        }
        assert_int_equal(bad, at ? at - 1 : c.n);
        assert_string_equal(why, at ? message : "unchanged");
        au_validator_free(v);
    }
    au_columns_release(&c);
    au_names_release(&n);
}

static void good(const char *text) {
    expect(text, 0, NULL);
}

static void locks(void **state) {
    (void)state;
    good("A acq m, A w x, A rel m, B acq m, B rel m");
    good("A acq m, A acq m, A rel m, A rel m, B acq m");
    good("A acq m, B r x, C w x"); /* held at the end */
    good("A acq m, A init m, B acq m, B rel m");
    good("A req m, A tryfail m, A acq m, B req m, B tryfail m");
    expect("A acq m, B acq m", 2, "thread 'B' acquires 'm' while thread 'A' holds it");
    expect("A acq m, A acq m, A rel m, B acq m", 4,
           "thread 'B' acquires 'm' while thread 'A' holds it");
    expect("A acq m, B rel m", 2, "thread 'B' releases 'm', which thread 'A' holds");
    expect("A w x, A rel m", 2, "thread 'A' releases 'm', which nobody holds");
    expect("A acq m, A rel m, A rel m", 3, "thread 'A' releases 'm', which nobody holds");
    good("A acq N, A rel N, A acq N");
    expect("A acq N, A acq N", 2, "thread 'A' acquires 'N' again, which is not recursive");
}

static void read_write_locks(void **state) {
    (void)state;
    good("A rdacq W, B rdacq W, A rel W, B rel W, A wracq W, A rel W");
    good("A rdacq W, A rdacq W, A rel W, A rel W, B wracq W");
    good("A wracq m, A wracq m, A rdacq m, A rel m, A rel m, A rel m, B wracq m");
    expect("A rdacq W, B wracq W", 2, "thread 'B' acquires 'W' while others hold it for reading");
    expect("A rdacq W, A wracq W", 2,
           "thread 'A' acquires 'W' for writing while it holds it for reading");
    expect("A wracq W, B rdacq W", 2, "thread 'B' acquires 'W' while thread 'A' holds it");
    expect("A wracq W, A rdacq W", 2, "thread 'A' acquires 'W' again, which is not recursive");
    expect("A rdacq W, B rel W", 2, "thread 'B' releases 'W', which it does not hold");
    expect("A rdacq W, A rel W, B rdacq W, A rel W", 4,
           "thread 'A' releases 'W', which it does not hold");
    expect("A rdacq W, A rdacq W, A rel W, B wracq W", 4,
           "thread 'B' acquires 'W' while others hold it for reading");
    expect("A rdacq W, A init W, A rel W", 3, "thread 'A' releases 'W', which nobody holds");
    expect("A rdacq W, A init W, B rdacq W, A rel W", 4,
           "thread 'A' releases 'W', which it does not hold");
}

static void threads(void **state) {
    (void)state;
    good("A fork B, B w x, A join B, A r x");
    good("A fork B, A join B"); /* a thread that did nothing */
    good("B w x, A join B");    /* one that was there from the start */
    good("A fork B, B exit, A join B");
    good("A fork B, A detach B, B w x, B exit");
    expect("B w x, A fork B", 2, "thread 'B' is forked after its first event");
    expect("A fork B, C fork B", 2, "thread 'B' is forked twice");
    expect("A fork B, A join B, A fork B", 3, "thread 'B' is forked twice");
    expect("A fork B, A join B, A join B", 3, "thread 'B' is joined twice");
    expect("A fork B, A join B, A w y, B w x", 4, "thread 'B' has an event after its join");
    expect("A fork B, A join B, B fork C", 3, "thread 'B' has an event after its join");
    expect("A exit, A w x", 2, "thread 'A' has an event after its exit");
    expect("A exit, A exit", 2, "thread 'A' has an event after its exit");
    expect("A w x, A fork A", 2, "thread 'A' forks itself");
    expect("A join A", 1, "thread 'A' joins itself");
    expect("A w x, A join B", 2, "thread 'B' is joined, but has no fork and no event");
}

static void atomic_blocks(void **state) {
    (void)state;
    good("A begin, A begin b, A end b, A end, B begin, A begin");
    expect("A begin, A end, A end", 3, "thread 'A' has an end without a begin");
    expect("A begin, B end", 2, "thread 'B' has an end without a begin");
}

static void conditions(void **state) {
    (void)state;
    good("A acq m, A rel m, A wait c, B signal c, A wake c, A acq m, A rel m");
    good("A acq m, A rel m, B w x, B acq m, A wait c, B rel m"); /* cut while waiting */
    expect("A acq m, A wait c", 2, "thread 'A' waits on 'c' without a release just before");
    expect("A acq m, A rel m, A r x, A wait c", 4,
           "thread 'A' waits on 'c' without a release just before");
    expect("A wake c", 1, "thread 'A' wakes from 'c' without a wait on it");
    expect("A acq m, A rel m, A wait c, A wake d", 4,
           "thread 'A' wakes from 'd' without a wait on it");
    expect("A acq m, A rel m, A wait c, B w x, A w x", 5,
           "thread 'A' has an event while it waits on 'c'");
    expect("A acq m, A rel m, A wait c, B join A", 4,
           "thread 'A' is joined while it waits for 'c'");
    expect("A fork B, A join B, B wake c", 3, "thread 'B' has an event after its join");
}

static void barriers(void **state) {
    (void)state;
    good("A arrive b, B arrive b, A leave b, B leave b, A arrive b");
    expect("A leave b", 1, "thread 'A' leaves 'b' without having arrived");
    expect("A arrive b, A leave d", 2, "thread 'A' leaves 'd' without having arrived");
    expect("A arrive b, A arrive b", 2, "thread 'A' has an event while it waits at barrier 'b'");
}

/* Names that are long or strange stay one short line. */
static void names_are_tamed(void **state) {
    (void)state;
    au_names n;
    au_columns c;
    au_names_init(&n);
    au_columns_init(&c);
    char name[400], why[512];
    memset(name, 'x', sizeof name);
    name[1] = '\n';
    au_intern_add(&n.thread, "A", 1);
    au_intern_add(&n.lock, name, sizeof name);
    au_columns_push(&c, AU_OP_REL, 0, 0, AU_NONE, NULL);
    au_block b = au_columns_block(&c, 0, 1);
    au_validator *v = au_validator_new(&n);
    assert_int_equal(au_validator_block(v, &b, 0, why, sizeof why), 0);
    assert_null(strchr(why, '\n'));
    assert_non_null(strstr(why, "releases 'x?xxx"));
    assert_non_null(strstr(why, "xxx...', which nobody holds"));
    char tiny[8];
    assert_int_equal(au_validator_block(v, &b, 0, tiny, sizeof tiny), 0);
    assert_string_equal(tiny, "thread ");
    au_validator_free(v);
    au_columns_release(&c);
    au_names_release(&n);
}

/* A bad event has no effect: leaving it out gives the same complaints about
 * what follows. Long random traces, so that segments and strides are crossed. */
static void bad_events_have_no_effect(void **state) {
    (void)state;
    static const au_op ops[] = {AU_OP_READ,  AU_OP_WRITE, AU_OP_READ,   AU_OP_READ,  AU_OP_ACQ,
                                AU_OP_REL,   AU_OP_REL,   AU_OP_ACQ,    AU_OP_BEGIN, AU_OP_END,
                                AU_OP_RDACQ, AU_OP_WRACQ, AU_OP_FORK,   AU_OP_JOIN,  AU_OP_WAIT,
                                AU_OP_WAKE,  AU_OP_EXIT,  AU_OP_ARRIVE, AU_OP_LEAVE, AU_OP_INIT};
    for (uint64_t seed = 0; seed < 40; seed++) {
        au_rng r;
        au_rng_init(&r, seed);
        const uint32_t threads = 40;
        au_names n;
        au_columns all, kept;
        au_names_init(&n);
        au_columns_init(&all);
        au_columns_init(&kept);
        char name[8], why[512];
        for (uint32_t i = 0; i < threads; i++) {
            int len = snprintf(name, sizeof name, "%u", i);
            au_intern_add(&n.thread, name, (size_t)len);
            au_intern_add(&n.lock, name, (size_t)len);
            au_intern_add(&n.var, name, (size_t)len);
        }
        for (size_t i = 0; i < 20000; i++) {
            /* what stops threads is rare */
            uint32_t kinds = au_rng_below(&r, 200) ? (seed % 2 ? 12 : 4) : 20;
            au_op op = ops[au_rng_below(&r, kinds)];
            uint8_t space = au_op_space(op);
            bool none = space == AU_WIRE_SPACE_NONE || space == AU_WIRE_SPACE_BLOCK;
            au_columns_push(&all, op, (uint16_t)au_rng_below(&r, threads),
                            none ? AU_NONE : au_rng_below(&r, threads), AU_NONE, NULL);
        }
        au_block b = au_columns_block(&all, 0, all.n);
        au_validator *v = au_validator_new(&n);
        size_t bad = 0;
        for (size_t i = 0; i < b.n;) {
            size_t stop = au_validator_block(v, &b, i, why, sizeof why);
            for (; i < stop; i++)
                au_columns_push(&kept, b.op[i], b.thread[i], b.obj[i], b.loc[i], NULL);
            bad += i < b.n;
            i++;
        }
        au_validator_free(v);
        assert_true(bad > 0 && kept.n > 0 && kept.n + bad == all.n);
        /* What was kept is right, in one piece and one by one. */
        au_block k = au_columns_block(&kept, 0, kept.n);
        v = au_validator_new(&n);
        assert_int_equal(au_validator_block(v, &k, 0, why, sizeof why), kept.n);
        au_validator_free(v);
        /* Judged one by one, the same events are bad. */
        v = au_validator_new(&n);
        size_t right = 0;
        for (size_t i = 0; i < b.n; i++) {
            au_block one = au_columns_block(&all, i, i + 1);
            if (au_validator_block(v, &one, 0, why, sizeof why) == 1) {
                assert_int_equal(kept.op[right], one.op[0]);
                assert_int_equal(kept.thread[right], one.thread[0]);
                assert_int_equal(kept.obj[right], one.obj[0]);
                right++;
            }
        }
        assert_int_equal(right, kept.n);
        au_validator_free(v);
        au_columns_release(&all);
        au_columns_release(&kept);
        au_names_release(&n);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(locks),           cmocka_unit_test(read_write_locks),
        cmocka_unit_test(threads),         cmocka_unit_test(atomic_blocks),
        cmocka_unit_test(conditions),      cmocka_unit_test(barriers),
        cmocka_unit_test(names_are_tamed), cmocka_unit_test(bad_events_have_no_effect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
