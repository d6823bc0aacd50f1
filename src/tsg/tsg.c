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

/* In a part of a run a thread may end where nothing more is known of it, and that is not its exit. */
static void ends(au_tsg *g) {
    for (uint32_t n = 0; n < g->facts.nodes; n++)
        if (au_facts_dead_end(&g->facts, n) && g->facts.first_into[n] != g->facts.first_into[n + 1])
            g->boundary[n] = true;
    for (uint32_t t = 0; t < g->m->thread.n; t++)
        g->boundary[au_facts_entry(&g->facts, t)] = g->boundary[au_facts_exit(&g->facts, t)] = true;
}

/* --- switches ---------------------------------------------------------------------------------- */

/* In order. */
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
        bool added =
            g->o.kind != AU_TSG_CCFG && !au_switches_have(mat, all.at[i].from, all.at[i].to);
        au_vec_push(&g->ce,
                    ((au_tsg_switch){g->number[all.at[i].from], g->number[all.at[i].to], added}));
        g->added += added;
    }
    au_vec_release(&all);
}

/* --- nodes and transactions ------------------------------------------------------------------------ */

static bool is_point(const au_tsg *g, uint32_t n) {
    const au_facts *f = &g->facts;
    return g->boundary[n] || f->first_into[n + 1] - f->first_into[n] > 1 ||
           au_facts_node(f, n)->out.n != 1;
}

static void find_points(au_tsg *g) {
    const au_facts *f = &g->facts;
    g->number = au_alloc_array(f->nodes + 1, sizeof *g->number);
    g->inner = au_alloc_array(f->nodes + 1, sizeof *g->inner);
    for (uint32_t n = 0; n < f->nodes; n++) {
        g->number[n] = AU_NONE;
        bool there =
            f->first_into[n] != f->first_into[n + 1] || n == au_facts_entry(f, f->owner[n]);
        if (!there || !is_point(g, n))
            continue;
        g->number[n] = (uint32_t)g->node.n;
        g->inner[g->node.n] = !g->boundary[n];
        g->nodes += g->boundary[n];
        au_vec_push(&g->node, n);
    }
}

static void find_links(au_tsg *g) {
    const au_facts *f = &g->facts;
    g->first_link = au_alloc_array(g->node.n + 2, sizeof *g->first_link);
    for (uint32_t v = 0; v < g->node.n; v++) {
        const au_node *node = au_facts_node(f, g->node.at[v]);
        g->first_link[v] = (uint32_t)g->link.n;
        for (size_t i = 0; i < node->out.n; i++) {
            au_tsg_link t = {v, 0, (uint32_t)g->step.n, 0};
            uint32_t s = node->out.at[i];
            au_vec_push(&g->step, s);
            while (g->number[au_facts_dst(f, s)] == AU_NONE) {
                s = au_facts_node(f, au_facts_dst(f, s))->out.at[0];
                au_vec_push(&g->step, s);
            }
            t.to = g->number[au_facts_dst(f, s)];
            t.n = (uint32_t)g->step.n - t.first;
            au_vec_push(&g->link, t);
        }
    }
    g->first_link[g->node.n] = (uint32_t)g->link.n;
}

typedef struct {
    uint32_t *stamp; /* by point */
    AU_VEC(uint32_t) stack, order;
} walker;

/* Points in the order in which they can be left, last first. */
static void visit(const au_tsg *g, walker *w, uint32_t v, uint32_t mark) {
    au_vec_push(&w->stack, v);
    w->stamp[v] = mark;
    while (w->stack.n) {
        uint32_t at = au_vec_last(&w->stack), next = AU_NONE;
        for (uint32_t i = g->first_link[at]; i < g->first_link[at + 1] && next == AU_NONE; i++)
            if (g->inner[g->link.at[i].to] && w->stamp[g->link.at[i].to] != mark)
                next = g->link.at[i].to;
        if (next == AU_NONE) {
            au_vec_push(&w->order, at);
            w->stack.n--;
        } else {
            w->stamp[next] = mark;
            au_vec_push(&w->stack, next);
        }
    }
}

static int by_ends(const void *a, const void *b) {
    const au_tsg_transaction *x = a, *y = b;
    return x->to < y->to ? -1 : x->to > y->to;
}

static void find_transactions(au_tsg *g) {
    walker w = {.stamp = au_alloc_array(g->node.n + 1, sizeof *w.stamp)};
    g->first_region = au_alloc_array(g->node.n + 2, sizeof *g->first_region);
    g->first_te = au_alloc_array(g->node.n + 2, sizeof *g->first_te);
    for (uint32_t v = 0; v < g->node.n; v++) {
        g->first_region[v] = (uint32_t)g->region.n;
        size_t first = g->te.n;
        g->first_te[v] = (uint32_t)first;
        if (g->inner[v])
            continue;
        au_vec_clear(&w.order);
        visit(g, &w, v, v + 1);
        for (size_t i = w.order.n; i-- > 0;)
            for (uint32_t k = g->first_link[w.order.at[i]]; k < g->first_link[w.order.at[i] + 1];
                 k++) {
                au_vec_push(&g->region, k);
                if (!g->inner[g->link.at[k].to])
                    au_vec_push(&g->te, ((au_tsg_transaction){v, g->link.at[k].to}));
            }
        if (g->te.n > first)
            qsort(g->te.at + first, g->te.n - first, sizeof *g->te.at, by_ends);
        size_t n = first;
        for (size_t i = first; i < g->te.n; i++)
            if (n == first || g->te.at[n - 1].to != g->te.at[i].to)
                g->te.at[n++] = g->te.at[i];
        g->te.n = n;
    }
    g->first_region[g->node.n] = (uint32_t)g->region.n;
    g->first_te[g->node.n] = (uint32_t)g->te.n;
    au_vec_release(&w.stack);
    au_vec_release(&w.order);
    free(w.stamp);
}

static bool too_many(const au_tsg *g) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->facts.nodes; i++)
        n += g->boundary[i];
    return g->o.most_nodes && n > g->o.most_nodes;
}

au_tsg *au_tsg_new(const au_model *m, const au_tsg_options *o) {
    au_tsg *g = AU_NEW(au_tsg);
    g->m = m;
    g->o = *o;
    au_facts_make(&g->facts, m);
    g->boundary = au_alloc_array(g->facts.nodes + 1, sizeof *g->boundary);
    au_switch_vec mat = {0}, more = {0};
    ends(g);
    bool ccfg = o->kind == AU_TSG_CCFG, plain = !ccfg && au_complete_plain(&g->facts);
    bool enough = o->bare || plain;
    if (ccfg) {
        of_accesses(g);
    } else {
        au_mat_options mo = {o->kind == AU_TSG_MAT_PRIME, o->first_wins, enough};
        if (enough || !o->lean)
            au_mat_generate(&g->facts, &mo, &g->mats);
        au_mat_switches(&g->mats, &mat);
        if (enough || !o->lean)
            of_mats(g);
    }
    if (!enough)
        au_complete_boundaries(&g->facts, g->boundary);
    else
        au_complete_cycles(&g->facts, g->boundary);
    if (too_many(g)) {
        au_vec_release(&mat);
        au_tsg_free(g);
        return NULL;
    }
    if (ccfg)
        every_switch(g, &more);
    else if (!enough)
        au_complete_switches(&g->facts, g->boundary, o->first_wins, &more);
    g->mat_switches = mat.n;
    find_points(g);
    find_links(g);
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
    au_vec_release(&g->link);
    au_vec_release(&g->region);
    free(g->inner);
    free(g->first_link);
    free(g->first_region);
    free(g->first_te);
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
