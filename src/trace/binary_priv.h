/* trace/binary_priv.h: what the two directions of the binary format share.
 * The format itself is described in wire/wire.h. */
#ifndef AU_TRACE_BINARY_PRIV_H
#define AU_TRACE_BINARY_PRIV_H

#include "wire/wire.h"

/* The check of a frame with this header (whose own check is left out). */
uint64_t au_binary_check(const struct au_wire_frame *f, const void *payload);

/* Bytes of an element of a column in memory: 1, 2, 4 or 8. */
static inline unsigned au_binary_column_size(unsigned kind) {
    static const uint8_t size[AU_WIRE_COLS] = {
        [AU_WIRE_COL_OP] = 1,  [AU_WIRE_COL_THREAD] = 2, [AU_WIRE_COL_OBJ] = 4,
        [AU_WIRE_COL_LOC] = 4, [AU_WIRE_COL_VALUE] = 8,  [AU_WIRE_COL_HAS_VALUE] = 1};
    return size[kind];
}

#endif
