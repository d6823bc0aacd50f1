/* solve/backend.h: what a decision procedure has to do for src/solve.
 *
 * It is given an au_cssa, and then one property after the other, each a term of width 1
 * over its names. Between calls names, axioms and final reads may have been added. */
#ifndef AU_SOLVE_BACKEND_H
#define AU_SOLVE_BACKEND_H

#include "solve/cssa.h"
#include "tsg/rpt.h"

typedef enum { AU_SAT, AU_UNSAT, AU_UNKNOWN } au_answer;

/* A prefix that was found. Handed to a backend empty. */
typedef struct {
    au_u32s order;    /* the executed events that are ordered, first to last */
    au_bitset exec;   /* by event; initialised by the caller for c->event.n events */
    au_bitset failed; /* by event: an executed assert that was violated (prefixes only) */
    uint64_t *havoc;  /* by event; only of executed havocs */
} au_prefix;

typedef struct {
    uint32_t context_bound; /* AU_NONE: none. Needs order_all */
    double seconds;         /* 0: no limit; beyond it the answer is AU_UNKNOWN */
    uint32_t
        conflicts;    /* 0: no limit; cadical: after so many in one search the answer is AU_UNKNOWN,
                           on every machine alike */
    const char *dump; /* NULL, or a path without ending: the backend writes the query there
                               (.cnf, .smt2) before it decides it */
} au_ask;

typedef struct au_backend au_backend;
struct au_backend {
    const char *name;
    /* p is a prefix with 'property' true if AU_SAT. *bound_used (AU_UNSAT): whether the
     * context bound was needed to refute it, as far as is known. */
    au_answer (*decide)(au_backend *b, au_term property, const au_ask *ask, au_prefix *p,
                        bool *bound_used);
    void (*free)(au_backend *b);
    /* Sizes so far; may be NULL. */
    void (*sizes)(const au_backend *b, uint64_t *pairs, uint64_t *variables, uint64_t *clauses,
                  uint64_t *rounds);
};

/* Pair literals on CaDiCaL (order.h). The au_cssa is borrowed. The switches are those of
 * au_solve_options. */
typedef struct {
    bool no_lemmas, proofs, full_widths, atomic;
    bool keep; /* the clauses, for au_ask.dump */
    const au_rpt *ranges;
    uint32_t bound; /* AU_NONE: none; else that of every au_ask */
    bool
        executions; /* of a memory model, not interleavings (weak_priv.h): the au_cssa is weak, … */
    au_memory memory; /* … of this one; no bound, no ranges, no transactions */
} au_cadical_options;
au_backend *au_backend_cadical(au_cssa *c, const au_cadical_options *o);
/* Integer clocks and bit-vectors on Z3. */
au_backend *au_backend_z3(au_cssa *c);
/* Writes the question as Z3 would be asked it to ask->dump with ".smt2" added, for other
 * solvers, whoever decides it here. False: it cannot be written. */
bool au_z3_dump(au_cssa *c, au_term property, const au_ask *ask);

#endif
