/* funnel/checked.c: see checked.h. */
#include "funnel/checked.h"

#include "base/limits.h"
#include "funnel/knowledge.h"

#include <stdlib.h>

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

void au_checked_order(au_findings *f, bool first) {
    if (f->finding.n)
        qsort(f->finding.at, f->finding.n, sizeof *f->finding.at, by_standing);
    if (first)
        keep_most_certain(f);
}

au_status au_checked_open(au_checked *c, const char *path, const au_check_plan *p,
                          const au_read_options *read, au_error *err) {
    *c = (au_checked){.read = *read};
    c->read.fold = true; /* what one thread alone touches cannot go wrong */
    c->read.calls = p->blocks == AU_BLOCKS_FUNCTION;
    c->reader = au_reader_open(path, &c->read, err);
    if (!c->reader)
        return err->status;
    c->path = au_strdup(path);
    c->names = au_reader_names(c->reader);
    au_check_outcome_init(&c->outcome);
    return AU_OK;
}

/* Stacks are read from the recording once more: only if it ended badly, and is not too long. */
static void tell_failed_run(au_checked *c) {
    au_stacks stacks = {0};
    au_error ignored = AU_ERROR_NONE;
    bool failed = c->trace && c->facts && c->facts->ended &&
                  (c->facts->end == AU_END_ASSERT || c->facts->end == AU_END_DEADLOCK ||
                   c->facts->end == AU_END_SIGNAL);
    bool is_long = failed && c->facts->hooks > AU_LIMIT_STACK_EVENTS;
    if (is_long)
        au_check_limit(&c->outcome, AU_AT_STACK_EVENTS, 0, 0);
    bool read = failed && !is_long && au_stacks_read(&stacks, c->path, &ignored) == AU_OK;
    au_check_failed_run(c->trace, c->facts, read ? &stacks : NULL, &c->outcome);
    if (read)
        au_stacks_release(&stacks);
}

au_status au_checked_run(au_checked *c, au_check_plan *p, au_error *err) {
    au_knowledge_source source = {.path = c->path,
                                  .reader = c->reader,
                                  .read = c->read,
                                  .checks = p->checks,
                                  .split = p->split};
    au_status st;
    au_limits_forget();
    if (p->stream && p->nondet) {
        st = au_error_set(err, AU_EUSAGE,
                          "nondeterminism needs the whole trace: not with --stream or '-'");
    } else if (p->stream) {
        st = au_check_stream(p, c->reader, &c->outcome, err);
    } else {
        c->trace = au_trace_load_from(c->reader, err);
        if (c->trace)
            c->names = &c->trace->names;
        /* Otherwise a trace without a program. */
        if (au_reader_format(c->reader) == AU_FORMAT_BINARY && au_reader_facts(c->reader) &&
            p->exact.semantics == AU_SEM_CTP)
            p->source = &source;
        st = c->trace ? au_check_trace(p, c->trace, &c->outcome, err) : err->status;
        p->source = NULL;
    }
    if (st != AU_OK)
        return st;
    c->facts = au_reader_facts(c->reader);
    tell_failed_run(c);
    au_check_limits(&c->outcome);
    au_checked_order(&c->outcome.findings, p->exact.first);
    return AU_OK;
}

void au_checked_dossier(const au_checked *c, au_dossier *d, const au_dossier_options *o) {
    au_dossier_subject of = {c->path, c->reader, c->trace, c->names, c->facts, &c->outcome};
    au_dossier_of_check(d, &of, o);
}

void au_checked_release(au_checked *c) {
    au_trace_free(c->trace);
    au_check_outcome_release(&c->outcome);
    au_reader_free(c->reader);
    free(c->path);
}
