/* scan/scan.h: the static half: everything that could go wrong in a model with loops, whatever the
 * number of rounds, and what becomes of each of these warnings (Kahlon et al. 2009, docs/papers.md).
 *
 *   warnings       pairs of conflicting accesses of two threads (race), assertions, one deadlock
 *   must-hb        fork and join keep the two apart
 *   lockset        both hold a lock (must-locksets, all kinds; acquisition histories)
 *   graph          the transaction graph, following synchronisation only: conditions,
 *                  semaphores, barriers, fork and join
 *   box, octagon, polyhedron   invariants on the graph; after each the graph is made again
 *                  with what is known by then, until nothing changes (algorithm 2)
 *   solver         what is left: slices, unrolled 1, 2, 4, … times, asked of the exact stage; a
 *                  schedule, or 'impossible' if the unrolling was complete, or undecided up to a bound
 *
 * No pair that can be reached is ever called unreachable by a stage; every schedule was executed on
 * the model by the checker (witness/check_model.h).
 *
 * A warning is told once for its places in the source: pairs of steps (instances of a thread, inlined
 * copies) with the same lines and variable are one. It is gone when all of them are.
 *
 * Where a variable has more accesses than pairs of steps could be listed of, accesses are taken together by line and
 * by what their threads hold and know there (au_facts_class): the first two stages decide all of them so, a
 * warning has an example of its pairs of steps and is never GONE later. If still very many pairs of lines are left
 * of it, each line is told once, with how many others it conflicts with. */
#ifndef AU_SCAN_SCAN_H
#define AU_SCAN_SCAN_H

#include "base/error.h"
#include "model/semantics.h"
#include "scan/domain.h"
#include "solve/solve.h"
#include "trace/finding.h"

typedef enum {
    AU_SCAN_MUST_HB,
    AU_SCAN_LOCKSET,
    AU_SCAN_GRAPH,
    AU_SCAN_BOX,
    AU_SCAN_OCTAGON,
    AU_SCAN_POLYHEDRON,
    AU_SCAN_SOLVER,
    AU_SCAN_STAGES
} au_scan_stage;
const char *au_scan_stage_name(au_scan_stage s);

typedef struct {
    unsigned props;           /* AU_PROP_RACE, AU_PROP_ASSERT, AU_PROP_DEADLOCK */
    au_scan_stage last;       /* stop after this stage */
    au_domain_kind domain;    /* the most precise one */
    bool no_reduce;           /* all threads move at every node */
    bool no_spurious;         /* nobody wakes up without a signal */
    bool pairs;               /* graphs of two threads even where all would do: for tests */
    unsigned rounds;          /* of refinement in a domain, at most; 0: 4 */
    size_t most_nodes;        /* of a graph; 0: 20000 */
    double invariant_seconds; /* for one graph and domain; 0: 30 */
    uint32_t unroll;          /* the largest number of rounds; 0: 16 */
    double solver_seconds;    /* for one question; 0: 10 */
    double seconds;           /* for all of it, about; 0: none */
    unsigned jobs;
    uint64_t memory_bytes; /* of a worker; 0: none */
    bool show;             /* keep the graphs ('graph' of the result) */
    bool in_process;       /* no worker processes: for tests of models without octagons … */
    const uint8_t *
        vague; /* by variable: 1 if it stands for several pieces of memory, 2 if for all that could not be told apart; NULL: none does */
    const uint32_t *
        same; /* by variable: a number that all have which a person would call the same (parts of an object that one
                 call touches, copies of it that the model keeps apart); NULL: those of one name */
    const uint32_t *
        unknown; /* by step: the number of an unknown function that may make this access: what it does is told once for all
                    that it conflicts with; 0: none; NULL */
    const uint8_t *
        exact; /* by step: from 2 on a schedule through it is no proof, unless nothing depends on what it does, nor one
                  that ends before it (au_exactness of lower/source.h; 2: the program may well do it); NULL: none is so */
    bool sections; /* in the model is __VERIFIER_atomic_begin, as this lock (scan/sections.h) */
    uint32_t section_lock;
    bool waits; /* threads may wait for what is not in the model: a deadlock is never GONE */
    const uint32_t
        *guard; /* by step: what guards its access besides the model's locks; NULL, 0: nothing */
    bool (*excludes)(const void *ctx, uint32_t guard,
                     uint32_t other); /* threads cannot both stand before accesses so guarded */
    const void *guards;               /* ctx */
} au_scan_options;
#define AU_SCAN_DEFAULTS                                                                           \
    {                                                                                              \
        .props = AU_PROP_RACE | AU_PROP_ASSERT, .last = AU_SCAN_SOLVER,                            \
        .domain = AU_DOMAIN_POLYHEDRON                                                             \
    }

typedef enum {
    AU_SCAN_GONE,      /* cannot happen: see 'gone' */
    AU_SCAN_WITNESSED, /* a schedule of the model shows it */
    AU_SCAN_UNDECIDED  /* see 'why' */
} au_scan_end;

typedef struct {
    uint32_t step[2]; /* assertion: the first only */
    uint32_t
        var; /* race: of the model; a warning may be of several that are one thing in the source */
    bool write[2]; /* race */
} au_scan_place;

typedef struct {
    au_kind kind;
    uint32_t var;                /* race: of the place that is shown, or of the first */
    bool write[2];               /* … and of this */
    AU_VEC(au_scan_place) place; /* all that look the same in the source */
    AU_VEC(uint8_t) out; /* by place: the au_scan_stage that ruled it out, AU_SCAN_STAGES none */
    au_scan_end end;
    au_scan_stage gone;   /* GONE: the last stage that was needed */
    const char *why;      /* UNDECIDED */
    bool open;            /* … and more rounds will not help: time, size */
    uint32_t bound;       /* rounds that were looked at */
    double seconds;       /* of the solver */
    au_solution solution; /* WITNESSED: steps of the model */
    const char
        *held[2];  /* race: locks on each side, of the first place that is left: "a, b" or "" */
    unsigned rank; /* lower ones are looked at and told first */
    bool partial;  /* 'place' does not hold all pairs of steps that are left: never GONE */
    uint32_t
        others; /* places that the first one conflicts with, too, and that are not told singly */
    uint32_t shown; /* WITNESSED: which place */
    bool inexact;   /* WITNESSED: the schedule has steps that are not exact */
    bool crosses;   /* … and others move in a section that is atomic: no run does that */
} au_warning;

/* The one that is shown, else the first that is left (of two writes, if there is one), else the first. */
const au_scan_place *au_warning_place(const au_warning *w);

typedef struct {
    bool ran;
    size_t left; /* warnings, after it */
    double seconds;
    size_t nodes, edges, alone, boundaries; /* of its last graphs together */
    unsigned rounds, graphs, failed; /* graphs: in the last round; without a result (time, size) */
} au_scan_stage_result;

typedef struct {
    au_scan_stage stage;
    const char *text; /* lines (scan/show.h) */
} au_scan_graph;

typedef struct {
    au_arena arena;
    AU_VEC(au_warning) warning;
    size_t candidates[AU_KINDS];
    size_t left[AU_KINDS][AU_SCAN_STAGES]; /* after each stage that ran */
    au_scan_stage_result stage[AU_SCAN_STAGES];
    /* Of variables with very many accesses: pairs of places ruled out by the first two stages, which have
     * no warning here; and pairs that are left, told by place ('others'). */
    size_t hidden[2], folded;
    uint32_t shared; /* variables that two threads access, one writing */
    bool pairwise;   /* graphs were of two threads at a time */
    AU_VEC(const char *) note;
    AU_VEC(au_scan_graph)
    graph; /* of each stage's last round, if they are wanted and were not too large */
} au_scan_result;

/* Borrows m, which is checked (au_model_check), has at most AU_MAX_THREADS threads, and may get more terms. */
au_status au_scan_run(au_model *m, const au_scan_options *o, au_scan_result *r, au_error *err);
void au_scan_result_release(au_scan_result *r);

#endif
