/* cc/compile.c: cc1 jobs.
 *
 * A compilation is run in three steps (the middle one is augur-llvm.so):
 *   1. the user's job up to bitcode, before any optimisation: every access the source
 *      makes is still there. The level of -O stays the user's, because it decides
 *      on attributes (optsize, noinline at -O1) and macros; only -O0, which would forbid
 *      every later transformation (optnone), becomes -O1 with the macros of -O0;
 *   3. the user's job on the instrumented bitcode: optimisation, code, the output file.
 * Files that a job writes beside its output belong to one of the two steps: those about
 * the source (dependencies, diagnostics) to the first, those about code to the other. */
#include "cc/driver_priv.h"

#include <string.h>

static bool is_one_of(const char *s, const char *const *list) {
    for (; *list; list++)
        if (!strcmp(s, *list))
            return true;
    return false;
}

static bool starts_with(const char *s, const char *start) {
    return !strncmp(s, start, strlen(start));
}

static bool starts_with_one_of(const char *s, const char *const *list) {
    for (; *list; list++)
        if (starts_with(s, *list))
            return true;
    return false;
}

au_cc1 au_cc1_understand(const au_job *j) {
    static const char *const codegen[] = {"-emit-obj", "-S", "-emit-llvm-bc", "-emit-llvm", NULL};
    static const char *const ast[] = {"-emit-pch",
                                      "-emit-module",
                                      "-emit-module-interface",
                                      "-emit-reduced-module-interface",
                                      "-emit-header-unit",
                                      NULL};
    au_cc1 c = {.triple = ""};
    size_t n = j->arg.n;
    if (n < 5 || strcmp(j->arg.at[1], "-cc1"))
        return c;
    c.kind = AU_CC1_OTHER;
    size_t triple = au_job_option(j, "-triple");
    if (triple)
        c.triple = j->arg.at[triple];
    /* The action stands directly behind the triple. */
    for (size_t i = 2; i < n && i < 8; i++) {
        if (i == triple)
            continue;
        const char *s = j->arg.at[i];
        if (is_one_of(s, codegen) || is_one_of(s, ast)) {
            c.kind = is_one_of(s, codegen) ? AU_CC1_CODEGEN : AU_CC1_AST;
            c.action = i;
            break;
        }
    }
    if (strcmp(j->arg.at[n - 3], "-x")) {
        c.kind = AU_CC1_NONE; /* nothing we know: run as it is */
        return c;
    }
    c.lang = n - 2;
    c.input = n - 1;
    return c;
}

/* ---- the front end's flags ---- */

typedef struct {
    bool optimised; /* some -O other than -O0 */
    bool debug;     /* some -debug-info-kind */
} seen;

/* Counters of coverage and profiling would be part of the clean bitcode, and what they
 * count would be hooks as well. */
static bool is_profiling(const char *s) {
    static const char *const starts[] = {"-fprofile-instrument",
                                         "-fcoverage-mapping",
                                         "-coverage-notes-file",
                                         "-coverage-data-file",
                                         "-fprofile-instrument-use-path",
                                         "-ftest-coverage",
                                         "-fcoverage-mcdc",
                                         NULL};
    return starts_with_one_of(s, starts);
}

/* One argument of the user's job as the front end gets it. */
static void front_argument(au_arg_list *out, const char *s, seen *k) {
    if (!strcmp(s, "-O0"))
        return;
    if (starts_with(s, "-O"))
        k->optimised = true;
    if (starts_with(s, "-debug-info-kind=")) {
        k->debug = true;
        /* Names of variables are needed too. */
        if (!strcmp(s, "-debug-info-kind=line-tables-only") ||
            !strcmp(s, "-debug-info-kind=line-directives-only"))
            s = "-debug-info-kind=constructor";
    }
    if (!is_profiling(s))
        au_line_add(out, s);
}

static void front_additions(au_arg_list *out, const seen *k, const char *include) {
    if (!k->optimised) {
        au_line_add(out, "-O1");
        au_line_add(out, "-U__OPTIMIZE__");
        au_line_add(out, "-D__NO_INLINE__=1");
    }
    if (!k->debug) {
        au_line_add(out, "-debug-info-kind=constructor");
        au_line_add(out, "-dwarf-version=5");
    }
    au_line_add(out, "-D__AUGUR__=1");
    /* The checked variants (__read_chk and its like) hide the calls that the runtime wraps. */
    au_line_add(out, "-U_FORTIFY_SOURCE");
    if (include) {
        au_line_add(out, "-idirafter");
        au_line_add(out, include);
    }
}

void au_cc1_front(au_arg_list *out, const au_job *j, const au_cc1 *c, const char *include) {
    seen k = {0};
    bool ast = c->kind == AU_CC1_AST;
    for (size_t i = 0; i < c->lang - 1; i++) {
        if (ast && i > 1)
            front_argument(out, j->arg.at[i], &k);
        else
            au_line_add(out, j->arg.at[i]);
    }
    if (!ast)
        k = (seen){true, true}; /* no code: macros are right as they are */
    front_additions(out, &k, include);
    for (size_t i = c->lang - 1; i < j->arg.n; i++)
        au_line_add(out, j->arg.at[i]);
}

void au_cc1_bitcode(au_arg_list *out, const au_job *j, const au_cc1 *c, const char *include,
                    const char *bitcode) {
    seen k = {0};
    size_t output = au_job_option(j, "-o");
    for (size_t i = 0; i < c->lang - 1; i++) {
        const char *s = j->arg.at[i];
        if (i == c->action) {
            au_line_add(out, "-emit-llvm-bc");
        } else if (output && i == output) {
            au_line_add(out, bitcode);
        } else if (!strcmp(s, "-mllvm")) {
            i++; /* options of the optimiser and the code generator */
        } else if (!strcmp(s, "-emit-llvm-uselists") || !strcmp(s, "-disable-llvm-passes")) {
            ;
        } else if (i < 2) {
            au_line_add(out, s);
        } else {
            front_argument(out, s, &k);
        }
    }
    au_line_add(out, "-disable-llvm-passes");
    if (!output) {
        au_line_add(out, "-o");
        au_line_add(out, bitcode);
    }
    front_additions(out, &k, include);
    for (size_t i = c->lang - 1; i < j->arg.n; i++)
        au_line_add(out, j->arg.at[i]);
}

/* ---- the code ---- */

/* Done in the first step; here they would write their files again, without content. */
static const char *const first_step[] = {"-sys-header-deps",
                                         "-module-file-deps",
                                         "-MP",
                                         "-MG",
                                         "-MV",
                                         "-H",
                                         "-v",
                                         "-skip-unused-modulemap-deps",
                                         "-verify",
                                         "-print-stats",
                                         NULL};
static const char *const first_step_with_value[] = {"-dependency-file",
                                                    "-MT",
                                                    "-MQ",
                                                    "-header-include-file",
                                                    "-serialize-diagnostic-file",
                                                    "-dependency-dot",
                                                    "-include-pch",
                                                    "-include",
                                                    "-imacros",
                                                    "-D",
                                                    "-U",
                                                    "-plugin",
                                                    "-add-plugin",
                                                    NULL};
static const char *const first_step_start[] = {"-ftime-trace",
                                               "-header-include-format",
                                               "-header-include-filtering",
                                               "-plugin-arg-",
                                               "-diagnostic-log-file",
                                               "-verify=",
                                               NULL};

void au_cc1_code(au_arg_list *out, const au_job *j, const au_cc1 *c, const char *bitcode) {
    for (size_t i = 0; i < c->lang - 1; i++) {
        const char *s = j->arg.at[i];
        if (is_one_of(s, first_step_with_value))
            i++;
        else if (starts_with(s, "-O") && s[2] >= '4' && s[2] <= '9')
            au_line_add(out, "-O3"); /* as clang says; the first step has warned */
        else if (!is_one_of(s, first_step) && !starts_with_one_of(s, first_step_start) &&
                 !is_profiling(s))
            au_line_add(out, s);
    }
    /* Frames with hooks are larger than what the user set a limit for. */
    au_line_add(out, "-Wno-frame-larger-than");
    au_line_add(out, "-Wno-override-module");
    au_line_add(out, "-x");
    au_line_add(out, "ir");
    au_line_add(out, bitcode);
}
