/* verify/cnf.h: clauses in memory, and gates that are defined by clauses (Tseitin).
 *
 * A gate's literal is new, so its clauses hold in every assignment that is extended to it: they say nothing about
 * what was there before. Literals are those of DIMACS; variable 1 is true. */
#ifndef AU_VERIFY_CNF_H
#define AU_VERIFY_CNF_H

#include "base/hash.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    int n_vars;
    uint64_t n_clauses;
    AU_VEC(int) lit; /* the clauses, each with a 0 at its end; the first is the unit 1 */
    au_map gate;
} au_cnf;

enum { AU_CNF_TRUE = 1, AU_CNF_FALSE = -1 };

void au_cnf_init(au_cnf *c);
void au_cnf_release(au_cnf *c);
int au_cnf_new(au_cnf *c);
/* A clause that is true anyway vanishes; false literals and second ones are left out. */
void au_cnf_add(au_cnf *c, const int *lit, size_t n);
#define AU_CNF_CLAUSE(c, ...)                                                                      \
    au_cnf_add((c), (const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

int au_cnf_and(au_cnf *c, int a, int b);
static inline int au_cnf_or(au_cnf *c, int a, int b) {
    return -au_cnf_and(c, -a, -b);
}
int au_cnf_xor(au_cnf *c, int a, int b);
int au_cnf_ite(au_cnf *c, int i, int t, int e);

#endif
