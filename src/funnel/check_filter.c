/* funnel/check_filter.c: possible races and broken blocks, held against the causality graph before
 * the exact stage is asked: the 'graph' stage of the funnel.
 *
 * The edges used are those that hold for what the exact stage would be asked: as long as every read
 * sees the value it saw, whoever wrote it (graph/cause.h, by_value); of recordings whose
 * code is there, where reads may see other values, and of traces without values, none but those of
 * synchronisation. So what is refuted here the exact stage would refute, too. */
#include "base/deadline.h"
#include "base/hash.h"
#include "base/limits.h"
#include "funnel/stages_priv.h"

#include "graph/cause.h"

#include <inttypes.h>

/* A race with a schedule that was not executed, for want of time or by --schedules, has one all the same: nothing that
 * holds in every interleaving can rule it out. */
static bool is_open(const au_finding *f) {
    bool waits = f->why == AU_WHY_BUDGET || f->why == AU_WHY_TIME;
    if (f->kind == AU_KIND_RACE && waits && (f->schedule.n || f->cut))
        return false;
    return f->standing == AU_IS_POSSIBLE && ((f->kind == AU_KIND_RACE && f->n_events == 2) ||
                                             (f->kind == AU_KIND_ATOMICITY && f->n_events == 3));
}

static bool can_be(au_cause_search *s, const au_finding *f) {
    uint32_t e[3] = {0};
    for (uint32_t i = 0; i < f->n_events; i++)
        e[i] = (uint32_t)f->event[i].number;
    return f->kind == AU_KIND_RACE ? au_cause_can_race(s, e[0], e[1])
                                   : au_cause_can_break(s, e[0], e[1], e[2]);
}

/* Races are counted by variable: one less if all of its races are gone. */
static uint64_t variables_gone(const au_check_outcome *c) {
    au_map has; /* variable -> 1: a race that is left; 0: none */
    uint64_t left = 0;
    au_map_init(&has);
    for (size_t i = 0; i < c->findings.finding.n; i++) {
        const au_finding *f = &c->findings.finding.at[i];
        if (f->kind != AU_KIND_RACE)
            continue;
        uint64_t *at = au_map_put(&has, f->obj, NULL);
        left += !*at && f->standing != AU_IS_REFUTED;
        *at |= f->standing != AU_IS_REFUTED;
    }
    uint64_t gone = has.n - left;
    au_map_release(&has);
    return gone;
}

static void count_left(au_check_outcome *c, uint64_t blocks) {
    uint64_t gone[AU_KINDS] = {[AU_KIND_RACE] = variables_gone(c), [AU_KIND_ATOMICITY] = blocks};
    for (int k = AU_KIND_RACE; k <= AU_KIND_ATOMICITY; k++) {
        uint64_t *left = c->funnel[k].left, before = left[AU_STAGE_LOCKSET];
        if (c->looked_for[k] && before != AU_STAGE_UNKNOWN)
            left[AU_STAGE_GRAPH] = before - (gone[k] < before ? gone[k] : before);
    }
}

au_status au_stage_graph(au_check_run *r, au_error *err) {
    const au_plan *p = r->plan;
    const au_trace *t = r->trace;
    au_check_outcome *c = &r->outcome;
    size_t open = 0, kept = 0, refuted = 0, blocks = 0;
    for (size_t i = 0; i < c->findings.finding.n; i++)
        open += is_open(&c->findings.finding.at[i]);
    bool fits = t->events.n <= au_limit_value(AU_AT_SCHEDULED_EVENTS);
    if (open && !fits)
        au_limit_reached(AU_AT_SCHEDULED_EVENTS, 1);
    if (open && fits) {
        au_checker_free(
            r->work->checker); /* both at a time would be much; who needs it makes it again */
        r->work->checker = NULL;
        bool values = !r->work->has_source && !t->hooks.thinned && p->semantics != AU_SEM_CAM &&
                      t->events.any_value;
        au_cause_options o = {.by_value = values, .no_reads = !values, .in_time = true};
        au_cause *g = au_cause_new(t, &o, err);
        if (!g && au_deadline_over()) {
            au_check_cut(c, "not done: the graph stage");
            return AU_OK;
        }
        if (!g)
            return err->status;
        au_cause_search *s = au_cause_search_new(g, NULL, 1);
        au_cause_search_limit(s, 100000, 0);
        for (size_t i = 0; i < c->findings.finding.n; i++) {
            au_finding *f = &c->findings.finding.at[i];
            if (!is_open(f) || au_deadline_over() || can_be(s, f))
                continue;
            f->standing = AU_IS_REFUTED;
            au_finding_because(f, values ? AU_WHY_GRAPH_VALUES : AU_WHY_GRAPH_ORDER);
            f->schedule.n = 0;
            if (p->certify)
                au_vec_push(&r->work->cycles, *f);
            refuted++;
            blocks += f->kind == AU_KIND_ATOMICITY;
        }
        au_cause_search_free(s);
        au_cause_free(g);
    }
    if (fits)
        count_left(c, blocks);
    for (size_t i = 0; i < c->findings.finding.n; i++)
        if (p->all || c->findings.finding.at[i].standing != AU_IS_REFUTED)
            c->findings.finding.at[kept++] = c->findings.finding.at[i];
    c->findings.finding.n = kept;
    if (refuted && !p->all)
        au_check_note(c,
                      "%zu possible finding%s refuted by a cycle in the causality graph (--all "
                      "lists them)",
                      refuted, refuted == 1 ? " was" : "s were");
    return AU_OK;
}
