/* trace/turn.h: schedules, as findings, cases and executions have them. */
#ifndef AU_TRACE_TURN_H
#define AU_TRACE_TURN_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* How the wait ends that a turn begins in. */
typedef enum {
    AU_MARK_NONE,     /* as waits do, or there is none */
    AU_MARK_SPURIOUS, /* without a signal */
    AU_MARK_TIMEOUT,  /* its time is up */
    AU_MARKS
} au_turn_mark;

/* This thread runs until it has executed 'upto' of its events. Findings number threads as their trace
 * does, cases have names of their own (report/case.h), executions number them as the program makes
 * them. No padding: turns are hashed and sent as bytes. */
typedef struct {
    uint64_t upto;
    uint32_t thread;
    uint16_t mark; /* au_turn_mark */
    uint16_t why;  /* 1 + the AU_TURN_* (wire/stream.h) it began with when recorded; 0: not known */
} au_turn;
typedef AU_VEC(au_turn) au_turns;

/* Turns in somebody's arena. */
typedef struct {
    au_turn *turn;
    uint32_t n;
} au_schedule;

/* "", "spurious", "timeout": as in the JSON and in schedule files. (finding.c) */
const char *au_mark_name(au_turn_mark m);
bool au_mark_of(const char *name, uint16_t *mark);

#endif
