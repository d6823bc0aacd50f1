/* linear/atomicity_tell.c: findings from pairs of witnesses; and online, as they come. */
#include "linear/atomicity_priv.h"

#include <stdio.h>
#include <string.h>

static bool writes(const au_access_place *p) {
    return p->op == AU_OP_WRITE || p->op == AU_OP_AWRITE || p->op == AU_OP_RMW;
}

static const char *pattern(const au_access_place *e1, const au_access_place *e2, bool wrw) {
    static const char *const name[] = {"RWR", "RWW", "WWR", "WWW"};
    return wrw ? "WRW" : name[writes(e1) * 2 + writes(e2)];
}

static au_event_ref reference(const au_access_place *p, uint16_t thread, uint32_t var) {
    return (au_event_ref){.number = p->number,
                          .index = p->index,
                          .obj = var,
                          .loc = p->loc,
                          .thread = thread,
                          .op = p->op};
}

static void explain(const au_atomicity *a, au_arena *arena, uint16_t t, uint16_t u, au_finding *x) {
    uint16_t who = a->thread.at[t].unnested ? t : u;
    if (!a->thread.at[who].unnested) {
        au_finding_because(x, AU_WHY_LOCKSETS);
        return;
    }
    char event[24], name[128];
    if (a->names && who < a->names->thread.n)
        snprintf(name, sizeof name, "%s", au_intern_str(&a->names->thread, who));
    else
        snprintf(name, sizeof name, "%u", who);
    uint64_t number = 0;
    for (size_t i = 0; i < a->not_nested.n; i++)
        if (a->not_nested.at[i].thread == who)
            number = a->not_nested.at[i].event.number;
    snprintf(event, sizeof event, "%llu", (unsigned long long)number + 1);
    au_finding_because_of(x, arena, AU_WHY_NOT_NESTED, name, event);
}

const au_finding *au_atomicity_tell(const au_atomicity *a, au_findings *out, uint16_t t,
                                    const au_witness *e, uint16_t u, const au_witness *f) {
    const au_athread *te = &a->thread.at[t], *tf = &a->thread.at[u];
    const au_access_place *e1 = &te->pair.at[e->first], *e2 = &te->pair.at[e->second];
    const au_access_place *m = &tf->single.at[f->first];
    uint32_t var = te->slot.at[e->slot].var;
    au_finding *x = au_findings_add(out, AU_KIND_ATOMICITY, 3);
    x->obj = var;
    x->detail = pattern(e1, e2, e->kind == AU_WIT_WW);
    x->event[0] = reference(e1, t, var);
    x->event[1] = reference(m, u, var);
    x->event[2] = reference(e2, t, var);
    explain(a, &out->arena, t, u, x);
    return x;
}

/* --- online --------------------------------------------------------------------------- */

/* Witnesses of each (thread, variable, kind) that were looked at, as lists. */
typedef struct {
    au_witness w;
    uint32_t next;
} node;

struct au_online {
    uint32_t restarts; /* of the analysis, when 'head' was made */
    AU_VEC(node) node;
    au_map head;            /* thread << 48 | slot << 2 | kind -> node + 1 */
    au_map told[2];         /* AWA, WRW: e's thread << 48 | f's thread << 32 | variable */
    AU_VEC(size_t) done[2]; /* by thread: witnesses looked at */
};

void au_online_free(au_online *o) {
    if (!o)
        return;
    au_vec_release(&o->node);
    au_map_release(&o->head);
    au_map_release(&o->told[0]);
    au_map_release(&o->told[1]);
    au_vec_release(&o->done[0]);
    au_vec_release(&o->done[1]);
    free(o);
}

static uint64_t head_key(uint16_t t, uint32_t slot, uint8_t kind) {
    return (uint64_t)t << 48 | (uint64_t)slot << 2 | kind;
}

/* The variable's slot in another thread. */
static bool slot_in(const au_atomicity *a, size_t u, uint32_t var, uint32_t *slot) {
    const au_hot *h = &a->hot.at[u];
    if (var / 64 >= h->n_pages || !h->page[var / 64]->at[var % 64].slot)
        return false;
    *slot = h->page[var / 64]->at[var % 64].slot - 1;
    return true;
}

static const au_key *key_of(const au_atomicity *a, const au_athread *th, uint32_t key) {
    return &th->keys.at[a->o.all ? (uint32_t)(a->combos.at[key] >> 32) : key];
}

static bool together(const au_atomicity *a, uint16_t t, const au_witness *e, uint16_t u,
                     const au_witness *f) {
    const au_key *x = key_of(a, &a->thread.at[t], e->key), *y = key_of(a, &a->thread.at[u], f->key);
    return au_lockctx_compatible(a->ctx, x->ctx, y->ctx) &&
           !au_must_before_now(a->must, t, x->segment, u, y->segment) &&
           !au_must_before_now(a->must, u, y->segment, t, x->segment);
}

/* A new witness against those of the other threads. */
static void meet(au_atomicity *a, au_online *o, uint16_t t, const au_witness *w, au_findings *out,
                 au_found_fn *found, void *ctx) {
    static const uint8_t partner[AU_WITS] = {[AU_WIT_R] = AU_WIT_WW,
                                             [AU_WIT_W] = AU_WIT_AA,
                                             [AU_WIT_AA] = AU_WIT_W,
                                             [AU_WIT_WW] = AU_WIT_R};
    bool is_e = w->kind == AU_WIT_AA || w->kind == AU_WIT_WW;
    uint32_t var = a->thread.at[t].slot.at[w->slot].var;
    for (size_t i = 0; i < a->thread.n; i++) {
        uint16_t u = (uint16_t)i;
        uint32_t slot;
        if (u == t || !slot_in(a, u, var, &slot))
            continue;
        const uint64_t *head = au_map_find(&o->head, head_key(u, slot, partner[w->kind]));
        if (!head)
            continue;
        uint16_t te = is_e ? t : u, tf = is_e ? u : t;
        bool wrw = w->kind == AU_WIT_WW || w->kind == AU_WIT_R;
        uint64_t what = (uint64_t)te << 48 | au_key2(tf, var);
        if (au_map_find(&o->told[wrw], what))
            continue;
        for (uint32_t k = (uint32_t)*head; k; k = o->node.at[k - 1].next) {
            const au_witness *v = &o->node.at[k - 1].w;
            const au_witness *e = is_e ? w : v, *f = is_e ? v : w;
            if (!together(a, te, e, tf, f))
                continue;
            *au_map_put(&o->told[wrw], what, NULL) = 1;
            const au_finding *x = au_atomicity_tell(a, out, te, e, tf, f);
            if (found)
                found(ctx, x);
            break;
        }
    }
}

void au_atomicity_poll(au_atomicity *a, au_findings *out, au_found_fn *found, void *ctx) {
    if (!a->online)
        a->online = AU_NEW(au_online);
    au_online *o = a->online;
    if (o->restarts != a->restarts) { /* the sections were forgotten: R and W are looked at anew */
        o->restarts = a->restarts;
        au_vec_clear(&o->node);
        au_map_clear(&o->head);
        au_vec_clear(&o->done[0]);
        au_vec_clear(&o->done[1]);
    }
    for (size_t t = 0; t < a->thread.n; t++)
        for (int k = 0; k < 2; k++) {
            while (o->done[k].n <= t)
                au_vec_push(&o->done[k], 0);
            const au_athread *th = &a->thread.at[t];
            for (size_t *i = &o->done[k].at[t]; *i < th->wit[k].n; ++*i) {
                au_witness w = th->wit[k].at[*i];
                meet(a, o, (uint16_t)t, &w, out, found, ctx);
                uint64_t *head = au_map_put(&o->head, head_key((uint16_t)t, w.slot, w.kind), NULL);
                au_vec_push(&o->node, ((node){w, (uint32_t)*head}));
                *head = o->node.n;
            }
        }
}
