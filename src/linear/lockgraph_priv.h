/* linear/lockgraph_priv.h: shared by lockgraph.c (collection) and lockcycle.c (search). */
#ifndef AU_LINEAR_LOCKGRAPH_PRIV_H
#define AU_LINEAR_LOCKGRAPH_PRIV_H

#include "base/hash.h"
#include "linear/lockgraph.h"

typedef struct {
    const au_lock_mode *member; /* rising */
    uint32_t n;
} au_lock_set;

typedef struct au_lock_walk au_lock_walk;

struct au_lockgraph {
    const au_names *names;
    au_must *must; /* or NULL */
    au_arena arena;
    AU_VEC(au_lock_set) set; /* interned; 0 is the empty one */
    au_idtable set_index;
    au_map set_with; /* set << 32 | member -> set with it */
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

/* Requests that the trace ends with, and who holds what then: the locks' cycles
 * that are there already. Called with the dependency of the request. */
bool au_lock_walk_ends_in(const au_lockgraph *g, const au_lock_cycle *c);

void au_lockcycle_search(au_lockgraph *g, const au_lockgraph_limits *limits);

#endif
