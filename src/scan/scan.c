/* scan/scan.c: the stages one after the other. */
#include "scan/scan.h"

#include "base/clock.h"
#include "base/deadline.h"
#include "base/worker.h"
#include "scan/bmc.h"
#include "scan/refine.h"

#define INVARIANTS 0.6 /* of the time for everything */

const char *au_scan_stage_name(au_scan_stage s) {
    static const char *const name[] = {"must-hb", "lockset",    "graph", "box",
                                       "octagon", "polyhedron", "solver"};
    return name[s];
}

enum { ROUNDS = 16, SECONDS = 10, QUICK_ROUNDS = 2, QUICK_SECONDS = 2 };

/* Of programs of more steps all processes together have so much memory. */
#define WORKER_BYTES (UINT64_C(5) << 29)
enum { LARGE_STEPS = 20000 };

static double seconds_of(const au_scan_options *o) {
    return o->solver_seconds > 0 ? o->solver_seconds : SECONDS;
}

/* What can be shown in a moment no invariant rules out: the costly ones are for the rest. */
static au_status quick_look(au_refiner *k, au_error *err) {
    double begun = au_now(), s = seconds_of(k->o);
    uint32_t most = k->o->unroll ? k->o->unroll : ROUNDS;
    double until = k->until;
    if (until > 0) /* the costly ones shall have some of it */
        k->until = begun + (until - begun) / 2;
    au_status st = au_bmc_ask(k, 1, most < QUICK_ROUNDS ? most : QUICK_ROUNDS,
                              s < QUICK_SECONDS ? s : QUICK_SECONDS, err);
    k->until = until;
    for (size_t i = 0; i < k->r->warning.n; i++) {
        au_warning *w = &k->r->warning.at[i];
        w->open = false;                      /* there will be more time */
        for (size_t p = 0; p < w->out.n; p++) /* what invariants rule out is theirs */
            if (w->out.at[p] == AU_SCAN_SOLVER)
                w->out.at[p] = AU_SCAN_STAGES;
    }
    k->r->stage[AU_SCAN_SOLVER].seconds += au_now() - begun;
    return st;
}

static au_status solve(au_refiner *k, bool looked, au_error *err) {
    return au_bmc_ask(k, looked ? QUICK_ROUNDS : 1, k->o->unroll ? k->o->unroll : ROUNDS,
                      seconds_of(k->o), err);
}

static bool undecided(const au_scan_result *r) {
    for (size_t i = 0; i < r->warning.n; i++)
        if (r->warning.at[i].end == AU_SCAN_UNDECIDED)
            return true;
    return false;
}

/* After a stage: which warnings are gone, how many are left. */
static void count(au_scan_result *r, au_scan_stage stage) {
    r->stage[stage].ran = true;
    r->stage[stage].left = 0;
    for (int k = 0; k < AU_KINDS; k++)
        r->left[k][stage] = 0;
    if (stage == AU_SCAN_MUST_HB)
        r->stage[stage].left = r->left[AU_KIND_RACE][stage] = r->hidden[AU_SCAN_LOCKSET];
    for (size_t i = 0; i < r->warning.n; i++) {
        au_warning *w = &r->warning.at[i];
        au_scan_stage last = AU_SCAN_MUST_HB;
        bool gone = true;
        for (size_t p = 0; p < w->place.n; p++) {
            gone &= w->out.at[p] != AU_SCAN_STAGES;
            if (w->out.at[p] > last)
                last = (au_scan_stage)w->out.at[p];
        }
        if (gone && !w->partial && w->end != AU_SCAN_WITNESSED) {
            w->end = AU_SCAN_GONE;
            w->gone = last;
            w->why = "";
        } else {
            if (gone && w->kind == AU_KIND_DEADLOCK && w->end != AU_SCAN_WITNESSED)
                w->why = "threads may wait for locks that are not in the model";
            r->stage[stage].left++;
            r->left[w->kind][stage]++;
        }
    }
}

static void cheap(au_refiner *k, au_scan_stage stage) {
    for (size_t i = 0; i < k->r->warning.n; i++) {
        au_warning *w = &k->r->warning.at[i];
        for (size_t p = 0; p < w->place.n; p++)
            if (w->out.at[p] == AU_SCAN_STAGES &&
                au_warn_cheap(&k->facts, k->o, w, &w->place.at[p]) <= stage)
                w->out.at[p] = (uint8_t)stage;
    }
}

/* All processes of a large program together stay within so much memory. */
static void limit_memory(au_scan_options *o, const au_model *m) {
    uint64_t most = WORKER_BYTES / (o->jobs ? o->jobs : au_cores());
    if (m->step.n > LARGE_STEPS && (!o->memory_bytes || o->memory_bytes > most))
        o->memory_bytes = most;
}

au_status au_scan_run(au_model *m, const au_scan_options *options, au_scan_result *r,
                      au_error *err) {
    au_scan_options mine = *options, *o = &mine;
    limit_memory(o, m);
    static const au_domain_kind domain[AU_SCAN_STAGES] = {
        [AU_SCAN_OCTAGON] = AU_DOMAIN_OCTAGON, [AU_SCAN_POLYHEDRON] = AU_DOMAIN_POLYHEDRON};
    au_status st = AU_OK;
    *r = (au_scan_result){0};
    au_arena_init(&r->arena);
    double begun = au_now();
    size_t left = 0;
    au_refiner k;
    au_refiner_init(&k, m, o, r);
    double budget = o->seconds;
    k.until = budget > 0 ? begun + budget * INVARIANTS : 0; /* the rest is the solver's */
    au_warn_find(&k.facts, o, r);
    bool looked = false;
    for (au_scan_stage s = AU_SCAN_MUST_HB; s <= o->last && s < AU_SCAN_STAGES && st == AU_OK;
         s++) {
        double start = s == AU_SCAN_MUST_HB ? begun : au_now();
        if (s >= AU_SCAN_GRAPH && !left)
            break;
        if (domain[s] > o->domain)
            continue;
        if (s <= AU_SCAN_LOCKSET)
            cheap(&k, s);
        else if (s == AU_SCAN_SOLVER)
            k.until = budget > 0 ? begun + budget : 0;
        if (s > AU_SCAN_LOCKSET && s < AU_SCAN_SOLVER && undecided(r) && !au_deadline_over())
            st = au_refine_stage(&k, s, err);
        else if (s == AU_SCAN_SOLVER)
            st = solve(&k, looked, err);
        count(r, s);
        if (s == AU_SCAN_LOCKSET)
            au_warn_sort(&k.facts, o, r);
        left = r->stage[s].left;
        r->stage[s].seconds += au_now() - start;
        if (s == AU_SCAN_BOX && o->last == AU_SCAN_SOLVER && o->domain > AU_DOMAIN_BOX && left &&
            st == AU_OK) {
            st = quick_look(&k, err);
            looked = true;
        }
    }
    au_refiner_release(&k);
    if (st != AU_OK)
        au_scan_result_release(r);
    return st;
}

void au_scan_result_release(au_scan_result *r) {
    for (size_t i = 0; i < r->warning.n; i++) {
        au_vec_release(&r->warning.at[i].place);
        au_vec_release(&r->warning.at[i].out);
        au_solution_release(&r->warning.at[i].solution);
    }
    au_vec_release(&r->warning);
    au_vec_release(&r->note);
    au_vec_release(&r->graph);
    au_arena_release(&r->arena);
    *r = (au_scan_result){0};
}
