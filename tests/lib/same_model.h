/* tests/lib/same_model.h: whether two models are the same but for numbers: of variables, nodes,
 * steps and blocks, and for the order of what happens at once. */
#ifndef AU_TESTS_SAME_MODEL_H
#define AU_TESTS_SAME_MODEL_H

#include "base/error.h"
#include "model/model.h"

/* NULL if b, which was read from a's text, is a: names, widths, initial values, objects,
 * graphs, steps with their terms and places, blocks, the observed run. Else a sentence. Where a
 * step of a has no place of its own, b has that of the text. */
const char *au_same_model(const au_model *a, const au_model *b);

/* The text of m, the caller's; NULL with *err. */
char *au_print_model(const au_model *m, au_error *err);

/* Prints m, reads that (unroll as for au_ctp_read), compares, prints again. NULL or what is
 * wrong, with the text: free it. *cannot (may be NULL) is set where m cannot be printed and that
 * is all; without it, that is wrong, too. */
char *au_round_trip(const au_model *m, uint32_t unroll, bool *cannot);

#endif
