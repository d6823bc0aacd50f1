/* scan/domain_priv.h: between the files of the domains. */
#ifndef AU_SCAN_DOMAIN_PRIV_H
#define AU_SCAN_DOMAIN_PRIV_H

#include "base/vec.h"
#include "scan/domain.h"

/* k + sum of coef * var, over the unbounded integers. */
enum { AU_LIN_VARS = 8 };
typedef struct {
    uint32_t var[AU_LIN_VARS];
    int64_t coef[AU_LIN_VARS];
    uint32_t n;
    int64_t k;
} au_lin;

/* x read so; false: it is not linear, too long, or something in it may wrap in a state whose
 * variables are in the intervals that e looks at. */
bool au_lin_of_(au_intervals *e, const au_terms *t, au_term x, au_lin *into);
/* into -= from. False: numbers or names are too many. */
bool au_lin_sub_(au_lin *into, const au_lin *from);

/* ---- relations within a pack: PPL (domain_ppl.c) ---- */
typedef struct au_rel au_rel;

void au_rel_start_(void); /* before the first of the others; may be called again */
au_rel *au_rel_new_(au_domain_kind kind, uint32_t dims);
au_rel *au_rel_copy_(const au_rel *r);
void au_rel_free_(au_rel *r);
bool au_rel_none_(const au_rel *r);
/* l <= 0, or l == 0; variables are dimensions. */
void au_rel_add_(au_rel *r, const au_lin *l, bool equal);
void au_rel_set_(au_rel *r, uint32_t dim, const au_lin *l);
void au_rel_forget_(au_rel *r, uint32_t dim);
void au_rel_join_(au_rel *into, const au_rel *from);
void au_rel_meet_(au_rel *into, const au_rel *from);
/* into contains old; afterwards it is a widening of old by into. */
void au_rel_widen_(au_rel *into, const au_rel *old);
bool au_rel_contains_(const au_rel *big, const au_rel *small);
/* Narrows the interval to what the relation leaves of the dimension; integers only. */
void au_rel_bounds_(const au_rel *r, uint32_t dim, au_interval *range);
/* Constraints of 'from' that speak only of dimensions with to[dim] != AU_NONE, added to 'into' as ones
 * over to[dim]. */
void au_rel_tell_(au_rel *into, const au_rel *from, const uint32_t *to);
/* Every constraint of it, minimal. name(ctx, dim). */
void au_rel_print_(const au_rel *r, const char *(*name)(const void *ctx, uint32_t dim),
                   const void *ctx, au_out *out);

/* ---- packs (domain_packs.c) ---- */
typedef struct {
    uint32_t owner; /* thread, AU_NONE: shared variables only */
    uint32_t *var;  /* ascending */
    uint32_t n;
} au_var_pack;
typedef AU_VEC(au_var_pack) au_packs;
typedef AU_VEC(uint32_t) au_pack_numbers;

void au_packs_make_(const au_model *m, const bool *tracked, uint32_t most, au_packs *into);
void au_packs_release_(au_packs *p);
/* By variable: the packs that it is in. */
au_pack_numbers *au_packs_of_(const au_packs *p, size_t vars);
void au_packs_of_free_(au_pack_numbers *of, size_t vars);
/* Does x read one of the n variables that are assigned before it, in one go? */
bool au_reads_updated_(const au_terms *t, au_term x, const au_update *u, uint32_t n);
/* Its place in the pack, AU_NONE: it is not in it. */
uint32_t au_pack_dim_(const au_var_pack *p, uint32_t var);

/* ---- differences that may wrap (domain_gap.c) ---- */
typedef struct au_gaps au_gaps; /* the space; an assertion is au_gaps_size_ intervals */

au_gaps *au_gaps_new_(const au_model *m, const bool *tracked, uint32_t most);
void au_gaps_free_(au_gaps *g);
size_t au_gaps_size_(const au_gaps *g);
unsigned au_gaps_width_(const au_gaps *g, size_t at); /* of one of these intervals */
void au_gaps_full_(const au_gaps *g, au_interval *x);
/* These narrow the intervals of variables (at[slot[var]]), too. False: nothing is left. */
bool au_gaps_close_(const au_gaps *g, au_interval *x, au_interval *at, const uint32_t *slot);
bool au_gaps_assume_(const au_gaps *g, au_interval *x, const au_terms *t, au_term cond, bool value,
                     au_interval *at, const uint32_t *slot);
/* Then, when the intervals have been set, settle what was assigned. */
void au_gaps_assign_(const au_gaps *g, au_interval *x, const au_terms *t, const au_update *u,
                     uint32_t n);
void au_gaps_forget_(const au_gaps *g, au_interval *x, uint32_t var);
bool au_gaps_settle_(const au_gaps *g, au_interval *x, uint32_t var, au_interval *at,
                     const uint32_t *slot);
bool au_gaps_has_(const au_gaps *g, const au_interval *x, const uint64_t *value);
void au_gaps_print_(const au_gaps *g, const au_interval *x, au_out *out);

#endif
