/* trace/finding.h: what the stages on traces hand to each other and to the report:
 * findings, funnel counts. Plain data. */
#ifndef AU_TRACE_FINDING_H
#define AU_TRACE_FINDING_H

#include "base/arena.h"
#include "trace/cut.h"
#include "trace/event.h"
#include "trace/turn.h"
#include "trace/why.h"

/* The kinds of findings, each with its name in findings and its name as a property that is checked.
 * Wherever somebody types a kind, both will do. */
#define AU_KIND_TABLE(X)                                                                           \
    X(RACE, "race", "race")                                                                        \
    X(ATOMICITY, "atomicity", "atomicity")                                                         \
    X(DEADLOCK, "deadlock", "deadlock")                                                            \
    X(ASSERTION, "assertion", "assert")                                                            \
    X(NONDET, "nondeterminism", "nondet")                                                          \
    X(MISUSE, "lock-misuse", "locks")                                                              \
    X(LOST, "lost-update", "lost-update")                                                          \
    X(OUTPUT, "output", "output")

typedef enum {
#define AU_KIND_ENUM_(id, name, prop) AU_KIND_##id,
    AU_KIND_TABLE(AU_KIND_ENUM_) AU_KINDS
} au_kind;

/* What some of them are in particular, by name, and the kind that they belong to: every one is also a finding of that
 * kind, looked for, numbered and selected as such. */
#define AU_NARROW_TABLE(X)                                                                         \
    X(USE_AFTER_FREE, "use-after-free", RACE)                                                      \
    X(DOUBLE_FREE, "double-free", RACE)                                                            \
    X(LOST_WAKEUP, "lost-wakeup", DEADLOCK)                                                        \
    X(MEMORY, "memory", ASSERTION)                                                                 \
    X(STALE, "stale-check", LOST)

typedef enum {
    AU_NARROW_NONE,
#define AU_NARROW_ENUM_(id, name, kind) AU_NARROW_##id,
    AU_NARROW_TABLE(AU_NARROW_ENUM_) AU_NARROWS
} au_narrow;

typedef enum { AU_IS_CONFIRMED, AU_IS_PROVED, AU_IS_POSSIBLE, AU_IS_REFUTED } au_standing;

/* One event of the trace. */
typedef struct {
    uint64_t number; /* in the trace, from 0; AU_NONE64: of a model, not in its run */
    uint64_t index;  /* within its thread, from 1 */
    uint32_t obj, loc;
    uint16_t thread;
    au_op op;
} au_event_ref;

/* What a model adds to an event; strings are never NULL. */
typedef struct {
    const char *label; /* of its statement, "" if it has none */
    const char *op;    /* what it is called there, "assert", "update", …; "": by its op */
    const char *place; /* "file:line" if it is not that of the event; NULL or "" */
} au_event_text;

/* Whether x86 shows what C11 allows: not known, it does, it does not. */
typedef enum { AU_ON_X86_UNKNOWN, AU_ON_X86_YES, AU_ON_X86_NO } au_on_x86;

/* Of an execution under a memory model, which is more than an order of its events: a read sees that write … */
typedef struct {
    uint64_t index, by_index; /* within their threads; by_index 0: the initial value */
    uint32_t var;
    uint16_t thread, by;
} au_sees;

/* … and the writes of a variable have an order. */
typedef struct {
    uint32_t var;
    uint16_t thread;
    uint64_t index;
} au_wrote;

/* What an event of a schedule read or wrote. */
typedef struct {
    uint64_t index; /* of the event, within its thread */
    int64_t value;
    uint32_t var;
    uint16_t thread;
    bool write;
} au_access_seen;

typedef struct {
    au_kind kind;
    au_standing standing;
    uint32_t obj;         /* variable (race, atomicity) or lock (misuse); AU_NONE */
    const char *detail;   /* "RWR", "unlock of a lock not held", …; never NULL */
    au_why why;           /* POSSIBLE: why not more. Set by au_finding_because … */
    const char *why_said; /* … with the text's holes filled; NULL: it has none */
    au_event_ref *event;  /* the decisive events, in the order of witness/check.h */
    uint32_t n_events;
    au_schedule schedule; /* n == 0: none, or it is empty, or too long to be written out: … */
    const au_cut
        *cut; /* … then this is it; NULL: it is not. Of traces that are no recordings only */
    uint64_t *until; /* recordings: by event, where the step ends that it belongs to (>= its
                           * index); NULL: steps are events */
    /* Of models, and where values are known: */
    au_event_text *text; /* one an event; NULL: none */
    au_access_seen *seen;
    uint32_t n_seen;
    bool spurious;      /* the schedule needs a wake-up without a signal */
    const char *memory; /* "tso", "rc11": in no interleaving, but in this execution; NULL */
    au_on_x86 x86;      /* memory "rc11": does x86 do it, too? */
    const char *remedy; /* … which stronger orders would forbid that; NULL: not known */
    au_sees *sees;      /* … of it; 'wrote' by variable, those of one in their order */
    au_wrote *wrote;
    uint32_t n_sees, n_wrote;
    const uint32_t *step; /* models: the schedule's steps, one after the other; NULL */
    uint32_t n_steps;
    const uint32_t *at_step; /* models: of each decisive event; NULL */
} au_finding;

/* Findings and the memory they live in. */
typedef struct {
    au_arena arena;
    AU_VEC(au_finding) finding;
} au_findings;

void au_findings_init(au_findings *f);
void au_findings_release(au_findings *f);
/* A new finding with n_events events to fill in; standing POSSIBLE, texts "". */
au_finding *au_findings_add(au_findings *f, au_kind kind, uint32_t n_events);

/* For a reason whose text has no holes … */
void au_finding_because(au_finding *f, au_why why);
/* … and one whose holes are filled with these, copied to the arena; NULL: it has fewer. */
void au_finding_because_of(au_finding *f, au_arena *into, au_why why, const char *first,
                           const char *second);
/* The reason as text; "": there is none. Lives as long as the finding. */
const char *au_finding_why(const au_finding *f);

/* What remained after each stage; AU_STAGE_UNKNOWN where a stage did not run. */
enum {
    AU_STAGE_CANDIDATES,
    AU_STAGE_MUST_HB,
    AU_STAGE_LOCKSET,
    AU_STAGE_GRAPH,
    AU_STAGE_INTERVAL,
    AU_STAGE_SOLVER,
    AU_STAGES
};
#define AU_STAGE_UNKNOWN UINT64_MAX
typedef struct {
    uint64_t left[AU_STAGES];
    const char *unit; /* what is counted: "pairs", "triples", "representatives", … */
} au_funnel;
void au_funnel_init(au_funnel *f);

const char *au_kind_name(au_kind k);      /* as in the JSON: "race", "lock-misuse", … */
const char *au_kind_prop_name(au_kind k); /* as 'augur check --prop' has it: "race", "locks", … */
const char *au_narrow_name(au_narrow n);  /* as in the JSON; "": AU_NARROW_NONE */
/* AU_NARROW_NONE: there is none of this name; else also the kind that it belongs to. */
au_narrow au_narrow_by_name(const char *name, au_kind *k);
/* By either name; false: there is none of this name. */
bool au_kind_by_name(const char *name, au_kind *k);
const char *au_standing_name(au_standing s);
const char *au_stage_name(int stage);

#endif
