/* trace/watch.h: looking on while a recording becomes a trace: the program's records beside the
 * events made of them. For who follows the program itself (retrace/retrace.h).
 *
 * A watch is given with the read options and must outlive the reader. */
#ifndef AU_TRACE_WATCH_H
#define AU_TRACE_WATCH_H

#include "base/vec.h"
#include "trace/stream.h"

/* Bytes [at, at + n) of an access that are one event of the trace, on variable var. */
typedef struct {
    uint64_t at;
    uint32_t n;
    uint32_t event, var;
} au_part;

typedef struct au_watch au_watch;
struct au_watch {
    /* Every record of the second pass, in order, after its events were made (the effect on
     * the image of memory is done: r->old has what a write replaced). parts: of accesses, in the order of addresses; empty if nobody
     * shares the memory. first, n: all events of the trace made of this record. False: stop
     * reading, as if the recording ended here. */
    bool (*record)(void *ctx, const au_stream_record *r, const au_part *part, size_t n_parts,
                   uint64_t first, uint64_t n);
    void *ctx;
    /* Set by the decoder before the first call. */
    const struct au_recording *of;
    au_stream *stream;
};

/* Of a shared access [at, at + n) that were made now: its parts, the events left out (0). 0: nobody
 * shares this memory, it is not divided like this, or no event has touched it in this life of its
 * object yet. */
size_t au_watch_parts(const au_watch *w, uint64_t at, uint64_t n, au_part *into, size_t room);

/* The object that lies at an address now: its first byte and size. False: none known. */
bool au_watch_object(const au_watch *w, uint64_t at, uint64_t *start, uint64_t *size, bool *freed);

/* The synchronisation object that lies at an address now, in the trace's names; AU_NONE. */
uint32_t au_watch_sync(const au_watch *w, uint64_t at);

/* All outcomes of branches that a thread told in the whole run (collected by the survey). */
typedef struct {
    AU_VEC(uint8_t) byte;
    uint64_t n; /* bits, the first in bit 0 of byte 0 */
} au_outcomes;
const au_outcomes *au_watch_outcomes(const au_watch *w, uint32_t thread);

#endif
