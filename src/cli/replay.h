/* cli/replay.h: between the files of 'augur replay' only. */
#ifndef AU_CLI_REPLAY_H
#define AU_CLI_REPLAY_H

#include "cli/run.h"
#include "confirm/confirm.h"
#include "record/replay.h"

/* "T1 event 14: writes 'balance' (bank.c:12)": an event of the recording 'path', of which r tells
 * thread, index, operation, address. */
typedef struct {
    char who[120]; /* the thread, with what the program calls it */
    char did[300];
} au_told_event;
void au_tell_event(const char *path, const au_stream_record *r, au_told_event *told);
/* What two runs differ in, in one or two sentences. */
void au_tell_comparison(const char *recorded, const char *replayed, const au_comparison *c,
                        char *text, size_t size);

/* --gdb: waits, in 'tick' of a run, until the schedule's end is reached, and then lets
 * gdb look at the program. */
typedef struct {
    const au_opts *o;
    au_control_map *m;
    au_child *child;
    pid_t pid;
    bool reached, released, failed;
} au_gdb;
void au_gdb_tick(void *gdb);
/* After the program's end: until the user has left gdb. */
void au_gdb_wait(au_gdb *g);

#endif
