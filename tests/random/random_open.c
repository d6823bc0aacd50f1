/* tests/random/random_open.c: 'augur check' on random traces with values against the oracle.
 *
 * The oracle tries every interleaving of the trace's model, in which what follows a read
 * needs the value it saw. What check calls proved is among its findings; what the exact stage calls
 * impossible is not; of the races and broken blocks that are left nothing is open, and
 * every race of the oracle is proved. */
#include "base/hash.h"
#include "base/rng.h"
#include "cases.h"
#include "funnel/check_run.h"
#include "model/from_trace.h"
#include "oracle/oracle.h"
#include "solve/query.h"
#include "sync_trace.h"

#include <stdio.h>

typedef struct {
    uint64_t traces, skipped, findings, proved, refuted, by_solver, open;
} counts;

typedef struct {
    const au_trace *t;
    const au_model *m;
    const uint32_t *step_of;
    const au_oracle_result *r;
} sides;

static uint32_t statement(const sides *s, const au_event_ref *e) {
    uint32_t step = s->step_of[e->number];
    return step == AU_NONE ? AU_NONE : au_query_event(s->m, step);
}

static bool has_step(const au_oracle_finding *g, uint32_t step) {
    for (uint32_t i = 0; i < g->n_events; i++)
        if (g->event[i].step == step)
            return true;
    return false;
}

static bool same(const sides *s, const au_finding *f, const au_oracle_finding *g) {
    static const au_found kinds[AU_KINDS] = {[AU_KIND_RACE] = AU_FOUND_RACE,
                                             [AU_KIND_ATOMICITY] = AU_FOUND_ATOMICITY,
                                             [AU_KIND_DEADLOCK] = AU_FOUND_DEADLOCK};
    if (kinds[f->kind] != g->kind || f->n_events != g->n_events)
        return false;
    for (uint32_t i = 0; i < f->n_events; i++) {
        uint32_t step = statement(s, &f->event[i]);
        if (f->kind == AU_KIND_ATOMICITY ? g->event[i].step != step : !has_step(g, step))
            return false;
    }
    return f->kind != AU_KIND_ATOMICITY || !strcmp(f->detail, g->detail);
}

static bool oracle_has(const sides *s, const au_finding *f) {
    for (size_t i = 0; i < s->r->finding.n; i++)
        if (same(s, f, &s->r->finding.at[i]))
            return true;
    return false;
}

static bool compare(const sides *s, const au_check_outcome *o, counts *c) {
    bool good = true;
    for (size_t i = 0; i < o->findings.finding.n; i++) {
        const au_finding *f = &o->findings.finding.at[i];
        if (f->kind != AU_KIND_RACE && f->kind != AU_KIND_ATOMICITY && f->kind != AU_KIND_DEADLOCK)
            continue;
        bool there = oracle_has(s, f), refuted = f->why == AU_WHY_GRAPH_VALUES ||
                                                 f->why == AU_WHY_NOT_SAME_VALUES ||
                                                 f->why == AU_WHY_NOT_SAME_WAY;
        c->findings++;
        c->proved += f->standing == AU_IS_PROVED;
        c->by_solver += f->standing == AU_IS_PROVED && *au_finding_why(f);
        c->refuted += refuted;
        bool open = f->standing == AU_IS_POSSIBLE && !refuted;
        c->open += open;
        /* An update that comes last in its thread may replace any value; the model pins it. */
        if (f->kind == AU_KIND_ATOMICITY && !refuted &&
            (f->event[1].op == AU_OP_RMW || f->event[2].op == AU_OP_RMW))
            continue;
        if ((f->standing == AU_IS_PROVED && !there) || (refuted && there) ||
            (open && f->kind != AU_KIND_DEADLOCK)) {
            printf("%s %s: the oracle %s it; %s\n", au_standing_name(f->standing),
                   au_kind_name(f->kind), there ? "finds" : "does not find", au_finding_why(f));
            for (uint32_t k = 0; k < f->n_events; k++)
                printf("  event %llu\n", (unsigned long long)f->event[k].number + 1);
            good = false;
        }
    }
    /* Every race of the oracle is listed, and proved. */
    for (size_t i = 0; i < s->r->finding.n; i++) {
        const au_oracle_finding *g = &s->r->finding.at[i];
        bool told = g->kind != AU_FOUND_RACE;
        for (size_t j = 0; j < o->findings.finding.n && !told; j++)
            told = o->findings.finding.at[j].standing == AU_IS_PROVED &&
                   same(s, &o->findings.finding.at[j], g);
        if (!told) {
            printf("only the oracle: race of steps %u and %u\n", g->event[0].step,
                   g->event[1].step);
            good = false;
        }
    }
    for (size_t i = 0; i < o->inconclusive.n; i++) {
        printf("inconclusive: %s\n", o->inconclusive.at[i]);
        good = false;
    }
    return good;
}

static bool one_trace(uint64_t seed, counts *c) {
    au_rng rng;
    au_error err = AU_ERROR_NONE;
    au_rng_init(&rng, au_hash_join(seed, 81));
    unsigned what = au_rng_below(&rng, 2) ? ST_ALL : 0;
    au_trace *t =
        au_sync_trace(&rng, 2 + au_rng_below(&rng, 2), 8 + au_rng_below(&rng, 14), 2, what);
    uint32_t *step_of = NULL;
    au_model *m = au_model_from_trace_open(t, &step_of, &err);
    au_oracle_options oo = AU_ORACLE_DEFAULTS;
    oo.max_states = 50000;
    oo.atomic = AU_ATOMIC_AUTO;
    oo.props = AU_PROP_RACE | AU_PROP_ATOMICITY | AU_PROP_DEADLOCK;
    au_oracle_result *r = m ? au_oracle_run(m, &oo, &err) : NULL;
    bool good = true;
    c->traces++;
    if (r && r->exhaustive) {
        const au_plan p = {.props = AU_PROP_RACE | AU_PROP_ATOMICITY | AU_PROP_DEADLOCK,
                           .blocks = AU_BLOCKS_AUTO,
                           .all = true,
                           .budget = 1000000,
                           .last = AU_STAGE_SOLVER,
                           .bound_from = AU_NONE,
                           .bound = AU_NONE,
                           .cadical = true,
                           .jobs = 1};
        au_check_run o;
        au_check_run_of_trace(&o, &p, t);
        sides s = {t, m, step_of, r};
        good = au_check_run_go(&o, &err) == AU_OK && compare(&s, &o.outcome, c);
        if (!good) {
            printf("seed %llu: %s\n", (unsigned long long)seed, err.text);
            au_sync_trace_print(t);
        }
        au_check_run_release(&o);
    } else {
        c->skipped++;
    }
    au_oracle_free(r);
    au_model_free(m);
    free(step_of);
    au_trace_free(t);
    return good;
}

int main(int argc, char **argv) {
    cases all = {.count = 100, .seed = 1, .most = 1};
    uint64_t bad = 0;
    au_cases_options(&all, argc, argv, NULL);
    counts c = {0};
    for (uint64_t i = 0; i < all.count && bad < all.most; i++)
        bad += !one_trace(au_cases_seed(&all, i), &c);
    printf("%llu traces (%llu skipped), %llu findings: %llu proved (%llu by the solver), %llu "
           "refuted, %llu open; %llu disagreements\n",
           (unsigned long long)c.traces, (unsigned long long)c.skipped,
           (unsigned long long)c.findings, (unsigned long long)c.proved,
           (unsigned long long)c.by_solver, (unsigned long long)c.refuted,
           (unsigned long long)c.open, (unsigned long long)bad);
    return bad != 0;
}
