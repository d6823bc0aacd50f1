/* scan/scan.c: the stages one after the other. */
#include "scan/scan.h"

#include "base/clock.h"
#include "scan/bmc.h"
#include "scan/refine.h"

const char *au_scan_stage_name(au_scan_stage s) {
    static const char *const name[] = {"must-hb", "lockset",    "graph", "box",
                                       "octagon", "polyhedron", "solver"};
    return name[s];
}

/* After a stage: which warnings are gone, how many are left. */
static void count(au_scan_result *r, au_scan_stage stage) {
    r->stage[stage].ran = true;
    r->stage[stage].left = 0;
    for (int k = 0; k < AU_KINDS; k++)
        r->left[k][stage] = 0;
    for (size_t i = 0; i < r->warning.n; i++) {
        au_warning *w = &r->warning.at[i];
        au_scan_stage last = AU_SCAN_MUST_HB;
        bool gone = true;
        for (size_t p = 0; p < w->place.n; p++) {
            gone &= w->out.at[p] != AU_SCAN_STAGES;
            if (w->out.at[p] > last)
                last = (au_scan_stage)w->out.at[p];
        }
        if (gone) {
            w->end = AU_SCAN_GONE;
            w->gone = last;
            w->why = "";
        } else {
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
                au_warn_cheap(&k->facts, w, &w->place.at[p]) <= stage)
                w->out.at[p] = (uint8_t)stage;
    }
}

au_status au_scan_run(au_model *m, const au_scan_options *o, au_scan_result *r, au_error *err) {
    static const au_domain_kind domain[AU_SCAN_STAGES] = {
        [AU_SCAN_OCTAGON] = AU_DOMAIN_OCTAGON, [AU_SCAN_POLYHEDRON] = AU_DOMAIN_POLYHEDRON};
    au_status st = AU_OK;
    *r = (au_scan_result){0};
    au_arena_init(&r->arena);
    double begun = au_now();
    size_t left = 0;
    au_refiner k;
    au_refiner_init(&k, m, o, r);
    k.until = o->seconds > 0 ? begun + o->seconds : 0;
    au_warn_find(&k.facts, o->props, r);
    for (au_scan_stage s = AU_SCAN_MUST_HB; s <= o->last && s < AU_SCAN_STAGES && st == AU_OK;
         s++) {
        double start = s == AU_SCAN_MUST_HB ? begun : au_now();
        if (s >= AU_SCAN_GRAPH && !left)
            break;
        if (domain[s] > o->domain)
            continue;
        if (s <= AU_SCAN_LOCKSET)
            cheap(&k, s);
        else if (s < AU_SCAN_SOLVER)
            st = au_refine_stage(&k, s, err);
        else
            st = au_bmc_stage(&k, err);
        count(r, s);
        left = r->stage[s].left;
        r->stage[s].seconds = au_now() - start;
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
    au_arena_release(&r->arena);
    *r = (au_scan_result){0};
}
