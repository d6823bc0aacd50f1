/* model/merge.h: several runs of one program as one branching model.
 *
 * Requires: models with straight-line threads (or branching ones from an
 * earlier merge) of one program: the same shared variables, initial values and
 * sync objects where names agree. Threads are matched by name. Two threads that
 * begin alike share those steps; where one has 'assume c' (or takes a branch
 * side) and the other its negation they part as an if; what follows is kept
 * apart. Steps that differ without a branch, or guards that are not each other's
 * negation, are AU_EUNSUPPORTED with the place in both. A run that is a prefix of
 * another's thread ends inside it: the thread that stopped early is not "done"
 * earlier, the longer one is kept. The observed run of the result is the first
 * model's. */
#ifndef AU_MODEL_MERGE_H
#define AU_MODEL_MERGE_H

#include "base/error.h"
#include "model/model.h"

/* The inputs stay the caller's; the result shares nothing with them. */
au_model *au_model_merge(const au_model *const *models, size_t n, au_error *err);

#endif
