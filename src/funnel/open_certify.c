/* funnel/open_certify.c: what the stages before the solver rule out of a trace, as questions about its model, so that
 * each has its certificate (docs/certificates.md): a path, a lock, or a proof over the reference encoding. */
#include "funnel/stages_priv.h"

#include "base/limits.h"

static const char too_many[] = "there are more than a list of certificates holds";
static const char no_steps[] = "its accesses are no steps of the model";

void au_opener_rule_out(au_opener *k, const au_query *q, au_by_stage stage) {
    if (!k->p->certify)
        return;
    if (k->ruled.n >= AU_LIMIT_CERTIFY_LISTED)
        k->more[stage]++;
    else
        au_vec_push(&k->ruled, ((au_certify_item){*q, stage, au_certify_not(k->p, q, true), 0}));
}

void au_opener_rule_out_findings(au_opener *k, const au_finding *f, size_t n) {
    for (size_t i = 0; i < n; i++) {
        au_finding open = f[i];
        au_query q = au_query_about(AU_ASK_RACE, AU_NONE);
        open.standing = AU_IS_POSSIBLE;
        if (au_opener_query(k, &open, &q))
            au_opener_rule_out(k, &q, AU_BY_GRAPH);
        else
            au_vec_push(&k->ruled, ((au_certify_item){q, AU_BY_GRAPH, no_steps, 0}));
    }
}

au_status au_opener_certify(const au_opener *k, const au_exact *e, au_error *err) {
    au_status st = e            ? au_certify_answers(e, &k->ruled, k->c, err)
                   : k->ruled.n ? au_certify_add(k->p, k->m, &k->ruled, k->c, err)
                                : AU_OK;
    for (int s = 0; s < AU_BY_STAGES && st == AU_OK; s++)
        st = au_certify_count(k->p, (au_by_stage)s, k->more[s], too_many, err);
    return st;
}
