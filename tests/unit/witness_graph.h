/* The graph G' of Sinha et al. by brute force, for tests: which witnesses of
 * nondeterminism are infeasible by a cycle. Deliberately simple; shares no code
 * with src/graph.
 *
 * Nodes are the events and two more: 'init', before everything, which stands for
 * the implicit first write of every variable, and 'final', after everything, for
 * the implicit last reads. Edges: program order; fork to the first event of the
 * child, its last event to the join; the last signal before a wake to it;
 * read-couples except the one that the witness breaks; the order of the witness;
 * and (where asked) those induced by locks: if the acquire of a scope reaches the
 * release of another scope of that lock, the first scope ends before the other
 * begins.
 *
 * Witness kinds of (w, r, c): 0 is c r w, 1 is w c r, 2 is c r without w. The
 * last is infeasible if c or r need w, that is, exactly if there is a cycle with
 * c r w. */
#ifndef AU_TESTS_WITNESS_GRAPH_H
#define AU_TESTS_WITNESS_GRAPH_H

#include "base/rng.h"
#include "trace/event.h"

#define NO_NODE UINT32_MAX

struct couple {
    uint32_t w, r, var;
};
struct edge {
    uint32_t from, to;
};
struct scope {
    uint32_t lock, acq, rel;
};
typedef AU_VEC(uint32_t) node_vec;

struct wgraph {
    uint32_t n, init, final, threads;
    uint32_t *thread, *pos; /* by event: its thread and its number there */
    uint32_t *next, *prev;  /* in program order */
    AU_VEC(struct edge) sync;
    AU_VEC(struct couple) couple;
    AU_VEC(struct scope) scope; /* those of one lock together */
    node_vec *writes;           /* by variable, init among them */
    size_t vars;
};

void wgraph_init(struct wgraph *g, const au_block *b, const au_names *names);
void wgraph_release(struct wgraph *g);
/* All witnesses of all couples (every 'stride'-th one), without induced edges. */
void wgraph_cycles(const struct wgraph *g, size_t stride, uint64_t *all, uint64_t *cyclic);
/* One witness, with the edges induced by locks. */
bool wgraph_cyclic_with_locks(const struct wgraph *g, const struct couple *k, uint32_t c, int kind);

#endif
