/* tsg/rpt.h: range propagation on a transaction sequence graph (Ganai and Wang, section 4.2).
 *
 * Round i has for every node the ranges of paths of i transactions that end there. A path
 * goes along transactions, with at most one switch between two of them; along a switch the cells
 * come from where it starts, the locals from all that has been known at the node it leads to, and
 * while that is nothing it leads nowhere. A path of a model without loops uses no transaction
 * twice: so there are at most as many rounds as transactions. Beyond the paper each thread's
 * control state is followed as a variable like the others, so that a switch to where its thread
 * cannot be leads nowhere either (no path against program order).
 *
 * With loops there is no such bound: ranges grow until nothing changes, are widened on
 * the way and narrowed at the end.
 *
 * In large graphs ranges are kept from round to round, and only what grew is handed on.
 *
 * What is promised, of the whole model and not only of the graph's paths: every value
 * that a step assigns to or reads from a shared or local variable is inside 'assigned' and 'seen', every local at a node inside
 * 'at', every control state and step that can be reached is marked, every assert that can fail.
 * Cells in 'at' are of the graph's own paths, where a thread gets to the node or goes on from it. */
#ifndef AU_TSG_RPT_H
#define AU_TSG_RPT_H

#include "tsg/interval.h"
#include "tsg/tsg.h"

typedef struct {
    unsigned look_ahead; /* transactions followed path by path; 0: as 1, but ranges that switches
                            bring to one node are joined before its transactions run */
    bool worklist;       /* as large graphs are treated: faster and less precise */
    bool asserts_pass;   /* a failed assert does not stop its thread (--no-prefix) */
    uint64_t
        most_work;   /* large graphs: more joins of intervals than these, no result; 0: no limit */
    bool no_control; /* do not follow control states: as in the paper */
} au_rpt_options;

typedef struct {
    const au_tsg *g;
    au_rpt_options o;
    uint32_t cells;   /* a node's ranges: cells, then its thread's locals, */
    uint32_t *slot;   /* by variable: where */
    uint32_t *size;   /* by thread: how many */
    au_interval **at; /* by node of the graph: NULL if nothing gets there */
    bool *reached;    /* by control state */
    bool *executed;   /* by step: its guard can hold */
    bool *fails;      /* by step: the assert can fail */
    uint32_t *first;  /* by step: in 'assigned' by update, and behind them its accesses in 'seen' */
    au_interval *assigned; /* first[s] + update; low > high: never */
    uint32_t *first_seen;
    au_interval *seen; /* first_seen[s] + access: when its guard is looked at */
    uint32_t rounds;
} au_rpt;

/* Borrows g. NULL only if most_work says so. */
au_rpt *au_rpt_new(const au_tsg *g, const au_rpt_options *o);
void au_rpt_free(au_rpt *r);

/* The interval metric (section 4.3), ceil(log2(high - low + 1)) bits an interval. What is not
 * reached costs nothing. */
typedef struct {
    uint64_t local, global;
    uint32_t unreached; /* control states */
    uint32_t asserts, proved;
} au_metric;
void au_rpt_metric(const au_rpt *r, au_metric *m);

#endif
