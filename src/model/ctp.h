/* model/ctp.h: reading and printing models as .ctp text (docs/ctp.md). */
#ifndef AU_MODEL_CTP_H
#define AU_MODEL_CTP_H

#include "base/error.h"
#include "base/out.h"
#include "model/model.h"

typedef struct {
    /* 'while' is unrolled this often (a thread that would need more stops as at
     * a false assume); AU_NONE keeps the loop as a back edge (scan). The default
     * 0 with a 'while' in the text is an error that says --unroll. */
    uint32_t unroll;
    /* More steps than this are an error (nested loops multiply), and the observed
     * run of a loop that is kept ends after as many; 0: 4 million. */
    uint32_t max_steps;
} au_ctp_options;

/* Caller owns the result. NULL on failure; err->text is
 * "file:line:column: what is wrong", a new line, the source line, a new line and
 * a caret under the column. opts may be NULL. */
au_model *au_ctp_read(const char *text, size_t n, const char *file, const au_ctp_options *opts,
                      au_error *err);
au_model *au_ctp_load(const char *path, const au_ctp_options *opts, au_error *err);

/* Prints the model so that reading it gives the same model: the same threads,
 * nodes, steps, guards, updates and observed run. Statements that were split
 * stand as the single accesses they are. AU_EUNSUPPORTED if a thread's graph is
 * not made of if and while (only static models can be so), a term is too long or too deep
 * to be written out, or a few other things (docs/ctp.md, Printing). Locals that are called
 * like a shared variable or an object get another name. */
au_status au_ctp_print(const au_model *m, au_out *out, au_error *err);

#endif
