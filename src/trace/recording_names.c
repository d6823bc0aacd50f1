/* trace/recording_names.c: what variables and synchronisation objects are called.
 *
 *   balance, acct[3].lock           global variables, members by the types' tables
 *   node(list.c:12)#2.next          the second block made at list.c:12, which accesses
 *                                   take for a 'node'
 *   heap(list.c:12)#2+8             the same if nothing is known of its type
 *   buf[3] in worker (T2)           a local variable; with #3, of the third frame
 *   pipe 2 of T0+4                  what went through the second pipe that T0 made
 *   0x7ffff7dd1234                  memory of which nothing is known
 *
 * Two variables never share a name: one that comes again gets #2, #3, … at its end. */
#include "trace/recording_priv.h"

#include <inttypes.h>
#include <stdio.h>

enum { PATH = 512 };

/* Adds the name, or the first of name#2, name#3, … that is not there. */
static uint32_t add_new(au_recording *d, au_intern *t, uint8_t space, const char *name) {
    size_t before = t->n, len = strlen(name);
    uint32_t id = au_intern_add(t, name, len);
    while (t->n == before) {
        char more[PATH + 600];
        uint64_t *k = au_map_put(&d->again, au_key2(space, id), NULL);
        *k += *k ? 1 : 2;
        int n = snprintf(more, sizeof more, "%s#%" PRIu64, name, *k);
        uint32_t other = au_intern_add(t, more, (size_t)n);
        if (t->n > before)
            return other;
    }
    return id;
}

static const char *short_name(const char *type) {
    static const char *const word[] = {"struct ", "union ", "class ", "enum "};
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        if (!strncmp(type, word[i], strlen(word[i])))
            return type + strlen(word[i]);
    return type;
}

/* "list.c:12" without directories. */
static const char *place_text(au_recording *d, uint32_t place, char *buf, size_t room) {
    au_place *p = &d->places.place.at[place];
    if (!p->tables)
        return "?";
    const struct au_tab_site *s = &p->tables->site[p->site];
    const char *file = au_tables_text(p->tables, s->file), *slash = strrchr(file, '/');
    if (!*file)
        return "?";
    snprintf(buf, room, "%.200s:%u", slash ? slash + 1 : file, s->line);
    return buf;
}

/* The type of an object: its own, or what was learned of blocks made at its place; *first
 * of 'count' in a row. */
static uint32_t type_of(au_recording *d, const au_object *x, const au_tables **t, uint64_t *count) {
    *count = 1;
    if (x->kind == AU_OBJECT_HEAP && d->opts.words)
        return 0;
    if (x->kind != AU_OBJECT_HEAP) {
        *t = x->tables;
        return x->tables ? x->type : 0;
    }
    const au_place *p = &d->places.place.at[x->place];
    *t = p->type_tables;
    uint64_t size = p->type ? au_tables_size(p->type_tables, p->type) : 0;
    if (!size || x->size % size)
        return 0;
    *count = x->size / size;
    return p->type;
}

static const char *who(au_recording *d, uint16_t thread, char *buf, size_t room) {
    if (d->opts.words)
        return au_intern_str(&d->opts.words->path, au_recording_maker(d, thread));
    snprintf(buf, room, "T%u", thread);
    return buf;
}

/* The object's name up to where a path is to follow, and what follows that. */
static void label(au_recording *d, const au_object *x, char *front, char *back) {
    char where[256];
    back[0] = 0;
    switch (x->kind) {
    case AU_OBJECT_GLOBAL:
        snprintf(front, PATH, "%.400s", au_tables_text(x->tables, x->name));
        return;
    case AU_OBJECT_LOCAL: {
        const char *path = who(d, x->thread, where, sizeof where);
        snprintf(front, PATH, "%.400s", au_tables_text(x->tables, x->name));
        int n =
            snprintf(back, PATH, " in %.300s (%.100s)", au_tables_text(x->tables, x->func), path);
        if (x->number > 1)
            snprintf(back + n, PATH - (size_t)n, "#%u", x->number);
        return;
    }
    default: {
        if (d->opts.words) { /* its type is what a run happens to tell of it */
            const au_place *p = &d->places.place.at[x->place];
            char maker[64];
            snprintf(front, PATH, "heap(%s/%u)#%s.%u", place_text(d, x->place, where, sizeof where),
                     p->site, who(d, x->thread, maker, sizeof maker), x->number);
            return;
        }
        const au_tables *t;
        uint64_t count;
        uint32_t type = type_of(d, x, &t, &count);
        const char *name = type ? short_name(au_tables_text(t, t->type[type - 1].name)) : "";
        snprintf(front, PATH, "%.200s(%s)#%u", *name ? name : "heap",
                 place_text(d, x->place, where, sizeof where), x->number);
        return;
    }
    }
}

static void whole_name(au_recording *d, uint64_t at, uint64_t n, char *out, size_t room) {
    char front[PATH], back[PATH], path[PATH];
    au_object *x = au_objects_find(&d->objects, at);
    if (!x && au_channel_is(at)) {
        au_channel_name(at, path, sizeof path);
        snprintf(out, room, "%s+%" PRIu64, path, at % AU_CHANNEL_WINDOW);
        return;
    }
    if (!x) {
        const char *state = au_libc_state_at(at);
        if (state)
            snprintf(out, room, "%s", state);
        else
            snprintf(out, room, "0x%" PRIx64, at);
        return;
    }
    const au_tables *t;
    uint64_t count, offset = at - x->start;
    uint32_t type = type_of(d, x, &t, &count);
    label(d, x, front, back);
    path[0] = 0;
    if (type && count > 1) {
        uint64_t size = au_tables_size(t, type);
        int k = snprintf(path, sizeof path, "[%" PRIu64 "]", offset / size);
        if (offset % size + n <= size)
            au_tables_path(t, type, offset % size, n, path + k, sizeof path - (size_t)k);
        else
            snprintf(path, sizeof path, "+%" PRIu64, offset);
    } else if (type) {
        au_tables_path(t, type, offset, n, path, sizeof path);
    } else if (x->kind == AU_OBJECT_HEAP || offset) {
        snprintf(path, sizeof path, "+%" PRIu64, offset);
    }
    snprintf(out, room, "%s%s%s", front, path, back);
}

uint32_t au_name_cell(au_recording *d, uint64_t at, uint64_t n) {
    char name[3 * PATH];
    whole_name(d, at, n, name, sizeof name);
    au_object *x = au_objects_find(&d->objects, at);
    /* the cell that is all of its object is the object */
    if (x && x->start == at && x->size == n && x->var)
        return x->var - 1;
    uint32_t var = add_new(d, &d->names->var, AU_WIRE_SPACE_VAR, name);
    au_names_set_extent(d->names, var, at, n);
    if (x && x->start == at && x->size == n)
        x->var = var + 1;
    return var;
}

uint32_t au_name_object(au_recording *d, au_object *x) {
    if (x->var)
        return x->var - 1;
    char front[PATH], back[PATH], name[2 * PATH];
    label(d, x, front, back);
    snprintf(name, sizeof name, "%s%s", front, back);
    x->var = add_new(d, &d->names->var, AU_WIRE_SPACE_VAR, name) + 1;
    au_names_set_extent(d->names, x->var - 1, x->start, x->size);
    return x->var - 1;
}

uint32_t au_name_own(au_recording *d, uint16_t thread) {
    au_rec_thread *t = &d->thread.at[thread];
    if (!t->own) {
        char name[64];
        snprintf(name, sizeof name, "own memory of T%u", thread);
        t->own = add_new(d, &d->names->var, AU_WIRE_SPACE_VAR, name) + 1;
    }
    return t->own - 1;
}

uint32_t au_name_thread(au_recording *d, uint32_t thread) {
    while (d->thread.n <= thread)
        *au_vec_add(&d->thread) = (au_rec_thread){0};
    au_rec_thread *t = &d->thread.at[thread];
    if (!t->name) {
        char name[16];
        int n = snprintf(name, sizeof name, "T%u", thread);
        t->name = au_intern_add(&d->names->thread, name, (size_t)n) + 1;
    }
    return t->name - 1;
}

/* ---- synchronisation objects ----------------------------------------------------------- */

static au_sync_object *sync_at(au_recording *d, uint64_t at) {
    const uint64_t *k = au_map_find(&d->sync, at);
    return k && *k ? &d->object.at[*k - 1] : NULL;
}

uint32_t au_name_once(au_recording *d, const char *name, bool assumed) {
    uint32_t id = add_new(d, &d->names->lock, AU_WIRE_SPACE_LOCK, name);
    au_names_set_sync(d->names, id, AU_WIRE_OBJ_ONCE,
                      assumed && !d->opts.words ? AU_WIRE_ONCE_ASSUMED : AU_WIRE_ONCE_WAITS);
    while (d->lock.n <= id)
        *au_vec_add(&d->lock) = (au_lock_state){0};
    return id;
}

static au_sync_object *new_sync(au_recording *d, uint64_t at, uint8_t kind, int32_t init) {
    char name[3 * PATH];
    if (!at) /* AU_LOCKERR_*: threads */
        snprintf(name, sizeof name, "a thread that is gone");
    else if (at <= AU_WIRE_MAX_THREADS)
        snprintf(name, sizeof name, "thread T%u", (unsigned)at - 1);
    else
        whole_name(d, at, 0, name, sizeof name);
    uint32_t id = add_new(d, &d->names->lock, AU_WIRE_SPACE_LOCK, name);
    au_names_set_sync(d->names, id, kind, init);
    while (d->lock.n <= id)
        *au_vec_add(&d->lock) = (au_lock_state){0};
    au_vec_push(&d->object,
                ((au_sync_object){.address = at, .lock = id, .kind = kind, .init = init}));
    *au_map_put(&d->sync, at, NULL) = d->object.n;
    struct au_cell_word *w = au_pages_get(&d->cells.pages, (at >> 3) / AU_PAGE_WORDS);
    w[(at >> 3) % AU_PAGE_WORDS].lock = true;
    return &au_vec_last(&d->object);
}

void au_name_sync_kind(au_recording *d, uint64_t at, uint8_t kind, int32_t init) {
    au_sync_object *o = sync_at(d, at);
    if (!o || (o->used && (o->kind != kind || o->init != init))) {
        new_sync(d, at, kind, init);
        return;
    }
    o->kind = kind;
    o->init = init;
    au_names_set_sync(d->names, o->lock, kind, init);
}

uint32_t au_name_sync(au_recording *d, uint64_t at) {
    au_sync_object *o = sync_at(d, at);
    if (!o)
        o = new_sync(d, at, AU_WIRE_OBJ_UNKNOWN, 0);
    o->used = true;
    return o->lock;
}

void au_name_sync_gone(void *recording, uint64_t at) {
    au_recording *d = recording;
    for (unsigned i = 0; i < 8; i++) {
        uint64_t *k = au_map_find(&d->sync, at + i);
        if (k)
            *k = 0;
    }
}
