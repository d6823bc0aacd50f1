/* cc/driver.h: the compiler driver behind `augur cc` and `augur c++`.
 *
 * clang itself is asked what it would do with a command line (`clang -###`), and its jobs
 * are run with three changes: a compilation goes through the instrumentation of
 * augur-llvm.so, a link gets the runtime, and a few things are refused that could not be
 * recorded. Everything else (what an option means, where files lie, which messages
 * are printed, which exit status there is) stays clang's. */
#ifndef AU_CC_DRIVER_H
#define AU_CC_DRIVER_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    bool cxx;     /* `augur c++` */
    bool no_asm;  /* objects that are read and not run: assembler is left out of their code */
    bool verbose; /* print every command before it is run */
    /* Arguments as the user gave them, without the command's name. */
    char *const *arg;
    size_t n;
} au_driver_options;

typedef enum {
    AU_DRIVER_DONE,   /* 'status' is clang's exit status; everything has been said */
    AU_DRIVER_EXEC,   /* nothing for us to do: the caller replaces itself by 'exec' */
    AU_DRIVER_SIGNAL, /* 'status' is the signal that stopped us; files are cleaned up */
    AU_DRIVER_FAILED  /* *err says why */
} au_driver_end;

typedef struct {
    au_driver_end end;
    int status;
    char **exec; /* program (a path) and arguments, ended by NULL; the caller frees both levels */
} au_driver_result;

/* Compiles and links. Messages of clang go to standard error. */
au_driver_result au_driver_run(const au_driver_options *o, au_error *err);

/* The path of clang-19, or NULL with *err set. Caller frees. */
char *au_driver_clang(au_error *err);

#endif
