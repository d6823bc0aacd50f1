#include "trace/recording_read.h"

#include "base/in.h"
#include "base/vec.h"
#include "trace/binary_priv.h"

#include <zstd.h>

struct entry {
    char *key, *value;
};

struct au_recording_in {
    au_in *in;
    ZSTD_DCtx *zstd;
    char *raw;
    size_t raw_cap;
    bool ended, cut;
    AU_VEC(struct entry) meta;
    au_recording_frame pending; /* read while META was looked for */
    bool has_pending;
};

static au_status bad(const au_recording_in *r, au_error *err, const char *what) {
    return au_error_set(err, AU_EFORMAT, "%s: byte %llu: %s", au_in_name(r->in),
                        (unsigned long long)au_in_offset(r->in), what);
}

static bool take_string(const char **p, const char *end, char **s) {
    uint32_t n;
    if ((size_t)(end - *p) < sizeof n)
        return false;
    memcpy(&n, *p, sizeof n);
    *p += sizeof n;
    if ((size_t)(end - *p) < n)
        return false;
    *s = au_strndup(*p, n);
    *p += n;
    return true;
}

static au_status take_meta(au_recording_in *r, uint32_t count, const char *p, size_t n,
                           au_error *err) {
    const char *end = p + n;
    for (uint32_t i = 0; i < count; i++) {
        struct entry e = {0};
        if (!take_string(&p, end, &e.key) || !take_string(&p, end, &e.value)) {
            free(e.key);
            return bad(r, err, "the frame is too short for its entries");
        }
        au_vec_push(&r->meta, e);
    }
    return p == end ? AU_OK : bad(r, err, "the frame has bytes too many");
}

static au_status unpack(au_recording_in *r, const struct au_wire_frame *h, const char **p,
                        au_error *err) {
    if (h->codec == AU_WIRE_STORED)
        return AU_OK;
    if (ZSTD_getFrameContentSize(*p, h->stored) != h->raw)
        return bad(r, err, "the packed size does not match the frame");
    if (h->raw > r->raw_cap) {
        free(r->raw);
        r->raw = au_alloc(h->raw);
        r->raw_cap = h->raw;
    }
    size_t n = ZSTD_decompressDCtx(r->zstd, r->raw, h->raw, *p, h->stored);
    if (ZSTD_isError(n) || n != h->raw)
        return bad(r, err, "cannot unpack the frame");
    *p = r->raw;
    return AU_OK;
}

static bool good_header(const struct au_wire_frame *h) {
    return h->magic == AU_WIRE_FRAME_MAGIC && h->codec <= AU_WIRE_ZSTD &&
           h->raw <= AU_WIRE_MAX_RAW && !h->zero && !h->zero2 &&
           (h->codec == AU_WIRE_STORED ? h->stored == h->raw
                                       : h->stored <= ZSTD_compressBound(h->raw));
}

/* One frame; f->kind 0 if there is nothing to hand out (META, END, cut off). */
static au_status one(au_recording_in *r, au_recording_frame *f, au_error *err) {
    struct au_wire_frame h;
    size_t have;
    *f = (au_recording_frame){0};
    const char *p = au_in_peek(r->in, sizeof h, &have, err);
    if (!p)
        return err ? err->status : AU_EIO;
    if (have >= sizeof h) {
        memcpy(&h, p, sizeof h);
        if (!good_header(&h))
            return bad(r, err, "no frame starts here");
        p = au_in_peek(r->in, sizeof h + h.stored, &have, err);
        if (!p)
            return err ? err->status : AU_EIO;
    }
    if (have < sizeof h || have < sizeof h + h.stored) {
        r->ended = r->cut = true;
        return AU_OK;
    }
    p += sizeof h;
    if (au_binary_check(&h, p) != h.check)
        return bad(r, err, "the checksum of the frame is wrong");
    au_status st = h.kind & 0x80 ? AU_OK : unpack(r, &h, &p, err);
    if (st == AU_OK && h.kind == AU_WIRE_META)
        st = take_meta(r, h.count, p, h.raw, err);
    if (st != AU_OK)
        return st;
    if (h.kind == AU_WIRE_END)
        r->ended = true;
    if (h.kind == AU_WIRE_STREAM || h.kind == AU_WIRE_TABLES || h.kind == AU_WIRE_STDIN)
        *f = (au_recording_frame){h.kind, h.count, p, h.raw};
    /* The bytes stay where they are until the next peek. */
    au_in_skip(r->in, sizeof h + h.stored);
    return AU_OK;
}

au_status au_recording_next(au_recording_in *r, au_recording_frame *f, au_error *err) {
    if (r->has_pending) {
        r->has_pending = false;
        *f = r->pending;
        return AU_OK;
    }
    *f = (au_recording_frame){0};
    while (!r->ended && !f->kind) {
        au_status st = one(r, f, err);
        if (st != AU_OK)
            return st;
    }
    return AU_OK;
}

static au_status head(au_recording_in *r, au_error *err) {
    struct au_wire_head h;
    size_t have;
    const char *p = au_in_peek(r->in, sizeof h, &have, err);
    if (!p)
        return err ? err->status : AU_EIO;
    if (have < sizeof h || memcmp(p, AU_WIRE_MAGIC, sizeof h.magic))
        return au_error_set(err, AU_EFORMAT, "'%s' is not a recording", au_in_name(r->in));
    memcpy(&h, p, sizeof h);
    if (h.version != AU_WIRE_VERSION)
        return bad(r, err, "the recording is of another version of the format");
    if (h.features != AU_WIRE_FEATURE_STREAM)
        return au_error_set(err, AU_EUNSUPPORTED, "'%s' is a trace, but no recording of a program",
                            au_in_name(r->in));
    au_in_skip(r->in, sizeof h);
    return AU_OK;
}

au_recording_in *au_recording_open(const char *path, au_error *err) {
    au_in *in = au_in_open(path, err);
    if (!in)
        return NULL;
    au_recording_in *r = AU_NEW(au_recording_in);
    r->in = in;
    r->zstd = ZSTD_createDCtx();
    AU_BUG_IF(!r->zstd);
    au_status st = head(r, err);
    if (st == AU_OK)
        st = au_recording_next(r, &r->pending, err);
    if (st != AU_OK) {
        au_recording_free(r);
        return NULL;
    }
    r->has_pending = true;
    return r;
}

void au_recording_free(au_recording_in *r) {
    if (!r)
        return;
    for (size_t i = 0; i < r->meta.n; i++) {
        free(r->meta.at[i].key);
        free(r->meta.at[i].value);
    }
    au_vec_release(&r->meta);
    ZSTD_freeDCtx(r->zstd);
    free(r->raw);
    au_in_close(r->in);
    free(r);
}

const char *au_recording_meta_of(const au_recording_in *r, const char *key) {
    for (size_t i = 0; i < r->meta.n; i++)
        if (!strcmp(r->meta.at[i].key, key))
            return r->meta.at[i].value;
    return NULL;
}

const char *au_recording_name(const au_recording_in *r) {
    return au_in_name(r->in);
}

bool au_recording_cut(const au_recording_in *r) {
    return r->cut;
}
