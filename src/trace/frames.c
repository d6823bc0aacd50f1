#include "trace/frames.h"

#include "base/alloc.h"
#include "base/pack.h"
#include "trace/binary_priv.h"

#include <stdio.h>
#include <string.h>
#include <zstd.h>

au_status au_frames_bad(const au_frames *f, au_error *err, const char *fmt, ...) {
    char what[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    return au_error_set(err, AU_EFORMAT, "%s: byte %llu: %s", au_in_name(f->in),
                        (unsigned long long)f->at, what);
}

static au_status peek_failed(const au_error *err) {
    return err ? err->status : AU_EIO;
}

static au_status head(au_in *in, bool once, uint32_t known, uint32_t *features, au_error *err) {
    struct au_wire_head h;
    size_t have;
    const char *p = au_in_peek(in, sizeof h, &have, err);
    if (!p)
        return peek_failed(err);
    size_t magic = have < sizeof h.magic ? have : sizeof h.magic;
    if (memcmp(p, AU_WIRE_MAGIC, magic) || !have)
        return au_error_set(err, AU_EFORMAT, "%s: byte 0: not an augur trace", au_in_name(in));
    if (have < sizeof h)
        return au_error_set(err, AU_EFORMAT, "%s: byte %zu: the recording was cut in its head",
                            au_in_name(in), have);
    memcpy(&h, p, sizeof h);
    if (h.version != AU_WIRE_VERSION)
        return au_error_set(err, AU_EFORMAT,
                            "%s: byte 8: trace format version %u, this augur reads version %u",
                            au_in_name(in), h.version, AU_WIRE_VERSION);
    if (h.features & ~known)
        return au_error_set(err, AU_EFORMAT,
                            "%s: byte 12: the trace uses features (0x%x) that this augur does not "
                            "know",
                            au_in_name(in), h.features & ~known);
    *features = h.features;
    if (h.features & AU_WIRE_FEATURE_STREAM && !once) { /* is read twice */
        au_status st = au_in_spool(in, err);
        if (st != AU_OK)
            return st;
        if (!au_in_peek(in, sizeof h, &have, err))
            return peek_failed(err);
    }
    au_in_skip(in, sizeof h);
    return AU_OK;
}

au_status au_frames_start(au_frames *f, au_in *in, bool partial, bool once, uint32_t known,
                          uint32_t *features, au_error *err) {
    *f = (au_frames){.in = in, .partial = partial};
    au_status st = head(in, once, known, features, err);
    if (st != AU_OK)
        return st;
    f->zstd = ZSTD_createDCtx();
    if (!f->zstd)
        au_out_of_memory(0);
    return AU_OK;
}

static void forget_meta(au_frames *f) {
    for (size_t i = 0; i < f->meta.n; i++) {
        free(f->meta.at[i].key);
        free(f->meta.at[i].value);
    }
    au_vec_clear(&f->meta);
}

void au_frames_release(au_frames *f) {
    forget_meta(f);
    au_vec_release(&f->meta);
    ZSTD_freeDCtx(f->zstd);
    free(f->raw);
    *f = (au_frames){0};
}

au_status au_frames_rewind(au_frames *f, au_error *err) {
    au_status st = au_in_rewind(f->in, err);
    uint32_t features;
    if (st != AU_OK || (st = head(f->in, false, UINT32_MAX, &features, err)) != AU_OK)
        return st;
    f->again = true; /* the META entries are known */
    f->step = 0;
    f->ended = f->incomplete = false;
    return AU_OK;
}

/* ---- META ----------------------------------------------------------------------- */

/* A length and that many bytes from *p; NULL if they are not there. */
static char *take_string(const char **p, const char *end) {
    uint32_t len;
    if (end - *p < 4)
        return NULL;
    memcpy(&len, *p, sizeof len);
    *p += sizeof len;
    if ((size_t)(end - *p) < len)
        return NULL;
    char *s = au_strndup(*p, len);
    *p += len;
    return s;
}

static au_status meta_frame(au_frames *f, const au_frame *x, au_error *err) {
    const char *p = x->p, *end = p + x->n;
    for (uint32_t i = 0; i < x->count; i++) {
        char *key = take_string(&p, end);
        char *value = key ? take_string(&p, end) : NULL;
        if (!value) {
            free(key);
            return au_frames_bad(f, err, "the frame is too short for its %u entries", x->count);
        }
        au_vec_push(&f->meta, ((struct au_meta_entry){key, value}));
    }
    if (p != end)
        return au_frames_bad(f, err, "the frame has %zu bytes too many", (size_t)(end - p));
    return AU_OK;
}

const char *au_frames_meta(const au_frames *f, const char *key) {
    for (size_t i = f->meta.n; i-- > 0;)
        if (!strcmp(f->meta.at[i].key, key))
            return f->meta.at[i].value;
    return NULL;
}

/* ---- frames --------------------------------------------------------------------- */

static au_status cut(au_frames *f, au_error *err) {
    f->ended = true;
    if (f->partial) {
        f->incomplete = true;
        return AU_OK;
    }
    return au_frames_bad(f, err,
                         "the recording was cut here, it has no end (--partial reads what is "
                         "there)");
}

static au_status check_header(const au_frames *f, const struct au_wire_frame *h, au_error *err) {
    if (h->magic != AU_WIRE_FRAME_MAGIC)
        return au_frames_bad(f, err, "no frame starts here");
    if (h->codec > AU_WIRE_ZSTD)
        return au_frames_bad(f, err, "the frame has unknown codec %u", h->codec);
    if (h->raw > AU_WIRE_MAX_RAW)
        return au_frames_bad(f, err, "the frame claims %u bytes, the limit is %u", h->raw,
                             AU_WIRE_MAX_RAW);
    if (h->codec == AU_WIRE_STORED ? h->stored != h->raw : h->stored > ZSTD_compressBound(h->raw))
        return au_frames_bad(f, err, "the frame claims %u bytes for %u", h->stored, h->raw);
    if (h->zero || h->zero2)
        return au_frames_bad(f, err, "the header of the frame is damaged");
    return AU_OK;
}

/* *p becomes the unpacked payload. */
static au_status unpack(au_frames *f, const struct au_wire_frame *h, const char **p,
                        au_error *err) {
    if (h->codec == AU_WIRE_STORED)
        return AU_OK;
    if (ZSTD_getFrameContentSize(*p, h->stored) != h->raw)
        return au_frames_bad(f, err, "the packed size does not match the frame");
    if (h->raw > f->raw_cap) {
        free(f->raw);
        f->raw = au_alloc(h->raw);
        f->raw_cap = h->raw;
    }
    size_t n = au_zstd(ZSTD_decompressDCtx(f->zstd, f->raw, h->raw, *p, h->stored));
    if (ZSTD_isError(n) || n != h->raw)
        return au_frames_bad(f, err, "cannot unpack the frame: %s",
                             ZSTD_isError(n) ? ZSTD_getErrorName(n) : "wrong size");
    *p = f->raw;
    return AU_OK;
}

au_status au_frames_next(au_frames *f, au_frame *out, au_error *err) {
    struct au_wire_frame h;
    size_t have;
    *out = (au_frame){0};
    if (f->step) /* the last payload was borrowed until now */
        au_in_skip(f->in, f->step);
    f->step = 0;
    if (f->ended)
        return AU_OK;
    f->at = au_in_offset(f->in);
    const char *p = au_in_peek(f->in, sizeof h, &have, err);
    if (!p)
        return peek_failed(err);
    if (have < sizeof h)
        return cut(f, err);
    memcpy(&h, p, sizeof h);
    au_status st = check_header(f, &h, err);
    if (st != AU_OK)
        return st;
    const size_t whole = sizeof h + h.stored;
    /* after the end nothing may follow: the byte there is asked for, too */
    p = au_in_peek(f->in, whole + (h.kind == AU_WIRE_END), &have, err);
    if (!p)
        return peek_failed(err);
    if (have < whole)
        return cut(f, err);
    p += sizeof h;
    if (au_binary_check(&h, p) != h.check)
        return au_frames_bad(f, err, "the checksum of the frame is wrong");
    const bool skip = h.kind & 0x80; /* for readers that know it */
    if (!skip && (st = unpack(f, &h, &p, err)) != AU_OK)
        return st;
    f->step = whole;
    *out = (au_frame){.kind = h.kind, .count = h.count, .p = p, .n = skip ? 0 : h.raw};
    if (h.kind == AU_WIRE_META && !f->again)
        return meta_frame(f, out, err);
    if (h.kind != AU_WIRE_END)
        return AU_OK;
    f->ended = true;
    if (h.raw != sizeof(struct au_wire_end))
        return au_frames_bad(f, err, "the end frame has %u bytes, not %zu", h.raw,
                             sizeof(struct au_wire_end));
    if (have == whole)
        return AU_OK;
    f->at += whole;
    return au_frames_bad(f, err, "bytes after the end of the trace");
}
