/* funnel/open_ranges.c: the stage 'interval' on the model of a trace: questions that ranges of values answer are
 * not asked; the ranges go to the solver with the others. */
#include "funnel/stages_priv.h"

static bool is_listed(const au_opener *k, size_t question) {
    return k->finding.at[question] != SIZE_MAX;
}

/* Drops what is ruled out, as the solver's answers do. */
static void filter(au_opener *k, bool *drop) {
    size_t kept = 0;
    for (size_t i = 0; i < k->query.n; i++) {
        bool listed = is_listed(k, i);
        if (au_unreached_rules_out(k->u, &k->query.at[i]) &&
            !(listed && au_opener_rests_on_rmw(k, &k->c->findings.finding.at[k->finding.at[i]]))) {
            if (listed)
                drop[k->finding.at[i]] = true;
            au_opener_rule_out(k, &k->query.at[i], AU_BY_INTERVAL);
            k->by_ranges++;
            continue;
        }
        k->query.at[kept] = k->query.at[i];
        k->finding.at[kept++] = k->finding.at[i];
    }
    k->query.n = k->finding.n = kept;
}

static uint64_t count_of(const au_opener *k, au_ask_kind kind) {
    uint64_t n = 0;
    for (size_t i = 0; i < k->query.n; i++)
        n += k->query.at[i].kind == kind;
    return n;
}

/* Races are counted by variable, and what is listed is not all that is asked: their column stays empty. */
static void count(au_opener *k) {
    au_funnel *f = k->c->funnel;
    if (k->c->looked_for[AU_KIND_ASSERTION])
        f[AU_KIND_ASSERTION].left[AU_STAGE_INTERVAL] = count_of(k, AU_ASK_ASSERT);
    if (k->triples)
        f[AU_KIND_ATOMICITY].left[AU_STAGE_INTERVAL] = count_of(k, AU_ASK_ATOMICITY);
}

void au_opener_learn(au_opener *k) {
    bool wanted = k->p->transactions || k->p->last == AU_STAGE_INTERVAL;
    if (k->p->semantics == AU_SEM_CTP && k->query.n)
        k->u = au_unreached_of(k->m, au_exact_graph(k->p), k->p->whole,
                               !wanted && !au_unreached_pays(k->m));
}

void au_opener_narrow(au_opener *k, bool *drop) {
    au_opener_learn(k);
    if (!k->u)
        return;
    filter(k, drop);
    count(k);
    if (k->p->last < AU_STAGE_SOLVER && k->query.n)
        au_check_note(k->c, "%zu questions that ranges leave open were not asked (--stages)",
                      k->query.n);
}

const au_rpt *au_opener_ranges(const au_opener *k) {
    return k->u ? au_unreached_ranges(k->u) : NULL;
}
