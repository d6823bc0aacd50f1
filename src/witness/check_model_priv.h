/* witness/check_model_priv.h: between the files of the model checker only. */
#ifndef AU_WITNESS_CHECK_MODEL_PRIV_H
#define AU_WITNESS_CHECK_MODEL_PRIV_H

#include "witness/check_model.h"

/* A state in one array of words: the parts below point into it. */
typedef struct {
    uint64_t *word;
    uint64_t *value, *writer;        /* by variable; writer: step + 1, 0 initial */
    uint64_t *node, *done, *stopped; /* by thread */
} au_wstate;

typedef struct {
    const au_model *m;
    const au_model_finding *f;
    au_wstate s;
    AU_VEC(struct au_wtaken {
        uint32_t step;
        bool failed; /* an assert whose condition was false */
    })
    path;
    au_model_seen_vec seen;
    au_lost_values lost; /* a lost update's, once it is shown */
    char why[256];
} au_wmodel;

static inline const au_step *au_wmodel_step(const au_wmodel *x, uint32_t id) {
    return &x->m->step.at[id];
}
bool au_wmodel_started(const au_wmodel *x, uint32_t thread);
bool au_wmodel_enabled(const au_wmodel *x, const au_step *p);
const au_node *au_wmodel_node(const au_wmodel *x, uint32_t thread);

/* check_model_shows.c: is the finding there? If not, x->why says why. */
bool au_wmodel_shows(au_wmodel *x);
/* check_model_dead.c: the same for a deadlock whose events are all next. */
bool au_wmodel_deadlock(au_wmodel *x);
/* check_model_lost.c: the same for a lost update whose events are executed at these places of the path. Fills x->lost;
 * false: *why says why. */
bool au_wmodel_loses(au_wmodel *x, const size_t at[3], const char **why);

#endif
