#include "trace/objects.h"

/* Small objects are listed with each page they touch, the few large ones are sorted. */
enum { PAGE_BITS = 12, LARGE = 64 << 10 };

void au_objects_init(au_objects *o) {
    *o = (au_objects){0};
    au_map_init(&o->page);
}

void au_objects_release(au_objects *o) {
    for (size_t i = 0; i < o->list.n; i++)
        au_vec_release(&o->list.at[i].slot);
    au_vec_release(&o->list);
    au_vec_release(&o->slot);
    au_vec_release(&o->free);
    au_vec_release(&o->large);
    au_map_release(&o->page);
}

static bool overlap(const au_object *x, uint64_t start, uint64_t size) {
    return x->start - start < size || start - x->start < x->size;
}

static struct au_object_page *page_at(const au_objects *o, uint64_t page) {
    const uint64_t *k = au_map_find(&o->page, page);
    return k ? &o->list.at[*k - 1] : NULL;
}

static struct au_object_page *make_page(au_objects *o, uint64_t page) {
    bool fresh;
    uint64_t *k = au_map_put(&o->page, page, &fresh);
    if (fresh) {
        memset(au_vec_add(&o->list), 0, sizeof *o->list.at);
        *k = o->list.n;
    }
    return &o->list.at[*k - 1];
}

/* First large object that starts at or after this address. */
static size_t large_from(const au_objects *o, uint64_t address) {
    size_t lo = 0, hi = o->large.n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (o->slot.at[o->large.at[mid]].start < address)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static uint64_t last_page(const au_object *x) {
    return (x->start + (x->size - 1)) >> PAGE_BITS;
}

static void remove_slot(au_objects *o, uint32_t s) {
    au_object *x = &o->slot.at[s];
    if (x->size >= LARGE) {
        size_t i = large_from(o, x->start);
        memmove(o->large.at + i, o->large.at + i + 1, (o->large.n - i - 1) * sizeof *o->large.at);
        o->large.n--;
    } else {
        uint64_t last = last_page(x);
        for (uint64_t p = x->start >> PAGE_BITS;; p++) {
            struct au_object_page *l = page_at(o, p);
            for (size_t i = 0; l && i < l->slot.n; i++)
                if (l->slot.at[i] == s) {
                    l->slot.at[i] = au_vec_pop(&l->slot);
                    break;
                }
            if (p == last)
                break;
        }
    }
    x->kind = 0;
    au_vec_push(&o->free, s);
}

/* Large objects do not overlap each other, so at most one starts before 'start'. */
static void clear_large(au_objects *o, uint64_t start, uint64_t size) {
    for (size_t i = large_from(o, start); i < o->large.n;) {
        if (!overlap(&o->slot.at[o->large.at[i]], start, size))
            break;
        remove_slot(o, o->large.at[i]);
    }
    size_t i = large_from(o, start);
    if (i && overlap(&o->slot.at[o->large.at[i - 1]], start, size))
        remove_slot(o, o->large.at[i - 1]);
}

static void clear_page(au_objects *o, uint64_t page, uint64_t start, uint64_t size) {
    struct au_object_page *l = page_at(o, page);
    for (size_t i = 0; l && i < l->slot.n;) {
        if (overlap(&o->slot.at[l->slot.at[i]], start, size))
            remove_slot(o, l->slot.at[i]);
        else
            i++;
    }
}

static void clear(au_objects *o, uint64_t start, uint64_t size) {
    uint64_t first = start >> PAGE_BITS, last = (start + (size - 1)) >> PAGE_BITS;
    clear_large(o, start, size);
    if (last - first < o->list.n) {
        for (uint64_t p = first;; p++) {
            clear_page(o, p, start, size);
            if (p == last)
                break;
        }
        return;
    }
    for (uint32_t s = 0; s < o->slot.n; s++) /* more pages than there are lists */
        if (o->slot.at[s].kind && overlap(&o->slot.at[s], start, size))
            remove_slot(o, s);
}

au_object *au_objects_add(au_objects *o, const au_object *x) {
    AU_BUG_IF(!x->size || !x->kind);
    clear(o, x->start, x->size);
    uint32_t s;
    if (o->free.n) {
        s = au_vec_pop(&o->free);
    } else {
        s = (uint32_t)o->slot.n;
        (void)au_vec_add(&o->slot);
    }
    o->slot.at[s] = *x;
    if (x->size >= LARGE) {
        size_t i = large_from(o, x->start);
        (void)au_vec_add(&o->large);
        memmove(o->large.at + i + 1, o->large.at + i, (o->large.n - 1 - i) * sizeof *o->large.at);
        o->large.at[i] = s;
    } else {
        uint64_t last = last_page(x);
        for (uint64_t p = x->start >> PAGE_BITS;; p++) {
            au_vec_push(&make_page(o, p)->slot, s);
            if (p == last)
                break;
        }
    }
    return &o->slot.at[s];
}

au_object *au_objects_find(au_objects *o, uint64_t address) {
    struct au_object_page *l = page_at(o, address >> PAGE_BITS);
    for (size_t i = 0; l && i < l->slot.n; i++) {
        au_object *x = &o->slot.at[l->slot.at[i]];
        if (address - x->start < x->size)
            return x;
    }
    size_t i = large_from(o, address + 1);
    if (!i)
        return NULL;
    au_object *x = &o->slot.at[o->large.at[i - 1]];
    return address - x->start < x->size ? x : NULL;
}
