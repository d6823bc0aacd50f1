/* trace/recording_online.c: a recording that comes through a pipe, in one pass, while its program runs.
 *
 * Other recordings are read twice: the survey, then the events (recording_decode.c). Here the survey goes ahead of the
 * events, by as much of the stream as there is, at most AHEAD bytes and A_WHILE seconds: two decoders over the same
 * chunks. What begins and ends its life between them (nearly all blocks and local variables of a long run) is known as
 * exactly as in a file; what lives longer is taken as shared until its life ends, or the stream does:
 *
 *   - memory that one thread alone uses may be variables. They have events, which race with nobody: nothing is
 *     found that a file does not show, and memory grows with what the program keeps, not with how long it runs;
 *   - where accesses divide a cell is learned as they come. Who used all of it before is not compared
 *     with who uses a part of it later, if that is not in sight (cells.divided);
 *   - a send keeps its order as if somebody had received it; the last place of a library's chain that is in sight
 *     is told as if another thread came next.
 *
 * Which hook an event belongs to (hooks.h) is kept for the first AU_LIMIT_ONLINE_HOOKS changes of rhythm; a longer
 * stream's events are numbered as events. A stream that ends without its end was cut: that is no error here. */
#include "base/clock.h"
#include "base/deadline.h"
#include "base/limits.h"
#include "trace/recording_priv.h"

/* Bytes of stream: enough for the life of most blocks; the decoders' own memory is larger. */
enum { AHEAD = 2 << 20 };
static const double A_WHILE = 1.0; /* seconds: findings are not held back longer than that */
static const double IDLE = 0.2;    /* nothing comes: what is there is told */

typedef struct {
    uint8_t *p;
    size_t n;
    double came;
} chunk;

struct au_ahead {
    au_recording *front; /* surveys */
    AU_VEC(chunk) queue; /* surveyed, no events yet; from 'first' on */
    size_t first, bytes, most;
    uint8_t *now; /* the chunk that events are made of */
    bool ended, idle;
};

bool au_ahead_is_last(const au_recording *d, uint32_t library, uint64_t place) {
    return d->ahead && !d->ahead->ended &&
           place + 1 == d->ahead->front->opaque.chain.at[library - 1].places;
}

/* ---- what the survey has found so far ------------------------------------------------------- */

/* Vectors and maps of the front's that the other only reads: it has a view of them, which is made again whenever the
 * front went on, and is nobody's to free. */
static void give_back(au_recording *d) {
    d->robust = (au_map){0};
    for (size_t i = 0; i < d->opaque.chain.n; i++)
        memset(&d->opaque.chain.at[i].moves, 0, sizeof d->opaque.chain.at[i].moves);
    for (size_t i = 0; i < d->channels.at.n; i++) {
        memset(&d->channels.at.at[i].source, 0, sizeof d->channels.at.at[i].source);
        memset(&d->channels.at.at[i].goal, 0, sizeof d->channels.at.at[i].goal);
    }
    au_vec_clear(&d->places.tables);
}

#define LEND(to, from) memcpy(&(to), &(from), sizeof(to))

static void borrow(au_recording *d) {
    const au_recording *f = d->ahead->front;
    d->robust = f->robust;
    d->talk.needed = f->facts.thread.n > 1; /* somebody may hear later */
    d->talk.held = f->talk.needed && f->talk.held;
    while (d->opaque.chain.n < f->opaque.chain.n)
        *au_vec_add(&d->opaque.chain) = (au_opaque_chain){0};
    for (size_t i = 0; i < f->opaque.chain.n; i++)
        LEND(d->opaque.chain.at[i].moves, f->opaque.chain.at[i].moves);
    for (size_t i = 0; i < f->channels.at.n; i++) { /* both meet them in the same order */
        const au_rec_channel *from = &f->channels.at.at[i];
        if (i == d->channels.at.n) {
            *au_vec_add(&d->channels.at) = (au_rec_channel){
                .window = from->window, .kind = from->kind, .second = true, .needed = UINT32_MAX};
            *au_map_put(&d->channels.window, from->window, NULL) = i + 1;
        }
        LEND(d->channels.at.at[i].source, from->source);
        LEND(d->channels.at.at[i].goal, from->goal);
    }
    for (size_t i = 0; i < f->places.place.n && i < d->places.place.n; i++) {
        d->places.place.at[i].type = f->places.place.at[i].type;
        d->places.place.at[i].type_tables = f->places.place.at[i].type_tables;
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

static au_status survey_chunk(au_recording *f, const au_frame *c, au_error *err) {
    au_stream_record r;
    au_status st;
    au_stream_feed(f->stream, c->p, c->n);
    while ((st = au_stream_next(f->stream, &r, err)) == AU_OK && r.tag != AU_TAG_PAD) {
        if (r.tag == AU_TAG_EV)
            au_recording_survey(f, &r);
        else
            au_recording_fact(f, &r);
    }
    return st;
}

static au_status take_stream(au_recording *d, const au_frame *f, au_error *err) {
    struct au_ahead *a = d->ahead;
    au_status st = survey_chunk(a->front, f, err);
    if (st != AU_OK)
        return au_error_note(err, "%s", au_in_name(d->frames.in)), st;
    chunk c = {NULL, au_stream_offset(a->front->stream), au_now()}; /* without the padding */
    c.p = au_alloc(c.n + 1);
    memcpy(c.p, f->p, c.n);
    au_vec_push(&a->queue, c);
    a->bytes += c.n;
    return AU_OK;
}

static void end(au_recording *d) {
    d->ahead->ended = true;
    d->cells.growing = false; /* the rest is known exactly */
    au_recording_surveyed(d->ahead->front);
    d->base.incomplete = d->frames.incomplete;
}

static au_status take_frame(au_recording *d, au_error *err) {
    struct au_ahead *a = d->ahead;
    au_frame f;
    au_status st = au_frames_next(&d->frames, &f, err);
    if (st != AU_OK)
        return st;
    switch (f.kind) {
    case 0:
        end(d);
        break;
    case AU_WIRE_STREAM:
        st = take_stream(d, &f, err);
        break;
    case AU_WIRE_TABLES:
        st = au_places_tables(a->front, &f, err);
        au_vec_clear(&d->places.tables);
        for (size_t i = 0; i < a->front->places.tables.n; i++)
            au_vec_push(&d->places.tables, a->front->places.tables.at[i]);
        break;
    case AU_WIRE_META:
    case AU_WIRE_STDIN:
    case AU_WIRE_END:
        break;
    default:
        if (!(f.kind & 0x80))
            st = au_frames_bad(&d->frames, err, "a recording has no frames of kind %u", f.kind);
    }
    if (st == AU_OK)
        borrow(d);
    return st;
}

static bool is_due(const struct au_ahead *a) {
    if (a->first == a->queue.n)
        return false;
    return a->ended || a->idle || a->bytes > a->most ||
           au_now() - a->queue.at[a->first].came > A_WHILE;
}

static void next_chunk(au_recording *d) {
    struct au_ahead *a = d->ahead;
    chunk c = a->queue.at[a->first++];
    a->bytes -= c.n;
    if (a->first == a->queue.n) {
        a->first = 0;
        au_vec_clear(&a->queue);
        a->idle = false;
    }
    free(a->now);
    a->now = c.p;
    au_stream_feed(d->stream, c.p, c.n);
}

/* The decoder that makes events needs bytes. *wait: there are events to be handed on before anything is waited for. */
static au_status feed(au_recording *d, bool *wait, au_error *err) {
    struct au_ahead *a = d->ahead;
    au_status st = AU_OK;
    bool can_wait = *wait;
    *wait = false;
    while (st == AU_OK && !is_due(a) && !a->ended) {
        /* the last frame was borrowed until the next is asked for */
        size_t want = d->frames.step + sizeof(struct au_wire_frame);
        if (!can_wait && au_in_would_wait(d->frames.in, want)) {
            *wait = true;
            return AU_OK;
        }
        if (au_in_await(d->frames.in, want, IDLE) || au_deadline_over())
            st = take_frame(d, err);
        else
            a->idle = a->first < a->queue.n;
    }
    if (st == AU_OK && is_due(a))
        next_chunk(d);
    else if (st == AU_OK)
        d->over = true;
    return st;
}

/* ---- events ------------------------------------------------------------------------------------ */

static void bound_hooks(au_recording *d) {
    uint64_t runs = 0;
    for (size_t i = 0; d->base.hooks && i < d->hooks.thread.n; i++) {
        const struct au_hook_thread *t = &d->hooks.thread.at[i];
        runs += t->parts.run.n + t->steps.run.n + t->skipped.run.n + t->leading.run.n +
                t->trailing.run.n;
    }
    if (runs <= au_limit_value(AU_AT_ONLINE_HOOKS))
        return;
    au_limit_reached(AU_AT_ONLINE_HOOKS, runs);
    au_hooks_release(&d->hooks);
    au_hooks_init(&d->hooks);
    d->base.hooks = NULL;
}

static au_status next(au_decoder *base, au_columns *c, au_names *names, au_error *err) {
    au_recording *d = (au_recording *)base;
    au_stream_record r;
    au_status st;
    d->c = c;
    d->names = names;
    d->first = d->events;
    au_columns_reserve(c, AU_DECODE_EVENTS);
    c->any_value = true;
    c->all_value = false;
    while (!d->over && c->n < AU_DECODE_EVENTS) {
        if ((st = au_stream_next(d->stream, &r, err)) != AU_OK)
            return au_error_note(err, "%s", au_in_name(d->frames.in)), st;
        if (r.tag == AU_TAG_EV) {
            au_recording_event(d, &r);
        } else if (r.tag != AU_TAG_PAD) {
            au_recording_control(d, &r);
            if (r.tag == AU_TAG_NOTE && r.kind == AU_NOTE_CODE)
                au_opaque_code(d, &r);
        } else {
            bool wait = c->n == 0;
            if ((st = feed(d, &wait, err)) != AU_OK)
                return st;
            if (wait)
                break;
        }
    }
    d->events += c->n;
    base->divided = d->cells.divided;
    bound_hooks(d);
    return AU_OK;
}

au_decoder *au_decode_online(au_frames *f, const au_read_options *opts) {
    au_recording *d = au_recording_new(f, opts);
    d->frames.partial = true;
    d->base.next = next;
    d->base.online = true;
    d->surveyed = true;
    struct au_ahead *a = d->ahead = AU_NEW(struct au_ahead);
    a->most = opts->ahead ? opts->ahead : AHEAD;
    a->front = au_recording_new(&(au_frames){.in = f->in}, opts);
    d->base.facts = &a->front->facts;
    au_map_release(&d->robust);
    au_cells_init(&d->cells, &a->front->survey);
    d->cells.growing = true;
    return &d->base;
}

void au_ahead_free(au_recording *d) {
    struct au_ahead *a = d->ahead;
    if (!a)
        return;
    give_back(d);
    au_recording_free(&a->front->base);
    for (size_t i = a->first; i < a->queue.n; i++)
        free(a->queue.at[i].p);
    au_vec_release(&a->queue);
    free(a->now);
    free(a);
}
