/* retrace/sym.h: accesses through pointers that are terms: pins, case splits, implicit checks. */
#include "sym_world.h"

/* Objects of a made-up program: nodes of 16 bytes whose two words are variables. */
enum { NODES = 8, NODE = 0x40000, HEAD = 3, ROOM = 16 };

static size_t node_parts(const void *of, uint64_t at, uint64_t n, au_part *into, size_t room) {
    (void)of;
    uint64_t off = at - NODE;
    if (off >= NODES * ROOM || n != 8 || off % 8 || !room)
        return 0;
    *into = (au_part){at, 8, 0, 100 + (uint32_t)(off / 8)};
    return 1;
}
static bool node_object(const void *of, uint64_t at, uint64_t *start, uint64_t *size, bool *freed) {
    (void)of;
    uint64_t off = at - NODE;
    if (off >= NODES * ROOM)
        return false;
    *start = NODE + off / ROOM * ROOM;
    *size = ROOM;
    *freed = false;
    return true;
}

static world *nodes(unsigned checks, unsigned split) {
    world *w = world_new(1, checks, split);
    w->s->world = (au_sym_world){w, node_parts, node_object};
    return w;
}
static uint64_t node(unsigned i) {
    return NODE + i * ROOM;
}
static au_part part_of(world *w, uint8_t op, uint64_t at, uint64_t bits) {
    au_part p;
    assert_int_equal(node_parts(NULL, at, 8, &p, 1), 1);
    p.event = new_event(w, op, p.var, bits);
    return p;
}
/* Everybody's nodes are touched, so that they are known, then the pointers to these are stored. */
static void prepare(world *w, unsigned n_stored) {
    w->at.thread = 1;
    for (unsigned i = 0; i < NODES; i++)
        for (unsigned k = 0; k < 2; k++)
            part_of(w, AU_OP_WRITE, node(i) + 8 * k, i);
    for (unsigned i = 0; i < n_stored; i++)
        new_event(w, AU_OP_WRITE, HEAD, node(i));
    w->at.thread = 0;
    w->at.after = AU_NONE;
}
static au_val read_head(world *w, uint64_t bits) {
    au_part p = {0x900, 8, new_event(w, AU_OP_READ, HEAD, bits), HEAD};
    au_val v = {bits, AU_KNOWN};
    v.m = au_sym_read(w->s, au_sym_known(0x900), 8, 64, bits, &p, 1);
    w->at.after = p.event;
    assert_true(v.m > AU_UNKNOWN);
    return v;
}
static au_val plus(world *w, au_val a, uint64_t off) {
    au_val v = {a.v + off, AU_KNOWN};
    v.m = au_sym_scale(w->s, 64, 1, a, au_sym_known(off), v.v);
    return v;
}
/* Is the fact true if the head had been this? */
static bool holds_if(world *w, const au_fact *f, uint32_t event, uint64_t head) {
    uint64_t kept = w->alt[0][event];
    w->alt[0][event] = head;
    bool r = au_term_eval(w->sy.terms, f->cond, w->alt[0]);
    w->alt[0][event] = kept;
    return r;
}

static void test_split_of_a_read(void **state) {
    (void)state;
    world *w = nodes(0, 4);
    prepare(w, 4);
    uint32_t r = w->n;
    au_val head = read_head(w, node(1)), field = plus(w, head, 8);
    au_part p = part_of(w, AU_OP_READ, field.v, 1);
    au_tint m = au_sym_read(w->s, field, 8, 64, 1, &p, 1);
    assert_true(m > AU_UNKNOWN); /* though nobody writes it: it may be another one */
    assert_int_equal(w->sy.elsewhere.n, 3);
    assert_int_equal(w->sy.pinned.n, 0);
    unsigned seen = 0;
    for (size_t i = 0; i < 3; i++) {
        const au_elsewhere *e = &w->sy.elsewhere.at[i];
        assert_int_equal(e->event, p.event);
        unsigned of = (e->var - 100) / 2;
        assert_true(of < 4 && of != 1 && e->var % 2);
        seen |= 1u << of;
        for (unsigned k = 0; k < NODES; k++) {
            w->alt[0][r] = node(k);
            assert_int_equal(au_term_eval(w->sy.terms, e->when, w->alt[0]), k == of);
        }
    }
    assert_int_equal(seen, 13);
    /* one fact before it: the pointer is one of the four */
    assert_int_equal(w->sy.fact.n, 1);
    const au_fact *f = &w->sy.fact.at[0];
    assert_int_equal(f->kind, AU_FACT_PIN);
    assert_int_equal(f->after, r);
    for (unsigned k = 0; k < NODES; k++)
        assert_int_equal(holds_if(w, f, r, node(k)), k < 4);
    /* the other field of the same pointer: no new fact */
    w->at.after = p.event;
    p = part_of(w, AU_OP_READ, head.v, 1);
    au_sym_read(w->s, head, 8, 64, 1, &p, 1);
    assert_int_equal(w->sy.elsewhere.n, 6);
    assert_int_equal(w->sy.fact.n, 1);
    check_right(w);
    world_free(w);
}

static void test_split_of_a_write(void **state) {
    (void)state;
    world *w = nodes(0, 4);
    prepare(w, 2);
    au_val head = read_head(w, node(1));
    au_part p = part_of(w, AU_OP_WRITE, head.v, 77);
    assert_false(au_bitset_has(&w->open, p.var)); /* even: nobody else's, as it seemed */
    au_sym_write(w->s, head, 8, 64, au_sym_known(77), &p, 1);
    w->at.after = p.event;
    assert_int_equal(w->sy.elsewhere.n, 1);
    assert_int_equal(w->sy.write[p.event].n, UINT32_MAX);
    /* both nodes may hold something else now */
    for (unsigned i = 0; i < 3; i++) {
        au_part q = part_of(w, AU_OP_READ, node(i), i == 1 ? 77 : i);
        au_tint m = au_sym_read(w->s, au_sym_known(node(i)), 8, 64, i == 1 ? 77 : i, &q, 1);
        w->at.after = q.event;
        assert_int_equal(m > AU_UNKNOWN, i < 2);
    }
    check_right(w);
    world_free(w);
}

static void test_bound_of_a_split(void **state) {
    (void)state;
    world *w = nodes(0, 2);
    prepare(w, 6);
    uint32_t r = w->n;
    au_val head = read_head(w, node(5));
    au_part p = part_of(w, AU_OP_READ, head.v, 5);
    au_sym_read(w->s, head, 8, 64, 5, &p, 1);
    assert_int_equal(w->sy.elsewhere.n, 2);
    unsigned hold = 0;
    for (unsigned k = 0; k < NODES; k++)
        hold += holds_if(w, &w->sy.fact.at[0], r, node(k));
    assert_int_equal(hold, 3);
    assert_true(holds_if(w, &w->sy.fact.at[0], r, node(5)));
    check_right(w);
    world_free(w);
    /* splits off, nobody knows another value, or a pointer to nowhere: pinned */
    for (unsigned kind = 0; kind < 3; kind++) {
        w = nodes(0, kind == 0 ? 0 : 4);
        prepare(w, kind == 1 ? 0 : 2);
        if (kind == 2) {
            for (unsigned i = 0; i < 2; i++) /* the two stored ones point to nothing known */
                w->trace.events.value[w->n - 1 - i] = (int64_t)(0x999000 + i);
        }
        r = w->n;
        head = read_head(w, node(1));
        p = part_of(w, AU_OP_READ, head.v, 1);
        assert_int_equal(au_sym_read(w->s, head, 8, 64, 1, &p, 1), AU_KNOWN);
        assert_int_equal(w->sy.elsewhere.n, 0);
        assert_int_equal(w->sy.fact.n, 1);
        assert_int_equal(w->sy.pinned.n, 1);
        for (unsigned k = 0; k < NODES; k++)
            assert_int_equal(holds_if(w, &w->sy.fact.at[0], r, node(k)), k == 1);
        check_right(w);
        world_free(w);
    }
}

/* The memory was another object when the pointer was stored: no candidate. */
static void test_other_life(void **state) {
    (void)state;
    world *w = nodes(0, 4);
    w->at.thread = 1;
    new_event(w, AU_OP_WRITE, HEAD, node(2)); /* before node 2's variables were there */
    part_of(w, AU_OP_WRITE, node(1), 1);
    part_of(w, AU_OP_WRITE, node(2), 2);
    new_event(w, AU_OP_WRITE, HEAD, node(1));
    w->at.thread = 0;
    au_val head = read_head(w, node(1));
    au_part p = part_of(w, AU_OP_READ, head.v, 1);
    au_sym_read(w->s, head, 8, 64, 1, &p, 1);
    assert_int_equal(w->sy.elsewhere.n, 0);
    assert_int_equal(w->sy.fact.n, 1);
    check_right(w);
    world_free(w);
}

/* An index into one object: the same object, whenever it was stored. */
static void test_index(void **state) {
    (void)state;
    world *w = nodes(AU_CHECK_BOUNDS | AU_CHECK_NULL, 4);
    w->at.thread = 1;
    for (unsigned i = 0; i < 2; i++)
        new_event(w, AU_OP_WRITE, 5, i);
    part_of(w, AU_OP_WRITE, node(4), 1);
    part_of(w, AU_OP_WRITE, node(4) + 8, 1);
    w->at.thread = 0;
    uint32_t r = w->n;
    au_part q = {0x800, 4, new_event(w, AU_OP_READ, 5, 1), 5};
    au_val i = {1, au_sym_read(w->s, au_sym_known(0x800), 4, 32, 1, &q, 1)};
    w->at.after = q.event;
    au_val at = {node(4) + 8, AU_KNOWN};
    at.m = au_sym_scale(w->s, 32, 8, au_sym_known(node(4)), i, at.v);
    au_part p = part_of(w, AU_OP_READ, at.v, 1);
    au_sym_read(w->s, at, 8, 64, 1, &p, 1);
    assert_int_equal(w->sy.elsewhere.n, 1);
    /* the check comes first, and there is none for null: the array is known */
    assert_int_equal(w->sy.fact.n, 2);
    assert_int_equal(w->sy.fact.at[0].kind, AU_FACT_ASSERT);
    assert_string_equal(au_intern_str(&w->sy.strings, w->sy.fact.at[0].text),
                        "index outside its object");
    assert_int_equal(w->sy.fact.at[1].kind, AU_FACT_PIN);
    for (uint64_t k = 0; k < 40; k++) {
        uint64_t v = (k - 20) & 0xffffffff;
        assert_int_equal(holds_if(w, &w->sy.fact.at[0], r, v), v < 2);
        assert_int_equal(holds_if(w, &w->sy.fact.at[1], r, v), v < 2);
    }
    check_right(w);
    world_free(w);
}

static void test_null(void **state) {
    (void)state;
    world *w = nodes(AU_CHECK_NULL, 4);
    prepare(w, 2);
    new_event(w, AU_OP_WRITE, HEAD, 0);
    uint32_t r = w->n;
    au_val head = read_head(w, node(1)), field = plus(w, head, 8);
    au_part p = part_of(w, AU_OP_READ, field.v, 1);
    au_sym_read(w->s, field, 8, 64, 1, &p, 1);
    assert_int_equal(w->sy.fact.n, 2);
    assert_int_equal(w->sy.fact.at[0].kind, AU_FACT_ASSERT);
    assert_string_equal(au_intern_str(&w->sy.strings, w->sy.fact.at[0].text), "null pointer");
    assert_false(holds_if(w, &w->sy.fact.at[0], r, 0));
    assert_true(holds_if(w, &w->sy.fact.at[0], r, node(0)));
    assert_int_equal(w->sy.elsewhere.n, 1);
    check_right(w);
    world_free(w);
}

static void test_division(void **state) {
    (void)state;
    for (unsigned checks = 0; checks < 2; checks++) {
        world *w = world_new(2, checks ? AU_CHECK_DIV : 0, 0);
        both a = new_read(w, 4);
        assert_true(a.v.v);
        au_sym_binary(w->s, AU_C_UDIV, 32, au_sym_known(7), a.v, 7 / a.v.v);
        assert_int_equal(w->sy.fact.n, 1);
        assert_int_equal(w->sy.fact.at[0].kind, checks ? AU_FACT_ASSERT : AU_FACT_PIN);
        assert_false(holds_if(w, &w->sy.fact.at[0], 0, 0));
        assert_int_equal(w->sy.pinned.n, 0); /* it is not bound to its value */
        check_right(w);
        world_free(w);
    }
}

/* Memory that another thread frees: what was read of it must not be what the free leaves. */
static void test_freed(void **state) {
    (void)state;
    for (unsigned kind = 0; kind < 4; kind++) {
        world *w = world_new(2, kind == 1 ? AU_CHECK_NULL : AU_CHECK_UAF, 0);
        both a = new_read(w, 8); /* event 0, variable 1 */
        au_val c = {a.v.v == 5, AU_KNOWN};
        c.m = au_sym_compare(w->s, AU_C_EQ, 64, a.v, au_sym_known(5), c.v);
        au_sym_branch(w->s, c, AU_FAILS_NOT, NULL);
        (void)new_read(w, 2); /* too small to hold a number that is its own */
        if (kind != 2)        /* 2: by the same thread */
            w->at.thread = 1;
        if (kind == 3) /* 3: the program writes that very number */
            new_event(w, AU_OP_WRITE, 1, UINT64_C(0xfeeefeeefeeefeee));
        uint32_t f = new_event(w, AU_OP_WRITE, 1, 0);
        w->trace.events.has_value[f] = 0;
        au_sym_freed(w->s, f, 1);
        au_sym_finish(w->s);
        check_right(w);
        if (kind) {
            assert_int_equal(w->sy.fact.n, 1);
            assert_int_equal(w->sy.freed.n, 0);
        } else {
            /* the check stands before the branch */
            assert_int_equal(w->sy.fact.n, 2);
            const au_fact *fact = &w->sy.fact.at[0];
            assert_int_equal(fact->kind, AU_FACT_ASSERT);
            assert_int_equal(fact->after, 0);
            assert_int_equal(fact->thread, 0);
            assert_string_equal(au_intern_str(&w->sy.strings, fact->text), "use after free");
            const uint64_t *left = au_map_find(&w->sy.freed, f);
            assert_non_null(left);
            assert_false(holds_if(w, fact, 0, *left));
            assert_true(holds_if(w, fact, 0, 0));
            assert_int_equal(w->sy.fact.at[1].kind, AU_FACT_ASSUME);
        }
        world_free(w);
    }
}

/* An event that the thread has passed already: a caller's mistake. */
static void test_order(void **state) {
    (void)state;
    world *w = world_new(2, 0, 0);
    au_part p = {0x1000, 4, new_event(w, AU_OP_READ, 1, 5), 1};
    w->at.after = p.event;
    au_sym_read(w->s, au_sym_known(0x1000), 4, 32, 5, &p, 1);
    assert_non_null(strstr(au_sym_wrong(w->s), "passed"));
    world_free(w);
    /* and a value that is not the trace's */
    w = world_new(2, 0, 0);
    p.event = new_event(w, AU_OP_READ, 1, 5);
    au_sym_read(w->s, au_sym_known(0x1000), 4, 32, 6, &p, 1);
    assert_non_null(strstr(au_sym_wrong(w->s), "worth 5, the program computed 6"));
    world_free(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_split_of_a_read),
        cmocka_unit_test(test_split_of_a_write),
        cmocka_unit_test(test_bound_of_a_split),
        cmocka_unit_test(test_other_life),
        cmocka_unit_test(test_index),
        cmocka_unit_test(test_null),
        cmocka_unit_test(test_division),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_freed),
    };
    return cmocka_run_group_tests_name("sym_address", tests, NULL, NULL);
}
