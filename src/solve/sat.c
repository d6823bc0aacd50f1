/* solve/sat.c: gates and clauses over CaDiCaL. */
#include "solve/sat.h"

#include "base/clock.h"
#include "base/error.h"

#include <ccadical.h>

static int out_of_time(void *ctx) {
    au_sat *s = ctx;
    return s->deadline > 0 && au_now() > s->deadline;
}

void au_sat_init(au_sat *s, bool proofs, bool keep) {
    *s = (au_sat){.solver = ccadical_init(), .keep = keep};
    AU_BUG_IF(!s->solver);
    ccadical_set_option(s->solver, "quiet", 1);
    ccadical_set_option(s->solver, "stabilizeonly", !proofs);
    ccadical_set_terminate(s->solver, s, out_of_time);
    au_map_init(&s->gate);
    s->n_vars = 1;
    ccadical_add(s->solver, AU_LIT_TRUE);
    ccadical_add(s->solver, 0);
}

void au_sat_release(au_sat *s) {
    ccadical_release(s->solver);
    au_map_release(&s->gate);
    au_vec_release(&s->clause);
}

int au_sat_new(au_sat *s) {
    AU_BUG_IF(s->n_vars == INT32_MAX);
    return ++s->n_vars;
}

void au_sat_add(au_sat *s, const int *lit, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (lit[i] == AU_LIT_TRUE)
            return;
    for (size_t i = 0; i < n; i++)
        if (lit[i] != AU_LIT_FALSE) {
            ccadical_add(s->solver, lit[i]);
            if (s->keep)
                au_vec_push(&s->clause, lit[i]);
        }
    ccadical_add(s->solver, 0);
    if (s->keep)
        au_vec_push(&s->clause, 0);
    s->n_clauses++;
}

/* The place of the gate with these two inputs. An AND has the smaller one first, a XOR
 * (of positive literals) the larger one: so one table does for both. */
static void sort(int *low, int *high) {
    if (*low > *high) {
        int x = *low;
        *low = *high;
        *high = x;
    }
}

/* What the gate of a and b gives, a literal of its own; fresh: nobody has said what it is yet. */
static int gate(au_sat *s, int a, int b, bool *fresh) {
    uint64_t *g = au_map_put(&s->gate, au_key2((uint32_t)a, (uint32_t)b), fresh);
    if (*fresh)
        *g = (uint64_t)au_sat_new(s);
    return (int)*g;
}

int au_sat_and(au_sat *s, int a, int b) {
    if (a == AU_LIT_FALSE || b == AU_LIT_FALSE || a == -b)
        return AU_LIT_FALSE;
    if (a == AU_LIT_TRUE || a == b)
        return b;
    if (b == AU_LIT_TRUE)
        return a;
    sort(&a, &b);
    bool fresh;
    int y = gate(s, a, b, &fresh);
    if (!fresh)
        return y;
    au_sat_2(s, -y, a);
    au_sat_2(s, -y, b);
    au_sat_3(s, y, -a, -b);
    return y;
}

int au_sat_xor(au_sat *s, int a, int b) {
    if (a == AU_LIT_TRUE)
        return -b;
    if (a == AU_LIT_FALSE)
        return b;
    if (b == AU_LIT_TRUE)
        return -a;
    if (b == AU_LIT_FALSE)
        return a;
    if (a == b)
        return AU_LIT_FALSE;
    if (a == -b)
        return AU_LIT_TRUE;
    int sign = 1;
    if (a < 0) {
        a = -a;
        sign = -sign;
    }
    if (b < 0) {
        b = -b;
        sign = -sign;
    }
    sort(&b, &a); /* so that it is no key of an AND */
    bool fresh;
    int y = gate(s, a, b, &fresh);
    if (!fresh)
        return sign * y;
    au_sat_3(s, -y, a, b);
    au_sat_3(s, -y, -a, -b);
    au_sat_3(s, y, -a, b);
    au_sat_3(s, y, a, -b);
    return sign * y;
}

int au_sat_ite(au_sat *s, int c, int a, int b) {
    if (c == AU_LIT_TRUE || a == b)
        return a;
    if (c == AU_LIT_FALSE)
        return b;
    if (a == -b)
        return au_sat_xor(s, -c, a);
    if (a == AU_LIT_TRUE || a == c)
        return au_sat_or(s, c, b);
    if (a == AU_LIT_FALSE || a == -c)
        return au_sat_and(s, -c, b);
    if (b == AU_LIT_TRUE || b == -c)
        return au_sat_or(s, -c, a);
    if (b == AU_LIT_FALSE || b == c)
        return au_sat_and(s, c, a);
    return au_sat_or(s, au_sat_and(s, c, a), au_sat_and(s, -c, b));
}

int au_sat_many(au_sat *s, const int *lit, size_t n, bool is_and) {
    int sign = is_and ? 1 : -1;
    AU_VEC(int) in = {0};
    for (size_t i = 0; i < n; i++) {
        int l = sign * lit[i];
        if (l == AU_LIT_FALSE) {
            au_vec_release(&in);
            return sign * AU_LIT_FALSE;
        }
        if (l != AU_LIT_TRUE)
            au_vec_push(&in, l);
    }
    int y = AU_LIT_TRUE;
    if (in.n == 1) {
        y = in.at[0];
    } else if (in.n == 2) {
        y = au_sat_and(s, in.at[0], in.at[1]);
    } else if (in.n > 2) {
        y = au_sat_new(s);
        for (size_t i = 0; i < in.n; i++)
            au_sat_2(s, -y, in.at[i]);
        for (size_t i = 0; i < in.n; i++)
            in.at[i] = -in.at[i];
        au_vec_push(&in, y);
        au_sat_add(s, in.at, in.n);
    }
    au_vec_release(&in);
    return sign * y;
}

int au_sat_solve(au_sat *s, const int *assume, size_t n) {
    for (size_t i = 0; i < n; i++)
        ccadical_assume(s->solver, assume[i]);
    if (s->conflicts)
        ccadical_limit(s->solver, "conflicts", (int)s->conflicts); /* of the next search only */
    return ccadical_solve(s->solver);
}

bool au_sat_value(au_sat *s, int lit) {
    return ccadical_val(s->solver, lit) > 0;
}

bool au_sat_failed(au_sat *s, int lit) {
    return ccadical_failed(s->solver, lit);
}
