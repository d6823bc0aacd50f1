/* trace/cells.h: how the memory of a recorded run falls into variables.
 *
 * Accesses have any size and may overlap. A *cell* is a run of bytes that no access of its
 * lifetime divides: every access is a union of cells, so two accesses touch common
 * bytes exactly if they touch a common cell. Cells are the variables of the trace.
 *
 * Memory is a table of words of 8 bytes. The *survey*, a first pass over the recording,
 * notes of each word which threads touch it, whether it is written, and where in it
 * accesses begin or end. When an object begins its life (a block is allocated, a local
 * variable's frame entered, a stack given to a thread), the words that it covers wholly
 * begin a new generation: what was there before has nothing to do with what comes. What the
 * survey knows of an ended generation is kept only if several threads touched the word
 * and one wrote it. The second pass follows the same generations and asks.
 *
 * A word that two objects share (small locals side by side) has no generations of its
 * own: sharing is judged over all its lifetimes (too much, never too little), and only the
 * variables are new.
 *
 * Memory: 8 bytes a touched word for the survey, 16 for the second pass, 32 more for a
 * word with variables. */
#ifndef AU_TRACE_CELLS_H
#define AU_TRACE_CELLS_H

#include "base/hash.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum { AU_PAGE_WORDS = 512, AU_PAGES_CACHE = 1 << 10 };

/* Pages of 512 words; the words' type is the user's. */
typedef struct {
    size_t word; /* bytes */
    au_map index;
    AU_VEC(struct au_page {
        uint64_t number; /* address / 4096 */
        void *words;
    })
    page;
    struct {
        uint64_t number; /* + 1; 0: empty */
        void *words;
    } cache[AU_PAGES_CACHE];
} au_pages;

void au_pages_init(au_pages *p, size_t word);
void au_pages_release(au_pages *p);
void *au_pages_slow(au_pages *p, uint64_t number);
static inline void *au_pages_get(au_pages *p, uint64_t number) {
    unsigned k = number & (AU_PAGES_CACHE - 1);
    return p->cache[k].number == number + 1 ? p->cache[k].words : au_pages_slow(p, number);
}
void *au_pages_find(const au_pages *p, uint64_t number); /* NULL: not there */
/* Calls fn for the words [from, to] (numbers, inclusive) of every page there is of [first, last]; a range that
 * wraps at 2^64 is cut. */
typedef void au_pages_fn(void *ctx, void *words, uint64_t from, uint64_t to);
void au_pages_each(au_pages *p, uint64_t first, uint64_t last, au_pages_fn *fn, void *ctx);
/* The words that lie wholly in [at, at+n); false if there is none. */
bool au_pages_whole(uint64_t at, uint64_t n, uint64_t *first, uint64_t *last);

/* ---- the survey --------------------------------------------------------------------- */

struct au_seen {
    uint16_t thread;
    uint8_t flags;  /* AU_SEEN_* */
    uint8_t bounds; /* bit i: an access begins or ends before byte i */
    uint32_t generation;
};
enum { AU_SEEN_TOUCHED = 1, AU_SEEN_SEVERAL = 2, AU_SEEN_WRITTEN = 4 };
#define AU_SEEN_SHARED (AU_SEEN_SEVERAL | AU_SEEN_WRITTEN)

typedef struct {
    au_pages pages;
    au_map ended; /* word number, generation -> bounds | 256: shared words of ended ones */
} au_survey;

void au_survey_init(au_survey *s);
void au_survey_release(au_survey *s);
void au_survey_range(au_survey *s, uint64_t at, uint64_t n, uint16_t thread, bool write);
/* A free: the words touched so far count as written by this thread. */
void au_survey_free_range(au_survey *s, uint64_t at, uint64_t n, uint16_t thread);
void au_survey_begin(au_survey *s, uint64_t at, uint64_t n); /* a new object lies here */

static inline void au_survey_word(struct au_seen *w, uint16_t thread, bool write) {
    if (!w->flags)
        w->thread = thread;
    else if (w->thread != thread)
        w->flags |= AU_SEEN_SEVERAL;
    w->flags |= (uint8_t)(AU_SEEN_TOUCHED | (write ? AU_SEEN_WRITTEN : 0));
}
static inline void au_survey_access(au_survey *s, uint64_t at, unsigned n, uint16_t thread,
                                    bool write) {
    unsigned off = at & 7;
    uint64_t k = at >> 3;
    if (off + n > 8 || (k & (AU_PAGE_WORDS - 1)) == AU_PAGE_WORDS - 1) {
        au_survey_range(s, at, n, thread, write);
        return;
    }
    struct au_seen *w = au_pages_get(&s->pages, k / AU_PAGE_WORDS);
    w += k % AU_PAGE_WORDS;
    au_survey_word(w, thread, write);
    w->bounds |= (uint8_t)(1u << off);
    w[(off + n) >> 3].bounds |= (uint8_t)(1u << ((off + n) & 7));
}

/* ---- the second pass ------------------------------------------------------------------ */

struct au_cell_word {
    uint32_t generation;
    uint32_t vars; /* index of its 8 variables (by first byte; each + 1), 0: none */
    uint8_t state; /* AU_CELLS_* */
    uint8_t bounds;
    bool lock; /* a synchronisation object starts in it */
};
enum {
    AU_CELLS_FRESH = 0, /* not touched in this generation */
    AU_CELLS_OWN = 1,   /* one thread's, or nobody writes it */
    AU_CELLS_SHARED = 2
};

typedef struct {
    const au_survey *survey;      /* borrowed, complete */
    const struct au_words *words; /* borrowed: what other runs share, NULL */
    bool growing;     /* the survey is not complete: words that live are taken as shared */
    uint64_t divided; /* accesses that divide what had been one cell: only if it grows */
    au_pages pages;
    AU_VEC(struct au_cell_vars { uint32_t at[8]; }) vars; /* [0] is nobody's */
    AU_VEC(uint32_t) spare;
} au_cells;

/* s may go on while cells are asked for ('growing'), if it is ahead of them. */
void au_cells_init(au_cells *c, const au_survey *s);
void au_cells_release(au_cells *c);
void au_cells_ask(au_cells *c, uint64_t word, struct au_cell_word *w);
/* The word with this byte, touched now. Valid until another page is made. */
static inline struct au_cell_word *au_cells_touch(au_cells *c, uint64_t at) {
    uint64_t k = at >> 3;
    struct au_cell_word *w = au_pages_get(&c->pages, k / AU_PAGE_WORDS);
    w += k % AU_PAGE_WORDS;
    if (__builtin_expect(w->state == AU_CELLS_FRESH || c->growing, 0))
        au_cells_ask(c, k, w);
    return w;
}
/* The 8 variables of a word, made if there are none yet. Valid until the next call. */
uint32_t *au_cells_vars(au_cells *c, struct au_cell_word *w);

/* A new object lies here. 'gone' is called for every synchronisation object's word that
 * was there (may be NULL). */
typedef void au_cells_gone_fn(void *ctx, uint64_t address);
void au_cells_begin(au_cells *c, uint64_t at, uint64_t n, au_cells_gone_fn *gone, void *ctx);
/* Every variable that starts in the shared words of the range and is there already. */
typedef void au_cells_var_fn(void *ctx, uint64_t address, uint32_t var);
void au_cells_each(au_cells *c, uint64_t at, uint64_t n, au_cells_var_fn *fn, void *ctx);

#endif
