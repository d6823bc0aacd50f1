/* cli/scan.h: between the files of 'augur scan'. */
#ifndef AU_CLI_SCAN_H
#define AU_CLI_SCAN_H

#include "cli/cli.h"
#include "funnel/check.h"
#include "lower/source.h"
#include "report/case.h"
#include "scan/scan.h"

/* What is scanned: a .ctp model, or a program's code as a model. */
typedef struct {
    au_model *m;               /* owned by the model or by what stands behind it */
    uint8_t *exact;            /* by step (lower/source.h), NULL: all exact. Owned */
    uint8_t *vague;            /* by variable, as in scan/scan.h; NULL. Owned */
    bool several;              /* the program may have more threads like some of the model's */
    AU_VEC(const char *) note; /* what the reader should know; owned by 'arena' */
    au_arena arena;
    au_source *source; /* or NULL */
    size_t n_files;    /* of the operands; the others are options of the compiler */
} au_scan_input;

au_status au_scan_input_open(const au_opts *o, au_scan_input *in, au_error *err);
void au_scan_input_release(au_scan_input *in);

/* The outcome as that of a check: findings, funnel, notes. all: what was ruled out, too. told: which
 * warning each finding is. */
typedef AU_VEC(uint32_t) au_scan_told;
void au_scan_tell(const au_scan_result *r, const au_scan_input *in, const au_model_view *view,
                  bool all, au_check_outcome *c, au_scan_told *told);
/* The races that are left undecided: a line for each variable, the 'top' most promising; 0: all. */
void au_scan_list(const au_scan_result *r, const au_model *m, size_t top, au_out *out);
/* The table of stages, for people. */
void au_scan_table(const au_scan_result *r, au_out *out);

/* Functions of the source into the cases of its findings. */
void au_scan_functions(const au_scan_result *r, const au_scan_input *in, const au_scan_told *told,
                       au_dossier *d);
/* Executes what has a schedule on the compiled program, and keeps it all in the store
 * (scan_execute.c). Findings and cases say what came of it; a note says why nothing was executed. */
void au_scan_execute(const au_opts *o, const au_scan_result *r, const au_scan_input *in,
                     const au_scan_told *told, au_check_outcome *c, au_dossier *d);

/* --svcomp */
typedef enum { AU_SVCOMP_TRUE, AU_SVCOMP_FALSE, AU_SVCOMP_UNKNOWN } au_svcomp;
au_svcomp au_scan_svcomp(const au_scan_result *r, const au_scan_input *in, const char **why);
/* A witness of a violation in GraphML (SV-COMP's format 1.0): the warning that shows it. */
void au_scan_svcomp_witness(const au_scan_result *r, const au_scan_input *in, const char *file,
                            au_out *out);

#endif
