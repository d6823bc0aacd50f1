/* record/world.h: the files that an execution finds. A program that leaves files behind would find those of the recorded
 * run, and of the executions before: it would not be the same input. So while the program is executed again, the
 * names that the recorded run made are put aside (beside themselves, as ".augur-held-PID-N"), and afterwards what that
 * execution made is removed, and they are put back (by a child, if this process is killed meanwhile). What a run changed or removed that had been there before stays
 * so; --sandbox helps there. One state for the process: executions come one after the other. */
#ifndef AU_RECORD_WORLD_H
#define AU_RECORD_WORLD_H

#include "base/vec.h"
#include "wire/control.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The recorded run made this file. */
void au_world_made(const char *name, size_t n);
/* … and those that its control memory names. */
void au_world_recorded(const struct au_control *c);

/* A regular file that an execution made and that is there when it ends. */
typedef struct {
    char *name;
    char *at; /* its first bytes: n of them, size in all */
    size_t n;
    uint64_t size;
} au_left_file;
typedef AU_VEC(au_left_file) au_left_files;
/* Those that the control memory names, sorted by name: before au_world_leave removes them. */
void au_world_left(const struct au_control *c, au_left_files *into);
void au_left_files_release(au_left_files *f);

/* Around an execution: puts aside; removes and puts back. keep: files that it made stay where nothing is put back. */
void au_world_enter(void);
void au_world_leave(const struct au_control *c, bool keep);

#endif
