/* record/record.h: one run of a program into one recording; `augur record` and `augur replay`
 * are both made of it. */
#ifndef AU_RECORD_RECORD_H
#define AU_RECORD_RECORD_H

#include "program/program.h"
#include "record/launch.h"
#include "record/world.h"

/* Where the program's standard input comes from. */
typedef struct {
    const char *bytes; /* not NULL: these, as a file or through a pipe (program.stdin_kind) */
    size_t size;
} au_feed;

typedef struct {
    const au_program *program; /* no_randomize is found out */
    const char *output;        /* the recording; NULL: none is written */
    struct au_control plan;    /* mode, after; the policy is program->plan's */
    au_script script;
    const au_feed *feed; /* NULL: the tool's own standard input */
    bool whole_input;    /* feed->bytes is all there was */
    bool discard_output;
    bool
        keep_output; /* discarded, but kept in the result, and so is what is in the files that it makes */
    bool output_aside; /* its standard output goes to the tool's standard error */
    const char *cwd; /* start it there instead, its recording says nothing of it; NULL: program's */
    bool
        live; /* the output is read while the program runs: it gets what there is, not whole chunks,
                      * and the program ends if nobody reads any more */
    bool again;     /* leaves no files behind, and finds none of the recorded run (world.h) */
    bool keeps;     /* … but leaves files that the recorded run has no more: for who replays it */
    bool gives_fds; /* nobody but the program keeps what was open: somebody may wait for an end */
    bool exact;     /* a replay: descriptors, stack limit, terminals as program says */
    bool traceable;
    au_tick_fn *tick; /* see launch.h; gets tick_ctx */
    void *tick_ctx;
} au_run;

typedef struct {
    au_launch_result launch;
    uint64_t file_bytes;   /* of the recording */
    uint64_t stream_bytes; /* of that the packed stream */
    uint64_t stdin_bytes;  /* kept */
    bool stdin_cut;        /* there was more */
    au_status write_status;
    au_error write_error; /* why the recording is not whole */
    au_error nameless;  /* why names and lines of a module are missing, though all else is there */
    au_tee tee;         /* what came through a pipe; au_run_release frees it */
    au_tee said[3];     /* [1], [2]: standard output and error, with keep_output */
    au_left_files left; /* … and the files that it made and left */
    bool loads;         /* code with hooks may call dlopen, if in vain */
    int signal;         /* the tool was told to stop by this one; 0: no */
} au_run_result;

/* AU_OK if the program was started and its end was seen, whatever became of it and of the
 * recording; then r is to be released. The control memory is in *m while 'tick' runs. */
au_status au_run_program(const au_run *run, au_control_map *m, au_child *child, au_run_result *r,
                         au_error *err);
void au_run_release(au_run_result *r);

/* Runs it without the runtime, output thrown away: the time it takes, or a negative number if it
 * cannot be started. 'path' instead of the program's own if not NULL. */
double au_run_natively(const au_program *p, const char *path, const au_feed *feed, au_error *err);

/* How much of standard input is kept in a recording. */
/* What is left to read of the regular file that is our standard input, at most
 * AU_LIMIT_STDIN, without moving its offset; *cut if there is more. Caller frees. */
au_status au_stdin_copy(char **bytes, size_t *n, bool *cut, au_error *err);

#endif
