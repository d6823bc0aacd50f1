/* Checks that are told to stop (base/deadline.h): random traces through all stages before the exact one; the same again,
 * over after a random number of steps, wherever that is. Nothing is judged by time:
 *   - steps are counted: more of them than there are events in all passes together;
 *   - from there on few more are done, whatever stage it was;
 *   - the check ends well; if it found less, it says that something was not done;
 *   - a race that is proved is one that the whole check proves. */
#include "base/deadline.h"
#include "base/rng.h"
#include "cases.h"
#include "funnel/check_run.h"
#include "trace/gen.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* After the end: what a loop does until it looks, one closure, one schedule of a short trace; and what broken blocks
 * are allowed to tell all the same (linear/atomicity_pairs.c). */
#define BLOCKS_MORE (UINT64_C(1) << 20)
static uint64_t allowed(const au_trace *t) {
    return BLOCKS_MORE + 4 * AU_DEADLINE_STEPS + t->events.n;
}

enum { CUTS = 6 };
static uint64_t most; /* steps after an end */

static au_trace *make(uint64_t seed, au_gen **names) {
    au_rng r;
    au_rng_init(&r, au_hash_join(seed, 17));
    au_gen_options o;
    au_gen_options_init(&o);
    o.seed = seed;
    o.events = 20000 + au_rng_below(&r, 60000);
    o.threads = 2 + au_rng_below(&r, 6);
    o.locks = 1 + au_rng_below(&r, 12);
    o.vars = 10 + au_rng_below(&r, 400);
    o.depth = 1 + au_rng_below(&r, 4);
    o.atomic = au_rng_below(&r, 2);
    o.values = au_rng_below(&r, 2);
    au_error err = AU_ERROR_NONE;
    au_gen *gen = *names = au_gen_new(&o, &err);
    if (!gen) {
        printf("seed %" PRIu64 ": %s\n", seed, err.text);
        exit(1);
    }
    au_columns c;
    au_columns_init(&c);
    au_block b;
    for (au_gen_next(gen, &b); b.n; au_gen_next(gen, &b))
        au_columns_append(&c, &b);
    au_trace *t = AU_NEW(au_trace);
    t->events = c;
    t->names = *au_gen_names(gen); /* the generator's own */
    return t;
}

static bool has(const au_findings *all, const au_finding *f) {
    for (size_t i = 0; i < all->finding.n; i++) {
        const au_finding *x = &all->finding.at[i];
        if (x->kind == f->kind && x->standing == AU_IS_PROVED &&
            x->event[0].number == f->event[0].number && x->event[1].number == f->event[1].number)
            return true;
    }
    return false;
}

static bool is_fine(const au_check_run *cut, const au_check_run *whole, const au_trace *t) {
    const au_findings *less = &cut->outcome.findings, *all = &whole->outcome.findings;
    uint64_t late = au_deadline_late_steps();
    most = late > most ? late : most;
    if (late > allowed(t)) {
        printf("%" PRIu64 " steps were done after the end of %zu events\n", late, t->events.n);
        return false;
    }
    if (less->finding.n < all->finding.n && cut->outcome.inconclusive.n == 0) {
        printf("%zu of %zu findings, and nothing said\n", less->finding.n, all->finding.n);
        return false;
    }
    for (size_t i = 0; i < less->finding.n; i++) {
        const au_finding *f = &less->finding.at[i];
        if (f->kind == AU_KIND_RACE && f->standing == AU_IS_PROVED && !has(all, f)) {
            printf("a race of events %" PRIu64 " and %" PRIu64 " is proved by a part only\n",
                   f->event[0].number, f->event[1].number);
            return false;
        }
    }
    return true;
}

static bool one(uint64_t seed, uint64_t *findings) {
    au_rng r;
    au_rng_init(&r, au_hash_join(seed, 18));
    au_gen *gen;
    au_trace *t = make(seed, &gen);
    au_error err = AU_ERROR_NONE;
    const au_plan p = {.props = AU_PROP_RACE | AU_PROP_ATOMICITY | AU_PROP_DEADLOCK | AU_PROP_LOCKS,
                       .blocks = AU_BLOCKS_AUTO,
                       .budget = 3000000,
                       .last = AU_STAGE_GRAPH,
                       .bound_from = AU_NONE,
                       .bound = AU_NONE,
                       .jobs = 1};
    au_check_run whole;
    au_check_run_of_trace(&whole, &p, t);
    au_deadline_end_after(UINT64_MAX);
    uint64_t before = au_deadline_steps.done;
    bool good = au_check_run_go(&whole, &err) == AU_OK;
    uint64_t steps = au_deadline_steps.done - before;
    *findings += whole.outcome.findings.finding.n;
    if (good && steps < 4 * t->events.n) {
        printf("%" PRIu64 " steps for %zu events: stages do not count\n", steps, t->events.n);
        good = false;
    }
    for (int i = 0; i < CUTS && good; i++) {
        uint64_t after = au_rng_below(&r, (uint32_t)(steps < UINT32_MAX ? steps : UINT32_MAX));
        au_check_run cut;
        au_check_run_of_trace(&cut, &p, t);
        au_deadline_end_after(after);
        good = au_check_run_go(&cut, &err) == AU_OK && is_fine(&cut, &whole, t);
        au_deadline_end_after(UINT64_MAX);
        if (!good)
            printf("after %" PRIu64 " of %" PRIu64 " steps: %s\n", after, steps, err.text);
        au_check_run_release(&cut);
    }
    if (!good)
        printf("seed %" PRIu64 "\n", seed);
    au_check_run_release(&whole);
    au_columns_release(&t->events);
    free(t);
    au_gen_free(gen);
    return good;
}

int main(int argc, char **argv) {
    cases all = {.count = 20, .seed = 1, .most = 1};
    uint64_t bad = 0, findings = 0, done = 0;
    au_cases_options(&all, argc, argv, NULL);
    for (uint64_t i = 0; i < all.count && bad < all.most; i++, done++) {
        uint64_t seed = au_cases_seed(&all, i);
        au_cases_enter(seed);
        bad += !one(seed, &findings);
    }
    printf("%" PRIu64 " traces with %" PRIu64 " findings, each stopped %d times: at most %" PRIu64
           " steps after that; %" PRIu64 " failures\n",
           done, findings, CUTS, most, bad);
    return bad != 0;
}
