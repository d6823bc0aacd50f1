/* model/term.c: storage of terms and looking inside them. */
#include "model/term.h"

#include "model/term_priv.h"

au_terms *au_terms_new(void) {
    au_terms *t = AU_NEW(au_terms);
    au_idtable_init(&t->index);
    return t;
}

void au_terms_free(au_terms *t) {
    if (!t)
        return;
    au_vec_release(&t->node);
    au_idtable_release(&t->index);
    free(t);
}

size_t au_terms_count(const au_terms *t) {
    return t->node.n;
}

static bool node_eq(const void *ctx, uint32_t id, const void *key) {
    const au_terms *t = ctx;
    const au_term_node *a = &t->node.at[id], *b = key;
    return a->op == b->op && a->width == b->width && a->low == b->low && a->kid[0] == b->kid[0] &&
           a->kid[1] == b->kid[1] && a->kid[2] == b->kid[2];
}

static uint64_t node_hash(const au_terms *t, const au_term_node *n) {
    uint64_t h = (uint64_t)n->op | (uint64_t)n->width << 8 | (uint64_t)n->low << 16;
    if (n->kids == 0)
        return au_hash_join(h, au_node_value_(n));
    for (unsigned i = 0; i < n->kids; i++)
        h = au_hash_join(h, t->node.at[n->kid[i]].hash);
    return h;
}

au_term au_term_intern_(au_terms *t, au_term_op op, unsigned width, unsigned low, unsigned kids,
                        const uint32_t kid[3]) {
    au_term_node n = {(uint8_t)op,   (uint8_t)width,           (uint8_t)low,
                      (uint8_t)kids, {kid[0], kid[1], kid[2]}, 0};
    n.hash = node_hash(t, &n);
    uint32_t id = au_idtable_find(&t->index, n.hash, node_eq, t, &n);
    if (id != AU_NONE)
        return (au_term){id};
    AU_BUG_IF(t->node.n >= UINT32_MAX - 1);
    id = (uint32_t)t->node.n;
    au_vec_push(&t->node, n);
    au_idtable_add(&t->index, n.hash, id);
    return (au_term){id};
}

au_term_op au_term_kind(const au_terms *t, au_term x) {
    return (au_term_op)au_term_node_(t, x)->op;
}

unsigned au_term_width(const au_terms *t, au_term x) {
    return au_term_node_(t, x)->width;
}

unsigned au_term_kids(const au_terms *t, au_term x) {
    return au_term_node_(t, x)->kids;
}

au_term au_term_kid(const au_terms *t, au_term x, unsigned i) {
    const au_term_node *n = au_term_node_(t, x);
    AU_BUG_IF(i >= n->kids);
    return (au_term){n->kid[i]};
}

uint64_t au_term_value(const au_terms *t, au_term x) {
    const au_term_node *n = au_term_node_(t, x);
    AU_BUG_IF(n->op != AU_T_CONST);
    return au_node_value_(n);
}

int64_t au_term_signed(const au_terms *t, au_term x) {
    return au_signed(au_term_value(t, x), au_term_width(t, x));
}

uint32_t au_term_var(const au_terms *t, au_term x) {
    const au_term_node *n = au_term_node_(t, x);
    AU_BUG_IF(n->op != AU_T_VAR);
    return n->kid[0];
}

unsigned au_term_low(const au_terms *t, au_term x) {
    const au_term_node *n = au_term_node_(t, x);
    AU_BUG_IF(n->op != AU_T_EXTRACT);
    return n->low;
}

uint64_t au_term_hash(const au_terms *t, au_term x) {
    return au_term_node_(t, x)->hash;
}

bool au_term_is_const(const au_terms *t, au_term x) {
    return au_term_node_(t, x)->op == AU_T_CONST;
}

bool au_term_is_true(const au_terms *t, au_term x) {
    const au_term_node *n = au_term_node_(t, x);
    return n->op == AU_T_CONST && n->width == 1 && n->kid[0] == 1;
}

bool au_term_is_false(const au_terms *t, au_term x) {
    const au_term_node *n = au_term_node_(t, x);
    return n->op == AU_T_CONST && n->width == 1 && n->kid[0] == 0;
}

au_term au_term_const(au_terms *t, unsigned width, uint64_t value) {
    AU_BUG_IF(width < 1 || width > 64);
    value &= au_mask(width);
    return au_term_intern_(t, AU_T_CONST, width, 0, 0,
                           (uint32_t[3]){(uint32_t)value, (uint32_t)(value >> 32), 0});
}

au_term au_term_bool(au_terms *t, bool v) {
    return au_term_const(t, 1, v);
}

au_term au_term_of_var(au_terms *t, uint32_t var, unsigned width) {
    AU_BUG_IF(width < 1 || width > 64);
    return au_term_intern_(t, AU_T_VAR, width, 0, 0, (uint32_t[3]){var, 0, 0});
}
