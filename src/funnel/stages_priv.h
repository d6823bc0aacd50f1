/* funnel/stages_priv.h: the stages that pipeline.c lists, and what they hand to each other. When a stage
 * runs, what it requires and what it fills is said there, and only there. */
#ifndef AU_FUNNEL_STAGES_PRIV_H
#define AU_FUNNEL_STAGES_PRIV_H

#include "funnel/check_run.h"
#include "funnel/open.h"
#include "linear/schedule.h"

/* Lives while the pipeline runs. What is NULL was not made. */
typedef struct au_check_work {
    au_knowledge_source source; /* of a recording … */
    bool has_source;            /* … if there is a program to ask */

    struct au_passes *passes; /* over the events, block by block (check_linear.c) */
    size_t misuse, blocks;    /* findings below the first are wrong uses, those below the second
                               * broken blocks */

    au_checker *checker;     /* the judge's (check_judge.c), both made when first needed … */
    au_scheduler *scheduler; /* … this for schedules of broken blocks */
    uint64_t left;           /* of the budget for schedules */

    AU_VEC(au_finding)
    cycles; /* --certify: what the causality graph refuted; nobody took it up yet */

    struct au_open_work *open;       /* what the exact stage is asked of a trace (check_open.c) */
    struct au_model_work *questions; /* … of a model (check_exact.c) */
} au_check_work;

typedef au_status au_stage_fn(au_check_run *r, au_error *err);

/* ---- check_run.c ---- */
au_stage_fn au_stage_load, au_stage_repairs, au_stage_early, au_stage_facts, au_stage_limits,
    au_stage_order;

/* ---- check_linear.c: the predictors; they list, and prove nothing ---- */
au_stage_fn au_stage_stream, au_stage_passes, au_stage_deadlocks, au_stage_races;
void au_passes_free(struct au_passes *q);

/* ---- check_judge.c: the checker's word on schedules ---- */
au_stage_fn au_stage_judge_misuse, au_stage_judge, au_stage_judge_blocks;
au_stage_fn au_stage_split, au_stage_thinned, au_stage_ruled_out, au_stage_hooks;

/* ---- check_filter.c, check_graph.c: the causality graph ---- */
au_stage_fn au_stage_graph, au_stage_nondet;

/* ---- check_open.c, check_long.c: the exact stage on a trace with values ---- */
bool au_open_is_worth(const au_check_run *r); /* is there anything to ask? */
bool au_open_is_long(const au_check_run *r);  /* too long for one model */
au_stage_fn au_stage_open, au_stage_knowledge, au_stage_model, au_stage_long, au_stage_ask;
au_stage_fn au_stage_answers, au_stage_waits, au_stage_keep;
void au_open_free(struct au_open_work *o);

/* ---- check_exact.c: the exact stage on a model ---- */
au_stage_fn au_stage_questions, au_stage_cheap, au_stage_rest, au_stage_exact;

/* ---- check_weak.c: the exact stage on a model, under a memory model ---- */
au_stage_fn au_stage_weak;
void au_model_work_free(struct au_model_work *q);

/* ---- check_failed.c: what the recorded run itself did wrong ---- */
au_stage_fn au_stage_failed;

#endif
