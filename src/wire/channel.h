/* SPDX-License-Identifier: MIT
 *
 * wire/channel.h: what threads send each other through pipes, socket pairs and event counters, as memory. Included
 * by rt (which tells it), src/trace and src/retrace (which read it); includes nothing of ours.
 *
 * A channel is a window of addresses that no program has: AU_CHANNEL_RING bytes of data, used round and round,
 * and behind them addresses that are codes. A byte that was sent as number i lies at i % AU_CHANNEL_RING. A
 * sending or receiving call is told, inside of its call, as
 *
 *   RREAD of length 0 at the window's code     what the call did (AU_CHANNEL_*), always first
 *   RREAD of the buffer, RCOPY into the window         what was sent, or
 *   RREAD of the window, RCOPY into the buffer         what was received; RWRITE if it is not simply a copy
 *   a range of length 0 elsewhere                      it is done
 *
 * so that who reads a recording finds the way of the bytes in it without knowing more than memory. From the first
 * message on that is large, or when much was sent, the bytes of a channel are told by the buffers alone (RREAD,
 * RWRITE), and a range of length 0 at the next byte's place says how far it is: their way would cost more than it
 * tells. A call with AU_CHANNEL_LOST is one whose bytes nobody could follow: its buffer alone is told, and, if it is the
 * first of its channel, a read of what was on its way in the window. */
#ifndef AU_WIRE_CHANNEL_H
#define AU_WIRE_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

/* Its shadow is there (rt/start.c), and programs come here only after terabytes. Threads, channels and bytes beyond these
 * numbers are not followed, which costs predictions, not truth. */
#define AU_CHANNEL_BASE UINT64_C(0x7a0000000000)
#define AU_CHANNEL_KIND_BITS 39 /* addresses of one kind */
#define AU_CHANNEL_WINDOW UINT64_C(0x400000)
#define AU_CHANNEL_RING UINT64_C(0x200000)
#define AU_CHANNEL_THREADS 512u /* that can make channels; each of a kind … */
#define AU_CHANNEL_SLOTS 256u   /* … so many */
#define AU_CHANNEL_LARGE 512u   /* a message of more bytes is not told … */
#define AU_CHANNEL_MUCH 32768u  /* … nor what comes after so many */

enum {
    AU_CHANNEL_PIPE,
    AU_CHANNEL_STREAM,
    AU_CHANNEL_PACKETS,
    AU_CHANNEL_COUNTER,
    AU_CHANNEL_FILE, /* only who read and who wrote */
    AU_CHANNEL_KINDS
};
enum {
    AU_CHANNEL_RECEIVES = 1, /* it received; else it sent */
    AU_CHANNEL_EDGE = 2, /* it came to the end of what was there (or of the room): what is sent (or
                              * received) next would have changed its result */
    AU_CHANNEL_LOST = 4, /* its bytes are not followed */
    AU_CHANNEL_NOW = 8,  /* it is done with this; one that looked (poll), or of a file */
    AU_CHANNEL_WAITS = 16, /* it would have waited if nothing had been there */
    AU_CHANNEL_HELD =
        32, /* it sent, its bytes are not followed, and it may have waited for room: until somebody
                            * who was in a call that hears took something out. With NOW: somewhere in its call,
                            * where it is not stopped */
    AU_CHANNEL_BROKEN = 64, /* sending failed: what others did besides receiving shows in it */
    AU_CHANNEL_CODES = 128
};

static inline bool au_channel_is(uint64_t address) {
    return address - AU_CHANNEL_BASE < (UINT64_C(1) << AU_CHANNEL_KIND_BITS) * AU_CHANNEL_KINDS;
}
static inline uint64_t au_channel_at(unsigned kind, uint64_t thread, uint64_t slot) {
    return AU_CHANNEL_BASE + ((uint64_t)kind << AU_CHANNEL_KIND_BITS) +
           (thread * AU_CHANNEL_SLOTS + slot) * AU_CHANNEL_WINDOW;
}
static inline uint64_t au_channel_window(uint64_t address) {
    return address & ~(AU_CHANNEL_WINDOW - 1);
}
static inline unsigned au_channel_kind(uint64_t address) {
    return (unsigned)((address - AU_CHANNEL_BASE) >> AU_CHANNEL_KIND_BITS);
}
/* What certainly has room: less than the kernel's own limits, which count pages and bookkeeping, too. A message of so
 * many bytes weighs this much of it. */
static inline uint64_t au_channel_room(unsigned kind) {
    return kind == AU_CHANNEL_PIPE      ? 28 << 10
           : kind == AU_CHANNEL_STREAM  ? 64 << 10
           : kind == AU_CHANNEL_PACKETS ? 10
                                        : UINT64_MAX;
}
static inline uint64_t au_channel_weight(unsigned kind, uint64_t bytes) {
    return kind == AU_CHANNEL_PIPE     ? bytes
           : kind == AU_CHANNEL_STREAM ? bytes + 1024
                                       : kind == AU_CHANNEL_PACKETS;
}
/* Who sends where nothing is known of does so in this one. */
#define AU_CHANNEL_NONE AU_CHANNEL_BASE
static inline uint64_t au_channel_code(uint64_t window, unsigned code) {
    return window + AU_CHANNEL_RING + code;
}
/* The code that this address is; -1: it is data. */
static inline int au_channel_code_of(uint64_t address) {
    uint64_t at = address & (AU_CHANNEL_WINDOW - 1);
    return at < AU_CHANNEL_RING || at - AU_CHANNEL_RING >= AU_CHANNEL_CODES
               ? -1
               : (int)(at - AU_CHANNEL_RING);
}

#endif
