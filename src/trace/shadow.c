/* trace/shadow.c: sparse pages. */
#include "trace/shadow.h"

#define OFFSET(at) ((at) & (AU_SHADOW_PAGE - 1))

void au_shadow_init(au_shadow *s) {
    memset(s, 0, sizeof *s);
    au_map_init(&s->index);
}

void au_shadow_release(au_shadow *s) {
    for (size_t i = 0; i < s->page.n; i++)
        free(s->page.at[i].bytes);
    au_vec_release(&s->page);
    au_map_release(&s->index);
    memset(s->cache, 0, sizeof s->cache);
}

static struct au_shadow_entry *find(const au_shadow *s, uint64_t page) {
    const uint64_t *k = au_map_find(&s->index, page);
    return k ? &s->page.at[*k - 1] : NULL;
}

static struct au_shadow_entry *make(au_shadow *s, uint64_t page) {
    bool fresh;
    uint64_t *k = au_map_put(&s->index, page, &fresh);
    if (fresh) {
        *au_vec_add(&s->page) = (struct au_shadow_entry){0};
        *k = s->page.n;
    }
    return &s->page.at[*k - 1];
}

uint8_t *au_shadow_page_slow(au_shadow *s, uint64_t page) {
    struct au_shadow_entry *e = make(s, page);
    if (!e->bytes) {
        e->bytes = au_alloc(AU_SHADOW_PAGE);
        memset(e->bytes, e->fill, AU_SHADOW_PAGE);
    }
    unsigned k = page & (AU_SHADOW_CACHE - 1);
    s->cache[k].page = page + 1;
    s->cache[k].bytes = e->bytes;
    return e->bytes;
}

static size_t piece(uint64_t at, uint64_t n) {
    size_t room = AU_SHADOW_PAGE - OFFSET(at);
    return n < room ? (size_t)n : room;
}

void au_shadow_read(const au_shadow *s, uint64_t at, void *to, size_t n) {
    uint8_t *p = to;
    while (n) {
        size_t k = piece(at, n);
        const struct au_shadow_entry *e = find(s, at >> AU_SHADOW_BITS);
        if (e && e->bytes)
            memcpy(p, e->bytes + OFFSET(at), k);
        else
            memset(p, e ? e->fill : 0, k);
        at += k, p += k, n -= k;
    }
}

void au_shadow_write(au_shadow *s, uint64_t at, const void *from, size_t n) {
    const uint8_t *p = from;
    while (n) {
        size_t k = piece(at, n);
        memcpy(au_shadow_page(s, at >> AU_SHADOW_BITS) + OFFSET(at), p, k);
        at += k, p += k, n -= k;
    }
}

void au_shadow_fill(au_shadow *s, uint64_t at, uint8_t byte, uint64_t n) {
    while (n) {
        size_t k = piece(at, n);
        uint64_t page = at >> AU_SHADOW_BITS;
        struct au_shadow_entry *e = find(s, page);
        if (e && e->bytes)
            memset(e->bytes + OFFSET(at), byte, k);
        else if (k == AU_SHADOW_PAGE)
            make(s, page)->fill = byte;
        else if ((e ? e->fill : 0) != byte)
            memset(au_shadow_page(s, page) + OFFSET(at), byte, k);
        at += k, n -= k;
    }
}

/* k bytes that lie in one page on either side. */
static void copy_piece(au_shadow *s, uint64_t to, uint64_t from, size_t k) {
    const struct au_shadow_entry *e = find(s, from >> AU_SHADOW_BITS);
    if (!e || !e->bytes) {
        au_shadow_fill(s, to, e ? e->fill : 0, k);
        return;
    }
    const uint8_t *src = e->bytes; /* making the other page does not move it */
    uint8_t *dst = au_shadow_page(s, to >> AU_SHADOW_BITS);
    memmove(dst + OFFSET(to), src + OFFSET(from), k);
}

void au_shadow_copy(au_shadow *s, uint64_t to, uint64_t from, uint64_t n) {
    if (to == from || !n)
        return;
    if (to - from >= n) { /* also if 'to' is below: forwards */
        while (n) {
            size_t k = piece(to, n);
            k = piece(from, k);
            copy_piece(s, to, from, k);
            to += k, from += k, n -= k;
        }
        return;
    }
    to += n, from += n; /* backwards: 'to' starts inside of what is copied */
    while (n) {
        size_t a = OFFSET(to) ? OFFSET(to) : AU_SHADOW_PAGE;
        size_t b = OFFSET(from) ? OFFSET(from) : AU_SHADOW_PAGE;
        size_t k = a < b ? a : b;
        k = n < k ? (size_t)n : k;
        to -= k, from -= k, n -= k;
        copy_piece(s, to, from, k);
    }
}
