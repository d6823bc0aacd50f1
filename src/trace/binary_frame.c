/* trace/binary_frame.c: frames of a binary file, for traces and for recordings. */
#include "base/pack.h"
#include "trace/binary_priv.h"

#include <xxhash.h>
#include <zstd.h>

enum { WORTH_PACKING = 64 }; /* bytes */

uint64_t au_binary_check(const struct au_wire_frame *f, const void *payload) {
    struct au_wire_frame head = *f;
    head.check = 0;
    return XXH3_64bits_withSeed(payload, f->stored, XXH3_64bits(&head, sizeof head));
}

void au_framer_init(au_framer *f, bool pack, int level) {
    *f = (au_framer){0};
    if (!pack)
        return;
    f->zstd = ZSTD_createCCtx();
    if (!f->zstd)
        au_out_of_memory(0);
    ZSTD_CCtx_setParameter(f->zstd, ZSTD_c_compressionLevel, level);
}

void au_framer_release(au_framer *f) {
    ZSTD_freeCCtx(f->zstd);
    free(f->packed);
}

const void *au_framer_make(au_framer *f, uint8_t kind, uint32_t count, const void *raw, size_t n,
                           struct au_wire_frame *head) {
    const void *payload = raw;
    *head = (struct au_wire_frame){.magic = AU_WIRE_FRAME_MAGIC,
                                   .kind = kind,
                                   .codec = AU_WIRE_STORED,
                                   .raw = (uint32_t)n,
                                   .stored = (uint32_t)n,
                                   .count = count};
    if (f->zstd && n > WORTH_PACKING) {
        size_t cap = ZSTD_compressBound(n);
        if (cap > f->packed_cap) {
            f->packed = au_realloc_array(f->packed, cap, 1);
            f->packed_cap = cap;
        }
        size_t k = au_zstd(ZSTD_compress2(f->zstd, f->packed, cap, raw, n));
        AU_BUG_IF(ZSTD_isError(k));
        if (k < n - n / 16) { /* less than that is not worth the reader's time */
            head->codec = AU_WIRE_ZSTD;
            head->stored = (uint32_t)k;
            payload = f->packed;
        }
    }
    head->check = au_binary_check(head, payload);
    return payload;
}

static void add_string(au_meta_bytes *to, const char *s) {
    uint32_t n = (uint32_t)strlen(s);
    au_vec_append(to, (const char *)&n, sizeof n);
    au_vec_append(to, s, n);
}

void au_meta_add(au_meta_bytes *to, const char *key, const char *value) {
    add_string(to, key);
    add_string(to, value);
}
