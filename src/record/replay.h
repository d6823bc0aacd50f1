/* record/replay.h: a recording as something to run again: the program, its inputs, the order of
 * its turns; and whether two recordings are the same run. */
#ifndef AU_RECORD_REPLAY_H
#define AU_RECORD_REPLAY_H

#include "base/vec.h"
#include "program/program.h"
#include "trace/stream.h"
#include "trace/turn.h"

typedef struct {
    au_program program;
    au_turns turns;                 /* every turn in which something happened */
    AU_VEC(struct au_birth) births; /* in their order; empty if one thread makes all others */
    AU_VEC(uint8_t) inputs;         /* as wire/control.h wants them */
    AU_VEC(char) input;             /* standard input, as far as it was kept */
    bool input_whole;
    uint64_t events;
    AU_VEC(uint64_t) length; /* events of each thread */
    uint8_t end_why;         /* AU_END_*; 255: the recording does not say */
    int64_t end_status;
    bool cut;          /* the recording has no END frame */
    char ignored[200]; /* variables of its environment that are not set (au_program_distrust) */
} au_replay;

au_status au_replay_load(au_replay *r, const char *path, au_error *err);
void au_replay_release(au_replay *r);

/* Is the program still the one that was recorded? AU_EUNSUPPORTED if not. */
au_status au_replay_same_program(const au_replay *r, au_error *err);
/* Something of the machine that is not as it was ("" if all is): for a person. */
void au_replay_differences(const au_replay *r, char *text, size_t size);

/* ---- comparing two recordings ---- */

typedef enum {
    AU_SAME,
    AU_OTHER_THREAD,  /* another thread ran */
    AU_OTHER_PLACE,   /* the thread did something else */
    AU_OTHER_ADDRESS, /* the same place, another address */
    AU_OTHER_VALUE,   /* the same address, another value */
    AU_SHORTER,       /* the second one ended before */
    AU_LONGER,        /* the first one ended before */
    AU_OTHER_END      /* the same events, but it ended otherwise */
} au_difference;

typedef struct {
    au_difference what;
    uint64_t events;          /* that are the same, unless all are */
    au_stream_record was, is; /* the first that are not; tag 0: none. No data */
    bool addresses;           /* were compared */
} au_comparison;

/* Event by event. With 'addresses' false (address randomisation) only threads and places
 * count. AU_OK whatever the answer. */
au_status au_replay_compare(const char *recorded, const char *replayed, bool addresses,
                            au_comparison *c, au_error *err);

/* ---- walking ---- */

/* The records of a recording, through all its frames. Names are in 'tables' (TABLES frames
 * are handed to the callback as they come, with 'at' and 'n'; may be NULL). */
typedef struct au_walk au_walk;
typedef void au_walk_frame_fn(void *ctx, uint8_t kind, uint32_t count, const char *at, size_t n);
au_walk *au_walk_open(const char *path, au_walk_frame_fn *other, void *ctx, au_error *err);
void au_walk_free(au_walk *w);
/* From now on: fails, and says why, when the time of the command is over (base/deadline.h). */
void au_walk_ends(au_walk *w);
/* r->tag AU_TAG_PAD at the end. */
au_status au_walk_next(au_walk *w, au_stream_record *r, au_error *err);
const char *au_walk_meta(const au_walk *w, const char *key);
bool au_walk_cut(const au_walk *w);
au_stream *au_walk_stream(au_walk *w);

#endif
