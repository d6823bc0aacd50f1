/* cli/check_options.h: the options of 'augur check' as a plan; for every command that checks. */
#ifndef AU_CLI_CHECK_OPTIONS_H
#define AU_CLI_CHECK_OPTIONS_H

#include "cli/cli.h"
#include "funnel/check.h"
#include "funnel/knowledge.h"

/* All that the options say; model: the input is one, not a trace. */
au_status au_check_options(const au_opts *o, bool model, au_check_plan *p, au_error *err);

/* From the options --checks and --split. */
void au_knowledge_options(au_knowledge_source *from, const au_opts *o, const au_reader *r,
                          const au_read_options *read);

#endif
