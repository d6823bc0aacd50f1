/* trace/recording_priv.h: between the files that make a trace of a recording.
 *
 *   recording_decode.c  the two passes and the decoder's interface
 *   recording_late.c    when the time is over
 *   recording_places.c  modules, sites, locations
 *   recording_names.c   what variables and synchronisation objects are called
 *   recording_events.c  second pass: records into events
 *   recording_talk.c, recording_channel.c   who comes after whom because they talked
 *   recording_order.c   what the program says to be ordered
 *   recording_opaque.c  calls of code without hooks
 *   recording_watch.c   who looks on (watch.h)
 *   recording_online.c  one that comes through a pipe, in one pass
 *   recording_thin.c    a long one: what of it tells something (thin.h)
 *   recording_runs.c    … and accesses that do the same again and again */
#ifndef AU_TRACE_RECORDING_PRIV_H
#define AU_TRACE_RECORDING_PRIV_H

#include "trace/cells.h"
#include "trace/hooks.h"
#include "trace/mapped.h"
#include "trace/objects.h"
#include "trace/reader_priv.h"
#include "trace/recording.h"
#include "trace/stream.h"
#include "trace/tables.h"
#include "trace/thin.h"
#include "trace/words.h"
#include "wire/channel.h"
#include "wire/libc.h"

/* A place of the program; what is not known yet is AU_PLACE_ASK. Place 0 is unknown. */
#define AU_PLACE_ASK (UINT32_MAX - 1)
typedef struct {
    const au_tables *tables;      /* NULL: unknown */
    uint32_t site;                /* in tables */
    uint32_t loc;                 /* in names, AU_LOC_NAMED + id, AU_NONE */
    uint32_t block;               /* in names: its function (CALL, BEGIN), or what it calls */
    uint32_t made;                /* objects made here so far */
    uint32_t type;                /* HEAP: what accesses say its blocks are, 0: unknown … */
    const au_tables *type_tables; /* … number in these */
    uint8_t asked;                /* accesses from here that were used to learn types */
    uint8_t told;                 /* first place of a module: how often the module was told */
    bool atomic;                  /* what it calls is a function for atomics */
    bool once;                    /* … is pthread_once */
    uint8_t talk;                 /* au_libc_channel: of what it calls */
    bool holds;                   /* … and it may wait until somebody hears (au_libc) */
    uint8_t order;                /* AU_ORDER_*, bits: of what it calls */
    uint8_t reply;                /* au_libc_reply: of what it calls */
    bool unseen;                  /* what it calls may write memory, and no event tells */
    uint8_t foreign[2]; /* au_libc_foreign: of what it calls, elsewhere and in the C library */
} au_place;

typedef struct {
    AU_VEC(au_tables *) tables;
    AU_VEC(au_place) place;
    AU_VEC(uint32_t) near; /* site id -> place */
    AU_VEC(struct au_far_sites {
        uint32_t first;
        uint32_t n;
        uint32_t place;
    })
    far;
} au_places;

typedef struct {
    uint64_t address;
    uint32_t lock; /* in names */
    uint8_t kind;
    int32_t init;
    bool used; /* by an event: what it is cannot be told otherwise any more */
} au_sync_object;

/* How a lock is held, so that what a real program may do and a trace may not
 * (unlocking another's mutex, dying with a robust one) can be told by an 'init'. */
typedef struct {
    uint16_t holder; /* thread + 1 */
    uint32_t depth, readers;
} au_lock_state;

typedef struct {
    uint32_t waits, arrived; /* object + 1 */
    uint32_t depth;          /* open atomic blocks */
    uint32_t own;            /* variable of its own memory, + 1 */
    uint32_t name;           /* in names, + 1 */
    uint32_t sent;           /* the 'once' of its last call that sends, + 1 */
    uint64_t heard;          /* talk.sent when it last heard */
    bool hears;              /* inside of a call that hears */
    uint32_t listens;        /* once, + 1, of the last call of its that hears: it has begun */
    bool signalled;          /* a handler of a signal comes next */
    bool held;               /* inside of a call that sends and may wait for room */
    uint32_t channel;        /* index + 1: its call on this channel is not done */
    struct {
        uint64_t address, value;
        uint32_t len;
        uint8_t op;
    } last; /* its last event */
} au_rec_thread;

/* recording_opaque.c: does a call order, if what is called lies in the C or C++ library, or elsewhere? */
enum { AU_ORDER_BASE = 1, AU_ORDER_OTHER = 2 };
typedef struct {
    AU_VEC(uint64_t) moves; /* places that follow one of another thread */
    uint64_t places;        /* so far */
    size_t next;            /* in moves */
    uint32_t last;          /* thread of the last place, + 1 … */
    uint64_t time;          /* … and when that was, in places of all chains */
    uint32_t once;          /* that the next place waits for */
} au_opaque_chain;
typedef struct {
    AU_VEC(struct au_opaque_call {
        uint32_t library; /* that it is in, + 1 */
        uint8_t foreign;  /* au_libc_foreign */
    })
    call;          /* of this frame, by depth */
    uint32_t told; /* places that another thread waits for */
    uint64_t time; /* of its last place */
    bool woken;    /* its last event on a lock or condition was a WAKE */
    uint64_t
        unseen; /* of calls that may write unseen, it comes after so many (fork, join, its own) */
    uint8_t foreign; /* of its last event, if that is a call of code without hooks or the return */
} au_opaque_thread;
typedef struct {
    au_map code;                   /* address -> (library + 1) << 8 | AU_CODE_* */
    au_intern library;             /* names */
    AU_VEC(au_opaque_chain) chain; /* by library */
    AU_VEC(au_opaque_thread) thread;
    uint64_t time;   /* places so far */
    uint64_t unseen; /* calls so far that may write unseen */
    bool patched;    /* the next event reads what code without hooks wrote */
} au_opaque;

/* recording_order.c: what the program says to be ordered. */
typedef struct {
    au_map object; /* address -> index + 1 */
    AU_VEC(struct au_ordered_object {
        AU_VEC(struct {
            uint16_t thread;
            uint32_t once;
        })
        last; /* of each thread that said BEFORE */
    })
    at;
    au_map waited; /* once << 16 | thread: it has waited for that */
    uint32_t told;
} au_ordered;

/* ---- recording_channel.c ---- */

/* A call that sent, one that received. */
typedef struct {
    uint64_t end;    /* so many bytes were sent (received) when it was done */
    uint64_t weight; /* … and so much room was taken (given back) */
    uint32_t once;   /* + 1; 0: it was not done */
    uint32_t real;   /* … for who stands still until then; 0: the same */
    uint16_t thread;
} au_channel_call;

typedef struct {
    uint64_t window;
    AU_VEC(au_channel_call) send, receive;
    AU_VEC(uint32_t) source; /* survey: of each receive, how many sends it needed */
    uint32_t needed;         /* survey: the most of them */
    AU_VEC(uint64_t)
    goal;           /* survey: of each call that sends, the bytes that were sent when it was done */
    uint32_t calls; /* that send, so far */
    uint64_t at;    /* where the last read of the window began */
    uint32_t waited;                          /* counters: sends that a receive waited for */
    au_channel_call sent_edge, received_edge; /* the last calls that came to an end of it */
    uint32_t pieces;                          /* sends that the present call was told as: 0 or 1 */
    uint8_t kind, code;                       /* of the channel; of the present call */
    /* Survey: the last thread, + 1, that received; that came to an end of it, sending, receiving. The order
     * of two threads' calls is an assumption. */
    uint16_t receiver, edge[2];
    bool ordered, several; /* files: several threads wrote */
    bool alone;            /* one thread sends */
    bool second;           /* the survey is over */
} au_rec_channel;

typedef struct {
    au_map window; /* -> index + 1 */
    AU_VEC(au_rec_channel) at;
} au_channels;

/* ---- recording_runs.c ---- */

/* What the last access from a site did. */
typedef struct {
    uint64_t address;
    uint64_t when;  /* survey: d->repeats.time; events: the thread's epoch. 0: it is not known */
    uint64_t hook;  /* survey: the last that repeated it */
    uint32_t times; /* survey: it was repeated and not told of; events: births when it was noted */
    uint32_t group; /* events: in the epoch (thin_priv.h); AU_NONE: none, nobody shares it */
    uint16_t shape; /* operation and size */
    bool untold;    /* survey: it is in the list */
} au_again;
typedef struct {
    AU_VEC(au_again) at;     /* by place in the stream */
    AU_VEC(uint32_t) untold; /* survey: places with 'times' */
    uint64_t
        time; /* survey: changes when another thread runs or a lifetime begins or ends; from 1 */
    uint16_t thread; /* survey: that runs */
    uint32_t births; /* events: lifetimes begun */
    uint32_t fresh;  /* events: place of the last plain access, not noted yet; 0: none */
} au_repeats;

typedef struct au_recording {
    au_decoder base;
    au_read_options opts; /* a copy: the reader's may move */
    au_frames frames;
    bool surveyed, over;
    uint16_t running; /* thread, while events are made */
    /* recording_late.c: records asked for in this pass, when to look at the clock, where the survey was
     * left (0: it was not), and what must be left of the time so that it goes on */
    uint64_t asked, look, most;
    double leave;
    uint64_t accesses; /* survey: of any memory */
    au_epochs epochs;  /* only if it may be thinned */
    au_thin *thin;     /* NULL: it is not */
    au_columns hook;   /* … else the events of the present hook */
    au_repeats repeats;
    au_recording_facts facts;
    au_places places;
    au_objects objects;
    au_survey survey;
    au_cells cells;
    au_hooks hooks;
    au_stream *stream;
    uint64_t events, first; /* trace events handed out; of the block before */
    AU_VEC(au_rec_thread) thread;
    au_map sync; /* address -> index + 1 */
    AU_VEC(au_sync_object) object;
    AU_VEC(au_lock_state) lock; /* by lock */
    au_map readers;             /* lock << 16 | thread -> read locks held */
    au_map holder;              /* survey: address of a mutex -> thread + 1 that holds it */
    au_map exited;              /* survey: threads that have ended */
    au_map robust; /* addresses of mutexes that were got after their holder had ended */
    au_map blocks; /* address -> name of an atomic block */
    au_map locals; /* place << 16 | thread -> local variables made there */
    AU_VEC(struct au_rec_path {
        uint32_t id;   /* in opts.words->path, + 1; 0: not known */
        uint32_t made; /* threads */
    })
    path;         /* by thread; only with opts.words */
    au_map again; /* name of a variable or lock -> how often it came again */
    struct {
        bool needed;   /* somebody hears */
        bool held;     /* some call may have waited until somebody heard */
        uint64_t sent; /* calls that sent, so far */
        au_map
            heard; /* thread << 16 | other thread -> the last 'sent' (bit 32: 'listens') of it that it waited for */
    } talk;
    au_opaque opaque;
    au_mappings mapped;
    uint64_t
        moved; /* of the access that is told: its address, minus the first that the memory had */
    au_ordered ordered;
    au_channels channels;
    /* while events are made */
    au_columns *c;
    au_names *names;
    const au_stream_record *r;
    uint32_t loc;
    bool atomic;                  /* its accesses are, whatever their operation says */
    uint64_t parts;               /* events of this hook so far */
    struct au_watching *watching; /* NULL: nobody looks on */
    struct au_ahead *ahead;       /* one pass: the survey goes on before it; NULL: it is complete */
} au_recording;

/* ---- recording_late.c ---- */
void au_recording_late_begin(au_recording *d); /* before each pass */
/* Before the record with number 'look'; *end: there is none any more. */
au_status au_recording_look(au_recording *d, bool *end, au_error *err);
/* ---- recording_decode.c ---- */
/* Takes the frames over. */
au_recording *au_recording_new(const au_frames *f, const au_read_options *opts);
void au_recording_free(au_decoder *base);
/* A record that is no event, in the survey; when events are made. */
void au_recording_fact(au_recording *d, const au_stream_record *r);
void au_recording_control(au_recording *d, const au_stream_record *r);
void au_recording_surveyed(au_recording *d); /* the survey has seen the last record */

/* ---- recording_online.c ---- */
void au_ahead_free(au_recording *d);
/* Is the survey not beyond this place of a library's chain, so that nobody knows whose the next one is? */
bool au_ahead_is_last(const au_recording *d, uint32_t library, uint64_t place);

/* ---- recording_places.c ---- */
void au_places_release(au_places *p);
au_status au_places_tables(au_recording *d, const au_frame *f, au_error *err);
/* A MODULE record; globals become objects. */
void au_places_module(au_recording *d, const au_stream_record *r);
/* Between the passes: nothing is known of the run any more, but types learned stay. */
void au_places_again(au_places *p);
au_place *au_place_of(au_recording *d, uint32_t site);
/* 0: a hook's event; 1, 2, 3: the first, second or a later one inside of a call. */
unsigned au_place_kind(const au_recording *d, uint32_t site);
uint32_t au_place_loc(au_recording *d, au_place *p);
uint32_t au_place_func(au_recording *d, au_place *p);

/* ---- recording_names.c ---- */
/* A new variable for bytes [at, at+n). */
uint32_t au_name_cell(au_recording *d, uint64_t at, uint64_t n);
/* The variable that stands for a whole object. */
uint32_t au_name_object(au_recording *d, au_object *x);
uint32_t au_name_own(au_recording *d, uint16_t thread);
uint32_t au_name_thread(au_recording *d, uint32_t thread);
/* The synchronisation object at this address. */
uint32_t au_name_sync(au_recording *d, uint64_t at);
/* An OBJ record: it is of this kind from now on. */
void au_name_sync_kind(au_recording *d, uint64_t at, uint8_t kind, int32_t init);
void au_name_sync_gone(void *recording, uint64_t at); /* its memory is another object's now */

/* A new 'once'. assumed: an order that was only seen: it is kept, but who comes later does not wait there, it is only
 * not known what it would do if it came first. */
uint32_t au_name_once(au_recording *d, const char *name, bool assumed);

/* ---- recording_talk.c ---- */
void au_talk_survey(au_recording *d, const au_place *p); /* an XCALL, in the survey */
void au_talk_call(au_recording *d, const au_place *p, uint16_t thread);
void au_talk_return(au_recording *d, uint16_t thread);
void au_talk_survey_hears(
    au_recording *d); /* something else than a call that hears does, in the survey */
void au_talk_signalled(au_recording *d, uint16_t thread); /* before the first event of a handler */
/* A call that sends may have waited for room (AU_CHANNEL_HELD): in the survey, and while events are made. */
void au_talk_survey_held(au_recording *d);
void au_talk_held(au_recording *d, uint16_t thread);

/* ---- recording_order.c ---- */
void au_ordered_release(au_ordered *o);
void au_ordered_event(au_recording *d, const au_stream_record *r); /* BEFORE, AFTER */

/* ---- recording_opaque.c ---- */
void au_opaque_init(au_opaque *o);
void au_opaque_release(au_opaque *o);
void au_opaque_again(au_opaque *o);
void au_opaque_code(au_recording *d, const au_stream_record *r);  /* a NOTE_CODE, in the survey */
void au_opaque_patch(au_recording *d, const au_stream_record *r); /* a PATCH, in both passes … */
void au_opaque_read(au_recording *d, const au_stream_record *r);  /* … and the event behind it */
void au_opaque_survey(au_recording *d, const au_stream_record *r, const au_place *p);
/* Gives the library whose chain the record is a place of, + 1; 0: none. */
uint32_t au_opaque_event(au_recording *d, const au_stream_record *r, const au_place *p);
/* … of that event, a call or its return: what it depends on that no event tells (replies.h). */
au_libc_reply au_opaque_foreign(const au_recording *d, uint16_t thread);
uint32_t au_opaque_name(au_recording *d, au_place *p, uint32_t library); /* of what is called */
/* ---- recording_channel.c ---- */
void au_channels_release(au_channels *c);
/* "pipe 2 of T0" */
void au_channel_name(uint64_t address, char *out, size_t room);
/* A range of the stream: in the survey, and before and after it becomes events. */
void au_channel_survey(au_recording *d, const au_stream_record *r);
void au_channels_surveyed(au_recording *d);
void au_channel_before(au_recording *d, const au_stream_record *r);
void au_channel_after(au_recording *d, const au_stream_record *r);
static inline bool au_channel_touches(const au_recording *d, const au_stream_record *r) {
    return au_channel_is(r->address) || d->thread.at[r->thread].channel;
}

/* ---- recording_events.c ---- */
/* One event of the trace without a value, of the record that is being told. */
void au_recording_tell(au_recording *d, au_op op, uint32_t obj);
/* The bytes that an event accesses; 0: none. */
uint64_t au_recording_accessed(const au_stream_record *r);
/* One event of the stream as events of the trace (or, in the survey, none). */
void au_recording_survey(au_recording *d, const au_stream_record *r);
void au_recording_event(au_recording *d, const au_stream_record *r);
/* … as au_recording_event, of a recording that is thinned: a plain access of one cell, which nearly all are. False: it
 * is something else, and nothing was done. */
bool au_recording_plain(au_recording *d, const au_stream_record *r);
/* With opts.words: who made a thread; the path of one. */
void au_recording_forked(au_recording *d, uint32_t thread, uint64_t child);
uint32_t au_recording_maker(au_recording *d, uint32_t thread);
/* ALLOC and FRAME events and THREAD records, in both passes. */
au_object *au_recording_birth(au_recording *d, const au_stream_record *r);

/* The thread is answered by what the model does not have (replies.h). */
void au_recording_reply(au_recording *d, uint16_t thread, au_libc_reply kind);

/* ---- recording_thin.c ---- */
/* Before the survey: should it look where epochs end? After it: is the recording thinned? */
bool au_recording_may_be_thinned(const au_recording *d);
void au_recording_thin(au_recording *d);
void au_recording_thin_release(au_recording *d);

/* ---- recording_runs.c ---- */
/* Survey: after an event; then all that follow and do what their sites did before. */
void au_again_survey(au_recording *d, const au_stream_record *r);
/* … before what another thread, or another lifetime, could notice. */
void au_again_settle(au_recording *d);
/* Events of a thinned recording: the same, after a plain access; and when a lifetime begins. */
void au_again_thin(au_recording *d, const au_stream_record *r);
void au_again_birth(au_recording *d);
/* What is remembered holds no more: between the passes. */
void au_again_forget(au_recording *d);

/* ---- recording_watch.c: only if opts.watch ---- */
void au_watching_init(au_recording *d);
void au_watching_release(au_recording *d);
void au_watching_bits(au_recording *d, const au_stream_record *r); /* survey: a BITS record */
/* Events first … first + n - 1 were made of the record. False: stop. */
bool au_watching_record(au_recording *d, const au_stream_record *r, uint64_t first, uint64_t n);

#endif
