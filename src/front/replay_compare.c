/* front/replay_compare.c: the same run? */
#include "front/replay.h"

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
