/* linear/atomicity_tell.c: findings from pairs of witnesses; and online, as they come. */
#include "linear/atomicity_priv.h"

#include <stdio.h>
#include <string.h>

static bool writes(au_op op) {
    return op == AU_OP_WRITE || op == AU_OP_AWRITE || op == AU_OP_RMW;
}

static const char *pattern(au_op e1, au_op e2, bool wrw) {
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

const au_finding *au_atomicity_tell_events(const au_atomicity *a, au_findings *out,
                                           const au_event_ref event[3], bool wrw) {
    au_finding *x = au_findings_add(out, AU_KIND_ATOMICITY, 3);
    x->obj = event[0].obj;
    x->detail = pattern(event[0].op, event[2].op, wrw);
    memcpy(x->event, event, 3 * sizeof *event);
    explain(a, &out->arena, event[0].thread, event[1].thread, x);
    return x;
}

const au_finding *au_atomicity_tell(const au_atomicity *a, au_findings *out, uint16_t t,
                                    const au_witness *e, uint16_t u, const au_witness *f) {
    const au_athread *te = &a->thread.at[t], *tf = &a->thread.at[u];
    const au_access_place *e1 = &te->pair.at[e->first], *e2 = &te->pair.at[e->second];
    const au_access_place *m = &tf->single.at[f->first];
    uint32_t var = te->slot.at[e->slot].var;
    const au_event_ref event[3] = {reference(e1, t, var), reference(m, u, var),
                                   reference(e2, t, var)};
    return au_atomicity_tell_events(a, out, event, e->kind == AU_WIT_WW);
}

/* --- online --------------------------------------------------------------------------- */

/* Witnesses of each (thread, variable, kind) that were looked at, as lists. */
typedef struct {
    au_witness w;
    uint32_t next;
} node;

/* Of a variable of a thread: who of the first 64 threads it was told with, as e and as f, AWA and WRW. */
typedef struct {
    uint64_t as_e[2], as_f[2];
    uint32_t head[AU_WITS]; /* node + 1 */
} online_slot;

/* Of a variable: who of the first 64 threads has witnesses of each kind. */
typedef struct {
    uint64_t has[AU_WITS];
} online_var;

enum { MASKED = 64 }; /* threads that have a bit */

typedef AU_VEC(online_slot) online_slots;

struct au_online {
    uint32_t restarts; /* of the analysis, when 'head' was made */
    AU_VEC(node) node;
    AU_VEC(online_slots) slot; /* by thread */
    AU_VEC(online_var) var;
    au_map told
        [2]; /* if one of them has no bit: AWA, WRW: e's thread << 48 | f's thread << 32 | variable */
    AU_VEC(size_t) done[2]; /* by thread: witnesses looked at */
};

void au_online_free(au_online *o) {
    if (!o)
        return;
    for (size_t t = 0; t < o->slot.n; t++)
        au_vec_release(&o->slot.at[t]);
    au_vec_release(&o->slot);
    au_vec_release(&o->var);
    au_vec_release(&o->node);
    au_map_release(&o->told[0]);
    au_map_release(&o->told[1]);
    au_vec_release(&o->done[0]);
    au_vec_release(&o->done[1]);
    free(o);
}

static online_slot *online_of(au_online *o, size_t t, uint32_t slot) {
    while (o->slot.n <= t)
        memset(au_vec_add(&o->slot), 0, sizeof(online_slots));
    while (o->slot.at[t].n <= slot)
        memset(au_vec_add(&o->slot.at[t]), 0, sizeof(online_slot));
    return &o->slot.at[t].at[slot];
}

static online_var *online_var_of(au_online *o, uint32_t var) {
    while (o->var.n <= var)
        memset(au_vec_add(&o->var), 0, sizeof(online_var));
    return &o->var.at[var];
}

/* The sections were forgotten: all witnesses are looked at anew. */
static void start_again(au_online *o) {
    au_vec_clear(&o->node);
    au_vec_clear(&o->var);
    au_vec_clear(&o->done[0]);
    au_vec_clear(&o->done[1]);
    for (size_t t = 0; t < o->slot.n; t++)
        for (size_t k = 0; k < o->slot.at[t].n; k++)
            memset(o->slot.at[t].at[k].head, 0, sizeof o->slot.at[t].at[k].head);
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

/* A new witness. */
typedef struct {
    const au_witness *w;
    uint32_t var;
    uint16_t thread;
    bool is_e, wrw;
    uint8_t partner;
} newcomer;

static void mark_told(au_online *o, bool wrw, uint16_t te, uint32_t e_slot, uint16_t tf,
                      uint32_t f_slot, uint64_t what) {
    if (tf < MASKED)
        online_of(o, te, e_slot)->as_e[wrw] |= UINT64_C(1) << tf;
    if (te < MASKED)
        online_of(o, tf, f_slot)->as_f[wrw] |= UINT64_C(1) << te;
    if (tf >= MASKED || te >= MASKED)
        *au_map_put(&o->told[wrw], what, NULL) = 1;
}

/* … against those of one other thread, if the two were not told before. */
static void meet_thread(au_atomicity *a, au_online *o, const newcomer *c, uint16_t u,
                        au_findings *out, au_found_fn *found, void *ctx) {
    uint32_t slot;
    if (!slot_in(a, u, c->var, &slot))
        return;
    uint16_t te = c->is_e ? c->thread : u, tf = c->is_e ? u : c->thread;
    uint64_t what = (uint64_t)te << 48 | au_key2(tf, c->var);
    if (u >= MASKED && au_map_find(&o->told[c->wrw], what))
        return;
    for (uint32_t k = online_of(o, u, slot)->head[c->partner]; k; k = o->node.at[k - 1].next) {
        const au_witness *v = &o->node.at[k - 1].w;
        const au_witness *e = c->is_e ? c->w : v, *f = c->is_e ? v : c->w;
        if (!together(a, te, e, tf, f))
            continue;
        mark_told(o, c->wrw, te, c->is_e ? c->w->slot : slot, tf, c->is_e ? slot : c->w->slot,
                  what);
        const au_finding *x = au_atomicity_tell(a, out, te, e, tf, f);
        if (found)
            found(ctx, x);
        return;
    }
}

/* … against those of all, in the order of threads. */
static void meet(au_atomicity *a, au_online *o, uint16_t t, const au_witness *w, au_findings *out,
                 au_found_fn *found, void *ctx) {
    static const uint8_t partner[AU_WITS] = {[AU_WIT_R] = AU_WIT_WW,
                                             [AU_WIT_W] = AU_WIT_AA,
                                             [AU_WIT_AA] = AU_WIT_W,
                                             [AU_WIT_WW] = AU_WIT_R};
    newcomer c = {.w = w,
                  .var = a->thread.at[t].slot.at[w->slot].var,
                  .thread = t,
                  .is_e = w->kind == AU_WIT_AA || w->kind == AU_WIT_WW,
                  .wrw = w->kind == AU_WIT_WW || w->kind == AU_WIT_R,
                  .partner = partner[w->kind]};
    const online_slot *mine = online_of(o, t, w->slot);
    uint64_t left = online_var_of(o, c.var)->has[c.partner];
    left &= ~(c.is_e ? mine->as_e[c.wrw] : mine->as_f[c.wrw]);
    if (t < MASKED)
        left &= ~(UINT64_C(1) << t);
    for (; left; left &= left - 1)
        meet_thread(a, o, &c, (uint16_t)__builtin_ctzll(left), out, found, ctx);
    for (size_t u = MASKED; u < a->thread.n; u++)
        if (u != t)
            meet_thread(a, o, &c, (uint16_t)u, out, found, ctx);
}

static void keep(au_atomicity *a, au_online *o, uint16_t t, const au_witness *w) {
    uint32_t *head = &online_of(o, t, w->slot)->head[w->kind];
    au_vec_push(&o->node, ((node){*w, *head}));
    *head = (uint32_t)o->node.n;
    if (t < MASKED)
        online_var_of(o, a->thread.at[t].slot.at[w->slot].var)->has[w->kind] |= UINT64_C(1) << t;
}

void au_atomicity_poll(au_atomicity *a, au_findings *out, au_found_fn *found, void *ctx) {
    if (!a->online)
        a->online = AU_NEW(au_online);
    au_online *o = a->online;
    if (o->restarts != a->restarts) {
        o->restarts = a->restarts;
        start_again(o);
    }
    for (size_t t = 0; t < a->thread.n; t++)
        for (int k = 0; k < 2; k++) {
            while (o->done[k].n <= t)
                au_vec_push(&o->done[k], 0);
            const au_athread *th = &a->thread.at[t];
            for (size_t *i = &o->done[k].at[t]; *i < (k ? th->sure : th->wit[k].n); ++*i) {
                au_witness w = th->wit[k].at[*i];
                meet(a, o, (uint16_t)t, &w, out, found, ctx);
                keep(a, o, (uint16_t)t, &w);
            }
        }
}
