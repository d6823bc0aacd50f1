/* trace/recording_watch.c: who looks on while a recording becomes a trace (watch.h).
 *
 * Nothing of this is called without a watch. The parts of an access are found once more, from
 * the cells as its events left them, so that making events does not pay for it. */
#include "trace/recording_priv.h"

#include "trace/watch.h"

typedef AU_VEC(au_part) au_part_vec;

struct au_watching {
    au_part_vec part; /* of the record before */
    AU_VEC(au_outcomes) outcome;
};

void au_watching_init(au_recording *d) {
    d->watching = AU_NEW(struct au_watching);
    d->opts.watch->of = d;
}

void au_watching_release(au_recording *d) {
    if (!d->watching)
        return;
    for (size_t i = 0; i < d->watching->outcome.n; i++)
        au_vec_release(&d->watching->outcome.at[i].byte);
    au_vec_release(&d->watching->outcome);
    au_vec_release(&d->watching->part);
    free(d->watching);
}

void au_watching_bits(au_recording *d, const au_stream_record *r) {
    struct au_watching *w = d->watching;
    while (w->outcome.n <= r->thread)
        *au_vec_add(&w->outcome) = (au_outcomes){0};
    au_outcomes *o = &w->outcome.at[r->thread];
    for (uint64_t i = 0; i < r->value; i++, o->n++) {
        if (!(o->n & 7))
            au_vec_push(&o->byte, 0);
        o->byte.at[o->n >> 3] |= (uint8_t)((r->data[i >> 3] >> (i & 7) & 1) << (o->n & 7));
    }
}

const au_outcomes *au_watch_outcomes(const au_watch *w, uint32_t thread) {
    static const au_outcomes none;
    const struct au_watching *x = w->of->watching;
    return thread < x->outcome.n ? &x->outcome.at[thread] : &none;
}

/* ---- parts -------------------------------------------------------------------------------- */

/* The word as it is, or as the next access would find it: asking must not begin its life. */
static struct au_cell_word word_at(au_recording *d, uint64_t word, bool *fresh) {
    const struct au_cell_word *w = au_pages_find(&d->cells.pages, word / AU_PAGE_WORDS);
    struct au_cell_word x = w ? w[word % AU_PAGE_WORDS] : (struct au_cell_word){0};
    *fresh = x.state == AU_CELLS_FRESH;
    if (*fresh)
        au_cells_ask(&d->cells, word, &x);
    return x;
}

/* The cells of [at, at + n), the last one perhaps longer than the access; false: a cell has no
 * variable yet, or the first is cut. 'exact': neither may the last be. */
static bool find_parts(au_recording *d, uint64_t at, uint64_t n, bool exact, au_part_vec *into) {
    uint64_t end = at + n, k = at >> 3, last = (end - 1) >> 3;
    bool open = false, fresh;
    if (!n || end < at)
        return false;
    for (; k <= last; k++) {
        struct au_cell_word w = word_at(d, k, &fresh);
        uint64_t word = k << 3;
        if (w.state != AU_CELLS_SHARED) {
            if (exact)
                return false;
            if (open)
                au_vec_last(into).n = (uint32_t)(word - au_vec_last(into).at);
            open = false;
            continue;
        }
        unsigned starts = w.bounds;
        if (k == at >> 3) {
            if (exact && !(starts & 1u << (at & 7)))
                return false;
            starts = (starts | 1u << (at & 7)) & (0xffu << (at & 7));
        } else if (!open) {
            starts |= 1;
        }
        if (k == last && (end & 7)) {
            if (exact && !(starts & 1u << (end & 7)))
                return false;
            starts &= (1u << (end & 7)) - 1;
        }
        for (; starts; starts &= starts - 1) {
            uint64_t next = word + (unsigned)__builtin_ctz(starts);
            if (open)
                au_vec_last(into).n = (uint32_t)(next - au_vec_last(into).at);
            uint32_t var = w.vars && !fresh ? d->cells.vars.at[w.vars].at[next & 7] : 0;
            if (!var)
                return false;
            au_vec_push(into, ((au_part){.at = next, .var = var - 1}));
            open = true;
        }
    }
    if (open)
        au_vec_last(into).n = (uint32_t)(end - au_vec_last(into).at);
    if (exact && !(end & 7)) {
        struct au_cell_word w = word_at(d, end >> 3, &fresh);
        if (w.state == AU_CELLS_SHARED && !(w.bounds & 1))
            return false;
    }
    return true;
}

size_t au_watch_parts(const au_watch *w, uint64_t at, uint64_t n, au_part *into, size_t room) {
    au_recording *d = (au_recording *)w->of;
    au_part_vec found = {0};
    uint64_t there = n ? au_mappings_first(&d->mapped, at, n) : at;
    size_t parts = find_parts(d, there, n, true, &found) && found.n <= room ? found.n : 0;
    for (size_t i = 0; i < parts; i++) {
        into[i] = found.at[i];
        into[i].at += at - there;
    }
    au_vec_release(&found);
    return parts;
}

bool au_watch_object(const au_watch *w, uint64_t at, uint64_t *start, uint64_t *size, bool *freed) {
    au_recording *d = (au_recording *)w->of;
    const au_object *x = au_objects_find(&d->objects, at);
    if (!x)
        return false;
    *start = x->start;
    *size = x->size;
    *freed = x->freed;
    return true;
}

uint32_t au_watch_sync(const au_watch *w, uint64_t at) {
    const au_recording *d = w->of;
    const uint64_t *k = au_map_find(&d->sync, at);
    return k && *k ? d->object.at[*k - 1].lock : AU_NONE;
}

/* ---- records ------------------------------------------------------------------------------- */

bool au_watching_record(au_recording *d, const au_stream_record *r, uint64_t first, uint64_t n) {
    au_part_vec *part = &d->watching->part;
    uint64_t bytes = r->tag == AU_TAG_EV && n ? au_recording_accessed(r) : 0;
    au_vec_clear(part);
    if (bytes) {
        uint64_t at = au_mappings_first(&d->mapped, r->address, bytes), moved = r->address - at;
        unsigned off = at & 7;
        const struct au_cell_word *w = NULL;
        if (off + bytes <= 8)
            w = au_cells_touch(&d->cells, at);
        unsigned inside = ((1u << (off + (bytes & 15))) - 1) & ~((2u << off) - 1);
        if (w && w->state != AU_CELLS_SHARED)
            ;
        else if (w && w->vars && !(w->bounds & inside)) /* most: one cell of one word */
            au_vec_push(part, ((au_part){.at = at,
                                         .n = (uint32_t)bytes,
                                         .var = d->cells.vars.at[w->vars].at[off] - 1}));
        else
            find_parts(d, at, bytes, false, part);
        /* what else the record became (the end of a wait) stands before them */
        AU_BUG_IF(part->n > n);
        for (size_t i = 0; i < part->n; i++) {
            part->at[i].event = (uint32_t)(first + n - part->n + i);
            part->at[i].at += moved;
        }
    }
    d->opts.watch->stream = d->stream;
    return d->opts.watch->record(d->opts.watch->ctx, r, part->at, part->n, first, n);
}
