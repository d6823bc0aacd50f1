/* engine/check_on.h: what 'augur check --on' does: the shards of a check on other machines. */
#ifndef AU_ENGINE_CHECK_ON_H
#define AU_ENGINE_CHECK_ON_H

#include "engine/options.h"
#include "funnel/answers.h"
#include "report/case.h"

/* What the shards came to; merged and answers are initialised here and to be released in any case.
 * tell: hears remarks on the way. *stopped: the signal that ended it; 0: none. */
au_status au_engine_check_on(const au_opts *o, void (*tell)(void *ctx, const char *text), void *ctx,
                             au_dossier *merged, au_answers *answers, int *stopped, au_error *err);

#endif
