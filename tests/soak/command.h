/* tests/soak/command.h: one command, with a fault or without, watched until all of it has ended.
 *
 * System calls are failed by the kernel's own means: a seccomp filter asks this process about each
 * call of one kind, whoever makes it (the tool, its workers, the recorded program), by libc or not. */
#ifndef SOAK_COMMAND_H
#define SOAK_COMMAND_H

#include "fault.h"

typedef struct {
    const char *dir;         /* to start in; its output goes to dir/out and dir/err */
    char *const *argv;       /* argv[0]: a path */
    const char *tmp;         /* TMPDIR */
    const soak_fault *fault; /* NULL: none; only those that a command is started with */
    const char *tool;        /* name of the tool's file; every other is the recorded program */
    const char *preload;     /* the library that fails malloc */
    double seconds;
} soak_start;

typedef struct {
    int status;     /* exit status, -1: a signal */
    int signal;     /* … this one */
    bool late;      /* killed at its deadline */
    bool fired;     /* the fault happened (not known of BY_SPACE, BY_MEMORY and BY_NULL: true) */
    bool we_killed; /* the first process, by the fault */
    uint32_t left;  /* processes that outlived it */
    uint32_t seen[WHO_ALL]; /* calls of the fault's kind */
} soak_end;

/* Once, in the process that runs commands. */
void soak_command_prepare(void);
/* Can calls be failed here? */
bool soak_can_fail_calls(void);
/* false: it could not be started, which is this program's own trouble; told on stderr. */
bool soak_run(const soak_start *s, soak_end *e);

#endif
