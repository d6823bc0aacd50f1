/* funnel/open.h: between the files of the exact stage on traces only: a trace as a model, and the way
 * back from the model's steps to the trace's events. */
#ifndef AU_FUNNEL_OPEN_H
#define AU_FUNNEL_OPEN_H

#include "funnel/certify.h"
#include "funnel/exact.h"
#include "funnel/knowledge.h"
#include "report/of_model.h"
#include "report/outcome.h"
#include "solve/unreached.h"
#include "witness/check.h"

typedef struct {
    const au_plan *p;
    struct au_answers *answers; /* of a check in shards, or NULL */
    const au_trace *t;
    const au_symbolic *s; /* NULL: every read keeps its value */
    au_check_outcome *c;
    au_model *m;
    size_t from;         /* the model's run begins at this event: those before are as recorded */
    uint32_t *step_of;   /* event: step */
    uint32_t *fact_step; /* fact: step; NULL without s */
    uint32_t *fact_of;   /* statement: fact, AU_NONE */
    uint32_t *thread;    /* thread of the model: of the trace */
    uint32_t *var;       /* variable of the model: of the trace, AU_NONE */
    uint32_t *inside;    /* variable of the trace: of the model, AU_NONE */
    size_t *event_of;    /* statement: the last event at which it is taken; SIZE_MAX: none */
    uint64_t *index;     /* event: within its thread, from 1 */
    uint64_t *length;    /* thread of the trace: its events */
    au_queries query;
    AU_VEC(size_t) finding; /* question: finding, SIZE_MAX: none yet */
    bool sliced;            /* the model holds only what assertions depend on */
    bool triples;           /* of atomic blocks all are asked about … */
    uint64_t left_triples;  /* … and so many are not refuted */
    AU_VEC(au_query)
    alike; /* pairs that were not asked about: enough others of their locations were */
    AU_VEC(au_query)
    lost_alike; /* the same of reads and writes, one computed from the other */
    au_checker *checker;
    au_unreached *u;             /* ranges of m; NULL: there are none */
    uint64_t by_ranges;          /* questions that they answered */
    au_certify_items ruled;      /* --certify: what the stages before the solver ruled out … */
    uint64_t more[AU_BY_STAGES]; /* … and for which there is no room in the list */
} au_opener;

/* From stage to stage. */
typedef struct au_open_work {
    au_knowledge known; /* of a recording whose program is there */
    au_opener k;
    bool made;      /* k has its model */
    au_exact exact; /* k's questions and their answers */
    bool *drop;     /* by finding: it cannot happen */
    size_t listed;  /* findings before the answers */
} au_open_work;

/* ---- check_open.c ---- */

/* The question whether a race or broken block that is possible can happen; false: none can be
 * asked. */
bool au_opener_query(const au_opener *k, const au_finding *f, au_query *q);
/* What the model says of it may be too little: it pins a read that need not be. */
bool au_opener_rests_on_rmw(const au_opener *k, const au_finding *f);

/* ---- open_certify.c: what the stages before the solver rule out, for --certify ---- */

void au_opener_rule_out(au_opener *k, const au_query *q, au_by_stage stage);
/* Findings that the causality graph has refuted. */
void au_opener_rule_out_findings(au_opener *k, const au_finding *f, size_t n);
/* … and what the solver then refuted; e is NULL: it was not asked. */
au_status au_opener_certify(const au_opener *k, const au_exact *e, au_error *err);

/* ---- open_ranges.c ---- */

/* Ranges of k's model, if they are worth their time: k->u. */
void au_opener_learn(au_opener *k);
/* … and takes the questions that ranges answer out of k, and marks the findings that cannot happen. */
void au_opener_narrow(au_opener *k, bool *drop);
const au_rpt *au_opener_ranges(const au_opener *k); /* for the solver; may be NULL */

/* ---- open_map.c ---- */
void au_opener_number(au_opener *k); /* requires: t, s, m, step_of, fact_step */
void au_opener_release(au_opener *k);
/* The event of this step that accesses var (of the model; AU_NONE: any); if none does
 * (its pointer may point elsewhere), the last event of the step. SIZE_MAX: none at all. */
size_t au_opener_event(const au_opener *k, uint32_t step, uint32_t var);
/* … that reads or writes it; SIZE_MAX: none does in the run. (A compare-and-exchange that failed is a read there, and a
 * step that may write in the model.) */
size_t au_opener_access(const au_opener *k, uint32_t step, uint32_t var, bool write);
/* Lets the question be about a compare-and-exchange that succeeds, wherever it asks for its write. */
void au_opener_sharpen(const au_opener *k, au_query *q);
/* … of one that failed in the run. */
bool au_opener_succeeds(const au_opener *k, const au_query *q);
au_event_ref au_opener_ref(const au_opener *k, size_t event);
bool au_opener_writes(au_op op);
bool au_opener_reads(au_op op);

/* ---- open_prove.c ---- */

/* Do both checkers agree that this solution shows f? Then f gets schedule and values. */
bool au_opener_proves(au_opener *k, const au_query *q, const au_solution *s, au_finding *f);
/* Threads wait for each other: is it sure that none of the others, going another way than in the run,
 * ends it? (A wait for a lock ends only by its holder, who is one of them.) The others may be
 * run on for that: s gets longer. */
bool au_opener_lasts(const au_opener *k, au_solution *s);

/* ---- open_tell.c: findings that no linear stage has named ---- */
bool au_opener_told(const au_opener *k, const au_event_ref *e); /* this race, or one like it */
void au_opener_sides(const au_opener *k, const au_query *q, au_event_ref *e);
bool au_opener_alike(const au_opener *k, const au_event_ref *a, const au_event_ref *b);
void au_opener_tell_race(au_opener *k, const au_query *q, const au_solution *s);
void au_opener_tell_block(au_opener *k, const au_query *q, const au_solution *s,
                          const char *pattern);
void au_opener_tell_assertion(au_opener *k, const au_query *q, const au_solution *s);
void au_opener_tell_deadlock(au_opener *k, const au_query *q, const au_solution *s);
/* n of these questions stayed open in every window of a long run, and are no findings either. */
void au_opener_tell_unsaid(au_check_outcome *c, size_t n, size_t of);
/* What was shown of this question is proved, with other values than in the run, or only possible. */
void au_opener_stand(const au_opener *k, const au_query *q, au_finding *f);

#endif
