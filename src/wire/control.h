/* SPDX-License-Identifier: MIT
 *
 * wire/control.h: the shared memory through which `augur record` and `augur
 * replay` talk to the runtime inside the program. A memfd, inherited as descriptor
 * AU_CONTROL_FD (not an environment variable: the environment's size moves the main
 * stack). Without it, or with another magic, the program runs unrecorded.
 *
 * The stream goes through a ring of chunks: the runtime fills one, publishes it by
 * raising 'filled' and wakes the drainer (futex); the drainer compresses it, zeroes
 * it and raises 'drained'. When the program has died, everything published and
 * the begun chunk up to its first zero tag is the trace. Of a live stream the drainer
 * takes the begun chunk in pieces ('begun'). A chunk begins at a
 * record; a record never straddles two chunks (long DATA/PATCH/INPUT bytes are split
 * by the encoder into several records of at most AU_RECORD_MAX bytes).
 *
 * For a replay the rest of the memory holds the schedule (struct au_wire_turn), the numbers of
 * threads if more than one thread makes some (struct au_birth), and the
 * inputs: INPUT records as in the stream, each behind a v thread, in the order the
 * stream had them. */
#ifndef AU_WIRE_CONTROL_H
#define AU_WIRE_CONTROL_H

#include <stdint.h>

#define AU_CONTROL_FD 1000

/* 'augur test': in the environment of a suite, the directory that its recordings go to; there, the tool. */
#define AU_SUITE_VARIABLE "AUGUR_SUITE"
#define AU_SUITE_TOOL "augur"
/* In the environment of a recorded program: which forks return 0 in it, so that the child is recorded instead of the
 * parent. "3": its third fork; "3.1": that, and then the first of the child. */
#define AU_CHILD_VARIABLE "AUGUR_CHILD"
/* In the environment of a program of cmocka: which of its tests it executes, a pattern. */
#define AU_CMOCKA_VARIABLE "AUGUR_CMOCKA"

#define AU_CONTROL_MAGIC "AUGURCTL"
#define AU_CONTROL_VERSION 5u
#define AU_CHUNK_BYTES (1u << 20)
#define AU_CHUNKS 32u
#define AU_RECORD_MAX (1u << 16)

enum { AU_MODE_RECORD = 1, AU_MODE_REPLAY = 2 };
enum { AU_POLICY_OS = 0, AU_POLICY_RANDOM = 1, AU_POLICY_PCT = 2 };
/* For runs that are only to go somewhere: a thread that spins must not fill the recording. */
#define AU_PATIENCE 200
enum {
    AU_AFTER_GO_ON = 0,    /* after the last turn: non-preemptive to the end */
    AU_AFTER_STOP = 1,     /* stop there with every thread where the schedule put it (gdb) */
    AU_AFTER_RANDOM = 2,   /* random schedule with 'seed' */
    AU_AFTER_GIVE_WAY = 3, /* as GO_ON, but a thread that executed AU_PATIENCE events gives way */
    AU_AFTER_END = 4       /* the program is ended there (AU_END_LIMIT) */
};

/* What an execution of another schedule rests on besides the schedule (au_control.rests). */
enum {
    AU_RESTS_OUTSIDE = 1, /* input was fed that what was sent before may have caused */
    AU_RESTS_TIMED = 2    /* it went through a part of the kernel that takes its own time */
};

/* 'thread' runs until it has executed 'until' events since its start, and hands over
 * before its next one. */
struct au_wire_turn {
    uint32_t thread;
    uint32_t flags; /* AU_TURNF_* */
    uint64_t until;
};
enum { AU_TURNF_SPURIOUS = 1, AU_TURNF_TIMEOUT = 2, AU_TURNF_WAKES = 4 };
/* flags >> AU_TURNF_WHY is 1 + the AU_TURN_* with which the turn began in the recorded run (0: not
 * known), for the new stream to be the same bytes. */
#define AU_TURNF_WHY 8

/* The threads of the recorded run in the order they were made. Another schedule may make them in
 * another order; a thread's next child is the one that was its next child there, with its number. */
struct au_birth {
    uint32_t parent, child;
};

enum { AU_BECAME = 512 };

struct au_control {
    char magic[8];
    uint32_t version;
    uint32_t mode;
    uint32_t policy;
    uint32_t no_randomize; /* personality worked: addresses are the same every time */
    uint64_t seed;
    uint64_t switch_every; /* events a turn, 0: the runtime's default */
    uint64_t max_events;   /* 0: no limit */
    uint64_t
        stop_after; /* nanoseconds after its start the program is ended (AU_END_LIMIT); 0: no limit */
    uint32_t pct_depth;
    uint32_t after; /* AU_AFTER_* */
    uint64_t ring_offset;
    uint64_t turns_offset, n_turns;
    uint64_t births_offset, n_births; /* 0: numbers are the order of creation */
    uint64_t inputs_offset, inputs_size;
    uint64_t total; /* bytes of the memfd */
    uint32_t other; /* replay: the turns are not those of the recorded run. What lives inside of the
                     * process is then executed, only what came from outside is fed */

    /* written by the runtime */
    uint32_t filled;   /* chunks published so far */
    uint32_t sleeping; /* the drainer sleeps on 'filled' */
    uint64_t events;   /* hooks executed, brought up to date at every turn and at the end */
    uint32_t threads;  /* 1 + the highest number so far */
    uint32_t ended;    /* 1 + AU_END_* */
    int32_t status;
    uint32_t stopped;   /* AU_AFTER_STOP: the schedule's end is reached */
    uint64_t turn;      /* replay: number of the turn it is in */
    uint64_t logged;    /* records written */
    uint64_t bytes;     /* of stream written */
    char message[1024]; /* why it diverged or what the runtime wants said */
    uint32_t rests;     /* AU_RESTS_*, with 'other' */

    /* written by the drainer */
    uint32_t drained;
    uint32_t waiting; /* the runtime sleeps on 'drained' */
    uint32_t resume;  /* AU_AFTER_STOP: go on */

    /* Somebody reads the stream while the program runs: set before its start. Then the runtime says at the end
     * of each turn how much of the begun chunk is whole records (number of the chunk << 32 | bytes). */
    uint32_t live;
    uint64_t begun;

    /* Names of files that the program made, each with its end, one after the other. 'made' is written by the runtime,
     * and is more than the size if there was no room for all. */
    uint64_t made_offset, made_size, made;

    uint32_t
        forks; /* that the runtime did since it began, or since the fork whose child is recorded */

    uint32_t asked;                  /* AU_ASKED_* */
    uint32_t became[AU_BECAME / 32]; /* bit n - 1: the child of fork n became another program */
};

/* Has the program asked the kernel for what no INPUT of the recording tells: is a file there, can it be opened …? */
enum { AU_ASKED_UNKNOWN = 0, AU_ASKED_NOTHING = 1, AU_ASKED = 2 };

#endif
