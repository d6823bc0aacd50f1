/* solve/weak_reads.c: which write a read sees and the order of a variable's writes, as literals.
 *
 * What is said at once holds in all memory models: a write comes about before it is seen, nobody sees
 * an own write that it has overwritten, and nothing comes between a read-modify-write and what it sees.
 * The rest is weak_cut.c. */
#include "solve/weak_priv.h"

#include "base/error.h"

uint32_t au_weak_read_of(const au_cssa *c, uint32_t event) {
    const au_cssa_event *e = &c->event.at[event];
    for (uint32_t i = 0; i < e->n_reads; i++)
        if (au_weak_is_shared(c, c->read.at[e->first_read + i].var))
            return e->first_read + i;
    return AU_NONE;
}

int au_weak_before(const au_weak_state *w, uint32_t a, uint32_t b) {
    return au_order_before(&w->k->order, a, b);
}

bool au_weak_stores(const au_weak_state *w, uint32_t event) {
    return w->place[event] != AU_NONE;
}

static uint32_t var_stored(const au_cssa *c, uint32_t event) {
    const au_cssa_event *e = &c->event.at[event];
    for (uint32_t i = 0; i < e->n_writes; i++)
        if (au_weak_is_shared(c, c->write.at[e->first_write + i].var))
            return c->write.at[e->first_write + i].var;
    return AU_NONE;
}

int au_weak_mo(const au_weak_state *w, uint32_t a, uint32_t b) {
    const au_cssa *c = w->k->c;
    uint32_t var = var_stored(c, a);
    return w->mo[var][w->place[a] * c->stores[var].n + w->place[b]];
}

int au_weak_stored(const au_weak_state *w, uint32_t event) {
    return au_blast_bool(&w->k->blast, w->k->c->event.at[event].passes);
}

/* ---- what a read sees ---- */

/* A read-modify-write comes right after what it sees. */
static void comes_next(au_weak_state *w, uint32_t e, uint32_t var, uint32_t from, int sees) {
    const au_cssa *c = w->k->c;
    au_sat *s = &w->k->sat;
    int stored = au_weak_stored(w, e);
    if (from != AU_INITIAL)
        au_sat_3(s, -sees, -stored, au_weak_mo(w, from, e));
    for (size_t i = 0; i < c->stores[var].n; i++) {
        uint32_t x = c->stores[var].at[i];
        if (x == e || x == from)
            continue;
        const int lit[] = {-sees, -stored, -au_weak_stored(w, x), au_weak_mo(w, e, x),
                           from == AU_INITIAL ? AU_LIT_FALSE : au_weak_mo(w, x, from)};
        au_sat_add(s, lit, 5);
    }
}

/* Own writes before come before what is seen, own writes after come after it. */
static void own_writes(au_weak_state *w, uint32_t e, uint32_t var, uint32_t from, int sees) {
    const au_cssa *c = w->k->c;
    const au_cssa_event *x = &c->event.at[e];
    for (size_t i = 0; i < c->stores[var].n; i++) {
        uint32_t s = c->stores[var].at[i];
        const au_cssa_event *y = &c->event.at[s];
        if (s == e || s == from || y->thread != x->thread)
            continue;
        int order = from == AU_INITIAL    ? (y->place < x->place ? AU_LIT_FALSE : AU_LIT_TRUE)
                    : y->place < x->place ? au_weak_mo(w, s, from)
                                          : au_weak_mo(w, from, s);
        au_sat_3(&w->k->sat, -sees, -au_weak_stored(w, s), order);
    }
}

/* The last of all. */
static void is_last(au_weak_state *w, uint32_t var, uint32_t from, int sees) {
    const au_cssa *c = w->k->c;
    if (from != AU_INITIAL)
        au_sat_2(&w->k->sat, -sees, au_weak_stored(w, from));
    for (size_t i = 0; i < c->stores[var].n; i++) {
        uint32_t s = c->stores[var].at[i];
        if (s != from)
            au_sat_3(&w->k->sat, -sees, -au_weak_stored(w, s),
                     from == AU_INITIAL ? AU_LIT_FALSE : au_weak_mo(w, s, from));
    }
}

void au_weak_sees(au_weak_state *w, uint32_t read, const int *sees) {
    const au_cssa *c = w->k->c;
    const au_cssa_read r = c->read.at[read]; /* making terms may move it; its writers stay */
    for (size_t i = 0; i < r.writer.n; i++) {
        uint32_t from = r.writer.at[i];
        for (size_t j = 0; j < i; j++) /* two may have written the same */
            au_sat_2(&w->k->sat, -sees[i], -sees[j]);
        if (r.event == AU_FINAL) {
            is_last(w, r.var, from, sees[i]);
            continue;
        }
        if (from != AU_INITIAL) {
            au_sat_2(&w->k->sat, -sees[i], au_weak_stored(w, from));
            au_sat_2(&w->k->sat, -sees[i], au_weak_before(w, from, r.event));
        }
        own_writes(w, r.event, r.var, from, sees[i]);
        if (au_weak_stores(w, r.event))
            comes_next(w, r.event, r.var, from, sees[i]);
    }
}

/* ---- modification order ---- */

static void order_stores(au_weak_state *w, uint32_t var) {
    const au_cssa *c = w->k->c;
    size_t n = c->stores[var].n;
    int *mo = w->mo[var] = au_alloc_array(n * n + 1, sizeof *mo);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) {
            const au_cssa_event *a = &c->event.at[c->stores[var].at[i]],
                                *b = &c->event.at[c->stores[var].at[j]];
            int lit = a->thread != b->thread
                          ? au_sat_wish(&w->k->sat, w->k->wish.place[c->stores[var].at[i]] <
                                                        w->k->wish.place[c->stores[var].at[j]])
                      : a->place < b->place ? AU_LIT_TRUE
                                            : AU_LIT_FALSE;
            mo[i * n + j] = lit;
            mo[j * n + i] = -lit;
        }
}

/* All reads of shared variables, and who of a rwlock's users was its writer. */
static void see_all(au_cad *k) {
    const au_cssa *c = k->c;
    for (uint32_t v = 0; v < c->m->var.n; v++)
        for (size_t i = 0; i < c->stores[v].n && au_weak_is_shared(c, v); i++)
            au_weak_stored(k->weak, c->stores[v].at[i]);
    for (uint32_t e = 0; e < c->event.n; e++) {
        uint32_t read = au_weak_read_of(c, e);
        const au_step *s = &c->m->step.at[c->event.at[e].step];
        if (read != AU_NONE)
            au_cad_sees(k, read);
        if (s->kind == AU_STEP_REL && c->m->obj.at[s->obj].kind == AU_OBJ_RWLOCK)
            au_cad_sees(k, au_cssa_read_of(c, e, c->m->obj.at[s->obj].var[0]));
    }
}

void au_weak_begin(au_cad *k, au_memory memory) {
    const au_cssa *c = k->c;
    au_weak_state *w = k->weak = AU_NEW(au_weak_state);
    w->k = k;
    w->memory = memory;
    w->place = au_alloc_array(c->event.n + 1, sizeof *w->place);
    w->number = au_alloc_array(c->event.n + 1, sizeof *w->number);
    w->pos = au_alloc_array(c->event.n + 1, sizeof *w->pos);
    w->mo = au_alloc_array(c->m->var.n + 1, sizeof *w->mo);
    w->line = au_alloc_array(c->m->var.n + 1, sizeof *w->line);
    memset(w->place, 0xff, c->event.n * sizeof *w->place);
    for (uint32_t v = 0; v < c->m->var.n; v++) {
        if (!au_weak_is_shared(c, v))
            continue;
        for (uint32_t i = 0; i < c->stores[v].n; i++)
            w->place[c->stores[v].at[i]] = i;
        k->folds.kind[v] = AU_FOLD_NONE; /* a store may be lost on a reader */
        order_stores(w, v);
    }
    see_all(k);
}

void au_weak_free(au_weak_state *w) {
    if (!w)
        return;
    for (uint32_t v = 0; v < w->k->c->m->var.n; v++) {
        free(w->mo[v]);
        au_vec_release(&w->line[v]);
    }
    for (int i = 0; i < AU_RELS; i++)
        au_rel_release(&w->rel[i]);
    au_rel_release(&w->hb);
    au_rel_release(&w->eco);
    au_vec_release(&w->node);
    au_vec_release(&w->lit);
    au_vec_release(&w->pair);
    free(w->place);
    free(w->number);
    free(w->pos);
    free(w->mo);
    free(w->line);
    free(w);
}
