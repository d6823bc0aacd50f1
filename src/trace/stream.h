/* trace/stream.h: the records of a recording (wire/stream.h), one by one.
 *
 * The decoder is fed with chunks (the payloads of STREAM frames, or a live ring's) and
 * hands out records; events that were expected, and therefore cost no byte, come out
 * like all others. It keeps the sites' predictors, every thread's last site and hook
 * count, and the image of memory. Bytes that no runtime writes give AU_EFORMAT, never
 * more; memory grows with sites, threads and touched pages only.
 *
 * What wire/stream.h leaves open, as both sides do it:
 *   - EV without SITE: the site is the successor of this thread's last site; EV with SITE
 *     makes that site the successor. A thread's first event has SITE.
 *   - Sites belong to a MODULE that was told before (id first … first + sites - 1), those
 *     below 16 to the runtime itself. A module may be told again with other ids: more
 *     predictors for the same places.
 *   - The site's op, size and len are set by OP and LEN and stay until the next ones.
 *   - Effects on the image come after the event: WRITE, AWRITE and RMW put 'value'
 *     (size bytes, at most 8: of a wider access the rest is told by a PATCH), RWRITE its
 *     DATA; without DATA the image already holds what is written (a PATCH before told
 *     it: that is how ranges longer than a record are written).
 *   - Threads are numbered 0, 1, 2, … in the order of their THREAD records. Before the
 *     first TURN thread 0 runs. */
#ifndef AU_TRACE_STREAM_H
#define AU_TRACE_STREAM_H

#include "base/error.h"
#include "base/vec.h"
#include "trace/shadow.h"
#include "wire/stream.h"
#include "wire/wire.h"

/* Which fields mean something depends on the tag; the others are 0, but for those of control records, which
 * events leave as they are. Pointers are borrowed until the next call. */
typedef struct {
    uint8_t tag;         /* AU_TAG_*; AU_TAG_EV for every event. Never RUN or PAD */
    uint8_t op, size;    /* EV */
    uint8_t kind;        /* TURN: why; OBJ, INPUT, NOTE: kind; END: why */
    uint16_t thread;     /* the thread that runs (after TURN: the new one); THREAD: the new one */
    bool told;           /* EV: had a record of its own, was not expected */
    uint32_t site;       /* EV: id in the stream */
    uint32_t len;        /* EV: of ranges, ALLOC, FRAME */
    uint64_t index;      /* hook count of 'thread' with this event, from 1; others: so far */
    uint64_t address;    /* EV, OBJ, PATCH; THREAD: lowest address of its stack */
    uint64_t value;      /* EV: reads: what was seen; else as told. OBJ: initial count, INPUT:
                       * result, END: status (all int64_t). THREAD: entry function.
                       * MODULE: its id. BITS: how many */
    uint64_t old;        /* EV, WRITE AWRITE RMW: what memory held before (size bytes) */
    const uint8_t *data; /* EV with DATA, PATCH, BITS, INPUT, NOTE; MODULE: path */
    size_t n;            /* bytes of data */
    /* control records only */
    uint64_t extent;                         /* THREAD: bytes of the stack; INPUT: errno */
    const uint8_t *before;                   /* PATCH: what memory held, n bytes */
    uint32_t first_site, n_sites, n_globals; /* MODULE */
    const uint64_t *global;                  /* MODULE: addresses */
} au_stream_record;

typedef struct au_stream au_stream;

au_stream *au_stream_new(void);
void au_stream_free(au_stream *s);

/* From now on 'value' of reads and 'old' are 0: for who only asks where things lie. The image of memory
 * is kept but for what expected events write that somebody goes through by himself. */
void au_stream_be_blind(au_stream *s);

/* The next chunk; the last one must have been used up. Borrowed until it is. */
void au_stream_feed(au_stream *s, const void *p, size_t n);

/* AU_OK with r->tag set, or with r->tag == AU_TAG_PAD: feed the next chunk (after END:
 * there is none). On AU_EFORMAT the decoder stays failed. */
au_status au_stream_next(au_stream *s, au_stream_record *r, au_error *err);

/* Expected events, for who goes through them by himself, which is several times as fast: each is that of site
 * 'site[site[prev].succ]' (place 0: the stream is wrong, au_stream_next says so), at its 'pred'; after it, its
 * predictors go on as wire/stream.h says, its place is 'prev', and what it did to memory is done. */
typedef struct {
    struct au_site *site; /* by place */
    uint32_t prev;
    uint16_t thread;
    uint64_t index; /* hooks of the thread so far */
    uint64_t left;  /* expected events */
} au_stream_run;
/* False: none is expected now. */
bool au_stream_begin_run(au_stream *s, au_stream_run *run);
/* After 'used' of them, with run->prev as the last left it. */
void au_stream_end_run(au_stream *s, const au_stream_run *run, uint64_t used);
/* Places so far; that of the running thread's last event. */
uint32_t au_stream_places(const au_stream *s);
uint32_t au_stream_place(const au_stream *s);

/* Bytes of records consumed so far (without padding), and where the current chunk's
 * next record starts in it. */
uint64_t au_stream_bytes(const au_stream *s);
size_t au_stream_offset(const au_stream *s);
/* Threads told so far, hooks executed by one and by all, records seen (a RUN is one). */
uint32_t au_stream_threads(const au_stream *s);
uint64_t au_stream_index(const au_stream *s, uint32_t thread);
uint64_t au_stream_events(const au_stream *s);
uint64_t au_stream_records(const au_stream *s);
bool au_stream_ended(const au_stream *s);
/* Memory as told so far. */
au_shadow *au_stream_memory(au_stream *s);

/* ---- the other direction, for tests: does what the runtime does --------------- */

typedef struct au_stream_writer au_stream_writer;

/* Chunks of at most 'chunk' bytes (a record never straddles two). */
au_stream_writer *au_stream_writer_new(size_t chunk);
void au_stream_writer_free(au_stream_writer *w);

void au_stream_put_module(au_stream_writer *w, uint64_t id, uint32_t first_site, uint32_t sites,
                          const uint64_t *global, uint32_t n_globals, const char *path);
void au_stream_put_thread(au_stream_writer *w, uint32_t thread, uint64_t stack, uint64_t size,
                          uint64_t entry);
void au_stream_put_turn(au_stream_writer *w, uint32_t thread, uint8_t why);
void au_stream_put_object(au_stream_writer *w, uint64_t address, uint8_t kind, int64_t init);
void au_stream_put_input(au_stream_writer *w, uint8_t kind, int64_t result, uint64_t error,
                         const void *p, size_t n);
void au_stream_put_bits(au_stream_writer *w, uint64_t count, const void *p);
void au_stream_put_note(au_stream_writer *w, uint8_t kind, const char *text);
void au_stream_put_end(au_stream_writer *w, uint8_t why, int64_t status);
void au_stream_put_patch(au_stream_writer *w, uint64_t address, const void *p, size_t n);
/* Reads: value is what memory holds; a PATCH comes first if that is not known. */
void au_stream_put_event(au_stream_writer *w, uint32_t site, uint8_t op, uint8_t size,
                         uint64_t address, uint64_t value, uint32_t len, const void *data);

/* Ends the begun run; then the chunks are there to be taken. */
void au_stream_writer_flush(au_stream_writer *w);
size_t au_stream_writer_chunks(const au_stream_writer *w);
const uint8_t *au_stream_writer_chunk(const au_stream_writer *w, size_t i, size_t *n);

#endif
