/* engine/check.c: see check.h. */
#include "engine/check.h"

#include "base/clock.h"
#include "base/deadline.h"
#include "base/limits.h"
#include "engine/check_options.h"
#include "engine/forms.h"
#include "engine/inputs.h"
#include "funnel/answers.h"
#include "funnel/check_weak.h"
#include "funnel/graphs.h"
#include "model/ctp.h"
#include "model/from_trace.h"
#include "model/merge.h"
#include "model/run.h"
#include "trace/recording.h"

#include <string.h>

/* --- models ----------------------------------------------------------------------------- */

/* *note: the caller's, what the reader warns about; NULL if nothing. */
static au_model *load_model(const au_opts *o, const char *path, char **note, au_error *err) {
    if (au_input_is_model(o, path)) {
        au_ctp_options how = {0};
        if (au_opt_given(o, "unroll"))
            how.unroll = (uint32_t)au_opt_int(o, "unroll");
        return au_ctp_load(path, &how, err);
    }
    au_read_options how;
    if (au_input_options(o, &how, err))
        return NULL;
    au_trace *t = au_trace_load(path, &how, err);
    au_model *m = t ? au_model_from_trace(t, NULL, err) : NULL;
    if (t)
        *note = au_repairs_text(t->repairs, path);
    au_trace_free(t);
    if (!m)
        au_error_note(err, "'%s'", path);
    return m;
}

/* One input is a model by itself, several are merged. note: one for each input. */
static au_model *load_models(const au_opts *o, char **note, au_error *err) {
    size_t n = au_operands(o), loaded = 0;
    au_model **one = au_alloc_array(n, sizeof *one), *m = NULL;
    while (loaded < n && (one[loaded] = load_model(o, au_operand(o, loaded), &note[loaded], err)))
        loaded++;
    if (loaded == n && n == 1)
        m = one[--loaded];
    else if (loaded == n)
        m = au_model_merge((const au_model *const *)one, n, err);
    while (loaded > 0)
        au_model_free(one[--loaded]);
    free(one);
    if (m && m->thread.n > AU_MAX_THREADS) {
        au_error_set(err, AU_EUNSUPPORTED, "a model with more than %u threads", AU_MAX_THREADS);
        au_model_free(m);
        m = NULL;
    }
    if (m)
        au_model_observe(m);
    return m;
}

/* ---- memory models ---- */

/* An option that executions under a memory model do not go with; NULL: none was given. */
static const char *in_the_way(const au_engine_check *u) {
    const au_plan *p = &u->plan;
    return p->semantics != AU_SEM_CTP    ? "--model"
           : p->whole                    ? "--no-prefix"
           : p->bound != AU_NONE         ? "--context-bound"
           : p->last < AU_STAGE_SOLVER   ? "--stages"
           : p->z3                       ? "--backend"
           : p->certify                  ? "--certify"
           : p->dump                     ? "--dump"
           : au_opt_given(u->o, "shard") ? "--shard"
           : au_opt_given(u->o, "on")    ? "--on"
                                         : NULL;
}

/* m: the model, if the inputs are .ctp models; NULL. */
static au_status choose_memory(au_engine_check *u, const au_model *m, au_error *err) {
    const char *name = au_opt_str(u->o, "memory-model"), *other = in_the_way(u);
    bool sc = name && !strcmp(name, "sc");
    if (name && !sc && !m)
        return au_error_set(
            err, AU_EUSAGE,
            "'--memory-model %s' is for .ctp models: a trace does not say what else "
            "its program does under it",
            name);
    if (name && !sc && other)
        return au_error_set(err, AU_EUSAGE, "'--memory-model %s' does not go with '%s'", name,
                            other);
    u->plan.memory_asked = name;
    if (name ? !sc : m && !other && au_model_is_weak(m))
        u->plan.executions = name && !strcmp(name, "tso") ? AU_MEMORY_TSO : AU_MEMORY_RC11;
    return AU_OK;
}

static bool are_models(const au_opts *o) {
    for (size_t i = 0; i < au_operands(o); i++)
        if (!au_input_is_model(o, au_operand(o, i)))
            return false;
    return true;
}

static void view_model(au_engine_check *u, const au_model *m) {
    u->of_model = true;
    au_model_view_init(&u->view, m);
    au_check_run_of_model(&u->run, &u->plan, m, &u->view);
}

/* why: recordings that are not taken as runs of one program; "" if they are none. */
static au_status open_models(au_engine_check *u, const char *why, au_error *err) {
    char **note = au_alloc_array(au_operands(u->o), sizeof *note);
    u->model = load_models(u->o, note, err);
    if (u->model && choose_memory(u, are_models(u->o) ? u->model : NULL, err) != AU_OK) {
        au_model_free(u->model);
        u->model = NULL;
    }
    if (u->model)
        view_model(u, u->model);
    for (size_t i = 0; i < au_operands(u->o); i++) {
        if (u->model && note[i])
            au_check_note(&u->run.outcome, "%s", note[i]);
        free(note[i]);
    }
    free(note);
    if (!u->model)
        return err->status;
    bool traces = false;
    for (size_t i = 0; i < au_operands(u->o); i++)
        traces |= !au_input_is_model(u->o, au_operand(u->o, i));
    if (traces)
        au_check_note(&u->run.outcome,
                      "merged runs: reads keep their recorded values; schedules count steps of the "
                      "merged model and cannot be replayed%s%s%s",
                      *why ? " (" : "", why, *why ? ")" : "");
    return AU_OK;
}

/* --- recordings of one program ------------------------------------------------------------- */

static bool is_recording(const au_opts *o, const char *path) {
    if (au_input_is_model(o, path))
        return false;
    au_reader *r = au_reader_open(path, NULL, NULL);
    au_block b;
    bool yes = r && au_reader_next(r, &b, NULL) == AU_OK && au_reader_facts(r);
    if (r)
        au_reader_free(r);
    return yes;
}

static bool are_recordings(const au_opts *o) {
    for (size_t i = 0; i < au_operands(o); i++)
        if (!is_recording(o, au_operand(o, i)))
            return false;
    return true;
}

/* All runs as one model (explore/family.h). False: they do not go together. */
static bool open_runs(au_engine_check *u, au_error *err) {
    size_t n = au_operands(u->o);
    au_family_options how = {.checks = u->plan.checks};
    au_family *f = au_family_new(&how);
    for (size_t i = 0; i < n; i++)
        if (au_family_add(f, au_operand(u->o, i), NULL, err) != AU_OK) {
            au_family_free(f);
            return false;
        }
    au_family_plain(f);
    u->family = f;
    view_model(u, au_family_model(f));
    if (n > 1)
        au_check_note(&u->run.outcome,
                      "%zu runs of one program, merged: each thread takes any path that it took in "
                      "one of them",
                      n);
    return true;
}

/* --- any of these -------------------------------------------------------------------------- */

au_status au_engine_check_open(au_engine_check *u, const au_opts *o, au_error *err) {
    au_error why = AU_ERROR_NONE;
    au_read_options how;
    *u = (au_engine_check){.o = o, .begun = au_now()};
    au_deadline_set(au_opt_number(o, "budget"));
    bool merged = au_operands(o) > 1, reach = au_opt_given(o, "reach");
    bool runs = (merged || reach) && are_recordings(o);
    bool model = merged || runs || au_input_is_model(o, au_operand(o, 0));
    if (au_check_options(o, model && (!runs || reach), &u->plan, err) != AU_OK)
        return err->status;
    if ((!model || runs) && choose_memory(u, NULL, err) != AU_OK)
        return err->status;
    if (!model)
        return au_input_options(o, &how, err)
                   ? err->status
                   : au_check_run_open(&u->run, &u->plan, au_operand(o, 0), &how, err);
    if (runs && open_runs(u, &why))
        return AU_OK;
    if (runs && reach)
        return *err = why, err->status;
    return open_models(u, why.text, err);
}

au_status au_engine_check_run(au_engine_check *u, au_error *err) {
    if (!u->of_model)
        return au_check_run_go(&u->run, err);
    if (au_check_run_go(&u->run, err) != AU_OK) {
        if (u->family && err->status == AU_EUSAGE)
            au_error_note(err, "in these runs ('augur explore' finds others)");
        return err->status;
    }
    if (u->family)
        au_family_tell(u->family, &u->run.outcome.findings, &u->view.names);
    au_check_order(&u->run.outcome.findings, u->plan.first);
    return AU_OK;
}

void au_engine_check_release(au_engine_check *u) {
    au_deadline_set(0);
    au_check_run_release(&u->run);
    if (!u->of_model)
        return;
    au_model_view_release(&u->view);
    au_model_free(u->model);
    if (u->family)
        au_family_free(u->family);
}

const au_check_outcome *au_engine_check_outcome(const au_engine_check *u) {
    return &u->run.outcome;
}

const au_names *au_engine_check_names(const au_engine_check *u) {
    return u->run.names;
}

/* One model, and every question about it, to the exact stage. Limits that were reached are notes. */
static bool is_complete(const au_engine_check *u) {
    const au_plan *p = &u->plan;
    return u->of_model && !u->family && au_operands(u->o) == 1 && !au_opt_given(u->o, "unroll") &&
           (!u->run.answers || au_answers_cover_all(u->run.answers)) &&
           p->last >= AU_STAGE_SOLVER && p->bound == AU_NONE && !p->first && !p->n_reach &&
           p->semantics == AU_SEM_CTP && !u->run.outcome.note.n;
}

static void tell_scope(const au_engine_check *u, au_dossier *d) {
    d->complete = is_complete(u);
    if (u->plan.memory_asked || (u->plan.executions && !u->run.answers))
        d->memory = au_memory_name(u->plan.executions);
    if (u->of_model && !u->family)
        d->beyond = "not every question about the model was asked: it is bounded, merged, a part, "
                    "or a limit was reached";
    else if (u->plan.stream)
        d->beyond = "one pass decides nothing: check the trace as a file, without --stream";
    else if (u->plan.last < AU_STAGE_SOLVER)
        d->beyond = "some stages were left out (--stages), and what they would find is open; try "
                    "it without that option";
    else
        d->beyond = "what these runs did not do, another outcome of a branch or another input, is "
                    "not in them; 'augur explore' goes on from there";
}

static void make_dossier(const au_engine_check *u, size_t steps, bool sources, size_t most,
                         au_dossier *d) {
    au_deadline_last(1 + au_opt_number(u->o, "budget") / 20);
    const char **input = au_input_names(u->o);
    au_dossier_options how = {.input = input,
                              .n_inputs = au_operands(u->o),
                              .seconds = au_now() - u->begun,
                              .steps = steps,
                              .sources = sources,
                              .most = most};
    if (u->of_model)
        au_dossier_of_model(d, &u->run.outcome, &u->view, &how);
    else
        au_check_run_dossier(&u->run, d, &how);
    free(input);
    tell_scope(u, d);
}

void au_engine_check_brief(const au_engine_check *u, size_t most, au_dossier *d) {
    make_dossier(u, 0, false, most, d);
    if (au_dossier_is_in_library(d))
        au_dossier_find_callers(d);
    au_dossier_fold(d);
}

void au_engine_check_dossier(const au_engine_check *u, bool drawn, au_dossier *d) {
    make_dossier(u, AU_LIMIT_ORDER_STEPS, true, 0, d);
    au_dossier_find_callers(d);
    if (drawn && u->of_model)
        au_dossier_graph_of_model(d, u->view.m);
    else if (drawn)
        au_dossier_graphs(d, &u->run, AU_LIMIT_GRAPHS);
    au_dossier_causes(d);
    au_dossier_fold(d);
}
