/* linear/lockgraph_priv.h: shared by lockgraph.c (collection) and lockcycle.c (search). */
#ifndef AU_LINEAR_LOCKGRAPH_PRIV_H
#define AU_LINEAR_LOCKGRAPH_PRIV_H

#include "base/hash.h"
#include "linear/lockgraph.h"

typedef struct au_lock_walk au_lock_walk;

struct au_lockgraph {
    const au_names *names;
    au_must *must; /* or NULL */
    au_arena arena;
    AU_VEC(au_lock_dep) dep;
    au_idtable dep_index;
    au_lock_walk *walk;
    /* the search */
    AU_VEC(au_lock_edge) edge;
    AU_VEC(au_lock_cycle) cycle;
    au_funnel funnel;
    char note[256];
    bool finished;
};

/* The held sets of dependencies, and the number of one of them there. */
const au_sets *au_lockgraph_sets(const au_lockgraph *g);
uint32_t au_lockgraph_root(const au_lockgraph *g, const au_lock_dep *d);

/* Does the trace end with all threads of the cycle requesting and holding just that? */
bool au_lock_walk_ends_in(const au_lockgraph *g, const au_lock_cycle *c);

void au_lockcycle_search(au_lockgraph *g, const au_lockgraph_limits *limits);

#endif
