/* tests/random/random_solve.c: the exact stage against the oracle on tiny random models.
 *
 * For every semantics, with whole runs and prefixes, with and without a bound on the
 * changes of thread, by either backend: the answers to all questions are the oracle's,
 * a wake-up without a signal is needed for the same ones, and each schedule, executed
 * by the checker, shows what it is said to show within the bound. What the cheap stages
 * rule out is never found. */
#include "base/hash.h"
#include "base/rng.h"
#include "cases.h"
#include "certified.h"
#include "gen_model.h"
#include "model/ctp.h"
#include "model/from_trace.h"
#include "model/run.h"
#include "odd_model.h"
#include "oracle/oracle.h"
#include "solve/cheap.h"
#include "solve/grow.h"
#include "solve/held.h"
#include "solve/solve.h"
#include "solve/unreached.h"
#include "sync_trace.h"
#include "witness/check_model.h"

#include <stdio.h>

static const char *const semantics_name[] = {"ctp", "mcm", "cam", "locks"};
static const char *const atomic_name[] = {"auto", "marked", "critical", "none"};
static const char *const backend_name[] = {"cadical", "z3"};

/* What is asked of a model: the same of both. */
typedef struct {
    au_semantics semantics;
    bool whole;
    uint32_t bound; /* AU_NONE: none */
    au_atomic_blocks atomic;
    au_backend_kind backend;
    bool windows; /* ask in windows of the run, too */
    bool no_lemmas, proofs;
    bool certify; /* certificates of what is refuted, and none of what is found */
    bool full, ranges, atomic_order; /* widths; what range propagation knows; whole transactions */
    bool brief;                      /* ranges as for recordings without data */
    au_tsg_kind graph;
} way;

typedef struct {
    uint64_t models, ways, skipped, questions, found, refuted, lifted, schedules, windows, dead, z3,
        cheap, interval;
    certified_counts certified;
} counts;

/* One answer "this can happen", as text, so that a difference can be shown. */
typedef struct {
    char *key;
    bool spurious;
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

static void sort(tolds *t) {
    if (t->n)
        qsort(t->at, t->n, sizeof *t->at, by_key);
}

/* --- keys ------------------------------------------------------------------------------ */

static void put_step(au_out *o, const au_model *m, uint32_t step) {
    if (step == AU_NONE) {
        au_out_str(o, " none");
        return;
    }
    const au_step *s = &m->step.at[au_query_event(m, step)];
    au_out_printf(o, " %s.%s/%u", m->thread.at[s->thread].name, au_step_label(m, s), s->id);
}

static void put_var(au_out *o, const au_model *m, uint32_t var) {
    au_out_printf(o, " of %s", m->var.at[var].name);
}

static char *take(au_out *o) {
    size_t n;
    const char *text = au_out_memory_data(o, &n);
    char *own = au_strndup(text, n);
    au_out_abandon(o);
    return own;
}

static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Steps of which the order says nothing. */
static void put_set(au_out *o, const au_model *m, uint32_t *step, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        step[i] = au_query_event(m, step[i]);
    qsort(step, n, sizeof *step, by_number);
    for (uint32_t i = 0; i < n; i++)
        put_step(o, m, step[i]);
}

static char *oracle_key(const au_model *m, const au_oracle_finding *f) {
    static const char *const name[] = {"assert", "race", "atomicity", "deadlock", "misuse", "lost"};
    au_out *o = au_out_memory();
    uint32_t step[64];
    for (uint32_t i = 0; i < f->n_events; i++)
        step[i] = f->event[i].step;
    au_out_str(o, name[f->kind]);
    if (f->kind == AU_FOUND_RACE || f->kind == AU_FOUND_DEADLOCK)
        put_set(o, m, step, f->n_events);
    else
        for (uint32_t i = 0; i < f->n_events; i++)
            if (f->kind != AU_FOUND_LOST || i == 2) /* whose write is lost is chance */
                put_step(o, m, step[i]);
    if (f->kind == AU_FOUND_RACE || f->kind == AU_FOUND_ATOMICITY || f->kind == AU_FOUND_LOST)
        put_var(o, m, f->var);
    if (f->kind == AU_FOUND_MISUSE)
        au_out_printf(o, " of %s %c", m->obj.at[f->obj].name, f->detail[0]);
    if (f->kind == AU_FOUND_ATOMICITY)
        au_out_printf(o, " %s", f->detail);
    return take(o);
}

static char *read_key(const au_model *m, uint32_t read, uint32_t var, uint32_t writer) {
    au_out *o = au_out_memory();
    au_out_str(o, "nondet");
    put_step(o, m, read);
    put_var(o, m, var);
    put_step(o, m, writer);
    return take(o);
}

static char misuse_letter(const au_model *m, const au_query *q) {
    au_step_kind kind = m->step.at[q->step[0]].kind;
    return q->at_end ? 'h' : kind == AU_STEP_REL ? 'u' : kind == AU_STEP_WAIT ? 'w' : 'l';
}

static char *query_key(const au_model *m, const au_query *q, const au_solution *r) {
    if (q->kind == AU_ASK_NONDET)
        return read_key(m, q->step[0], q->var, q->writer);
    au_out *o = au_out_memory();
    uint32_t step[64] = {q->step[0], q->step[1]};
    switch (q->kind) {
    case AU_ASK_ASSERT:
        au_out_str(o, "assert");
        put_step(o, m, q->step[0]);
        break;
    case AU_ASK_RACE:
        au_out_str(o, "race");
        put_set(o, m, step, 2);
        put_var(o, m, q->var);
        break;
    case AU_ASK_ATOMICITY:
        au_out_str(o, "atomicity");
        for (int i = 0; i < 3; i++)
            put_step(o, m, q->step[i]);
        put_var(o, m, q->var);
        au_out_printf(o, " %c%c%c", q->write[0] ? 'W' : 'R', q->write[1] ? 'W' : 'R',
                      q->write[2] ? 'W' : 'R');
        break;
    case AU_ASK_DEADLOCK:
        au_out_str(o, "deadlock");
        for (size_t i = 0; i < r->event.n; i++)
            step[i] = r->event.at[i].step;
        put_set(o, m, step, (uint32_t)r->event.n);
        break;
    case AU_ASK_MISUSE:
        au_out_str(o, "misuse");
        put_step(o, m, q->step[0]);
        au_out_printf(o, " of %s %c", m->obj.at[q->obj].name, misuse_letter(m, q));
        break;
    case AU_ASK_LOST:
        au_out_str(o, "lost");
        put_step(o, m, q->step[2]);
        put_var(o, m, q->var);
        break;
    default:
        au_out_str(o, "?");
        break;
    }
    return take(o);
}

/* --- the oracle ------------------------------------------------------------------------- */

/* False if the model is too large for it. */
static bool ask_oracle(const au_model *m, const way *w, tolds *into) {
    au_oracle_options o = AU_ORACLE_DEFAULTS;
    au_error err = AU_ERROR_NONE;
    o.semantics = w->semantics;
    o.whole = w->whole;
    o.context_bound = w->bound;
    o.atomic = w->atomic;
    o.max_states = 20000;
    o.props = AU_PROP_ALL;
    au_oracle_result *r = au_oracle_run(m, &o, &err);
    bool all = r && r->exhaustive;
    for (size_t i = 0; all && i < r->finding.n; i++)
        au_vec_push(into, ((told){oracle_key(m, &r->finding.at[i]), r->finding.at[i].spurious}));
    for (size_t i = 0; all && i < r->read_from.n; i++) {
        const au_read_from *f = &r->read_from.at[i];
        if (f->changed)
            au_vec_push(into, ((told){read_key(m, f->read, f->var, f->writer), f->spurious}));
    }
    au_oracle_free(r);
    return all;
}

/* --- schedules ---------------------------------------------------------------------------- */

static au_schedule turns_of(const au_model *m, const au_solution *r, size_t steps) {
    au_schedule s = {au_alloc_array(r->schedule.n + 1, sizeof *s.turn), 0};
    uint64_t *done = au_alloc_array(m->thread.n, sizeof *done);
    for (size_t i = 0; i < steps; i++) {
        uint32_t t = m->step.at[r->schedule.at[i]].thread;
        if (!s.n || s.turn[s.n - 1].thread != t)
            s.turn[s.n++].thread = (uint16_t)t;
        s.turn[s.n - 1].upto = ++done[t];
    }
    free(done);
    return s;
}

/* Where only locks count the checker can still follow if there is nothing else. */
static bool only_locks(const au_model *m) {
    for (size_t i = 0; i < m->step.n; i++)
        if (m->step.at[i].kind > AU_STEP_WRACQ ||
            (m->step.at[i].obj != AU_NONE && m->obj.at[m->step.at[i].obj].kind == AU_OBJ_SEM))
            return false;
    return true;
}

static void check_schedule(const au_model *m, const way *w, const au_query *q, const au_solution *r,
                           const char *key, au_out *out) {
    static const au_kind kinds[AU_ASK_KINDS] = {
        [AU_ASK_ASSERT] = AU_KIND_ASSERTION,    [AU_ASK_RACE] = AU_KIND_RACE,
        [AU_ASK_ATOMICITY] = AU_KIND_ATOMICITY, [AU_ASK_DEADLOCK] = AU_KIND_DEADLOCK,
        [AU_ASK_MISUSE] = AU_KIND_MISUSE,       [AU_ASK_NONDET] = AU_KIND_NONDET,
        [AU_ASK_REACH] = AU_KIND_ASSERTION,     [AU_ASK_LOST] = AU_KIND_LOST};
    au_model_event event[64];
    for (size_t i = 0; i < r->event.n; i++)
        event[i] = (au_model_event){r->event.at[i].step, r->event.at[i].index};
    au_model_finding f = {.kind = kinds[q->kind],
                          .var = r->var,
                          .obj = r->obj,
                          .event = event,
                          .n_events = (uint32_t)r->event.n,
                          .schedule = turns_of(m, r, r->shown),
                          .havoc = r->havoc.at,
                          .n_havoc = (uint32_t)r->havoc.n,
                          .whole = w->whole,
                          .valueless = w->semantics >= AU_SEM_CAM};
    au_schedule whole = turns_of(m, r, r->schedule.n);
    if (w->bound != AU_NONE && whole.n > w->bound + 1)
        au_out_printf(out, "%s: %u changes of thread, bound %u\n", key, whole.n - 1, w->bound);
    free(whole.turn);
    au_check_result c;
    bool at_end = q->kind == AU_ASK_NONDET && q->step[0] == AU_NONE;
    if (at_end) { /* the checker has no rule for it: it must run, at least */
        f.kind = AU_KIND_ASSERTION;
        f.n_events = 0;
    }
    au_model_check_schedule(m, &f, &c, NULL);
    bool good = at_end        ? c.verdict != AU_CHECK_STUCK && c.step == r->schedule.n
                : f.valueless ? c.verdict == AU_CHECK_LOCKS_ONLY
                              : c.verdict == AU_CHECK_SHOWN;
    if (good && !at_end && r->shown == r->schedule.n && c.spurious != r->spurious)
        au_out_printf(out, "%s: the checker says %s wake-up without a signal is needed\n", key,
                      c.spurious ? "a" : "no");
    if (!good) {
        au_out_printf(out, "%s: verdict %d after %llu steps: %s; schedule", key, c.verdict,
                      (unsigned long long)c.step, c.why);
        for (uint32_t i = 0; i < f.schedule.n; i++)
            au_out_printf(out, " %s:%llu", m->thread.at[f.schedule.turn[i].thread].name,
                          (unsigned long long)f.schedule.turn[i].upto);
        au_out_str(out, "; events");
        for (uint32_t i = 0; i < r->event.n; i++) {
            put_step(out, m, event[i].step);
            au_out_printf(out, " (%llu)", (unsigned long long)event[i].index);
        }
        au_out_char(out, '\n');
    }
    free(f.schedule.turn);
}

/* --- the exact stage -------------------------------------------------------------------------- */

/* Every step of the model is in its observed run: no thread has another way. */
static bool is_straight(const au_model *m) {
    for (size_t t = 0; t < m->thread.n; t++)
        for (size_t n = 0; n < m->thread.at[t].node.n; n++)
            if (m->thread.at[t].node.at[n].out.n > 1)
                return false;
    return m->observed.n == m->step.n;
}

/* A window of another run of the model, in which two places meet (solve/held.h); of deadlocks, the run itself. */
static void ask_held(const au_model *m, const au_solve_options *o, const au_query *q,
                     uint64_t chance, au_solution *r) {
    au_solve_limits limits = {0};
    au_error err = AU_ERROR_NONE;
    au_other_run h;
    *r = (au_solution){.answer = AU_UNKNOWN, .why = ""};
    size_t n = m->observed.n;
    au_meeting p = {n ? chance % n : 0, n ? chance / 16 % n : 0};
    au_held_options how = {chance / 1024 % 8, AU_NONE, q->step[0], o->whole};
    if (p.low >= p.high ||
        m->step.at[m->observed.at[p.low]].thread == m->step.at[m->observed.at[p.high]].thread)
        return;
    if (chance & 4096)
        how.past = m->observed.at[p.low];
    if (!au_held_run(m, &p, &how, &h))
        return;
    au_model other = *m;
    memset(&other.observed, 0, sizeof other.observed);
    au_vec_append(&other.observed, h.order.at, h.order.n);
    AU_BUG_IF(!o->whole && au_model_check_observed(&other, NULL, &err) != AU_OK);
    size_t first = h.meet < h.order.n ? h.meet : h.order.n, last = first + 2 + chance / 64 % 12;
    if (!h.ended)
        au_solve_in(&other, o, q, &limits, first, last < h.order.n ? last : h.order.n, r);
    au_vec_release(&other.observed);
    au_vec_release(&h.order);
}

/* Windows of every kind: around the question, anywhere (what follows is in the observed order), growing
 * ones, those of another run, and the whole run, which misses nothing if threads have no other way. */
enum { AROUND, ANYWHERE, GROWING, HELD, ALL, WINDOWS };

static void ask_in(const au_model *m, const au_solve_options *o, const au_query *q, int kind,
                   uint64_t chance, au_solution *r) {
    size_t n = m->observed.n, first = n ? chance % n : 0,
           last = first + 1 + chance / 64 % (n - first + 1);
    au_solve_limits limits = {.conflicts = chance & 1 ? 1000 : 0};
    switch (kind) {
    case AROUND:
        au_solve_in_window(m, o, q, &limits, 2 + chance % 12, r);
        return;
    case ANYWHERE:
        au_solve_in(m, o, q, &limits, first, last < n ? last : n, r);
        return;
    case GROWING:
        au_solve_growing(m, o, q, &limits, 2 + chance % 12, chance & 2, r);
        return;
    case HELD:
        if (o->semantics == AU_SEM_CTP)
            ask_held(m, o, q, chance, r);
        else
            *r = (au_solution){.answer = AU_UNKNOWN, .why = ""};
        return;
    default:
        au_solve_in(m, o, q, &limits, 0, n, r);
        return;
    }
}

/* What happens in a window happens in the model. */
static void ask_windows(const au_model *m, const way *w, const au_query *q, au_answer whole,
                        uint64_t chance, counts *c, au_out *out) {
    static const char *const name[WINDOWS] = {"around", "anywhere", "growing", "held", "all"};
    au_solve_options o = AU_SOLVE_DEFAULTS;
    o.semantics = w->semantics;
    o.whole = w->whole;
    o.backend = w->backend;
    bool all = !q->at_end && !(q->kind == AU_ASK_NONDET && q->step[0] == AU_NONE) && is_straight(m);
    for (int k = 0; k < WINDOWS; k++) {
        if (w->backend == AU_BACKEND_Z3 && k == GROWING)
            continue; /* many windows take it long */
        au_solution r;
        ask_in(m, &o, q, k, chance, &r);
        if (r.answer == AU_SAT) {
            char *key = query_key(m, q, &r);
            c->windows++;
            if (whole != AU_SAT)
                au_out_printf(out, "only in a window (%s): %s\n", name[k], key);
            check_schedule(m, w, q, &r, key, out);
            free(key);
        } else if (r.answer != AU_UNKNOWN) {
            au_out_str(out, "a window refutes nothing\n");
        } else if (k == ALL && whole == AU_SAT && all) {
            au_out_printf(out, "a window of everything misses question %d of %u: %s\n", q->kind,
                          q->step[0], r.why);
        }
        au_solution_release(&r);
    }
}

/* One after the other, until there is none that is not known; how many. What happens in a window happens in the model. */
static size_t ask_dead_windows(const au_model *m, const way *w, const tolds *all, int kind,
                               uint64_t chance, counts *c, au_out *out) {
    static const char *const name[] = {"anywhere", "growing", "circles", "all", "held"};
    size_t n = m->observed.n, first = n ? chance % n : 0,
           last = first + 1 + chance / 64 % (n - first + 1);
    au_solve_limits limits = {.conflicts = chance & 1 ? 1000 : 0};
    au_solve_options o = AU_SOLVE_DEFAULTS;
    const au_query q = au_query_about(AU_ASK_DEADLOCK, AU_NONE);
    AU_VEC(au_solution) found = {0};
    o.semantics = w->semantics;
    o.whole = w->whole;
    o.backend = w->backend;
    for (bool more = true; more && found.n < 100;) {
        au_solution r = {.answer = AU_UNKNOWN};
        if (kind == 0)
            au_solve_dead_in(m, &o, found.at, found.n, &limits, first, last < n ? last : n, &r);
        else if (kind == 1)
            au_deadlocks_growing(m, &o, found.at, found.n, &limits, 2 + chance % 12, &r);
        else if (kind == 2 && w->semantics == AU_SEM_CTP)
            au_held_deadlock(m, found.at, found.n, &r);
        else if (kind == 3)
            au_solve_dead_in(m, &o, found.at, found.n, &limits, 0, n, &r);
        else if (kind == 4 && !found.n && w->semantics == AU_SEM_CTP)
            ask_held(m, &o, &q, chance, &r);
        if ((more = r.answer == AU_SAT)) {
            char *key = query_key(m, &q, &r);
            bool known = false;
            for (size_t i = 0; i < all->n; i++)
                known |= !strcmp(all->at[i].key, key);
            for (size_t i = 0; i < found.n; i++) {
                char *other = query_key(m, &q, &found.at[i]);
                if (!strcmp(key, other))
                    au_out_printf(out, "twice in windows (%s): %s\n", name[kind], key);
                free(other);
            }
            c->dead++;
            if (!known)
                au_out_printf(out, "only in a window (%s): %s\n", name[kind], key);
            check_schedule(m, w, &q, &r, key, out);
            free(key);
            au_vec_push(&found, r);
        } else {
            au_solution_release(&r);
        }
    }
    size_t shown = found.n;
    for (size_t i = 0; i < found.n; i++)
        au_solution_release(&found.at[i]);
    au_vec_release(&found);
    return shown;
}

/* all: those of the model. */
static void ask_dead(const au_model *m, const way *w, const tolds *all, uint64_t chance, counts *c,
                     au_out *out) {
    size_t dead = 0;
    for (size_t i = 0; i < all->n; i++)
        dead += !strncmp(all->at[i].key, "deadlock", 8);
    for (int k = 0; k < 5; k++) {
        if (w->backend == AU_BACKEND_Z3 && k == 1)
            continue; /* many windows take it long */
        size_t n = ask_dead_windows(m, w, all, k, chance, c, out);
        if (k == 3 && is_straight(m) && n != dead)
            au_out_printf(out, "a window of everything shows %zu of %zu deadlocks\n", n, dead);
    }
}

static void ask_solver(const au_model *m, const way *w, tolds *into, counts *c, au_out *out) {
    au_solve_options o = AU_SOLVE_DEFAULTS;
    au_error err = AU_ERROR_NONE;
    o.semantics = w->semantics;
    o.whole = w->whole;
    o.context_bound = w->bound;
    o.backend = w->backend;
    o.no_lemmas = w->no_lemmas;
    o.proofs = w->proofs;
    au_unreached *u =
        w->semantics == AU_SEM_CTP ? au_unreached_of(m, w->graph, w->whole, w->brief) : NULL;
    o.full_widths = w->full;
    o.ranges = u && w->ranges ? au_unreached_ranges(u) : NULL;
    o.atomic = w->atomic_order;
    au_solver *s = au_solver_new(m, &o, &err);
    if (!s) {
        au_out_printf(out, "refused: %s\n", err.text);
        au_unreached_free(u);
        return;
    }
    au_queries q = {0};
    au_solver_queries(s, AU_PROP_ALL, w->atomic, &q);
    bool follow = w->semantics != AU_SEM_LOCKS || only_locks(m);
    au_cssa_options co = {w->semantics, w->whole, w->bound != AU_NONE, false};
    au_cssa *cssa = au_cssa_new(m, &co, &err);
    au_cheap *cheap = au_cheap_new(cssa);
    for (size_t i = 0; i < q.n; i++) {
        int stage = au_cheap_stage(cheap, &q.at[i]);
        if (stage == AU_STAGE_MUST_HB && w->semantics == AU_SEM_LOCKS)
            stage = AU_STAGES; /* fork and join do not count there */
        c->cheap += stage != AU_STAGES;
        if (stage == AU_STAGES && u && au_unreached_rules_out(u, &q.at[i])) {
            stage = AU_STAGE_INTERVAL;
            c->interval++;
        }
        for (unsigned again = 0; again < 200; again++) {
            au_solve_limits limits = {0};
            au_solution r;
            au_solver_ask(s, &q.at[i], &limits, &r);
            c->questions++;
            c->found += r.answer == AU_SAT;
            c->refuted += r.answer == AU_UNSAT;
            c->lifted += r.answer == AU_UNSAT && w->bound != AU_NONE && r.any_bound;
            bool more = r.answer == AU_SAT && q.at[i].kind == AU_ASK_DEADLOCK;
            if (w->windows && q.at[i].kind == AU_ASK_DEADLOCK && r.answer == AU_UNSAT)
                ask_dead(m, w, into, au_hash_join(i, m->step.n), c, out);
            else if (w->windows && q.at[i].kind != AU_ASK_DEADLOCK && r.answer != AU_UNKNOWN)
                ask_windows(m, w, &q.at[i], r.answer, au_hash_join(i, m->step.n), c, out);
            if (w->certify && !again && q.at[i].kind != AU_ASK_LOST && r.answer != AU_UNKNOWN &&
                !au_certified(m, w->whole, &q.at[i], r.answer, &c->certified, out)) {
                char *key = query_key(m, &q.at[i], &r);
                au_out_printf(out, "… %s\n", key);
                free(key);
            }
            if (r.answer == AU_SAT) {
                char *key = query_key(m, &q.at[i], &r);
                au_vec_push(into, ((told){key, r.spurious}));
                if (stage != AU_STAGES)
                    au_out_printf(out, "%s: the stage %s ruled it out\n", key,
                                  au_stage_name(stage));
                if (follow) {
                    check_schedule(m, w, &q.at[i], &r, key, out);
                    c->schedules++;
                }
            } else if (r.answer == AU_UNKNOWN) {
                au_out_printf(out, "not decided: %s\n", r.why);
            }
            au_solution_release(&r);
            if (!more)
                break;
        }
    }
    au_cheap_free(cheap);
    au_cssa_free(cssa);
    au_vec_release(&q);
    au_solver_free(s);
    au_unreached_free(u);
}

static void compare(const au_model *m, const way *w, tolds *oracle, tolds *solver, au_out *out) {
    sort(oracle);
    sort(solver);
    bool ignores_sync = w->semantics == AU_SEM_LOCKS;
    (void)m;
    for (size_t i = 0, j = 0; i < oracle->n || j < solver->n;) {
        int d = i == oracle->n   ? 1
                : j == solver->n ? -1
                                 : strcmp(oracle->at[i].key, solver->at[j].key);
        if (d < 0)
            au_out_printf(out, "only the oracle: %s\n", oracle->at[i].key);
        else if (d > 0)
            au_out_printf(out, "only the solver: %s\n", solver->at[j].key);
        else if (!ignores_sync && oracle->at[i].spurious != solver->at[j].spurious)
            au_out_printf(out, "%s: a wake-up without a signal is needed, says only the %s\n",
                          oracle->at[i].key, oracle->at[i].spurious ? "oracle" : "solver");
        i += d <= 0;
        j += d >= 0;
    }
}

/* NULL, or what differs (the caller's). */
static char *ask(const au_model *m, const way *w, counts *c) {
    tolds oracle = {0}, solver = {0};
    char *found = NULL;
    c->ways++;
    if (!ask_oracle(m, w, &oracle)) {
        c->skipped++;
    } else {
        au_out *out = au_out_memory();
        ask_solver(m, w, &solver, c, out);
        c->z3 += w->backend == AU_BACKEND_Z3;
        compare(m, w, &oracle, &solver, out);
        found = take(out);
        if (!*found) {
            free(found);
            found = NULL;
        }
    }
    release(&oracle);
    release(&solver);
    return found;
}

/* --- a disagreement, made small ------------------------------------------------------------ */

static au_model *read_model(const char *text) {
    au_error err = AU_ERROR_NONE;
    au_ctp_options o = {.unroll = 2};
    au_model *m = au_ctp_read(text, strlen(text), "model", &o, &err);
    if (m)
        au_model_observe(m);
    return m;
}

static char *ask_text(const char *text, const way *w) {
    counts c = {0};
    au_model *m = read_model(text);
    char *found = m ? ask(m, w, &c) : NULL;
    au_model_free(m);
    return found;
}

static bool still_differs(const char *text, void *ctx) {
    char *found = ask_text(text, ctx);
    free(found);
    return found != NULL;
}

static void show(const char *text, const way *w, uint64_t seed) {
    way small = *w;
    if (small.bound != AU_NONE) { /* without a bound is easier to read */
        small.bound = AU_NONE;
        if (!still_differs(text, &small))
            small = *w;
    }
    char *less = au_shrink_ctp(text, still_differs, &small), *found = ask_text(less, &small);
    printf("seed %llu: the exact stage and the oracle differ\n", (unsigned long long)seed);
    printf("--model %s --atomic %s --backend %s%s", semantics_name[small.semantics],
           atomic_name[small.atomic], backend_name[small.backend],
           small.whole ? " --no-prefix" : "");
    printf("%s%s%s", small.full ? " --widths full" : "", small.ranges ? " with ranges" : "",
           small.atomic_order ? " --order transactions" : "");
    if (small.bound != AU_NONE)
        printf(" --context-bound %u", small.bound);
    printf("\n%s\n%s", less, found);
    free(less);
    free(found);
}

static bool still_a_model(const char *text) {
    au_model *m = read_model(text);
    au_model_free(m);
    return m != NULL;
}

/* --- models ------------------------------------------------------------------------------------ */

enum { WAYS = 8 }; /* semantics, whole or not */

/* A random trace with values as a model; NULL if it has no text. */
static char *text_of_trace(au_rng *r) {
    au_error err = AU_ERROR_NONE;
    au_trace *t = au_sync_trace(r, 2 + au_rng_below(r, 2), 6 + au_rng_below(r, 10), 2, ST_ALL);
    if (au_rng_below(r, 3) == 0)
        au_sync_trace_widen(t, r);
    au_model *m = au_model_from_trace(t, NULL, &err);
    au_out *out = au_out_memory();
    char *text = NULL;
    if (m && au_ctp_print(m, out, &err) == AU_OK)
        text = take(out);
    else
        au_out_abandon(out);
    au_model_free(m);
    au_trace_free(t);
    return text;
}

/* Mostly what models by hand have; else so few that sums wrap, or many. */
static unsigned some_width(au_rng *r) {
    static const uint8_t other[] = {4, 4, 5, 8, 33, 64};
    return au_rng_below(r, 3) ? 32 : other[au_rng_below(r, 6)];
}

/* Sections of one lock that add to a variable, and what may disturb them: what the lemmas
 * about commuting stores and sections are for. */
static char *text_of_sums(au_rng *r) {
    au_out *o = au_out_memory();
    unsigned width = some_width(r);
    unsigned threads = 2 + au_rng_below(r, 2), label = 0;
    bool joined = au_rng_below(r, 2);
    unsigned x = au_rng_below(r, 3) ? 0 : au_rng_below(r, 6);
    int sum = (int)x;
    au_out_printf(o, "shared x : %u = %u\nshared y : %u = 0\nshared z : %u = 2\nlock l\nlock k\n",
                  width, x, width, width);
    for (unsigned t = 0; t < threads; t++) {
        au_out_printf(o, "thread T%u {\n  local a : %u\n", t, width);
        unsigned parts = threads == 3 ? 1 + au_rng_below(r, 2) : 1 + au_rng_below(r, 3);
        for (unsigned i = 0; i < parts; i++) {
            int c = (int)au_rng_below(r, 5) - 1;
            unsigned what = au_rng_below(r, 19);
            const char *lock = au_rng_below(r, 16) ? "l" : "k",
                       *var = au_rng_below(r, 6) ? "x" : "y";
            if (what != 12 && what != 13)
                au_out_printf(o, "  t%u: acq %s\n", ++label, lock);
            if (what < 8) {
                au_out_printf(o, "  t%u: %s := %s + %d\n", ++label, var, var, c);
                sum += *var == 'x' ? c : 0;
            } else if (what == 8) {
                au_out_printf(o, "  t%u: a := x\n  t%u: x := a + 1\n  t%u: y := a\n", label + 1,
                              label + 2, label + 3);
                label += 3;
                sum++;
            } else if (what == 9) {
                au_out_printf(o, "  t%u: assert x <= %d\n", ++label, c + 1);
            } else if (what == 10) {
                au_out_printf(o, "  t%u: if (x == %d) {\n    t%u: x := x + 1\n  }\n", label + 1, c,
                              label + 2);
                label += 2;
            } else if (what == 11) {
                au_out_printf(o, "  t%u: x := %d\n", ++label, c);
            } else if (what == 12) {
                au_out_printf(o, "  t%u: [x := x + %d]\n", ++label, c);
            } else if (what == 13) {
                au_out_printf(o, "  t%u: assert x != %d\n", ++label, c + 1);
            } else if (what >= 16) { /* bits, mostly those that nobody changes otherwise */
                static const char *const change[] = {"z | 1", "z | 5",   "z & ~2", "(z & ~2) | 4",
                                                     "z ^ 8", "~z & 11", "z & ~1", "(z | 4) ^ 8",
                                                     "5",     "5"};
                au_out_printf(o, "  t%u: z := %s\n", ++label,
                              change[au_rng_below(r, sizeof change / sizeof *change)]);
                if (au_rng_below(r, 2))
                    au_out_printf(o, "  t%u: assert z != %u\n", ++label, au_rng_below(r, 16));
            } else {
                au_out_printf(o, "  t%u: x := x + 1\n  t%u: x := x + %d\n", label + 1, label + 2,
                              c);
                label += 2;
                sum += 1 + c;
            }
            if (what != 12 && what != 13)
                au_out_printf(o, "  t%u: rel %s\n", ++label, lock);
        }
        au_out_str(o, "}\n");
    }
    if (joined) {
        au_out_str(o, "thread M {\n");
        if (au_rng_below(r, 2)) { /* set up before all others */
            int begin = (int)au_rng_below(r, 7) - 3;
            au_out_printf(o, "  t%u: x := %d\n", ++label, begin);
            sum += begin - (int)x;
        }
        for (unsigned t = 0; t < threads; t++)
            au_out_printf(o, "  t%u: fork T%u\n", ++label, t);
        for (unsigned t = 0; t < threads; t++)
            au_out_printf(o, "  t%u: join T%u\n", ++label, t);
        uint64_t mask = UINT64_MAX >> (64 - width);
        au_out_printf(o, "  t%u: assert x == 0x%llx\n}\n", ++label,
                      (unsigned long long)((uint64_t)sum & mask));
    }
    return take(o);
}

/* Threads that add to shared counters, mostly under locks: what is encoded as a sum. */
static char *text_of_counters(au_rng *r) {
    au_out *o = au_out_memory();
    uint32_t threads = 2 + au_rng_below(r, 2), budget = 7, sloppy = au_rng_below(r, 3);
    unsigned width = some_width(r);
    au_out_printf(o, "shared x : %u = 0\nshared y : %u = 1\nlock l\nlock k\nsem s = 1\n", width,
                  width);
    for (uint32_t t = 0; t < threads; t++) {
        au_out_printf(o, "thread T%u {\n  local q%u : %u\n", t, t, width);
        uint32_t n = 1 + au_rng_below(r, 3);
        for (uint32_t i = 0; i < n && budget; i++, budget--) {
            const char *v = au_rng_below(r, 3) ? "x" : "y";
            const char *lock = sloppy && au_rng_below(r, 4) == 0 ? "k" : "l";
            uint32_t c = au_rng_below(r, 4);
            switch (au_rng_below(r, 8)) {
            case 0:
                au_out_printf(o, "  [%s := %s + %u]\n", v, v, c);
                break;
            case 1:
                au_out_printf(o, "  assert %s <= %u\n", v, c + 2);
                break;
            case 2:
                au_out_printf(o, "  acq s\n  %s := %s - %u\n  rel s\n", v, v, c);
                break;
            case 3:
                au_out_printf(o, "  if (%s > %u) {\n  acq %s\n  %s := %s + 1\n  rel %s\n  }\n", v,
                              c, lock, v, v, lock);
                break;
            case 4:
                au_out_printf(o, "  acq k\n  acq l\n  %s := %s + %u\n  rel l\n  rel k\n", v, v, c);
                break;
            default:
                au_out_printf(o, "  acq %s\n  q%u := %s\n  %s := q%u + %u\n  rel %s\n", lock, t, v,
                              sloppy == 2 && au_rng_below(r, 4) == 0 ? "y" : v, t, c, lock);
                break;
            }
        }
        au_out_printf(o, "  assume x != %u\n  assert x + y < %u\n}\n", au_rng_below(r, 3),
                      3 + au_rng_below(r, 4));
    }
    return take(o);
}

/* Tiny ones of every kind mostly; larger ones, such as traces give, sums, counters. */
static char *make_text(uint64_t seed) {
    au_rng r;
    au_rng_init(&r, au_hash_join(seed, 80));
    char *text = NULL;
    switch (au_rng_below(&r, 8)) {
    case 0: {
        au_gen_ctp_options o = au_gen_ctp_defaults(2);
        o.misuse = au_rng_below(&r, 4) == 0;
        o.tries = au_rng_below(&r, 3) == 0;
        o.loops = au_rng_below(&r, 2);
        o.widths = au_rng_below(&r, 4) == 0;
        text = au_gen_ctp(seed, &o);
        break;
    }
    case 1:
        text = text_of_trace(&r);
        break;
    case 2:
        text = text_of_sums(&r);
        break;
    case 3:
        text = text_of_counters(&r);
        break;
    default:
        break;
    }
    if (text && still_a_model(text))
        return text;
    free(text);
    return au_odd_ctp(seed);
}

/* False on a disagreement, which is then shown. */
/* z3, certify: one way in so many is asked of it, or gets certificates; 0: none. */
static bool one_model(uint64_t seed, uint32_t z3, uint32_t certify, counts *c) {
    char *text = make_text(seed);
    au_model *m = read_model(text);
    AU_BUG_IF(!m);
    au_rng r;
    au_rng_init(&r, au_hash_join(seed, 79));
    bool same = true;
    c->models++;
    au_cases_enter(seed);
    for (unsigned i = 0; i < WAYS && same; i++) {
        if (au_rng_below(&r, 2)) /* more models rather than every way of each */
            continue;
        way w = {.semantics = (au_semantics)(i & 3), .whole = i >> 2, .bound = AU_NONE};
        w.atomic = (au_atomic_blocks)au_rng_below(&r, 3);
        for (unsigned k = 0; k < 2 && same; k++) {
            if (k)
                w.bound = au_rng_below(&r, 4);
            bool other = au_rng_below(&r, z3 ? z3 : 1) == 0 && z3;
            w.backend = other ? AU_BACKEND_Z3 : AU_BACKEND_CADICAL;
            w.no_lemmas = au_rng_below(&r, 6) == 0;
            w.proofs = au_rng_below(&r, 4) == 0;
            w.full = au_rng_below(&r, 5) == 0;
            w.ranges = au_rng_below(&r, 2);
            w.brief = seed % 3 == 0;
            w.atomic_order = au_rng_below(&r, 2);
            w.graph = seed % 4 == 1 ? AU_TSG_CCFG : seed % 4 == 2 ? AU_TSG_MAT : AU_TSG_MAT_PRIME;
            w.windows = !k &&
                        (w.semantics == AU_SEM_CTP || (w.semantics == AU_SEM_CAM && !w.whole)) &&
                        au_rng_below(&r, 3) == 0;
            w.certify = !k && w.semantics == AU_SEM_CTP &&
                        au_rng_below(&r, certify ? certify : 1) == 0 && certify;
            char *found = ask(m, &w, c);
            if (found)
                show(text, &w, seed);
            same = !found;
            free(found);
        }
    }
    au_model_free(m);
    free(text);
    return same;
}

int main(int argc, char **argv) {
    cases all = {.count = 100, .seed = 1, .most = 1};
    uint64_t bad = 0, z3 = 16, certify = 4;
    const cases_option more[] = {{"z3", &z3}, {"certify", &certify}, {NULL, NULL}};
    au_cases_options(&all, argc, argv, more);
    counts c = {0};
    for (uint64_t i = 0; i < all.count && bad < all.most; i++)
        bad += !one_model(au_cases_seed(&all, i), (uint32_t)z3, (uint32_t)certify, &c);
    printf("%llu models, %llu ways (%llu skipped, %llu by z3), %llu questions: %llu found, %llu "
           "refuted (%llu for any bound, %llu by cheap stages, %llu by ranges), %llu schedules, "
           "%llu and %llu deadlocks in windows, %llu certified (%llu reasons); "
           "%llu disagreements\n",
           (unsigned long long)c.models, (unsigned long long)c.ways, (unsigned long long)c.skipped,
           (unsigned long long)c.z3, (unsigned long long)c.questions, (unsigned long long)c.found,
           (unsigned long long)c.refuted, (unsigned long long)c.lifted, (unsigned long long)c.cheap,
           (unsigned long long)c.interval, (unsigned long long)c.schedules,
           (unsigned long long)c.windows, (unsigned long long)c.dead,
           (unsigned long long)c.certified.proofs, (unsigned long long)c.certified.reasons,
           (unsigned long long)bad);
    return bad != 0;
}
