/* The compiler driver: clang's plan read exactly, jobs rewritten. */
#include "cc/driver_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static au_cc_plan parse(const char *text) {
    au_cc_plan p;
    au_plan_parse(&p, text, strlen(text));
    return p;
}

static void reads_jobs(void **state) {
    (void)state;
    au_cc_plan p =
        parse("Debian clang version 19.1.7 (3~deb12u1)\n"
              "Target: x86_64-pc-linux-gnu\n"
              "Thread model: posix\n"
              "InstalledDir: /usr/lib/llvm-19/bin\n"
              "clang-19: warning: -lm: 'linker' input unused [-Wunused-command-line-argument]\n"
              " (in-process)\n"
              " \"/bin/clang\" \"-cc1\" \"-o\" \"a.o\"\n"
              " \"/usr/bin/ld\" \"\" \"x\"\n");
    assert_int_equal(p.job.n, 2);
    assert_int_equal(p.job.at[0].arg.n, 4);
    assert_string_equal(p.job.at[0].arg.at[0], "/bin/clang");
    assert_string_equal(au_job_output(&p.job.at[0]), "a.o");
    assert_int_equal(p.job.at[1].arg.n, 3);
    assert_string_equal(p.job.at[1].arg.at[1], "");
    assert_null(au_job_output(&p.job.at[1]));
    assert_string_equal(p.diagnostics, "clang-19: warning: -lm: 'linker' input unused "
                                       "[-Wunused-command-line-argument]\n");
    assert_non_null(strstr(p.heading, "InstalledDir"));
    au_plan_release(&p);
}

static void reads_quotes(void **state) {
    (void)state;
    au_cc_plan p =
        parse(" \"/bin/clang\" \"a \\\"b\\\" \\$c \\\\d\" \"two\nlines \\\\\" \"e'f\"\nlast words");
    assert_int_equal(p.job.n, 1);
    assert_int_equal(p.job.at[0].arg.n, 4);
    assert_string_equal(p.job.at[0].arg.at[1], "a \"b\" $c \\d");
    assert_string_equal(p.job.at[0].arg.at[2], "two\nlines \\");
    assert_string_equal(p.job.at[0].arg.at[3], "e'f");
    assert_string_equal(p.diagnostics, "last words");
    au_plan_release(&p);
}

static void survives_broken_text(void **state) {
    (void)state;
    static const char *const texts[] = {"",     " \"",           " \"a\\",    " \"a\" \"",
                                        "\n\n", " (in-process)", " \"a\" b\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        au_cc_plan p = parse(texts[i]);
        assert_true(p.job.n <= 1);
        au_plan_release(&p);
    }
}

static bool has(const au_arg_list *l, const char *arg) {
    for (size_t i = 0; i < l->arg.n; i++)
        if (!strcmp(l->arg.at[i], arg))
            return true;
    return false;
}

static const char compile[] =
    " \"/bin/clang\" \"-cc1\" \"-triple\" \"x86_64-pc-linux-gnu\" \"-emit-obj\" \"-O0\" "
    "\"-dependency-file\" \"a.d\" \"-MT\" \"a.o\" \"-D\" \"_FORTIFY_SOURCE=2\" \"-mllvm\" \"-x86\" "
    "\"-o\" \"a.o\" \"-x\" \"c\" \"a.c\"\n";

static void compiles_in_two_steps(void **state) {
    (void)state;
    au_cc_plan p = parse(compile);
    const au_job *j = &p.job.at[0];
    au_cc1 c = au_cc1_understand(j);
    assert_int_equal(c.kind, AU_CC1_CODEGEN);
    assert_string_equal(c.triple, "x86_64-pc-linux-gnu");
    assert_string_equal(j->arg.at[c.input], "a.c");

    au_arg_list l = {.arena = &p.arena};
    au_cc1_bitcode(&l, j, &c, "/include", "t.bc");
    assert_true(has(&l, "-emit-llvm-bc"));
    assert_true(has(&l, "-disable-llvm-passes"));
    assert_true(has(&l, "-O1") && has(&l, "-U__OPTIMIZE__") && has(&l, "-D__NO_INLINE__=1"));
    assert_true(has(&l, "-debug-info-kind=constructor"));
    assert_true(has(&l, "-dependency-file") && has(&l, "a.d"));
    assert_true(has(&l, "t.bc") && has(&l, "a.c"));
    assert_false(has(&l, "-emit-obj") || has(&l, "-O0") || has(&l, "-mllvm") || has(&l, "-x86"));
    assert_string_equal(au_vec_last(&l.arg), "a.c");
    au_vec_release(&l.arg);

    l = (au_arg_list){.arena = &p.arena};
    au_cc1_code(&l, j, &c, "h.bc");
    assert_true(has(&l, "-emit-obj") && has(&l, "-O0") && has(&l, "a.o") && has(&l, "-mllvm"));
    assert_false(has(&l, "-dependency-file") || has(&l, "a.d") || has(&l, "-MT") || has(&l, "-D"));
    assert_string_equal(au_vec_last(&l.arg), "h.bc");
    au_vec_release(&l.arg);
    au_plan_release(&p);
}

static void keeps_the_users_level(void **state) {
    (void)state;
    au_cc_plan p =
        parse(" \"/bin/clang\" \"-cc1\" \"-triple\" \"x86_64\" \"-S\" \"-Os\" "
              "\"-debug-info-kind=line-tables-only\" \"-o\" \"a.s\" \"-x\" \"c\" \"a.c\"\n");
    au_cc1 c = au_cc1_understand(&p.job.at[0]);
    au_arg_list l = {.arena = &p.arena};
    au_cc1_bitcode(&l, &p.job.at[0], &c, NULL, "t.bc");
    assert_true(has(&l, "-Os") && has(&l, "-debug-info-kind=constructor"));
    assert_false(has(&l, "-O1") || has(&l, "-U__OPTIMIZE__") || has(&l, "-idirafter"));
    assert_false(has(&l, "-debug-info-kind=line-tables-only"));
    au_vec_release(&l.arg);
    au_plan_release(&p);
}

static const char ld[] =
    " \"/usr/bin/ld\" \"-m\" \"elf_x86_64\" \"-pie\" \"-s\" \"-o\" \"prog\" "
    "\"/lib/Scrt1.o\" \"/lib/crti.o\" \"/lib/crtbeginS.o\" \"-L/lib\" \"a.o\" \"-lc\"\n";

static void links_a_program(void **state) {
    (void)state;
    au_cc_plan p = parse(ld);
    const au_job *j = &p.job.at[0];
    assert_int_equal(au_link_understand(j), AU_LINK_PROGRAM);
    assert_true(au_link_has_libc(j));
    assert_null(au_link_refusal(j));
    au_arg_list l = {.arena = &p.arena};
    au_link_program(&l, j, "rt.a", "rt.list");
    static const char *const want[] = {"/usr/bin/ld",
                                       "-m",
                                       "elf_x86_64",
                                       "-pie",
                                       "-o",
                                       "prog",
                                       "/lib/Scrt1.o",
                                       "/lib/crti.o",
                                       "/lib/crtbeginS.o",
                                       "--dynamic-list=rt.list",
                                       "--whole-archive",
                                       "rt.a",
                                       "--no-whole-archive",
                                       "-L/lib",
                                       "a.o",
                                       "-lc"};
    assert_int_equal(l.arg.n, sizeof want / sizeof *want);
    for (size_t i = 0; i < l.arg.n; i++)
        assert_string_equal(l.arg.at[i], want[i]);
    au_vec_release(&l.arg);
    au_plan_release(&p);
}

static void knows_kinds_of_links(void **state) {
    (void)state;
    static const struct {
        const char *text;
        au_link_kind kind;
    } rows[] = {
        {" \"/usr/bin/ld\" \"-r\" \"-o\" \"x\" \"a.o\"\n", AU_LINK_UNTOUCHED},
        {" \"/usr/bin/ld.lld\" \"--shared\" \"-o\" \"-r\" \"a.o\"\n", AU_LINK_SHARED},
        {" \"/usr/bin/ld.gold\" \"-o\" \"x\" \"a.o\"\n", AU_LINK_PROGRAM},
        {" \"/usr/bin/x86_64-linux-gnu-ld\" \"-o\" \"x\" \"a.o\"\n", AU_LINK_PROGRAM},
        {" \"/usr/bin/as\" \"-o\" \"x\" \"a.s\"\n", AU_LINK_NONE},
        {" \"/usr/bin/llvm-ar\" \"rcsD\" \"x\" \"a.o\"\n", AU_LINK_NONE},
        {" \"/x/ld\" \"-cc1\" \"-o\" \"x\" \"a.o\"\n", AU_LINK_NONE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        au_cc_plan p = parse(rows[i].text);
        assert_int_equal(au_link_understand(&p.job.at[0]), rows[i].kind);
        au_plan_release(&p);
    }
}

static void leaves_hooks_undefined(void **state) {
    (void)state;
    au_cc_plan p =
        parse(" \"/usr/bin/ld\" \"-shared\" \"-o\" \"x.so\" \"-z\" \"defs\" \"-z\" \"now\" "
              "\"--no-undefined\" \"a.o\" \"-lc\"\n");
    assert_true(au_link_insists(&p.job.at[0]));
    au_arg_list l = {.arena = &p.arena};
    au_link_shared(&l, &p.job.at[0]);
    assert_false(has(&l, "defs") || has(&l, "--no-undefined"));
    assert_true(has(&l, "-z") && has(&l, "now"));
    assert_int_equal(l.arg.n, 8);
    au_vec_release(&l.arg);
    au_plan_release(&p);
}

static void refuses(void **state) {
    (void)state;
    au_cc_plan p =
        parse(" \"/usr/bin/ld\" \"-m\" \"elf_i386\" \"-o\" \"x\" \"a.o\" \"-lc\"\n"
              " \"/usr/bin/ld\" \"-m\" \"elf_x86_64\" \"-static\" \"-o\" \"x\" \"a.o\" \"-lc\"\n");
    assert_non_null(strstr(au_link_refusal(&p.job.at[0]), "x86_64"));
    assert_non_null(strstr(au_link_refusal(&p.job.at[1]), "static"));
    au_plan_release(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_jobs),
        cmocka_unit_test(reads_quotes),
        cmocka_unit_test(survives_broken_text),
        cmocka_unit_test(compiles_in_two_steps),
        cmocka_unit_test(keeps_the_users_level),
        cmocka_unit_test(links_a_program),
        cmocka_unit_test(knows_kinds_of_links),
        cmocka_unit_test(leaves_hooks_undefined),
        cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
