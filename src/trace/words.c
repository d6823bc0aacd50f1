/* trace/words.c: see words.h. A word's entry: thread + 1 in the low half, then AU_SEEN_*, the bounds
 * (a bit each where an access begins or ends), and the number of the first run that had it. */
#include "trace/words.h"

#include "trace/cells.h"

enum { FLAGS = 32, BOUNDS = 40, FIRST = 48 };

void au_words_init(au_words *w) {
    *w = (au_words){0};
    au_intern_init(&w->path);
    au_map_init(&w->word);
}

void au_words_release(au_words *w) {
    au_intern_release(&w->path);
    au_map_release(&w->word);
}

static unsigned shared(uint64_t x) {
    unsigned flags = (unsigned)(x >> FLAGS) & 255;
    return (flags & AU_SEEN_SHARED) == AU_SEEN_SHARED ? 256u | ((unsigned)(x >> BOUNDS) & 255) : 0;
}

static void touch(au_words *w, uint64_t word, unsigned flags, unsigned bounds, uint32_t thread) {
    bool fresh;
    uint64_t *x = au_map_put(&w->word, word, &fresh), was = *x;
    if (fresh)
        *x = (uint64_t)(w->run & 0xffff) << FIRST;
    if (flags && !(uint32_t)*x)
        *x |= thread + 1;
    else if (flags && (uint32_t)*x != thread + 1)
        flags |= AU_SEEN_SEVERAL;
    *x |= (uint64_t)flags << FLAGS | (uint64_t)bounds << BOUNDS;
    if (shared(*x) != shared(was) && *x >> FIRST != (w->run & 0xffff))
        w->grew = true;
}

void au_words_access(au_words *w, uint64_t at, uint64_t n, uint32_t thread, bool write) {
    if (!n)
        return;
    uint64_t end = at + n;
    unsigned flags = AU_SEEN_TOUCHED | (write ? AU_SEEN_WRITTEN : 0);
    for (uint64_t k = at >> 3; k <= (end - 1) >> 3; k++)
        touch(w, k, flags, 0, thread);
    touch(w, at >> 3, 0, 1u << (at & 7), 0);
    touch(w, end >> 3, 0, 1u << (end & 7), 0);
}

void au_words_free(au_words *w, uint64_t at, uint64_t n, uint32_t thread) {
    for (uint64_t k = at >> 3; n && k <= (at + n - 1) >> 3; k++) {
        const uint64_t *x = au_map_find(&w->word, k);
        if (x && *x >> FLAGS & AU_SEEN_TOUCHED)
            touch(w, k, AU_SEEN_TOUCHED | AU_SEEN_WRITTEN, 0, thread);
    }
}

unsigned au_words_shared(const au_words *w, uint64_t word) {
    const uint64_t *x = au_map_find(&w->word, word);
    return x ? shared(*x) : 0;
}
