/* tests/soak/fault.h: one thing that goes wrong, as a value and as text.
 *
 * As text it is COMMAND/WHO/WHAT/HOW/N, so that a failure can be repeated:
 *
 *     check/tool/write/ENOSPC/17      the 17th write of the tool fails once
 *     check/tool/write/ENOSPC/17+     … and all after it
 *     check/tool/write/SHORT/3        the third one writes half of it
 *     run/worker/write/KILL/2         a worker is killed at the second write of any worker
 *     record/program/mmap/ENOMEM/4+   in the recorded program
 *     check/tool/malloc/NULL/200      the 200th malloc, calloc or realloc
 *     check/tool/space/KIB/64         on a file system with so much room
 *     check/tool/memory/MIB/90        with a limit on the address space
 *     check/trace/cut/BYTE/1000       the trace ends there
 *     check/trace/flip/BIT/8123       … has this bit turned round
 *     record/tool/stop/MS/3           stopped and continued every so many milliseconds
 *     check/tool/term/MS/40           told to stop (SIGTERM) so long after it has begun to listen for that */
#ifndef SOAK_FAULT_H
#define SOAK_FAULT_H

#include "base/rng.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    ON_CC,
    ON_RECORD,
    ON_CHECK,
    ON_REPLAY,
    ON_CONFIRM,
    ON_RUN,
    ON_EXPLORE,
    ON_SCAN,
    ON_ALL
} soak_command;
typedef enum { WHO_TOOL, WHO_WORKER, WHO_PROGRAM, WHO_TRACE, WHO_ALL } soak_who;
typedef enum {
    BY_ERRNO, /* a system call fails */
    BY_SHORT, /* … writes half of it */
    BY_KILL,  /* … is the last one of its process */
    BY_NULL,  /* malloc */
    BY_SPACE, /* KiB on the file system */
    BY_MEMORY,
    BY_CUT,
    BY_FLIP,
    BY_STOP,
    BY_TERM,
    BY_ALL
} soak_how;

typedef struct {
    soak_command command;
    soak_who who;
    soak_how how;
    int call;   /* number of the system call: BY_ERRNO, BY_SHORT, BY_KILL */
    int error;  /* BY_ERRNO */
    uint64_t n; /* from 1 */
    bool onwards;
} soak_fault;

/* What is counted in the sums: ENOSPC, EINTR, "kill", "cut", …. */
const char *soak_kind(const soak_fault *f);
/* Is it a system call that something happens to? */
bool soak_is_call(const soak_fault *f);
/* A call without which files and directories cannot be removed fails: then some are left. */
bool soak_is_removal(const soak_fault *f);
const char *soak_fault_text(const soak_fault *f, char *to, size_t n);
bool soak_fault_parse(const char *text, soak_fault *f);

/* What machines and builds cannot do is left out. */
typedef struct {
    bool calls, mounts, memory;
} soak_can;

/* How often which call was seen in earlier runs, so that numbers are chosen that come. */
typedef struct {
    uint32_t seen[ON_ALL][WHO_ALL][512];
} soak_seen;

void soak_fault_choose(au_rng *r, soak_command on, const soak_can *can, const soak_seen *seen,
                       uint64_t trace_bytes, soak_fault *f);

#endif
