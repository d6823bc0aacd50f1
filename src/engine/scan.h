/* engine/scan.h: what 'augur scan' does: read, look, execute what has a schedule, store; without
 * telling anybody. */
#ifndef AU_ENGINE_SCAN_H
#define AU_ENGINE_SCAN_H

#include "engine/options.h"
#include "lower/source.h"
#include "report/case.h"
#include "report/of_model.h"
#include "report/outcome.h"
#include "scan/scan.h"

/* What is scanned: a .ctp model, or a program's code as a model. */
typedef struct {
    au_model *m;    /* owned by the model or by what stands behind it */
    uint8_t *exact; /* by step (lower/source.h), NULL: all exact. Owned */
    uint8_t *vague; /* by variable, as in scan/scan.h; NULL. Owned */
    uint32_t *same; /* the same */
    const char
        *lost; /* what of the program is not in the model, so that what is not found proves nothing;
                                  NULL: nothing. Owned by 'arena' */
    bool more; /* the program may create more threads of a kind than the model has */
    AU_VEC(const char *) note; /* what the reader should know; owned by 'arena' */
    au_arena arena;
    au_source *source; /* or NULL */
    size_t n_files;    /* of the operands; the others are options of the compiler */
} au_scan_input;

/* Which warning each finding is. */
typedef AU_VEC(uint32_t) au_scan_told;

typedef struct {
    double begun;
    au_scan_input in;
    au_scan_result result;    /* warnings, by stage */
    au_model_view view;       /* of the model */
    au_check_outcome outcome; /* the same as findings, funnel, notes … */
    au_scan_told told;
    au_dossier dossier; /* … and as cases; empty with --svcomp, unless the program was executed */
    bool did;           /* the program was executed and did one of them, or another race */
} au_engine_scan;

/* On an error there is nothing to release. */
au_status au_engine_scan_do(au_engine_scan *s, const au_opts *o, au_error *err);
void au_engine_scan_release(au_engine_scan *s);

/* --svcomp; why: of what is unknown, else "". */
typedef enum { AU_SVCOMP_TRUE, AU_SVCOMP_FALSE, AU_SVCOMP_UNKNOWN } au_svcomp;
au_svcomp au_engine_scan_svcomp(const au_engine_scan *s, const char **why);

#endif
