/* trace/hooks_split.c: is a schedule of events one of hooks?
 *
 * A schedule may stop inside of a step (between two cells of one access, between the read
 * and the write of a copy). As hooks, the step then has not begun. That changes nothing unless another thread sees it: reads, in
 * a later turn, what the part wrote; or, if the thread goes on later, touches meanwhile
 * what the part touched, with a write on either side. Who goes on later can also end the step at once, unless the
 * others meanwhile touch what the rest of it touches. So can, and must, who has executed one of the events that the
 * finding's order is about: the second of three may be a write that nobody reads. */
#include "trace/trace.h"

#include "base/deadline.h"

typedef struct {
    uint32_t var;
    bool write;
} touch;

typedef struct {
    const au_trace *t;
    uint32_t *order; /* events by thread … */
    size_t *first;   /* … where each one's begin */
} by_thread;

static void sort(by_thread *s) {
    const au_trace *t = s->t;
    size_t threads = t->names.thread.n;
    au_deadline_step(t->events.n / 16);
    s->order = au_alloc_array(t->events.n + 1, sizeof *s->order);
    s->first = au_alloc_array(threads + 1, sizeof *s->first);
    size_t *fill = au_alloc_array(threads + 1, sizeof *fill);
    for (size_t i = 0; i < t->events.n; i++)
        s->first[t->events.thread[i] + 1]++;
    for (size_t i = 0; i < threads; i++)
        s->first[i + 1] += s->first[i];
    memcpy(fill, s->first, threads * sizeof *fill);
    for (size_t i = 0; i < t->events.n; i++)
        s->order[fill[t->events.thread[i]]++] = (uint32_t)i;
    free(fill);
}

static bool writes(au_op op) {
    return op == AU_OP_WRITE || op == AU_OP_AWRITE || op == AU_OP_RMW;
}

/* Does this thread have a turn after turn i? */
static bool goes_on(const au_schedule *s, uint32_t i) {
    for (uint32_t k = i + 1; k < s->n; k++)
        if (s->turn[k].thread == s->turn[i].thread)
            return true;
    return false;
}

/* In the turns after turn i, up to the thread's next one if there is any. */
static bool is_seen(const by_thread *b, const au_schedule *s, uint32_t i, const uint64_t *upto,
                    const touch *part, size_t n, bool resumes) {
    uint64_t *at = au_alloc_array(b->t->names.thread.n, sizeof *at);
    memcpy(at, upto, b->t->names.thread.n * sizeof *at);
    bool seen = false;
    for (uint32_t k = i + 1; k < s->n && !seen && s->turn[k].thread != s->turn[i].thread; k++) {
        uint16_t t = s->turn[k].thread;
        for (; at[t] < s->turn[k].upto && !seen; at[t]++) {
            uint32_t e = b->order[b->first[t] + at[t]];
            au_op op = b->t->events.op[e];
            if (!au_op_is_access(op))
                continue;
            bool write = writes(op), read = op != AU_OP_WRITE && op != AU_OP_AWRITE;
            for (size_t p = 0; p < n && !seen; p++)
                seen = part[p].var == b->t->events.obj[e] &&
                       ((part[p].write && read) || (resumes && (part[p].write || write)));
        }
    }
    free(at);
    return seen;
}

/* What events from+1 to 'to' of a thread touch; false: not only accesses. */
typedef AU_VEC(touch) touches;
static bool touched(const by_thread *b, uint16_t thread, uint64_t from, uint64_t to,
                    touches *part) {
    au_vec_clear(part);
    for (uint64_t k = from; k < to; k++) {
        uint32_t e = b->order[b->first[thread] + k];
        au_op op = b->t->events.op[e];
        if (au_op_is_access(op))
            au_vec_push(part, ((touch){b->t->events.obj[e], writes(op)}));
        else if (au_op_space(op) == AU_WIRE_SPACE_LOCK || op == AU_OP_FORK)
            return false; /* what synchronises is not simply moved */
    }
    return true;
}

/* Is one of the events from+1 to 'to' of turn i's thread to come before those of later turns? */
static bool is_decisive(const au_finding *f, uint32_t i, uint64_t from, uint64_t to) {
    if ((f->kind != AU_KIND_ATOMICITY && f->kind != AU_KIND_LOST) || i + 1 == f->schedule.n)
        return false;
    for (uint32_t k = 0; k < f->n_events; k++)
        if (f->event[k].thread == f->schedule.turn[i].thread && f->event[k].index > from &&
            f->event[k].index <= to)
            return true;
    return false;
}

/* Ends the step in this turn already, if the next one of its thread does (or it has none and 'alone') and nobody sees
 * the difference. */
static bool end_at_once(const by_thread *b, au_schedule *s, uint32_t i, const uint64_t *upto,
                        bool alone, touches *part) {
    au_turn *x = &s->turn[i];
    uint64_t length = b->first[x->thread + 1] - b->first[x->thread], end = x->upto;
    uint32_t next = i + 1;
    while (next < s->n && s->turn[next].thread != x->thread)
        next++;
    while (end < length && au_hooks_goes_on(&b->t->hooks, x->thread, end + 1))
        end++;
    if (next == s->n ? !alone : s->turn[next].upto < end || s->turn[next].mark)
        return false;
    if (!touched(b, x->thread, x->upto, end, part) ||
        is_seen(b, s, i, upto, part->at, part->n, true))
        return false;
    x->upto = end;
    return true;
}

/* The release of a condition wait is one step with the wait: who has done the one has done
 * the other. */
static void finish_waits(const by_thread *b, au_schedule *s) {
    for (uint32_t i = 0; i < s->n; i++) {
        au_turn *x = &s->turn[i];
        size_t next = b->first[x->thread] + x->upto;
        if (x->upto && next < b->first[x->thread + 1] &&
            b->t->events.op[b->order[next]] == AU_OP_WAIT)
            x->upto++;
    }
}

struct au_hooks_view {
    by_thread b; /* made when first needed */
};

au_hooks_view *au_hooks_view_new(const au_trace *t) {
    au_hooks_view *v = AU_NEW(au_hooks_view);
    v->b.t = t;
    return v;
}

void au_hooks_view_free(au_hooks_view *v) {
    if (!v)
        return;
    free(v->b.order);
    free(v->b.first);
    free(v);
}

bool au_hooks_hold(au_hooks_view *v, au_finding *f) {
    const au_trace *t = v->b.t;
    au_schedule *s = &f->schedule;
    bool split = false;
    for (uint32_t i = 0; i < s->n && !split; i++) {
        const au_turn *x = &s->turn[i];
        split = au_hooks_stop(&t->hooks, x->thread, x->upto) < x->upto;
    }
    if (!split || t->events.n >= UINT32_MAX)
        return !split;
    if (!v->b.order)
        sort(&v->b);
    const by_thread *b = &v->b;
    finish_waits(b, s);
    uint64_t *upto = au_alloc_array(t->names.thread.n, sizeof *upto);
    touches part = {0};
    bool holds = true;
    for (uint32_t i = 0; i < s->n && holds; i++) {
        const au_turn *x = &s->turn[i];
        uint64_t stop = au_hooks_stop(&t->hooks, x->thread, x->upto);
        upto[x->thread] = x->upto;
        if (stop == x->upto)
            continue;
        bool decisive = is_decisive(f, i, stop, x->upto);
        holds = touched(b, x->thread, stop, x->upto, &part) &&
                ((!decisive && !is_seen(b, s, i, upto, part.at, part.n, goes_on(s, i))) ||
                 end_at_once(b, s, i, upto, decisive, &part));
        upto[x->thread] = x->upto;
    }
    au_vec_release(&part);
    free(upto);
    return holds;
}
