/* engine/check_options.h: the options of 'augur check' as a plan; for every command that checks. */
#ifndef AU_ENGINE_CHECK_OPTIONS_H
#define AU_ENGINE_CHECK_OPTIONS_H

#include "confirm/outcome.h"
#include "engine/options.h"
#include "funnel/knowledge.h"
#include "funnel/plan.h"
#include "report/case.h"

/* All that the options say; model: the input is one, not a trace. */
au_status au_check_options(const au_opts *o, bool model, au_plan *p, au_error *err);

/* What --prop names, AU_PROP_RACE | …; its default, if it has one, where it is not given. */
unsigned au_prop_option(const au_opts *o);

/* Of a program that is executed: null pointers, divisions, bounds, with --prop memory also
 * freed memory, unless --checks names some; different output is not the check's. */
void au_check_executed(const au_opts *o, au_plan *p);
/* Of these cases, those of properties that nobody asked for go: --prop memory alone needs the questions of others. */
void au_keep_asked(const au_opts *o, au_dossier *d);

/* --compare-output; NONE if --prop names other properties only. */
au_compare au_compare_option(const au_opts *o);
/* Different output was asked for by name: then it counts as any finding does. */
bool au_output_counts(const au_opts *o);

enum { AU_MOST_SHARDS = 1000000 }; /* more are a mistake in the option */
/* "2/3"; counted from 1. */
au_status au_shard_option(const char *s, uint32_t *shard, uint32_t *shards, au_error *err);

/* From the options --checks and --split. */
void au_knowledge_options(au_knowledge_source *from, const au_opts *o, const au_reader *r,
                          const au_read_options *read);

#endif
