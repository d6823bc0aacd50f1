/* model/term_priv.h: how terms are stored; for term*.c only. */
#ifndef AU_MODEL_TERM_PRIV_H
#define AU_MODEL_TERM_PRIV_H

#include "base/bits.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/vec.h"
#include "model/term.h"

/* Kids have smaller handles than their parent: a term is made after its kids.
 * CONST keeps its value in kid[0] (lower half) and kid[1], VAR its variable in
 * kid[0], EXTRACT its low bit in 'low'. */
typedef struct {
    uint8_t op, width, low, kids;
    uint32_t kid[3];
    uint64_t hash; /* of the structure: the same in every au_terms, so that the
                      order of commutative operands does not depend on which
                      other terms were built before */
} au_term_node;

struct au_terms {
    AU_VEC(au_term_node) node;
    au_idtable index;
};

static inline const au_term_node *au_term_node_(const au_terms *t, au_term x) {
    AU_BUG_IF(x.n >= t->node.n);
    return &t->node.at[x.n];
}
static inline uint64_t au_node_value_(const au_term_node *n) {
    return n->kid[0] | (uint64_t)n->kid[1] << 32;
}

/* The term with exactly this structure; no simplification. */
au_term au_term_intern_(au_terms *t, au_term_op op, unsigned width, unsigned low, unsigned kids,
                        const uint32_t kid[3]);
/* Unary and binary operators on values (zero-extended); w is the width of the
 * operands. CONCAT is not one of them. */
uint64_t au_term_apply_(au_term_op op, unsigned w, uint64_t a, uint64_t b);

#endif
