/* trace/recording_runs.c: accesses that do the same again and again.
 *
 * Nearly all events of a long recording were expected (wire/stream.h), and most of those do what the last event of
 * their site did: the same operation on the same bytes, a moment ago. Such an event changes next to nothing.
 *
 *   survey   As long as no other thread runs and no lifetime begins or ends, a second access finds the word as the
 *            first left it: who touched it and where it is divided is known, its own write is no news to a thread.
 *            What is left, how often and which was the last, is told once, when somebody could ask.
 *   events   Of a thinned recording (thin.h), an access of the same epoch is the last of its group now: numbers are
 *            replaced. That the cell's version is the same is looked at each time.
 *
 * Nobody asks what accesses see or write in either pass (au_stream_be_blind), so the image of memory stays as it is.
 * Such events are neither made records of nor looked up; a comparison with what their site did last says that
 * they are such. Everything else goes the long way (recording_events.c), with the same result: random_thin reads
 * each recording both ways. */
#include "trace/recording_priv.h"
#include "trace/thin_priv.h"

static uint16_t shape_of(uint8_t op, uint8_t size) {
    return (uint16_t)(op | size << 8);
}

static bool is_simple(uint8_t op, uint8_t size, uint64_t address) {
    return (op == AU_OP_READ || op == AU_OP_WRITE) && size && (address & 7) + size <= 8;
}

/* The entry of this place, and those before it. */
static au_again *at_place(au_recording *d, uint32_t place) {
    while (d->repeats.at.n <= place)
        *au_vec_add(&d->repeats.at) = (au_again){0};
    return &d->repeats.at.at[place];
}

/* How many expected events may be gone through before somebody looks at the clock; 0: none. */
static uint64_t begin_run(au_recording *d, au_stream_run *run) {
    if (d->opts.singly || d->opts.limit || d->opts.longest || !au_stream_begin_run(d->stream, run))
        return 0;
    at_place(d, au_stream_places(d->stream) - 1);
    uint64_t most = d->look - d->asked;
    return run->left < most ? run->left : most;
}

static inline void hit(au_stream_run *run, uint32_t place, struct au_site *s) {
    run->prev = place;
    au_site_hit_address(s);
    if (s->op == AU_OP_WRITE)
        au_site_hit_value(s);
}

/* ---- the survey ------------------------------------------------------------------------------ */

static void settle(au_recording *d, au_again *x) {
    if (!x->times)
        return;
    d->accesses += x->times;
    if (d->epochs.on)
        au_epochs_again(&d->epochs, x->address, (x->shape & 0xff) == AU_OP_WRITE, d->repeats.thread,
                        x->hook, x->times);
    x->times = 0;
}

void au_again_settle(au_recording *d) {
    for (size_t i = 0; i < d->repeats.untold.n; i++) {
        au_again *x = &d->repeats.at.at[d->repeats.untold.at[i]];
        settle(d, x);
        x->untold = false;
    }
    au_vec_clear(&d->repeats.untold);
    d->repeats.time++;
}

void au_again_survey(au_recording *d, const au_stream_record *r) {
    if (is_simple(r->op, r->size, r->address) && !d->opts.words && d->mapped.n <= 1) {
        au_again *x = at_place(d, au_stream_place(d->stream));
        settle(d, x);
        x->address = r->address;
        x->shape = shape_of(r->op, r->size);
        x->when = d->repeats.time;
        d->repeats.thread = r->thread;
    }
    au_stream_run run;
    uint64_t most = begin_run(d, &run), n = 0;
    for (; n < most; n++) {
        uint32_t place = run.site[run.prev].succ;
        struct au_site *s = &run.site[place];
        au_again *x = &d->repeats.at.at[place];
        if (x->when != d->repeats.time || x->address != s->pred ||
            x->shape != shape_of(s->op, s->size) || x->times == UINT32_MAX)
            break;
        x->times++;
        x->hook = run.index + n + 1;
        hit(&run, place, s);
        if (!x->untold) {
            x->untold = true;
            au_vec_push(&d->repeats.untold, place);
        }
    }
    if (!n)
        return;
    au_stream_end_run(d->stream, &run, n);
    d->asked += n;
}

/* ---- events ------------------------------------------------------------------------------------ */

void au_again_birth(au_recording *d) {
    d->repeats.births++;
}

/* An event that was taken out of the stream and not told of. */
typedef struct {
    const au_again *x;
    uint64_t hook;
} untold;

/* The present step is over; what it did is remembered of its site. */
static void note_fresh(au_recording *d, uint16_t thread) {
    uint32_t group;
    bool known = au_thin_close(d->thin, thread, &group);
    if (!d->repeats.fresh)
        return;
    au_again *x = &d->repeats.at.at[d->repeats.fresh];
    d->repeats.fresh = 0;
    x->when = known ? d->thin->thread.at[thread].epoch : 0;
    x->group = group;
    x->times = d->repeats.births;
}

static void tell(au_recording *d, uint16_t thread, const untold *u) {
    const au_again *x = u->x;
    if (x->group == AU_NONE) {
        au_thin_nothing(d->thin, thread, u->hook);
        return;
    }
    const au_thin_group *g = &d->thin->thread.at[thread].group.at[x->group];
    au_thin_access(d->thin, thread, u->hook, (uint8_t)x->shape, g->var, g->loc);
}

/* It is no longer the last of its thread. */
static inline void close(au_recording *d, uint16_t thread, const untold *u) {
    uint32_t group;
    if (u->x->group == AU_NONE) /* a step without events */
        return;
    if (au_thin_again(d->thin, &d->thin->thread.at[thread], thread, u->x->group, u->hook))
        return;
    tell(d, thread, u);
    au_thin_close(d->thin, thread, &group);
}

/* The last one taken is told of as such: the next event may belong to the same step. */
static void end_events(au_recording *d, uint16_t thread, const untold *last) {
    tell(d, thread, last);
    au_rec_thread *t = &d->thread.at[thread];
    t->last.op = (uint8_t)last->x->shape;
    t->last.address = last->x->address;
    t->last.value = 0;
    t->last.len = 0;
}

void au_again_thin(au_recording *d, const au_stream_record *r) {
    au_stream_run run;
    uint64_t most = begin_run(d, &run), n = 0;
    au_again *mine = at_place(d, au_stream_place(d->stream));
    mine->address = r->address;
    mine->shape = shape_of(r->op, r->size);
    mine->when = 0;
    d->repeats.fresh = au_stream_place(d->stream);
    if (!most)
        return;
    const struct au_site *next = &run.site[run.site[run.prev].succ];
    if (!is_simple(next->op, next->size, next->pred) || au_channel_is(next->pred) ||
        au_place_kind(d, next->id)) /* it could belong to the present step */
        return;
    note_fresh(d, run.thread);
    uint64_t epoch = d->thin->thread.at[run.thread].epoch,
             until = au_thin_until(d->thin, run.thread);
    untold last = {0};
    for (; n < most && run.index + n + 1 < until; n++) {
        uint32_t place = run.site[run.prev].succ;
        struct au_site *s = &run.site[place];
        const au_again *x = &d->repeats.at.at[place];
        if (x->when != epoch || x->address != s->pred || x->shape != shape_of(s->op, s->size) ||
            x->times != d->repeats.births)
            break;
        if (n)
            close(d, run.thread, &last);
        last = (untold){x, run.index + n + 1};
        hit(&run, place, s);
    }
    if (!n)
        return;
    au_stream_end_run(d->stream, &run, n);
    d->asked += n;
    end_events(d, run.thread, &last);
}

void au_again_forget(au_recording *d) {
    au_vec_clear(&d->repeats.at);
    au_vec_clear(&d->repeats.untold);
    d->repeats.fresh = 0;
}
