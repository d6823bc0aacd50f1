/* tests/random/random_symbolic.c: models of traces with knowledge against the models that the traces
 * are of.
 *
 * A small random model is run in a random order; the run becomes a trace, and what the model's terms
 * say becomes knowledge. The model made of both must give the oracle the same answers as the
 * first one: which assertions fail, which accesses race, which write each read can see. If
 * some reads are pinned, it must give no others. A slice gives the same answers about what it was
 * made for. */
#include "base/clock.h"
#include "cases.h"
#include "model/ctp.h"
#include "model/from_trace.h"
#include "model/run.h"
#include "oracle/oracle.h"
#include "same_model.h"
#include "solve/window.h"
#include "symbolic_made.h"
#include "sync_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- answers --------------------------------------------------------------------------------------- */

typedef AU_VEC(char *) answers;

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void release(answers *a) {
    for (size_t i = 0; i < a->n; i++)
        free(a->at[i]);
    au_vec_release(a);
}

/* Step of the model: event and fact it is of, AU_NONE. */
typedef struct {
    const uint32_t *event, *fact;
} naming;

static bool answers_of(const au_model *m, const naming *n, answers *into) {
    au_error err = AU_ERROR_NONE;
    au_oracle_options o = AU_ORACLE_DEFAULTS;
    o.props = AU_PROP_ASSERT | AU_PROP_RACE | AU_PROP_NONDET;
    o.max_states = 300000;
    au_oracle_result *r = au_oracle_run(m, &o, &err);
    if (!r) {
        fprintf(stderr, "oracle: %s\n", err.text);
        return false;
    }
    bool all = r->exhaustive;
    for (size_t i = 0; i < r->finding.n; i++) {
        const au_oracle_finding *f = &r->finding.at[i];
        if (f->kind == AU_FOUND_ASSERT) {
            uint32_t fact = n->fact[f->event[0].step];
            if (fact != AU_NONE)
                au_vec_push(into, au_sprintf("fact %u fails", fact));
        } else if (f->kind == AU_FOUND_RACE) {
            uint32_t a = n->event[f->event[0].step], b = n->event[f->event[1].step];
            if (a != AU_NONE && b != AU_NONE)
                au_vec_push(into, au_sprintf("events %u and %u race on %s", a < b ? a : b,
                                             a < b ? b : a, m->var.at[f->var].name));
        }
    }
    for (size_t i = 0; i < r->read_from.n; i++) {
        const au_read_from *f = &r->read_from.at[i];
        uint32_t a = f->read == AU_NONE ? AU_NONE : n->event[f->read];
        uint32_t b = f->writer == AU_NONE ? AU_NONE : n->event[f->writer];
        if (a != AU_NONE && (f->writer == AU_NONE || b != AU_NONE))
            au_vec_push(into,
                        au_sprintf("event %u sees %s of %d", a, m->var.at[f->var].name, (int)b));
    }
    au_oracle_free(r);
    if (into->n)
        qsort(into->at, into->n, sizeof *into->at, by_text);
    size_t kept = 0;
    for (size_t i = 0; i < into->n; i++) {
        if (kept && !strcmp(into->at[kept - 1], into->at[i]))
            free(into->at[i]);
        else
            into->at[kept++] = into->at[i];
    }
    into->n = kept;
    return all;
}

static bool has(const answers *a, const char *s) {
    for (size_t i = 0; i < a->n; i++)
        if (!strcmp(a->at[i], s))
            return true;
    return false;
}

/* Everything in a is in b. */
static size_t missing(const answers *a, const answers *b, const char *what) {
    size_t n = 0;
    for (size_t i = 0; i < a->n; i++)
        if (!has(b, a->at[i])) {
            n++;
            printf("%s: %s\n", what, a->at[i]);
        }
    return n;
}

/* Events and facts of the steps of a model made of a trace. The other places of an access stand
 * before it. */
static void name_steps(const au_model *m, const au_symbolic *s, const au_symbolic_map *map,
                       const uint32_t *first, uint32_t **event, uint32_t **fact) {
    *event = au_alloc_array(m->step.n, sizeof **event);
    *fact = au_alloc_array(m->step.n, sizeof **fact);
    memset(*event, 0xff, m->step.n * sizeof **event);
    memset(*fact, 0xff, m->step.n * sizeof **fact);
    for (size_t e = map->last; e-- > map->first;)
        if (map->step_of[e - map->first] != AU_NONE && au_op_is_access(s->trace->events.op[e]))
            (*event)[map->step_of[e - map->first]] = first[e];
    for (size_t f = 0; f < s->fact.n; f++)
        if (au_symbolic_fact(map, f) != AU_NONE)
            (*fact)[au_symbolic_fact(map, f)] = (uint32_t)f;
    uint32_t after = AU_NONE;
    for (size_t i = m->step.n; i-- > 0;) {
        if ((*event)[i] != AU_NONE)
            after = (*event)[i];
        else if (m->step.at[i].kind == AU_STEP_ASSIGN && m->step.at[i].n_accesses)
            (*event)[i] = after;
    }
}

typedef struct {
    uint64_t models, skipped, answers, elsewhere, pinned, slices, sliced, sync, parts, in_parts,
        asked, sat;
} counts;

/* ---- slices ------------------------------------------------------------------------------ */

/* Some facts and events; an answer is about them if it names nothing else. */
typedef struct {
    au_bitset facts, events;
} targets;

static bool is_target(const au_made *k, const targets *g, uint32_t group, const char *var) {
    for (uint32_t e = group; e < k->t->events.n && k->first[e] == group; e++) {
        bool here = !strcmp(au_intern_str(&k->t->names.var, k->t->events.obj[e]), var);
        for (size_t i = 0; i < k->s.elsewhere.n; i++)
            here |= k->s.elsewhere.at[i].event == e &&
                    !strcmp(au_intern_str(&k->t->names.var, k->s.elsewhere.at[i].var), var);
        if (here && au_op_is_access(k->t->events.op[e]) && !au_bitset_has(&g->events, e))
            return false;
    }
    return true;
}

static bool is_about(const au_made *k, const targets *g, const char *answer) {
    uint32_t a, b;
    char var[32];
    if (sscanf(answer, "fact %u fails", &a) == 1)
        return au_bitset_has(&g->facts, a);
    if (sscanf(answer, "events %u and %u race on %31s", &a, &b, var) == 3)
        return is_target(k, g, a, var) && is_target(k, g, b, var);
    if (sscanf(answer, "event %u sees %31s of", &a, var) == 2)
        return is_target(k, g, a, var);
    return false;
}

static void only_about(const au_made *k, const targets *g, const answers *all, answers *into) {
    for (size_t i = 0; i < all->n; i++)
        if (is_about(k, g, all->at[i]))
            au_vec_push(into, au_strdup(all->at[i]));
}

static size_t answer_model(const au_made *k, const au_model *m, const au_symbolic_map *map,
                           answers *got, bool *all) {
    au_error err = AU_ERROR_NONE;
    const char *check = au_model_check(m);
    if (check) {
        printf("bad model: %s\n", check);
        return 1;
    }
    if (au_symbolic_check(&k->s, m, map, &err)) {
        printf("%s\n", err.text);
        return 1;
    }
    /* .ctp has a thread, and begins at the start */
    char *differs = m->thread.n && !map->first ? au_round_trip(m, 0, NULL) : NULL;
    if (differs) {
        printf("%s\n", differs);
        free(differs);
        return 1;
    }
    uint32_t *event, *fact;
    name_steps(m, &k->s, map, k->first, &event, &fact);
    naming n = {event, fact};
    *all = answers_of(m, &n, got);
    free(event);
    free(fact);
    return 0;
}

static void print_model(const au_model *m) {
    au_error err = AU_ERROR_NONE;
    au_out *out = au_out_memory();
    size_t n;
    if (au_ctp_print(m, out, &err) == AU_OK)
        printf("%s", au_out_memory_data(out, &n));
    au_out_abandon(out);
}

static size_t check_slice(const au_made *k, const answers *whole, counts *c) {
    au_error err = AU_ERROR_NONE;
    targets g;
    au_bitset_init(&g.facts, k->s.fact.n);
    au_bitset_init(&g.events, k->t->events.n);
    bool few = au_rng_below(k->rng, 2);
    for (size_t i = 0; i < k->s.fact.n; i++)
        if (!au_rng_below(k->rng, 2))
            au_bitset_add(&g.facts, i);
    for (size_t i = 0; i < k->t->events.n; i++)
        if (!au_rng_below(k->rng, few ? 8 : 3))
            au_bitset_add(&g.events, i);
    au_symbolic_map map;
    au_model *m = au_model_slice(&k->s, &g.facts, &g.events, &map, &err);
    size_t wrong = 0;
    bool all;
    answers got = {0}, about = {0}, expected = {0};
    if (!m) {
        printf("no slice: %s\n", err.text);
        wrong++;
    } else {
        wrong = answer_model(k, m, &map, &got, &all);
        for (size_t i = 0; i < k->t->events.n && i < map.last; i++)
            c->sliced += map.step_of[i] == AU_NONE;
        c->slices++;
        only_about(k, &g, &got, &about);
        only_about(k, &g, whole, &expected);
        if (!wrong && all) {
            wrong += missing(&about, &expected, "too much in the slice");
            wrong += missing(&expected, &about, "missing in the slice");
            wrong += missing(&got, whole, "only in the slice");
        }
        if (wrong) {
            print_model(m);
            for (size_t i = 0; i < k->t->events.n; i++)
                if (au_bitset_has(&g.events, i))
                    printf("asked: event %zu\n", i);
            for (size_t i = 0; i < k->s.fact.n; i++)
                if (au_bitset_has(&g.facts, i))
                    printf("asked: fact %zu\n", i);
        }
        au_symbolic_map_release(&map);
    }
    release(&got);
    release(&about);
    release(&expected);
    au_model_free(m);
    au_bitset_release(&g.facts);
    au_bitset_release(&g.events);
    return wrong;
}

/* ---- the exact stage ---------------------------------------------------------------------------- */

/* Says of every assertion and race what the oracle said; in windows nothing else. */
static size_t check_solver(const au_made *k, const au_model *m, const au_symbolic_map *map,
                           const answers *all, counts *c) {
    au_error err = AU_ERROR_NONE;
    au_solve_options o = AU_SOLVE_DEFAULTS;
    au_solve_limits limits = {.seconds = 20};
    au_solver *solver = au_solver_new(m, &o, &err);
    au_queries q = {0};
    size_t wrong = 0;
    uint32_t *event, *fact;
    if (!solver) {
        printf("no solver: %s\n", err.text);
        return 1;
    }
    name_steps(m, &k->s, map, k->first, &event, &fact);
    au_solver_queries(solver, AU_PROP_ASSERT | AU_PROP_RACE, AU_ATOMIC_NONE, &q);
    for (size_t i = 0; i < q.n && !wrong; i++) {
        uint32_t x = q.at[i].step[0], y = q.at[i].step[1];
        bool race = q.at[i].kind == AU_ASK_RACE;
        uint32_t a = race ? event[x] : fact[x], b = race ? event[y] : AU_NONE;
        if (a == AU_NONE || (race && b == AU_NONE))
            continue;
        char *key = race ? au_sprintf("events %u and %u race on %s", a < b ? a : b, a < b ? b : a,
                                      m->var.at[q.at[i].var].name)
                         : au_sprintf("fact %u fails", a);
        for (int window = 0; window < 2; window++) {
            au_solution r;
            if (window)
                au_solve_in_window(m, &o, &q.at[i], &limits, 6, &r);
            else
                au_solver_ask(solver, &q.at[i], &limits, &r);
            /* a key may stand for several steps: one of them is enough */
            if (r.answer == AU_SAT && !has(all, key)) {
                printf("the solver%s: %s\n", window ? " in a window" : "", key);
                wrong++;
            }
            c->asked++;
            c->sat += r.answer == AU_SAT && !window;
            au_solution_release(&r);
        }
        free(key);
    }
    /* … and finds as many */
    answers found = {0};
    for (size_t i = 0; i < q.n && !wrong; i++) {
        au_solution r;
        uint32_t x = q.at[i].step[0], y = q.at[i].step[1];
        bool race = q.at[i].kind == AU_ASK_RACE;
        uint32_t a = race ? event[x] : fact[x], b = race ? event[y] : AU_NONE;
        if (a == AU_NONE || (race && b == AU_NONE))
            continue;
        au_solver_ask(solver, &q.at[i], &limits, &r);
        if (r.answer == AU_SAT)
            au_vec_push(&found, race ? au_sprintf("events %u and %u race on %s", a < b ? a : b,
                                                  a < b ? b : a, m->var.at[q.at[i].var].name)
                                     : au_sprintf("fact %u fails", a));
        au_solution_release(&r);
    }
    for (size_t i = 0; i < all->n && !wrong; i++)
        if (!strstr(all->at[i], "sees") && !has(&found, all->at[i])) {
            printf("the solver misses: %s\n", all->at[i]);
            wrong++;
        }
    release(&found);
    au_vec_release(&q);
    au_solver_free(solver);
    free(event);
    free(fact);
    return wrong;
}

/* ---- parts of the run ------------------------------------------------------------------------ */

/* What can happen in a part can happen in the whole (whose initial values it has not). */
static size_t check_ranges(const au_made *k, const answers *whole, counts *c) {
    au_error err = AU_ERROR_NONE;
    au_symbolic_plan *p = au_symbolic_plan_new(&k->s, &err);
    size_t wrong = 0, n = k->t->events.n;
    for (int i = 0; i < 3 && !wrong && p; i++) {
        size_t first = au_rng_below(k->rng, (uint32_t)n + 1);
        size_t last = first + au_rng_below(k->rng, (uint32_t)(n - first) + 1);
        au_symbolic_map map;
        au_model *m = au_model_from_range(p, first, last, NULL, &map, &err);
        if (!m) {
            printf("no model of [%zu, %zu): %s\n", first, last, err.text);
            wrong++;
            break;
        }
        answers got = {0};
        bool all = false;
        wrong += answer_model(k, m, &map, &got, &all);
        size_t kept = 0;
        for (size_t a = 0; a < got.n; a++)
            if (first && strstr(got.at[a], "of -1"))
                free(got.at[a]);
            else
                got.at[kept++] = got.at[a];
        got.n = kept;
        c->parts++;
        c->in_parts += got.n;
        if (!wrong)
            wrong += missing(&got, whole, "too much in a part");
        if (wrong) {
            printf("part [%zu, %zu)\n", map.first, map.last);
            for (size_t t = 0; t < m->thread.n; t++)
                printf("%s: entry %u\n", m->thread.at[t].name, m->thread.at[t].entry);
            for (size_t v = 0; v < m->var.n; v++)
                printf("%s = %d\n", m->var.at[v].name, (int)m->var.at[v].init);
        }
        release(&got);
        au_symbolic_map_release(&map);
        au_model_free(m);
    }
    if (!p) {
        printf("no plan: %s\n", err.text);
        wrong++;
    }
    au_symbolic_plan_free(p);
    return wrong;
}

/* ---- one case ------------------------------------------------------------------------------------------ */

static size_t check_model(const au_made *k, const answers *expected, bool exact, counts *c) {
    au_error err = AU_ERROR_NONE;
    au_symbolic_map map;
    au_model *m = au_model_from_symbolic(&k->s, &map, &err);
    if (!m) {
        printf("no model: %s\n", err.text);
        return 1;
    }
    answers got = {0};
    bool all;
    size_t wrong = answer_model(k, m, &map, &got, &all);
    if (!wrong && all) {
        wrong += missing(&got, expected, "too much");
        if (exact)
            wrong += missing(expected, &got, "missing");
        c->answers += got.n;
        for (int i = 0; i < 2 && !wrong; i++)
            wrong += check_slice(k, &got, c);
        if (!wrong)
            wrong += check_ranges(k, &got, c);
        if (!wrong && !au_rng_below(k->rng, 4))
            wrong += check_solver(k, m, &map, &got, c);
    }
    release(&got);
    au_symbolic_map_release(&map);
    au_model_free(m);
    return wrong;
}

static size_t check_case(uint64_t seed, bool show, counts *c) {
    au_error err = AU_ERROR_NONE;
    char *text = au_made_text(seed);
    au_model *m = au_ctp_read(text, strlen(text), "random", NULL, &err);
    if (!m) {
        printf("%s%s\n", text, err.text);
        free(text);
        return 1;
    }
    au_rng rng;
    au_made_run r;
    au_rng_init(&rng, seed ^ 0x5eed);
    au_made_run_init(&r, m, &rng);
    au_trace *t = r.t;
    size_t wrong = 0;
    for (int pins = 0; pins < 2; pins++) {
        au_made k = {.m = m, .rng = &rng, .pins = pins, .t = t, .first = r.first.at};
        answers expected = {0};
        au_made_know(&k, &r);
        naming n = {k.event_of, k.fact_of};
        if (answers_of(m, &n, &expected)) {
            wrong += check_model(&k, &expected, !pins, c);
            c->models++;
            c->elsewhere += k.s.elsewhere.n;
            c->pinned += k.pinned;
        } else {
            c->skipped++;
        }
        if (show || wrong) {
            printf("%s", text);
            au_sync_trace_print(t);
            for (size_t i = 0; i < k.s.fact.n; i++)
                printf("fact %zu after %d\n", i, (int)k.s.fact.at[i].after);
            au_model *made = au_model_from_symbolic(&k.s, NULL, &err);
            au_out *out = au_out_memory();
            if (made && au_ctp_print(made, out, &err) == AU_OK) {
                size_t len;
                printf("%s", au_out_memory_data(out, &len));
            }
            au_out_abandon(out);
            au_model_free(made);
        }
        release(&expected);
        au_made_forget(&k);
        if (wrong)
            break;
    }
    au_made_run_release(&r);
    au_model_free(m);
    free(text);
    return wrong;
}

/* ---- every kind of synchronisation ---------------------------------------------------------- */

static size_t check_sync(uint64_t seed, bool show, counts *c) {
    au_rng rng;
    au_made_sync y;
    au_made_sync_init(&y, seed, &rng);
    au_made k = y.k;
    au_trace *t = k.t;
    const au_columns *e = &t->events;
    au_error err = AU_ERROR_NONE;
    size_t wrong = 0;
    uint32_t *step_of = NULL;
    au_model *pinned = au_model_from_trace_open(t, &step_of, &err);
    answers least = {0}, got = {0}, both = {0};
    if (pinned) { /* else: a trace that from_trace does not take either */
        au_symbolic_map map = {.last = e->n, .step_of = step_of};
        uint32_t *event, *fact;
        bool all = false;
        name_steps(pinned, &k.s, &map, k.first, &event, &fact);
        naming n = {event, fact};
        bool complete = answers_of(pinned, &n, &least);
        free(event);
        free(fact);
        au_model *m = au_model_from_symbolic(&k.s, &map, &err);
        if (!m) {
            printf("no model: %s\n", err.text);
            wrong++;
        } else {
            wrong += answer_model(&k, m, &map, &got, &all);
            /* variables that are not open have no steps */
            for (size_t i = 0; i < least.n; i++) {
                uint32_t a;
                bool seen = sscanf(least.at[i], "event %u sees", &a) == 1;
                if (!seen || map.step_of[a] != AU_NONE)
                    au_vec_push(&both, au_strdup(least.at[i]));
            }
            if (!wrong && all && complete)
                wrong += missing(&both, &got, "missing beside the pinned model");
            for (int i = 0; i < 3 && !wrong && all; i++)
                wrong += check_slice(&k, &got, c);
            if (!wrong && all)
                wrong += check_ranges(&k, &got, c);
            if (wrong || show)
                print_model(m);
            au_symbolic_map_release(&map);
            au_model_free(m);
        }
        c->sync += all;
    }
    if (wrong || show)
        au_sync_trace_print(t);
    release(&least);
    release(&got);
    release(&both);
    free(step_of);
    au_model_free(pinned);
    au_made_sync_release(&y);
    return wrong;
}

int main(int argc, char **argv) {
    cases all = {.count = 200, .seed = 1};
    uint64_t show = 0;
    const cases_option more[] = {{"show", &show}, {NULL, NULL}};
    au_cases_options(&all, argc, argv, more);
    counts c = {0};
    double begun = au_now();
    for (uint64_t i = 0; i < all.count; i++)
        if (check_case(all.seed + i, show, &c) || check_sync(all.seed + i, show, &c)) {
            printf("failing case: --seed %llu --count 1\n", (unsigned long long)(all.seed + i));
            return 1;
        }
    printf("%" PRIu64 " models (%" PRIu64 " skipped), %" PRIu64 " answers, %" PRIu64
           " other places, %" PRIu64 " pinned reads; %" PRIu64 " traces; %" PRIu64
           " slices left out %" PRIu64 " steps; %" PRIu64 " answers in %" PRIu64
           " parts; the exact stage: %" PRIu64 " questions, %" PRIu64 " found; %.1f s\n",
           c.models, c.skipped, c.answers, c.elsewhere, c.pinned, c.sync, c.slices, c.sliced,
           c.in_parts, c.parts, c.asked, c.sat, au_now() - begun);
    return 0;
}
