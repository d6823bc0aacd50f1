/* tests/random/random_weak.c: the exact stage under memory models against the oracle, on tiny random
 * models.
 *
 * Under sc (by executions), tso and rc11: the same assertions fail, the same accesses race, the same reads see
 * the same writes; a wake-up without a signal is needed for the same ones; what C11 does not define for a race is
 * told so. Every execution that the solver gives is allowed and shows what it is said to by the word of the
 * checker, and executions that were spoilt are not. */
#include "base/rng.h"
#include "cases.h"
#include "gen_model.h"
#include "model/ctp.h"
#include "model/run.h"
#include "odd_model.h"
#include "oracle/oracle.h"
#include "solve/weak.h"
#include "weak_model.h"
#include "witness/check_weak.h"

#include <stdio.h>

#define STATES 30000

static const char *const memory_name[] = {"sc", "tso", "rc11"};

typedef struct {
    uint64_t models, ways, refused, large, questions, found, raced, open, spoilt, caught;
} counts;

typedef struct {
    char *key;
    bool spurious, raced, open;
} told;
typedef AU_VEC(told) tolds;

static void release(tolds *t) {
    for (size_t i = 0; i < t->n; i++)
        free(t->at[i].key);
    au_vec_release(t);
}

static int by_key(const void *a, const void *b) {
    return strcmp(((const told *)a)->key, ((const told *)b)->key);
}

static char *key_of(const char *what, uint32_t a, uint32_t b, uint32_t var, bool set) {
    return au_sprintf("%s %d %d of %d", what, (int)(set && a > b ? b : a),
                      (int)(set && a > b ? a : b), (int)var);
}

/* ---- the oracle ---- */

static bool ask_oracle(const au_model *m, au_memory memory, tolds *into, counts *c) {
    au_oracle_options o = AU_ORACLE_DEFAULTS;
    au_error err = AU_ERROR_NONE;
    o.memory = memory;
    o.memory_asked = o.executions = true;
    o.max_states = STATES;
    o.props = AU_PROP_RACE | AU_PROP_ASSERT | AU_PROP_NONDET;
    au_oracle_result *r = au_oracle_run(m, &o, &err);
    bool all = r && r->exhaustive;
    c->refused += !r;
    c->large += r && !r->exhaustive;
    for (size_t i = 0; all && i < r->finding.n; i++) {
        const au_oracle_finding *f = &r->finding.at[i];
        bool race = f->kind == AU_FOUND_RACE;
        char *key = key_of(race ? "race" : "assert", f->event[0].step,
                           race ? f->event[1].step : AU_NONE, race ? f->var : AU_NONE, race);
        au_vec_push(into, ((told){key, f->spurious, !race && f->execution->raced, false}));
    }
    for (size_t i = 0; all && i < r->read_from.n; i++) {
        const au_read_from *f = &r->read_from.at[i];
        if (f->changed)
            au_vec_push(into, ((told){key_of("read", f->read, f->writer, f->var, false),
                                      f->spurious, f->execution->raced, false}));
    }
    au_oracle_free(r);
    return all;
}

/* ---- the solver, and the checker ---- */

static au_weak_finding finding_of(const au_query *q, const au_weak_solution *r, au_memory memory) {
    au_weak_finding f = {.memory = memory, .var = q->var, .x = &r->x};
    f.shows = q->kind == AU_ASK_ASSERT ? AU_WEAK_FAILS
              : q->kind == AU_ASK_RACE ? AU_WEAK_RACE
                                       : AU_WEAK_SEES;
    for (int i = 0; i < 2; i++) {
        f.entry[i] = r->event[i].entry;
        f.step[i] = r->event[i].step;
    }
    return f;
}

static bool check(const au_model *m, const au_weak_finding *f, au_weak_verdict *v) {
    au_check_weak(m, f, v);
    bool shown = v->shown;
    au_weak_verdict_release(v);
    return shown;
}

/* What was shown is not with a write taken out of its order, or with a step that is not there. */
static void spoil(const au_model *m, au_weak_finding f, const au_weak_solution *r, uint64_t chance,
                  counts *c) {
    au_execution x = {0};
    au_weak_verdict v;
    au_vec_append(&x.at, r->x.at.at, r->x.at.n);
    au_vec_append(&x.write, r->x.write.at, r->x.write.n);
    f.x = &x;
    bool must_fail = true;
    if (chance % 3 == 0 && x.write.n) {
        x.write.n--;
    } else if (chance % 3 == 1 && x.at.n > 1) {
        au_executed e = x.at.at[0];
        x.at.at[0] = x.at.at[1];
        x.at.at[1] = e;
        must_fail = m->step.at[e.step].thread == m->step.at[x.at.at[0].step].thread;
    } else if (x.at.n) {
        x.at.at[chance / 3 % x.at.n].vain ^= true;
    } else {
        must_fail = false;
    }
    if (must_fail) {
        c->spoilt++;
        c->caught += !check(m, &f, &v);
    }
    au_execution_release(&x);
}

static void ask_solver(const au_model *m, au_memory memory, uint64_t seed, tolds *into, counts *c,
                       au_out *wrong) {
    au_error err = AU_ERROR_NONE;
    au_rng rng;
    au_rng_init(&rng, seed);
    au_cssa *cssa = au_cssa_new(m, &(au_cssa_options){.semantics = AU_SEM_CTP}, &err);
    au_weak_solver *s = au_weak_solver_new(m, memory, &err);
    if (!cssa || !s) {
        au_out_printf(wrong, "no solver: %s\n", err.text);
        au_cssa_free(cssa);
        au_weak_solver_free(s);
        return;
    }
    au_queries all = {0};
    au_queries_of(cssa, AU_PROP_RACE | AU_PROP_ASSERT | AU_PROP_NONDET, AU_ATOMIC_NONE, false,
                  &all);
    for (size_t i = 0; i < all.n; i++) {
        const au_query *q = &all.at[i];
        au_weak_solution r;
        au_weak_verdict v;
        au_weak_solver_ask(s, q, NULL, &r);
        c->questions++;
        bool race = q->kind == AU_ASK_RACE, assertion = q->kind == AU_ASK_ASSERT;
        char *key = key_of(race        ? "race"
                           : assertion ? "assert"
                                       : "read",
                           q->step[0],
                           race        ? q->step[1]
                           : assertion ? AU_NONE
                                       : q->writer,
                           assertion ? AU_NONE : q->var, race);
        if (r.answer == AU_UNKNOWN)
            au_out_printf(wrong, "%s: no answer: %s\n", key, r.why);
        if (r.answer == AU_SAT) {
            au_weak_finding f = finding_of(q, &r, memory);
            au_check_weak(m, &f, &v);
            c->found++;
            c->raced += r.raced;
            if (!v.shown)
                au_out_printf(wrong, "%s: refused at %u of %zu: %s\n", key, v.at, r.x.at.n, v.why);
            else if (!race && v.raced != r.raced)
                au_out_printf(wrong, "%s: the checker sees %s race\n", key, v.raced ? "a" : "no");
            else if (v.shown)
                spoil(m, f, &r, au_rng_next(&rng), c);
            au_vec_push(into, ((told){key, r.spurious, !race && r.raced, r.raced && !r.always}));
            au_weak_verdict_release(&v);
        } else {
            free(key);
        }
        au_weak_solution_release(&r);
    }
    au_vec_release(&all);
    au_cssa_free(cssa);
    au_weak_solver_free(s);
}

/* ---- both ---- */

static void compare(const char *memory, tolds *a, tolds *b, counts *c, au_out *wrong) {
    if (a->n)
        qsort(a->at, a->n, sizeof *a->at, by_key);
    if (b->n)
        qsort(b->at, b->n, sizeof *b->at, by_key);
    for (size_t i = 0, j = 0; i < a->n || j < b->n;) {
        int d = i == a->n ? 1 : j == b->n ? -1 : strcmp(a->at[i].key, b->at[j].key);
        if (d) {
            au_out_printf(wrong, "%s: only the %s says: %s\n", memory, d < 0 ? "oracle" : "solver",
                          d < 0 ? a->at[i].key : b->at[j].key);
            i += d < 0;
            j += d > 0;
            continue;
        }
        const told *x = &a->at[i++], *y = &b->at[j++];
        if (x->spurious != y->spurious && !x->raced && !y->raced) /* else another one is told */
            au_out_printf(wrong, "%s: %s: a wake-up without a signal is needed: %d, %d\n", memory,
                          x->key, x->spurious, y->spurious);
        c->open += y->open;
        if (x->raced ? !y->raced : y->raced && !y->open)
            au_out_printf(wrong, "%s: %s: after a race: %d, %d\n", memory, x->key, x->raced,
                          y->raced);
    }
}

static au_model *read_model(const char *text, uint64_t seed) {
    au_error err = AU_ERROR_NONE;
    au_ctp_options o = {.unroll = 2};
    au_model *m = au_ctp_read(text, strlen(text), "model", &o, &err);
    if (m)
        au_model_observe(m);
    if (m && seed % 4 < 2)
        au_choose_orders(m, seed);
    return m;
}

/* What differs; NULL: nothing. The caller's. */
static char *differs(const char *text, uint64_t seed, counts *c) {
    au_model *m = read_model(text, seed);
    au_out *wrong = au_out_memory();
    for (int k = 0; k < 3 && m; k++) {
        tolds oracle = {0}, solver = {0};
        if (ask_oracle(m, (au_memory)k, &oracle, c)) {
            ask_solver(m, (au_memory)k, seed, &solver, c, wrong);
            compare(memory_name[k], &oracle, &solver, c, wrong);
            c->ways++;
        }
        release(&oracle);
        release(&solver);
    }
    au_model_free(m);
    size_t n;
    const char *said = au_out_memory_data(wrong, &n);
    char *own = n ? au_strndup(said, n) : NULL;
    au_out_abandon(wrong);
    return own;
}

typedef struct {
    uint64_t seed;
} again;

static bool still_differs(const char *text, void *ctx) {
    counts c = {0};
    char *found = differs(text, ((again *)ctx)->seed, &c);
    bool yes = found != NULL;
    free(found);
    return yes;
}

/* One of four is a model of the other tests with orders put in, the rest are litmus tests. */
static char *text_of(uint64_t seed) {
    if (seed % 4 == 0)
        return au_odd_ctp(seed);
    if (seed % 8 == 1) {
        au_gen_ctp_options o = au_gen_ctp_defaults(1 + (seed >> 3) % 3);
        return au_gen_ctp(seed, &o);
    }
    return au_weak_ctp(seed);
}

static bool one_model(uint64_t seed, counts *c) {
    char *text = text_of(seed);
    c->models++;
    char *found = differs(text, seed, c);
    if (found) {
        again a = {seed};
        char *less = au_shrink_ctp(text, still_differs, &a);
        counts no = {0};
        char *now = differs(less, seed, &no);
        printf("seed %lu: %s%s", (unsigned long)seed, now ? now : found, less);
        free(now);
        free(less);
    }
    free(text);
    bool same = !found;
    free(found);
    return same;
}

int main(int argc, char **argv) {
    cases all = {.count = 100, .seed = 1, .most = 1};
    uint64_t bad = 0;
    au_cases_options(&all, argc, argv, NULL);
    counts c = {0};
    for (uint64_t i = 0; i < all.count && bad < all.most; i++) {
        uint64_t seed = au_cases_seed(&all, i);
        au_cases_enter(seed);
        bad += !one_model(seed, &c);
    }
    if (c.spoilt != c.caught)
        printf("of %lu spoilt executions the checker refused %lu\n", (unsigned long)c.spoilt,
               (unsigned long)c.caught);
    bad += c.spoilt != c.caught;
    printf("%lu models, %lu times a memory model (%lu refused, %lu too large), %lu questions, %lu "
           "found "
           "(%lu after a race, %lu of them undecided), %lu spoilt executions refused, %lu "
           "disagreements\n",
           (unsigned long)c.models, (unsigned long)c.ways, (unsigned long)c.refused,
           (unsigned long)c.large, (unsigned long)c.questions, (unsigned long)c.found,
           (unsigned long)c.raced, (unsigned long)c.open, (unsigned long)c.caught,
           (unsigned long)bad);
    return bad != 0;
}
