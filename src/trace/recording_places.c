/* trace/recording_places.c: which place of the program a site's number stands for. */
#include "trace/recording_priv.h"

#include <stdio.h>

/* Numbers of sites below this are looked up in an array. Larger ones are for claims that
 * no program makes. */
enum { NEAR_SITES = 1 << 24 };

void au_places_release(au_places *p) {
    for (size_t i = 0; i < p->tables.n; i++)
        au_tables_free(p->tables.at[i]);
    au_vec_release(&p->tables);
    au_vec_release(&p->place);
    au_vec_release(&p->near);
    au_vec_release(&p->far);
}

au_status au_places_tables(au_recording *d, const au_frame *f, au_error *err) {
    au_tables *t = au_tables_read(f->p, f->n, err);
    if (!t)
        return au_frames_bad(&d->frames, err, "%s", err ? err->text : "");
    for (size_t i = 0; i < d->places.tables.n; i++)
        if (d->places.tables.at[i]->module == t->module) {
            au_tables_free(t); /* linked in twice: the same words */
            return AU_OK;
        }
    au_vec_push(&d->places.tables, t);
    return AU_OK;
}

static const au_tables *tables_of(const au_places *p, uint64_t module) {
    for (size_t i = 0; i < p->tables.n; i++)
        if (p->tables.at[i]->module == module)
            return p->tables.at[i];
    return NULL;
}

static const char *callee(const au_tables *t, uint32_t site) {
    return t->site[site].op == AU_OP_XCALL ? au_tables_text(t, t->site[site].name) : "";
}

/* Does it call one of the compiler's functions for atomics? */
static bool is_atomic(const au_tables *t, uint32_t site) {
    const char *name = au_tables_text(t, t->site[site].name);
    return !strncmp(name, "__atomic_", 9) || !strncmp(name, "__sync_", 7);
}

static uint8_t order_of(const au_tables *t, uint32_t site) {
    if (t->site[site].op != AU_OP_XCALL)
        return 0;
    const char *name = callee(t, site);
    if (!*name)
        return AU_ORDER_OTHER;
    return (au_libc_orders(name, true) ? AU_ORDER_BASE : 0) |
           (au_libc_orders(name, false) ? AU_ORDER_OTHER : 0);
}

/* Who writes through a stream or a descriptor writes no memory, but for mapped files (recording_opaque.c). */
static bool is_unseen(const au_tables *t, uint32_t site) {
    const char *name = callee(t, site);
    au_libc row = au_libc_of(name);
    if (t->site[site].op != AU_OP_XCALL || row.class == AU_CLASS_HARMLESS || row.reads ||
        row.copies)
        return false;
    return row.does == AU_DOES_MEMORY ? strpbrk(row.args, "wbpP") != NULL
                                      : au_libc_foreign(name, true) == AU_REPLY_MEMORY;
}

static uint8_t foreign_of(const au_tables *t, uint32_t site, bool base) {
    const char *name = callee(t, site);
    return *name ? (uint8_t)au_libc_foreign(name, base) : AU_REPLY_MEMORY;
}

/* The first place of a module: its places lie in a row. */
static uint32_t places_of(au_places *p, const au_tables *t) {
    for (size_t i = 1; i < p->place.n; i += p->place.at[i].tables->head.n_sites)
        if (p->place.at[i].tables == t)
            return (uint32_t)i;
    uint32_t first = (uint32_t)p->place.n;
    for (uint32_t i = 0; i < t->head.n_sites; i++)
        au_vec_push(&p->place,
                    ((au_place){.tables = t,
                                .site = i,
                                .loc = AU_PLACE_ASK,
                                .block = AU_PLACE_ASK,
                                .atomic = is_atomic(t, i),
                                .once = !strcmp(callee(t, i), "pthread_once"),
                                .talk = au_libc_of(callee(t, i)).channel,
                                .holds = au_libc_of(callee(t, i)).holds,
                                .reply = au_libc_of(callee(t, i)).reply,
                                .unseen = is_unseen(t, i),
                                .foreign = {foreign_of(t, i, false), foreign_of(t, i, true)},
                                .order = order_of(t, i)}));
    return first;
}

static void unknown_place(au_places *p) {
    if (!p->place.n)
        au_vec_push(&p->place, ((au_place){.loc = AU_NONE, .block = AU_NONE}));
}

void au_places_module(au_recording *d, const au_stream_record *r) {
    au_places *p = &d->places;
    unknown_place(p);
    const au_tables *t = tables_of(p, r->value);
    if (!t || t->head.n_sites != r->n_sites || !r->n_sites)
        return; /* its places stay unknown */
    uint32_t place = places_of(p, t);
    /* told for the second, third, fourth time: events inside of calls, by their number */
    uint32_t kind = p->place.at[place].told;
    if (place + (uint64_t)r->n_sites > UINT32_C(1) << 30)
        return;
    p->place.at[place].told = (uint8_t)(kind < 3 ? kind + 1 : 3);
    uint64_t end = (uint64_t)r->first_site + r->n_sites;
    if (end <= NEAR_SITES) {
        while (p->near.n < end)
            au_vec_push(&p->near, 0);
        for (uint32_t i = 0; i < r->n_sites; i++)
            p->near.at[r->first_site + i] = (place + i) | kind << 30;
    } else {
        au_vec_push(&p->far, ((struct au_far_sites){r->first_site, r->n_sites, place}));
    }
    if (r->n_globals != t->head.n_globals)
        return;
    for (uint32_t i = 0; i < r->n_globals; i++) {
        const struct au_tab_global *g = &t->global[i];
        uint64_t size = g->size ? g->size : au_tables_size(t, g->type);
        if (!r->global[i] || !size || r->global[i] + size < r->global[i])
            continue;
        au_objects_add(&d->objects, &(au_object){.start = r->global[i],
                                                 .size = size,
                                                 .tables = t,
                                                 .type = g->type,
                                                 .name = g->name,
                                                 .kind = AU_OBJECT_GLOBAL});
    }
}

void au_places_again(au_places *p) {
    for (size_t i = 0; i < p->place.n; i++)
        p->place.at[i].made = p->place.at[i].told = 0;
    for (size_t i = 0; i < p->near.n; i++)
        p->near.at[i] = 0;
    au_vec_clear(&p->far);
}

au_place *au_place_of(au_recording *d, uint32_t site) {
    au_places *p = &d->places;
    if (site < p->near.n)
        return &p->place.at[p->near.at[site] & ((UINT32_C(1) << 30) - 1)];
    unknown_place(p);
    for (size_t i = 0; i < p->far.n; i++)
        if (site - p->far.at[i].first < p->far.at[i].n && site >= p->far.at[i].first)
            return &p->place.at[p->far.at[i].place + (site - p->far.at[i].first)];
    return &p->place.at[0];
}

unsigned au_place_kind(const au_recording *d, uint32_t site) {
    return site < d->places.near.n ? d->places.near.at[site] >> 30 : 0;
}

static const struct au_tab_site *site_of(const au_place *p) {
    return &p->tables->site[p->site];
}

uint32_t au_place_loc(au_recording *d, au_place *p) {
    if (p->loc != AU_PLACE_ASK)
        return p->loc;
    const struct au_tab_site *s = site_of(p);
    const char *file = au_tables_text(p->tables, s->file);
    p->loc = AU_NONE;
    if (*file && s->line) {
        char text[4200];
        int n = snprintf(text, sizeof text, "%.4096s:%u", file, s->line);
        p->loc = AU_LOC_NAMED + au_intern_add(&d->names->loc, text, (size_t)n);
    }
    return p->loc;
}

uint32_t au_place_func(au_recording *d, au_place *p) {
    if (p->block != AU_PLACE_ASK)
        return p->block;
    const struct au_tab_site *s = site_of(p);
    /* calls name what they call */
    const char *name =
        au_tables_text(p->tables, s->op == AU_OP_XCALL && s->name ? s->name : s->func);
    p->block = *name ? au_intern_add(&d->names->block, name, strlen(name)) : AU_NONE;
    return p->block;
}

void au_recording_sites(const au_decoder *base, au_site_fn *each, void *ctx) {
    const au_places *p = &((const au_recording *)base)->places;
    for (size_t i = 0; i < p->tables.n; i++) {
        const au_tables *t = p->tables.at[i];
        for (uint32_t k = 0; k < t->head.n_sites; k++)
            each(ctx, au_tables_text(t, t->site[k].file), t->site[k].line,
                 au_tables_text(t, t->site[k].func));
    }
}

const char *au_recording_function(const au_decoder *base, uint64_t module, uint32_t site) {
    const au_tables *t = tables_of(&((const au_recording *)base)->places, module);
    return t && site < t->head.n_sites ? au_tables_text(t, t->site[site].func) : "";
}
