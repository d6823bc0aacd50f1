/* The base library: memory, tables, output that is whole or not there, JSON,
 * workers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/bitset.h"
#include "base/demangle.h"
#include "base/in.h"
#include "base/intern.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/sets.h"
#include "base/vec.h"
#include "base/worker.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

static char dir[] = "/tmp/augur-base-XXXXXX";

static char *in_dir(const char *name) {
    return au_sprintf("%s/%s", dir, name);
}

static void arena_rewinds_to_its_mark(void **state) {
    (void)state;
    au_arena a;
    au_arena_init(&a);
    char *kept = au_arena_strndup(&a, "kept", 4);
    au_mark k = au_arena_mark(&a);
    size_t before = a.total;
    for (int i = 0; i < 1000; i++) {
        unsigned char *p = au_arena_alloc(&a, 1000);
        for (int j = 0; j < 1000; j++)
            assert_int_equal(p[j], 0);
        memset(p, 0xff, 1000);
    }
    au_arena_rewind(&a, k);
    assert_int_equal(a.total, before);
    assert_string_equal(kept, "kept");
    unsigned char *again = au_arena_alloc(&a, 64);
    assert_int_equal(again[0], 0);
    assert_int_equal((uintptr_t)again % _Alignof(max_align_t), 0);
    au_arena_release(&a);
}

static void map_agrees_with_an_array(void **state) {
    (void)state;
    enum { N = 5000 };
    au_map m;
    au_map_init(&m);
    uint64_t *want = au_alloc_array(N, sizeof *want);
    au_rng r;
    au_rng_init(&r, 7);
    for (int i = 0; i < 40000; i++) {
        uint32_t k = au_rng_below(&r, N);
        bool fresh;
        *au_map_put(&m, k, &fresh) += 3;
        assert_int_equal(fresh, want[k] == 0);
        want[k] += 3;
    }
    size_t n = 0;
    for (uint32_t k = 0; k < N; k++) {
        uint64_t *p = au_map_find(&m, k);
        assert_int_equal(p ? *p : 0, want[k]);
        n += p != NULL;
    }
    assert_int_equal(m.n, n);
    au_map_clear(&m);
    assert_null(au_map_find(&m, 1));
    free(want);
    au_map_release(&m);
}

static void intern_gives_dense_ids(void **state) {
    (void)state;
    au_intern t;
    au_intern_init(&t);
    char name[32];
    for (uint32_t i = 0; i < 20000; i++) {
        int n = snprintf(name, sizeof name, "v%u", i % 10000);
        assert_int_equal(au_intern_add(&t, name, (size_t)n), i % 10000);
    }
    assert_int_equal(t.n, 10000);
    assert_string_equal(au_intern_str(&t, 4711), "v4711");
    assert_int_equal(au_intern_find(&t, "nobody", 6), AU_NONE);
    assert_int_equal(au_intern_add(&t, "a\0b", 3), 10000);
    assert_int_equal(au_intern_add(&t, "a\0c", 3), 10001);
    assert_int_equal(au_intern_len(&t, 10001), 3);
    assert_int_equal(au_intern_add(&t, "", 0), 10002);
    au_intern_release(&t);
}

static void bitset_counts_and_walks(void **state) {
    (void)state;
    au_bitset a, b;
    au_bitset_init(&a, 200);
    au_bitset_init(&b, 200);
    for (size_t i = 0; i < 200; i += 7)
        au_bitset_add(&a, i);
    assert_int_equal(au_bitset_count(&a), 29);
    size_t walked = 0;
    for (size_t i = au_bitset_next(&a, 0); i < a.bits; i = au_bitset_next(&a, i + 1)) {
        assert_int_equal(i % 7, 0);
        walked++;
    }
    assert_int_equal(walked, 29);
    au_bitset_add(&b, 199);
    assert_false(au_bitset_meets(&a, &b));
    assert_true(au_bitset_join(&a, &b));
    assert_false(au_bitset_join(&a, &b));
    assert_true(au_bitset_meets(&a, &b));
    au_bitset_remove(&a, 199);
    assert_false(au_bitset_has(&a, 199));
    au_bitset_release(&a);
    au_bitset_release(&b);
}

enum { UNIVERSE = 48 };

/* Members far apart and close together, both ends of what there is. */
static uint32_t member_of(unsigned i) {
    return i < 24 ? i : i < 36 ? UINT32_MAX - (i - 24) : 0x40000000u + (i - 36) * 0x01234567u;
}

static uint32_t set_of(au_sets *s, uint64_t bits) {
    uint32_t set = AU_SET_NONE;
    for (unsigned i = 0; i < UNIVERSE; i++)
        if (bits >> i & 1)
            set = au_sets_with(s, set, member_of(i));
    return set;
}

static void sets_agree_with_words(void **state) {
    (void)state;
    au_sets s = {0};
    au_rng r;
    au_rng_init(&r, 11);
    for (int round = 0; round < 3000; round++) {
        uint64_t mask = (UINT64_C(1) << UNIVERSE) - 1;
        uint64_t a = au_rng_next(&r) & mask, b = au_rng_next(&r) & mask;
        if (round % 3)
            a &= au_rng_next(&r) & au_rng_next(&r), b &= au_rng_next(&r) & au_rng_next(&r);
        if (round % 5 == 0)
            b &= a;
        uint32_t x = set_of(&s, a), y = set_of(&s, b);
        assert_int_equal(x == y, a == b);
        assert_int_equal(au_sets_count(&s, x), __builtin_popcountll(a));
        assert_int_equal(au_sets_touch(&s, x, y), (a & b) != 0);
        assert_int_equal(au_sets_meet(&s, x, y), set_of(&s, a & b));
        assert_int_equal(au_sets_join(&s, x, y), set_of(&s, a | b));
        uint32_t list[UNIVERSE];
        au_sets_list(&s, x, list);
        for (uint32_t i = 1; i < au_sets_count(&s, x); i++)
            assert_true(list[i - 1] < list[i]);
        unsigned i = au_rng_below(&r, UNIVERSE);
        assert_int_equal(au_sets_has(&s, x, member_of(i)), a >> i & 1);
        assert_int_equal(au_sets_without(&s, x, member_of(i)), set_of(&s, a & ~(UINT64_C(1) << i)));
    }
    au_sets_release(&s);
}

static void sets_share(void **state) {
    (void)state;
    enum { N = 10000 };
    au_sets s = {0};
    uint32_t set = AU_SET_NONE;
    for (uint32_t i = 0; i < N; i++)
        set = au_sets_with(&s, set, i);
    assert_int_equal(au_sets_count(&s, set), N);
    assert_true(s.node.n < 20 * N); /* all N of them, and not N * N / 2 members */
    for (uint32_t i = 0; i < N; i++)
        set = au_sets_without(&s, set, i);
    assert_int_equal(set, AU_SET_NONE);
    au_sets_release(&s);
}

static void error_notes_stack_up(void **state) {
    (void)state;
    au_error e = AU_ERROR_NONE;
    assert_int_equal(au_error_set(&e, AU_EFORMAT, "bad '%s'", "x"), AU_EFORMAT);
    assert_int_equal(au_error_note(&e, "while reading %d", 3), AU_EFORMAT);
    assert_string_equal(e.text, "while reading 3: bad 'x'");
    char big[4000];
    memset(big, 'y', sizeof big - 1);
    big[sizeof big - 1] = 0;
    au_error_note(&e, "%s", big); /* cut, not overrun */
    assert_int_equal(strlen(e.text), sizeof e.text - 1);
}

static void output_is_whole_or_not_there(void **state) {
    (void)state;
    char *path = in_dir("out");
    au_error err = AU_ERROR_NONE;
    au_out *o = au_out_open(path, &err);
    assert_non_null(o);
    for (int i = 0; i < 100000; i++) {
        au_out_i64(o, i % 2 ? -i : i);
        au_out_char(o, '\n');
    }
    uint64_t bytes = au_out_bytes(o);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(au_out_commit(o, &err), AU_OK);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_size, bytes);

    o = au_out_open(path, &err); /* an abandoned rewrite keeps the old file */
    au_out_str(o, "new");
    au_out_abandon(o);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_size, bytes);

    o = au_out_open(path, &err); /* so does one that a signal ends */
    au_out_str(o, "newer");
    au_out_flush(o, &err);
    au_out_remove_unfinished();
    au_out_abandon(o);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_size, bytes);

    char *sub = in_dir("missing/out");
    assert_null(au_out_open(sub, &err));
    assert_non_null(strstr(err.text, "missing/out"));
    assert_null(au_out_open(dir, &err));
    assert_non_null(strstr(err.text, "directory"));
    unlink(path);
    free(path);
    free(sub);
}

static void a_full_disk_is_an_error(void **state) {
    (void)state;
    au_error err = AU_ERROR_NONE;
    au_out *o = au_out_open("/dev/full", &err);
    assert_non_null(o);
    for (int i = 0; i < 100000; i++)
        au_out_str(o, "0123456789");
    assert_true(au_out_failed(o));
    assert_int_equal(au_out_commit(o, &err), AU_EIO);
    assert_non_null(strstr(err.text, "No space left"));
}

static void read_all(const char *path, const char *want, size_t n) {
    au_error err = AU_ERROR_NONE;
    au_in *in = au_in_open(path, &err);
    assert_non_null(in);
    size_t at = 0, have;
    for (;;) {
        const char *p = au_in_peek(in, 1000, &have, &err);
        assert_non_null(p);
        if (!have)
            break;
        assert_true(have >= 1000 || at + have == n);
        size_t step = have > 777 ? 777 : have;
        assert_memory_equal(p, want + at, step);
        au_in_skip(in, step);
        at += step;
        assert_int_equal(au_in_offset(in), at);
    }
    assert_int_equal(at, n);
    au_in_close(in);
}

static void input_unpacks_gzip_and_zstd(void **state) {
    (void)state;
    enum { N = 3000000 };
    char *data = au_alloc(N);
    au_rng r;
    au_rng_init(&r, 1);
    for (size_t i = 0; i < N; i++)
        data[i] = (char)("abcdefgh"[au_rng_below(&r, 8)]);
    char *plain = in_dir("plain"), *gz = in_dir("x.gz"), *zst = in_dir("x.zst");
    FILE *f = fopen(plain, "w");
    assert_int_equal(fwrite(data, 1, N, f), N);
    fclose(f);
    gzFile g = gzopen(gz, "wb");
    assert_int_equal(gzwrite(g, data, N / 2), N / 2);
    gzclose(g);
    g = gzopen(gz, "ab"); /* two members */
    assert_int_equal(gzwrite(g, data + N / 2, N - N / 2), N - N / 2);
    gzclose(g);
    size_t cap = ZSTD_compressBound(N);
    char *packed = au_alloc(cap);
    size_t k = ZSTD_compress(packed, cap, data, N, 3);
    f = fopen(zst, "w");
    assert_int_equal(fwrite(packed, 1, k, f), k);
    fclose(f);
    read_all(plain, data, N);
    read_all(gz, data, N);
    read_all(zst, data, N);

    assert_int_equal(truncate(zst, (off_t)k / 2), 0);
    au_error err = AU_ERROR_NONE;
    au_in *in = au_in_open(zst, &err);
    const char *p;
    size_t have = 1;
    while ((p = au_in_peek(in, 1, &have, &err)) && have)
        au_in_skip(in, have);
    assert_null(p);
    assert_non_null(strstr(err.text, "cut short"));
    au_in_close(in);

    au_in *m = au_in_memory("", 0, "<empty>");
    assert_non_null(au_in_peek(m, 10, &have, &err));
    assert_int_equal(have, 0);
    au_in_close(m);
    assert_null(au_in_open(dir, &err));
    unlink(plain);
    unlink(gz);
    unlink(zst);
    free(plain);
    free(gz);
    free(zst);
    free(packed);
    free(data);
}

static void words_of_a_shell(void **state) {
    (void)state;
    static const char *const word[][2] = {{"a-b/c.d=1", "a-b/c.d=1"}, {"", "''"},
                                          {"a b", "'a b'"},           {"it's", "'it'\\''s'"},
                                          {"$x`y`", "'$x`y`'"},       {"^", "'^'"}};
    for (size_t i = 0; i < sizeof word / sizeof *word; i++) {
        au_out *o = au_out_memory();
        au_out_shell(o, word[i][0]);
        assert_string_equal(au_out_memory_data(o, NULL), word[i][1]);
        au_out_abandon(o);
    }
}

static void json_is_well_formed(void **state) {
    (void)state;
    au_out *o = au_out_memory();
    au_json j;
    au_json_init(&j, o, false);
    au_json_object(&j);
    au_json_put_string(&j, "a\"b", "x\n\x01\\ \xff\xc3\xa9 \xed\xa0\x80");
    au_json_key(&j, "l");
    au_json_array(&j);
    au_json_i64(&j, INT64_MIN);
    au_json_u64(&j, UINT64_MAX);
    au_json_double(&j, 0.5);
    au_json_bool(&j, true);
    au_json_null(&j);
    au_json_object(&j);
    au_json_end_object(&j);
    au_json_end_array(&j);
    au_json_put_u64(&j, "n", 3);
    au_json_end_object(&j);
    assert_string_equal(au_out_memory_data(o, NULL),
                        "{\"a\\\"b\":\"x\\n\\u0001\\\\ \xef\xbf\xbd\xc3\xa9 "
                        "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\",\"l\":[-9223372036854775808,"
                        "18446744073709551615,0.5,true,null,{}],\"n\":3}");
    au_out_abandon(o);
}

static void json_pretty_breaks_lines(void **state) {
    (void)state;
    au_out *o = au_out_memory();
    au_json j;
    au_json_init(&j, o, true);
    au_json_object(&j);
    au_json_key(&j, "l");
    au_json_array(&j);
    au_json_array_inline(&j);
    au_json_u64(&j, 1);
    au_json_u64(&j, 2);
    au_json_end_array(&j);
    au_json_end_array(&j);
    au_json_end_object(&j);
    assert_string_equal(au_out_memory_data(o, NULL), "{\n  \"l\": [\n    [1, 2]\n  ]\n}");
    au_out_abandon(o);
}

/* Workers: job 0 answers, 1 is killed, 2 hangs, 3 eats memory, 4 exits, 5 sends a lot. */
static void odd_job(void *ctx, uint32_t index, au_out *out) {
    (void)ctx;
    if (index == 1)
        kill(getpid(), SIGKILL);
    if (index == 2)
        for (;;)
            pause();
    if (index == 3)
        for (size_t n = 1 << 20;; n *= 2)
            memset(au_alloc(n), 1, n);
    if (index == 4)
        _exit(9);
    for (int i = 0; i < (index == 5 ? 200000 : 1); i++)
        au_out_printf(out, "job %u;", index);
}

struct ends {
    au_job_end end[8];
    unsigned seen[8];
    size_t size[8];
    char detail[8][64];
};

static bool note_end(void *ctx, const au_job_result *r) {
    struct ends *e = ctx;
    e->end[r->index] = r->end;
    e->seen[r->index]++;
    e->size[r->index] = r->size;
    snprintf(e->detail[r->index], 64, "%s", r->detail);
    return true;
}

static void prepare_nothing(void *ctx) {
    (void)ctx;
}

static void a_worker_never_takes_the_parent_with_it(void **state) {
    struct ends e = {0};
    au_error err = AU_ERROR_NONE;
#ifdef __SANITIZE_ADDRESS__
    const uint64_t memory = 0; /* the sanitizer's own maps need the address space */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
    const uint64_t memory = 0;
#else
    const uint64_t memory = 64 << 20;
#endif
#else
    const uint64_t memory = 64 << 20;
#endif
    /* Without a memory limit job 3 would not end. */
    au_pool_limits limits = {.jobs = 2,
                             .seconds = 1.0,
                             .memory_bytes = memory,
                             .prepare = *state ? prepare_nothing : NULL};
    uint32_t n = memory ? 6 : 3;
    assert_int_equal(au_pool_run(n, &limits, odd_job, note_end, &e, &err), AU_OK);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(e.seen[i], 1);
    assert_int_equal(e.end[0], AU_JOB_DONE);
    assert_int_equal(e.size[0], 6);
    assert_int_equal(e.end[1], AU_JOB_DIED);
    assert_int_equal(e.end[2], AU_JOB_TIMEOUT);
    if (!memory)
        return;
    assert_non_null(strstr(e.detail[1], "signal 9"));
    assert_int_equal(e.end[3], AU_JOB_MEMORY);
    assert_int_equal(e.end[4], AU_JOB_DIED);
    assert_string_equal(e.detail[4], "exit status 9");
    assert_int_equal(e.end[5], AU_JOB_DONE);
    assert_int_equal(e.size[5], 6 * 200000);
}

static void slow_job(void *ctx, uint32_t index, au_out *out) {
    (void)ctx;
    if (index)
        for (;;)
            pause();
    au_out_str(out, "first");
}

static bool stop_at_first(void *ctx, const au_job_result *r) {
    note_end(ctx, r);
    return r->end != AU_JOB_DONE;
}

static void the_first_answer_can_stop_the_rest(void **state) {
    struct ends e = {0};
    au_error err = AU_ERROR_NONE;
    au_pool_limits limits = {.jobs = 3, .prepare = *state ? prepare_nothing : NULL};
    assert_int_equal(au_pool_run(6, &limits, slow_job, stop_at_first, &e, &err), AU_OK);
    assert_int_equal(e.end[0], AU_JOB_DONE);
    for (int i = 1; i < 6; i++) {
        assert_int_equal(e.seen[i], 1);
        assert_int_equal(e.end[i], AU_JOB_CANCELLED);
    }
}

/* A batch shares a child: each job says how many came before it there. */
static void counting_job(void *ctx, uint32_t index, au_out *out) {
    unsigned *before = ctx;
    if (index == 2)
        abort();
    if (index == 4)
        for (;;)
            pause();
    au_out_printf(out, "%u", (*before)++);
}

struct batch {
    unsigned before; /* the child's own copy */
    int prepared;    /* a byte is written here each time */
    au_job_end end[8];
    char data[8][8];
    unsigned seen[8];
};

static bool note_batch(void *ctx, const au_job_result *r) {
    struct batch *b = ctx;
    b->end[r->index] = r->end;
    b->seen[r->index]++;
    snprintf(b->data[r->index], 8, "%.*s", (int)r->size, r->size ? r->data : "");
    return true;
}

static void the_rest_of_a_batch_survives_its_child(void **state) {
    (void)state;
    struct batch b = {0};
    au_error err = AU_ERROR_NONE;
    au_pool_limits limits = {.jobs = 1, .seconds = 0.5, .batch = 6};
    assert_int_equal(au_pool_run(8, &limits, counting_job, note_batch, &b, &err), AU_OK);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(b.seen[i], 1);
        assert_int_equal(b.end[i], i == 2 ? AU_JOB_DIED : i == 4 ? AU_JOB_TIMEOUT : AU_JOB_DONE);
    }
    /* 0 1 | 3 | 5 after the child that died and the one that hung, 6 7 another batch */
    static const char *const before[] = {"0", "1", "", "0", "", "0", "0", "1"};
    for (int i = 0; i < 8; i++)
        assert_string_equal(b.data[i], before[i]);
    assert_int_equal(b.before, 0);
}

static void prepare_count(void *ctx) {
    struct batch *b = ctx;
    b->before = 10;
    assert_int_equal(write(b->prepared, ".", 1), 1);
}

static void a_child_that_lives_on_forgets_its_batches(void **state) {
    (void)state;
    struct batch b = {0};
    au_error err = AU_ERROR_NONE;
    int prepared[2];
    char dots[16];
    assert_int_equal(pipe(prepared), 0);
    b.prepared = prepared[1];
    au_pool_limits limits = {.jobs = 1, .seconds = 0.5, .batch = 2, .prepare = prepare_count};
    assert_int_equal(au_pool_run(8, &limits, counting_job, note_batch, &b, &err), AU_OK);
    /* 2 dies and 4 hangs: their children are lost, and others prepare themselves */
    static const char *const before[] = {"10", "11", "", "10", "", "10", "10", "11"};
    for (int i = 0; i < 8; i++) {
        assert_int_equal(b.seen[i], 1);
        assert_int_equal(b.end[i], i == 2 ? AU_JOB_DIED : i == 4 ? AU_JOB_TIMEOUT : AU_JOB_DONE);
        assert_string_equal(b.data[i], before[i]);
    }
    assert_int_equal(read(prepared[0], dots, sizeof dots), 3);
    close(prepared[0]);
    close(prepared[1]);
}

/* Removed keys are gone, and nothing else is: neither neighbours nor what lies far away. */
static void keyset(void **state) {
    (void)state;
    enum { KEYS = 300, SPREAD = 17 }; /* a few in each group of 64 */
    au_keyset s = {0};
    bool in[KEYS] = {0};
    au_rng rng;
    au_rng_init(&rng, 7);
    for (int i = 0; i < 20000; i++) {
        uint32_t k = au_rng_below(&rng, KEYS);
        if (au_rng_below(&rng, 2)) {
            assert_int_equal(au_keyset_add(&s, k * SPREAD), !in[k]);
            in[k] = true;
        } else {
            au_keyset_remove(&s, k * SPREAD);
            in[k] = false;
        }
        for (uint32_t j = 0; j < KEYS * SPREAD && i % 50 == 0; j++)
            assert_int_equal(au_keyset_has(&s, j), j % SPREAD == 0 && in[j / SPREAD]);
    }
    au_keyset_release(&s);
}

static void names_of_cxx(void **state) {
    (void)state;
    static const char *const c[][2] = {
        {"_ZNSt6thread4joinEv", "std::thread::join"},
        {"_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_createERmm",
         "std::string::_M_create"},
        {"_ZNK3net6Logger7droppedEv", "net::Logger::dropped"},
        {"_ZN1AclEi", "A::operator()"},
        {"main", "main"},
        {"_Z", "_Z"},
        {"", ""}};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        char *name = au_demangle(c[i][0]);
        assert_string_equal(name, c[i][1]);
        free(name);
    }
}

int main(void) {
    if (!mkdtemp(dir))
        return 1;
    static char living[] = "children live on";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_cxx),
        cmocka_unit_test(keyset),
        cmocka_unit_test(arena_rewinds_to_its_mark),
        cmocka_unit_test(map_agrees_with_an_array),
        cmocka_unit_test(intern_gives_dense_ids),
        cmocka_unit_test(bitset_counts_and_walks),
        cmocka_unit_test(sets_agree_with_words),
        cmocka_unit_test(sets_share),
        cmocka_unit_test(error_notes_stack_up),
        cmocka_unit_test(output_is_whole_or_not_there),
        cmocka_unit_test(a_full_disk_is_an_error),
        cmocka_unit_test(input_unpacks_gzip_and_zstd),
        cmocka_unit_test(words_of_a_shell),
        cmocka_unit_test(json_is_well_formed),
        cmocka_unit_test(json_pretty_breaks_lines),
        cmocka_unit_test(a_worker_never_takes_the_parent_with_it),
        cmocka_unit_test(the_first_answer_can_stop_the_rest),
        cmocka_unit_test(the_rest_of_a_batch_survives_its_child),
        cmocka_unit_test_prestate(a_worker_never_takes_the_parent_with_it, living),
        cmocka_unit_test_prestate(the_first_answer_can_stop_the_rest, living),
        cmocka_unit_test(a_child_that_lives_on_forgets_its_batches),
    };
    int failed = cmocka_run_group_tests_name("base", tests, NULL, NULL);
    rmdir(dir);
    return failed;
}
