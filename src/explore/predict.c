/* explore/predict.c: which goals can an interleaving reach, and on which schedule?
 *
 * A worker is forked from the exploration, so the family is its own copy; it makes one encoding of the
 * model and asks one goal after the other. The schedule is turned into the replay engine's turns
 * there, too, because the family may have grown before the answer arrives. */
#include "base/clock.h"
#include "base/deadline.h"
#include "base/limits.h"
#include "base/worker.h"
#include "explore/explore_priv.h"
#include "solve/memory.h"

#include <stdio.h>
#include <string.h>

/* Seconds for a question about one run: what takes longer is asked about all runs later. */
static const double ALONE = 2;
/* Beyond the limit of a question a worker may take this long: it makes the encoding, too. */
static const double PATIENCE = 1;

struct pool {
    const au_exploration *s;
    au_circle *c;
    uint32_t alone; /* a run of the family, AU_NONE: all */
    const uint64_t *key;
    uint32_t n;
    uint32_t batch, batches;
    double seconds; /* a question may take */
    au_predicted_fn *fn;
    void *ctx;
    au_solver *solver; /* the worker's */
    bool focused;
    bool more;
};

/* Jobs of a worker are consecutive, but all workers together go through the goals in their order.
 * n: none, a place that is left over. */
static uint32_t goal_of(const struct pool *p, uint32_t job) {
    uint32_t at = job % p->batch * p->batches + job / p->batch;
    return at < p->n ? at : p->n;
}

/* ---- the worker ---- */

static const au_goal *find_goal(const au_family *f, uint64_t key) {
    const au_goal *g;
    size_t n = au_family_goals(f, &g);
    for (size_t i = 0; i < n; i++)
        if (g[i].key == key)
            return &g[i];
    return NULL;
}

static au_query query_of(const au_goal *g) {
    return g ? au_query_about(AU_ASK_ASSERT, g->step) : au_query_about(AU_ASK_DEADLOCK, AU_NONE);
}

struct answer {
    uint64_t version;
    uint32_t answer, n_ways, spurious;
    double seconds;
    char why[160];
};

static void put_way(au_out *out, const au_turns *t) {
    uint64_t n = t->n;
    au_out_write(out, &n, sizeof n);
    au_out_write(out, t->at, t->n * sizeof *t->at);
}

static void ask(struct pool *p, const au_goal *g, struct answer *a, au_out *ways) {
    au_error err = AU_ERROR_NONE;
    au_solve_options o = AU_SOLVE_DEFAULTS;
    au_solve_limits limits = {.seconds = p->seconds};
    if (!p->solver)
        p->solver = au_solver_new(au_family_model(p->c->f), &o, &err);
    if (!p->solver) {
        snprintf(a->why, sizeof a->why, "%.150s", err.text);
        return;
    }
    au_query q = query_of(g);
    for (bool again = true; again;) {
        au_solution r;
        au_turns turns = {0};
        au_solver_ask(p->solver, &q, &limits, &r);
        a->answer = r.answer;
        a->spurious = r.spurious;
        snprintf(a->why, sizeof a->why, "%.150s", r.why);
        again = !g && r.answer == AU_SAT && a->n_ways + 1 < AU_LIMIT_EXPLORE_DEADLOCKS;
        if (r.answer == AU_SAT && au_family_turns(p->c->f, &r, g != NULL, &turns, &err) == AU_OK) {
            put_way(ways, &turns);
            a->n_ways++;
        } else if (r.answer == AU_SAT) {
            a->answer = AU_UNKNOWN;
            snprintf(a->why, sizeof a->why, "%.150s", err.text);
            again = false;
        }
        au_vec_release(&turns);
        au_solution_release(&r);
    }
}

static void work(void *ctx, uint32_t job, au_out *out) {
    struct pool *p = ctx;
    uint32_t at = goal_of(p, job);
    struct answer a = {.version = p->c->version, .answer = AU_UNKNOWN};
    au_out *ways = au_out_memory();
    double begun = au_now();
    au_solve_on_no_memory(au_job_no_memory);
    if (p->alone != AU_NONE && !p->focused)
        au_family_focus(p->c->f, p->alone); /* of the worker's copy */
    p->focused = true;
    const au_goal *g = at < p->n && p->key[at] ? find_goal(p->c->f, p->key[at]) : NULL;
    if (at < p->n && (g || !p->key[at])) {
        ask(p, g, &a, ways);
    } else {
        a.version = 0;
        a.answer = AU_UNSAT;
    }
    a.seconds = au_now() - begun;
    size_t n;
    const char *data = au_out_memory_data(ways, &n);
    au_out_write(out, &a, sizeof a);
    au_out_write(out, data, n);
    au_out_abandon(ways);
}

/* ---- the exploration ---- */

/* A worker is trusted to be ours, not to be healthy. */
static bool get_ways(const char *at, size_t n, au_turns *way, uint32_t n_ways) {
    for (uint32_t i = 0; i < n_ways; i++) {
        uint64_t k;
        if (n < sizeof k)
            return false;
        memcpy(&k, at, sizeof k);
        at += sizeof k;
        n -= sizeof k;
        if (k > n / sizeof *way->at)
            return false;
        au_vec_append(&way[i], at, k);
        at += k * sizeof *way->at;
        n -= k * sizeof *way->at;
    }
    return true;
}

static bool take(void *ctx, const au_job_result *r) {
    struct pool *p = ctx;
    uint32_t at = goal_of(p, r->index);
    if (at >= p->n || r->end == AU_JOB_CANCELLED)
        return p->more;
    struct answer a = {.answer = AU_UNKNOWN};
    au_turns way[AU_LIMIT_EXPLORE_DEADLOCKS] = {{0}};
    if (r->end != AU_JOB_DONE) {
        snprintf(a.why, sizeof a.why, "%.150s", r->detail);
        a.version = p->c->version;
    } else if (r->size < sizeof a) {
        snprintf(a.why, sizeof a.why, "its result is incomplete");
    } else {
        memcpy(&a, r->data, sizeof a);
        a.why[sizeof a.why - 1] = 0;
        if (a.n_ways > AU_LIMIT_EXPLORE_DEADLOCKS || a.answer > AU_UNKNOWN ||
            !get_ways(r->data + sizeof a, r->size - sizeof a, way, a.n_ways)) {
            a = (struct answer){.answer = AU_UNKNOWN};
            snprintf(a.why, sizeof a.why, "its result is incomplete");
        }
    }
    au_predicted x = {.key = p->key[at],
                      .version = a.version,
                      .answer = (au_answer)a.answer,
                      .why = a.why,
                      .way = way,
                      .n_ways = a.n_ways,
                      .spurious = a.spurious,
                      .seconds = a.seconds};
    p->more = p->more && p->fn(p->ctx, &x);
    for (size_t i = 0; i < AU_LIMIT_EXPLORE_DEADLOCKS; i++)
        au_vec_release(&way[i]);
    return p->more;
}

au_status au_predict(const au_exploration *s, au_circle *c, uint32_t alone, const uint64_t *key,
                     size_t n, au_predicted_fn *fn, void *ctx, au_error *err) {
    unsigned jobs = s->o->jobs ? s->o->jobs : au_cores();
    struct pool p = {.s = s,
                     .c = c,
                     .alone = alone,
                     .key = key,
                     .n = (uint32_t)n,
                     .fn = fn,
                     .ctx = ctx,
                     .more = true};
    if (!n)
        return AU_OK;
    p.seconds = s->o->question_seconds;
    if (alone != AU_NONE && p.seconds > ALONE)
        p.seconds = ALONE;
    p.batches = n < jobs ? (uint32_t)n : jobs;
    p.batch = ((uint32_t)n + p.batches - 1) / p.batches;
    au_pool_limits limits = {.jobs = jobs,
                             .seconds = s->o->question_seconds * 1.25 + PATIENCE,
                             .memory_bytes = s->o->memory,
                             .batch = p.batch};
    /* The search ends then, whatever is still being asked. */
    double before = s->until > 0 ? au_deadline_narrow(s->until - au_now()) : 0;
    au_status st = au_pool_run(p.batch * p.batches, &limits, work, take, &p, err);
    if (s->until > 0)
        au_deadline_widen(before);
    return st;
}
