/* engine/find_again.h: a finding of a recording by its id, for who has nothing but that id. */
#ifndef AU_ENGINE_FIND_AGAIN_H
#define AU_ENGINE_FIND_AGAIN_H

#include "engine/options.h"
#include "report/case.h"

/* The finding 'id' of a recording, found again as `augur check` does with its defaults and
 * replay's --checks: the only case of d, which was empty. */
au_status au_find_again(const au_opts *o, const char *trace, const char *id, au_dossier *d,
                        au_error *err);

#endif
