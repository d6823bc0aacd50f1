/* confirm/guide_seen.c: see guide_priv.h. */
#include "confirm/guide_priv.h"

#include "record/replay.h"
#include "wire/libc.h"

#include <string.h>

/* ---- modules and places ---- */

static void take_tables(void *ctx, uint8_t kind, uint32_t count, const char *at, size_t n) {
    au_sights *x = ctx;
    (void)count;
    au_tables *t = kind == AU_WIRE_TABLES ? au_tables_read(at, n, NULL) : NULL;
    if (t)
        au_vec_push(&x->tables, t);
}

static void add_place(au_sights *x, uint64_t place, const au_tables *t,
                      const struct au_tab_site *s) {
    bool fresh, call = s->op == AU_OP_XCALL || s->op == AU_OP_XRET;
    uint64_t *at = au_map_put(&x->places, place, &fresh);
    if (fresh) {
        *at = x->place.n + 1;
        au_vec_push(&x->place, ((au_seen_place){.call = true}));
    }
    au_seen_place *p = &x->place.at[*at - 1];
    p->call &= call;
    if (s->op == AU_OP_XCALL && s->name)
        p->callee = au_tables_text(t, s->name);
}

/* The same module may be told several times, with other numbers for its sites. */
static void take_module(au_sights *x, const au_stream_record *r) {
    struct au_seen_module m = {r->first_site, r->n_sites, AU_NONE, AU_NONE};
    for (uint32_t k = 0; k < x->source->module.n; k++)
        if (x->source->module.at[k] == r->value)
            m.module = k;
    for (uint32_t k = 0; k < x->tables.n && m.tables == AU_NONE; k++)
        if (x->tables.at[k]->module == r->value)
            m.tables = k;
    bool known = false;
    for (size_t i = 0; i < x->module.n; i++)
        known |= x->module.at[i].module == m.module;
    au_vec_push(&x->module, m);
    if (m.tables == AU_NONE)
        return;
    const au_tables *t = x->tables.at[m.tables];
    for (uint32_t i = 0; i < r->n_globals && i < t->head.n_globals; i++)
        au_vec_push(&x->global, ((struct au_seen_global){au_tables_text(t, t->global[i].name),
                                                         r->global[i], t->global[i].size}));
    if (known || m.module == AU_NONE)
        return;
    x->known_modules++;
    for (uint32_t i = 0; i < t->head.n_sites; i++)
        add_place(x, au_key2(m.module, t->site[i].insn), t, &t->site[i]);
}

static void take_event(au_sights *x, const au_stream_record *r) {
    au_seen e = {.place = UINT64_MAX,
                 .index = r->index,
                 .address = r->address,
                 .from = r->value,
                 .bytes = r->size  ? r->size
                          : r->len ? r->len
                                   : 1,
                 .thread = r->thread,
                 .op = r->op};
    for (size_t i = x->module.n; i-- > 0;) {
        const struct au_seen_module *m = &x->module.at[i];
        if (r->site < m->first || r->site - m->first >= m->n || m->tables == AU_NONE)
            continue;
        const au_tables *t = x->tables.at[m->tables];
        if (r->site - m->first >= t->head.n_sites)
            break;
        e.line = t->site[r->site - m->first].line;
        if (m->module != AU_NONE)
            e.place = au_key2(m->module, t->site[r->site - m->first].insn);
        break;
    }
    while (x->length.n <= r->thread)
        au_vec_push(&x->length, 0);
    x->length.at[r->thread] = r->index;
    au_vec_push(&x->event, e);
}

au_status au_sights_read(au_sights *x, const au_source *s, const char *recording, au_error *err) {
    *x = (au_sights){.source = s, .end = UINT8_MAX};
    au_map_init(&x->places);
    au_walk *w = au_walk_open(recording, take_tables, x, err);
    if (w)
        au_walk_ends(w);
    au_status st = w ? AU_OK : err->status;
    au_stream_record r = {.tag = AU_TAG_EV};
    while (st == AU_OK && r.tag != AU_TAG_PAD) {
        st = au_walk_next(w, &r, err);
        if (st == AU_OK && r.tag == AU_TAG_MODULE)
            take_module(x, &r);
        else if (st == AU_OK && r.tag == AU_TAG_EV)
            take_event(x, &r);
        else if (st == AU_OK && r.tag == AU_TAG_END)
            x->end = r.kind;
    }
    au_walk_free(w);
    return st;
}

void au_sights_release(au_sights *x) {
    for (size_t i = 0; i < x->tables.n; i++)
        au_tables_free(x->tables.at[i]);
    au_vec_release(&x->tables);
    au_vec_release(&x->module);
    au_vec_release(&x->global);
    au_vec_release(&x->place);
    au_vec_release(&x->event);
    au_vec_release(&x->length);
    au_map_release(&x->places);
}

/* ---- is it this one? ---- */

static const au_seen_place *place_of(const au_sights *x, uint64_t place) {
    const uint64_t *at = au_map_find(&x->places, place);
    return at ? &x->place.at[*at - 1] : NULL;
}

static bool is_once(const au_seen_place *p) {
    const au_libc *row = p->callee ? au_libc_find(p->callee) : NULL;
    return row && row->sync == AU_SYNC_ONCE;
}

bool au_sign_is_hidden(const au_sights *x, const au_sign *m) {
    const au_seen_place *p = place_of(x, m->place);
    if (m->kind == AU_SIGN_EXIT)
        return false;
    if (!p)
        return true;
    /* Of a call that runs something once only its end is told. */
    if (m->kind == AU_SIGN_ACQ && is_once(p))
        return true;
    return (m->kind == AU_SIGN_ACQ || m->kind == AU_SIGN_REL) && p->callee &&
           !strncmp(p->callee, "__VERIFIER_atomic", 17);
}

static bool reads(uint8_t op) {
    return op == AU_OP_READ || op == AU_OP_AREAD || op == AU_OP_RMW || op == AU_SOP_RREAD ||
           op == AU_SOP_RCOPY;
}

static bool writes(uint8_t op) {
    return op == AU_OP_WRITE || op == AU_OP_AWRITE || op == AU_OP_RMW || op == AU_SOP_RWRITE ||
           op == AU_SOP_RSET || op == AU_SOP_RCOPY || op == AU_OP_FREE;
}

/* The variable is a piece of a global one of the program: is this address in it? */
static bool is_there(const au_sights *x, uint32_t var, uint64_t address, uint64_t bytes) {
    const au_source_var *v = &x->source->var.at[var];
    bool named = false;
    if (strncmp(v->object, "global '", 8))
        return true;
    const char *name = v->object + 8;
    size_t n = strcspn(name, "'");
    for (size_t i = 0; i < x->global.n; i++) {
        const struct au_seen_global *g = &x->global.at[i];
        if (strlen(g->name) != n || strncmp(g->name, name, n))
            continue;
        named = true;
        uint64_t low = g->address, high = g->address + (g->size ? g->size : 1);
        if (!v->summary && v->offset < high - low) {
            low += v->offset;
            if (v->bytes && v->bytes < high - low)
                high = low + v->bytes;
        }
        if (address < high && low < address + bytes)
            return true;
    }
    return !named;
}

static bool accesses(const au_sights *x, const au_sign *m, const au_seen *e) {
    bool r = reads(e->op), w = writes(e->op);
    if (!r && !w)
        return false;
    if (!(m->read && r) && !(m->write && w) && !(m->write && e->op == AU_OP_AREAD))
        return false;
    if (m->var == AU_NONE)
        return true;
    if (e->op == AU_SOP_RCOPY && !m->write)
        return is_there(x, m->var, e->from, e->bytes);
    return is_there(x, m->var, e->address, e->bytes);
}

bool au_sign_matches(const au_sights *x, const au_sign *m, const au_seen *e) {
    if (m->kind == AU_SIGN_EXIT)
        return e->op == AU_OP_EXIT;
    if (e->place != m->place)
        return false;
    switch (m->kind) {
    case AU_SIGN_ACCESS:
        return accesses(x, m, e);
    case AU_SIGN_ACQ:
        return e->op == AU_OP_ACQ || e->op == AU_OP_RDACQ || e->op == AU_OP_WRACQ ||
               e->op == AU_OP_DOWN;
    case AU_SIGN_REL:
        return e->op == AU_OP_REL || e->op == AU_OP_UP || e->op == AU_OP_ONCE;
    case AU_SIGN_WAIT:
        return e->op == AU_OP_WAIT;
    case AU_SIGN_WAKE: /* … and the lock is taken again, behind AU_OP_WAKE */
        return e->op == AU_OP_ACQ;
    case AU_SIGN_SIGNAL:
        return e->op == AU_OP_SIGNAL || e->op == AU_OP_BROADCAST;
    case AU_SIGN_ARRIVE:
        return e->op == AU_OP_ARRIVE;
    case AU_SIGN_LEAVE:
        return e->op == AU_OP_LEAVE;
    case AU_SIGN_FORK:
        return e->op == AU_OP_FORK;
    case AU_SIGN_JOIN:
        return e->op == AU_OP_JOIN;
    case AU_SIGN_EXIT:
        break;
    }
    return false;
}

static bool is_range(uint8_t op) {
    return op >= AU_SOP_RREAD && op <= AU_SOP_RCOPY;
}

const au_seen *au_sights_event(const au_sights *x, uint32_t thread, uint64_t index) {
    for (size_t i = 0; i < x->event.n; i++)
        if (x->event.at[i].thread == thread && x->event.at[i].index == index)
            return &x->event.at[i];
    return NULL;
}

void au_sights_unit(const au_sights *x, const au_seen *e, uint64_t *first, uint64_t *last) {
    bool read = e->op == AU_SOP_RREAD;
    *first = *last = e->index;
    if (!is_range(e->op))
        return;
    for (size_t i = (size_t)(e - x->event.at); i-- > 0;) {
        const au_seen *p = &x->event.at[i];
        if (p->thread != e->thread)
            continue;
        /* What reads comes first: a write before it is of the last time. */
        if (p->place != e->place || !(is_range(p->op) || p->op == AU_OP_XCALL) ||
            (read && p->op != AU_SOP_RREAD && p->op != AU_OP_XCALL))
            break;
        read |= p->op == AU_SOP_RREAD;
        *first = p->index;
    }
    bool wrote = e->op != AU_SOP_RREAD;
    for (size_t i = (size_t)(e - x->event.at) + 1; i < x->event.n; i++) {
        const au_seen *p = &x->event.at[i];
        if (p->thread != e->thread)
            continue;
        if (p->place != e->place || !is_range(p->op) || (wrote && p->op == AU_SOP_RREAD))
            break;
        wrote |= p->op != AU_SOP_RREAD;
        *last = p->index;
    }
}

const au_seen *au_sights_find(const au_sights *x, const au_sign *m, uint32_t thread, uint64_t after,
                              uint64_t *index) {
    const au_seen_place *p = place_of(x, m->place);
    bool call = m->kind == AU_SIGN_ACCESS && p && p->call;
    const au_seen *found = NULL;
    for (size_t i = 0; i < x->event.n; i++) {
        const au_seen *e = &x->event.at[i];
        if (e->thread != thread || e->index < after)
            continue;
        if (found && call && e->place == m->place && e->op != AU_OP_XCALL) {
            *index = e->index; /* all that the call does */
            continue;
        }
        if (found)
            break;
        /* One event may be several steps: of a copy, of a call. */
        if (e->index == after &&
            !(e->place == m->place && (is_range(e->op) || (call && e->op == AU_OP_XRET))))
            continue;
        if (au_sign_matches(x, m, e) || (call && e->place == m->place)) {
            found = e;
            *index = e->index;
            if (!call)
                break;
        }
    }
    return found;
}
