/* engine/keep.h: the place of a run in the store: claimed before the program runs, kept when all is
 * known, given up at the end. For what 'augur run' and 'augur scan' do. */
#ifndef AU_ENGINE_KEEP_H
#define AU_ENGINE_KEEP_H

#include "engine/options.h"
#include "report/case.h"
#include "store/store.h"

#include <time.h>

typedef struct {
    au_store_run run; /* its directory in the store */
    char *omit;       /* the store, which sandboxes do not copy; or NULL */
    bool stored;
} au_keep;

#define AU_KEEP_NONE                                                                               \
    {                                                                                              \
        .run = {.lock = -1 }                                                                       \
    }
/* Notes which earlier findings of the program the run does not show (engine/gone.h). After au_dossier_fold. */
au_status au_keep_compare(const au_opts *o, au_dossier *d, au_error *err);

/* A directory in the store of --store. The store is closed while the program runs and workers are
 * forked. */
au_status au_keep_claim(au_keep *k, const au_opts *o, au_error *err);
/* Marks what the store knows; baseline: its stored one counts. */
au_status au_keep_mark(const au_opts *o, au_dossier *d, bool baseline, au_error *err);
/* Stores everything at once, and removes what is more than --keep. */
au_status au_keep_store(au_keep *k, const au_opts *o, const au_dossier *d, au_error *err);
/* Gives the place up; what was stored stays. Also of AU_KEEP_NONE. */
void au_keep_release(au_keep *k);

/* What stands in a dossier that is kept: when the run began, and how a case is replayed. */
void au_keep_put_when(au_dossier *d, time_t when);
void au_keep_put_replay(const au_opts *o, au_dossier *d, au_case *c);

#endif
