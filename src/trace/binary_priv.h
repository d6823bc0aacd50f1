/* trace/binary_priv.h: what the two directions of the binary format share.
 * The format itself is described in wire/wire.h. */
#ifndef AU_TRACE_BINARY_PRIV_H
#define AU_TRACE_BINARY_PRIV_H

#include "base/vec.h"
#include "wire/wire.h"

#include <stdbool.h>

/* Makes frames; packs what they hold. */
typedef struct {
    struct ZSTD_CCtx_s *zstd; /* NULL: nothing is packed */
    char *packed;
    size_t packed_cap;
} au_framer;

void au_framer_init(au_framer *f, bool pack, int level);
void au_framer_release(au_framer *f);
/* The header of a frame and the bytes that follow it: 'raw' itself or valid until the next call. */
const void *au_framer_make(au_framer *f, uint8_t kind, uint32_t count, const void *raw, size_t n,
                           struct au_wire_frame *head);

/* What a META frame holds: pairs of strings, each with its length before it. */
typedef AU_VEC(char) au_meta_bytes;
void au_meta_add(au_meta_bytes *to, const char *key, const char *value);

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
