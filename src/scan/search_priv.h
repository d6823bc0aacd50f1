/* scan/search_priv.h: between search.c, search_code.c and search_guide.c. */
#ifndef AU_SCAN_SEARCH_PRIV_H
#define AU_SCAN_SEARCH_PRIV_H

#include "scan/search.h"

struct au_search {
    const au_model *m;
    au_search_options o;
    /* by step: terms to evaluate in this order, each after its parts: guard and condition, then updates */
    AU_VEC(uint32_t) code;
    uint32_t *first, *middle; /* first[s] … middle[s] - 1, middle[s] … first[s + 1] - 1 */
    bool *taken;              /* by step: may be taken */
    bool left_out;            /* some step that could happen may not be taken */
    AU_VEC(uint32_t) global;  /* variables that are kept and not local */
    /* by node: locals of its thread that are kept and whose value matters there */
    AU_VEC(uint32_t) live;
    uint32_t *first_live;
    /* by variable: what it, or what is computed from it or into it, is compared with; see coarse */
    uint32_t *class_of;
    struct au_landmarks {
        int64_t at[12];
        uint32_t n; /* more than fit: too many */
    } * class_marks;
};

/* ---- search_code.c ---- */
void au_search_code_(au_search *s);
bool au_search_live_(au_search *s); /* false: too large */

/* ---- search_guide.c ---- */
void au_search_landmarks_(au_search *s);
/* The value, or only how large it is if it is far from everything it is compared with. */
uint64_t au_search_coarse_(const au_search *s, uint32_t var, uint64_t value);
#define AU_FAR UINT32_MAX
/* By node of all threads: steps from there to 'to', AU_FAR: no way. */
uint32_t *au_search_distance_(const au_search *s, const uint32_t *to, size_t n);
typedef AU_VEC(uint64_t) au_values;
/* What a havoc of the variable should try; true: that is every value. */
bool au_search_guess_(const au_search *s, uint32_t var, au_values *into);

#endif
