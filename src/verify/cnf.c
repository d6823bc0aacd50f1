/* verify/cnf.c: see cnf.h. */
#include "verify/cnf.h"

#include "base/error.h"

#include <stdlib.h>

void au_cnf_init(au_cnf *c) {
    *c = (au_cnf){.n_vars = 1};
    au_map_init(&c->gate);
    au_vec_push(&c->lit, AU_CNF_TRUE);
    au_vec_push(&c->lit, 0);
    c->n_clauses = 1;
}

void au_cnf_release(au_cnf *c) {
    au_map_release(&c->gate);
    au_vec_release(&c->lit);
}

int au_cnf_new(au_cnf *c) {
    AU_BUG_IF(c->n_vars == INT32_MAX);
    return ++c->n_vars;
}

void au_cnf_add(au_cnf *c, const int *lit, size_t n) {
    size_t from = c->lit.n;
    for (size_t i = 0; i < n; i++) {
        bool again = lit[i] == AU_CNF_FALSE, true_anyway = lit[i] == AU_CNF_TRUE;
        for (size_t k = from; k < c->lit.n; k++) {
            again |= c->lit.at[k] == lit[i];
            true_anyway |= c->lit.at[k] == -lit[i];
        }
        if (true_anyway) {
            c->lit.n = from;
            return;
        }
        if (!again)
            au_vec_push(&c->lit, lit[i]);
    }
    au_vec_push(&c->lit, 0);
    c->n_clauses++;
}

/* The literal of the gate with these inputs: fresh if nobody has defined it. An AND has the smaller
 * input first, a XOR, whose inputs are positive, the larger one. */
static int gate(au_cnf *c, int a, int b, bool *fresh) {
    uint64_t *g = au_map_put(&c->gate, au_key2((uint32_t)a, (uint32_t)b), fresh);
    if (*fresh)
        *g = (uint64_t)au_cnf_new(c);
    return (int)*g;
}

int au_cnf_and(au_cnf *c, int a, int b) {
    if (a == AU_CNF_FALSE || b == AU_CNF_FALSE || a == -b)
        return AU_CNF_FALSE;
    if (a == AU_CNF_TRUE || a == b)
        return b;
    if (b == AU_CNF_TRUE)
        return a;
    bool fresh;
    int y = a < b ? gate(c, a, b, &fresh) : gate(c, b, a, &fresh);
    if (fresh) {
        AU_CNF_CLAUSE(c, -y, a);
        AU_CNF_CLAUSE(c, -y, b);
        AU_CNF_CLAUSE(c, y, -a, -b);
    }
    return y;
}

int au_cnf_xor(au_cnf *c, int a, int b) {
    int sign = (a < 0) == (b < 0) ? 1 : -1;
    a = abs(a);
    b = abs(b);
    if (a == b)
        return sign * AU_CNF_FALSE;
    if (a == AU_CNF_TRUE)
        return -sign * b;
    if (b == AU_CNF_TRUE)
        return -sign * a;
    bool fresh;
    int y = a > b ? gate(c, a, b, &fresh) : gate(c, b, a, &fresh);
    if (fresh) {
        AU_CNF_CLAUSE(c, -y, a, b);
        AU_CNF_CLAUSE(c, -y, -a, -b);
        AU_CNF_CLAUSE(c, y, -a, b);
        AU_CNF_CLAUSE(c, y, a, -b);
    }
    return sign * y;
}

int au_cnf_ite(au_cnf *c, int i, int t, int e) {
    if (i == AU_CNF_TRUE || t == e)
        return t;
    if (i == AU_CNF_FALSE)
        return e;
    if (t == -e)
        return -au_cnf_xor(c, i, t);
    return au_cnf_or(c, au_cnf_and(c, i, t), au_cnf_and(c, -i, e));
}
