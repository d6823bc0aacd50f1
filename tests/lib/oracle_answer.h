/* tests/lib/oracle_answer.h: a model and what the oracle says of it, by the labels of its steps. */
#ifndef AU_TESTS_ORACLE_ANSWER_H
#define AU_TESTS_ORACLE_ANSWER_H

#include "oracle/oracle.h"

typedef struct {
    au_model *m;
    au_oracle_result *r;
} answer;

void au_answer_free(answer a);
unsigned au_answer_count(const answer *a, au_found kind);
/* "": none */
const char *au_answer_label(const answer *a, uint32_t step);
/* The finding of this kind with exactly these labels, or NULL. */
const au_oracle_finding *au_answer_find(const answer *a, au_found kind, const char *l0,
                                        const char *l1, const char *l2);

#endif
