/* scale/shards.h: the results of a check in shards: whose they are, and how they become one.
 *
 * A result of some of the shards is a set: which shards, and what the exact stage answered in them
 * (funnel/answers.h). Putting results together is the union of these sets, so that neither order
 * nor grouping nor repetition makes a difference. */
#ifndef AU_SCALE_SHARDS_H
#define AU_SCALE_SHARDS_H

#include "funnel/answers.h"
#include "report/case.h"

/* Fills of d->shard check, inputs and options: what the check is about. Reads the inputs
 * to their end. */
au_status au_shards_identify(au_dossier *d, char *const *option, size_t n_options,
                             const char *const *input, size_t n_inputs, au_error *err);

/* The result of a check, from a file. AU_EFORMAT, or AU_EUSAGE if it is no check's, with the reason.
 * d is initialised here, and to be released in any case. */
au_status au_shards_load(au_dossier *d, const char *path, au_error *err);

/* Takes over what another result of shards has (d->shard but for answers, d->timeless); 'into' is
 * empty, or of the same check. name, into_name: for messages. AU_EUSAGE if they do not go together. */
au_status au_shards_join(au_dossier *into, const char *into_name, const au_dossier *from,
                         const char *name, au_error *err);

/* Are they of the same inputs, as far as two results tell, of which one may know more? For a whole
 * result, which does not say what check it is of. */
bool au_shards_alike(const au_dossier *a, const au_dossier *b);

/* Which are not there: "2, 5-7"; NULL: none is missing. The caller frees it. */
char *au_shards_missing(const au_case_shard *s);

/* Where the inputs are as they were: this directory, or one that a shard was run in. "" for this
 * one; NULL and *err if they are nowhere. */
const char *au_shards_directory(const au_case_shard *s, au_error *err);

#endif
