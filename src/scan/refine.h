/* scan/refine.h: algorithm 2 of Kahlon et al. 2009: invariants, what they rule out, the graph again. */
#ifndef AU_SCAN_REFINE_H
#define AU_SCAN_REFINE_H

#include "scan/warn.h"
#include "tsg/rpt.h"

typedef struct {
    au_model *m;
    const au_scan_options *o;
    au_scan_result *r;
    au_facts facts;
    au_scan_known known;
    bool *holds;   /* by step: the assert cannot fail */
    bool *waits;   /* by step: it may wait, as far as is known */
    bool *tracked; /* by variable */
    bool has_conflicts;
    au_map conflict; /* au_scan_pair of nodes with conflicting steps that can meet */
    unsigned ways;   /* of making graphs that were too large: see refine.c */
    au_tsg *tsg;     /* ranges for the environment; made when needed, NULL: too large */
    au_rpt *rpt;
    double until; /* au_now() at which all ends; 0: never */
} au_refiner;

void au_refiner_init(au_refiner *k, au_model *m, const au_scan_options *o, au_scan_result *r);
void au_refiner_release(au_refiner *k);

/* One of GRAPH … POLYHEDRON: analyses until nothing changes, and sets 'out' of places. */
au_status au_refine_stage(au_refiner *k, au_scan_stage stage, au_error *err);

/* Is this place ruled out by what is known? */
bool au_refine_out(const au_refiner *k, const au_warning *w, const au_scan_place *p);

#endif
