/* funnel/check_run.h: one input on its way from the file to its findings; for the commands that check.
 *
 *     au_check_run r;
 *     if (au_check_run_open(&r, &plan, path, &read, err) == AU_OK) {
 *         if (au_check_run_go(&r, err) == AU_OK)
 *             … r.outcome, au_check_run_dossier …
 *         au_check_run_release(&r);
 *     }
 *
 * What was asked is in the plan (funnel/plan.h), which nobody changes; all that happens is in here. */
#ifndef AU_FUNNEL_CHECK_RUN_H
#define AU_FUNNEL_CHECK_RUN_H

#include "funnel/plan.h"
#include "report/dossier.h"
#include "report/of_model.h"
#include "report/outcome.h"
#include "trace/reader.h"
#include "trace/recording.h"

struct au_answers;
struct au_check_work;

typedef struct {
    const au_plan *plan; /* borrowed */

    /* The input: a file, a trace in memory, or a model. */
    char *path;                /* NULL: no file */
    au_read_options read;      /* as the file was read */
    au_reader *reader;         /* NULL: no file */
    au_trace *loaded;          /* out of it; NULL: not yet, or streamed */
    const au_trace *trace;     /* that one, or a borrowed one; NULL: not yet, streamed, a model */
    const au_model *model;     /* borrowed, or NULL … */
    const au_model_view *view; /* … of it */
    const au_names *names;     /* of what has been read */
    const au_hooks *hooks;     /* of a recording; NULL: none, or not yet */
    const au_recording_facts *facts; /* NULL: no recording, or not yet run */

    /* May be set before it goes; borrowed. */
    au_found_fn *found; /* online: told as it goes; NULL: nobody is */
    void *ctx;
    struct au_answers *answers; /* of a check in shards (answers.h); NULL: it is not */
    /* Of a trace, before the exact stage is asked: what is proved by then can be told and executed
     * (au_check_run_so_far). NULL: nobody wants to know. */
    void (*early)(void *ctx, void *run);
    void *early_ctx;

    struct au_check_work
        *work; /* what stages hand to each other (stages_priv.h); only while it goes */

    au_check_outcome outcome; /* what came of it */
} au_check_run;

/* Opens the file; nothing is read yet. On an error there is nothing to release. */
au_status au_check_run_open(au_check_run *r, const au_plan *p, const char *path,
                            const au_read_options *read, au_error *err);
/* A trace in memory. */
void au_check_run_of_trace(au_check_run *r, const au_plan *p, const au_trace *t);
/* A model whose observed run is filled in; view must be of m. Both outlive r. */
void au_check_run_of_model(au_check_run *r, const au_plan *p, const au_model *m,
                           const au_model_view *view);
/* Everything that the plan wants: pipeline.c. Once. Findings of traces come in the order of
 * au_check_order; of models they do not: who made the model may have a word to say before. */
au_status au_check_run_go(au_check_run *r, au_error *err);
/* Of a file, into an empty dossier; after au_check_run_go. */
void au_check_run_dossier(const au_check_run *r, au_dossier *d, const au_dossier_options *o);
/* The same in the midst of it, from 'early': what is proved by now, in the words of the end. */
void au_check_run_so_far(au_check_run *r, au_dossier *d, const au_dossier_options *o);
void au_check_run_release(au_check_run *r);

/* By kind; of a kind the most certain ones first, then in the order of the trace: ids are given in
 * this order. first: only the most certain one of all is kept. */
void au_check_order(au_findings *f, bool first);

#endif
