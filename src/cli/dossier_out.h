/* cli/dossier_out.h: a dossier as what somebody asked for; for the commands that tell of findings. */
#ifndef AU_CLI_DOSSIER_OUT_H
#define AU_CLI_DOSSIER_OUT_H

#include "cli/cli.h"
#include "report/case.h"

enum { AU_ORDER_STEPS = 240 }; /* events of a finding's order, at most */

/* json, sarif, junit or html; false: none of these, and nothing is written. */
bool au_cli_put_dossier(const au_dossier *d, const char *format, au_out *out);
/* format: text, json, sarif, junit, html, perfetto (of one case) or baseline; path: '-' is standard
 * output. --most and --color count for text. */
au_status au_cli_dossier(const au_opts *o, const au_dossier *d, const char *format,
                         const char *path, au_error *err);
/* The operands as an array that the caller frees. */
const char **au_cli_inputs(const au_opts *o);
/* Fails like that if it cannot be written, without writing anything: before a long run. */
au_status au_cli_can_write(const char *path, au_error *err);

#endif
