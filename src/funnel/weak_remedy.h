/* funnel/weak_remedy.h: which memory orders are too weak. */
#ifndef AU_FUNNEL_WEAK_REMEDY_H
#define AU_FUNNEL_WEAK_REMEDY_H

#include "base/arena.h"
#include "witness/check_weak.h"

/* The fewest accesses (at most two, or else all of them) that forbid this very execution if they get a stronger order:
 * "s of T1 (mp.ctp:6) is rel, not rlx". In words, in the arena; NULL: there are none, or too many were to be tried. Of other executions it says
 * nothing. */
const char *au_weak_remedy(const au_model *m, const au_weak_finding *f, au_arena *arena);

#endif
