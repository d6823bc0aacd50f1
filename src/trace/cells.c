#include "trace/cells.h"

#include "trace/words.h"

#include "base/error.h"

/* ---- pages ------------------------------------------------------------------------ */

void *au_pages_slow(au_pages *p, uint64_t number) {
    bool fresh;
    uint64_t *k = au_map_put(&p->index, number, &fresh);
    if (fresh) {
        struct au_page *x = au_vec_add(&p->page);
        x->number = number;
        x->words = au_alloc_array(AU_PAGE_WORDS, p->word);
        *k = p->page.n;
    }
    void *words = p->page.at[*k - 1].words;
    unsigned c = number & (AU_PAGES_CACHE - 1);
    p->cache[c].number = number + 1;
    p->cache[c].words = words;
    return words;
}

void *au_pages_find(const au_pages *p, uint64_t number) {
    unsigned c = number & (AU_PAGES_CACHE - 1);
    if (p->cache[c].number == number + 1)
        return p->cache[c].words;
    const uint64_t *k = au_map_find(&p->index, number);
    return k ? p->page.at[*k - 1].words : NULL;
}

void au_pages_init(au_pages *p, size_t word) {
    memset(p, 0, sizeof *p);
    p->word = word;
    au_map_init(&p->index);
}

void au_pages_release(au_pages *p) {
    for (size_t i = 0; i < p->page.n; i++)
        free(p->page.at[i].words);
    au_vec_release(&p->page);
    au_map_release(&p->index);
}

void au_pages_each(au_pages *p, uint64_t first, uint64_t last, au_pages_fn *fn, void *ctx) {
    uint64_t from = first / AU_PAGE_WORDS, to = last / AU_PAGE_WORDS;
    if (to < from)
        return;
    if (to - from < p->page.n) {
        for (uint64_t n = from; n <= to; n++) {
            void *words = au_pages_find(p, n);
            if (words)
                fn(ctx, words, n == from ? first : n * AU_PAGE_WORDS,
                   n == to ? last : n * AU_PAGE_WORDS + AU_PAGE_WORDS - 1);
        }
        return;
    }
    for (size_t i = 0; i < p->page.n; i++) {
        uint64_t n = p->page.at[i].number;
        if (n >= from && n <= to)
            fn(ctx, p->page.at[i].words, n == from ? first : n * AU_PAGE_WORDS,
               n == to ? last : n * AU_PAGE_WORDS + AU_PAGE_WORDS - 1);
    }
}

bool au_pages_whole(uint64_t at, uint64_t n, uint64_t *first, uint64_t *last) {
    uint64_t end = at + n;
    if (end < at)
        end = UINT64_MAX;
    *first = (at >> 3) + !!(at & 7);
    *last = (end >> 3) - 1;
    return end >> 3 > *first;
}

/* ---- the survey --------------------------------------------------------------------- */

void au_survey_init(au_survey *s) {
    au_pages_init(&s->pages, sizeof(struct au_seen));
    au_map_init(&s->ended);
}

void au_survey_release(au_survey *s) {
    au_pages_release(&s->pages);
    au_map_release(&s->ended);
}

static struct au_seen *seen(au_survey *s, uint64_t word) {
    return (struct au_seen *)au_pages_get(&s->pages, word / AU_PAGE_WORDS) + word % AU_PAGE_WORDS;
}

void au_survey_range(au_survey *s, uint64_t at, uint64_t n, uint16_t thread, bool write) {
    if (!n)
        return;
    uint64_t end = at + n, last = (end - 1) >> 3;
    for (uint64_t k = at >> 3;;) {
        struct au_seen *w = seen(s, k);
        uint64_t stop = k | (AU_PAGE_WORDS - 1); /* the last of its page */
        stop = last >= k && last < stop ? last : stop;
        for (uint64_t i = k;; i++, w++) {
            au_survey_word(w, thread, write);
            if (i == stop)
                break;
        }
        if (stop == last)
            break;
        k = (stop + 1) & (UINT64_MAX >> 3);
    }
    seen(s, at >> 3)->bounds |= (uint8_t)(1u << (at & 7));
    seen(s, end >> 3)->bounds |= (uint8_t)(1u << (end & 7));
}

struct freeing {
    uint16_t thread;
};

static void free_words(void *ctx, void *words, uint64_t from, uint64_t to) {
    struct au_seen *w = words;
    for (uint64_t i = from; i <= to; i++)
        if (w[i % AU_PAGE_WORDS].flags)
            au_survey_word(&w[i % AU_PAGE_WORDS], ((struct freeing *)ctx)->thread, true);
}

void au_survey_free_range(au_survey *s, uint64_t at, uint64_t n, uint16_t thread) {
    struct freeing f = {thread};
    if (n)
        au_pages_each(&s->pages, at >> 3, (at + (n - 1)) >> 3, free_words, &f);
}

static uint64_t ended_key(uint64_t word, uint32_t generation) {
    return au_hash_join(word, generation);
}

static void end_words(void *ctx, void *words, uint64_t from, uint64_t to) {
    au_survey *s = ctx;
    struct au_seen *w = words;
    for (uint64_t i = from; i <= to; i++) {
        struct au_seen *x = &w[i % AU_PAGE_WORDS];
        if (!x->flags) {
            x->bounds = 0;
            continue;
        }
        if ((x->flags & AU_SEEN_SHARED) == AU_SEEN_SHARED)
            *au_map_put(&s->ended, ended_key(i, x->generation), NULL) = x->bounds | 256u;
        *x = (struct au_seen){.generation = x->generation + 1};
    }
}

void au_survey_begin(au_survey *s, uint64_t at, uint64_t n) {
    uint64_t first, last;
    if (au_pages_whole(at, n, &first, &last))
        au_pages_each(&s->pages, first, last, end_words, s);
}

/* ---- the second pass ------------------------------------------------------------------ */

void au_cells_init(au_cells *c, const au_survey *s) {
    *c = (au_cells){.survey = s};
    au_pages_init(&c->pages, sizeof(struct au_cell_word));
    memset(au_vec_add(&c->vars), 0, sizeof *c->vars.at);
}

void au_cells_release(au_cells *c) {
    au_pages_release(&c->pages);
    au_vec_release(&c->vars);
    au_vec_release(&c->spare);
}

/* The survey goes on: who else comes to a word that lives, and where in it, is not known yet. */
static void ask_again(au_cells *c, const struct au_seen *x, struct au_cell_word *w) {
    uint8_t more = x->bounds & (uint8_t)~w->bounds;
    c->divided += w->state == AU_CELLS_SHARED && more;
    w->state = AU_CELLS_SHARED;
    w->bounds |= more;
}

void au_cells_ask(au_cells *c, uint64_t word, struct au_cell_word *w) {
    const struct au_seen *x = au_pages_find(&c->survey->pages, word / AU_PAGE_WORDS);
    if (c->growing && x && (x += word % AU_PAGE_WORDS)->generation == w->generation) {
        w->bounds = w->state == AU_CELLS_FRESH ? 0 : w->bounds;
        ask_again(c, x, w);
        return;
    }
    if (c->growing && w->state != AU_CELLS_FRESH)
        return; /* its life is over in the survey, which says no more of it */
    x = au_pages_find(&c->survey->pages, word / AU_PAGE_WORDS);
    w->state = AU_CELLS_OWN;
    w->bounds = 0;
    if (c->words) {
        unsigned of = au_words_shared(c->words, word);
        w->state = of ? AU_CELLS_SHARED : AU_CELLS_OWN;
        w->bounds = of ? (uint8_t)of | 1u : 0; /* no cell is wider than a word */
        return;
    }
    if (!x)
        return; /* the file changed between the passes */
    x += word % AU_PAGE_WORDS;
    if (x->generation == w->generation) {
        if ((x->flags & AU_SEEN_SHARED) == AU_SEEN_SHARED)
            w->state = AU_CELLS_SHARED, w->bounds = x->bounds;
        return;
    }
    const uint64_t *k = au_map_find(&c->survey->ended, ended_key(word, w->generation));
    if (k)
        w->state = AU_CELLS_SHARED, w->bounds = (uint8_t)*k;
}

uint32_t *au_cells_vars(au_cells *c, struct au_cell_word *w) {
    if (!w->vars) {
        if (c->spare.n) {
            w->vars = au_vec_pop(&c->spare);
        } else {
            w->vars = (uint32_t)c->vars.n;
            (void)au_vec_add(&c->vars);
        }
        memset(&c->vars.at[w->vars], 0, sizeof *c->vars.at);
    }
    return c->vars.at[w->vars].at;
}

struct beginning {
    au_cells *c;
    au_cells_gone_fn *gone;
    void *ctx;
};

static void renew_words(void *ctx, void *words, uint64_t from, uint64_t to) {
    struct beginning *b = ctx;
    for (uint64_t i = from; i <= to; i++) {
        struct au_cell_word *w = (struct au_cell_word *)words + i % AU_PAGE_WORDS;
        if (w->lock && b->gone)
            b->gone(b->ctx, i << 3);
        w->lock = false;
        if (w->vars)
            au_vec_push(&b->c->spare, w->vars);
        w->vars = 0;
        if (w->state == AU_CELLS_FRESH)
            continue;
        w->state = AU_CELLS_FRESH;
        w->generation++;
    }
}

/* Bytes [from, to) of one word that other objects share. */
static void renew_part(struct beginning *b, uint64_t word, unsigned from, unsigned to) {
    struct au_cell_word *w = au_pages_find(&b->c->pages, word / AU_PAGE_WORDS);
    if (!w || from >= to)
        return;
    w += word % AU_PAGE_WORDS;
    for (unsigned i = from; i < to && w->vars; i++)
        b->c->vars.at[w->vars].at[i] = 0;
    if (w->lock && !from && b->gone) {
        b->gone(b->ctx, word << 3);
        w->lock = false;
    }
}

void au_cells_begin(au_cells *c, uint64_t at, uint64_t n, au_cells_gone_fn *gone, void *ctx) {
    struct beginning b = {c, gone, ctx};
    uint64_t first, last, end = at + n;
    if (!n)
        return;
    if (at >> 3 == (end - 1) >> 3 && ((at | end) & 7)) {
        renew_part(&b, at >> 3, at & 7, (unsigned)((end - 1) & 7) + 1);
        return;
    }
    if (at & 7)
        renew_part(&b, at >> 3, at & 7, 8);
    if (end & 7)
        renew_part(&b, end >> 3, 0, end & 7);
    if (au_pages_whole(at, n, &first, &last))
        au_pages_each(&c->pages, first, last, renew_words, &b);
}

struct visiting {
    au_cells *c;
    au_cells_var_fn *fn;
    void *ctx;
    uint64_t at, n;
};

static void visit_words(void *ctx, void *words, uint64_t from, uint64_t to) {
    struct visiting *v = ctx;
    for (uint64_t i = from; i <= to; i++) {
        const struct au_cell_word *w = (struct au_cell_word *)words + i % AU_PAGE_WORDS;
        if (w->state != AU_CELLS_SHARED || !w->vars)
            continue;
        for (unsigned b = 0; b < 8; b++) {
            uint32_t var = v->c->vars.at[w->vars].at[b];
            if (var && (i << 3) + b - v->at < v->n)
                v->fn(v->ctx, (i << 3) + b, var - 1);
        }
    }
}

void au_cells_each(au_cells *c, uint64_t at, uint64_t n, au_cells_var_fn *fn, void *ctx) {
    struct visiting v = {c, fn, ctx, at, n};
    if (n)
        au_pages_each(&c->pages, at >> 3, (at + (n - 1)) >> 3, visit_words, &v);
}
