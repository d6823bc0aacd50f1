/* engine/merge.h: results of checks put together, and the check that shards are of, done once more
 * with all their answers at hand (funnel/answers.h). For 'augur merge' and 'augur check --on'. */
#ifndef AU_ENGINE_MERGE_H
#define AU_ENGINE_MERGE_H

#include "base/vec.h"
#include "engine/options.h"
#include "funnel/answers.h"
#include "report/case.h"

/* ---- results, from files ---- */

typedef struct {
    au_dossier first;  /* of the results, as it was read */
    const char *shard; /* the first that is of shards; NULL: none yet */
    au_dossier merged;
    au_answers answers;
    bool counted; /* answers is there */
    char *whole;  /* the first by its bytes of the results that lack nothing; or NULL */
    size_t whole_size;
    const char *whole_name;
} au_merge;

/* The operands. AU_EUSAGE if shards are missing and --partial is not given. To be released in any
 * case. */
au_status au_merge_read(au_merge *g, const au_opts *o, au_error *err);
void au_merge_release(au_merge *g);

/* ---- the check that shards are of ---- */

typedef struct {
    au_opts *o; /* its command line */
    AU_VEC(char *) argv;
} au_merged_check;

/* Told as 'o' says (check or merge: format, output, most, stats). This process goes to the directory
 * where the check's input is. To be released in any case. */
au_status au_merged_check_open(au_merged_check *c, const au_opts *o, const au_dossier *merged,
                               au_error *err);
void au_merged_check_release(au_merged_check *c);

#endif
