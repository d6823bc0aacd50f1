/* trace/shadow.h: memory as a recording tells it: sparse pages, all zero at first.
 *
 * A page that holds one byte value everywhere (memset of gigabytes) costs only its
 * entry. Not for sharing between threads. */
#ifndef AU_TRACE_SHADOW_H
#define AU_TRACE_SHADOW_H

#include "base/hash.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { AU_SHADOW_BITS = 12, AU_SHADOW_PAGE = 1 << AU_SHADOW_BITS, AU_SHADOW_CACHE = 1 << 10 };

typedef struct {
    au_map index; /* page number -> entry + 1 */
    AU_VEC(struct au_shadow_entry {
        uint8_t *bytes; /* NULL: 'fill' everywhere */
        uint8_t fill;
    })
    page;
    struct {
        uint64_t page; /* number + 1; 0: empty */
        uint8_t *bytes;
    } cache[AU_SHADOW_CACHE];
} au_shadow;

void au_shadow_init(au_shadow *s);
void au_shadow_release(au_shadow *s);

/* Addresses wrap at 2^64. */
void au_shadow_read(const au_shadow *s, uint64_t at, void *to, size_t n);
void au_shadow_write(au_shadow *s, uint64_t at, const void *from, size_t n);
void au_shadow_fill(au_shadow *s, uint64_t at, uint8_t byte, uint64_t n);
/* Like memmove. */
void au_shadow_copy(au_shadow *s, uint64_t to, uint64_t from, uint64_t n);
/* How many pages there are, those of one value included. */
static inline size_t au_shadow_pages(const au_shadow *s) {
    return s->page.n;
}

/* The bytes of a page, made if need be. */
uint8_t *au_shadow_page_slow(au_shadow *s, uint64_t page);
static inline uint8_t *au_shadow_page(au_shadow *s, uint64_t page) {
    unsigned k = page & (AU_SHADOW_CACHE - 1);
    return s->cache[k].page == page + 1 ? s->cache[k].bytes : au_shadow_page_slow(s, page);
}

/* n is 1 to 8; little-endian. */
static inline uint64_t au_shadow_get(au_shadow *s, uint64_t at, unsigned n) {
    uint64_t x = 0;
    unsigned off = at & (AU_SHADOW_PAGE - 1);
    if (__builtin_expect(off + n <= AU_SHADOW_PAGE, 1)) {
        const uint8_t *p = au_shadow_page(s, at >> AU_SHADOW_BITS) + off;
        switch (n) {
        case 8:
            memcpy(&x, p, 8);
            return x;
        case 4:
            memcpy(&x, p, 4);
            return x;
        case 1:
            return *p;
        default:
            memcpy(&x, p, n);
            return x;
        }
    }
    au_shadow_read(s, at, &x, n);
    return x;
}
static inline void au_shadow_put(au_shadow *s, uint64_t at, unsigned n, uint64_t x) {
    unsigned off = at & (AU_SHADOW_PAGE - 1);
    if (__builtin_expect(off + n <= AU_SHADOW_PAGE, 1)) {
        uint8_t *p = au_shadow_page(s, at >> AU_SHADOW_BITS) + off;
        switch (n) {
        case 8:
            memcpy(p, &x, 8);
            return;
        case 4:
            memcpy(p, &x, 4);
            return;
        case 1:
            *p = (uint8_t)x;
            return;
        default:
            memcpy(p, &x, n);
            return;
        }
    }
    au_shadow_write(s, at, &x, n);
}

#endif
