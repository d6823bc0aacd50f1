#include "trace/tables.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

enum { MOST_RAW = 256 << 20 }; /* bytes of tables: no module has as many, so nothing is lost */

static au_status bad(au_error *err, const char *what) {
    return au_error_set(err, AU_EFORMAT, "the tables of a module are damaged: %s", what);
}

/* The payload, unpacked; caller frees. */
static char *payload(const struct au_embed *e, const char *p, au_error *err) {
    if (XXH3_64bits(p, e->length) != e->hash) {
        bad(err, "wrong checksum");
        return NULL;
    }
    if (e->raw > MOST_RAW || e->raw < sizeof(struct au_tables)) {
        bad(err, "impossible size");
        return NULL;
    }
    if (e->raw != e->length && ZSTD_getFrameContentSize(p, e->length) != e->raw) {
        bad(err, "the packed size does not match");
        return NULL;
    }
    char *raw = au_alloc(e->raw);
    if (e->raw == e->length) {
        memcpy(raw, p, e->raw);
        return raw;
    }
    size_t n = ZSTD_decompress(raw, e->raw, p, e->length);
    if (ZSTD_isError(n) || n != e->raw) {
        bad(err, "cannot unpack");
        free(raw);
        return NULL;
    }
    return raw;
}

static const char *check_indices(const au_tables *t) {
    const struct au_tables *h = &t->head;
    if (!h->string_bytes || t->string[0] || t->string[h->string_bytes - 1])
        return "strings do not end";
#define STRING(s) ((s) < h->string_bytes)
    for (uint32_t i = 0; i < h->n_sites; i++) {
        const struct au_tab_site *s = &t->site[i];
        if (!STRING(s->func) || !STRING(s->file) || !STRING(s->name) || s->type > h->n_types)
            return "a site";
    }
    for (uint32_t i = 0; i < h->n_globals; i++) {
        const struct au_tab_global *g = &t->global[i];
        if (!STRING(g->name) || !STRING(g->file) || g->type > h->n_types)
            return "a global variable";
    }
    for (uint32_t i = 0; i < h->n_types; i++) {
        const struct au_tab_type *y = &t->type[i];
        if (!STRING(y->name) || y->kind > AU_TYPE_UNION || y->elem > h->n_types ||
            y->first > h->n_members || y->n_members > h->n_members - y->first)
            return "a type";
    }
    for (uint32_t i = 0; i < h->n_members; i++)
        if (!STRING(t->member[i].name) || t->member[i].type > h->n_types)
            return "a member";
    return STRING(h->source) ? NULL : "the source";
}

au_tables *au_tables_read(const void *record, size_t n, au_error *err) {
    struct au_embed e;
    if (n < sizeof e) {
        bad(err, "too short");
        return NULL;
    }
    memcpy(&e, record, sizeof e);
    if (memcmp(e.magic, AU_EMBED_TABLES, sizeof e.magic) || e.length > n - sizeof e) {
        bad(err, "no record");
        return NULL;
    }
    char *raw = payload(&e, (const char *)record + sizeof e, err);
    if (!raw)
        return NULL;
    au_tables *t = AU_NEW(au_tables);
    t->own = raw;
    t->module = e.module;
    memcpy(&t->head, raw, sizeof t->head);
    const struct au_tables *h = &t->head;
    uint64_t need = sizeof *h + (uint64_t)h->n_sites * sizeof *t->site +
                    (uint64_t)h->n_globals * sizeof *t->global +
                    (uint64_t)h->n_types * sizeof *t->type +
                    (uint64_t)h->n_members * sizeof *t->member + h->string_bytes;
    if (h->version != 1 || need > e.raw) {
        bad(err, h->version != 1 ? "another version" : "too short");
        au_tables_free(t);
        return NULL;
    }
    /* All parts are multiples of 4 bytes; where 8 are needed, copies are aligned. */
    char *p = raw + sizeof *h;
    t->site = (const void *)p;
    p += (size_t)h->n_sites * sizeof *t->site;
    t->global = (const void *)p;
    p += (size_t)h->n_globals * sizeof *t->global;
    t->type = (const void *)p;
    p += (size_t)h->n_types * sizeof *t->type;
    t->member = (const void *)p;
    p += (size_t)h->n_members * sizeof *t->member;
    t->string = p;
    const char *what = check_indices(t);
    if (what) {
        bad(err, what);
        au_tables_free(t);
        return NULL;
    }
    return t;
}

void au_tables_free(au_tables *t) {
    if (!t)
        return;
    free(t->own);
    free(t);
}

uint64_t au_tables_size(const au_tables *t, uint32_t type) {
    return type ? t->type[type - 1].size : 0;
}

/* ---- paths ------------------------------------------------------------------------ */

typedef struct {
    char *at;
    size_t n, room;
} text;

static void add(text *x, const char *fmt, uint64_t k, const char *s) {
    if (x->n + 1 >= x->room)
        return;
    int len = s ? snprintf(x->at + x->n, x->room - x->n, "%s%s", fmt, s)
                : snprintf(x->at + x->n, x->room - x->n, "%s%" PRIu64 "%s", fmt, k,
                           *fmt == '[' ? "]" : "");
    x->n += len > 0 ? (size_t)len : 0;
    if (x->n >= x->room)
        x->n = x->room - 1;
}

/* The member that holds bytes [offset, offset+size), of several (unions) the one that
 * fits best; NULL: none. */
static const struct au_tab_member *member_at(const au_tables *t, const struct au_tab_type *y,
                                             uint64_t offset, uint64_t size) {
    const struct au_tab_member *best = NULL;
    uint64_t best_size = 0;
    for (uint32_t i = 0; i < y->n_members; i++) {
        const struct au_tab_member *m = &t->member[y->first + i];
        uint64_t bytes = au_tables_size(t, m->type);
        if (offset < m->offset || offset - m->offset >= bytes ||
            size > bytes - (offset - m->offset))
            continue;
        if (!best || (bytes < best_size && bytes >= size))
            best = m, best_size = bytes;
    }
    return best;
}

size_t au_tables_path(const au_tables *t, uint32_t type, uint64_t offset, uint64_t size, char *buf,
                      size_t room) {
    text x = {buf, 0, room};
    buf[0] = 0;
    bool lock = !size, named = true;
    for (int depth = 0; type && depth < 64; depth++) {
        const struct au_tab_type *y = &t->type[type - 1];
        bool only_one = (y->kind == AU_TYPE_STRUCT && y->n_members == 1) ||
                        (y->kind == AU_TYPE_ARRAY && y->count == 1);
        if (!lock && !offset && size == y->size && !only_one && named)
            break; /* all of it */
        if (y->kind == AU_TYPE_ARRAY) {
            uint64_t bytes = au_tables_size(t, y->elem);
            if (!bytes || size > bytes - offset % bytes)
                break;
            add(&x, "[", offset / bytes, NULL);
            named = true;
            offset %= bytes;
            type = y->elem;
        } else if (y->kind == AU_TYPE_STRUCT || (y->kind == AU_TYPE_UNION && !lock)) {
            const struct au_tab_member *m = member_at(t, y, offset, size);
            if (!m)
                break;
            const char *name = au_tables_text(t, m->name);
            named = *name; /* the members of one without a name are its owner's */
            if (named)
                add(&x, ".", 0, name);
            else if (!strncmp(buf, "._M_", 4)) /* what std::make_shared allocates, 'ptr._M_impl' */
                x.n = 0, buf[0] = 0;
            offset -= m->offset;
            type = m->type;
        } else {
            break;
        }
    }
    if (offset)
        add(&x, "+", offset, NULL);
    return x.n;
}
