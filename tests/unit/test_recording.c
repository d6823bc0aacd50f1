/* Recordings as traces: names, cells, hooks, facts. */
#include "base/rng.h"
#include "recording_build.h"
#include "trace/cells.h"
#include "trace/recording.h"
#include "trace/tables.h"
#include "trace/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

/* "T0 w balance bank.c:12 5", the hook before it. */
static void put_event(build_bytes *out, const au_names *n, const au_block *b, size_t i,
                      uint64_t hook) {
    char line[1024], obj[600] = "", loc[300] = "", value[40] = "";
    const au_intern *space = au_names_space_const(n, au_op_space(b->op[i]));
    if (space && b->obj[i] != AU_NONE)
        snprintf(obj, sizeof obj, " %s", au_intern_str(space, b->obj[i]));
    if (b->loc[i] != AU_NONE)
        snprintf(loc, sizeof loc, " %s", au_intern_str(&n->loc, b->loc[i] - AU_LOC_NAMED));
    if (au_block_has_value(b, i))
        snprintf(value, sizeof value, " =%lld", (long long)b->value[i]);
    snprintf(line, sizeof line, "%s.%llu %s%s%s%s\n", au_intern_str(&n->thread, b->thread[i]),
             (unsigned long long)hook, au_op_name(b->op[i]), obj, loc, value);
    au_vec_append(out, line, strlen(line));
}

static char *as_text(const build *b, bool fold) {
    au_error err = AU_ERROR_NONE;
    au_read_options o = {.fold = fold};
    au_reader *r = au_reader_from(au_in_memory(b->file.at, b->file.n, "t"), &o, &err);
    if (!r)
        fail_msg("%s", err.text);
    build_bytes out = {0};
    uint64_t index[16] = {0};
    for (au_block x = {.n = 1}; x.n;) {
        if (au_reader_next(r, &x, &err) != AU_OK)
            fail_msg("%s", err.text);
        for (size_t i = 0; i < x.n; i++)
            put_event(&out, au_reader_names(r), &x, i,
                      au_hooks_of(au_reader_hooks(r), x.thread[i], ++index[x.thread[i]]));
    }
    au_vec_push(&out, 0);
    au_reader_free(r);
    return out.at;
}

static void same(char *got, const char *want) {
    if (strcmp(got, want))
        fail_msg("got\n%s\nwant\n%s", got, want);
    free(got);
}

#define BALANCE UINT64_C(0x555555558010)
/* two of { int money; char name[4]; pthread_mutex_t lock } */
#define ACCT UINT64_C(0x555555558020)
#define HEAP UINT64_C(0x700000000010)
#define STACK0 UINT64_C(0x7ffffff00000)
#define STACK1 UINT64_C(0x760000000000)

typedef struct {
    build b;
    uint32_t t_int, t_node;
    uint32_t main_, r, w_, alloc, free_, frame, lock, fork, access_node, call;
} bank;

static void open_bank(bank *k) {
    *k = (bank){0};
    build *b = &k->b;
    k->t_int = build_type(b, "int", AU_TYPE_SCALAR, 4, 0, 0);
    uint32_t t_char = build_type(b, "char", AU_TYPE_SCALAR, 1, 0, 0);
    uint32_t t_name = build_type(b, "", AU_TYPE_ARRAY, 4, t_char, 4);
    uint32_t t_mutex = build_type(b, "", AU_TYPE_UNION, 40, 0, 0);
    build_member(b, "__align", k->t_int, 0);
    uint32_t t_acct = build_type(b, "struct account", AU_TYPE_STRUCT, 48, 0, 0);
    build_member(b, "money", k->t_int, 0);
    build_member(b, "name", t_name, 4);
    build_member(b, "lock", t_mutex, 8);
    uint32_t t_accts = build_type(b, "", AU_TYPE_ARRAY, 96, t_acct, 2);
    uint32_t t_ptr = build_type(b, "", AU_TYPE_POINTER, 8, 0, 0);
    k->t_node = build_type(b, "struct node", AU_TYPE_STRUCT, 16, 0, 0);
    build_member(b, "next", t_ptr, 0);
    build_member(b, "key", k->t_int, 8);
    uint32_t t_buf = build_type(b, "", AU_TYPE_ARRAY, 16, k->t_int, 4);
    build_global(b, "balance", k->t_int, 4);
    build_global(b, "acct", t_accts, 96);
    k->main_ = build_site(b, "main", 5, AU_OP_CALL, "", 0);
    k->r = build_site(b, "main", 10, AU_OP_READ, "", 0);
    k->w_ = build_site(b, "main", 11, AU_OP_WRITE, "", 0);
    k->alloc = build_site(b, "make", 12, AU_OP_XCALL, "malloc", 0);
    k->free_ = build_site(b, "drop", 13, AU_OP_XCALL, "free", 0);
    k->frame = build_site(b, "worker", 14, AU_SOP_FRAME, "buf", t_buf);
    k->lock = build_site(b, "worker", 15, AU_OP_XCALL, "pthread_mutex_lock", 0);
    k->fork = build_site(b, "main", 16, AU_OP_XCALL, "pthread_create", 0);
    k->access_node = build_site(b, "walk", 17, AU_OP_READ, "", k->t_node);
    k->call = build_site(b, "worker", 18, AU_OP_CALL, "", 0);
    const uint64_t at[] = {BALANCE, ACCT};
    build_begin(b, STACK0, at, "/bin/bank");
    au_stream_put_module(k->b.w, 77, BUILD_FIRST_SITE + (uint32_t)b->site.n, (uint32_t)b->site.n,
                         NULL, 0, "/bin/bank");
}

static void begin_thread(bank *k, uint32_t t) {
    au_stream_put_thread(k->b.w, t, STACK1 + t * 0x100000, 0x100000, 0);
    build_event(&k->b, k->fork, AU_OP_FORK, 0, t, 0, 0);
}

static void globals_and_locks(void **state) {
    (void)state;
    bank k;
    open_bank(&k);
    build_event(&k.b, k.main_, AU_OP_CALL, 0, 0, 1, 0);
    build_event(&k.b, k.w_, AU_OP_WRITE, 4, BALANCE, 100, 0);
    build_event(&k.b, k.w_, AU_OP_WRITE, 4, ACCT + 48, UINT32_MAX, 0);
    begin_thread(&k, 1);
    au_stream_put_object(k.b.w, ACCT + 56, AU_WIRE_OBJ_LOCK, 0);
    build_turn(&k.b, 1);
    build_event(&k.b, k.lock, AU_OP_XCALL, 0, 0x1234, 0, 0);
    /* told inside the call: the module's second run of numbers, the same places */
    build_event(&k.b, k.lock + (uint32_t)k.b.site.n, AU_OP_ACQ, 0, ACCT + 56, 0, 0);
    build_event(&k.b, k.lock, AU_OP_XRET, 0, 0, 0, 0);
    build_event(&k.b, k.r, AU_OP_READ, 4, BALANCE, 100, 0);
    build_event(&k.b, k.w_, AU_OP_WRITE, 4, ACCT + 48, 7, 0);
    build_event(&k.b, k.lock + (uint32_t)k.b.site.n, AU_OP_REL, 0, ACCT + 56, 0, 0);
    build_event(&k.b, 1, AU_OP_EXIT, 0, 0, 0, 0);
    build_turn(&k.b, 0);
    build_event(&k.b, k.fork, AU_OP_JOIN, 0, 1, 0, 0);
    build_event(&k.b, k.w_, AU_OP_WRITE, 1, ACCT + 48 + 6, 'x', 0);
    build_event(&k.b, k.w_, AU_OP_RMW, 8, 0x7ffff7dd1000, 9, 0);
    build_close(&k.b, 3);
    same(as_text(&k.b, false), "T0.1 call main dir/bank.c:5\n"
                               "T0.2 w balance dir/bank.c:11 =100\n"
                               "T0.3 w acct[1].money dir/bank.c:11 =-1\n"
                               "T0.4 fork T1 dir/bank.c:16\n"
                               "T1.1 xcall pthread_mutex_lock dir/bank.c:15\n"
                               "T1.2 acq acct[1].lock dir/bank.c:15\n"
                               "T1.3 xret dir/bank.c:15 =0\n"
                               "T1.4 r balance dir/bank.c:10 =100\n"
                               "T1.5 w acct[1].money dir/bank.c:11 =7\n"
                               "T1.6 rel acct[1].lock dir/bank.c:15\n"
                               "T1.7 exit\n"
                               "T0.5 join T1 dir/bank.c:16\n"
                               "T0.6 w acct[1].name[2] dir/bank.c:11 =120\n"
                               "T0.7 rmw 0x7ffff7dd1000 dir/bank.c:11 =9\n");
    same(as_text(&k.b, true), "T0.2 w balance dir/bank.c:11 =100\n"
                              "T0.3 w acct[1].money dir/bank.c:11 =-1\n"
                              "T0.4 fork T1 dir/bank.c:16\n"
                              "T1.2 acq acct[1].lock dir/bank.c:15\n"
                              "T1.4 r balance dir/bank.c:10 =100\n"
                              "T1.5 w acct[1].money dir/bank.c:11 =7\n"
                              "T1.6 rel acct[1].lock dir/bank.c:15\n"
                              "T1.7 exit\n"
                              "T0.5 join T1 dir/bank.c:16\n"
                              "T0.6 w acct[1].name[2] dir/bank.c:11 =120\n");
    build_release(&k.b);
}

/* A block that two threads use, freed, and another at its place. */
static void heap_blocks(void **state) {
    (void)state;
    bank k;
    open_bank(&k);
    for (int round = 0; round < 2; round++) {
        build_event(&k.b, k.alloc, AU_OP_ALLOC, 0, HEAP, 0, 16);
        build_event(&k.b, k.access_node, AU_OP_WRITE, 8, HEAP, 0, 0);
        build_event(&k.b, k.access_node, AU_OP_WRITE, 4, HEAP + 8, 41, 0);
        if (!round)
            begin_thread(&k, 1);
        build_turn(&k.b, 1);
        build_event(&k.b, k.r, AU_OP_READ, 4, HEAP + 8, 41, 0);
        build_turn(&k.b, 0);
        build_event(&k.b, k.free_, AU_OP_FREE, 0, HEAP, 0, 16);
    }
    build_turn(&k.b, 1);
    build_event(&k.b, k.r, AU_OP_READ, 4, HEAP + 8, 41, 0); /* after the free */
    build_close(&k.b, 3);
    same(as_text(&k.b, false), "T0.1 alloc node(bank.c:12)#1 dir/bank.c:12\n"
                               "T0.2 w node(bank.c:12)#1.next dir/bank.c:17 =0\n"
                               "T0.3 w node(bank.c:12)#1.key dir/bank.c:17 =41\n"
                               "T0.4 fork T1 dir/bank.c:16\n"
                               "T1.1 r node(bank.c:12)#1.key dir/bank.c:10 =41\n"
                               "T0.5 free node(bank.c:12)#1 dir/bank.c:13\n"
                               "T0.5 w node(bank.c:12)#1.key dir/bank.c:13\n"
                               "T0.6 alloc node(bank.c:12)#2 dir/bank.c:12\n"
                               "T0.7 w node(bank.c:12)#2.next dir/bank.c:17 =0\n"
                               "T0.8 w node(bank.c:12)#2.key dir/bank.c:17 =41\n"
                               "T1.2 r node(bank.c:12)#2.key dir/bank.c:10 =41\n"
                               "T0.9 free node(bank.c:12)#2 dir/bank.c:13\n"
                               "T0.9 w node(bank.c:12)#2.key dir/bank.c:13\n"
                               "T1.3 r node(bank.c:12)#2.key dir/bank.c:10 =41\n");
    build_release(&k.b);
}

/* Accesses of different sizes, ranges and locals of two threads at one address. */
static void cells(void **state) {
    (void)state;
    bank k;
    open_bank(&k);
    uint64_t at = STACK0 + 0x100;
    build_event(&k.b, k.frame, AU_SOP_FRAME, 0, at, 0, 16);
    build_event(&k.b, k.w_, AU_OP_WRITE, 8, at, UINT64_C(0x0000000200000001), 0);
    begin_thread(&k, 1);
    build_turn(&k.b, 1);
    build_event(&k.b, k.r, AU_OP_READ, 4, at + 4, 2, 0);
    build_event(&k.b, k.w_, AU_SOP_RSET, 0, at, 1, 16);
    build_turn(&k.b, 0);
    build_event(&k.b, k.r, AU_OP_READ, 4, at + 8, 0x01010101, 0);
    build_event(&k.b, k.frame, AU_SOP_FRAME, 0, at, 0, 16);
    build_event(&k.b, k.r, AU_OP_READ, 4, at + 8, 0x01010101, 0);
    build_close(&k.b, 3);
    same(as_text(&k.b, false), "T0.1 alloc buf in worker (T0) dir/bank.c:14\n"
                               "T0.2 w buf[0] in worker (T0) dir/bank.c:11 =1\n"
                               "T0.2 w buf[1] in worker (T0) dir/bank.c:11 =2\n"
                               "T0.3 fork T1 dir/bank.c:16\n"
                               "T1.1 r buf[1] in worker (T0) dir/bank.c:10 =2\n"
                               "T1.2 w buf[0] in worker (T0) dir/bank.c:11 =16843009\n"
                               "T1.2 w buf[1] in worker (T0) dir/bank.c:11 =16843009\n"
                               "T1.2 w buf[2] in worker (T0) dir/bank.c:11 =16843009\n"
                               "T1.2 w buf[3] in worker (T0) dir/bank.c:11 =16843009\n"
                               "T0.4 r buf[2] in worker (T0) dir/bank.c:10 =16843009\n"
                               "T0.5 alloc buf in worker (T0)#2 dir/bank.c:14\n"
                               "T0.6 r buf[2] in worker (T0)#2 dir/bank.c:10 =16843009\n");
    build_release(&k.b);
}

/* What real programs do and the rules of traces forbid. */
static void odd_locking(void **state) {
    (void)state;
    bank k;
    open_bank(&k);
    au_stream_put_object(k.b.w, BALANCE, AU_WIRE_OBJ_LOCK, 0);
    au_stream_put_object(k.b.w, ACCT, AU_WIRE_OBJ_COND, 0);
    begin_thread(&k, 1);
    build_event(&k.b, k.lock, AU_OP_ACQ, 0, BALANCE, 0, 0);
    build_turn(&k.b, 1);
    build_event(&k.b, k.lock, AU_OP_LOCKERR, 0, BALANCE, AU_LOCKERR_NOT_OWNER,
                0); /* and it is free now */
    build_event(&k.b, k.lock, AU_OP_ACQ, 0, BALANCE, 0, 0);
    build_event(&k.b, k.lock, AU_OP_REL, 0, BALANCE, 0, 0);
    build_event(&k.b, k.lock, AU_OP_WAIT, 0, ACCT, 0, 0);
    build_event(&k.b, k.lock, AU_OP_ACQ, 0, BALANCE, 1, 0); /* cancelled: no wake */
    build_turn(&k.b, 0);
    build_event(&k.b, k.lock, AU_OP_REL, 0, BALANCE, 0, 0);
    build_event(&k.b, k.lock, AU_OP_END, 0, 0, 0, 0);
    build_event(&k.b, k.lock, AU_SOP_FAIL, 0, 0, AU_FAIL_ASSERT, 0);
    build_close(&k.b, 3);
    same(as_text(&k.b, false), "T0.1 fork T1 dir/bank.c:16\n"
                               "T0.2 acq balance dir/bank.c:15\n"
                               "T1.1 lockerr balance dir/bank.c:15 =2\n"
                               "T1.2 init balance dir/bank.c:15\n"
                               "T1.2 acq balance dir/bank.c:15\n"
                               "T1.3 rel balance dir/bank.c:15\n"
                               "T1.4 wait acct[0].money dir/bank.c:15\n"
                               "T1.5 wake acct[0].money dir/bank.c:15\n"
                               "T1.5 acq balance dir/bank.c:15 =1\n"
                               "T0.3 lockerr balance dir/bank.c:15 =2\n"
                               "T0.4 xret dir/bank.c:15\n"
                               "T0.5 xcall assertion failed dir/bank.c:15\n");
    build_release(&k.b);
}

/* A robust mutex: its holder ends, another gets it. */
static void robust(void **state) {
    (void)state;
    bank k;
    open_bank(&k);
    au_stream_put_object(k.b.w, BALANCE, AU_WIRE_OBJ_LOCK, 0);
    begin_thread(&k, 1);
    build_turn(&k.b, 1);
    build_event(&k.b, k.lock, AU_OP_ACQ, 0, BALANCE, 0, 0);
    build_event(&k.b, k.lock, AU_OP_ACQ, 0, ACCT, 0, 0); /* nobody gets this one */
    build_event(&k.b, 1, AU_OP_EXIT, 0, 0, 0, 0);
    build_turn(&k.b, 0);
    build_event(&k.b, k.lock, AU_OP_ACQ, 0, BALANCE, 0, 0);
    build_close(&k.b, 3);
    same(as_text(&k.b, true), "T0.1 fork T1 dir/bank.c:16\n"
                              "T1.1 acq balance dir/bank.c:15\n"
                              "T1.2 acq acct[0].money dir/bank.c:15\n"
                              "T1.3 rel balance\n"
                              "T1.3 exit\n"
                              "T0.2 acq balance dir/bank.c:15\n");
    build_release(&k.b);
}

/* What C calls the parts of an object. */
static void paths(void **state) {
    (void)state;
    build b = {0};
    uint32_t t_int = build_type(&b, "int", AU_TYPE_SCALAR, 4, 0, 0);
    uint32_t t_long = build_type(&b, "long", AU_TYPE_SCALAR, 8, 0, 0);
    uint32_t t_row = build_type(&b, "", AU_TYPE_ARRAY, 12, t_int, 3);
    uint32_t t_grid = build_type(&b, "", AU_TYPE_ARRAY, 24, t_row, 2);
    uint32_t t_union = build_type(&b, "union u", AU_TYPE_UNION, 8, 0, 0);
    build_member(&b, "whole", t_long, 0);
    build_member(&b, "half", t_int, 0);
    uint32_t t_all = build_type(&b, "struct all", AU_TYPE_STRUCT, 40, 0, 0);
    build_member(&b, "grid", t_grid, 0);
    build_member(&b, "", t_union, 24); /* without a name: its members are ours */
    build_member(&b, "last", t_int, 32);
    build_head(&b);
    build_tables(&b, 1);
    size_t at = sizeof(struct au_wire_head) + sizeof(struct au_wire_frame);
    au_error err = AU_ERROR_NONE;
    au_tables *t = au_tables_read(b.file.at + at, b.file.n - at, &err);
    assert_non_null(t);
    static const struct {
        uint64_t offset, size;
        const char *path;
    } want[] = {{0, 40, ""},          {0, 4, ".grid[0][0]"}, {20, 4, ".grid[1][2]"},
                {12, 12, ".grid[1]"}, {24, 8, ".whole"},     {24, 4, ".half"},
                {28, 4, ".whole+4"},  {32, 4, ".last"},      {33, 1, ".last+1"},
                {36, 4, "+36"},       {4, 8, ".grid[0]+4"},  {22, 8, "+22"}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        char path[64];
        size_t n = au_tables_path(t, t_all, want[i].offset, want[i].size, path, sizeof path);
        assert_string_equal(path, want[i].path);
        assert_int_equal(n, strlen(path));
    }
    char small[6]; /* cut, not overrun */
    assert_int_equal(au_tables_path(t, t_all, 20, 4, small, sizeof small), 5);
    assert_string_equal(small, ".grid");
    au_tables_free(t);
    /* every byte changed: refused, or harmless */
    for (size_t i = at; i < b.file.n; i++) {
        b.file.at[i] ^= 0x55;
        t = au_tables_read(b.file.at + at, b.file.n - at, &err);
        au_tables_free(t);
        b.file.at[i] ^= 0x55;
    }
    build_release(&b);
}

static void facts(void **state) {
    (void)state;
    bank k;
    open_bank(&k);
    begin_thread(&k, 1);
    build_turn(&k.b, 1);
    au_stream_put_note(k.b.w, AU_NOTE_THREAD_NAME, "worker");
    au_stream_put_note(k.b.w, AU_NOTE_TEXT, "careful");
    au_stream_put_input(k.b.w, AU_INPUT_BYTES, 3, 0, "abc", 3);
    build_event(&k.b, k.w_, AU_OP_WRITE, 4, BALANCE, 100, 0);
    build_close(&k.b, 3);
    au_error err = AU_ERROR_NONE;
    au_reader *r = au_reader_from(au_in_memory(k.b.file.at, k.b.file.n, "t"), NULL, &err);
    au_block x;
    assert_int_equal(au_reader_next(r, &x, &err), AU_OK);
    assert_int_equal(x.n, 2);
    const au_recording_facts *f = au_reader_facts(r);
    assert_non_null(f);
    assert_int_equal(f->hooks, 2);
    assert_int_equal(f->turns, 2);
    assert_int_equal(f->turns_by[AU_TURN_BUDGET], 1);
    assert_int_equal(f->inputs, 1);
    assert_int_equal(f->input_bytes, 3);
    assert_true(f->ended && f->end == AU_END_EXIT && f->status == 3);
    assert_int_equal(f->module.n, 1);
    assert_string_equal(f->module.at[0].path, "/bin/bank");
    assert_string_equal(f->module.at[0].source, "dir/bank.c");
    assert_int_equal(f->thread.n, 2);
    assert_string_equal(f->thread.at[1].name, "worker");
    assert_int_equal(f->thread.at[1].hooks, 1);
    assert_int_equal(f->note.n, 1);
    au_reader_free(r);
    build_release(&k.b);
}

static void hooks(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        au_rng g;
        au_rng_init(&g, seed);
        au_hooks h;
        au_hooks_init(&h);
        AU_VEC(uint64_t) hook = {0}; /* by event */
        bool can_stop[402] = {true}; /* by hooks executed */
        uint64_t n_hooks = 0;
        for (int i = 0; i < 400; i++) {
            uint64_t n = seed % 3 ? 1 + (i % (seed % 7 + 1) == 0) * (1 + seed % 4) - (i % 3 == 1)
                                  : (au_rng_below(&g, 3) ? 1 : au_rng_below(&g, 4));
            bool glued = i && (seed % 3 ? i % 5 == 0 : !au_rng_below(&g, 3));
            au_hooks_note(&h, 2, n, glued);
            can_stop[n_hooks++] = !glued;
            for (uint64_t e = 0; e < n; e++)
                au_vec_push(&hook, n_hooks);
        }
        can_stop[n_hooks] = true;
        for (uint64_t i = 0; i <= hook.n; i++) { /* after event i, from 1 */
            if (i)
                assert_int_equal(au_hooks_of(&h, 2, i), hook.at[i - 1]);
            /* the stops between this event's hook and the next one's */
            uint64_t from = i ? hook.at[i - 1] : 0, to = i < hook.n ? hook.at[i] - 1 : from;
            uint64_t early = from, late = to;
            while (early <= to && !can_stop[early])
                early++;
            bool any = early <= to && (i < hook.n || can_stop[from]);
            while (any && !can_stop[late])
                late--;
            uint64_t stop = au_hooks_stop(&h, 2, i);
            if (i && i < hook.n)
                assert_int_equal(stop == i, any);
            assert_true(stop <= i);
            if (!any || i == hook.n)
                continue;
            if (i)
                assert_int_equal(au_hooks_after(&h, 2, i, false), early);
            assert_int_equal(au_hooks_after(&h, 2, i, true), late);
        }
        assert_int_equal(au_hooks_of(&h, 0, 5), 5);
        assert_int_equal(au_hooks_stop(&h, 0, 5), 5);
        assert_int_equal(au_hooks_stop(&h, 2, 0), 0);
        au_vec_release(&hook);
        au_hooks_release(&h);
    }
    /* a finding: two events inside of hooks; a turn that ends there; hooks without events */
    au_hooks h;
    au_hooks_init(&h);
    au_arena arena;
    au_arena_init(&arena);
    static const uint64_t parts[] = {1, 3, 1, 1, 1};
    for (int i = 0; i < 5; i++)
        au_hooks_note(&h, 0, parts[i], i == 4);
    static const uint64_t other[] = {0, 0, 1, 0, 0, 1};
    for (int i = 0; i < 6; i++)
        au_hooks_note(&h, 3, other[i], false);
    au_event_ref e[] = {{.thread = 0, .index = 3}, {.thread = 3, .index = 1}};
    au_turn turns[] = {{1, 0, 0, 0}, {1, 1, 0, 0}, {2, 0, 0, 0}, {2, 1, 0, 0},
                       {5, 0, 0, 0}, {3, 1, 0, 0}, {6, 0, 0, 0}};
    au_finding f = {.event = e, .n_events = 2, .schedule = {turns, 7}};
    au_hooks_tell(&h, &f, &arena);
    const au_turn *t = f.schedule.turn;
    assert_true(e[0].index == 2 && e[1].index == 3);
    assert_int_equal(f.schedule.n, 5);
    assert_true(t[0].upto == 1 && t[0].thread == 0);
    assert_true(t[1].upto == 2 && t[1].thread == 1);
    assert_true(t[2].upto == 3 && t[2].thread == 0);
    assert_true(t[3].upto == 3 && t[3].thread == 1);
    assert_true(t[4].upto == 2 && t[4].thread == 3);
    au_arena_release(&arena);
    au_hooks_release(&h);
}

/* A schedule that stops between two cells of one access: not begun, or already ended, where nobody sees the
 * difference. */
static void split_steps(void **state) {
    (void)state;
    static const char text[] = "T0|fork(T1)|1\nT0|w(a)|2\nT0|w(b)|2\nT0|r(c)|3\n"
                               "T1|w(a)|4\nT1|r(a)|5\nT1|r(b)|6\n";
    au_error err = AU_ERROR_NONE;
    au_reader *r =
        au_reader_from(au_in_memory(text, strlen(text), "text"), &(au_read_options){0}, &err);
    au_trace *t = r ? au_trace_load_from(r, &err) : NULL;
    if (!t)
        fail_msg("%s", err.text);
    au_reader_free(r);
    static const uint64_t parts[] = {1, 2, 1};
    for (int i = 0; i < 3; i++)
        au_hooks_note(&t->hooks, 0, parts[i], false);
    struct {
        uint64_t first, other, then; /* T0 up to, T1 up to, T0 up to; 0: no third turn */
        bool holds;
        uint64_t becomes; /* the first turn */
        bool lost;        /* T0's second event is one of three whose order is to be shown */
    } cases[] = {
        {3, 3, 4, true, 3, false},  /* nothing is split */
        {2, 0, 4, true, 2, false},  /* nobody else does anything */
        {2, 1, 4, true, 3, false},  /* a is written over: b can be written before it */
        {2, 2, 4, true, 3, false},  /* … and read: it is the other's own write */
        {2, 3, 4, false, 2, false}, /* b is read, too, as it was before */
        {2, 1, 3, true, 3, false},  {2, 1, 0, true, 2, false}, /* never goes on: as if not begun */
        {2, 1, 0, true, 3, true},  /* … but what is to be shown is executed */
        {2, 3, 0, false, 2, true}, /* … if b is not read as it was before */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        au_turn turn[3] = {{.upto = cases[i].first, .thread = 0}};
        au_schedule s = {turn, 1};
        if (cases[i].other)
            turn[s.n++] = (au_turn){.upto = cases[i].other, .thread = 1};
        if (cases[i].then)
            turn[s.n++] = (au_turn){.upto = cases[i].then, .thread = 0};
        au_hooks_view *v = au_hooks_view_new(t);
        au_event_ref second = {.thread = 0, .index = 2};
        au_finding f = {.kind = cases[i].lost ? AU_KIND_LOST : AU_KIND_RACE,
                        .schedule = s,
                        .event = &second,
                        .n_events = cases[i].lost};
        bool holds = au_hooks_hold(v, &f);
        au_hooks_view_free(v);
        if (holds != cases[i].holds || turn[0].upto != cases[i].becomes)
            fail_msg("case %zu: %d, up to %llu", i, holds, (unsigned long long)turn[0].upto);
    }
    au_trace_free(t);
}

/* Random accesses: two touch common bytes exactly if they touch a common variable. */
static void cells_are_exact(void **state) {
    (void)state;
    enum { AREA = 100, EVENTS = 120 };
    for (uint64_t seed = 1; seed <= 300; seed++) {
        au_rng g;
        au_rng_init(&g, seed);
        bank k;
        open_bank(&k);
        begin_thread(&k, 1);
        begin_thread(&k, 2);
        struct {
            uint64_t at, n, life;
            bool write;
            uint16_t thread;
        } e[EVENTS];
        uint64_t index[3] = {2, 0, 0}, life = 1;
        AU_VEC(uint32_t) by[3];
        memset(by, 0, sizeof by);
        for (uint32_t i = 0; i < EVENTS; i++) {
            uint16_t t = (uint16_t)au_rng_below(&g, 3);
            build_turn(&k.b, t);
            uint64_t at = HEAP + au_rng_below(&g, AREA), n = 1u << au_rng_below(&g, 4);
            bool write = au_rng_below(&g, 2), range = !au_rng_below(&g, 4);
            if (!au_rng_below(&g, 30)) { /* all of it begins anew */
                build_event(&k.b, k.alloc, AU_OP_ALLOC, 0, HEAP - 16, 0, AREA + 64);
                life++;
                au_vec_push(&by[t], UINT32_MAX);
                index[t]++;
                build_turn(&k.b, t = (uint16_t)au_rng_below(&g, 3));
            }
            n = range ? au_rng_below(&g, 40) + 1 : n;
            if (range)
                build_event(&k.b, k.r, write ? AU_SOP_RSET : AU_SOP_RREAD, 0, at, write,
                            (uint32_t)n);
            else
                build_event(&k.b, k.w_, write ? AU_OP_WRITE : AU_OP_READ, (uint8_t)n, at, 0, 0);
            e[i].at = at, e[i].n = n, e[i].write = write, e[i].thread = t, e[i].life = life;
            index[t]++;
            au_vec_push(&by[t], i);
        }
        build_close(&k.b, 3);
        au_error err = AU_ERROR_NONE;
        au_read_options o = {.fold = true};
        au_reader *r = au_reader_from(au_in_memory(k.b.file.at, k.b.file.n, "t"), &o, &err);
        static uint8_t touched[EVENTS][4096];
        memset(touched, 0, sizeof touched);
        uint64_t seen[3] = {0};
        for (au_block x = {.n = 1}; x.n;) {
            if (au_reader_next(r, &x, &err) != AU_OK)
                fail_msg("%s", err.text);
            for (size_t i = 0; i < x.n; i++) {
                uint16_t t = x.thread[i];
                uint64_t hook = au_hooks_of(au_reader_hooks(r), t, ++seen[t]);
                if (t == 0)
                    hook -= hook > 2 ? 2 : hook; /* the forks */
                if (!au_op_is_access(x.op[i]) || !hook)
                    continue;
                uint32_t which = by[t].at[hook - 1]; /* own memory has no events */
                assert_true(which < EVENTS && x.obj[i] < 4096);
                assert_int_equal(x.op[i] == AU_OP_WRITE, e[which].write);
                touched[which][x.obj[i]] = 1;
            }
        }
        for (int i = 0; i < EVENTS; i++)
            for (int j = 0; j < i; j++) {
                if (e[i].thread == e[j].thread || !(e[i].write || e[j].write))
                    continue;
                bool bytes = e[i].life == e[j].life && e[i].at < e[j].at + e[j].n &&
                             e[j].at < e[i].at + e[i].n;
                bool vars = false;
                for (int v = 0; v < 4096 && !vars; v++)
                    vars = touched[i][v] && touched[j][v];
                if (bytes != vars)
                    fail_msg("seed %d: events %d and %d: %s", (int)seed, j, i,
                             bytes ? "share bytes, but no variable"
                                   : "share a variable, but no byte");
            }
        au_reader_free(r);
        for (int t = 0; t < 3; t++)
            au_vec_release(&by[t]);
        build_release(&k.b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(globals_and_locks),
        cmocka_unit_test(heap_blocks),
        cmocka_unit_test(cells),
        cmocka_unit_test(odd_locking),
        cmocka_unit_test(robust),
        cmocka_unit_test(paths),
        cmocka_unit_test(facts),
        cmocka_unit_test(hooks),
        cmocka_unit_test(split_steps),
        cmocka_unit_test(cells_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
