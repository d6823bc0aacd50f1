/* scan/refine.c: see refine.h. */
#include "scan/refine.h"

#include "base/clock.h"
#include "base/deadline.h"
#include "base/limits.h"
#include "base/worker.h"
#include "scan/show.h"

#include <stdlib.h>

enum { ROUNDS = 4, SECONDS = 20, NARROWINGS = 2 };
enum { RANGE_STEPS = 5000, RANGE_NODES = 1500, RANGE_WORK = 300000000 };

/* --- what conflicts ------------------------------------------------------------------------------- */

static bool writes(const au_facts *f, uint32_t step, uint32_t cell) {
    for (uint32_t i = f->first_touch[step]; i < f->first_touch[step + 1]; i++)
        if (f->touch[i].cell == cell)
            return f->touch[i].write;
    return false;
}

static void find_conflicts(au_refiner *k) {
    const au_facts *f = &k->facts;
    const au_model *m = k->m;
    for (uint32_t v = 0; v < m->var.n; v++)
        for (size_t i = 0; i < f->cell_steps[v].n; i++) {
            uint32_t s = f->cell_steps[v].at[i];
            bool write = writes(f, s, v);
            for (size_t j = i + 1; j < f->cell_steps[v].n; j++) {
                uint32_t t = f->cell_steps[v].at[j];
                if (m->step.at[s].thread == m->step.at[t].thread || (!write && !writes(f, t, v)))
                    continue;
                uint32_t a = au_facts_src(f, s), b = au_facts_src(f, t);
                if (au_facts_meet(f, a, b))
                    au_map_put(&k->conflict, au_scan_pair(a, b), NULL);
            }
        }
}

void au_refiner_init(au_refiner *k, au_model *m, const au_scan_options *o, au_scan_result *r) {
    *k = (au_refiner){.m = m, .o = o, .r = r};
    au_facts_make(&k->facts, m);
    au_scan_known_init(&k->known, &k->facts);
    k->holds = au_alloc_array(m->step.n + 1, sizeof *k->holds);
    k->waits = au_alloc_array(m->step.n + 1, sizeof *k->waits);
    for (uint32_t s = 0; s < m->step.n; s++)
        k->waits[s] = k->facts.waits[s];
    k->tracked = au_alloc_array(m->var.n + 1, sizeof *k->tracked);
    au_scan_relevant(m, k->tracked);
    au_map_init(&k->conflict);
}

void au_refiner_release(au_refiner *k) {
    au_rpt_free(k->rpt);
    au_tsg_free(k->tsg);
    au_scan_known_release(&k->known);
    au_facts_release(&k->facts);
    au_map_release(&k->conflict);
    free(k->holds);
    free(k->waits);
    free(k->tracked);
}

bool au_refine_out(const au_refiner *k, const au_warning *w, const au_scan_place *p) {
    if (w->kind == AU_KIND_DEADLOCK) {
        for (uint32_t s = 0; s < k->m->step.n; s++)
            if (k->waits[s])
                return false;
        return true;
    }
    uint32_t a = au_facts_src(&k->facts, p->step[0]);
    if (w->kind == AU_KIND_ASSERTION)
        return k->holds[p->step[0]] || k->known.never[a];
    return au_scan_known_apart(&k->known, a, au_facts_src(&k->facts, p->step[1]));
}

/* --- one analysis, in a process of its own ------------------------------------------------------------ */

typedef AU_VEC(uint32_t) numbers;

typedef struct {
    au_refiner *k;
    const au_cuts *cuts;
    au_reach_options how;
    AU_VEC(numbers) focus; /* by job; empty: all threads */
    bool changed;
    unsigned failed; /* graphs without a result */
    au_scan_stage_result *told;
    au_scan_stage stage;
} analysis;

static void put(au_out *out, const void *p, size_t n) {
    au_out_write(out, p, n);
}

/* Its drawing into 'lines', if that is not NULL. */
static void analyse(const analysis *a, uint32_t job, au_reach *r, au_out *lines) {
    au_reach_options how = a->how;
    au_scan_shower x = {.f = a->cuts->f, .n_threads = (uint32_t)a->k->m->thread.n, .out = lines};
    if (a->focus.at[job].n) {
        x.thread = how.focus = a->focus.at[job].at;
        x.n_threads = how.n_focus = (uint32_t)a->focus.at[job].n;
    }
    if (lines) {
        how.node = au_scan_show_node;
        how.edge = au_scan_show_edge;
        how.drawing = &x;
    }
    au_reach_make(r, a->cuts, &a->k->known, &how);
    if (lines)
        au_scan_show_end(&x);
}

static void keep_graph(analysis *a, const char *text, size_t n) {
    au_scan_graph g = {a->stage, au_arena_strndup(&a->k->r->arena, text, n)};
    if (n)
        au_vec_push(&a->k->r->graph, g);
}

static void forget_graphs(analysis *a) {
    size_t keep = 0;
    for (size_t i = 0; i < a->k->r->graph.n; i++)
        if (a->k->r->graph.at[i].stage != a->stage)
            a->k->r->graph.at[keep++] = a->k->r->graph.at[i];
    a->k->r->graph.n = keep;
}

enum { HEAD = 6 };

/* known, counts, flags by node and step, pairs, drawing */
static void work(void *ctx, uint32_t job, au_out *out) {
    const analysis *a = ctx;
    const au_facts *f = a->cuts->f;
    au_reach r;
    size_t n = 0;
    au_out *lines = a->k->o->show ? au_out_memory() : NULL;
    analyse(a, job, &r, lines);
    const char *text = lines ? au_out_memory_data(lines, &n) : "";
    uint64_t head[HEAD] = {r.known, r.nodes, r.edges, r.alone, r.pair.n, n};
    put(out, head, sizeof head);
    put(out, r.at, f->nodes);
    put(out, r.executed, f->m->step.n);
    put(out, r.fails, f->m->step.n);
    put(out, r.stuck, f->m->step.n);
    for (size_t i = 0; i < r.pair.cap; i++)
        if (r.pair.used[i])
            put(out, &r.pair.slot[2 * i], sizeof(uint64_t));
    put(out, text, n);
    if (lines)
        au_out_abandon(lines);
    au_reach_release(&r);
}

static bool in_focus(const analysis *a, uint32_t job, uint32_t thread) {
    const numbers *n = &a->focus.at[job];
    for (size_t i = 0; i < n->n; i++)
        if (n->at[i] == thread)
            return true;
    return !n->n;
}

/* Everything that this graph does not show is known not to be. */
static void learn(analysis *a, uint32_t job, const au_reach *r) {
    au_refiner *k = a->k;
    const au_facts *f = &k->facts;
    if (!r->known) {
        a->failed++;
        return;
    }
    a->told->nodes += r->nodes;
    a->told->edges += r->edges;
    a->told->alone += r->alone;
    for (uint32_t n = 0; n < f->nodes; n++)
        if (!r->at[n] && !k->known.never[n] && in_focus(a, job, f->owner[n])) {
            k->known.never[n] = true;
            a->changed = true;
        }
    for (uint32_t s = 0; s < k->m->step.n; s++)
        if (in_focus(a, job, k->m->step.at[s].thread)) {
            if (k->m->step.at[s].kind == AU_STEP_ASSERT && !r->fails[s])
                k->holds[s] = true;
            k->waits[s] &= r->stuck[s];
        }
    for (size_t i = 0; i < k->conflict.cap; i++) {
        if (!k->conflict.used[i])
            continue;
        uint64_t key = k->conflict.slot[2 * i];
        uint32_t x = (uint32_t)(key >> 32), y = (uint32_t)key;
        if (!a->cuts->boundary[x] || !a->cuts->boundary[y] || !in_focus(a, job, f->owner[x]) ||
            !in_focus(a, job, f->owner[y]) || au_map_find(&r->pair, key))
            continue;
        bool fresh;
        *au_map_put(&k->known.apart, key, &fresh) = 1;
        a->changed |= fresh;
    }
}

static bool done(void *ctx, const au_job_result *j) {
    analysis *a = ctx;
    const au_facts *f = a->cuts->f;
    size_t nodes = f->nodes, steps = f->m->step.n;
    uint64_t head[HEAD];
    au_reach r = {0};
    if (j->end != AU_JOB_DONE || j->size < sizeof head) {
        a->failed++;
        return true;
    }
    memcpy(head, j->data, sizeof head);
    AU_BUG_IF(j->size != sizeof head + nodes + 3 * steps + head[4] * sizeof(uint64_t) + head[5]);
    const char *at = j->data + sizeof head;
    r.known = head[0];
    r.nodes = head[1];
    r.edges = head[2];
    r.alone = head[3];
    r.at = (bool *)at;
    r.executed = (bool *)(at + nodes);
    r.fails = (bool *)(at + nodes + steps);
    r.stuck = (bool *)(at + nodes + 2 * steps);
    at += nodes + 3 * steps;
    au_map_init(&r.pair);
    for (uint64_t i = 0; i < head[4]; i++) {
        uint64_t key;
        memcpy(&key, at + i * sizeof key, sizeof key);
        *au_map_put(&r.pair, key, NULL) = 1;
    }
    learn(a, j->index, &r);
    keep_graph(a, at + head[4] * sizeof(uint64_t), head[5]);
    au_map_release(&r.pair);
    return true;
}

/* --- which threads are looked at together ---------------------------------------------------------------- */

static void add_focus(analysis *a, uint32_t x, uint32_t y) {
    for (size_t i = 0; i < a->focus.n; i++)
        if (a->focus.at[i].n == 2 && a->focus.at[i].at[0] == x && a->focus.at[i].at[1] == y)
            return;
    numbers n = {0};
    au_vec_push(&n, x);
    au_vec_push(&n, y);
    au_vec_push(&a->focus, n);
}

static bool open_place(const au_warning *w, size_t i) {
    return w->out.at[i] == AU_SCAN_STAGES && w->end == AU_SCAN_UNDECIDED;
}

/* Pairs of threads with something left to look at. */
static void choose_pairs(analysis *a) {
    const au_model *m = a->k->m;
    for (size_t i = 0; i < a->k->r->warning.n; i++) {
        const au_warning *w = &a->k->r->warning.at[i];
        for (size_t p = 0; p < w->place.n && w->kind == AU_KIND_RACE; p++) {
            uint32_t x = m->step.at[w->place.at[p].step[0]].thread,
                     y = m->step.at[w->place.at[p].step[1]].thread;
            if (open_place(w, p))
                add_focus(a, x < y ? x : y, x < y ? y : x);
        }
    }
    for (size_t i = 0; i < a->k->r->warning.n;
         i++) { /* a thread of an assertion needs any partner */
        const au_warning *w = &a->k->r->warning.at[i];
        for (size_t p = 0; p < w->place.n && w->kind == AU_KIND_ASSERTION; p++) {
            uint32_t x = m->step.at[w->place.at[p].step[0]].thread;
            bool there = !open_place(w, p);
            for (size_t j = 0; j < a->focus.n && !there; j++)
                there = a->focus.at[j].at[0] == x || a->focus.at[j].at[1] == x;
            if (!there && m->thread.n > 1)
                add_focus(a, x ? x - 1 : 0, x ? x : 1);
        }
    }
}

static void release_focus(analysis *a) {
    for (size_t i = 0; i < a->focus.n; i++)
        au_vec_release(&a->focus.at[i]);
    au_vec_clear(&a->focus);
}

static au_status run_jobs(analysis *a, au_error *err) {
    const au_scan_options *o = a->k->o;
    a->failed = 0;
    forget_graphs(a);
    a->told->nodes = a->told->edges = a->told->alone = 0;
    a->told->graphs = (unsigned)a->focus.n;
    if (o->in_process) {
        for (uint32_t i = 0; i < a->focus.n && !au_deadline_over(); i++) {
            au_reach r;
            analyse(a, i, &r, NULL);
            learn(a, i, &r);
            au_reach_release(&r);
        }
        return AU_OK;
    }
    au_pool_limits limits = {.jobs = o->jobs,
                             .seconds = o->invariant_seconds > 0 ? o->invariant_seconds : SECONDS,
                             .memory_bytes = o->memory_bytes};
    if (a->k->ways < 2 && a->k->m->thread.n > 2)
        limits.seconds /= 2; /* there are other ways */
    if (a->k->until > 0) {
        unsigned jobs = o->jobs ? o->jobs : au_cores();
        double left =
            (a->k->until - au_now()) * (a->focus.n > jobs ? jobs / (double)a->focus.n : 1);
        if (left < limits.seconds)
            limits.seconds = left > 0.1 ? left : 0.1;
    }
    return au_pool_run((uint32_t)a->focus.n, &limits, work, done, a, err);
}

static bool known_meet(const void *ctx, uint32_t a, uint32_t b) {
    return !au_scan_known_apart(ctx, a, b);
}

/* What threads assign, for the environment; nothing if that would take long. */
static void find_ranges(au_refiner *k) {
    if (k->tsg || au_model_looks_at_locks(k->m) || k->m->step.n > RANGE_STEPS)
        return;
    k->tsg = au_tsg_new(
        k->m, &(au_tsg_options){.kind = AU_TSG_MAT_PRIME, .lean = true, .most_nodes = RANGE_NODES});
    if (k->tsg)
        k->rpt = au_rpt_new(k->tsg, &(au_rpt_options){.most_work = RANGE_WORK});
}

/* From the most precise way to the coarsest: all threads or two at a time, with modes or without. What
 * was too large once is not tried again. */
static au_status one_round(analysis *a, au_error *err) {
    au_refiner *k = a->k;
    au_status st = AU_OK;
    bool many = k->m->thread.n > 2;
    if (k->o->pairs && many && k->ways < 2)
        k->ways = 2;
    do {
        bool pairs = k->ways >= 2;
        a->how.modes = k->ways % 2 == 0;
        if (pairs) {
            k->r->pairwise = true;
            if (!k->rpt)
                find_ranges(k);
            a->how.ranges = k->rpt;
            choose_pairs(a);
        } else {
            numbers all = {0};
            au_vec_push(&a->focus, all);
        }
        if (a->focus.n)
            st = run_jobs(a, err);
        release_focus(a);
    } while (st == AU_OK && a->failed && k->ways < (many ? 3 : 1) && ++k->ways);
    return st;
}

static void judge(au_refiner *k, au_scan_stage stage) {
    for (size_t i = 0; i < k->r->warning.n; i++) {
        au_warning *w = &k->r->warning.at[i];
        for (size_t p = 0; p < w->place.n; p++)
            if (open_place(w, p) && au_refine_out(k, w, &w->place.at[p]))
                w->out.at[p] = (uint8_t)stage;
    }
}

au_status au_refine_stage(au_refiner *k, au_scan_stage stage, au_error *err) {
    unsigned rounds = k->o->rounds ? k->o->rounds : ROUNDS;
    au_scan_stage_result *told = &k->r->stage[stage];
    analysis a = {.k = k, .told = told, .stage = stage};
    a.how =
        (au_reach_options){.domain = stage == AU_SCAN_POLYHEDRON ? AU_DOMAIN_POLYHEDRON
                                     : stage == AU_SCAN_OCTAGON  ? AU_DOMAIN_OCTAGON
                                                                 : AU_DOMAIN_BOX,
                           .sync_only = stage == AU_SCAN_GRAPH,
                           .reduce = !k->o->no_reduce,
                           .no_spurious = k->o->no_spurious,
                           .most_nodes = k->o->most_nodes ? k->o->most_nodes : AU_LIMIT_SCAN_NODES,
                           .tracked = k->tracked,
                           .narrowings = NARROWINGS};
    au_status st = AU_OK;
    if (k->m->step.n > AU_LIMIT_SCAN_STEPS) {
        told->failed = told->graphs = 1;
        au_limit_reached(AU_AT_SCAN_STEPS, 1);
        return AU_OK;
    }
    if (!k->has_conflicts)
        find_conflicts(k);
    k->has_conflicts = true;
    do {
        au_cuts cuts;
        bool *dead = au_alloc_array(k->m->step.n + 1, sizeof *dead);
        for (uint32_t s = 0; s < k->m->step.n; s++)
            dead[s] = k->known.never[au_facts_src(&k->facts, s)];
        au_cuts_make(&cuts, &k->facts, dead, known_meet, &k->known);
        a.cuts = &cuts;
        a.changed = false;
        told->boundaries = cuts.at.n;
        /* Every boundary that is reached has a node of its own at least. */
        if (cuts.at.n <= 4 * a.how.most_nodes)
            st = one_round(&a, err);
        else
            a.failed = told->graphs = 1;
        told->failed = a.failed;
        told->rounds++;
        au_cuts_release(&cuts);
        free(dead);
        judge(k, stage);
    } while (st == AU_OK && a.changed && told->rounds < rounds &&
             (k->until <= 0 || au_now() < k->until) && !au_deadline_over());
    au_vec_release(&a.focus);
    return st;
}
