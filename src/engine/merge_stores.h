/* engine/merge_stores.h: what the stores of several machines know, brought into one: runs with their recordings, findings,
 * verdicts, the stored baseline, and what suites need not analyse again. For 'augur merge STORE...'. */
#ifndef AU_ENGINE_MERGE_STORES_H
#define AU_ENGINE_MERGE_STORES_H

#include "engine/options.h"

#include <stddef.h>

typedef struct {
    size_t runs;  /* that were taken over */
    size_t there; /* … and that were there already, of an earlier merge */
} au_merged_stores;

/* The operands, in their order, into --store, which is made if it is not there. A store that is merged twice counts once. */
au_status au_merge_stores(const au_opts *o, au_merged_stores *m, au_error *err);

#endif
