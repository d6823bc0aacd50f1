/* funnel/pipeline.c: what happens to one input, from the file to its findings. Read this first.
 *
 * An input is a file, a trace in memory, or a model. It goes through the list below from top to bottom;
 * a stage that does not apply to it is passed over. Each line says what must be there before the stage
 * and what is there after it: the loop holds every stage to the first.
 *
 * Listing and judging are different stages. A predictor lists findings as possible; it becomes more only
 * when the checker (src/witness) has executed its schedule. What each stage does is told at the head of its
 * file; stages_priv.h says which file that is. */
#include "funnel/stages_priv.h"

#include "base/alloc.h"
#include "base/deadline.h"
#include "base/limits.h"
#include "base/progress.h"
#include "funnel/certify.h"

#include <stdio.h>
#include <string.h>

/* What stages require and fill. */
enum {
    INPUT = 1 << 0,     /* a reader: nothing is read yet */
    TRACE = 1 << 1,     /* the whole trace in memory */
    MODEL = 1 << 2,     /* a model that was given */
    LISTED = 1 << 3,    /* possible findings of the predictors */
    CYCLES = 1 << 4,    /* cycles of lock requests */
    OPEN = 1 << 5,      /* there is something to ask the exact stage */
    KNOWN = 1 << 6,     /* what the program's code tells of values */
    MODELLED = 1 << 7,  /* the trace as a model */
    QUESTIONS = 1 << 8, /* to the exact stage */
    ANSWERS = 1 << 9,   /* its answers */
    DONE = 1 << 10      /* nothing more is found by analysis */
};

/* ---- when a stage applies ------------------------------------------------------------------- */

static bool wants(const au_check_run *r, unsigned prop) {
    return r->trace && au_plan_wants(r->plan, prop);
}

static bool streamed(const au_check_run *r) {
    return r->reader && r->plan->stream;
}
static bool loaded(const au_check_run *r) {
    return r->reader && !r->plan->stream;
}
static bool trace(const au_check_run *r) {
    return r->trace;
}
static bool any(const au_check_run *r) {
    (void)r;
    return true;
}
static bool not_model(const au_check_run *r) {
    return !r->model;
}
static bool deadlocks(const au_check_run *r) {
    return wants(r, AU_PROP_DEADLOCK);
}
static bool races(const au_check_run *r) {
    return wants(r, AU_PROP_RACE);
}
static bool nondet(const au_check_run *r) {
    return wants(r, AU_PROP_NONDET);
}
static bool graph(const au_check_run *r) {
    return r->trace && r->plan->last >= AU_STAGE_GRAPH && r->plan->semantics != AU_SEM_LOCKS;
}
static bool program(const au_check_run *r) {
    return r->trace && r->work->has_source;
}
/* Of a trace that was not read to its end the program's code tells more than there is: it is not asked. */
static bool worth(const au_check_run *r) {
    return r->trace && !r->trace->cut && r->plan->last >= AU_STAGE_INTERVAL &&
           !r->trace->hooks.thinned && au_open_is_worth(r);
}
static bool thinned(const au_check_run *r) {
    return r->hooks && r->hooks->thinned;
}
static bool asked(const au_check_run *r) {
    return r->work->open;
}
static bool retraced(const au_check_run *r) {
    return asked(r) && r->work->has_source;
}
static bool too_long(const au_check_run *r) {
    return asked(r) && au_open_is_long(r) && r->plan->last >= AU_STAGE_SOLVER;
}
static bool modelled(const au_check_run *r) {
    return asked(r) && r->work->open->made;
}
static bool answered(const au_check_run *r) {
    return modelled(r) && r->work->open->drop;
}
static bool heard(const au_check_run *r) {
    return r->trace && r->early;
}
static bool model(const au_check_run *r) {
    return r->model;
}
static bool cheap_only(const au_check_run *r) {
    return r->model && r->plan->last < AU_STAGE_SOLVER;
}
static bool solver(const au_check_run *r) {
    return r->model && r->plan->last >= AU_STAGE_SOLVER;
}

static bool weak(const au_check_run *r) {
    return solver(r) && r->plan->executions != AU_MEMORY_SC && !r->answers;
}

/* ---- the list ------------------------------------------------------------------------------- */

/* clang-format off */
static const struct {
    bool (*applies)(const au_check_run *r);
    au_stage_fn *stage;
    unsigned requires, fills;
    const char *what; /* left out when the time is over (base/deadline.h), and said by this name; NULL: never */
    double share; /* of the time that is left, at most, so that those after it have some; 0: all of it */
} pipeline[] = {
    /* when       stage                   requires            fills             what, share */

    /* A trace that is not kept: bounded memory, no schedules. */
    {streamed,   au_stage_stream,        INPUT,              LISTED,           NULL, 0},                /* every linear predictor, in one pass */

    /* A trace in memory: predictors list, the checker judges. */
    {loaded,     au_stage_load,          INPUT,              TRACE,            NULL, 0.9},              /* every event; is its program there? */
    {trace,      au_stage_passes,        TRACE,              LISTED | CYCLES,  NULL, 0.5},              /* wrong uses, broken blocks, lock cycles */
    {trace,      au_stage_judge_misuse,  TRACE | LISTED,     0,                NULL, 0},                /* wrong uses: they are in the run */
    {deadlocks,  au_stage_deadlocks,     TRACE | CYCLES,     LISTED,           "deadlocks", 0.5},       /* a schedule for each lock cycle … */
    {deadlocks,  au_stage_judge,         TRACE | LISTED,     0,                NULL, 0},                /* … is executed */
    {races,      au_stage_races,         TRACE,              LISTED,           "races", 0.7},           /* races, with schedules where they have one … */
    {races,      au_stage_judge,         TRACE | LISTED,     0,                NULL, 0},                /* … which are executed */
    {trace,      au_stage_judge_blocks,  TRACE | LISTED,     0,                NULL, 0},                /* broken blocks: what is left of the budget */
    {graph,      au_stage_graph,         TRACE | LISTED,     0,                "the graph stage", 0},   /* what the causality graph refutes goes */
    {program,    au_stage_split,         TRACE | LISTED,     0,                NULL, 0},                /* schedules that stop inside of a step go */
    {thinned,    au_stage_thinned,       LISTED,             0,                NULL, 0},                /* what left-out accesses might see; no exact stage */

    /* Whoever wants to know what there is by now hears it, and may execute it. */
    {heard,      au_stage_early,         TRACE | LISTED,     0,                NULL, 0},

    /* What is open then, and assertions, to the exact stage. */
    {worth,      au_stage_open,          TRACE | LISTED,     OPEN,             "the exact stage", 0},   /* something is open, or may fail */
    {retraced,   au_stage_knowledge,     TRACE | OPEN,       KNOWN,            "retracing the run", 0}, /* the run once more, in the program's code */
    {asked,      au_stage_model,         TRACE | OPEN,       MODELLED,         "the exact stage", 0},   /* the trace as a model, unless too large … */
    {too_long,   au_stage_long,          TRACE | OPEN,       0,                "the exact stage", 0},   /* … then it is asked about in parts */
    {modelled,   au_stage_ask,           TRACE | MODELLED,   ANSWERS,          "the exact stage", 0},   /* assertions, pairs, triples */
    {answered,   au_stage_answers,       TRACE | ANSWERS,    LISTED,           NULL, 0},                /* both checkers' word on each schedule */
    {answered,   au_stage_waits,         MODELLED | ANSWERS, LISTED,           "waits for each other", 0}, /* can threads wait for each other for good? */
    {asked,      au_stage_keep,          OPEN | LISTED,      0,                NULL, 0},                /* what cannot happen goes */
    {trace,      au_stage_ruled_out,     TRACE | LISTED,     0,                NULL, 0},                /* pairs that the run's reads keep apart go */

    /* Only if asked for (--prop nondet). */
    {nondet,     au_stage_nondet,        TRACE,              LISTED,           "nondeterminism", 0},    /* reads that can see another write */

    /* A model: every question that it raises. */
    {model,      au_stage_questions,     MODEL,              QUESTIONS,        NULL, 0},                /* one for each thing that could go wrong */
    {model,      au_stage_cheap,         MODEL | QUESTIONS,  0,                NULL, 0},                /* fork, join, locks and ranges answer some */
    {cheap_only, au_stage_rest,          MODEL | QUESTIONS,  LISTED,           NULL, 0},                /* --stages: the rest is possible */
    {solver,     au_stage_exact,         MODEL | QUESTIONS,  LISTED,           NULL, 0},                /* asked; the checker's word on each schedule */
    {weak,       au_stage_weak,          MODEL | QUESTIONS,  LISTED,           "executions of the memory model", 0}, /* what no interleaving shows */

    /* The end. */
    {not_model,  au_stage_hooks,         LISTED,             DONE,             NULL, 0},                /* recordings: from events to hooks */
    {not_model,  au_stage_repairs,       DONE,               0,                NULL, 0},                /* lines that were left out (--lenient) */
    {not_model,  au_stage_facts,         DONE,               0,                NULL, 0},                /* recordings: how did the run end? */
    {not_model,  au_stage_failed,        DONE,               0,                NULL, 0},                /* … badly: that is a finding, too */
    {any,        au_stage_limits,        0,                  0,                NULL, 0},                /* limits that were reached are named */
    {not_model,  au_stage_order,         DONE,               0,                NULL, 0},                /* by kind and standing, as ids are given */
};
/* clang-format on */

static void release(au_check_work *w) {
    au_checker_free(w->checker);
    au_scheduler_free(w->scheduler);
    au_passes_free(w->passes);
    au_open_free(w->open);
    au_model_work_free(w->questions);
    au_vec_release(&w->cycles);
}

/* What is left out, each thing once. */
typedef struct {
    const char *what[8];
    size_t n;
} left_out;

static void leave_out(left_out *l, const char *what) {
    bool named = l->n == sizeof l->what / sizeof *l->what;
    for (size_t i = 0; i < l->n; i++)
        named |= !strcmp(l->what[i], what);
    if (!named)
        l->what[l->n++] = what;
}

static void tell_left_out(const left_out *l, au_check_outcome *c) {
    char text[300] = "";
    for (size_t i = 0, n = 0; i < l->n && n < sizeof text; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", i ? ", " : "", l->what[i]);
    if (l->n)
        au_check_cut(c, "not done: %s", text);
}

static au_status do_stage(size_t i, au_check_run *r, au_error *err) {
    double left = au_deadline_left();
    if (!pipeline[i].share || left >= AU_FOREVER)
        return pipeline[i].stage(r, err);
    double before = au_deadline_narrow(pipeline[i].share * left);
    au_status st = pipeline[i].stage(r, err);
    au_deadline_widen(before);
    return st;
}

au_status au_check_run_go(au_check_run *r, au_error *err) {
    au_check_work work = {.left = r->plan->budget};
    unsigned there = r->model ? MODEL : r->trace ? TRACE : INPUT;
    au_status st = AU_OK;
    left_out left = {0};
    r->work = &work;
    au_limits_forget();
    for (size_t i = 0; i < sizeof pipeline / sizeof *pipeline && st == AU_OK; i++) {
        if (!pipeline[i].applies(r))
            continue;
        AU_BUG_IF(pipeline[i].requires & ~there);
        if (pipeline[i].what && au_deadline_over())
            leave_out(&left, pipeline[i].what);
        else
            st = do_stage(i, r, err);
        there |= pipeline[i].fills;
        au_alloc_trim();
        au_progress_found(r->outcome.findings.finding.n);
    }
    if (r->trace && r->trace->cut && r->plan->last >= AU_STAGE_SOLVER)
        leave_out(&left, "the exact stage");
    tell_left_out(&left, &r->outcome);
    au_progress_end();
    if (st == AU_OK)
        st = au_certify_count(r->plan, AU_BY_GRAPH, work.cycles.n,
                              "the exact stage has no model of the trace", err);
    release(&work);
    r->work = NULL;
    if (st == AU_OK && r->plan->certify)
        st = au_certify_finish(r->plan->certify, err);
    return st;
}
