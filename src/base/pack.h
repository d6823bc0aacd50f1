/* base/pack.h: compressing a stream of bytes (gzip, zstd). Unpacking is in in.h;
 * files are compressed through au_out_pack (out.h). */
#ifndef AU_BASE_PACK_H
#define AU_BASE_PACK_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum { AU_PACK_NONE, AU_PACK_GZIP, AU_PACK_ZSTD } au_pack;

/* By the ending of a file's name: .gz, .zst. */
au_pack au_pack_by_path(const char *path);

/* What zstd gave back; does not return if it had no memory. */
size_t au_zstd(size_t result);

typedef struct au_packer au_packer;
/* Takes packed bytes; false stops the packing. */
typedef bool au_pack_sink(void *ctx, const void *p, size_t n);

/* NULL only for AU_PACK_NONE. */
au_packer *au_packer_new(au_pack how);
void au_packer_free(au_packer *p);
/* Packs n bytes; what comes out goes to the sink. With 'end' the stream is
 * finished. AU_EINTERNAL if the library fails; the sink's refusal is AU_EIO
 * without a text: the sink knows why. */
au_status au_packer_run(au_packer *p, const void *bytes, size_t n, bool end, au_pack_sink *sink,
                        void *ctx, au_error *err);

#endif
