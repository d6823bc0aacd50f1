/* engine/scan_priv.h: between the files of engine/scan.h. */
#ifndef AU_ENGINE_SCAN_PRIV_H
#define AU_ENGINE_SCAN_PRIV_H

#include "engine/scan.h"

/* ---- scan_input.c ---- */
au_status au_scan_input_open(const au_opts *o, au_scan_input *in, au_error *err);
void au_scan_input_release(au_scan_input *in);

/* ---- scan_findings.c ---- */

/* requires: in, result, view; fills: outcome, told. all: what was ruled out, too. */
void au_scan_findings(au_engine_scan *s, bool all);
/* Functions of the source into the cases of its findings. */
void au_scan_functions(au_engine_scan *s);

/* ---- scan_execute.c ---- */

/* Executes what has a schedule on the compiled program, and keeps it all in the store. Findings and
 * cases say what came of it; a note says why nothing was executed.
 * requires: outcome, told, dossier; fills: the standings of both */
void au_scan_execute(const au_opts *o, au_engine_scan *s);

#endif
