/* funnel/exact.c: questions to the exact stage, answered in worker processes.
 *
 * A worker makes its solver once and asks it in a fork for each batch: what it learns from a question serves
 * the rest of that batch only. Which questions make a batch does not depend on the machine, so that the same
 * check gives the same schedules with any number of workers and in any number of shards. A worker answers
 * within the time limit by itself if it can; if it cannot (the library does not look at the clock, or memory
 * ends), it is killed, and the question it was at stays open. */
#include "funnel/exact.h"

#include "base/clock.h"
#include "base/deadline.h"
#include "base/limits.h"
#include "base/progress.h"
#include "base/worker.h"
#include "funnel/answers.h"
#include "solve/changes.h"
#include "solve/grow.h"
#include "solve/memory.h"

#include <stdio.h>
#include <string.h>

enum {
    BATCHES = 16,       /* into which the questions of a call are divided … */
    LARGEST_BATCH = 16, /* … or more: small enough for many machines */
    FEW = 4,      /* questions, of which each is worth windows before the whole run is encoded */
    SOME = 64,    /* … of which it is encoded all the same, if it is not too long */
    LONG = 800,   /* steps */
    BRIEF = 1000, /* conflicts of a search that is given up for a while */
    TRANSACTIONS = 200, /* steps from which they are ordered as a whole */
    MANY_BLOCKS = 16,
    FEW_PAIRS = 100000
};

/* Seconds for a lost update: a few steps show it, or else every value of the run may matter. */
static const double TO_LOSE = 10;

/* What a worker keeps. */
typedef struct {
    const au_exact *e;
    uint32_t batch, call;
    double seconds;        /* a question may take; 0: no limit */
    uint64_t model;        /* its digest */
    const uint32_t *todo;  /* job: question */
    au_solver **solver;    /* by bound and backend */
    uint32_t done, n_todo; /* the parent's */
    bool stopped;
    char why[200]; /* why there is no solver */
} pool;

bool au_exact_in_windows(const au_plan *p, const au_model *m) {
    return p->window && m->observed.n > p->window && p->bound == AU_NONE &&
           (!p->whole || p->semantics == AU_SEM_CTP);
}

/* May a window show it? Then a long run is asked about in small windows, too; that the search in each ends after so
 * many conflicts, and not after some time, keeps answers the same on every machine. */
static bool grows(const au_exact *e, const au_query *q, au_backend_kind backend) {
    const au_plan *p = e->plan;
    return p->window && e->m->observed.n > 2 * AU_GROW_FIRST && p->bound == AU_NONE &&
           backend == AU_BACKEND_CADICAL &&
           (q->kind != AU_ASK_DEADLOCK || au_exact_in_windows(p, e->m)) &&
           (p->semantics == AU_SEM_CTP || (p->semantics == AU_SEM_CAM && !p->whole));
}

/* … before the whole run is encoded? */
static bool grows_first(const au_exact *e) {
    return e->query->n <= FEW && e->m->observed.n > LONG;
}

static double seconds_for(const pool *p, const au_query *q) {
    bool less = (q->kind == AU_ASK_LOST || q->kind == AU_ASK_STALE) &&
                (p->seconds <= 0 || p->seconds > TO_LOSE);
    return less ? TO_LOSE : p->seconds;
}

/* --- the worker's side --------------------------------------------------------------- */

static void put_u32(au_out *o, uint32_t v) {
    au_out_write(o, &v, sizeof v);
}

static void put_text(au_out *o, const char *s) {
    put_u32(o, (uint32_t)strlen(s));
    au_out_str(o, s);
}

static void put_solution(au_out *o, const au_solution *s) {
    const uint32_t head[7] = {s->spurious,
                              s->var,
                              s->obj,
                              (uint32_t)s->shown,
                              (uint32_t)s->schedule.n,
                              (uint32_t)s->event.n,
                              (uint32_t)s->havoc.n};
    au_out_write(o, head, sizeof head);
    au_out_write(o, s->schedule.at, s->schedule.n * sizeof *s->schedule.at);
    au_out_write(o, s->event.at, s->event.n * sizeof *s->event.at);
    au_out_write(o, s->havoc.at, s->havoc.n * sizeof *s->havoc.at);
}

/* Transactions have fewer places in the order than events, and their graph is made for ranges anyway. Measured on the rows
 * of the benchmark: never slower where the model is not short, up to six times as fast. */
static bool in_transactions(const au_exact *e) {
    return e->plan->transactions || (!e->plan->events && e->m->step.n >= TRANSACTIONS);
}

/* Questions that need the order of events. Then broken blocks, which share their encoding with them, use that, too, unless
 * there are so many that another encoding pays. */
static bool has_others(const au_exact *e) {
    size_t blocks = 0, others = 0;
    for (size_t i = 0; i < e->query->n; i++) {
        au_ask_kind k = e->query->at[i].kind;
        others += k == AU_ASK_RACE || k == AU_ASK_DEADLOCK || k == AU_ASK_MISUSE;
        blocks += k == AU_ASK_ATOMICITY || k == AU_ASK_NONDET;
    }
    return others && blocks < MANY_BLOCKS;
}

static au_solver *solver_for(pool *p, uint32_t bound, au_backend_kind backend, au_error *err) {
    const au_plan *plan = p->e->plan;
    uint32_t bounds = plan->bound == AU_NONE ? 1 : plan->bound - plan->bound_from + 1;
    if (!p->solver)
        p->solver = au_alloc_array((size_t)bounds * 2 + 2, sizeof *p->solver);
    uint32_t at = bound == AU_NONE ? bounds : bound - plan->bound_from; /* the last: without one */
    au_solver **s = &p->solver[at * 2 + backend];
    if (!*s) {
        au_solve_options o = {.semantics = plan->semantics,
                              .whole = plan->whole,
                              .context_bound = bound,
                              .backend = backend,
                              .full_widths = plan->full_widths,
                              .ranges =
                                  plan->full_widths && !plan->transactions ? NULL : p->e->ranges,
                              .atomic = in_transactions(p->e),
                              .apart = !plan->transactions && has_others(p->e),
                              .keep = plan->dump};
        *s = au_solver_new(p->e->m, &o, err);
        if (*s)
            au_solver_prepare(*s, p->e->query);
    }
    return *s;
}

/* Pairs of steps that touch the same, about: what an encoding without a bound costs. */
static bool is_cheap(const au_model *m) {
    uint64_t pairs = 0;
    uint32_t *touched = au_alloc_array(m->var.n + 1, sizeof *touched);
    for (size_t s = 0; s < m->step.n; s++)
        for (uint32_t k = 0; k < m->step.at[s].n_accesses; k++)
            pairs += touched[m->step.at[s].access[k].var]++;
    free(touched);
    return pairs <= FEW_PAIRS;
}

/* Without a bound it is asked about at once, and not in windows. */
static bool is_asked_whole(const au_exact *e) {
    return e->m->observed.n <= 2 * AU_GROW_FIRST || !e->plan->window ||
           (e->query->n > FEW && e->m->step.n <= 2 * LONG && is_cheap(e->m));
}

/* Forks and joins alone take more changes of thread than that, whatever is asked. */
static bool are_far(const au_exact *e, uint32_t bound) {
    bool far = true;
    for (size_t i = 0; i < e->query->n && far; i++)
        far = au_changes_exceed(e->m, e->plan->semantics, &e->query->at[i], bound);
    return far;
}

/* What goes wrong goes wrong again when the first question is asked, and is told there. */
static void prepare(void *ctx) {
    pool *p = ctx;
    const au_exact *e = p->e;
    const au_plan *plan = e->plan;
    bool bounded = plan->bound != AU_NONE;
    uint32_t bound = bounded ? plan->bound_from : AU_NONE;
    au_error err = AU_ERROR_NONE;
    au_solve_on_no_memory(au_job_no_memory);
    if (au_exact_in_windows(plan, e->m) || grows_first(e) ||
        (bounded && (e->m->step.n > 2 * LONG || e->query->n <= FEW)))
        return; /* made when it is needed */
    bool unbound = plan->cadical && bounded && !plan->dump && is_cheap(e->m) &&
                   (is_asked_whole(e) || are_far(e, bound));
    if (unbound)
        solver_for(p, AU_NONE, AU_BACKEND_CADICAL, &err);
    if (plan->cadical && !unbound) /* else: often not needed */
        solver_for(p, bound, AU_BACKEND_CADICAL, &err);
    if (plan->z3)
        solver_for(p, bound, AU_BACKEND_Z3, &err);
}

static void drop_solvers(pool *p) {
    const au_plan *plan = p->e->plan;
    uint32_t bounds = plan->bound == AU_NONE ? 1 : plan->bound - plan->bound_from + 1;
    for (uint32_t i = 0; p->solver && i < bounds * 2 + 2; i++) {
        au_solver_free(p->solver[i]);
        p->solver[i] = NULL;
    }
}

/* One backend, one bound: all that it has to say. */
typedef struct {
    bool whole; /* deadlocks: of the whole run; those found there are not looked for in windows */
    au_answer answer; /* the last one: of a deadlock question that it found all, UNSAT */
    bool any_bound;
    char why[200];
    AU_VEC(au_solution) found;
} heard;

static void forget(heard *h) {
    for (size_t i = 0; i < h->found.n; i++)
        au_solution_release(&h->found.at[i]);
    au_vec_release(&h->found);
}

/* Is a run that is too long asked about at once all the same, when no window shows it? It may be refuted. (Who runs out of
 * memory for that tells nothing of what windows have shown.) */
static bool tries_all(const au_exact *e, const au_query *q, const heard *h) {
    size_t n = e->m->observed.n, window = e->plan->window;
    if (q->kind == AU_ASK_DEADLOCK && (h->found.n || !is_cheap(e->m)))
        return false;
    return n <= (e->query->n <= FEW ? 4 : 2) * window && e->query->n <= SOME;
}

static void ask_windows(const pool *p, const au_query *q, au_backend_kind backend, const heard *h,
                        const au_solve_limits *limits, au_solution *r) {
    const au_plan *plan = p->e->plan;
    size_t n = p->e->m->observed.n, largest = n / 2 < plan->window ? n / 2 : plan->window;
    au_solve_options o = {.semantics = plan->semantics,
                          .whole = plan->whole,
                          .context_bound = AU_NONE,
                          .backend = backend,
                          .keep = plan->dump};
    if (q->kind == AU_ASK_DEADLOCK)
        au_deadlocks_growing(p->e->m, &o, h->found.at, h->found.n, limits, largest, r);
    else
        au_solve_growing(p->e->m, &o, q, limits, largest, p->e->query->n <= FEW, r);
}

/* What is left of the time for a question; 0: no limit. */
static double time_left(const pool *p, const au_query *q, double begun) {
    double seconds = seconds_for(p, q), left = seconds - (au_now() - begun);
    return seconds <= 0 ? 0 : left > 0.001 ? left : 0.001;
}

static uint32_t changes_of(const au_model *m, const au_solution *r) {
    uint32_t n = 0;
    for (size_t i = 1; i < r->schedule.n; i++)
        n += m->step.at[r->schedule.at[i]].thread != m->step.at[r->schedule.at[i - 1]].thread;
    return n;
}

/* Without the bound, which is often decided sooner: what cannot happen at all cannot with few changes of thread, and a
 * schedule has few of them if it can. Of a long run that is asked in small windows, of another at once if that is cheap.
 * far: it needs more changes than that, so that it only remains to tell whether it could happen with them. */
static void ask_unbound(pool *p, const au_query *q, uint32_t bound, bool far, const heard *h,
                        double seconds, au_solution *r) {
    const au_exact *e = p->e;
    au_error err = AU_ERROR_NONE;
    au_solve_limits limits = {.seconds = seconds, .conflicts = BRIEF};
    if (!far && !is_asked_whole(e)) {
        ask_windows(p, q, AU_BACKEND_CADICAL, h, &limits, r);
    } else if (is_cheap(e->m) && (!far || e->m->step.n <= (e->query->n > FEW ? 2 : 1) * LONG)) {
        au_solver *s = solver_for(p, AU_NONE, AU_BACKEND_CADICAL, &err);
        if (s)
            au_solver_ask(s, q, &limits, r);
        r->any_bound = r->answer == AU_UNSAT;
    }
    if (r->answer == AU_UNSAT || (r->answer == AU_SAT && !far && changes_of(e->m, r) <= bound))
        return;
    au_solution_release(r);
    *r = (au_solution){
        .answer = far ? AU_UNSAT : AU_UNKNOWN, .why = "", .var = q->var, .obj = q->obj};
}

/* The solver of the whole run is told what windows have shown. */
static void tell_known(heard *h, au_solver *s) {
    for (size_t i = 0; i < h->found.n && !h->whole; i++) {
        au_u32s core = {0};
        for (size_t k = 0; k < h->found.at[i].event.n; k++)
            au_vec_push(&core, h->found.at[i].event.at[k].step);
        au_solver_know(s, &core);
        au_vec_release(&core);
    }
    h->whole = true;
}

/* The whole run, but windows as soon as that turns out to be hard: they only ever say yes. */
static void ask_once(pool *p, const au_query *q, uint32_t bound, au_backend_kind backend,
                     const char *dump, double begun, heard *h, au_solution *r) {
    const au_exact *e = p->e;
    bool is_long = au_exact_in_windows(e->plan, e->m),
         windows = (is_long || grows(e, q, backend)) && !h->whole;
    au_error err = AU_ERROR_NONE;
    au_solve_limits limits = {.dump = dump};
    *r = (au_solution){.answer = AU_UNKNOWN, .why = "", .var = q->var, .obj = q->obj};
    if (bound != AU_NONE && backend == AU_BACKEND_CADICAL && !dump && q->kind != AU_ASK_DEADLOCK)
        ask_unbound(p, q, bound, au_changes_exceed(e->m, e->plan->semantics, q, bound), h,
                    time_left(p, q, begun) / 3, r);
    enum { BRIEFLY, IN_WINDOWS, AT_LAST, TURNS };
    const bool does[TURNS] = {[BRIEFLY] = windows && !is_long && !grows_first(e) &&
                                          q->kind != AU_ASK_LOST && q->kind != AU_ASK_STALE,
                              [IN_WINDOWS] = windows,
                              [AT_LAST] = !is_long || tries_all(e, q, h)};
    for (int turn = 0; turn < TURNS && r->answer == AU_UNKNOWN; turn++) {
        if (!does[turn])
            continue;
        limits.seconds = time_left(p, q, begun);
        if (turn == IN_WINDOWS && does[AT_LAST])
            limits.seconds /= 3;
        limits.conflicts = turn == AT_LAST ? 0 : BRIEF;
        au_solution_release(r);
        if (turn == IN_WINDOWS) {
            ask_windows(p, q, backend, h, &limits, r);
            continue;
        }
        au_solver *s = solver_for(p, bound, backend, &err);
        if (s) {
            if (q->kind == AU_ASK_DEADLOCK)
                tell_known(h, s);
            au_solver_ask(s, q, &limits, r);
        } else {
            snprintf(p->why, sizeof p->why, "%.190s", err.text);
            *r = (au_solution){.answer = AU_UNKNOWN, .why = p->why};
        }
    }
}

static void listen(pool *p, uint32_t question, uint32_t bound, au_backend_kind backend, heard *h) {
    const au_plan *plan = p->e->plan;
    const au_query *q = &p->e->query->at[question];
    *h = (heard){.answer = AU_UNKNOWN};
    char *dump = NULL;
    double begun =
        au_now(); /* of all deadlocks together: who takes longer is killed, and tells none */
    do {
        if (plan->dump) {
            free(dump);
            dump = bound == AU_NONE ? au_sprintf("%s/q%u", plan->dump, question + 1)
                                    : au_sprintf("%s/q%u-bound%u", plan->dump, question + 1, bound);
            if (h->found.n) {
                char *more = au_sprintf("%s-%zu", dump, h->found.n + 1);
                free(dump);
                dump = more;
            }
        }
        au_solution r;
        ask_once(p, q, bound, backend, dump, begun, h, &r);
        h->answer = r.answer;
        h->any_bound = r.any_bound;
        snprintf(h->why, sizeof h->why, "%.190s", r.why);
        if (r.answer == AU_SAT)
            au_vec_push(&h->found, r);
        else
            au_solution_release(&r);
        /* How far it came depends on the machine; the next answer must not. */
        if (h->answer == AU_UNKNOWN && p->seconds > 0 && au_now() - begun >= p->seconds)
            drop_solvers(p);
    } while (h->answer == AU_SAT && q->kind == AU_ASK_DEADLOCK &&
             h->found.n < AU_LIMIT_SOLVE_DEADLOCKS && !plan->first);
    if (h->found.n >= AU_LIMIT_SOLVE_DEADLOCKS && h->answer == AU_SAT)
        snprintf(h->why, sizeof h->why, "%s",
                 au_limit_say(AU_AT_SOLVE_DEADLOCKS, 0, 0, (char[AU_LIMIT_TEXT]){0}));
    free(dump);
}

static void send(au_out *out, au_exact_end end, const heard *h, const char *why) {
    put_u32(out, end);
    put_u32(out, h->any_bound);
    put_text(out, why);
    put_u32(out, (uint32_t)h->found.n);
    for (size_t i = 0; i < h->found.n; i++)
        put_solution(out, &h->found.at[i]);
}

static bool agree(const heard *a, const heard *b) {
    if (a->answer == AU_UNKNOWN || b->answer == AU_UNKNOWN)
        return true; /* nothing to compare */
    return a->answer == b->answer && (a->found.n > 0) == (b->found.n > 0) &&
           (a->answer == AU_SAT || a->found.n == b->found.n);
}

/* True: this answer is the last word, whatever larger bounds say. */
static bool ask_at(pool *p, uint32_t question, uint32_t bound, bool last, au_out *out) {
    const au_plan *plan = p->e->plan;
    heard h, other = {.answer = AU_UNKNOWN};
    listen(p, question, bound, plan->cadical ? AU_BACKEND_CADICAL : AU_BACKEND_Z3, &h);
    bool done = true;
    if (plan->cadical && plan->z3)
        listen(p, question, bound, AU_BACKEND_Z3, &other);
    if (plan->cadical && plan->z3 && !agree(&h, &other)) {
        char why[160];
        snprintf(why, sizeof why, "cadical says %s, z3 says %s",
                 h.found.n ? "it can happen" : "it cannot",
                 other.found.n ? "it can happen" : "it cannot");
        send(out, AU_EXACT_DISAGREE, &h, why);
    } else if (h.answer == AU_UNKNOWN) {
        send(out, h.found.n ? AU_EXACT_FOUND : AU_EXACT_OPEN, &h, h.why);
    } else if (h.found.n) {
        send(out, AU_EXACT_FOUND, &h, h.why);
    } else if (last || h.any_bound) {
        send(out, AU_EXACT_REFUTED, &h, "");
    } else {
        done = false;
    }
    forget(&h);
    forget(&other);
    return done;
}

static void work(void *ctx, uint32_t job, au_out *out) {
    pool *p = ctx;
    const au_plan *plan = p->e->plan;
    uint32_t question = p->todo[job];
    au_solve_on_no_memory(au_job_no_memory);
    if (plan->bound == AU_NONE) {
        ask_at(p, question, AU_NONE, true, out);
        return;
    }
    for (uint32_t b = plan->bound_from; b <= plan->bound; b++)
        if (ask_at(p, question, b, b == plan->bound, out))
            return;
}

/* --- the parent's side ------------------------------------------------------------------ */

/* Bytes of a result; a worker is trusted to be ours, not to be healthy. */
typedef struct {
    const char *at, *end;
    bool bad;
} bytes;

static void get(bytes *b, void *into, size_t n) {
    if ((size_t)(b->end - b->at) < n) {
        b->bad = true;
        memset(into, 0, n);
        return;
    }
    memcpy(into, b->at, n);
    b->at += n;
}

static uint32_t get_u32(bytes *b) {
    uint32_t v;
    get(b, &v, sizeof v);
    return v;
}

/* n elements of this size into a vector's memory; its length. */
#define GET_ALL(b, vec, count)                                                                     \
    do {                                                                                           \
        uint32_t n_ = (count);                                                                     \
        if ((size_t)((b)->end - (b)->at) / sizeof *(vec)->at < n_) {                               \
            (b)->bad = true;                                                                       \
            n_ = 0;                                                                                \
        }                                                                                          \
        au_vec_reserve((vec), n_ + 1);                                                             \
        get((b), (vec)->at, n_ * sizeof *(vec)->at);                                               \
        (vec)->n = n_;                                                                             \
    } while (0)

static void get_solution(bytes *b, const au_model *m, au_solution *s) {
    uint32_t head[7];
    get(b, head, sizeof head);
    *s = (au_solution){.answer = AU_SAT,
                       .why = "",
                       .spurious = head[0],
                       .var = head[1],
                       .obj = head[2],
                       .shown = head[3]};
    GET_ALL(b, &s->schedule, head[4]);
    GET_ALL(b, &s->event, head[5]);
    GET_ALL(b, &s->havoc, head[6]);
    b->bad |= s->shown > s->schedule.n;
    for (size_t i = 0; i < s->schedule.n; i++)
        b->bad |= s->schedule.at[i] >= m->step.n;
    for (size_t i = 0; i < s->event.n; i++)
        b->bad |= s->event.at[i].step != AU_NONE && s->event.at[i].step >= m->step.n;
}

static void keep_why(au_exact *e, au_exact_answer *a, const char *text, size_t n) {
    a->why = au_arena_strndup(&e->arena, text, n);
}

static void take_answer(au_exact *e, au_exact_answer *a, const char *data, size_t size) {
    bytes b = {data, data + size, false};
    uint32_t end = get_u32(&b);
    b.bad |= end > AU_EXACT_DISAGREE;
    a->end = (au_exact_end)end;
    a->any_bound = get_u32(&b);
    uint32_t n = get_u32(&b);
    if ((size_t)(b.end - b.at) >= n) {
        keep_why(e, a, b.at, n);
        b.at += n;
    } else {
        b.bad = true;
    }
    for (n = get_u32(&b); n && !b.bad; n--) {
        au_solution s;
        get_solution(&b, e->m, &s);
        au_vec_push(&a->solution, s);
    }
    b.bad |= a->end == AU_EXACT_FOUND && !a->solution.n;
    if (b.bad) {
        while (a->solution.n) {
            au_solution_release(&au_vec_last(&a->solution));
            a->solution.n--;
        }
        a->end = AU_EXACT_OPEN;
        keep_why(e, a, "its result is incomplete", 31);
    }
}

/* --- shards --------------------------------------------------------------------------------- */

static uint64_t digest_of_model(const au_model *m) {
    uint64_t h = au_hash_join(m->step.n, m->thread.n);
    for (size_t i = 0; i < m->var.n; i++)
        h = au_hash_join(h, au_hash_join(m->var.at[i].init,
                                         (uint64_t)m->var.at[i].kind << 8 | m->var.at[i].width));
    for (size_t i = 0; i < m->step.n; i++) {
        const au_step *s = &m->step.at[i];
        const uint32_t mark[] = {s->thread, s->src,      s->dst,         s->kind,  s->blocking,
                                 s->block,  s->spurious, s->indivisible, s->havoc, s->obj,
                                 s->obj2,   s->choice,   s->plain};
        h = au_hash_join(h, au_hash_bytes(mark, sizeof mark));
        if (s->order)
            h = au_hash_join(h, s->order);
        h = au_hash_join(h, au_term_hash(m->terms, s->guard));
        h = au_hash_join(h, au_term_hash(m->terms, s->cond));
        for (uint32_t k = 0; k < s->n_updates; k++)
            h = au_hash_join(
                h, au_hash_join(s->update[k].var, au_term_hash(m->terms, s->update[k].value)));
        for (uint32_t k = 0; k < s->n_accesses; k++)
            h = au_hash_join(h, (uint64_t)s->access[k].var << 1 | s->access[k].write);
    }
    return au_hash_join(h, au_hash_bytes(m->observed.at, m->observed.n * sizeof *m->observed.at));
}

static uint64_t digest_of(const pool *p, uint32_t question) {
    const au_query *q = &p->e->query->at[question];
    const uint32_t field[] = {q->kind,
                              q->step[0],
                              q->step[1],
                              q->step[2],
                              q->var,
                              q->obj,
                              q->writer,
                              q->write[0],
                              q->write[1],
                              q->write[2],
                              q->at_end,
                              q->atomic,
                              q->changes[0] | (uint32_t)q->changes[1] << 1 |
                                  (uint32_t)q->changes[2] << 2};
    return au_hash_join(p->model, au_hash_bytes(field, sizeof field));
}

static void keep(const pool *p, uint32_t question, const au_exact_answer *a,
                 const au_job_result *r) {
    au_answers *all = p->e->answers;
    if (!all || a->end == AU_EXACT_SKIPPED)
        return;
    au_out *out = au_out_memory();
    au_answer_kept k = {p->call, question, digest_of(p, question),
                        r->data, r->size,  a->end >= AU_EXACT_OPEN};
    if (r->end != AU_JOB_DONE) {
        send(out, a->end, &(heard){0}, a->why);
        k.data = au_out_memory_data(out, &k.size);
    }
    au_answers_keep(all, &k);
    all->asked++;
    au_out_abandon(out);
}

/* All of a batch, or nothing: what a question is answered with may depend on those before it. */
static bool take_batch(pool *p, uint32_t from, uint32_t to) {
    au_exact *e = (au_exact *)p->e;
    au_answers *all = e->answers;
    for (uint32_t i = from; i < to; i++)
        if (!au_answers_find(all, p->call, i, digest_of(p, i)))
            return false;
    for (uint32_t i = from; i < to; i++) {
        const au_answer_kept *k = au_answers_find(all, p->call, i, digest_of(p, i));
        take_answer(e, &e->answer[i], k->data, k->size);
    }
    all->known += to - from;
    return true;
}

/* --- all of them ---------------------------------------------------------------------------- */

static bool take_result(void *ctx, const au_job_result *r) {
    pool *p = ctx;
    au_exact *e = (au_exact *)p->e;
    au_exact_answer *a = &e->answer[p->todo[r->index]];
    p->done++;
    au_progress("questions", p->done, p->n_todo);
    if (r->end == AU_JOB_DONE) {
        take_answer(e, a, r->data, r->size);
    } else if (r->end == AU_JOB_CANCELLED) {
        a->end = AU_EXACT_SKIPPED;
    } else {
        a->end = AU_EXACT_OPEN;
        keep_why(e, a, r->detail, strlen(r->detail));
    }
    p->stopped |= e->plan->first && a->end == AU_EXACT_FOUND;
    keep(p, p->todo[r->index], a, r);
    return !p->stopped;
}

/* Fills p->todo with what is to be asked here, whole batches of it. */
static void choose(pool *p, uint32_t n, au_u32s *todo) {
    au_answers *all = p->e->answers;
    uint32_t first = 0;
    p->batch = (n + BATCHES - 1) / BATCHES;
    p->batch = p->batch > LARGEST_BATCH ? LARGEST_BATCH : p->batch;
    if (all && n) {
        p->model = digest_of_model(p->e->m);
        p->call = au_answers_call(all, (n + p->batch - 1) / p->batch, &first);
    }
    for (uint32_t i = 0; i < n; i += p->batch) {
        uint32_t to = n - i < p->batch ? n : i + p->batch;
        if (all && take_batch(p, i, to))
            continue;
        bool mine = !all || au_answers_mine(all, first + i / p->batch);
        if (!mine)
            all->passed += to - i;
        for (uint32_t k = i; k < to && mine; k++)
            au_vec_push(todo, k);
    }
}

/* One question must not use up the time of all. Without a budget it has its own limit, whatever the time. */
static double fair_share(double seconds) {
    double left = au_deadline_left(), share = left / 4 > 1 ? left / 4 : 1;
    return left >= AU_FOREVER || (seconds > 0 && seconds < share) ? seconds : share;
}

au_status au_exact_ask(au_exact *e, au_error *err) {
    const au_plan *plan = e->plan;
    au_u32s todo = {0};
    pool p = {.e = e};
    au_arena_init(&e->arena);
    e->answer = au_alloc_array(e->query->n + 1, sizeof *e->answer);
    for (uint32_t i = 0; i < e->query->n; i++)
        e->answer[i] = (au_exact_answer){.end = AU_EXACT_SKIPPED, .why = ""};
    choose(&p, (uint32_t)e->query->n, &todo);
    p.todo = todo.at;
    p.n_todo = (uint32_t)todo.n;
    p.seconds = fair_share(plan->seconds);
    /* Killed only when it does not stop by itself. */
    double seconds = p.seconds > 0 ? p.seconds * 1.25 + 1 : 0;
    uint32_t bounds = plan->bound == AU_NONE ? 1 : plan->bound - plan->bound_from + 1;
    au_pool_limits limits = {.jobs = plan->jobs ? plan->jobs : au_cores(),
                             .seconds = seconds * bounds * (1 + (plan->cadical && plan->z3)),
                             .memory_bytes = plan->memory,
                             .batch = p.batch,
                             .prepare = prepare};
    au_status st = todo.n ? au_pool_run(p.n_todo, &limits, work, take_result, &p, err) : AU_OK;
    au_progress_end();
    for (size_t i = 0; i < todo.n && !p.stopped; i++)
        e->cut += e->answer[todo.at[i]].end == AU_EXACT_SKIPPED;
    au_vec_release(&todo);
    return st;
}

void au_exact_release(au_exact *e) {
    for (uint32_t i = 0; e->answer && i < e->query->n; i++) {
        for (size_t k = 0; k < e->answer[i].solution.n; k++)
            au_solution_release(&e->answer[i].solution.at[k]);
        au_vec_release(&e->answer[i].solution);
    }
    free(e->answer);
    au_arena_release(&e->arena);
}
