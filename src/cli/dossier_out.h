/* cli/dossier_out.h: a dossier as what somebody asked for; for the commands that tell of findings. */
#ifndef AU_CLI_DOSSIER_OUT_H
#define AU_CLI_DOSSIER_OUT_H

#include "cli/cli.h"
#include "engine/forms.h"
#include "report/case.h"

/* format: text, json, sarif, junit, github, html, perfetto (of one case) or baseline; path: '-' is standard
 * output. --most and --color count for text. */
au_status au_cli_dossier(const au_opts *o, const au_dossier *d, const char *format,
                         const char *path, au_error *err);

/* --fail-on: the most uncertain standing that still counts, and whether a case does that is not known. */
au_standing au_cli_least(const au_opts *o);
bool au_cli_counts(const au_opts *o, const au_dossier *d);

#endif
