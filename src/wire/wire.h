/* SPDX-License-Identifier: MIT
 *
 * wire/wire.h: the bytes of a binary trace. Included by src/trace (the reader
 * and the writer of the tool) and by rt (the recorder inside users' programs);
 * includes nothing of ours.
 *
 * Bump AU_WIRE_VERSION when an older reader could misread new bytes; keep a
 * golden trace of every old version in tests/golden. A reader refuses versions
 * it does not know and features (below) it does not know.
 *
 * All numbers are little-endian.
 *
 *   file   = head, frame*, with the last frame an END frame if the recording
 *            was closed. Without it the trace is good up to its last whole
 *            frame (a killed program).
 *   head   = struct au_wire_head
 *   frame  = struct au_wire_frame, then 'stored' bytes of payload
 *
 * Payloads after unpacking (codec):
 *
 *   NAMES   tables grow by appending: for every name
 *             u8 space, u8 kind, u16 0, i32 init, u32 length, bytes
 *           The id is the number of names of that space before it. Spaces are
 *           AU_WIRE_SPACE_*; 'kind' and 'init' describe sync objects
 *           (AU_WIRE_OBJ_*, initial count of a semaphore, size of a barrier, 1 for
 *           a once that is an order which was only seen; 0 elsewhere). The names of a space differ, there are at most 65535
 *           threads, and a name precedes the first event that uses it.
 *   META    u32 length, key bytes, u32 length, value bytes, repeated.
 *   EVENTS  'count' events (at most AU_WIRE_MAX_EVENTS) as columns: u32 number
 *           of columns, then that many struct au_wire_column of different kinds,
 *           then the columns' bytes one after the other in the same order. A
 *           column is an array of unsigned numbers of 'width' bytes; an element's
 *           value is base + number modulo 2^bits, where bits is 8 for OP and
 *           HAS_VALUE, 16 for THREAD, 32 for OBJ and LOC, 64 for VALUE; base has
 *           at most that many bits, and width is 0, 1, 2, 4 or 8 and at most
 *           bits/8. Width 0: every element is base. (The modulus lets "no object",
 *           2^32-1, stand beside small ids in a narrow column: base 2^32-1.)
 *           OP, THREAD, OBJ and LOC are always there; VALUE and HAS_VALUE both or
 *           neither: without them no event has a value. The value of an event
 *           without one is 0. OBJ is an id in the space of the operation, 2^32-1
 *           for operations without an operand and for a begin or end without one.
 *   END     struct au_wire_end. Nothing follows it.
 *
 * The check of a frame is XXH3_64bits_withSeed(payload as stored, stored, seed),
 * where seed is XXH3_64bits of the 32 bytes of the frame's header with check = 0.
 *
 * Locations (LOC column) below 2^31 are plain integers; from 2^31 on they are
 * 2^31 + id of a name in AU_WIRE_SPACE_LOC. UINT32_MAX: none. */
#ifndef AU_WIRE_H
#define AU_WIRE_H

#include <stdint.h>

#define AU_WIRE_VERSION 1u
#define AU_WIRE_MAGIC "AUGURTRC"
#define AU_WIRE_FRAME_MAGIC 0x4d524641u /* "AFRM" */

struct au_wire_head {
    char magic[8];
    uint32_t version;
    uint32_t features; /* bits a reader must understand: AU_WIRE_FEATURE_* */
};
_Static_assert(sizeof(struct au_wire_head) == 16, "head is 16 bytes");

/* The file is a recording: META, TABLES and STREAM frames (and END) instead of NAMES and
 * EVENTS. */
#define AU_WIRE_FEATURE_STREAM 1u

enum {
    AU_WIRE_NAMES = 1,
    AU_WIRE_META = 2,
    AU_WIRE_EVENTS = 3,
    AU_WIRE_END = 4,
    AU_WIRE_STREAM = 5, /* a chunk of records, see wire/stream.h; count: 0 */
    AU_WIRE_TABLES = 6, /* one tables record of a module, see wire/embed.h */
    AU_WIRE_STDIN = 7   /* what the program could read from standard input; count 1: there was
                         * more than was kept */
};
enum { AU_WIRE_STORED = 0, AU_WIRE_ZSTD = 1 };

struct au_wire_frame {
    uint32_t magic;
    uint8_t kind;  /* AU_WIRE_NAMES … ; unknown kinds with the top bit set may be skipped */
    uint8_t codec; /* AU_WIRE_STORED (what a recorder writes) or AU_WIRE_ZSTD */
    uint16_t zero;
    uint32_t raw;    /* bytes of the payload unpacked, at most AU_WIRE_MAX_RAW */
    uint32_t stored; /* bytes that follow */
    uint32_t count;  /* EVENTS: events; NAMES, META: entries */
    uint32_t zero2;
    uint64_t check; /* XXH3_64bits of the stored payload, seeded with the header above */
};
_Static_assert(sizeof(struct au_wire_frame) == 32, "frame head is 32 bytes");
#define AU_WIRE_MAX_RAW (16u << 20)
/* Threads of a trace: they are numbers of 16 bits, and one stands for "none". */
#define AU_WIRE_MAX_THREADS 65535u
/* So that a few bytes (columns of width 0) cannot stand for billions of events. */
#define AU_WIRE_MAX_EVENTS (1u << 16)

enum {
    AU_WIRE_COL_OP = 0,
    AU_WIRE_COL_THREAD = 1,
    AU_WIRE_COL_OBJ = 2,
    AU_WIRE_COL_LOC = 3,
    AU_WIRE_COL_VALUE = 4,     /* two's complement */
    AU_WIRE_COL_HAS_VALUE = 5, /* 0 or 1 */
    AU_WIRE_COLS = 6
};
struct au_wire_column {
    uint8_t kind;  /* AU_WIRE_COL_* */
    uint8_t width; /* bytes an element: 0, 1, 2, 4, 8 */
    uint16_t zero;
    uint32_t zero2;
    uint64_t base;
};
_Static_assert(sizeof(struct au_wire_column) == 16, "column head is 16 bytes");

struct au_wire_end {
    uint64_t events;
    uint32_t threads, vars, objects, zero; /* names of these spaces; objects: LOCK */
};
_Static_assert(sizeof(struct au_wire_end) == 24, "end is 24 bytes");

enum {
    AU_WIRE_SPACE_NONE = 0,
    AU_WIRE_SPACE_THREAD = 1,
    AU_WIRE_SPACE_VAR = 2,
    AU_WIRE_SPACE_LOCK = 3,  /* every synchronisation object */
    AU_WIRE_SPACE_BLOCK = 4, /* names of atomic blocks */
    AU_WIRE_SPACE_LOC = 5,
    AU_WIRE_SPACES = 6
};

enum {
    AU_WIRE_OBJ_UNKNOWN = 0, /* text formats do not say: judged by its use */
    AU_WIRE_OBJ_LOCK = 1,
    AU_WIRE_OBJ_RLOCK = 2,
    AU_WIRE_OBJ_RWLOCK = 3,
    AU_WIRE_OBJ_SEM = 4,
    AU_WIRE_OBJ_COND = 5,
    AU_WIRE_OBJ_BARRIER = 6,
    AU_WIRE_OBJ_ONCE = 7,
    AU_WIRE_OBJ_SPIN = 8
};
/* The first number of a ONCE: what those who come later do before the first. Of the program: they are the first. */
enum {
    AU_WIRE_ONCE_BEGINS = 0,
    AU_WIRE_ONCE_ASSUMED = 1, /* nobody stands still there: an order that was only seen */
    AU_WIRE_ONCE_WAITS = 2    /* for a message */
};

/* The event vocabulary: number, name in C, name in text, operand's space.
 * Numbers are part of the format: append, never renumber.
 *
 * A condition wait is four events of its thread: rel(m) wait(c) … wake(c)
 * acq(m); rel and wait are one step of the program. A barrier is arrive(b) …
 * leave(b). 'req' is a lock request, 'tryfail' a try or timed lock that did not
 * get it. 'exit' is the end of a thread. 'call' and 'ret' are an instrumented
 * function's entry and return, 'xcall' and 'xret' a call into code without hooks;
 * analyses that do not ask for functions pass over them. 'lockerr' is a lock operation
 * that is an error of the program (value AU_LOCKERR_*). The value 1 on acq, rdacq,
 * wracq or down: got by a try or timed operation that would not have blocked for good;
 * on wake: timed out; on wait: it has a time; on tryfail: it tried to get a read lock. */
#define AU_WIRE_OPS(X)                                                                             \
    X(0, ACQ, "acq", LOCK)                                                                         \
    X(1, REL, "rel", LOCK)                                                                         \
    X(2, READ, "r", VAR)                                                                           \
    X(3, WRITE, "w", VAR)                                                                          \
    X(4, FORK, "fork", THREAD)                                                                     \
    X(5, JOIN, "join", THREAD)                                                                     \
    X(6, BEGIN, "begin", BLOCK)                                                                    \
    X(7, END, "end", BLOCK)                                                                        \
    X(8, REQ, "req", LOCK)                                                                         \
    X(9, RDACQ, "rdacq", LOCK)                                                                     \
    X(10, WRACQ, "wracq", LOCK)                                                                    \
    X(11, TRYFAIL, "tryfail", LOCK)                                                                \
    X(12, WAIT, "wait", LOCK)                                                                      \
    X(13, WAKE, "wake", LOCK)                                                                      \
    X(14, SIGNAL, "signal", LOCK)                                                                  \
    X(15, BROADCAST, "broadcast", LOCK)                                                            \
    X(16, DOWN, "down", LOCK)                                                                      \
    X(17, UP, "up", LOCK)                                                                          \
    X(18, ARRIVE, "arrive", LOCK)                                                                  \
    X(19, LEAVE, "leave", LOCK)                                                                    \
    X(20, ONCE, "once", LOCK)                                                                      \
    X(21, AREAD, "ar", VAR)                                                                        \
    X(22, AWRITE, "aw", VAR)                                                                       \
    X(23, RMW, "rmw", VAR)                                                                         \
    X(24, FENCE, "fence", NONE)                                                                    \
    X(25, DETACH, "detach", THREAD)                                                                \
    X(26, EXIT, "exit", NONE)                                                                      \
    X(27, INIT, "init", LOCK)                                                                      \
    X(28, DESTROY, "destroy", LOCK)                                                                \
    X(29, ALLOC, "alloc", VAR)                                                                     \
    X(30, FREE, "free", VAR)                                                                       \
    X(31, CALL, "call", BLOCK)                                                                     \
    X(32, RET, "ret", NONE)                                                                        \
    X(33, XCALL, "xcall", BLOCK)                                                                   \
    X(34, XRET, "xret", NONE)                                                                      \
    X(35, LOCKERR, "lockerr", LOCK)

enum {
    AU_LOCKERR_DOUBLE = 1,    /* locked again by its holder (not recursive) */
    AU_LOCKERR_NOT_OWNER = 2, /* unlocked by a thread that does not hold it */
    AU_LOCKERR_WAIT = 3,      /* waits on a condition without holding the lock */
    AU_LOCKERR_DESTROY = 4,   /* destroyed while held or waited for */
    AU_LOCKERR_DESTROYED = 5, /* used, or destroyed once more, after it was destroyed */
    /* Of threads; in a stream the address is 1 + the thread's number, 0 if nobody knows it. */
    AU_LOCKERR_JOINED = 6,        /* joined once more, or while another thread joins it */
    AU_LOCKERR_JOIN_DETACHED = 7, /* joined after it was detached */
    AU_LOCKERR_JOIN_ITSELF = 8,
    AU_LOCKERR_DETACHED = 9,  /* detached after it was detached or joined */
    AU_LOCKERR_CANCELLED = 10 /* cancelled after it was joined, or was detached and ended */
};

#define AU_WIRE_OP_(num, name, text, space) AU_OP_##name = (num),
enum { AU_WIRE_OPS(AU_WIRE_OP_) AU_OPS };
#undef AU_WIRE_OP_

#endif
