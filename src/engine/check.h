/* engine/check.h: what 'augur check' does with its inputs, without telling anybody: for the command and
 * for the C interface (src/api). */
#ifndef AU_ENGINE_CHECK_H
#define AU_ENGINE_CHECK_H

#include "engine/options.h"
#include "explore/family.h"
#include "funnel/check_run.h"
#include "model/model.h"

/* Inputs and what came of them: a trace, or a model (of a .ctp file, of runs of one program, of merged
 * traces). Options and operands are borrowed. */
typedef struct {
    const au_opts *o;
    double begun;
    au_plan plan;
    au_check_run run;
    bool of_model;
    au_family *family;  /* several runs of one program, or NULL */
    au_model *model;    /* its own, or NULL */
    au_model_view view; /* of_model */
} au_engine_check;

/* The inputs are opened; models are read, traces not yet. On an error there is nothing to release. Until
 * it runs, found, ctx and answers of the run may be set. */
au_status au_engine_check_open(au_engine_check *u, const au_opts *o, au_error *err);
/* Once. */
au_status au_engine_check_run(au_engine_check *u, au_error *err);
void au_engine_check_release(au_engine_check *u);

const au_check_outcome *au_engine_check_outcome(const au_engine_check *u);
const au_names *au_engine_check_names(const au_engine_check *u);
/* Into an empty dossier: what a terminal shows, findings without orders, sources and callers, of which the
 * first 'most' of each kind have their schedules (0: all). */
void au_engine_check_brief(const au_engine_check *u, size_t most, au_dossier *d);
/* All that is known of them; drawn: with graphs, as the HTML report shows them. */
void au_engine_check_dossier(const au_engine_check *u, bool drawn, au_dossier *d);

#endif
