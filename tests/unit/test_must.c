/* Must-happens-before: fork and join, semaphores and barriers by counting. */
#include "linear/linear.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

typedef struct {
    au_names names;
    au_must *m;
    uint32_t segment[64]; /* of each event, the next one's segment before it */
    uint16_t thread[64];
    int n;
} world;

/* "T1 up s;T2 nop;…" with s a semaphore and b a barrier; 'nop' is an event without effect. */
static void feed(world *w, const char *text, int32_t initial, int32_t places) {
    *w = (world){.m = au_must_new()};
    au_names_init(&w->names);
    au_names_set_sync(&w->names, au_intern_add(&w->names.lock, "s", 1), AU_WIRE_OBJ_SEM, initial);
    au_names_set_sync(&w->names, au_intern_add(&w->names.lock, "b", 1), AU_WIRE_OBJ_BARRIER,
                      places);
    au_must_use_names(w->m, &w->names);
    char *copy = au_strdup(text), *save = NULL;
    for (char *e = strtok_r(copy, ";", &save); e; e = strtok_r(NULL, ";", &save)) {
        char *inner = NULL;
        char *who = strtok_r(e, " ", &inner), *op = strtok_r(NULL, " ", &inner);
        char *name = strtok_r(NULL, " ", &inner);
        au_op o = strcmp(op, "nop") == 0 ? AU_OP_FENCE : au_op_by_name(op, strlen(op));
        assert_int_not_equal(o, AU_OPS);
        au_intern *space = au_names_space(&w->names, au_op_space(o));
        uint32_t obj = name && space ? au_intern_add(space, name, strlen(name)) : AU_NONE;
        uint16_t t = (uint16_t)au_intern_add(&w->names.thread, who, strlen(who));
        w->thread[w->n] = t;
        w->segment[w->n++] = au_must_segment(w->m, t);
        uint32_t before = au_must_segment(w->m, t);
        bool changed = au_must_event(w->m, o, t, obj);
        assert_int_equal(changed, au_must_segment(w->m, t) != before);
    }
    free(copy);
    au_must_finish(w->m);
}

static void done(world *w) {
    au_must_free(w->m);
    au_names_release(&w->names);
}

/* Events with numbers a and b; only of events without effect the segment is theirs. */
static bool before(const world *w, int a, int b) {
    return au_must_before(w->m, w->thread[a], w->segment[a], w->thread[b], w->segment[b]);
}

static void fork_and_join(void **state) {
    (void)state;
    world w;
    feed(&w, "A nop;A fork B;A nop;B nop;B fork C;C nop;B nop;A join B;A nop;C nop", 0, 0);
    assert_true(before(&w, 0, 3));
    assert_true(before(&w, 0, 5)); /* through B */
    assert_false(before(&w, 2, 3));
    assert_false(before(&w, 3, 2));
    assert_true(before(&w, 3, 8));
    assert_true(before(&w, 6, 8));
    assert_false(before(&w, 5, 8)); /* C is not joined */
    assert_false(before(&w, 6, 9));
    assert_true(before(&w, 3, 5));
    assert_true(before(&w, 0, 2));
    assert_false(before(&w, 2, 0));
    assert_true(au_must_orders(w.m));
    done(&w);
    feed(&w, "A nop;B nop", 0, 0);
    assert_false(au_must_orders(w.m));
    assert_false(before(&w, 0, 1));
    done(&w);
}

static void one_giver(void **state) {
    (void)state;
    world w;
    feed(&w, "A nop;A up s;A nop;A up s;A nop;B down s;B nop;B down s;B nop", 0, 0);
    assert_true(before(&w, 0, 6));
    assert_false(before(&w, 2, 6)); /* the second up is not needed for the first down */
    assert_true(before(&w, 2, 8));
    assert_false(before(&w, 4, 8));
    done(&w);
    feed(&w, "A nop;A up s;A nop;A up s;A nop;B down s;B nop;B down s;B nop", 1, 0);
    assert_false(before(&w, 0, 6));
    assert_true(before(&w, 0, 8));
    assert_false(before(&w, 2, 8));
    done(&w);
}

static void an_observed_pairing_is_no_must(void **state) {
    (void)state;
    world w;
    /* A's up was used, but C's could have been */
    feed(&w, "A nop;A up s;B down s;B nop;C nop;C up s", 0, 0);
    assert_false(before(&w, 0, 3));
    assert_false(before(&w, 4, 3));
    done(&w);
    /* both are needed for two downs */
    feed(&w, "A nop;A up s;C nop;C up s;B down s;B nop;B down s;B nop", 0, 0);
    assert_false(before(&w, 0, 5));
    assert_true(before(&w, 0, 7));
    assert_true(before(&w, 2, 7));
    done(&w);
    /* C's up comes after the down by the join: no partner but A is left */
    feed(&w, "A nop;A up s;B down s;B nop;B fork C;C nop;C up s", 0, 0);
    assert_true(before(&w, 0, 3));
    done(&w);
    /* a unit of its own */
    feed(&w, "A nop;A up s;B up s;B down s;B nop", 0, 0);
    assert_false(before(&w, 0, 4));
    done(&w);
    /* downs of others that come before count: C's took one unit */
    feed(&w, "A nop;A up s;C down s;C fork B;A nop;A up s;B down s;B nop", 0, 0);
    assert_true(before(&w, 0, 7));
    assert_true(before(&w, 4, 7));
    done(&w);
}

static void unknown_counts_give_nothing(void **state) {
    (void)state;
    world w;
    feed(&w, "A nop;A up q;B down q;B nop", 0, 0);
    assert_false(before(&w, 0, 3));
    done(&w);
    feed(&w, "A nop;A up s;A init s;A up s;B down s;B nop", 0, 0);
    assert_false(before(&w, 0, 5));
    done(&w);
}

static void barriers(void **state) {
    (void)state;
    const char *two = "A nop;A arrive b;B nop;B arrive b;A leave b;A nop;B leave b;B nop";
    world w;
    feed(&w, two, 0, 2);
    assert_true(before(&w, 0, 7));
    assert_true(before(&w, 2, 5));
    assert_false(before(&w, 5, 7));
    assert_false(before(&w, 7, 5));
    done(&w);
    /* a third thread at two places: another partner */
    feed(&w,
         "A nop;A arrive b;B nop;B arrive b;A leave b;A nop;B leave b;B nop;C arrive b;A arrive b;"
         "A leave b;C leave b",
         0, 2);
    assert_false(before(&w, 0, 7));
    done(&w);
    feed(&w, two, 0, 0); /* size not known */
    assert_false(before(&w, 0, 7));
    done(&w);
}

static void conditions_and_locks_never(void **state) {
    (void)state;
    world w;
    feed(&w,
         "B acq m;B rel m;B wait c;A nop;A signal c;B wake c;B acq m;B nop;B rel m;A acq m;"
         "A nop;A rel m",
         0, 0);
    assert_false(before(&w, 3, 7));
    assert_false(before(&w, 7, 10));
    done(&w);
}

/* Many operations of one thread: memory stays bounded and the edges that are there stay. */
static void many_operations(void **state) {
    (void)state;
    au_names names;
    au_names_init(&names);
    au_names_set_sync(&names, au_intern_add(&names.lock, "s", 1), AU_WIRE_OBJ_SEM, 0);
    au_must *m = au_must_new();
    au_must_use_names(m, &names);
    for (int i = 0; i < 100000; i++) {
        au_must_event(m, AU_OP_UP, 0, 0);
        au_must_event(m, AU_OP_DOWN, 1, 0);
    }
    au_must_finish(m);
    assert_true(au_must_segment(m, 0) < 2000);
    for (uint32_t k = 0; k < 1000; k++) {
        assert_true(au_must_before(m, 0, k, 1, k + 1));
        assert_false(au_must_before(m, 0, k + 1, 1, k + 1));
    }
    au_must_free(m);
    au_names_release(&names);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fork_and_join),
        cmocka_unit_test(one_giver),
        cmocka_unit_test(an_observed_pairing_is_no_must),
        cmocka_unit_test(unknown_counts_give_nothing),
        cmocka_unit_test(barriers),
        cmocka_unit_test(conditions_and_locks_never),
        cmocka_unit_test(many_operations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
