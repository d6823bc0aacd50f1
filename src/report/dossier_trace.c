/* report/dossier_trace.c: what a trace says of an event besides the event: the function it is in
 * and the locks that are held. */
#include "report/dossier_priv.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- functions ----------------------------------------------------------------------------- */

static void take_site(void *ctx, const char *file, uint32_t line, const char *function) {
    au_dossier_maker *k = ctx;
    if (!*file || !line || !*function)
        return;
    char place[4200];
    int n = snprintf(place, sizeof place, "%.4096s:%u", file, line);
    uint64_t *at = au_map_put(&k->function, au_hash_bytes(place, (size_t)n), NULL);
    if (*at)
        return; /* a line of several functions: the first in the tables, in every run */
    const char *last = k->function_name.n ? au_vec_last(&k->function_name) : "";
    if (strcmp(last, function))
        au_vec_push(&k->function_name, au_dossier_text_copy(k->d, function));
    *at = k->function_name.n;
}

void au_dossier_sites(au_dossier_maker *k, const au_reader *r) {
    au_reader_sites(r, take_site, k);
}

const char *au_dossier_function(au_dossier_maker *k, const char *location) {
    const uint64_t *at = au_map_find(&k->function, au_hash_bytes(location, strlen(location)));
    return at && *at ? k->function_name.at[*at - 1] : "";
}

/* ---- locks --------------------------------------------------------------------------------- */

typedef AU_VEC(au_held_lock) holder;

static int by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void remove_lock(holder *h, uint32_t lock) {
    size_t i = h->n;
    while (h->at[i - 1].lock != lock)
        i--;
    memmove(&h->at[i - 1], &h->at[i], (h->n - i) * sizeof *h->at);
    h->n--;
}

/* As linear/held.c counts them, with where each was taken. depth: thread << 32 | lock -> how often. */
static void step(const au_names *names, holder *all, au_map *depth, size_t threads, uint16_t thread,
                 au_op op, uint32_t obj, size_t event) {
    if (op != AU_OP_ACQ && op != AU_OP_REL && op != AU_OP_RDACQ && op != AU_OP_WRACQ &&
        op != AU_OP_INIT)
        return;
    if (au_names_sync(names, obj).kind == AU_WIRE_OBJ_SEM)
        return;
    if (op == AU_OP_INIT) {
        for (size_t t = 0; t < threads; t++) {
            uint64_t *n = au_map_find(depth, au_key2((uint32_t)t, obj));
            if (!n || !*n)
                continue;
            *n = 0;
            remove_lock(&all[t], obj);
        }
        return;
    }
    uint64_t *n = au_map_put(depth, au_key2(thread, obj), NULL);
    if (op != AU_OP_REL) {
        if (!(*n)++)
            au_vec_push(&all[thread], ((au_held_lock){obj, event}));
    } else if (*n && !--*n) {
        remove_lock(&all[thread], obj);
    }
}

static void keep(au_dossier_maker *k, uint64_t number, const holder *h) {
    au_held_lock *lock = AU_ARENA_ARRAY(&k->d->arena, au_held_lock, h->n);
    memcpy(lock, h->at, h->n * sizeof *lock);
    au_vec_push(&k->held_at, ((struct au_held_at){lock, (uint32_t)h->n}));
    *au_map_put(&k->held, number, NULL) = k->held_at.n;
}

void au_dossier_find_held(au_dossier_maker *k, const uint64_t *number, size_t n) {
    const au_trace *t = k->t;
    if (!t || !n)
        return;
    size_t threads = t->names.thread.n, at = 0;
    uint64_t *wanted = au_alloc_array(n, sizeof *wanted);
    holder *all = au_alloc_array(threads, sizeof *all);
    au_map depth;
    au_map_init(&depth);
    memcpy(wanted, number, n * sizeof *wanted);
    qsort(wanted, n, sizeof *wanted, by_number);
    bool ends = n && wanted[n - 1] >= AU_HELD_AT_END(AU_MAX_THREADS);
    for (size_t e = 0; e < t->events.n && (at < n || ends); e++) {
        while (at < n && wanted[at] == e) {
            if (all[t->events.thread[e]].n && !au_map_find(&k->held, e))
                keep(k, e, &all[t->events.thread[e]]);
            at++;
        }
        step(&t->names, all, &depth, threads, t->events.thread[e], t->events.op[e],
             t->events.obj[e], e);
    }
    for (size_t i = 0; i < threads; i++) {
        if (ends && all[i].n)
            keep(k, AU_HELD_AT_END(i), &all[i]);
        au_vec_release(&all[i]);
    }
    au_map_release(&depth);
    free(all);
    free(wanted);
}

const struct au_held_at *au_dossier_held(const au_dossier_maker *k, uint64_t number) {
    const uint64_t *at = au_map_find(&k->held, number);
    return at && *at ? &k->held_at.at[*at - 1] : NULL;
}

void au_dossier_put_held(au_dossier_maker *k, uint64_t number, au_case_event *e) {
    const struct au_held_at *h = number == AU_NONE64 ? NULL : au_dossier_held(k, number);
    if (!h)
        return;
    const char **name = AU_ARENA_ARRAY(&k->d->arena, const char *, h->n);
    for (uint32_t i = 0; i < h->n; i++)
        name[i] = au_dossier_name(k, AU_WIRE_SPACE_LOCK, h->lock[i].lock);
    e->held = name;
    e->n_held = h->n;
}
