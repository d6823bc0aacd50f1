/* report/of_model.h: a model in the terms of reports: names and events as a trace has them. */
#ifndef AU_REPORT_OF_MODEL_H
#define AU_REPORT_OF_MODEL_H

#include "model/model.h"
#include "trace/finding.h"

typedef struct {
    const au_model *m;
    au_names names;       /* threads and objects numbered as in the model */
    uint32_t *var;        /* model variable: id in names.var, AU_NONE if it is not shared */
    uint64_t *number;     /* step: its place in the observed run or AU_NONE64 */
    AU_VEC(uint32_t) loc; /* step: as in au_event_ref */
    uint64_t locks, vars; /* counts for the head of a report */
} au_model_view;

/* Borrows m, which has at most AU_MAX_THREADS threads. */
void au_model_view_init(au_model_view *v, const au_model *m);
void au_model_view_release(au_model_view *v);

/* The event that a step is as the index-th of its thread. var: the variable that matters
 * of those that it accesses; AU_NONE: the first. Texts live as long as the model. */
void au_model_view_event(const au_model_view *v, uint32_t step, uint64_t index, uint32_t var,
                         au_event_ref *e, au_event_text *t);

/* A value of a variable of the model, signed by its width. */
int64_t au_model_view_value(const au_model *m, uint32_t var, uint64_t value);

#endif
