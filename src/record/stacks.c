#include "record/stacks.h"

#include "base/demangle.h"
#include "record/replay.h"
#include "trace/tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A module of the recording; the same one several times if its sites have several numbers. */
struct module {
    uint32_t first, n;
    uint64_t id;
};

/* Sites of a function that a thread is in, and of the last event in it. */
struct level {
    uint32_t function, now;
};
struct depth {
    uint32_t thread;
    bool ended;
    uint32_t calling; /* site of an XCALL without its XRET; 0: none */
    AU_VEC(struct level) level;
};

struct reading {
    AU_VEC(au_tables *) tables;
    AU_VEC(struct module) module;
    AU_VEC(struct depth) thread;
    uint32_t last;
};

static void take_tables(void *ctx, uint8_t kind, uint32_t count, const char *at, size_t n) {
    struct reading *x = ctx;
    (void)count;
    au_tables *t = kind == AU_WIRE_TABLES ? au_tables_read(at, n, NULL) : NULL;
    if (t)
        au_vec_push(&x->tables, t);
}

static const struct au_tab_site *site_of(const struct reading *x, uint32_t id,
                                         const au_tables **tables) {
    for (size_t i = 0; i < x->module.n; i++) {
        const struct module *m = &x->module.at[i];
        if (id < m->first || id - m->first >= m->n)
            continue;
        for (size_t k = 0; k < x->tables.n; k++) {
            *tables = x->tables.at[k];
            if ((*tables)->module == m->id && id - m->first < (*tables)->head.n_sites)
                return &(*tables)->site[id - m->first];
        }
    }
    return NULL;
}

static void take_event(struct reading *x, const au_stream_record *r) {
    while (x->thread.n <= r->thread) {
        struct depth *d = au_vec_add(&x->thread);
        memset(d, 0, sizeof *d);
        d->thread = (uint32_t)x->thread.n - 1;
    }
    struct depth *d = &x->thread.at[r->thread];
    x->last = r->thread;
    if (r->op == AU_OP_CALL) {
        au_vec_push(&d->level, ((struct level){r->site, r->site}));
        return;
    }
    if (d->level.n)
        au_vec_last(&d->level).now = r->site;
    if (r->op == AU_OP_RET && d->level.n)
        d->level.n--;
    else if (r->op == AU_SOP_LAND && r->value <= d->level.n)
        d->level.n = r->value;
    else if (r->op == AU_OP_EXIT)
        d->ended = true;
    if (r->op == AU_OP_XCALL)
        d->calling = r->site;
    else if (r->op == AU_OP_XRET || r->op == AU_SOP_LAND)
        d->calling = 0;
}

static au_stack_frame frame_of(const struct reading *x, const struct level *l) {
    const au_tables *t, *u;
    const struct au_tab_site *f = site_of(x, l->function, &t), *s = site_of(x, l->now, &u);
    return (au_stack_frame){.function = au_strdup(f ? au_tables_text(t, f->func) : "?"),
                            .file = au_strdup(s ? au_tables_text(u, s->file) : ""),
                            .line = s ? s->line : 0};
}

/* A MODULE record tells where its global variables are, in the order of its tables. */
static void take_module(struct reading *x, const au_stream_record *r, au_stacks *s) {
    au_vec_push(&x->module, ((struct module){r->first_site, r->n_sites, r->value}));
    for (size_t k = 0; k < x->tables.n; k++) {
        const au_tables *t = x->tables.at[k];
        if (t->module != r->value)
            continue;
        for (uint32_t i = 0; i < r->n_globals && i < t->head.n_globals; i++)
            au_vec_push(&s->global, ((struct au_stack_global){
                                        r->global[i], t->global[i].size,
                                        au_strdup(au_tables_text(t, t->global[i].name))}));
        break;
    }
}

bool au_stacks_name(const au_stacks *s, uint64_t address, char *text, size_t size) {
    for (size_t i = 0; i < s->global.n; i++) {
        const struct au_stack_global *g = &s->global.at[i];
        if (address - g->address >= (g->size ? g->size : 1))
            continue;
        if (address == g->address)
            snprintf(text, size, "%s", g->name);
        else
            snprintf(text, size, "%s+%" PRIu64, g->name, address - g->address);
        return true;
    }
    return false;
}

static void tell(const struct reading *x, au_stacks *s) {
    for (size_t i = 0; i < x->thread.n; i++) {
        const struct depth *d = &x->thread.at[i];
        au_stack k = {.thread = d->thread, .ended = d->ended, .last = d->thread == x->last};
        const au_tables *t;
        const struct au_tab_site *call = d->calling ? site_of(x, d->calling, &t) : NULL;
        if (call)
            k.calling = au_demangle(au_tables_text(t, call->name));
        for (size_t f = 0; f < d->level.n; f++)
            au_vec_push(&k.frame, frame_of(x, &d->level.at[f]));
        au_vec_push(&s->thread, k);
    }
}

au_status au_stacks_read(au_stacks *s, const char *recording, au_error *err) {
    struct reading x = {0};
    *s = (au_stacks){0};
    au_walk *w = au_walk_open(recording, take_tables, &x, err);
    au_status st = w ? AU_OK : err->status;
    au_stream_record r = {.tag = AU_TAG_EV};
    while (st == AU_OK && r.tag != AU_TAG_PAD) {
        st = au_walk_next(w, &r, err);
        if (st != AU_OK)
            break;
        if (r.tag == AU_TAG_MODULE)
            take_module(&x, &r, s);
        else if (r.tag == AU_TAG_EV)
            take_event(&x, &r);
    }
    if (st == AU_OK)
        tell(&x, s);
    else
        au_stacks_release(s);
    au_walk_free(w);
    for (size_t i = 0; i < x.tables.n; i++)
        au_tables_free(x.tables.at[i]);
    for (size_t i = 0; i < x.thread.n; i++)
        au_vec_release(&x.thread.at[i].level);
    au_vec_release(&x.tables);
    au_vec_release(&x.module);
    au_vec_release(&x.thread);
    return st;
}

void au_stack_release_frames(au_stack *s) {
    for (size_t i = 0; i < s->frame.n; i++) {
        free(s->frame.at[i].function);
        free(s->frame.at[i].file);
    }
    au_vec_release(&s->frame);
}

void au_stacks_release(au_stacks *s) {
    for (size_t i = 0; i < s->thread.n; i++) {
        au_stack_release_frames(&s->thread.at[i]);
        free(s->thread.at[i].calling);
    }
    for (size_t i = 0; i < s->global.n; i++)
        free(s->global.at[i].name);
    au_vec_release(&s->thread);
    au_vec_release(&s->global);
}
