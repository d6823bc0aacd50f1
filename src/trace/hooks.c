#include "trace/hooks.h"

#include "base/error.h"

#include <stdlib.h>

void au_hooks_init(au_hooks *h) {
    *h = (au_hooks){0};
}

void au_hooks_release(au_hooks *h) {
    for (size_t i = 0; i < h->thread.n; i++) {
        struct au_hook_thread *t = &h->thread.at[i];
        au_vec_release(&t->parts.run);
        au_vec_release(&t->steps.run);
        au_vec_release(&t->skipped.run);
        au_vec_release(&t->leading.run);
        au_vec_release(&t->trailing.run);
    }
    au_vec_release(&h->thread);
    au_replies_release(&h->replies);
}

/* Counts n at this index; 'wide': one at each of n indexes from there on. */
static void add(au_hook_runs *g, uint64_t index, uint64_t n, bool wide) {
    while (n) {
        uint32_t k = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
        struct au_hook_run *r = g->run.n ? &au_vec_last(&g->run) : NULL;
        uint64_t next = r ? r->index + r->gap * r->times : 0;
        if (r && r->n == k && r->times < UINT32_MAX && index > r->index &&
            (r->times == 1 || index == next)) {
            r->gap = r->times == 1 ? index - r->index : r->gap;
            r->times++;
        } else {
            au_vec_push(&g->run, ((struct au_hook_run){index, g->all, 0, 1, k}));
        }
        g->all += k;
        index += wide ? k : 0;
        n -= k;
    }
}

static struct au_hook_thread *thread_at(au_hooks *h, uint16_t thread) {
    while (h->thread.n <= thread)
        memset(au_vec_add(&h->thread), 0, sizeof *h->thread.at);
    return &h->thread.at[thread];
}

void au_hooks_reply(au_hooks *h, uint16_t thread, au_libc_reply kind) {
    au_replies_note(&h->replies, kind, thread, thread_at(h, thread)->events, h->events);
}

void au_hooks_note(au_hooks *h, uint16_t thread, uint64_t n, bool glued) {
    struct au_hook_thread *t = thread_at(h, thread);
    t->open = t->open && glued;
    if (!n) {
        t->left_out++;
        t->glued = glued ? t->glued + 1 : 1;
        if (t->open)
            add(&t->trailing, t->events, 1, false);
        return;
    }
    if (t->left_out)
        add(&t->skipped, t->events + 1, t->left_out, false);
    if (t->open) { /* the step of the event before goes on */
        add(&t->steps, t->events + 1, n, true);
    } else {
        if (glued && t->glued)
            add(&t->leading, t->events + 1, t->glued, false);
        if (n > 1)
            add(&t->steps, t->events + 2, n - 1, true);
    }
    if (n > 1)
        add(&t->parts, t->events + 2, n - 1, true);
    t->events += n;
    h->events += n;
    t->left_out = t->glued = 0;
    t->open = true;
}

void au_hooks_place(au_hooks *h, uint16_t thread, uint64_t hook, uint64_t n, uint64_t first,
                    uint64_t last) {
    struct au_hook_thread *t = thread_at(h, thread);
    AU_BUG_IF(hook <= t->placed || !n);
    if (hook > t->placed + 1)
        add(&t->skipped, t->events + 1, hook - t->placed - 1, false);
    if (t->placed >= first) {
        add(&t->steps, t->events + 1, n, true);
    } else {
        if (hook > first)
            add(&t->leading, t->events + 1, hook - first, false);
        if (n > 1)
            add(&t->steps, t->events + 2, n - 1, true);
    }
    if (n > 1)
        add(&t->parts, t->events + 2, n - 1, true);
    t->events += n;
    h->events += n;
    t->placed = hook;
    if (last > hook)
        add(&t->trailing, t->events, last - hook, false);
}

/* The last run that begins at or before this index; NULL: none. */
static const struct au_hook_run *run_at(const au_hook_runs *g, uint64_t index) {
    size_t lo = 0, hi = g->run.n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (g->run.at[mid].index <= index)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo ? &g->run.at[lo - 1] : NULL;
}

static uint64_t round_at(const struct au_hook_run *r, uint64_t index) {
    uint64_t k = r->times == 1 ? 0 : (index - r->index) / r->gap;
    return k < r->times ? k : r->times - 1;
}

/* Wide ones: how many up to 'index'. *into: how many of them in a row end there, as far as
 * one run tells; 0: it is none itself. */
static uint64_t wide_upto(const au_hook_runs *g, uint64_t index, uint64_t *into) {
    const struct au_hook_run *r = run_at(g, index);
    *into = 0;
    if (!r)
        return 0;
    uint64_t k = round_at(r, index), in = index - r->index - k * r->gap + 1;
    if (in <= r->n)
        *into = in;
    return r->before + k * r->n + (in < r->n ? in : r->n);
}

/* The others: how many up to 'index', and how many at it. */
static uint64_t upto(const au_hook_runs *g, uint64_t index) {
    const struct au_hook_run *r = run_at(g, index);
    return r ? r->before + (round_at(r, index) + 1) * r->n : 0;
}

static uint64_t at(const au_hook_runs *g, uint64_t index) {
    return index ? upto(g, index) - upto(g, index - 1) : 0;
}

static uint64_t hook_of(const struct au_hook_thread *t, uint64_t index) {
    uint64_t into;
    return index - wide_upto(&t->parts, index, &into) + upto(&t->skipped, index);
}

uint64_t au_hooks_of(const au_hooks *h, uint16_t thread, uint64_t index) {
    return thread < h->thread.n ? hook_of(&h->thread.at[thread], index) : index;
}

bool au_hooks_goes_on(const au_hooks *h, uint16_t thread, uint64_t index) {
    uint64_t into = 0;
    if (thread < h->thread.n)
        wide_upto(&h->thread.at[thread].steps, index, &into);
    return into != 0;
}

uint64_t au_hooks_stop(const au_hooks *h, uint16_t thread, uint64_t index) {
    if (!index || thread >= h->thread.n)
        return index;
    const struct au_hook_thread *t = &h->thread.at[thread];
    uint64_t into;
    if (index >= t->events)
        return index;
    /* the next event's step begins with it, or goes back to its first event */
    for (index++; wide_upto(&t->steps, index, &into), into;)
        index -= into;
    return index - 1;
}

uint64_t au_hooks_after(const au_hooks *h, uint16_t thread, uint64_t index, bool late) {
    if (thread >= h->thread.n)
        return index;
    const struct au_hook_thread *t = &h->thread.at[thread];
    if (late && index < t->events)
        return hook_of(t, index + 1) - 1 - at(&t->leading, index + 1);
    return index ? hook_of(t, index) + at(&t->trailing, index) : 0;
}

uint64_t au_hooks_step_end(const au_hooks *h, uint16_t thread, uint64_t index) {
    if (thread >= h->thread.n)
        return index;
    const struct au_hook_thread *t = &h->thread.at[thread];
    uint64_t into;
    while (index < t->events && (wide_upto(&t->steps, index + 1, &into), into))
        index += run_at(&t->steps, index + 1)->n - into + 1;
    return hook_of(t, index) + at(&t->trailing, index);
}

static bool is_of(const au_finding *f, uint16_t thread) {
    for (uint32_t i = 0; i < f->n_events; i++)
        if (f->event[i].thread == thread)
            return true;
    return false;
}

/* Of a thread: its last turn, and the last of those that are kept + 1, 0: none. */
struct turns_of {
    uint32_t last, kept;
};

static struct turns_of *find_last(const au_schedule *s) {
    uint32_t threads = 0;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->turn[i].thread >= threads)
            threads = s->turn[i].thread + 1u;
    struct turns_of *of = au_alloc_array(threads + 1, sizeof *of);
    for (uint32_t i = 0; i < s->n; i++)
        of[s->turn[i].thread].last = i;
    return of;
}

/* Threads of the finding without a turn: they stand before their first event, which may have
 * hooks before it. */
static void add_turns(const au_finding *f, au_schedule *s, au_arena *arena) {
    au_turn *turn = AU_ARENA_ARRAY(arena, au_turn, s->n + f->n_events);
    memcpy(turn, s->turn, s->n * sizeof *turn);
    s->turn = turn;
    for (uint32_t i = 0; i < f->n_events; i++) {
        uint32_t k = 0;
        while (k < s->n && turn[k].thread != f->event[i].thread)
            k++;
        if (k == s->n)
            turn[s->n++] = (au_turn){.thread = f->event[i].thread};
    }
}

static void tell_turns(const au_hooks *h, au_finding *f, au_arena *arena) {
    uint32_t kept = 0;
    au_schedule *s = &f->schedule;
    add_turns(f, s, arena);
    struct turns_of *of = find_last(s);
    for (uint32_t i = 0; i < s->n; i++) {
        au_turn t = s->turn[i];
        bool late = of[t.thread].last == i && is_of(f, t.thread);
        /* what was left out behind the first access of a block comes before the others are let in */
        late |= h->thinned && f->kind == AU_KIND_ATOMICITY;
        t.upto = au_hooks_after(h, t.thread, au_hooks_stop(h, t.thread, t.upto), late);
        uint32_t k = of[t.thread].kept;
        if (t.upto <= (k ? s->turn[k - 1].upto : 0))
            continue;
        if (k && k == kept && !t.mark)
            s->turn[kept - 1].upto = t.upto;
        else
            s->turn[kept++] = t;
        of[t.thread].kept = kept;
    }
    free(of);
    s->n = kept;
}

void au_hooks_tell(const au_hooks *h, au_finding *f, au_arena *arena) {
    if (f->schedule.n)
        tell_turns(h, f, arena);
    f->until = AU_ARENA_ARRAY(arena, uint64_t, f->n_events);
    for (uint32_t i = 0; i < f->n_events; i++) {
        au_event_ref *e = &f->event[i];
        f->until[i] = au_hooks_step_end(h, e->thread, e->index);
        e->index = au_hooks_of(h, e->thread, e->index);
    }
    for (uint32_t i = 0; i < f->n_seen; i++)
        f->seen[i].index = au_hooks_of(h, f->seen[i].thread, f->seen[i].index);
}
