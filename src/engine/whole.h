/* engine/whole.h: what a store knows, over all of its runs and tests, as one dossier: each finding once, as it was last seen,
 * with the tests that showed it and its state (case.h). */
#ifndef AU_ENGINE_WHOLE_H
#define AU_ENGINE_WHOLE_H

#include "store/store.h"

/* Into an empty dossier, its cases numbered. Those that no longer happen have the state "fixed" and are known. New is what is not in
 * the stored baseline, or, without one, what was first seen by the last run. */
au_status au_whole_store(au_store *s, const char *name, au_dossier *d, au_error *err);

#endif
