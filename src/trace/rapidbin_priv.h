/* trace/rapidbin_priv.h: RapidBin, RAPID's binary format. Big-endian.
 *
 *   header  i16 threads, i32 locks, i32 variables, i64 events
 *   event   i64: bits 0-9 thread, 10-13 operation, 14-47 operand, 48-62 location
 *
 * Operations are 0 acq, 1 rel, 2 r, 3 w, 4 fork, 5 join, 8 request: the numbers
 * that these have in wire.h too. There are no names, no values, no atomic blocks.
 *
 * Names. Number n is thread "Tn", lock "Ln" or variable "Vn", as RAPID prints
 * them. In the other direction a space whose names are all of that form keeps
 * their numbers, so that what was read is written back as it was; any other
 * space is numbered from 0 in the order of first use (its names are lost).
 * Locations that are integers below 2^15 are kept, named ones become the number
 * of their name, none becomes 0; others cannot be written. Values are left out. */
#ifndef AU_TRACE_RAPIDBIN_PRIV_H
#define AU_TRACE_RAPIDBIN_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    AU_RAPIDBIN_HEAD = 18,
    AU_RAPIDBIN_EVENT = 8,
    AU_RAPIDBIN_OPS = 16,
    AU_RAPIDBIN_THREADS = 1 << 10,
    AU_RAPIDBIN_LOCS = 1 << 15
};
#define AU_RAPIDBIN_OPERANDS (UINT64_C(1) << 34)

/* Operations that the format has; they are the same numbers as ours. */
static inline bool au_rapidbin_has_op(unsigned op) {
    return op <= 5 || op == 8;
}

static inline uint64_t au_rapidbin_get(const char *p, size_t bytes) {
    uint64_t v = 0;
    for (size_t i = 0; i < bytes; i++)
        v = v << 8 | (unsigned char)p[i];
    return v;
}
static inline void au_rapidbin_put(char *p, size_t bytes, uint64_t v) {
    for (size_t i = 0; i < bytes; i++)
        p[i] = (char)(v >> 8 * (bytes - 1 - i));
}

#endif
