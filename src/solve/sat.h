/* solve/sat.h: a SAT solver with gates. Literals are CaDiCaL's: +v and -v. */
#ifndef AU_SOLVE_SAT_H
#define AU_SOLVE_SAT_H

#include "base/hash.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    struct CCaDiCaL *solver;
    int n_vars;
    uint64_t n_clauses;
    au_map gate;        /* structural hashing: (kind, inputs) to the literal */
    double deadline;    /* of au_now; 0: none */
    uint32_t conflicts; /* that one search may meet; 0: any number */
    AU_VEC(int) clause; /* kept for dumps if 'keep' */
    bool keep;
} au_sat;

enum { AU_LIT_TRUE = 1, AU_LIT_FALSE = -1 };

/* proofs: as CaDiCaL comes; else stable phases only, which finds more than it refutes. */
/* keep: the clauses stay in 's->clause', for dumps. */
void au_sat_init(au_sat *s, bool proofs, bool keep);
void au_sat_release(au_sat *s);
int au_sat_new(au_sat *s);
/* The solver tries a variable as true first: this literal is tried as 'value' first. */
static inline int au_sat_wish(au_sat *s, bool value) {
    int v = au_sat_new(s);
    return value ? v : -v;
}

/* Clauses; true literals make them vanish, false ones are left out. */
void au_sat_add(au_sat *s, const int *lit, size_t n);
static inline void au_sat_1(au_sat *s, int a) {
    au_sat_add(s, (int[]){a}, 1);
}
static inline void au_sat_2(au_sat *s, int a, int b) {
    au_sat_add(s, (int[]){a, b}, 2);
}
static inline void au_sat_3(au_sat *s, int a, int b, int c) {
    au_sat_add(s, (int[]){a, b, c}, 3);
}
static inline void au_sat_4(au_sat *s, int a, int b, int c, int d) {
    au_sat_add(s, (int[]){a, b, c, d}, 4);
}

/* Gates, folded and shared. */
int au_sat_and(au_sat *s, int a, int b);
static inline int au_sat_or(au_sat *s, int a, int b) {
    return -au_sat_and(s, -a, -b);
}
int au_sat_xor(au_sat *s, int a, int b);
int au_sat_ite(au_sat *s, int c, int a, int b);
int au_sat_many(au_sat *s, const int *lit, size_t n, bool is_and);

/* 10 satisfiable, 20 not, 0 unknown (out of time or conflicts). */
int au_sat_solve(au_sat *s, const int *assume, size_t n);
bool au_sat_value(au_sat *s, int lit);  /* after 10 */
bool au_sat_failed(au_sat *s, int lit); /* after 20: the assumption was used */

#endif
