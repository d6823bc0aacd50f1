/* Looking on while a recording becomes a trace: records beside events, parts, outcomes. */
#include "base/rng.h"
#include "recording_build.h"
#include "trace/trace.h"
#include "trace/watch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define GLOBAL UINT64_C(0x555555558010) /* 64 bytes */
#define HEAP UINT64_C(0x700000000010)
#define STACK UINT64_C(0x760000000000)

typedef struct {
    build b;
    uint32_t access, call;
} run;

static void open_run(run *k) {
    *k = (run){0};
    build *b = &k->b;
    uint32_t t_char = build_type(b, "char", AU_TYPE_SCALAR, 1, 0, 0);
    build_global(b, "g", build_type(b, "", AU_TYPE_ARRAY, 64, t_char, 64), 64);
    k->access = build_site(b, "main", 10, AU_OP_READ, "", 0);
    k->call = build_site(b, "main", 11, AU_OP_XCALL, "malloc", 0);
    const uint64_t at[] = {GLOBAL};
    build_begin(b, STACK, at, "/bin/run");
}

static void begin_thread(run *k, uint32_t t) {
    au_stream_put_thread(k->b.w, t, STACK + t * 0x100000, 0x10000, 0);
    build_event(&k->b, k->call, AU_OP_FORK, 0, t, 0, 0);
}

struct seen {
    uint8_t tag, op;
    uint16_t thread;
    uint64_t at, value, first, n;
    AU_VEC(au_part) part;
};
typedef AU_VEC(struct seen) seen_vec;

typedef struct {
    au_watch w;
    seen_vec seen;
    size_t stop; /* after so many records; 0: never */
    void (*ask)(const au_watch *w, size_t record);
} looker;

static bool look(void *ctx, const au_stream_record *r, const au_part *part, size_t n_parts,
                 uint64_t first, uint64_t n) {
    looker *l = ctx;
    struct seen *s = au_vec_add(&l->seen);
    *s = (struct seen){.tag = r->tag,
                       .op = r->op,
                       .thread = r->thread,
                       .at = r->address,
                       .value = r->value,
                       .first = first,
                       .n = n};
    au_vec_append(&s->part, part, n_parts);
    if (l->ask)
        l->ask(&l->w, l->seen.n);
    return !l->stop || l->seen.n < l->stop;
}

static void release(looker *l) {
    for (size_t i = 0; i < l->seen.n; i++)
        au_vec_release(&l->seen.at[i].part);
    au_vec_release(&l->seen);
}

/* Reads all, checks each part against its event; the number of events. */
static uint64_t look_on(const run *k, bool fold, looker *l) {
    au_error err = AU_ERROR_NONE;
    l->w = (au_watch){.record = look, .ctx = l};
    au_read_options o = {.fold = fold, .watch = &l->w};
    au_reader *r = au_reader_from(au_in_memory(k->b.file.at, k->b.file.n, "t"), &o, &err);
    assert_non_null(r);
    uint64_t n = 0;
    AU_VEC(uint32_t) obj = {0};
    AU_VEC(uint16_t) thread = {0};
    for (au_block x = {.n = 1}; x.n;) {
        if (au_reader_next(r, &x, &err) != AU_OK)
            fail_msg("%s", err.text);
        au_vec_append(&obj, x.obj, x.n);
        au_vec_append(&thread, x.thread, x.n);
        n += x.n;
    }
    uint64_t at = 0;
    for (size_t i = 0; i < l->seen.n; i++) {
        const struct seen *s = &l->seen.at[i];
        assert_int_equal(s->first, at); /* every event is some record's */
        at += s->n;
        for (size_t p = 0; p < s->part.n; p++) {
            const au_part *x = &s->part.at[p];
            assert_in_range(x->event, s->first, s->first + s->n - 1);
            assert_int_equal(obj.at[x->event], x->var);
            assert_int_equal(thread.at[x->event], s->thread);
            if (p)
                assert_true(x->at >= s->part.at[p - 1].at + s->part.at[p - 1].n);
        }
    }
    assert_int_equal(at, n);
    au_vec_release(&obj);
    au_vec_release(&thread);
    au_reader_free(r);
    return n;
}

/* Event number i of the run among the records. */
static const struct seen *event(const looker *l, size_t i) {
    for (size_t k = 0; k < l->seen.n; k++)
        if (l->seen.at[k].tag == AU_TAG_EV && !i--)
            return &l->seen.at[k];
    fail_msg("no such event");
    return NULL;
}

static void is_part(const struct seen *s, size_t i, uint64_t at, uint32_t n) {
    assert_true(i < s->part.n);
    assert_int_equal(s->part.at[i].at, at);
    assert_int_equal(s->part.at[i].n, n);
}

static void parts(void **state) {
    (void)state;
    run k;
    open_run(&k);
    build_event(&k.b, k.access, AU_OP_WRITE, 8, GLOBAL, 1, 0); /* cut in the middle by 2 */
    begin_thread(&k, 1);                                       /* 1 */
    build_turn(&k.b, 1);
    build_event(&k.b, k.access, AU_OP_READ, 4, GLOBAL, 1, 0);       /* 2 */
    build_event(&k.b, k.access, AU_OP_WRITE, 8, GLOBAL + 48, 9, 0); /* 3: nobody else */
    build_event(&k.b, k.access, AU_SOP_RSET, 0, GLOBAL + 4, 0, 32); /* 4: [4,8), [8,36) in pieces */
    build_turn(&k.b, 0);
    build_event(&k.b, k.access, AU_OP_WRITE, 8, GLOBAL + 20, 9, 0); /* 5: over a word's end */
    build_close(&k.b, 0);
    for (int fold = 0; fold < 2; fold++) {
        looker l = {0};
        look_on(&k, fold, &l);
        const struct seen *s = event(&l, 0);
        assert_int_equal(s->part.n, 2);
        is_part(s, 0, GLOBAL, 4);
        is_part(s, 1, GLOBAL + 4, 4);
        assert_int_equal(event(&l, 1)->part.n, 0);
        assert_int_equal(event(&l, 1)->n, 1);
        assert_int_equal(event(&l, 2)->part.n, 1);
        assert_int_equal(event(&l, 2)->part.at[0].var, s->part.at[0].var);
        assert_int_equal(event(&l, 3)->part.n, 0);
        assert_int_equal(event(&l, 3)->n, !fold);
        s = event(&l, 4);
        is_part(s, 0, GLOBAL + 4, 4);
        uint64_t end = GLOBAL + 8;
        for (size_t i = 1; i < s->part.n; i++)
            assert_true(s->part.at[i].at >= end), end = s->part.at[i].at + s->part.at[i].n;
        s = event(&l, 5);
        assert_int_equal(s->part.n, 1); /* words do not divide it */
        is_part(s, 0, GLOBAL + 20, 8);
        release(&l);
    }
    build_release(&k.b);
}

static size_t parts_of(const au_watch *w, uint64_t at, uint64_t n) {
    au_part p[4];
    return au_watch_parts(w, at, n, p, 4);
}

/* Records: thread, turn, module, event …; asked after each. */
static void ask_parts(const au_watch *w, size_t record) {
    uint64_t start, size;
    bool freed;
    switch (record) {
    case 4:                                        /* the first write of the block, shared later */
        assert_int_equal(parts_of(w, HEAP, 8), 0); /* only allocated */
        assert_true(au_watch_object(w, HEAP + 15, &start, &size, &freed));
        assert_int_equal(start, HEAP);
        assert_int_equal(size, 16);
        assert_false(freed);
        assert_false(au_watch_object(w, HEAP + 16, &start, &size, &freed));
        break;
    case 5:
        assert_int_equal(parts_of(w, HEAP, 8), 1);
        assert_int_equal(parts_of(w, HEAP, 4), 0); /* cut otherwise */
        assert_int_equal(parts_of(w, HEAP + 4, 4), 0);
        assert_int_equal(parts_of(w, HEAP, 16), 0); /* the rest was not touched yet */
        assert_int_equal(parts_of(w, HEAP + 8, 8), 0);
        assert_int_equal(parts_of(w, HEAP + 1024, 8), 0);
        break;
    case 6:
        assert_int_equal(parts_of(w, HEAP, 16), 2);
        break;
    case 12: /* freed */
        assert_true(au_watch_object(w, HEAP, &start, &size, &freed));
        assert_true(freed);
        break;
    case 13: /* another block at its place */
        assert_int_equal(parts_of(w, HEAP, 8), 0);
        assert_true(au_watch_object(w, HEAP, &start, &size, &freed));
        assert_false(freed);
        break;
    case 14:
        assert_int_equal(parts_of(w, HEAP, 8), 0); /* one thread's in this life */
        break;
    default:
        break;
    }
}

static void elsewhere(void **state) {
    (void)state;
    run k;
    open_run(&k);
    build_event(&k.b, k.call, AU_OP_ALLOC, 0, HEAP, 0, 16);      /* 4 */
    build_event(&k.b, k.access, AU_OP_WRITE, 8, HEAP, 1, 0);     /* 5 */
    build_event(&k.b, k.access, AU_OP_WRITE, 8, HEAP + 8, 1, 0); /* 6 */
    begin_thread(&k, 1);                                         /* 7, 8 */
    build_turn(&k.b, 1);                                         /* 9 */
    build_event(&k.b, k.access, AU_OP_READ, 8, HEAP, 1, 0);      /* 10 */
    build_event(&k.b, k.access, AU_OP_READ, 8, HEAP + 8, 1, 0);  /* 11 */
    build_event(&k.b, k.call, AU_OP_FREE, 0, HEAP, 0, 16);       /* 12 */
    build_event(&k.b, k.call, AU_OP_ALLOC, 0, HEAP, 0, 16);      /* 13 */
    build_event(&k.b, k.access, AU_OP_WRITE, 8, HEAP, 1, 0);     /* 14 */
    build_close(&k.b, 0);
    looker l = {.ask = ask_parts};
    uint64_t n = look_on(&k, true, &l);
    assert_true(l.seen.n >= 14);
    release(&l);
    /* asking changes nothing */
    looker quiet = {0};
    assert_int_equal(look_on(&k, true, &quiet), n);
    release(&quiet);
    build_release(&k.b);
}

static void ask_outcomes(const au_watch *w, size_t record) {
    if (record != 1)
        return;
    const au_outcomes *o = au_watch_outcomes(w, 0);
    assert_int_equal(o->n, 14); /* all of the run, before its first event */
    uint64_t bits = o->byte.at[0] | (uint64_t)o->byte.at[1] << 8;
    assert_int_equal(bits, 5 | 0x2ab << 3 | 1 << 13);
    assert_int_equal(au_watch_outcomes(w, 1)->n, 2);
    assert_int_equal(au_watch_outcomes(w, 1)->byte.at[0], 2);
    assert_int_equal(au_watch_outcomes(w, 7)->n, 0);
}

static void outcomes(void **state) {
    (void)state;
    run k;
    open_run(&k);
    au_stream_put_bits(k.b.w, 3, (const uint8_t[]){5});
    au_stream_put_bits(k.b.w, 10, (const uint8_t[]){0xab, 2});
    begin_thread(&k, 1);
    build_turn(&k.b, 1);
    au_stream_put_bits(k.b.w, 2, (const uint8_t[]){2});
    build_turn(&k.b, 0);
    au_stream_put_bits(k.b.w, 1, (const uint8_t[]){1});
    build_close(&k.b, 0);
    looker l = {.ask = ask_outcomes};
    look_on(&k, false, &l);
    release(&l);
    build_release(&k.b);
}

static void stops(void **state) {
    (void)state;
    run k;
    open_run(&k);
    for (unsigned i = 0; i < 10; i++)
        build_event(&k.b, k.access, AU_OP_WRITE, 8, GLOBAL, i, 0);
    build_close(&k.b, 0);
    looker l = {.stop = 7};
    assert_int_equal(look_on(&k, false, &l), 4); /* three records before the first event */
    assert_int_equal(l.seen.n, 7);
    release(&l);
    build_release(&k.b);
}

/* Random accesses of three threads over a few words, blocks coming and going. */
static void at_random(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        au_rng g;
        au_rng_init(&g, seed);
        run k;
        open_run(&k);
        begin_thread(&k, 1);
        begin_thread(&k, 2);
        for (unsigned i = 0; i < 60; i++) {
            if (!au_rng_below(&g, 3))
                build_turn(&k.b, (uint32_t)au_rng_below(&g, 3));
            uint64_t at = HEAP + au_rng_below(&g, 24);
            switch (au_rng_below(&g, 8)) {
            case 0:
                build_event(&k.b, k.call, AU_OP_ALLOC, 0, HEAP, 0, 32);
                break;
            case 1:
                build_event(&k.b, k.call, AU_OP_FREE, 0, HEAP, 0, 32);
                break;
            case 2:
                build_event(&k.b, k.access, AU_SOP_RSET, 0, at, au_rng_below(&g, 256),
                            (uint32_t)au_rng_below(&g, 24));
                break;
            default:
                build_event(&k.b, k.access, AU_OP_WRITE, (uint8_t)(1u << au_rng_below(&g, 4)), at,
                            i, 0);
                break;
            }
        }
        build_close(&k.b, 0);
        for (int fold = 0; fold < 2; fold++) {
            looker l = {0};
            look_on(&k, fold, &l);
            /* what was accessed just now is found again; a shared access has all its events */
            for (size_t i = 0; fold && i < l.seen.n; i++)
                if (l.seen.at[i].tag == AU_TAG_EV && l.seen.at[i].op == AU_OP_WRITE)
                    assert_int_equal(l.seen.at[i].part.n, l.seen.at[i].n);
            release(&l);
        }
        build_release(&k.b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts), cmocka_unit_test(elsewhere), cmocka_unit_test(outcomes),
        cmocka_unit_test(stops), cmocka_unit_test(at_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
