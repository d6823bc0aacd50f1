/* tests/unit/test_guard.c: which accesses under locks known by their place exclude each other
 * (src/lower/guard.c), against all addresses that they can have. */
#include "base/rng.h"
#include "lower/guard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* Some two addresses at these places overlap, and no lock of the one is one of the other's. */
static bool can_race(const au_src_guard *a, const au_src_guard *b) {
    for (size_t i = 0; i < a->place.n; i++)
        for (size_t j = 0; j < b->place.n; j++) {
            const au_guard_place *p = &a->place.at[i], *q = &b->place.at[j];
            if (p->obj != q->obj)
                continue;
            for (int64_t k = -40; k <= 40; k++)
                for (int64_t l = -40; l <= 40; l++) {
                    int64_t x = p->off + k * (int64_t)p->stride,
                            y = q->off + l * (int64_t)q->stride;
                    if (x + (int64_t)a->bytes <= y || y + (int64_t)b->bytes <= x)
                        continue;
                    bool one = false;
                    for (size_t m = 0; m < a->lock.n; m++)
                        for (size_t n = 0; n < b->lock.n; n++)
                            one |= x + a->lock.at[m].offset == y + b->lock.at[n].offset &&
                                   (a->lock.at[m].alone || b->lock.at[n].alone);
                    for (size_t m = 0; m < a->inside.n; m++)
                        for (size_t n = 0; n < b->inside.n; n++)
                            one |= a->inside.at[m].obj == p->obj && b->inside.at[n].obj == p->obj &&
                                   a->inside.at[m].off == b->inside.at[n].off &&
                                   (a->inside.at[m].alone || b->inside.at[n].alone);
                    if (!one)
                        return true;
                }
        }
    return false;
}

static void random_guard(au_rng *r, au_src_guard *g) {
    static const uint64_t strides[] = {0, 0, 0, 1, 4, 8, 12, 16, 24};
    static const uint64_t widths[] = {1, 2, 4, 8, 16};
    *g = (au_src_guard){.bytes = widths[au_rng_below(r, 5)]};
    for (uint64_t n = 1 + au_rng_below(r, 2); n--;)
        au_vec_push(&g->place,
                    ((au_guard_place){(uint32_t)au_rng_below(r, 2), (int64_t)au_rng_below(r, 8) * 4,
                                      strides[au_rng_below(r, 9)]}));
    for (uint64_t n = au_rng_below(r, 3); n--;)
        au_vec_push(&g->lock, ((au_guard_lock){((int64_t)au_rng_below(r, 7) - 3) * 4,
                                               au_rng_below(r, 4) > 0}));
    for (uint64_t n = au_rng_below(r, 2); n--;)
        au_vec_push(&g->inside,
                    ((au_guard_inside){(uint32_t)au_rng_below(r, 2),
                                       (int64_t)au_rng_below(r, 2) * 8, au_rng_below(r, 4) > 0}));
}

static void release(au_src_guard *g) {
    au_vec_release(&g->place);
    au_vec_release(&g->lock);
    au_vec_release(&g->inside);
}

static void test_random(void **state) {
    (void)state;
    au_rng r;
    au_guards all;
    unsigned yes = 0, missed = 0;
    au_rng_init(&r, 7);
    au_guards_init(&all);
    for (int round = 0; round < 8000; round++) {
        au_src_guard a, b;
        random_guard(&r, &a);
        random_guard(&r, &b);
        uint32_t x = au_guard_add(&all, &a), y = au_guard_add(&all, &b);
        bool no = au_guards_exclude(&all, x, y);
        assert_int_equal(no, au_guards_exclude(&all, y, x));
        if (no)
            assert_false(can_race(&a, &b));
        yes += no;
        missed += x && y && !no && !can_race(&a, &b);
        release(&a);
        release(&b);
    }
    assert_true(yes > 400);
    assert_true(missed < yes); /* it is not exact where several locks are held */
    au_guards_release(&all);
}

/* A structure of 16 bytes in an array: a lock at 0, two ints at 8 and 12. */
static uint32_t guard(au_guards *all, int64_t off, uint64_t stride, uint64_t bytes, int64_t lock,
                      bool alone) {
    au_src_guard g = {.bytes = bytes};
    au_vec_push(&g.place, ((au_guard_place){1, off, stride}));
    au_vec_push(&g.lock, ((au_guard_lock){lock, alone}));
    uint32_t id = au_guard_add(all, &g);
    release(&g);
    return id;
}

static void test_cases(void **state) {
    (void)state;
    au_guards all;
    au_guards_init(&all);
    uint32_t first = guard(&all, 8, 16, 4, -8, true), second = guard(&all, 12, 16, 4, -12, true);
    uint32_t both = guard(&all, 8, 16, 8, -8, true), wide = guard(&all, 8, 16, 24, -8, true);
    uint32_t wrong = guard(&all, 8, 16, 4, -24, true), reads = guard(&all, 8, 16, 4, -8, false);
    assert_int_equal(first, guard(&all, 8, 16, 4, -8, true));
    assert_true(au_guards_exclude(&all, first, first));
    assert_true(au_guards_exclude(&all, first, both));
    assert_true(au_guards_exclude(&all, second, both));
    assert_false(au_guards_exclude(&all, first, wide));  /* two elements, one lock */
    assert_false(au_guards_exclude(&all, first, wrong)); /* the lock of the element before */
    assert_true(au_guards_exclude(&all, wrong, wrong));
    assert_true(au_guards_exclude(&all, first, reads));
    assert_false(au_guards_exclude(&all, reads, reads));
    assert_false(au_guards_exclude(&all, first, 0));
    au_guards_release(&all);
}

static uint32_t by_type(au_guards *all, uint64_t root, uint64_t type, uint64_t offset,
                        uint64_t inner, uint64_t inner_offset, uint64_t scalar) {
    au_guard_link link[3];
    uint32_t n = 0;
    if (type)
        link[n++] = (au_guard_link){type, offset};
    if (inner)
        link[n++] = (au_guard_link){inner, inner_offset};
    link[n++] = (au_guard_link){scalar, 0};
    au_src_guard g = {.bytes = 1, .way = au_guard_add_way(all, root, link, n)};
    return au_guard_add(all, &g);
}

/* C's rule of effective types, as far as clang states it. */
static void test_types(void **state) {
    (void)state;
    enum { C = 1, CXX, INT = 10, LONG, MASTER = 20, PATH, LIST };
    au_guards all;
    au_guards_init(&all);
    uint32_t reading = by_type(&all, C, MASTER, 16, 0, 0, INT);
    uint32_t other = by_type(&all, C, MASTER, 20, 0, 0, INT);
    uint32_t length = by_type(&all, C, PATH, 24, 0, 0, INT);
    uint32_t head = by_type(&all, C, PATH, 16, 0, 0, INT),
             number = by_type(&all, C, 0, 0, 0, 0, INT);
    uint32_t wide = by_type(&all, C, 0, 0, 0, 0, LONG),
             cxx = by_type(&all, CXX, PATH, 24, 0, 0, INT);
    uint32_t inside = by_type(&all, C, PATH, 40, LIST, 8, LONG);
    uint32_t link = by_type(&all, C, LIST, 8, 0, 0, LONG),
             first = by_type(&all, C, LIST, 0, 0, 0, LONG);
    assert_int_equal(reading, by_type(&all, C, MASTER, 16, 0, 0, INT));
    assert_false(au_guards_exclude(&all, reading, reading));
    assert_true(au_guards_exclude(&all, reading, other));
    assert_true(au_guards_exclude(&all, reading, length));
    assert_false(au_guards_exclude(&all, reading, head)); /* a common head */
    assert_false(au_guards_exclude(&all, reading, number));
    assert_false(au_guards_exclude(&all, number, reading));
    assert_true(au_guards_exclude(&all, reading, wide));
    assert_false(au_guards_exclude(&all, reading, cxx)); /* of two languages */
    assert_false(au_guards_exclude(&all, inside, link));
    assert_false(au_guards_exclude(&all, link, inside));
    assert_true(au_guards_exclude(&all, inside, first));
    assert_false(au_guards_exclude(&all, inside, wide));
    assert_false(au_guards_exclude(&all, reading, 0));
    au_guards_release(&all);
}

static void test_private(void **state) {
    (void)state;
    au_guards all;
    au_guards_init(&all);
    au_src_guard own = {.bytes = 1, .root = AU_GUARD_OWN},
                 only = {.bytes = 1, .root = AU_GUARD_PRIVATE};
    uint32_t a = au_guard_add(&all, &own), b = au_guard_add(&all, &only);
    assert_true(au_guards_exclude(&all, b, 0));
    assert_true(au_guards_exclude(&all, 0, b));
    assert_true(au_guards_exclude(&all, a, b));
    assert_true(au_guards_exclude(&all, a, a));
    assert_false(au_guards_exclude(&all, a, 0));
    au_guards_release(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_types), cmocka_unit_test(test_private),
                                       cmocka_unit_test(test_cases), cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
