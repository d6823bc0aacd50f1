#include "oracle_answer.h"

#include <string.h>

void au_answer_free(answer a) {
    au_oracle_free(a.r);
    au_model_free(a.m);
}

unsigned au_answer_count(const answer *a, au_found kind) {
    unsigned n = 0;
    for (size_t i = 0; i < a->r->finding.n; i++)
        n += a->r->finding.at[i].kind == kind;
    return n;
}

const char *au_answer_label(const answer *a, uint32_t step) {
    return step == AU_NONE ? "" : au_step_label(a->m, &a->m->step.at[step]);
}

const au_oracle_finding *au_answer_find(const answer *a, au_found kind, const char *l0,
                                        const char *l1, const char *l2) {
    const char *want[3] = {l0, l1, l2};
    for (size_t i = 0; i < a->r->finding.n; i++) {
        const au_oracle_finding *f = &a->r->finding.at[i];
        bool same = f->kind == kind;
        for (uint32_t k = 0; k < 3 && same; k++)
            same = k < f->n_events
                       ? want[k] && !strcmp(au_answer_label(a, f->event[k].step), want[k])
                       : !want[k];
        if (same)
            return f;
    }
    return NULL;
}
