/* tsg/coreach.h: simultaneous reachability; facts.h has the questions. */
#ifndef AU_TSG_COREACH_H
#define AU_TSG_COREACH_H

#include "tsg/facts.h"

typedef struct au_coreach au_coreach;

/* Requires: all of f but 'moves' and 'co'. */
au_coreach *au_coreach_new(const au_facts *f);
void au_coreach_free(au_coreach *c);

#endif
