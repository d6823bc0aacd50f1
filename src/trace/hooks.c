#include "trace/hooks.h"

#include "base/error.h"

void au_hooks_init(au_hooks *h) {
    *h = (au_hooks){0};
}

void au_hooks_release(au_hooks *h) {
    for (size_t i = 0; i < h->thread.n; i++)
        au_vec_release(&h->thread.at[i].run);
    au_vec_release(&h->thread);
}

void au_hooks_note(au_hooks *h, uint16_t thread, uint64_t n) {
    while (h->thread.n <= thread)
        memset(au_vec_add(&h->thread), 0, sizeof *h->thread.at);
    struct au_hook_thread *t = &h->thread.at[thread];
    uint64_t index = t->events + 2;
    t->events += n;
    for (uint64_t left = n - 1; left;) {
        uint32_t k = left < UINT32_MAX ? (uint32_t)left : UINT32_MAX;
        struct au_hook_run *r = t->run.n ? &au_vec_last(&t->run) : NULL;
        if (r && r->n == k && r->times < UINT32_MAX &&
            (r->times == 1 || index == r->index + r->gap * r->times)) {
            r->gap = r->times == 1 ? index - r->index : r->gap;
            r->times++;
        } else {
            au_vec_push(&t->run, ((struct au_hook_run){index, t->extra, 0, 1, k}));
        }
        t->extra += k;
        index += k;
        left -= k;
    }
}

/* How many of the events up to 'index' are extra. */
static uint64_t extra(const struct au_hook_thread *t, uint64_t index) {
    size_t lo = 0, hi = t->run.n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (t->run.at[mid].index <= index)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (!lo)
        return 0;
    const struct au_hook_run *r = &t->run.at[lo - 1];
    uint64_t at = index - r->index;
    uint64_t k = r->times == 1 ? 0 : at / r->gap;
    if (k >= r->times)
        k = r->times - 1;
    uint64_t in = at - k * r->gap + 1;
    return r->before + k * r->n + (in < r->n ? in : r->n);
}

uint64_t au_hooks_of(const au_hooks *h, uint16_t thread, uint64_t index) {
    if (thread >= h->thread.n)
        return index;
    return index - extra(&h->thread.at[thread], index);
}

uint64_t au_hooks_over(const au_hooks *h, uint16_t thread, uint64_t index) {
    if (!index || thread >= h->thread.n)
        return index;
    const struct au_hook_thread *t = &h->thread.at[thread];
    uint64_t here = extra(t, index);
    bool inside = index < t->events && extra(t, index + 1) > here; /* the next is extra */
    return index - here - inside;
}

void au_hooks_tell(const au_hooks *h, au_finding *f) {
    for (uint32_t i = 0; i < f->n_events; i++)
        f->event[i].index = au_hooks_of(h, f->event[i].thread, f->event[i].index);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < f->schedule.n; i++) {
        au_sched_turn t = f->schedule.turn[i];
        t.upto = au_hooks_over(h, t.thread, t.upto);
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
