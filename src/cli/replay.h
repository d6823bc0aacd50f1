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
    size_t turn, turns;     /* it stands behind this one, of so many; 0: there is no schedule */
    size_t command;         /* the first of --gdb-command that is still to be executed */
    char *script, *request; /* files for gdb: what it is told, and what the user asks for */
    pid_t pid;
    bool reached, released, failed;
} au_gdb;
/* Makes both files; without them gdb knows nothing of augur, and works (replay_gdb_script.c). */
void au_gdb_write_script(au_gdb *g);
/* After a run: did the user ask for another turn? Then g is as before the run, and the program is to be executed up to
 * there. The files are gone. */
bool au_gdb_asks(au_gdb *g);
/* Removes the files. */
void au_gdb_release(au_gdb *g);
void au_gdb_tick(void *gdb);
/* After the program's end: until the user has left gdb. */
void au_gdb_wait(au_gdb *g);

#endif
