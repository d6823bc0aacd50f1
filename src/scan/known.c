/* scan/known.c: what is known for sure, and which variables matter. */
#include "scan/reach.h"

void au_scan_known_init(au_scan_known *k, const au_facts *f) {
    au_map_init(&k->apart);
    k->never = au_alloc_array(f->nodes + 1, sizeof *k->never);
}

void au_scan_known_release(au_scan_known *k) {
    au_map_release(&k->apart);
    free(k->never);
    k->never = NULL;
}

bool au_scan_known_apart(const au_scan_known *k, uint32_t a, uint32_t b) {
    return k->never[a] || k->never[b] || au_map_find(&k->apart, au_scan_pair(a, b));
}

typedef struct {
    bool *into;
    bool grew;
} marker;

static void mark(void *ctx, uint32_t var) {
    marker *k = ctx;
    k->grew |= !k->into[var];
    k->into[var] = true;
}

void au_scan_relevant(const au_model *m, bool *into) {
    marker k = {into, true};
    memset(into, 0, m->var.n * sizeof *into);
    for (size_t i = 0; i < m->step.n; i++) {
        au_term_each_var(m->terms, m->step.at[i].guard, mark, &k);
        au_term_each_var(m->terms, m->step.at[i].cond, mark, &k);
    }
    while (k.grew) {
        k.grew = false;
        for (size_t i = 0; i < m->step.n; i++)
            for (uint32_t u = 0; u < m->step.at[i].n_updates; u++)
                if (into[m->step.at[i].update[u].var])
                    au_term_each_var(m->terms, m->step.at[i].update[u].value, mark, &k);
    }
    for (uint32_t v = 0; v < m->var.n; v++)
        if (m->var.at[v].kind == AU_VAR_SYNC)
            into[v] = true;
}
