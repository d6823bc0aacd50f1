/* SPDX-License-Identifier: MIT
 *
 * wire/stream.h: what the runtime writes while a program runs. Included by rt
 * (the encoder) and by src/trace (the decoder), includes nothing of ours, so
 * that both sides share one predictor and cannot drift apart.
 *
 * One program thread runs at a time, so a recording is ONE stream of records in
 * the order in which things happened. An *event* is one execution of a hook; the
 * events of a thread are numbered from 1 and that number (its hook count) is what
 * schedules speak of. Both sides keep, for every *site* (instrumented place), what
 * it did last; an event that does what was expected costs no byte: it only makes
 * the current run longer.
 *
 * An event is (site, op, size, address, value, length). It is *expected* if
 *   - the site is the one that followed the previous site of this thread last time,
 *   - op and size (and length) are the site's last ones,
 *   - the address is the site's last one plus its stride,
 *   - the value is the expected one: for reads the contents of memory as the stream
 *     told it (the shadow), for everything else the site's last value plus stride.
 * Memory that changed behind the hooks' back (kernel, uninstrumented code) is told
 * by a PATCH just before the read that noticed: reads always see the shadow.
 *
 * Records start with a tag byte. 0 is the end of what was written (buffers are
 * zeroed before use, so a killed program's last buffer ends there). v is an
 * unsigned LEB128 number, z a zig-zag one.
 *
 *   RUN     v n                      n expected events of the current thread
 *   TURN    v thread, u8 why         from here on this thread's events (AU_TURN_*)
 *   THREAD  v thread, v stack low, v stack size, v entry function
 *                                    before the FORK event of its parent (and before
 *                                    the first event for thread 0, the main thread)
 *   OBJ     v address, u8 kind, z init     a synchronisation object seen first or
 *                                    initialised anew; kind AU_WIRE_OBJ_*
 *   PATCH   z address - end of the last patch, v length, bytes
 *   BITS    v count, bytes           branch outcomes of the current thread, first in
 *                                    bit 0 of byte 0 (only branches whose outcome the
 *                                    next event does not tell, see front)
 *   INPUT   u8 kind, z result, v errno (of a success: rt/cause.h), v length, bytes
 *                                    what a call returned from outside (AU_INPUT_*);
 *                                    follows the XCALL event of the current thread
 *   MODULE  u64 module id, v first site id, v sites, v globals, that many v addresses,
 *           v length, path of the file it was loaded from. Told several times with other
 *           first ids (and no globals): more predictors for the same places, used by
 *           the events inside a call (a lock's, malloc's)
 *   NOTE    u8 kind, v length, text  AU_NOTE_*
 *   END     u8 why, z status         AU_END_*; nothing follows
 *   EV|f    one event that was not as expected; for every bit of f in this order:
 *           SITE v id | OP u8 op, u8 size | ADDR z difference to the expected one |
 *           VAL z difference to the expected one (never for reads) | LEN v | DATA
 *           'length' bytes
 *
 * Ops are AU_OP_* of wire.h and, from 64 on, AU_SOP_* below. */
#ifndef AU_WIRE_STREAM_H
#define AU_WIRE_STREAM_H

#include <stdbool.h>
#include <stdint.h>

/* Of rt/hooks.h: what instrumented modules and the runtime must agree on. */
#define AU_HOOKS_VERSION 3u

enum {
    AU_TAG_PAD = 0,
    AU_TAG_RUN = 1,
    AU_TAG_TURN = 2,
    AU_TAG_THREAD = 3,
    AU_TAG_OBJ = 4,
    AU_TAG_PATCH = 5,
    AU_TAG_BITS = 6,
    AU_TAG_INPUT = 7,
    AU_TAG_MODULE = 8,
    AU_TAG_NOTE = 9,
    AU_TAG_END = 10,
    AU_TAG_EV = 0x80
};
enum {
    AU_EV_SITE = 1,
    AU_EV_OP = 2,
    AU_EV_ADDR = 4,
    AU_EV_VAL = 8,
    AU_EV_LEN = 16,
    AU_EV_DATA = 32
};

/* Operations that only a stream has. Size 0 and a length unless said otherwise. */
enum {
    AU_SOP_RREAD = 64,  /* length bytes from address are read */
    AU_SOP_RWRITE = 65, /* … are written; DATA: the bytes */
    AU_SOP_RSET = 66,   /* … are set to the byte 'value' (memset) */
    AU_SOP_RCOPY = 67,  /* … are written with what is at 'value' (memcpy, memmove) */
    AU_SOP_FRAME = 68,  /* an escaping local variable begins its life at address */
    AU_SOP_LAND = 69,   /* unwinding or longjmp lands in the frame of depth 'value' */
    AU_SOP_FAIL = 70,   /* an assertion failed here (value: AU_FAIL_*) */
    AU_SOP_BEFORE = 78, /* the program says: what I did comes before … */
    AU_SOP_AFTER = 79   /* … what I do, for all later AFTERs of this address (no length) */
};
/* For ALLOC, length is the size of the block; REALLOC is FREE and ALLOC. RMW: one event;
 * the old value is the shadow's, 'value' is the new one. FORK: value 1: the thread begins in code without hooks. CALL: an instrumented function
 * is entered (site: its own); RET: it returns; LAND's depth is their balance. XCALL: code
 * without hooks is about to be called (address: the function); XRET: it returned 'value'. Ranges
 * at addresses of channels: wire/channel.h. */

enum {
    AU_TURN_START = 0,
    AU_TURN_BUDGET = 1,  /* the policy's number of events was used up */
    AU_TURN_BLOCKED = 2, /* the thread could not go on */
    AU_TURN_CALL = 3,    /* gave the token up for a blocking call */
    AU_TURN_STOLEN = 4,  /* the watchdog took it: asleep inside uninstrumented code */
    AU_TURN_EXIT = 5,    /* the thread ended */
    AU_TURN_YIELD = 6    /* sched_yield, sleep */
};
enum {
    AU_NOTE_TEXT = 0,
    AU_NOTE_FORK = 1,
    AU_NOTE_EXEC = 2,
    AU_NOTE_SIGNAL = 3,
    AU_NOTE_THREAD_NAME = 4,
    AU_NOTE_BLOCK = 5, /* u64 address that BEGIN events have, then the atomic block's name */
    AU_NOTE_CODE =
        6 /* u64 address that XCALL events have, u8 AU_CODE_*, then the name of the library it lies
                        * in, or of the first of those that need each other; "": the program; "?": unknown */
    ,
    AU_NOTE_MAPPED =
        7 /* u64 address, u64 size, u64 number of the file or segment that is shared there (0: none any
                        * more), u64 where in it */
    ,
    AU_NOTE_NAMED = 8, /* u32 number of a thread, then the name that the program gave it */
    AU_NOTE_ASKED =
        9 /* u32 number of a thread: it asked the kernel by a call that no event tells */
    ,
    AU_NOTE_MADE = 10 /* the whole name of a file that the program made */
};
enum { AU_CODE_OTHER = 0, AU_CODE_HOOKS = 1, AU_CODE_RUNTIME = 2 };
/* The 8 bytes in front of every function of an instrumented module. */
#define AU_CODE_MARK UINT64_C(0xcc0c0e5ab1a06c75)
enum {
    AU_END_EXIT = 0,   /* status: exit status */
    AU_END_SIGNAL = 1, /* status: signal number (a crash, abort) */
    AU_END_ASSERT = 2,
    AU_END_DEADLOCK = 3,
    AU_END_LIMIT = 4, /* --max-events, --for */
    AU_END_EXEC = 5,
    AU_END_DIVERGED = 6 /* replay could not follow the schedule */
};
enum { AU_FAIL_ASSERT = 0, AU_FAIL_ABORT = 1, AU_FAIL_TRAP = 2, AU_FAIL_REACH_ERROR = 3 };
enum {
    AU_INPUT_BYTES = 0,   /* a buffer was filled (read, recv, getrandom …) */
    AU_INPUT_CLOCK = 1,   /* clock_gettime, time, times, getrusage, … */
    AU_INPUT_ID = 2,      /* getpid and kin */
    AU_INPUT_VALUE = 3,   /* only the result (nondet, rdtsc …) */
    AU_INPUT_SIGNAL = 4,  /* handler of signal 'result' runs here; bytes: u64 events before */
    AU_INPUT_FAILED = 5,  /* a thread could not be made, error 'result'; bytes: u64 events before */
    AU_INPUT_INSIDE = 64, /* added to the kind: it came from inside of the process (its own pipe) */
    AU_INPUT_MORE = 128   /* added to the kind: goes on in the next INPUT of this thread */
};

/* What is remembered of a site: 64 bytes, all zero before its first event. The
 * encoder's tables are zero-initialised arrays in the instrumented modules. */
struct au_site {
    uint64_t pred;   /* address expected next */
    int64_t stride;  /* pred minus the last address */
    int64_t delta;   /* step of the last address that was not expected */
    uint64_t after;  /* pred as that left it: unchanged means nothing went well since */
    uint64_t val;    /* value expected next (everything but reads) */
    int64_t vstride; /* val minus the last value */
    uint32_t id;     /* number in the stream, from 1; 0: not registered */
    uint32_t succ;   /* id of the site expected next in this thread */
    uint32_t len;    /* longer ranges are told in pieces */
    uint8_t op, size;
    uint8_t zero[2];
};
_Static_assert(sizeof(struct au_site) == 64, "a site is one cache line");

static inline bool au_sop_is_read(uint8_t op) {
    return op == 2 /* READ */ || op == 21 /* AREAD */ || op == AU_SOP_RREAD;
}

/* Both sides call one of these two for the address of every event, and likewise for
 * its value unless it is a read. A stride changes only when the same new step is seen
 * twice running, so that the jump to the next row costs one miss, not three. */
static inline void au_site_hit_address(struct au_site *s) {
    s->pred += (uint64_t)s->stride;
}
static inline void au_site_miss_address(struct au_site *s, uint64_t address) {
    int64_t d = (int64_t)(address - (s->pred - (uint64_t)s->stride));
    if (d == s->delta && s->pred == s->after)
        s->stride = d;
    s->delta = d;
    s->after = s->pred = address + (uint64_t)s->stride;
}
static inline void au_site_hit_value(struct au_site *s) {
    s->val += (uint64_t)s->vstride;
}
static inline void au_site_miss_value(struct au_site *s, uint64_t value) {
    s->vstride = (int64_t)(value - (s->val - (uint64_t)s->vstride));
    s->val = value + (uint64_t)s->vstride;
}

static inline uint64_t au_zigzag(int64_t x) {
    return ((uint64_t)x << 1) ^ (uint64_t)(x >> 63);
}
static inline int64_t au_unzigzag(uint64_t x) {
    return (int64_t)(x >> 1) ^ -(int64_t)(x & 1);
}
/* At most 10 bytes. */
static inline uint8_t *au_put_v(uint8_t *p, uint64_t x) {
    while (x >= 0x80) {
        *p++ = (uint8_t)(x | 0x80);
        x >>= 7;
    }
    *p++ = (uint8_t)x;
    return p;
}
/* NULL: the number does not end before 'end' or has more than 64 bits. */
static inline const uint8_t *au_get_v(const uint8_t *p, const uint8_t *end, uint64_t *x) {
    uint64_t r = 0;
    for (unsigned shift = 0; shift < 64 && p < end; shift += 7) {
        uint8_t b = *p++;
        if (shift == 63 && b > 1)
            return 0;
        r |= (uint64_t)(b & 0x7f) << shift;
        if (!(b & 0x80)) {
            *x = r;
            return p;
        }
    }
    return 0;
}

#endif
