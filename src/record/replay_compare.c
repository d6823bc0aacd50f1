/* record/replay_compare.c: the same run? */
#include "record/replay.h"
#include "trace/frames.h"

#include <string.h>

/* ---- bytes ---- */

/* The next STREAM frame; kind 0 at the end. */
static au_status next_stream(au_frames *f, au_frame *x, au_error *err) {
    do {
        au_status st = au_frames_next(f, x, err);
        if (st != AU_OK)
            return st;
        if (x->kind == AU_WIRE_END)
            x->kind = 0;
    } while (x->kind && x->kind != AU_WIRE_STREAM);
    return AU_OK;
}

/* A faithful replay writes the same bytes, and comparing those is much faster than decoding
 * them. false: they differ (which does not say that the runs do), or trouble. */
static bool same_bytes(const char *recorded, const char *replayed) {
    const char *path[2] = {recorded, replayed};
    au_in *in[2] = {0};
    au_frames f[2];
    bool good[2] = {0};
    au_error ignored = AU_ERROR_NONE;
    for (int i = 0; i < 2; i++) {
        uint32_t features;
        good[i] = (in[i] = au_in_open(path[i], &ignored)) &&
                  au_frames_start(&f[i], in[i], true, false, AU_WIRE_FEATURE_STREAM, &features,
                                  &ignored) == AU_OK;
    }
    bool same = good[0] && good[1];
    au_frame x[2] = {{.kind = AU_WIRE_STREAM}};
    while (same && x[0].kind) {
        for (int i = 0; i < 2 && same; i++)
            same = next_stream(&f[i], &x[i], &ignored) == AU_OK;
        same = same && x[0].kind == x[1].kind && x[0].n == x[1].n &&
               (!x[0].kind || !memcmp(x[0].p, x[1].p, x[0].n));
    }
    for (int i = 0; i < 2; i++) {
        if (good[i])
            au_frames_release(&f[i]);
        if (in[i])
            au_in_close(in[i]);
    }
    return same;
}

/* ---- events ---- */

/* The next event, or the END record, or tag PAD at the end. */
static au_status next_event(au_walk *w, au_stream_record *r, au_error *err) {
    do {
        au_status st = au_walk_next(w, r, err);
        if (st != AU_OK)
            return st;
    } while (r->tag != AU_TAG_EV && r->tag != AU_TAG_END && r->tag != AU_TAG_PAD);
    return AU_OK;
}

static au_difference compare(const au_stream_record *a, const au_stream_record *b, bool addresses) {
    if (a->tag != AU_TAG_EV || b->tag != AU_TAG_EV) {
        if (b->tag == AU_TAG_EV)
            return AU_LONGER;
        if (a->tag == AU_TAG_EV)
            return AU_SHORTER;
        bool told = a->tag == AU_TAG_END && b->tag == AU_TAG_END;
        return told && (a->kind != b->kind || a->value != b->value) ? AU_OTHER_END : AU_SAME;
    }
    if (a->thread != b->thread)
        return AU_OTHER_THREAD;
    if (a->site != b->site || a->op != b->op || a->size != b->size)
        return AU_OTHER_PLACE;
    if (!addresses)
        return AU_SAME;
    if (a->address != b->address || a->len != b->len)
        return AU_OTHER_ADDRESS;
    return a->value != b->value ? AU_OTHER_VALUE : AU_SAME;
}

/* Their data is gone with the walk. */
static au_stream_record keep(au_stream_record r) {
    r.data = NULL;
    r.global = NULL;
    return r;
}

au_status au_replay_compare(const char *recorded, const char *replayed, bool addresses,
                            au_comparison *c, au_error *err) {
    *c = (au_comparison){.what = AU_SAME, .addresses = addresses};
    if (same_bytes(recorded, replayed))
        return AU_OK;
    au_walk *a = au_walk_open(recorded, NULL, NULL, err);
    au_walk *b = a ? au_walk_open(replayed, NULL, NULL, err) : NULL;
    au_status st = b ? AU_OK : err->status;
    for (;;) {
        au_stream_record x, y;
        if (st == AU_OK)
            st = next_event(a, &x, err);
        if (st == AU_OK)
            st = next_event(b, &y, err);
        if (st != AU_OK)
            break;
        c->what = compare(&x, &y, addresses);
        if (c->what != AU_SAME || x.tag != AU_TAG_EV) {
            c->was = keep(x);
            c->is = keep(y);
            break;
        }
        c->events++;
    }
    au_walk_free(a);
    au_walk_free(b);
    return st;
}
