/* cc/driver_priv.h: inside the compiler driver.
 *
 *   cc/plan.c     what clang would do: its jobs, parsed from `clang -###`
 *   cc/exec.c     processes, the temporary directory, signals
 *   cc/compile.c  cc1 jobs: bitcode, instrumentation, the user's own flags
 *   cc/link.c     linker jobs: the runtime
 *   driver.c          the order of things, refusals, exit status */
#ifndef AU_CC_DRIVER_PRIV_H
#define AU_CC_DRIVER_PRIV_H

#include "base/arena.h"
#include "base/vec.h"
#include "cc/driver.h"

#include <sys/types.h>

typedef AU_VEC(char *) au_args; /* strings live in an arena or outside */

typedef struct {
    au_args arg; /* arg.at[0] is the program's path */
} au_job;

/* What clang said it would do. */
typedef struct {
    au_arena arena;
    AU_VEC(au_job) job;
    char *heading;     /* what -v prints first */
    char *diagnostics; /* warnings of clang's driver, to be passed on */
    int status;        /* of `clang -###` */
} au_cc_plan;

/* Takes the text apart that `clang -###` wrote to standard error. */
void au_plan_parse(au_cc_plan *p, const char *text, size_t n);
void au_plan_release(au_cc_plan *p);

/* The value of an option that is an argument of its own ("-o" "x"): index, or 0. */
size_t au_job_option(const au_job *j, const char *name);
bool au_job_has(const au_job *j, const char *arg);
/* Its output file ("-o"), or NULL. */
const char *au_job_output(const au_job *j);

typedef enum {
    AU_CC1_NONE,    /* not a cc1 job, or one we do not understand */
    AU_CC1_OTHER,   /* -E, -M, -fsyntax-only, --analyze: no code, no syntax tree is stored */
    AU_CC1_AST,     /* precompiled header, module */
    AU_CC1_CODEGEN, /* object, assembler text, bitcode */
} au_cc1_kind;

/* A cc1 job understood. */
typedef struct {
    au_cc1_kind kind;
    size_t action;      /* index of -emit-obj, -S, … */
    size_t lang;        /* index of the value of -x, the argument before the input */
    size_t input;       /* the last argument */
    const char *triple; /* "" if not given */
} au_cc1;

au_cc1 au_cc1_understand(const au_job *j);

/* A command line in the making. */
typedef struct {
    au_arena *arena;
    au_args arg;
} au_arg_list;

void au_line_add(au_arg_list *l, const char *arg); /* arg is kept, not copied */

/* The front end's part of a cc1 job: macros of ours, debug information. For jobs that
 * make no code. */
void au_cc1_front(au_arg_list *out, const au_job *j, const au_cc1 *c, const char *include);
/* The job that makes plain bitcode of the source. */
void au_cc1_bitcode(au_arg_list *out, const au_job *j, const au_cc1 *c, const char *include,
                    const char *bitcode);
/* The user's own job, on instrumented bitcode. */
void au_cc1_code(au_arg_list *out, const au_job *j, const au_cc1 *c, const char *bitcode);

typedef enum {
    AU_LINK_NONE,      /* not a linker job */
    AU_LINK_UNTOUCHED, /* ld -r */
    AU_LINK_SHARED,
    AU_LINK_PROGRAM
} au_link_kind;

au_link_kind au_link_understand(const au_job *j);
/* Why this link cannot give a program that can be recorded, or NULL. */
const char *au_link_refusal(const au_job *j);
/* Does the link of a shared object insist on every symbol being defined? */
bool au_link_insists(const au_job *j);
bool au_link_has_libc(const au_job *j);
/* The program's link with the runtime; exports: the file with the dynamic list. */
void au_link_program(au_arg_list *out, const au_job *j, const char *runtime, const char *exports);
/* The link of a shared object, hooks left undefined. */
void au_link_shared(au_arg_list *out, const au_job *j);
/* The same link as the user wanted it, with the hooks (those of the exports file) defined
 * as 0, into another file: only to see whether anything else is undefined. */
au_status au_link_trial(au_arg_list *out, const au_job *j, const char *exports, const char *output,
                        au_error *err);

/* ---- processes ---- */

typedef struct {
    au_arena arena;
    char *tmp;      /* our own temporary directory */
    unsigned n_tmp; /* files named so far */
    bool verbose;
} au_exec;

/* Makes the temporary directory and takes over SIGINT, SIGTERM and SIGHUP. */
au_status au_exec_begin(au_exec *x, bool verbose, au_error *err);
/* Removes everything; gives the signals back. */
void au_exec_end(au_exec *x);
/* The signal that asked us to stop, 0 if none did. */
int au_exec_stopped(void);
/* A name in the temporary directory, in the arena. */
char *au_exec_name(au_exec *x, const char *suffix);

typedef struct {
    bool capture;      /* standard error into 'text' instead of ours */
    bool quiet_input;  /* standard input is /dev/null */
    bool quiet_output; /* and so is standard output */
    bool in_tmp;       /* TMPDIR is our temporary directory: clang -### names files there */
} au_exec_how;

typedef struct {
    int status; /* exit status; -signal if a signal ended it */
    char *text; /* captured, terminated; free() it */
    size_t n;
} au_exec_result;

/* Runs a command and waits for it. Fails only if it could not be started, or what it says could not be read. */
au_status au_exec_run(au_exec *x, const au_args *arg, au_exec_how how, au_exec_result *r,
                      au_error *err);

/* Instruments a bitcode file in a process of its own: what goes wrong in LLVM stays
 * there. *message (in the arena) says why it failed, NULL if it worked. An error if it could not be
 * started or was killed: that is not the code's fault. */
au_status au_exec_instrument(au_exec *x, const char *module, const char *in, const char *out,
                             bool no_asm, char **message, au_error *err);

#endif
