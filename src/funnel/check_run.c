/* funnel/check_run.c: see check_run.h. */
#include "funnel/stages_priv.h"

#include <stdlib.h>
#include <string.h>

/* By kind; of a kind the most certain ones first, then in the order of the trace. */
static int by_standing(const void *a, const void *b) {
    const au_finding *x = a, *y = b;
    if (x->kind != y->kind)
        return (int)x->kind - (int)y->kind;
    if (x->standing != y->standing)
        return (int)x->standing - (int)y->standing;
    for (uint32_t i = 0; i < x->n_events && i < y->n_events; i++)
        if (x->event[i].number != y->event[i].number)
            return x->event[i].number < y->event[i].number ? -1 : 1;
    return 0;
}

/* --first: one finding, of whatever kind. */
static void keep_most_certain(au_findings *f) {
    if (!f->finding.n)
        return;
    size_t best = 0;
    for (size_t i = 1; i < f->finding.n; i++)
        if (f->finding.at[i].standing < f->finding.at[best].standing)
            best = i;
    f->finding.at[0] = f->finding.at[best];
    f->finding.n = 1;
}

void au_check_order(au_findings *f, bool first) {
    if (f->finding.n)
        qsort(f->finding.at, f->finding.n, sizeof *f->finding.at, by_standing);
    if (first)
        keep_most_certain(f);
}

au_status au_check_run_open(au_check_run *r, const au_plan *p, const char *path,
                            const au_read_options *read, au_error *err) {
    *r = (au_check_run){.plan = p, .read = *read};
    r->read.fold = true; /* what one thread alone touches cannot go wrong */
    /* of nondeterminism every read counts */
    r->read.late = AU_LATE_CUT;
    r->read.thin = !au_plan_wants(p, AU_PROP_NONDET);
    r->read.online = p->stream;
    r->read.calls = p->blocks == AU_BLOCKS_FUNCTION;
    r->reader = au_reader_open(path, &r->read, err);
    if (!r->reader)
        return err->status;
    r->path = au_strdup(path);
    r->names = au_reader_names(r->reader);
    au_check_outcome_init(&r->outcome);
    return AU_OK;
}

void au_check_run_of_trace(au_check_run *r, const au_plan *p, const au_trace *t) {
    *r = (au_check_run){.plan = p, .trace = t, .names = &t->names};
    au_check_outcome_init(&r->outcome);
}

void au_check_run_of_model(au_check_run *r, const au_plan *p, const au_model *m,
                           const au_model_view *view) {
    *r = (au_check_run){.plan = p, .model = m, .view = view, .names = &view->names};
    au_check_outcome_init(&r->outcome);
}

au_status au_stage_load(au_check_run *r, au_error *err) {
    r->trace = r->loaded = au_trace_load_from(r->reader, err);
    if (!r->trace)
        return err->status;
    r->names = &r->trace->names;
    if (r->trace->cut)
        au_check_cut(&r->outcome, "events after number %zu were not read", r->trace->events.n);
    /* Otherwise a trace without a program. */
    r->work->has_source = au_reader_format(r->reader) == AU_FORMAT_BINARY &&
                          au_reader_facts(r->reader) && r->plan->semantics == AU_SEM_CTP;
    r->work->source = (au_knowledge_source){.path = r->path,
                                            .reader = r->reader,
                                            .read = r->read,
                                            .checks = r->plan->checks,
                                            .split = r->plan->split};
    return AU_OK;
}

au_status au_stage_repairs(au_check_run *r, au_error *err) {
    (void)err;
    char *text = r->reader ? au_repairs_text(au_reader_repairs(r->reader), r->path) : NULL;
    if (text)
        au_check_note(&r->outcome, "%s", text);
    free(text);
    return AU_OK;
}

au_status au_stage_facts(au_check_run *r, au_error *err) {
    (void)err;
    if (r->reader)
        r->facts = au_reader_facts(r->reader);
    return AU_OK;
}

/* Lost updates are looked for where it is known how values come about, and in runs that one model holds. */
static void tell_not_lost(au_check_run *r) {
    const au_plan *p = r->plan;
    if (!au_plan_wants(p, AU_PROP_LOST) || r->outcome.looked_for[AU_KIND_LOST])
        return;
    if (p->props == AU_PROP_LOST)
        au_check_inconclusive(
            &r->outcome,
            "lost updates not looked for: that needs a model, or a recording of at most %d events "
            "whose program is there; --model ctp, prefixes, no context bound",
            AU_LIMIT_OPEN_EVENTS);
    else if (r->trace && r->work->has_source && r->trace->events.n > AU_LIMIT_OPEN_EVENTS)
        au_check_note(&r->outcome, "lost updates not looked for: the run has more than %d events",
                      AU_LIMIT_OPEN_EVENTS);
}

/* A short run whose program is there is needed for decisions, too; who names nothing else hears so. */
static void tell_not_stale(au_check_run *r) {
    if (!r->plan->props || !r->trace || !r->work->has_source)
        au_check_inconclusive(
            &r->outcome,
            "stale decisions not looked for: that needs a recording of at most %d "
            "events whose program is there",
            AU_LIMIT_OPEN_EVENTS);
    else
        au_check_note(&r->outcome,
                      "stale decisions not looked for: the run has more than %d events",
                      AU_LIMIT_OPEN_EVENTS);
}

au_status au_stage_limits(au_check_run *r, au_error *err) {
    (void)err;
    tell_not_lost(r);
    if (r->plan->stale &&
        (!r->trace || !r->work->has_source || r->trace->events.n > AU_LIMIT_OPEN_EVENTS))
        tell_not_stale(r);
    if (au_plan_wants(r->plan, AU_PROP_OUTPUT))
        au_check_inconclusive(&r->outcome,
                              "different output not looked for: nothing is executed here; "
                              "'augur run' and 'augur explore' look for it");
    au_check_limits(&r->outcome);
    return AU_OK;
}

au_status au_stage_order(au_check_run *r, au_error *err) {
    (void)err;
    au_check_order(&r->outcome.findings, r->plan->first);
    return AU_OK;
}

void au_check_run_dossier(const au_check_run *r, au_dossier *d, const au_dossier_options *o) {
    au_dossier_subject of = {r->path, r->reader, r->trace, r->names, r->facts, &r->outcome};
    au_dossier_of_check(d, &of, o);
}

au_status au_stage_early(au_check_run *r, au_error *err) {
    (void)err;
    r->early(r->early_ctx, r);
    return AU_OK;
}

/* Copies are told of hooks: the findings themselves go on as events. */
void au_check_run_so_far(au_check_run *r, au_dossier *d, const au_dossier_options *o) {
    au_findings *all = &r->outcome.findings;
    const au_finding *at = all->finding.at;
    size_t n = all->finding.n, cap = all->finding.cap;
    memset(&all->finding, 0, sizeof all->finding);
    for (size_t i = 0; i < n; i++) {
        if (at[i].standing != AU_IS_PROVED || !at[i].schedule.n)
            continue;
        au_finding f = at[i];
        f.event = AU_ARENA_ARRAY(&all->arena, au_event_ref, f.n_events + 1);
        memcpy(f.event, at[i].event, f.n_events * sizeof *f.event);
        f.seen = AU_ARENA_ARRAY(&all->arena, au_access_seen, f.n_seen + 1);
        if (f.n_seen)
            memcpy(f.seen, at[i].seen, f.n_seen * sizeof *f.seen);
        au_vec_push(&all->finding, f);
    }
    const au_recording_facts *facts = r->facts;
    au_stage_hooks(r, NULL);
    au_stage_facts(r, NULL);
    au_check_order(all, false);
    au_check_run_dossier(r, d, o);
    r->facts = facts;
    au_vec_release(&all->finding);
    all->finding.at = (au_finding *)(uintptr_t)at;
    all->finding.n = n;
    all->finding.cap = cap;
}

void au_check_run_release(au_check_run *r) {
    au_trace_free(r->loaded);
    au_check_outcome_release(&r->outcome);
    au_reader_free(r->reader);
    free(r->path);
}
