/* Following a recording made by hand through a module made by hand: what fits, and that what
 * does not fit is noticed. Whole programs: tests/e2e/retrace.sh. */
#include "ir/code.h"
#include "recording_build.h"
#include "retrace/retrace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#define X UINT64_C(0x555555558010)
#define Y UINT64_C(0x555555558020)
#define NONE AU_NONE
#define K(n) (~(n)) /* constant n of the pool */

/* void f(int limit) { x += 5; y = x < limit ? 1 : 2; } */
enum { ENTER, LOAD_X, STORE_X, STORE_1, STORE_2, LEAVE, SITES };
static au_code_insn insn[] = {
    {AU_C_EV_ENTER, 0, 0, 0, NONE, 0, 0, 0, 0, ENTER, 0},
    {AU_C_LOAD, 32, 0, 0, 0, K(0), 0, 0, 0, LOAD_X, 0},
    {AU_C_ADD, 32, 0, 0, 1, 0, K(1), 0, 0, NONE, 0},
    {AU_C_STORE, 32, 0, 0, NONE, K(0), 1, 0, 0, STORE_X, 0},
    {AU_C_SLT, 32, 0, 0, 2, 1, 3, 0, 0, NONE, 0},
    {AU_C_CONDBR, 0, 0, 0, NONE, 2, 0, 1, 0, NONE, 0},
    {AU_C_STORE, 32, 0, 0, NONE, K(2), K(3), 0, 0, STORE_1, 0},
    {AU_C_BR, 0, 0, 0, NONE, 2, 0, 0, 0, NONE, 0},
    {AU_C_STORE, 32, 0, 0, NONE, K(2), K(4), 0, 0, STORE_2, 0},
    {AU_C_BR, 0, 0, 0, NONE, 3, 0, 0, 0, NONE, 0},
    {AU_C_EV_LEAVE, 0, 0, 0, NONE, 0, 0, 0, 0, LEAVE, 0},
    {AU_C_RET, 0, 0, 0, NONE, 0, 0, 0, 0, NONE, 0},
};
enum { INSNS = sizeof insn / sizeof *insn };
static struct au_code_edge edge[] = {{6, 0, 0}, {8, 0, 0}, {10, 0, 0}, {10, 0, 0}};
static struct au_code_const pool[] = {{0, 0, AU_CONST_GLOBAL},
                                      {5, 0, AU_CONST_NUMBER},
                                      {0, 1, AU_CONST_GLOBAL},
                                      {1, 0, AU_CONST_NUMBER},
                                      {2, 0, AU_CONST_NUMBER}};
static char text[] = "\0f\0x\0y\0bank.c";
static struct au_code_global global[] = {
    {.name = 3, .table = 0, .size = 4, .defined = true, .zero = true},
    {.name = 5, .table = 1, .size = 4, .defined = true, .zero = true}};
static struct au_code_arg arg[] = {{.at = 3, .slots = 1, .width = 32}};
static au_code_function function[] = {{.name = 1,
                                       .first = 0,
                                       .n = INSNS,
                                       .slots = 4,
                                       .n_params = 1,
                                       .hooked = true,
                                       .enter_site = ENTER}};
static uint32_t line[INSNS], file[INSNS], block[INSNS], function_of[INSNS];
static uint32_t site_insn[] = {0, 1, 3, 6, 8, 10};
static uint8_t site_part[SITES];
static au_code code = {.module = 77,
                       .insn = insn,
                       .line = line,
                       .file = file,
                       .block = block,
                       .n_insns = INSNS,
                       .function = function,
                       .n_functions = 1,
                       .function_of = function_of,
                       .edge = edge,
                       .n_edges = 4,
                       .arg = arg,
                       .n_args = 1,
                       .pool = pool,
                       .n_consts = 5,
                       .global = global,
                       .n_globals = 2,
                       .string = text,
                       .n_strings = sizeof text,
                       .n_sites = SITES,
                       .site_insn = site_insn,
                       .site_part = site_part};

/* Instead of codes.c's. */
const au_code *au_codes_find(const au_codes *c, uint64_t module) {
    (void)c;
    return module == 77 ? &code : NULL;
}

typedef struct {
    build b;
    au_stream_writer *w;
} run;

static void ev(run *k, unsigned site, uint8_t op, uint8_t size, uint64_t at, uint64_t value) {
    au_stream_put_event(k->w, BUILD_FIRST_SITE + site, op, size, at, value, 0, NULL);
}

static void begin(run *k, uint64_t module) {
    *k = (run){0};
    for (unsigned i = 0; i < SITES; i++)
        build_site(&k->b, "f", i + 1, AU_OP_READ, "", 0);
    build_head(&k->b);
    build_tables(&k->b, module);
    k->w = au_stream_writer_new(1 << 16);
    const uint64_t at[] = {X, Y};
    au_stream_put_thread(k->w, 0, UINT64_C(0x7ffffff00000), 0x10000, 0);
    au_stream_put_turn(k->w, 0, AU_TURN_START);
    for (unsigned kind = 0; kind < 4; kind++)
        au_stream_put_module(k->w, module, BUILD_FIRST_SITE + kind * SITES, SITES, at, kind ? 0 : 2,
                             "/bin/bank");
}

static au_retrace_facts end(run *k) {
    au_stream_put_end(k->w, AU_END_EXIT, 0);
    build_stream(&k->b, k->w);
    build_end(&k->b);
    au_stream_writer_free(k->w);
    char path[] = "/tmp/augur-retrace-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, k->b.file.at, k->b.file.n), k->b.file.n);
    close(fd);
    au_retrace_options o = {.values_only = true};
    au_retrace_facts f;
    au_error err = AU_ERROR_NONE;
    if (au_retrace(path, NULL, &o, NULL, NULL, &f, &err) != AU_OK)
        fail_msg("%s", err.text);
    unlink(path);
    build_release(&k->b);
    return f;
}

/* One call of f: x goes from 'old' to 'new', and on to that site. */
static void call(run *k, uint64_t old, uint64_t new, unsigned way) {
    ev(k, ENTER, AU_OP_CALL, 0, 0, 0);
    ev(k, LOAD_X, AU_OP_READ, 4, X, old);
    ev(k, STORE_X, AU_OP_WRITE, 4, X, new);
    ev(k, way, AU_OP_WRITE, 4, Y, way == STORE_1 ? 1 : 2);
    ev(k, LEAVE, AU_OP_RET, 0, 0, 0);
}

static void followed(au_retrace_facts f, uint64_t n) {
    if (f.mismatch)
        fail_msg("%s", f.what);
    assert_int_equal(f.followed, n);
    assert_int_equal(f.events, n);
}
static void noticed(au_retrace_facts f, const char *what) {
    assert_true(f.mismatch);
    if (!strstr(f.what, what))
        fail_msg("'%s' does not say '%s'", f.what, what);
}

/* The parameter is not told: the next event tells which way the branch went. */
static void next_event(void **state) {
    (void)state;
    run k;
    begin(&k, 77);
    call(&k, 0, 5, STORE_1);
    call(&k, 5, 10, STORE_2);
    au_retrace_facts f = end(&k);
    followed(f, 10);
    assert_int_equal(f.instructions, 2 * 10 - 1); /* the last 'ret' is never asked for */
}

/* Told by bits; the value of a condition that is known is compared with them. */
static void told(void **state) {
    (void)state;
    insn[5].flags = AU_CF_TOLD;
    run k;
    begin(&k, 77);
    call(&k, 0, 5, STORE_1);
    call(&k, 5, 10, STORE_2);
    au_stream_put_bits(k.w, 2, (const uint8_t[]){1});
    followed(end(&k), 10);

    begin(&k, 77); /* the other way than the event says */
    call(&k, 0, 5, STORE_1);
    au_stream_put_bits(k.w, 1, (const uint8_t[]){0});
    noticed(end(&k), "expected the event of 'f'");

    insn[4].b = K(1); /* x < 5 */
    begin(&k, 77);
    call(&k, 0, 5, STORE_2);
    au_stream_put_bits(k.w, 1, (const uint8_t[]){0});
    followed(end(&k), 5);
    begin(&k, 77);
    call(&k, 0, 5, STORE_1);
    au_stream_put_bits(k.w, 1, (const uint8_t[]){1});
    noticed(end(&k), "a branch takes another outcome than recorded");
    insn[4].b = 3;
    insn[5].flags = 0;
}

static void differences(void **state) {
    (void)state;
    run k;
    begin(&k, 77);
    call(&k, 0, 6, STORE_1);
    noticed(end(&k), "expected to store 0x5, not 0x6");

    begin(&k, 77);
    ev(&k, ENTER, AU_OP_CALL, 0, 0, 0);
    ev(&k, LOAD_X, AU_OP_READ, 4, Y, 0);
    noticed(end(&k), "expected address 0x555555558010");

    begin(&k, 77);
    ev(&k, ENTER, AU_OP_CALL, 0, 0, 0);
    ev(&k, LOAD_X, AU_OP_READ, 8, X, 0);
    noticed(end(&k), "4 bytes");

    begin(&k, 77);
    ev(&k, ENTER, AU_OP_CALL, 0, 0, 0);
    ev(&k, STORE_X, AU_OP_WRITE, 4, X, 5);
    noticed(end(&k), "expected the event of 'f'");

    begin(&k, 77);
    ev(&k, ENTER, AU_OP_CALL, 0, 0, 0);
    ev(&k, LOAD_X, AU_OP_WRITE, 4, X, 0);
    noticed(end(&k), "makes no event");

    begin(&k, 77);
    ev(&k, LOAD_X, AU_OP_READ, 4, X, 0);
    noticed(end(&k), "not expected here");

    begin(&k, 77);
    call(&k, 0, 5, STORE_1);
    ev(&k, LEAVE, AU_OP_RET, 0, 0, 0);
    noticed(end(&k), "not expected here");
}

/* Memory that changed behind the hooks' back is what a read says it is. */
static void changed(void **state) {
    (void)state;
    run k;
    begin(&k, 77);
    call(&k, 0, 5, STORE_1);
    au_stream_put_patch(k.w, X, (const uint8_t[]){100, 0, 0, 0}, 4);
    call(&k, 100, 105, STORE_2);
    followed(end(&k), 10);
}

static void no_code(void **state) {
    (void)state;
    run k;
    begin(&k, 78);
    call(&k, 0, 5, STORE_1);
    au_retrace_facts f = end(&k);
    assert_false(f.mismatch);
    assert_int_equal(f.unknown_events, 5);
    assert_int_equal(f.followed, 0);
}

/* A recording that ends anywhere is followed to there. */
static void cut_short(void **state) {
    (void)state;
    for (unsigned n = 0; n < 5; n++) {
        run k;
        begin(&k, 77);
        if (n > 0)
            ev(&k, ENTER, AU_OP_CALL, 0, 0, 0);
        if (n > 1)
            ev(&k, LOAD_X, AU_OP_READ, 4, X, 0);
        if (n > 2)
            ev(&k, STORE_X, AU_OP_WRITE, 4, X, 5);
        if (n > 3)
            ev(&k, STORE_2, AU_OP_WRITE, 4, Y, 2);
        followed(end(&k), n);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(next_event), cmocka_unit_test(told),    cmocka_unit_test(differences),
        cmocka_unit_test(changed),    cmocka_unit_test(no_code), cmocka_unit_test(cut_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
