#include "trace/hooks.h"

#include "base/error.h"

void au_hooks_init(au_hooks *h) {
    *h = (au_hooks){0};
}

void au_hooks_release(au_hooks *h) {
    for (size_t i = 0; i < h->thread.n; i++) {
        au_vec_release(&h->thread.at[i].hook.run);
        au_vec_release(&h->thread.at[i].step.run);
    }
    au_vec_release(&h->thread);
}

/* n events from this index on are not the first of their group. */
static void add(au_hook_groups *g, uint64_t index, uint64_t n) {
    while (n) {
        uint32_t k = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
        struct au_hook_run *r = g->run.n ? &au_vec_last(&g->run) : NULL;
        if (r && r->n == k && r->times < UINT32_MAX &&
            (r->times == 1 || index == r->index + r->gap * r->times)) {
            r->gap = r->times == 1 ? index - r->index : r->gap;
            r->times++;
        } else {
            au_vec_push(&g->run, ((struct au_hook_run){index, g->all, 0, 1, k}));
        }
        g->all += k;
        index += k;
        n -= k;
    }
}

void au_hooks_note(au_hooks *h, uint16_t thread, uint64_t n, bool glued) {
    while (h->thread.n <= thread)
        memset(au_vec_add(&h->thread), 0, sizeof *h->thread.at);
    struct au_hook_thread *t = &h->thread.at[thread];
    if (n > 1)
        add(&t->hook, t->events + 2, n - 1);
    if (glued && t->events)
        add(&t->step, t->events + 1, n);
    else if (n > 1)
        add(&t->step, t->events + 2, n - 1);
    t->events += n;
}

/* How many of the events up to 'index' are not the first of their group. *into: how many of
 * the last of these in a row end at 'index', as far as one run tells; 0: it is a first one. */
static uint64_t count(const au_hook_groups *g, uint64_t index, uint64_t *into) {
    size_t lo = 0, hi = g->run.n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (g->run.at[mid].index <= index)
            lo = mid + 1;
        else
            hi = mid;
    }
    *into = 0;
    if (!lo)
        return 0;
    const struct au_hook_run *r = &g->run.at[lo - 1];
    uint64_t at = index - r->index;
    uint64_t k = r->times == 1 ? 0 : at / r->gap;
    if (k >= r->times)
        k = r->times - 1;
    uint64_t in = at - k * r->gap + 1;
    if (in <= r->n)
        *into = in;
    return r->before + k * r->n + (in < r->n ? in : r->n);
}

uint64_t au_hooks_of(const au_hooks *h, uint16_t thread, uint64_t index) {
    uint64_t into;
    if (thread >= h->thread.n)
        return index;
    return index - count(&h->thread.at[thread].hook, index, &into);
}

uint64_t au_hooks_stop(const au_hooks *h, uint16_t thread, uint64_t index) {
    if (!index || thread >= h->thread.n)
        return index;
    const struct au_hook_thread *t = &h->thread.at[thread];
    uint64_t into;
    if (index >= t->events)
        return index;
    /* the next event's step begins with it, or goes back to its first event */
    for (index++; count(&t->step, index, &into), into;)
        index -= into;
    return index - 1;
}

void au_hooks_tell(const au_hooks *h, au_finding *f) {
    for (uint32_t i = 0; i < f->n_events; i++)
        f->event[i].index = au_hooks_of(h, f->event[i].thread, f->event[i].index);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < f->schedule.n; i++) {
        au_sched_turn t = f->schedule.turn[i];
        t.upto = au_hooks_of(h, t.thread, au_hooks_stop(h, t.thread, t.upto));
        uint64_t before = 0;
        uint32_t k = kept;
        while (k && f->schedule.turn[k - 1].thread != t.thread)
            k--;
        if (k)
            before = f->schedule.turn[k - 1].upto;
        if (t.upto <= before)
            continue;
        if (k && k == kept)
            f->schedule.turn[kept - 1].upto = t.upto;
        else
            f->schedule.turn[kept++] = t;
    }
    f->schedule.n = kept;
}
