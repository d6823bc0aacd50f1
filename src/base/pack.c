#include "base/pack.h"

#include "base/alloc.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

enum { CHUNK = 128 * 1024, ZSTD_LEVEL = 3, GZIP_LEVEL = 6 };

struct au_packer {
    au_pack how;
    z_stream gz;
    ZSTD_CCtx *zstd;
    unsigned char out[CHUNK];
};

static bool ends_in(const char *s, const char *ending) {
    size_t n = strlen(s), m = strlen(ending);
    return n > m && !strcmp(s + n - m, ending);
}

au_pack au_pack_by_path(const char *path) {
    return ends_in(path, ".gz")    ? AU_PACK_GZIP
           : ends_in(path, ".zst") ? AU_PACK_ZSTD
                                   : AU_PACK_NONE;
}

size_t au_zstd(size_t result) {
    if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
        au_out_of_memory(0);
    return result;
}

au_packer *au_packer_new(au_pack how) {
    if (how == AU_PACK_NONE)
        return NULL;
    au_packer *p = AU_NEW(au_packer);
    p->how = how;
    if (how == AU_PACK_GZIP) {
        int z = deflateInit2(&p->gz, GZIP_LEVEL, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
        if (z == Z_MEM_ERROR)
            au_out_of_memory(0);
        AU_BUG_IF(z != Z_OK);
    } else {
        p->zstd = ZSTD_createCCtx();
        if (!p->zstd)
            au_out_of_memory(0);
        ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
        ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_checksumFlag, 1);
    }
    return p;
}

void au_packer_free(au_packer *p) {
    if (!p)
        return;
    if (p->how == AU_PACK_GZIP)
        deflateEnd(&p->gz);
    ZSTD_freeCCtx(p->zstd);
    free(p);
}

static au_status run_gzip(au_packer *p, const void *bytes, size_t n, bool end, au_pack_sink *sink,
                          void *ctx, au_error *err) {
    p->gz.next_in = (Bytef *)(uintptr_t)bytes;
    size_t left = n;
    int z = Z_OK;
    do {
        if (!p->gz.avail_in && left) {
            p->gz.avail_in = (uInt)(left < UINT_MAX / 2 ? left : UINT_MAX / 2);
            left -= p->gz.avail_in;
        }
        p->gz.next_out = p->out;
        p->gz.avail_out = CHUNK;
        z = deflate(&p->gz, end && !left ? Z_FINISH : Z_NO_FLUSH);
        if (z == Z_STREAM_ERROR)
            return au_error_set(err, AU_EINTERNAL, "zlib failed");
        size_t got = CHUNK - p->gz.avail_out;
        if (got && !sink(ctx, p->out, got))
            return AU_EIO;
    } while (p->gz.avail_in || left || !p->gz.avail_out || (end && z != Z_STREAM_END));
    return AU_OK;
}

static au_status run_zstd(au_packer *p, const void *bytes, size_t n, bool end, au_pack_sink *sink,
                          void *ctx, au_error *err) {
    ZSTD_inBuffer from = {bytes, n, 0};
    size_t left;
    do {
        ZSTD_outBuffer to = {p->out, CHUNK, 0};
        left =
            au_zstd(ZSTD_compressStream2(p->zstd, &to, &from, end ? ZSTD_e_end : ZSTD_e_continue));
        if (ZSTD_isError(left))
            return au_error_set(err, AU_EINTERNAL, "zstd failed: %s", ZSTD_getErrorName(left));
        if (to.pos && !sink(ctx, p->out, to.pos))
            return AU_EIO;
    } while (end ? left : from.pos < from.size);
    return AU_OK;
}

au_status au_packer_run(au_packer *p, const void *bytes, size_t n, bool end, au_pack_sink *sink,
                        void *ctx, au_error *err) {
    return p->how == AU_PACK_GZIP ? run_gzip(p, bytes, n, end, sink, ctx, err)
                                  : run_zstd(p, bytes, n, end, sink, ctx, err);
}
