/* engine/scan_priv.h: between the files of engine/scan.h. */
#ifndef AU_ENGINE_SCAN_PRIV_H
#define AU_ENGINE_SCAN_PRIV_H

#include "engine/scan.h"
#include "program/program.h"

/* ---- scan_input.c ---- */
au_status au_scan_input_open(const au_opts *o, au_scan_input *in, au_error *err);
void au_scan_input_release(au_scan_input *in);

/* ---- scan_findings.c ---- */

/* requires: in, result, view; fills: outcome, told. all: what was ruled out, too. */
void au_scan_findings(au_engine_scan *s, bool all);
/* Functions of the source into the cases of its findings. */
void au_scan_functions(au_engine_scan *s);

/* ---- scan_execute.c, scan_explore.c ---- */

/* Executes what has a schedule on the compiled program, and keeps it all in the store. Findings and
 * cases say what came of it; a note says why nothing was executed.
 * requires: outcome, told, dossier; fills: the standings of both */
void au_scan_execute(const au_opts *o, au_engine_scan *s);

/* Runs of the program, made until its races are shown. All pointers are borrowed. */
typedef struct {
    const au_opts *o;
    au_engine_scan *s;
    au_program *program;    /* ready to be started; its plan is changed */
    const char *dir, *omit; /* where recordings go; what sandboxes leave out, or NULL */
    bool first;             /* the first race is enough */
    void (*settle)(void *ctx, size_t finding, const au_case *did); /* it was shown */
    void *ctx;
    /* ---- what came of it ---- */
    unsigned runs;
    size_t found, against; /* warnings that were shown; races that are no warning */
    bool did;              /* the program raced */
    bool interrupted;
} au_scan_chase;
/* requires: outcome, told, dossier; a note says what came of it */
void au_scan_explore(au_scan_chase *x);

#endif
