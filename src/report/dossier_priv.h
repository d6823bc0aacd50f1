/* report/dossier_priv.h: between the files that make dossiers.
 *
 *   dossier.c         findings as cases, the head, sources
 *   dossier_trace.c   what a trace says of an event: function, locks held
 *   dossier_order.c   orders of events of a trace, cut to what matters
 *   dossier_model.c   the same of a model
 *   dossier_callers.c calls that threads were in
 *   dossier_ended.c   a run that ended badly, beside one that did not
 *   dossier_replay.c  … and of the recording of a replay */
#ifndef AU_REPORT_DOSSIER_PRIV_H
#define AU_REPORT_DOSSIER_PRIV_H

#include "base/hash.h"
#include "report/dossier.h"

/* A lock that is held at an event. */
typedef struct {
    uint32_t lock;
    size_t since; /* event of the trace */
} au_held_lock;

typedef struct {
    au_dossier *d;
    const au_names *names;
    const au_trace *t;         /* NULL: streamed, or a model */
    const au_model_view *view; /* NULL: a trace */
    const au_dossier_options *o;
    const au_map *freed; /* of the recording's facts; NULL: no recording */
    au_map function;     /* hash of "file:line" -> index + 1 */
    AU_VEC(const char *) function_name;
    /* of events that matter (dossier_trace.c), by number */
    uint64_t cut_turns; /* written out of cuts (trace/cut.h) so far … */
    uint64_t
        cut_events; /* … and of races within AU_LIMIT_RACE_BUDGET, which are not among them: events up to their ends */
    au_map held;    /* event -> index + 1 */
    AU_VEC(struct au_held_at {
        const au_held_lock *lock; /* in the dossier's arena */
        uint32_t n;
    })
    held_at;
    const char **text[AU_WIRE_SPACES]; /* copies of names in the dossier, made when needed */
    /* events of each thread (dossier_order.c), made when needed */
    uint32_t *first; /* thread: its first in 'event'; one more */
    uint32_t *event;
} au_dossier_maker;

void au_dossier_maker_init(au_dossier_maker *k, au_dossier *d, const au_names *names,
                           const au_trace *t, const au_dossier_options *o);
void au_dossier_maker_release(au_dossier_maker *k);

/* A name in the dossier's memory. */
const char *au_dossier_name(au_dossier_maker *k, uint8_t space, uint32_t id);
/* The event as cases have it; text may be NULL. No value, no locks. */
au_case_event au_dossier_event(au_dossier_maker *k, const au_event_ref *e, const au_event_text *t);

/* ---- dossier_trace.c ---- */
void au_dossier_sites(au_dossier_maker *k, const au_reader *r);
const char *au_dossier_function(au_dossier_maker *k, const char *location);
/* Which locks are held at these events (sorted or not) of the trace: one pass. */
void au_dossier_find_held(au_dossier_maker *k, const uint64_t *number, size_t n);
/* Not an event: where a thread ended. */
#define AU_HELD_AT_END(thread) (UINT64_MAX - 1 - (thread))
/* NULL: not found before, or none. */
const struct au_held_at *au_dossier_held(const au_dossier_maker *k, uint64_t number);
void au_dossier_put_held(au_dossier_maker *k, uint64_t number, au_case_event *e);

/* ---- dossier_order.c ---- */
/* f is finding of c: witness and observed order, at most 'steps' events each. */
void au_dossier_orders(au_dossier_maker *k, const au_finding *f, au_case *c, size_t steps);

/* The event of the trace that findings call this one, by its variable or lock if there are several;
 * false: there is none. */
bool au_dossier_find_event(au_dossier_maker *k, uint32_t thread, uint64_t told, uint32_t obj,
                           uint64_t *number);
/* The trace is of a run in which f happened: its order becomes the witness. */
void au_dossier_what_happened(au_dossier_maker *k, const au_finding *f, au_case *c, size_t steps);

/* ---- dossier_model.c ---- */
void au_dossier_model_orders(au_dossier_maker *k, const au_finding *f, au_case *c, size_t steps);

#endif
