/* engine/explore.h: what 'augur explore' does, without telling anybody. */
#ifndef AU_ENGINE_EXPLORE_H
#define AU_ENGINE_EXPLORE_H

#include "engine/options.h"
#include "report/case.h"

/* Into an empty dossier. tell: hears a line of every run; NULL: nobody does. */
au_status au_engine_explore(const au_opts *o, void (*tell)(void *ctx, const char *line), void *ctx,
                            au_dossier *d, au_error *err);

#endif
