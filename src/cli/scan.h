/* cli/scan.h: between the files of 'augur scan': what engine/scan.h found, as text. */
#ifndef AU_CLI_SCAN_H
#define AU_CLI_SCAN_H

#include "cli/cli.h"
#include "engine/scan.h"

/* The races that are left undecided: a line for each variable, the 'top' most promising; 0: all. */
void au_scan_list(const au_scan_result *r, const au_model *m, size_t top, au_out *out);
/* The table of stages, for people. */
void au_scan_table(const au_scan_result *r, au_out *out);
/* The warning with a schedule that shows a violation; NULL: none has one. */
const au_warning *au_scan_svcomp_shown(const au_engine_scan *s);
/* A witness of it in GraphML (SV-COMP's format 1.0). */
void au_scan_svcomp_witness(const au_engine_scan *s, const char *file, au_out *out);

#endif
