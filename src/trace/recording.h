/* trace/recording.h: what a recording says of its run besides its events. */
#ifndef AU_TRACE_RECORDING_H
#define AU_TRACE_RECORDING_H

#include "trace/hooks.h"
#include "trace/reader.h"
#include "wire/stream.h"

/* Borrowed from the reader. */
typedef struct au_recording_facts {
    uint64_t bytes;   /* of the stream, unpacked */
    uint64_t records; /* in it */
    uint64_t hooks;   /* events of the program, all threads */
    uint64_t turns;
    uint64_t turns_by[AU_TURN_YIELD + 1]; /* AU_TURN_*: why the turn before ended */
    uint64_t inputs, input_bytes;         /* told by INPUT records */
    uint64_t patches, patch_bytes;
    uint64_t branches; /* outcomes told by BITS records */
    bool
        channel_order; /* threads share a channel (wire/channel.h): that they send and receive in the recorded order
                         * is an assumption of the trace */
    bool ended;          /* there is an END record … */
    uint8_t end;         /* … AU_END_* … */
    int64_t status;      /* … its status … */
    uint32_t end_thread; /* … and who did it */
    AU_VEC(struct au_facts_module {
        uint64_t id;
        uint32_t sites;
        uint32_t globals;
        bool tables;  /* the recording has its tables */
        char *source; /* main source file, "" */
        char *path;   /* file it was loaded from */
    })
    module;
    AU_VEC(struct au_facts_thread {
        uint64_t hooks;
        char *name; /* what the program called it, "" */
    })
    thread;
    au_map
        freed; /* au_key2 of location and variable of the events that free memory: writes of each of its cells,
                     without a value */
    AU_VEC(char *) note; /* the first hundred (AU_LIMIT_RECORDING_NOTES) */
    uint64_t notes;      /* all of them */
} au_recording_facts;

/* NULL if the reader does not read a recording. Complete after au_reader_next has been
 * called once. */
const au_recording_facts *au_reader_facts(const au_reader *r);
/* NULL: an event's index is what schedules speak of. Grows with each au_reader_next. */
const au_hooks *au_reader_hooks(const au_reader *r);

/* Every place of the program that the recording's tables know, with its function: "" where a
 * table does not say. Nothing if it is no recording. */
typedef void au_site_fn(void *ctx, const char *file, uint32_t line, const char *function);
void au_reader_sites(const au_reader *r, au_site_fn *each, void *ctx);
/* The function that a site of a module is in, as people write it; "": not known. */
const char *au_reader_function(const au_reader *r, uint64_t module, uint32_t site);

#endif
