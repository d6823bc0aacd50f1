/* engine/scan_findings.c: what a scan found, as findings. */
#include "engine/scan_priv.h"

#include "witness/check_model.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct {
    au_scan_stage scan;
    int stage;
} funnel_stage[] = {{AU_SCAN_MUST_HB, AU_STAGE_MUST_HB},  {AU_SCAN_LOCKSET, AU_STAGE_LOCKSET},
                    {AU_SCAN_GRAPH, AU_STAGE_GRAPH},      {AU_SCAN_BOX, AU_STAGE_INTERVAL},
                    {AU_SCAN_OCTAGON, AU_STAGE_INTERVAL}, {AU_SCAN_POLYHEDRON, AU_STAGE_INTERVAL},
                    {AU_SCAN_SOLVER, AU_STAGE_SOLVER}};

static void put_events(const au_model_view *view, const au_warning *w, au_check_outcome *c,
                       au_finding *f) {
    const au_scan_place *p = au_warning_place(w);
    f->text = AU_ARENA_ARRAY(&c->findings.arena, au_event_text, f->n_events + 1);
    for (uint32_t i = 0; i < f->n_events; i++) {
        uint32_t step = p->step[i], index = 0;
        if (w->end == AU_SCAN_WITNESSED) {
            step = w->solution.event.at[i].step;
            index = w->solution.event.at[i].index;
        }
        au_model_view_event(view, step, index, w->var, &f->event[i], &f->text[i]);
    }
    if (w->kind == AU_KIND_RACE)
        f->obj = view->var[w->var];
}

static void put_schedule(const au_model_view *view, const au_warning *w, au_check_outcome *c,
                         au_finding *f) {
    const au_model *m = view->m;
    const au_solution *s = &w->solution;
    au_turn *turn = AU_ARENA_ARRAY(&c->findings.arena, au_turn, s->schedule.n + 1);
    uint64_t *done = au_alloc_array(m->thread.n, sizeof *done);
    uint32_t n = 0;
    for (size_t i = 0; i < s->schedule.n; i++) {
        uint32_t who = m->step.at[s->schedule.at[i]].thread;
        if (!n || turn[n - 1].thread != who)
            turn[n++].thread = (uint16_t)who;
        turn[n - 1].upto = ++done[who];
    }
    free(done);
    f->schedule = (au_schedule){turn, n};
    uint32_t *step = AU_ARENA_ARRAY(&c->findings.arena, uint32_t, s->schedule.n + 1);
    memcpy(step, s->schedule.at, s->schedule.n * sizeof *step);
    f->step = step;
    f->n_steps = (uint32_t)s->schedule.n;
    f->spurious = s->spurious;
}

/* What is read and written on the way. */
static void put_values(const au_model_view *view, const au_warning *w, au_check_outcome *c,
                       au_finding *f) {
    AU_VEC(au_model_event) event = {0};
    for (size_t i = 0; i < w->solution.event.n; i++)
        au_vec_push(&event, ((au_model_event){w->solution.event.at[i].step,
                                              w->solution.event.at[i].index}));
    au_model_finding q = {.kind = w->kind,
                          .var = w->var,
                          .obj = AU_NONE,
                          .event = event.at,
                          .n_events = (uint32_t)event.n,
                          .schedule = f->schedule,
                          .havoc = w->solution.havoc.at,
                          .n_havoc = (uint32_t)w->solution.havoc.n};
    au_check_result r;
    au_model_seen_vec seen = {0};
    au_model_check_schedule(view->m, &q, &r, &seen);
    f->seen = AU_ARENA_ARRAY(&c->findings.arena, au_access_seen, seen.n + 1);
    for (size_t i = 0; i < seen.n; i++) {
        const au_model_seen *s = &seen.at[i];
        if (view->var[s->var] == AU_NONE)
            continue;
        f->seen[f->n_seen++] =
            (au_access_seen){.index = s->index,
                             .value = au_model_view_value(view->m, s->var, s->value),
                             .var = view->var[s->var],
                             .thread = (uint16_t)view->m->step.at[s->step].thread,
                             .write = s->write};
    }
    au_vec_release(&seen);
    au_vec_release(&event);
}

/* "queue.c:12", of one of the two accesses. */
static char *line_of(const au_model *m, uint32_t step) {
    const au_step *s = &m->step.at[step];
    const char *file = s->loc == AU_NONE ? m->file : au_intern_str(&m->strings, s->loc);
    const char *slash = file ? strrchr(file, '/') : NULL;
    return s->line ? au_sprintf("%s:%u", slash ? slash + 1 : file, s->line)
                   : au_sprintf("step %u", step);
}

/* What an unknown function does, if one of the two accesses is its. */
static char *missing_function(const au_scan_place *p, const au_source *source,
                              const char *const *at) {
    for (int e = 0; e < 2; e++) {
        uint32_t f = p->step[e] < source->unknown.n ? source->unknown.at[p->step[e]] : 0;
        if (!f)
            continue;
        const char *name = source->stranger.at[f - 1];
        if (!*name)
            return au_sprintf("which function is called through the pointer at %s, and what it "
                              "does to the memory that it is given",
                              at[e]);
        return au_sprintf("what '%s', called at %s, does to the memory that it is given "
                          "(--library says it)",
                          name, at[e]);
    }
    return NULL;
}

/* The one fact that would rule the race out: what a person should look for in the source. */
static char *missing(const au_warning *w, const au_model *m, const au_source *source) {
    const au_source_var *v = source && w->var < source->var.n ? &source->var.at[w->var] : NULL;
    const au_scan_place *p = au_warning_place(w);
    const char *a = w->held[0], *b = w->held[1];
    char *at[2] = {line_of(m, p->step[0]), line_of(m, p->step[1])};
    const char *const place[2] = {at[0], at[1]};
    char *fact = source ? missing_function(p, source, place) : NULL;
    if (fact)
        ;
    else if (v && v->outside)
        fact = au_sprintf("that the pointers at %s and %s lead to different memory: each may lead "
                          "to any object that was given to, or came from, code that is not here",
                          at[0], at[1]);
    else if (v && v->summary && v->array)
        fact = au_sprintf("that the two are never at one element of the array at a time (%s, %s)",
                          at[0], at[1]);
    else if (v && v->summary)
        fact = au_sprintf("that a piece of %s is in the hands of one thread at a time (%s, %s)",
                          *v->object ? v->object : "this memory", at[0], at[1]);
    else if (*a && *b)
        fact = au_sprintf("a lock that both hold, or an order between the two: %s holds %s, %s "
                          "holds %s, and both threads may be alive",
                          at[0], a, at[1], b);
    else if (*a || *b)
        fact = au_sprintf("that the %s access holds %s, too, or is ordered with the other: no "
                          "lock is held at %s, and both threads may be alive",
                          *a ? "second" : "first", *a ? a : b, at[*a ? 1 : 0]);
    else
        fact = au_sprintf("a lock, or an order between the two: neither holds any at %s and %s, "
                          "and both threads may be alive",
                          at[0], at[1]);
    free(at[0]);
    free(at[1]);
    return fact;
}

/* That time or room ran out says nothing about the program. */
static bool says_nothing(const char *why) {
    return strstr(why, "time limit") || strstr(why, "too large") || strstr(why, "not analysed");
}

typedef struct {
    const au_model *m;
    char *names;
    uint32_t seen[3];
    unsigned n;
} named;

static void add_name(void *ctx, uint32_t var) {
    named *k = ctx;
    bool known = k->n == sizeof k->seen / sizeof *k->seen;
    for (unsigned i = 0; i < k->n && !known; i++)
        known = k->seen[i] == var;
    if (known || k->m->var.at[var].kind != AU_VAR_SHARED)
        return;
    k->seen[k->n++] = var;
    char *more = au_sprintf("%s%s'%s'", k->names, *k->names ? ", " : "", k->m->var.at[var].name);
    free(k->names);
    k->names = more;
}

/* Of an assertion or a deadlock: the fact that would rule it out. */
static char *missing_state(const au_warning *w, const au_model *m) {
    uint32_t step = w->kind == AU_KIND_ASSERTION ? au_warning_place(w)->step[0] : AU_NONE;
    if (step == AU_NONE)
        return au_strdup(
            "that no threads wait for each other: an order in which all take their locks");
    named k = {.m = m, .names = au_strdup("")};
    au_term_each_var(m->terms, m->step.at[step].cond, add_name, &k);
    char *at = line_of(m, step);
    bool never = au_term_is_const(m->terms, m->step.at[step].cond);
    char *fact =
        never ? au_sprintf("that no thread comes to %s", at)
              : au_sprintf("that the condition at %s holds whenever a thread comes there%s%s", at,
                           *k.names ? ", of " : "", k.names);
    free(k.names);
    free(at);
    return fact;
}

/* … the step of its schedule that the program may not take so. */
static char *missing_step(const au_warning *w, const au_model *m, const au_source *source) {
    for (size_t i = 0; source && i < w->solution.schedule.n; i++) {
        uint32_t step = w->solution.schedule.at[i];
        if (step >= source->exact.n || source->exact.at[step] < AU_RESULT || !m->step.at[step].line)
            continue;
        char *at = line_of(m, step);
        char *fact =
            au_sprintf("; missing: whether the code at %s can do what the schedule has it do", at);
        free(at);
        return fact;
    }
    return au_strdup("");
}

/* Why it is undecided, what each side holds, what it stands for. */
static void reason(const au_warning *w, const au_model *m, const au_source *source, au_arena *into,
                   au_finding *f) {
    const char *a = w->held[0], *b = w->held[1];
    if (w->kind != AU_KIND_RACE || !a || !b) {
        char *state = missing_state(w, m);
        char *said =
            au_sprintf("%s; missing: %s",
                       says_nothing(w->why) ? "neither shown nor ruled out" : w->why, state);
        au_finding_because_of(f, into, AU_WHY_UNDECIDED, said, NULL);
        free(state);
        free(said);
        return;
    }
    char others[64] = "";
    if (w->others)
        snprintf(others, sizeof others, "; the first conflicts with %" PRIu32 " more places",
                 w->others);
    char *fact = missing(w, m, source);
    char *text = au_sprintf("%s; locks held: %s / %s%s; missing: %s",
                            says_nothing(w->why) ? "neither shown nor ruled out" : w->why,
                            *a ? a : "none", *b ? b : "none", others, fact);
    au_finding_because_of(f, into, AU_WHY_UNDECIDED, text, NULL);
    free(fact);
    free(text);
}

static void tell_warning(const au_warning *w, const au_source *source, const au_model_view *view,
                         au_check_outcome *c) {
    uint32_t n = w->kind == AU_KIND_RACE        ? 2
                 : w->kind == AU_KIND_ASSERTION ? 1
                 : w->end == AU_SCAN_WITNESSED  ? (uint32_t)w->solution.event.n
                                                : 0;
    au_finding *f = au_findings_add(&c->findings, w->kind, n);
    put_events(view, w, c, f);
    switch (w->end) {
    case AU_SCAN_GONE:
        f->standing = AU_IS_REFUTED;
        f->detail = au_arena_strndup(&c->findings.arena, au_scan_stage_name(w->gone),
                                     strlen(au_scan_stage_name(w->gone)));
        break;
    case AU_SCAN_WITNESSED:
        put_schedule(view, w, c, f);
        put_values(view, w, c, f);
        f->standing = w->inexact ? AU_IS_POSSIBLE : AU_IS_PROVED;
        au_finding_because(f, w->crosses ? AU_WHY_CROSSES : AU_WHY_NONE);
        if (!w->crosses && w->inexact) {
            char *step = missing_step(w, view->m, source);
            au_finding_because_of(f, &c->findings.arena, AU_WHY_INEXACT, step, NULL);
            free(step);
        }
        break;
    case AU_SCAN_UNDECIDED:
        reason(w, view->m, source, &c->findings.arena, f);
        break;
    }
}

static void put_funnel(const au_scan_result *r, au_check_outcome *c) {
    for (int k = 0; k < AU_KINDS; k++) {
        if (!r->candidates[k])
            continue;
        c->looked_for[k] = true;
        c->funnel[k].unit = k == AU_KIND_RACE ? "pairs of places" : "";
        c->funnel[k].left[AU_STAGE_CANDIDATES] = r->candidates[k];
        for (size_t i = 0; i < sizeof funnel_stage / sizeof *funnel_stage; i++)
            if (r->stage[funnel_stage[i].scan].ran)
                c->funnel[k].left[funnel_stage[i].stage] = r->left[k][funnel_stage[i].scan];
    }
}

static void tell_stages(const au_scan_result *r, au_check_outcome *c) {
    for (au_scan_stage s = AU_SCAN_GRAPH; s < AU_SCAN_STAGES; s++) {
        const au_scan_stage_result *t = &r->stage[s];
        if (t->ran && s < AU_SCAN_SOLVER)
            au_check_note(
                c,
                "stage %s: %zu left after %.2f s, %u round%s; %u graph%s of %zu nodes, %zu "
                "edges",
                au_scan_stage_name(s), t->left, t->seconds, t->rounds, t->rounds == 1 ? "" : "s",
                t->graphs, t->graphs == 1 ? "" : "s", t->nodes, t->edges);
        else if (t->ran)
            au_check_note(c, "stage %s: %zu left after %.2f s", au_scan_stage_name(s), t->left,
                          t->seconds);
        if (t->failed)
            au_check_note(c,
                          "stage %s: %u graph%s too large or timed out: nothing is ruled out by %s",
                          au_scan_stage_name(s), t->failed, t->failed == 1 ? " was" : "s were",
                          t->failed == 1 ? "it" : "them");
    }
}

void au_scan_findings(au_engine_scan *s, bool all) {
    static const au_scan_end order[] = {AU_SCAN_WITNESSED, AU_SCAN_UNDECIDED, AU_SCAN_GONE};
    const au_scan_result *r = &s->result;
    au_check_outcome *c = &s->outcome;
    put_funnel(r, c);
    for (int k = 0; k < AU_KINDS; k++)
        for (int e = 0; e < (all ? 3 : 2); e++)
            for (size_t i = 0; i < r->warning.n; i++)
                if (r->warning.at[i].kind == (au_kind)k && r->warning.at[i].end == order[e]) {
                    tell_warning(&r->warning.at[i], s->in.source, &s->view, c);
                    au_vec_push(&s->told, (uint32_t)i);
                }
    tell_stages(r, c);
    if (r->pairwise)
        au_check_note(c, "a graph holds two threads; writes of others may happen wherever locks, "
                         "fork and join allow");
    for (size_t i = 0; i < r->note.n; i++)
        au_check_note(c, "%s", r->note.at[i]);
    for (size_t i = 0; i < s->in.note.n; i++)
        au_check_note(c, "%s", s->in.note.at[i]);
    au_check_limits(c);
    if (r->stage[AU_SCAN_SOLVER].ran || !all)
        for (size_t i = 0; i < r->warning.n; i++)
            if (strstr(r->warning.at[i].why, "a bug of augur"))
                au_check_inconclusive(c, "%s", r->warning.at[i].why);
    if (s->in.lost)
        au_check_inconclusive(c, "what is not found may still happen: %s", s->in.lost);
}

static uint32_t step_of(const au_warning *w, size_t event) {
    if (w->end == AU_SCAN_WITNESSED)
        return event < w->solution.event.n ? w->solution.event.at[event].step : AU_NONE;
    return w->place.n && event < 2 ? au_warning_place(w)->step[event] : AU_NONE;
}

void au_scan_functions(au_engine_scan *s) {
    const au_scan_input *in = &s->in;
    au_dossier *d = &s->dossier;
    if (!in->source)
        return;
    for (size_t i = 0; i < d->at.n && i < s->told.n; i++) {
        au_case *c = &d->at.at[i];
        for (size_t e = 0; e < c->event.n; e++) {
            uint32_t step = step_of(&s->result.warning.at[s->told.at[i]], e);
            if (step < in->source->function.n)
                c->event.at[e].function = au_dossier_text_copy(d, in->source->function.at[step]);
        }
        au_case_mark(d, c);
    }
}
