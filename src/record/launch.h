/* record/launch.h: starting a program under the runtime and taking its stream from the
 * ring (wire/control.h). Used by `augur record` and `augur replay`.
 *
 * The tool's main thread drains the ring and hands the chunks to a sink (which packs and
 * writes them on the core the program does not use); a second thread, the attendant, waits
 * for the program's end and carries the standard streams that do not go straight through. */
#ifndef AU_RECORD_LAUNCH_H
#define AU_RECORD_LAUNCH_H

#include "base/error.h"
#include "trace/turn.h"
#include "wire/control.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* ---- the control memory (launch_control.c) ---- */

typedef struct {
    int fd; /* the memfd */
    struct au_control *c;
    unsigned char *ring;
    size_t size;
} au_control_map;

/* What a replay is given; all of it may be missing. */
typedef struct {
    const au_turn *turn;
    size_t n_turns;
    const struct au_birth *birth;
    size_t n_births;
    const void *inputs;
    size_t inputs_size;
} au_script;

/* 'plan' gives mode, policy, seed, limits and 'after'; the script is copied behind the
 * ring. AU_EIO if there is no room for it. */
au_status au_control_make(au_control_map *m, const struct au_control *plan, const au_script *script,
                          au_error *err);
void au_control_release(au_control_map *m);

/* ---- the program ---- */

enum {
    AU_STREAM_SAME = 0, /* the tool's own descriptor */
    AU_STREAM_PIPE = 1, /* a pipe that the attendant carries from or to the tool's own */
    AU_STREAM_PTY = 2,  /* output only: a terminal, carried likewise, bytes unchanged */
    AU_STREAM_FD = 3,   /* the descriptor 'fd' below */
    AU_STREAM_NULL = 4,
    AU_STREAM_PTY_NULL = 5, /* output only: a terminal that nobody looks at */
    AU_STREAM_PIPE_NULL = 6 /* output only: a pipe whose bytes go nowhere, but are kept (said) */
};

/* Bytes that went through a pipe: into the program's standard input, kept for the trace, or out of it. */
typedef struct {
    char *at;
    size_t n, cap;
    size_t limit;  /* keep at most this many */
    uint64_t seen; /* n < seen: there were more */
} au_tee;

typedef struct {
    const char *path; /* for execve as it stands: it ends up on the main stack */
    char *const *argv;
    char *const *envp;
    const char *cwd; /* NULL: as it is */
    struct {
        int kind, fd;
    } stream[3];
    au_tee *tee;      /* stream[0] PIPE: what goes through is kept here; may be NULL */
    au_tee *said[3];  /* [1], [2]: what comes out of a pipe or terminal is kept here; may be NULL */
    const char *feed; /* stream[0] PIPE: these bytes instead of the tool's own input */
    size_t feed_size; /* used if feed is not NULL */
    bool
        gives_fds; /* those of 'fds' above 2 are the program's alone: closed here when it has been started */
    bool exact_fds; /* make the open descriptors the ones of 'fds' */
    const int *fds; /* ascending; without AU_CONTROL_FD */
    size_t n_fds;
    uint64_t stack_limit; /* RLIMIT_STACK, soft; 0: as it is. It moves the mappings */
    int control_fd;       /* -1: run without the runtime */
    bool own_ipc;         /* queues and semaphores of its own, if the kernel lets us */
    bool traceable;       /* a debugger that is not its parent may attach */
} au_launch;

typedef struct {
    pid_t pid;
    bool no_randomize; /* the kernel let address randomisation be switched off */
    struct au_attendant *attendant;
} au_child;

/* AU_EIO with a text for a person if the program cannot be started. On success
 * au_launch_wait must be called. control_fd's no_randomize is written before the start. */
au_status au_launch_start(const au_launch *l, au_control_map *m, au_child *child, au_error *err);
/* Has it ended? Never blocks. */
bool au_launch_ended(const au_child *child);
/* Waits for the end, joins the attendant; the status is waitpid's. */
int au_launch_wait(au_child *child);
/* While a child runs, signals that were sent to the tool alone go to it as well: SIGINT,
 * SIGTERM, SIGHUP, SIGQUIT (one from the terminal has reached both already). How
 * many came since the start; the first of them in *which. */
unsigned au_launch_signals(int *which);

/* ---- draining (launch_drain.c) ---- */

/* A chunk of the stream, AU_CHUNK_BYTES, zero after its last record. Returning false means
 * that nothing more is wanted: the rest is thrown away so that the program can go on. */
typedef bool au_chunk_fn(void *ctx, const unsigned char *chunk, size_t n);
/* Called about every 100 ms and when something was drained, in the draining thread;
 * may be NULL. */
typedef void au_tick_fn(void *ctx);

typedef struct {
    int status; /* waitpid's */
    double seconds;
    bool attached; /* the runtime was there */
    bool ended;    /* it wrote its END record */
    bool broken;   /* the control memory was overwritten: the stream is cut there */
    uint64_t chunks;
    struct au_control last; /* the control memory as the program left it */
} au_launch_result;

/* Until the program has ended and everything is drained. */
void au_drain(au_control_map *m, au_child *child, au_chunk_fn *sink, au_tick_fn *tick, void *ctx,
              au_launch_result *r);

#endif
