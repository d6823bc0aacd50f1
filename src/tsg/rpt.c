/* tsg/rpt.c: ranges through steps, and what is kept of them. */
#include "tsg/rpt_priv.h"

#define LARGE 1e8

bool au_spread_join_(au_interval *into, const au_interval *from, uint32_t n) {
    int64_t grew = 0;
    for (uint32_t i = 0; i < n; i++) {
        grew |= (from[i].low < into[i].low) | (from[i].high > into[i].high);
        into[i].low = from[i].low < into[i].low ? from[i].low : into[i].low;
        into[i].high = from[i].high > into[i].high ? from[i].high : into[i].high;
    }
    return grew;
}

void au_frame_join_(au_rpt_frame *into, const au_interval *from, uint32_t n) {
    if (!into->there)
        memcpy(into->at, from, n * sizeof *from);
    else
        au_spread_join_(into->at, from, n);
    into->there = true;
}

uint32_t au_spread_size_(const au_spreader *s, uint32_t node) {
    return s->r->size[au_spread_thread_(s, node)];
}

uint32_t au_spread_control_(const au_spreader *s, uint32_t thread) {
    return s->r->cells - (uint32_t)s->m->thread.n + thread;
}

uint32_t au_spread_thread_(const au_spreader *s, uint32_t node) {
    return s->g->facts.owner[s->g->node.at[node]];
}

void au_spread_load_(au_spreader *s, uint32_t thread, const au_interval *cells,
                     const au_interval *locals) {
    for (uint32_t i = 0; i < s->cell.n; i++)
        s->var[s->cell.at[i]] = cells[i];
    for (uint32_t i = 0; i < s->local[thread].n; i++)
        s->var[s->local[thread].at[i]] = locals[s->r->cells + i];
}

void au_spread_store_(const au_spreader *s, uint32_t thread, au_interval *into) {
    for (uint32_t i = 0; i < s->cell.n; i++)
        into[i] = s->var[s->cell.at[i]];
    for (uint32_t i = 0; i < s->local[thread].n; i++)
        into[s->r->cells + i] = s->var[s->local[thread].at[i]];
}

bool au_spread_may_be_(const au_spreader *s, const au_interval *cells, uint32_t node) {
    uint32_t t = au_spread_thread_(s, node), started = s->m->thread.at[t].started;
    if (started != AU_NONE && cells[s->r->slot[started]].high < 1)
        return false;
    const au_interval *at = &cells[au_spread_control_(s, t)];
    return s->r->o.no_control || (at->low <= (int64_t)node && (int64_t)node <= at->high);
}

bool au_spread_record_(au_spreader *s, uint32_t node, const au_interval *cells,
                       const au_interval *locals) {
    au_rpt *r = s->r;
    uint32_t t = au_spread_thread_(s, node);
    if (!r->at[node]) {
        r->at[node] = au_alloc_array(r->size[t] + 1, sizeof **r->at);
        for (uint32_t i = 0; i < r->size[t]; i++)
            r->at[node][i] = AU_NO_RANGE;
    }
    r->reached[s->g->node.at[node]] = true;
    au_spread_join_(r->at[node], cells, r->cells);
    return au_spread_join_(r->at[node] + r->cells, locals + r->cells, r->size[t] - r->cells);
}

bool au_spread_mix_(const au_spreader *s, uint32_t v, const au_interval *cells,
                    const au_interval *known, au_interval *into) {
    memcpy(into, cells, s->r->cells * sizeof *into);
    for (uint32_t i = s->first_kept[v]; i < s->first_kept[v + 1]; i++) {
        au_interval *c = &into[s->kept[i]];
        const au_interval *k = &known[s->kept[i]];
        c->low = k->low > c->low ? k->low : c->low;
        c->high = k->high < c->high ? k->high : c->high;
        if (c->low > c->high)
            return false;
    }
    return true;
}

/* --- steps --------------------------------------------------------------------------------- */

static void note(au_interval *into, au_interval v) {
    *into = au_interval_join(*into, v);
}

static void note_reads(au_spreader *s, const au_step *p) {
    for (uint32_t i = 0; i < p->n_accesses; i++)
        if (!p->access[i].write)
            note(&s->r->seen[s->r->first_seen[p->id] + i], s->var[p->access[i].var]);
}

static void assign(au_spreader *s, const au_step *p) {
    au_interval few[8], *value = few;
    if (p->n_updates > 8)
        value = au_alloc_array(p->n_updates, sizeof *value);
    au_intervals_over(s->e, s->var);
    for (uint32_t i = 0; i < p->n_updates; i++)
        value[i] = au_intervals_of(s->e, p->update[i].value);
    for (uint32_t i = 0; i < p->n_updates; i++) {
        if (p->update[i].var == p->havoc)
            value[i] = au_interval_full(s->width[p->havoc]);
        s->var[p->update[i].var] = value[i];
        if (!s->quiet)
            note(&s->r->assigned[s->r->first[p->id] + i], value[i]);
    }
    if (p->havoc != AU_NONE)
        s->var[p->havoc] = au_interval_full(s->width[p->havoc]);
    if (value != few)
        free(value);
}

static bool run_step(au_spreader *s, const au_step *p) {
    const au_terms *t = s->m->terms;
    if (!s->quiet) { /* the guard has been looked at by then, whether it holds or not */
        s->r->reached[au_facts_src(&s->g->facts, p->id)] = true;
        note_reads(s, p);
    }
    if (!au_term_is_true(t, p->guard) &&
        !au_intervals_assume(s->e, p->guard, true, s->var, s->width))
        return false;
    if (!s->quiet)
        s->r->executed[p->id] = true;
    if (!au_term_is_true(t, p->cond)) {
        au_intervals_over(s->e, s->var);
        if (!s->quiet && au_intervals_truth(s->e, p->cond) != AU_TRUTH_TRUE)
            s->r->fails[p->id] = true;
        if (!s->r->o.asserts_pass && !au_intervals_assume(s->e, p->cond, true, s->var, s->width))
            return false;
    }
    if (p->n_updates || p->havoc != AU_NONE)
        assign(s, p);
    return true;
}

static bool run_link(au_spreader *s, const au_tsg_link *l) {
    for (uint32_t i = 0; i < l->n; i++)
        if (!run_step(s, &s->m->step.at[s->g->step.at[l->first + i]]))
            return false;
    return true;
}

static void deliver(au_spreader *s, uint32_t v, uint32_t to) {
    uint32_t thread = au_spread_thread_(s, v), n = s->r->size[thread];
    au_rpt_frame *into = &s->now[to];
    if (!s->g->inner[to]) {
        uint32_t i = s->g->first_te[v];
        while (s->g->te.at[i].to != to)
            i++;
        into = &s->out[i];
        s->var[s->vars + thread] = (au_interval){to, to};
    }
    if (into->there) {
        au_spread_store_(s, thread, s->scratch);
        au_spread_join_(into->at, s->scratch, n);
    } else {
        au_spread_store_(s, thread, into->at);
        into->there = true;
    }
}

void au_spread_from_(au_spreader *s, uint32_t v, const au_interval *cells,
                     const au_interval *locals) {
    const au_tsg *g = s->g;
    uint32_t thread = au_spread_thread_(s, v), started = s->m->thread.at[thread].started;
    for (uint32_t i = g->first_te[v]; i < g->first_te[v + 1]; i++)
        s->out[i].there = false;
    for (uint32_t i = g->first_region[v]; i < g->first_region[v + 1]; i++)
        if (g->inner[g->link.at[g->region.at[i]].to])
            s->now[g->link.at[g->region.at[i]].to].there = false;
    if (started != AU_NONE && cells[s->r->slot[started]].high < 1)
        return;
    for (uint32_t i = g->first_region[v]; i < g->first_region[v + 1]; i++) {
        const au_tsg_link *l = &g->link.at[g->region.at[i]];
        if (l->from != v && !s->now[l->from].there)
            continue;
        const au_interval *at = l->from == v ? cells : s->now[l->from].at;
        au_spread_load_(s, thread, at, l->from == v ? locals : at);
        if (started != AU_NONE && s->var[started].low < 1)
            s->var[started].low = 1;
        if (run_link(s, l))
            deliver(s, v, l->to);
    }
}

/* --- beginning and end ----------------------------------------------------------------------- */

static void layout(au_spreader *s) {
    au_rpt *r = s->r;
    const au_model *m = s->m;
    s->vars = (uint32_t)m->var.n;
    s->var = au_alloc_array(m->var.n + m->thread.n + 1, sizeof *s->var);
    s->width = au_alloc_array(m->var.n + m->thread.n + 1, sizeof *s->width);
    s->local = au_alloc_array(m->thread.n + 1, sizeof *s->local);
    r->slot = au_alloc_array(m->var.n + 1, sizeof *r->slot);
    r->size = au_alloc_array(m->thread.n + 1, sizeof *r->size);
    for (uint32_t v = 0; v < m->var.n; v++) {
        s->width[v] = m->var.at[v].width;
        s->var[v] = au_interval_value(m->var.at[v].init, m->var.at[v].width);
        if (m->var.at[v].kind != AU_VAR_LOCAL) {
            r->slot[v] = (uint32_t)s->cell.n;
            au_vec_push(&s->cell, v);
        }
    }
    for (uint32_t t = 0; t < m->thread.n; t++)
        au_vec_push(&s->cell, s->vars + t);
    r->cells = (uint32_t)s->cell.n;
    for (uint32_t v = 0; v < m->var.n; v++)
        if (m->var.at[v].kind == AU_VAR_LOCAL) {
            uint32_t t = m->var.at[v].thread;
            r->slot[v] = r->cells + (uint32_t)s->local[t].n;
            au_vec_push(&s->local[t], v);
        }
    for (uint32_t t = 0; t < m->thread.n; t++) {
        uint32_t entry = s->g->number[au_facts_entry(&s->g->facts, t)];
        s->var[s->vars + t] = (au_interval){entry, entry};
        r->size[t] = r->cells + (uint32_t)s->local[t].n;
    }
}

static void edges(au_spreader *s) {
    const au_tsg *g = s->g;
    s->first_ce = au_alloc_array(g->node.n + 2, sizeof *s->first_ce);
    s->first_from = au_alloc_array(g->node.n + 2, sizeof *s->first_from);
    s->from = au_alloc_array(g->ce.n + 1, sizeof *s->from);
    for (size_t i = 0; i < g->ce.n; i++) {
        s->first_ce[g->ce.at[i].from + 1]++;
        s->first_from[g->ce.at[i].to + 2]++;
    }
    for (size_t v = 1; v < g->node.n + 2; v++) {
        s->first_ce[v] += s->first_ce[v - 1];
        s->first_from[v] += s->first_from[v - 1];
    }
    for (uint32_t i = 0; i < g->ce.n; i++)
        s->from[s->first_from[g->ce.at[i].to + 1]++] = i;
}

static void frames(au_spreader *s) {
    const au_tsg *g = s->g;
    uint32_t most = 0;
    s->now = au_alloc_array(g->node.n + 1, sizeof *s->now);
    s->next = au_alloc_array(g->node.n + 1, sizeof *s->next);
    s->brought = au_alloc_array(g->node.n + 1, sizeof *s->brought);
    s->entry = au_alloc_array(g->node.n + 1, sizeof *s->entry);
    s->out = au_alloc_array(g->te.n + 1, sizeof *s->out);
    for (uint32_t v = 0; v < g->node.n; v++) {
        uint32_t size = au_spread_size_(s, v) + 1;
        most = size > most ? size : most;
        s->now[v].at = au_alloc_array(size, sizeof(au_interval));
        if (g->inner[v])
            continue;
        s->next[v].at = au_alloc_array(size, sizeof(au_interval));
        if (s->first_from[v] != s->first_from[v + 1])
            s->brought[v].at = au_alloc_array(size, sizeof(au_interval));
    }
    for (uint32_t i = 0; i < g->te.n; i++)
        s->out[i].at =
            au_alloc_array(au_spread_size_(s, g->te.at[i].from) + 1, sizeof(au_interval));
    s->scratch = au_alloc_array(most + 1, sizeof *s->scratch);
}

/* No step of another thread writes the cell while this thread stands there; before it runs,
 * none but those that come after its end. */
static bool is_kept(const au_spreader *s, uint32_t state, uint32_t cell) {
    const au_facts *f = &s->g->facts;
    uint32_t t = f->owner[state];
    bool entry = state == au_facts_entry(f, t);
    for (size_t i = 0; i < f->cell_steps[cell].n; i++) {
        uint32_t step = f->cell_steps[cell].at[i], at = au_facts_src(f, step);
        bool write = false;
        if (f->owner[at] == t)
            continue;
        for (uint32_t k = f->first_touch[step]; k < f->first_touch[step + 1]; k++)
            write |= f->touch[k].cell == cell && f->touch[k].write;
        if (write && (entry ? !au_facts_done(f, at, t) : au_facts_meet(f, at, state)))
            return false;
    }
    return true;
}

static void find_kept(au_spreader *s) {
    const au_tsg *g = s->g;
    AU_VEC(uint32_t) kept = {0};
    s->first_kept = au_alloc_array(g->node.n + 2, sizeof *s->first_kept);
    for (uint32_t v = 0; v < g->node.n; v++) {
        s->first_kept[v] = (uint32_t)kept.n;
        for (uint32_t c = 0; c + s->m->thread.n < s->cell.n && !g->inner[v]; c++)
            if (is_kept(s, g->node.at[v], s->cell.at[c]))
                au_vec_push(&kept, c);
    }
    s->first_kept[g->node.n] = (uint32_t)kept.n;
    s->kept = kept.at;
}

/* Threads that run from the start: somebody has to begin. The others have their locals. */
static void begin(au_spreader *s) {
    const au_model *m = s->m;
    for (uint32_t t = 0; t < m->thread.n; t++) {
        uint32_t v = s->g->number[au_facts_entry(&s->g->facts, t)];
        s->entry[v] = au_alloc_array(s->r->size[t] + 1, sizeof **s->entry);
        au_spread_store_(s, t, s->entry[v]);
        uint32_t started = m->thread.at[t].started;
        if (started != AU_NONE && !m->var.at[started].init)
            continue; /* in a part of a run it may have been started before */
        au_frame_join_(&s->now[v], s->entry[v], s->r->size[t]);
        au_spread_record_(s, v, s->entry[v], s->entry[v]);
    }
}

static void results(au_rpt *r) {
    const au_model *m = r->g->m;
    r->at = au_alloc_array(r->g->node.n + 1, sizeof *r->at);
    r->reached = au_alloc_array(r->g->facts.nodes + 1, sizeof *r->reached);
    r->executed = au_alloc_array(m->step.n + 1, sizeof *r->executed);
    r->fails = au_alloc_array(m->step.n + 1, sizeof *r->fails);
    r->first = au_alloc_array(m->step.n + 1, sizeof *r->first);
    r->first_seen = au_alloc_array(m->step.n + 1, sizeof *r->first_seen);
    for (uint32_t i = 0; i < m->step.n; i++) {
        r->first[i + 1] = r->first[i] + m->step.at[i].n_updates;
        r->first_seen[i + 1] = r->first_seen[i] + m->step.at[i].n_accesses;
    }
    uint32_t n = r->first[m->step.n], k = r->first_seen[m->step.n];
    r->assigned = au_alloc_array(n + 1, sizeof *r->assigned);
    r->seen = au_alloc_array(k + 1, sizeof *r->seen);
    for (uint32_t i = 0; i < n; i++)
        r->assigned[i] = AU_NO_RANGE;
    for (uint32_t i = 0; i < k; i++)
        r->seen[i] = AU_NO_RANGE;
}

static void spreader_release(au_spreader *s) {
    for (uint32_t v = 0; v < s->g->node.n; v++) {
        free(s->now[v].at);
        free(s->next[v].at);
        free(s->brought[v].at);
        free(s->entry[v]);
    }
    for (uint32_t i = 0; i < s->g->te.n; i++)
        free(s->out[i].at);
    for (uint32_t t = 0; t < s->m->thread.n; t++)
        au_vec_release(&s->local[t]);
    au_vec_release(&s->cell);
    free(s->local);
    free(s->now);
    free(s->next);
    free(s->brought);
    free(s->entry);
    free(s->out);
    free(s->scratch);
    free(s->first_ce);
    free(s->kept);
    free(s->first_kept);
    free(s->first_from);
    free(s->from);
    free(s->var);
    free(s->width);
    au_intervals_free(s->e);
}

/* So many joins of intervals that rounds would take seconds. */
static bool is_large(const au_rpt *r) {
    return (double)r->g->ce.n * (double)r->g->te.n * r->cells > LARGE;
}

au_rpt *au_rpt_new(const au_tsg *g, const au_rpt_options *o) {
    au_rpt *r = AU_NEW(au_rpt);
    au_spreader s = {.r = r, .g = g, .m = g->m, .e = au_intervals_new(g->m->terms)};
    r->g = g;
    r->o = *o;
    results(r);
    layout(&s);
    edges(&s);
    find_kept(&s);
    frames(&s);
    begin(&s);
    bool good = true;
    if (g->m->has_loops)
        au_spread_loops_(&s);
    else if (o->look_ahead)
        au_spread_paths_(&s);
    else if (o->worklist || is_large(r))
        good = au_spread_worklist_(&s);
    else
        au_spread_rounds_(&s);
    spreader_release(&s);
    if (!good) {
        au_rpt_free(r);
        return NULL;
    }
    return r;
}

void au_rpt_free(au_rpt *r) {
    if (!r)
        return;
    for (size_t v = 0; v < r->g->node.n; v++)
        free(r->at[v]);
    free(r->at);
    free(r->slot);
    free(r->size);
    free(r->reached);
    free(r->executed);
    free(r->fails);
    free(r->first);
    free(r->assigned);
    free(r->first_seen);
    free(r->seen);
    free(r);
}

/* --- the metric ------------------------------------------------------------------------------------ */

static uint64_t bits_at(const au_rpt *r, uint32_t state, uint32_t var, au_interval assigned) {
    uint32_t v = r->g->number[state];
    if (v != AU_NONE && r->at[v])
        assigned = r->at[v][r->slot[var]];
    return assigned.low > assigned.high ? 0 : au_interval_bits(assigned);
}

void au_rpt_metric(const au_rpt *r, au_metric *m) {
    const au_tsg *g = r->g;
    *m = (au_metric){0};
    for (uint32_t i = 0; i < g->m->step.n; i++) {
        const au_step *s = &g->m->step.at[i];
        for (uint32_t k = 0; k < s->n_updates; k++) {
            uint32_t var = s->update[k].var;
            uint64_t bits =
                bits_at(r, au_facts_dst(&g->facts, i), var, r->assigned[r->first[i] + k]);
            if (g->m->var.at[var].kind == AU_VAR_LOCAL)
                m->local += bits;
            else
                m->global += bits;
        }
        m->asserts += s->kind == AU_STEP_ASSERT;
        m->proved += s->kind == AU_STEP_ASSERT && !r->fails[i];
    }
    for (size_t i = 0; i < g->te.n; i++) {
        const au_interval *at = r->at[g->te.at[i].from];
        for (uint32_t v = 0; at && v < g->m->var.n; v++)
            if (g->m->var.at[v].kind != AU_VAR_LOCAL && at[r->slot[v]].low <= at[r->slot[v]].high)
                m->global += au_interval_bits(at[r->slot[v]]);
    }
    for (uint32_t n = 0; n < g->facts.nodes; n++) {
        bool there = g->facts.first_into[n] != g->facts.first_into[n + 1] ||
                     n == au_facts_entry(&g->facts, g->facts.owner[n]);
        m->unreached += there && !r->reached[n];
    }
}
