/* trace/thin_epochs.c: where threads notice each other (thin.h).
 *
 * By words, not by cells, and of all memory, for it is not known yet what is shared: a read of one half of a word counts
 * as one of the other, and one of a new object as one of what lay there before. That ends more epochs than
 * need be, never fewer. */
#include "trace/thin.h"

#include <stdlib.h>

/* A hook of a thread as one number; 0: none. */
static uint64_t pack(uint16_t thread, uint64_t hook) {
    return hook << 16 | thread;
}
static uint16_t thread_of(uint64_t x) {
    return (uint16_t)x;
}
static uint64_t hook_of(uint64_t x) {
    return x >> 16;
}

struct word {
    uint64_t write;  /* the last one */
    uint64_t atomic; /* the last atomic access */
    uint32_t seen;   /* thread + 1 that was the last to learn of 'write' */
    uint32_t n;      /* accesses in its lifetime, or the most that fit */
};

void au_epochs_init(au_epochs *e) {
    *e = (au_epochs){0};
    au_pages_init(&e->words, sizeof(struct word));
    au_map_init(&e->known);
}

void au_epochs_release(au_epochs *e) {
    for (size_t i = 0; i < e->thread.n; i++)
        au_vec_release(&e->thread.at[i]);
    au_vec_release(&e->thread);
    au_pages_release(&e->words);
    au_map_release(&e->known);
}

static void end(au_epochs *e, uint64_t at) {
    uint16_t t = thread_of(at);
    while (e->thread.n <= t)
        *au_vec_add(&e->thread) = (au_epoch_ends){0};
    au_epoch_ends *v = &e->thread.at[t];
    if (!v->n || au_vec_last(v) != hook_of(at))
        au_vec_push(v, hook_of(at));
}

/* A thread comes to know of what another did; false: it knew. */
static bool learn(au_epochs *e, uint16_t thread, uint64_t of) {
    uint64_t *known = au_map_put(&e->known, (uint64_t)thread << 16 | thread_of(of), NULL);
    if (*known >= hook_of(of))
        return false;
    *known = hook_of(of);
    return true;
}

static inline void touch(au_epochs *e, struct word *w, uint16_t thread, uint64_t hook, bool reads,
                         bool writes, bool atomic) {
    uint64_t me = pack(thread, hook);
    if (reads && w->write && thread_of(w->write) != thread && w->seen != thread + 1u) {
        w->seen = thread + 1u;
        if (learn(e, thread, w->write)) {
            end(e, w->write);
            end(e, me);
        }
    }
    if (atomic) {
        if (w->atomic && thread_of(w->atomic) != thread) {
            end(e, w->atomic);
            end(e, me);
        }
        w->atomic = me;
    }
    if (writes) {
        w->write = me;
        w->seen = 0;
    }
}

static void touch_range(au_epochs *e, uint64_t at, uint64_t n, uint16_t thread, uint64_t hook,
                        bool reads, bool writes, bool atomic) {
    uint64_t k = at >> 3, words = (((at + n - 1) >> 3) - k + 1) & (UINT64_MAX >> 3);
    for (uint64_t i = 0; i < words; i++) {
        uint64_t word = (k + i) & (UINT64_MAX >> 3);
        struct word *w = au_pages_get(&e->words, word / AU_PAGE_WORDS);
        w += word % AU_PAGE_WORDS;
        touch(e, w, thread, hook, reads, writes, atomic);
        w->n += w->n < UINT32_MAX;
    }
}

void au_epochs_access(au_epochs *e, const au_stream_record *r) {
    bool range = r->op >= AU_SOP_RREAD && r->op <= AU_SOP_RCOPY;
    bool reads =
        r->op == AU_OP_READ || r->op == AU_OP_AREAD || r->op == AU_OP_RMW || r->op == AU_SOP_RREAD;
    bool writes = !reads || r->op == AU_OP_RMW;
    /* functions for atomics tell ranges: taken for both */
    bool atomic = r->op >= AU_OP_AREAD && r->op <= AU_OP_RMW;
    uint64_t n = range ? r->len : r->size;
    if (n && n <= 8 - (r->address & 7) && !atomic) { /* nearly all */
        uint64_t word = r->address >> 3;
        struct word *w = au_pages_get(&e->words, word / AU_PAGE_WORDS);
        w += word % AU_PAGE_WORDS;
        w->n += w->n < UINT32_MAX;
        touch(e, w, r->thread, r->index, reads, writes, false);
    } else if (n)
        touch_range(e, r->address, n, r->thread, r->index, reads, writes, atomic);
}

void au_epochs_again(au_epochs *e, uint64_t address, bool write, uint16_t thread, uint64_t hook,
                     uint32_t times) {
    uint64_t word = address >> 3;
    struct word *w = au_pages_get(&e->words, word / AU_PAGE_WORDS);
    w += word % AU_PAGE_WORDS;
    w->n = times > UINT32_MAX - w->n ? UINT32_MAX : w->n + times;
    if (write && hook_of(w->write) < hook) /* else another of its writes was later */
        w->write = pack(thread, hook);
}

struct freeing {
    au_epochs *e;
    const au_stream_record *r;
};

static void free_words(void *ctx, void *words, uint64_t from, uint64_t to) {
    struct freeing *f = ctx;
    for (uint64_t i = from; i <= to; i++) {
        struct word *w = (struct word *)words + i % AU_PAGE_WORDS;
        if (!w->n)
            continue;
        touch(f->e, w, f->r->thread, f->r->index, false, true, false);
        w->n += w->n < UINT32_MAX;
    }
}

void au_epochs_free_range(au_epochs *e, const au_stream_record *r, uint64_t at, uint64_t n) {
    struct freeing f = {e, r};
    if (n)
        au_pages_each(&e->words, at >> 3, (at + (n - 1)) >> 3, free_words, &f);
}

struct beginning {
    au_epochs *e;
    const au_survey *s;
};

/* The lifetimes of these words end. */
static void end_words(void *ctx, void *words, uint64_t from, uint64_t to) {
    struct beginning *b = ctx;
    const struct au_seen *x = au_pages_find(&b->s->pages, from / AU_PAGE_WORDS);
    for (uint64_t i = from % AU_PAGE_WORDS; x && i <= to % AU_PAGE_WORDS; i++) {
        struct word *w = (struct word *)words + i;
        if ((x[i].flags & AU_SEEN_SHARED) == AU_SEEN_SHARED)
            b->e->accesses += w->n;
        w->n = 0;
    }
}

void au_epochs_begin(au_epochs *e, const au_survey *s, uint64_t at, uint64_t n) {
    struct beginning b = {e, s};
    uint64_t first, last;
    if (au_pages_whole(at, n, &first, &last))
        au_pages_each(&e->words, first, last, end_words, &b);
}

void au_epochs_forked(au_epochs *e, const au_stream_record *r) {
    if (r->address > UINT16_MAX)
        return;
    if (r->op == AU_OP_FORK)
        learn(e, (uint16_t)r->address, pack(r->thread, r->index));
    else if (r->op == AU_OP_JOIN)
        learn(e, r->thread, pack((uint16_t)r->address, UINT64_MAX >> 16));
}

static int ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

void au_epochs_done(au_epochs *e, const au_survey *s) {
    struct beginning b = {e, s};
    for (size_t i = 0; i < e->words.page.n; i++) {
        uint64_t first = e->words.page.at[i].number * AU_PAGE_WORDS;
        end_words(&b, e->words.page.at[i].words, first, first + AU_PAGE_WORDS - 1);
    }
    for (size_t i = 0; i < e->thread.n; i++) {
        au_epoch_ends *v = &e->thread.at[i];
        if (v->n)
            qsort(v->at, v->n, sizeof *v->at, ascending);
    }
    au_pages_release(&e->words);
    au_pages_init(&e->words, sizeof(struct word));
    au_map_clear(&e->known);
}
