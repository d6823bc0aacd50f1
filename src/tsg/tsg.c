/* tsg/tsg.c: independent transactions, and the graph of them. */
#include "tsg/tsg.h"

#include "tsg/complete.h"

/* --- boundaries ----------------------------------------------------------------------------- */

static void of_mats(au_tsg *g) {
    for (size_t i = 0; i < g->mats.n; i++)
        for (int k = 0; k < 2; k++)
            g->boundary[g->mats.at[i].t[k].begin] = g->boundary[g->mats.at[i].t[k].end] = true;
}

static bool is_access(const au_facts *f, uint32_t step) {
    return f->first_touch[step] != f->first_touch[step + 1];
}

/* Behind every access. Two of them in a row are never one transaction then, but what ends a
 * thread or waits behind an access needs a boundary of its own. */
static void of_accesses(au_tsg *g) {
    for (uint32_t i = 0; i < g->m->step.n; i++)
        if (is_access(&g->facts, i))
            g->boundary[au_facts_dst(&g->facts, i)] = true;
}

static void ends(au_tsg *g) {
    for (uint32_t t = 0; t < g->m->thread.n; t++)
        g->boundary[au_facts_entry(&g->facts, t)] = g->boundary[au_facts_exit(&g->facts, t)] = true;
}

/* --- switches ---------------------------------------------------------------------------------- */

static void every_switch(const au_tsg *g, au_switch_vec *into) {
    const au_facts *f = &g->facts;
    for (uint32_t a = 0; a < f->nodes; a++) {
        if (!g->boundary[a] || f->first_into[a] == f->first_into[a + 1])
            continue;
        for (uint32_t b = 0; b < f->nodes; b++)
            if (g->boundary[b] && f->owner[a] != f->owner[b] &&
                b != au_facts_exit(f, f->owner[b]) && au_facts_switch(f, a, b))
                au_vec_push(into, ((au_switch){a, b}));
    }
    /* made in order */
}

static void keep_switches(au_tsg *g, const au_switch_vec *mat, const au_switch_vec *more,
                          bool both) {
    au_switch_vec all = {0};
    for (size_t i = 0; i < mat->n; i++) {
        if (!au_facts_switch(&g->facts, mat->at[i].from, mat->at[i].to))
            g->unreachable++;
        else if (both)
            au_vec_push(&all, mat->at[i]);
    }
    au_vec_append(&all, more->at, more->n);
    au_switches_sort(&all);
    for (size_t i = 0; i < all.n; i++) {
        bool added = !au_switches_have(mat, all.at[i].from, all.at[i].to);
        au_vec_push(&g->ce, ((au_tsg_switch){g->number[all.at[i].from], g->number[all.at[i].to],
                                             added && mat->n}));
        g->added += added && mat->n;
    }
    au_vec_release(&all);
}

/* --- nodes and transactions ------------------------------------------------------------------------ */

static bool is_node(const au_tsg *g, uint32_t n) {
    const au_facts *f = &g->facts;
    return g->boundary[n] || f->first_into[n + 1] - f->first_into[n] > 1 ||
           au_facts_node(f, n)->out.n != 1;
}

static void find_nodes(au_tsg *g) {
    const au_facts *f = &g->facts;
    g->number = au_alloc_array(f->nodes + 1, sizeof *g->number);
    for (uint32_t n = 0; n < f->nodes; n++) {
        g->number[n] = AU_NONE;
        bool there =
            f->first_into[n] != f->first_into[n + 1] || n == au_facts_entry(f, f->owner[n]);
        if (there && is_node(g, n)) {
            g->number[n] = (uint32_t)g->node.n;
            au_vec_push(&g->node, n);
        }
    }
}

static void find_transactions(au_tsg *g) {
    const au_facts *f = &g->facts;
    for (uint32_t v = 0; v < g->node.n; v++) {
        const au_node *node = au_facts_node(f, g->node.at[v]);
        for (size_t i = 0; i < node->out.n; i++) {
            au_tsg_transaction t = {v, 0, (uint32_t)g->step.n, 0};
            uint32_t s = node->out.at[i];
            au_vec_push(&g->step, s);
            while (g->number[au_facts_dst(f, s)] == AU_NONE) {
                s = au_facts_node(f, au_facts_dst(f, s))->out.at[0];
                au_vec_push(&g->step, s);
            }
            t.to = g->number[au_facts_dst(f, s)];
            t.n = (uint32_t)g->step.n - t.first;
            au_vec_push(&g->te, t);
        }
    }
}

au_tsg *au_tsg_new(const au_model *m, const au_tsg_options *o) {
    au_tsg *g = AU_NEW(au_tsg);
    g->m = m;
    g->o = *o;
    au_facts_make(&g->facts, m);
    g->boundary = au_alloc_array(g->facts.nodes + 1, sizeof *g->boundary);
    au_switch_vec mat = {0}, more = {0};
    ends(g);
    bool ccfg = o->kind == AU_TSG_CCFG;
    bool enough = o->bare || (!ccfg && au_complete_plain(&g->facts));
    if (ccfg) {
        of_accesses(g);
    } else {
        au_mat_options mo = {o->kind == AU_TSG_MAT_PRIME, o->first_wins};
        au_mat_generate(&g->facts, &mo, &g->mats);
        au_mat_switches(&g->mats, &mat);
        of_mats(g);
    }
    if (!enough)
        au_complete_boundaries(&g->facts, g->boundary);
    if (ccfg)
        every_switch(g, &more);
    else if (!enough)
        au_complete_switches(&g->facts, g->boundary, o->first_wins, &more);
    g->mat_switches = mat.n;
    find_nodes(g);
    find_transactions(g);
    keep_switches(g, &mat, &more, enough || !o->lean);
    au_vec_release(&mat);
    au_vec_release(&more);
    return g;
}

void au_tsg_free(au_tsg *g) {
    if (!g)
        return;
    au_facts_release(&g->facts);
    au_vec_release(&g->mats);
    au_vec_release(&g->node);
    free(g->number);
    free(g->boundary);
    au_vec_release(&g->step);
    au_vec_release(&g->te);
    au_vec_release(&g->ce);
    free(g);
}

bool au_tsg_may_switch(const au_tsg *g, uint32_t from, uint32_t to) {
    uint32_t a = g->number[from], b = g->number[to];
    size_t low = 0, high = g->ce.n;
    if (a == AU_NONE || b == AU_NONE)
        return false;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        const au_tsg_switch *e = &g->ce.at[mid];
        if (e->from < a || (e->from == a && e->to < b))
            low = mid + 1;
        else
            high = mid;
    }
    return low < g->ce.n && g->ce.at[low].from == a && g->ce.at[low].to == b;
}
