/* model/term_eval.c: what terms are worth, and walks over them.
 *
 * Terms may be as deep as a trace is long, and share subterms so that the tree
 * is exponentially larger than the graph: no walk here recurses without a bound
 * or visits a node twice. Small terms, by far the most, are evaluated by a plain
 * recursion with a bound on depth and work; what exceeds it starts anew with an
 * explicit stack and a memo. */
#include "model/term_priv.h"

static uint64_t sdiv(unsigned w, uint64_t a, uint64_t b) {
    int64_t x = au_signed(a, w), y = au_signed(b, w);
    if (y == 0)
        return 0;
    if (y == -1)
        return 0 - a;
    return (uint64_t)(x / y);
}

static uint64_t srem(unsigned w, uint64_t a, uint64_t b) {
    int64_t x = au_signed(a, w), y = au_signed(b, w);
    if (y == 0)
        return a;
    if (y == -1)
        return 0;
    return (uint64_t)(x % y);
}

static uint64_t ashr(unsigned w, uint64_t a, uint64_t b) {
    int64_t x = au_signed(a, w);
    return (uint64_t)(x >> (b >= w ? w - 1 : b));
}

uint64_t au_term_apply_(au_term_op op, unsigned w, uint64_t a, uint64_t b) {
    uint64_t m = au_mask(w);
    switch (op) {
    case AU_T_NOT:
        return ~a & m;
    case AU_T_NEG:
        return (0 - a) & m;
    case AU_T_ADD:
        return (a + b) & m;
    case AU_T_SUB:
        return (a - b) & m;
    case AU_T_MUL:
        return (a * b) & m;
    case AU_T_SDIV:
        return sdiv(w, a, b) & m;
    case AU_T_SREM:
        return srem(w, a, b) & m;
    case AU_T_UDIV:
        return b ? a / b : 0;
    case AU_T_UREM:
        return b ? a % b : a;
    case AU_T_AND:
        return a & b;
    case AU_T_OR:
        return a | b;
    case AU_T_XOR:
        return a ^ b;
    case AU_T_SHL:
        return b >= w ? 0 : (a << b) & m;
    case AU_T_LSHR:
        return b >= w ? 0 : a >> b;
    case AU_T_ASHR:
        return ashr(w, a, b) & m;
    case AU_T_EQ:
        return a == b;
    case AU_T_ULT:
        return a < b;
    case AU_T_ULE:
        return a <= b;
    case AU_T_SLT:
        return au_signed(a, w) < au_signed(b, w);
    case AU_T_SLE:
        return au_signed(a, w) <= au_signed(b, w);
    default:
        AU_BUG_IF(true);
    }
}

/* The value of node n whose kids have the values v. */
static uint64_t node_value(const au_terms *t, const au_term_node *n, const uint64_t v[3]) {
    unsigned w = n->kids ? t->node.at[n->kid[0]].width : n->width;
    switch (n->op) {
    case AU_T_CONST:
        return au_node_value_(n);
    case AU_T_ITE:
        return v[0] ? v[1] : v[2];
    case AU_T_ZEXT:
        return v[0];
    case AU_T_SEXT:
        return (uint64_t)au_signed(v[0], w) & au_mask(n->width);
    case AU_T_EXTRACT:
        return v[0] >> n->low & au_mask(n->width);
    case AU_T_CONCAT:
        return v[0] << t->node.at[n->kid[1]].width | v[1];
    default:
        return au_term_apply_((au_term_op)n->op, w, v[0], v[1]);
    }
}

uint64_t au_term_worth(const au_terms *t, au_term x, const uint64_t *of) {
    const au_term_node *n = au_term_node_(t, x);
    uint64_t v[3] = {0};
    AU_BUG_IF(n->op == AU_T_VAR);
    for (unsigned i = 0; i < n->kids; i++)
        v[i] = of[n->kid[i]];
    return node_value(t, n, v);
}

#define FAST_DEPTH 48
#define FAST_WORK 512

/* False if the term is too large for it. */
static bool eval_small(const au_terms *t, uint32_t x, const uint64_t *value, unsigned depth,
                       unsigned *work, uint64_t *out) {
    const au_term_node *n = &t->node.at[x];
    if (n->op == AU_T_CONST) {
        *out = au_node_value_(n);
        return true;
    }
    if (n->op == AU_T_VAR) {
        *out = value[n->kid[0]] & au_mask(n->width);
        return true;
    }
    if (depth == 0 || *work == 0)
        return false;
    --*work;
    uint64_t v[3] = {0};
    for (unsigned i = 0; i < n->kids; i++)
        if (!eval_small(t, n->kid[i], value, depth - 1, work, &v[i]))
            return false;
    *out = node_value(t, n, v);
    return true;
}

typedef AU_VEC(uint32_t) id_stack;

/* The first kid that has no entry in memo yet, or AU_NONE. */
static uint32_t open_kid(const au_term_node *n, const au_map *memo) {
    for (unsigned i = 0; i < n->kids; i++)
        if (!au_map_find(memo, n->kid[i]))
            return n->kid[i];
    return AU_NONE;
}

static uint64_t eval_large(const au_terms *t, uint32_t x, const uint64_t *value) {
    au_map memo;
    id_stack stack = {0};
    au_map_init(&memo);
    au_vec_push(&stack, x);
    while (stack.n) {
        uint32_t at = au_vec_last(&stack);
        const au_term_node *n = &t->node.at[at];
        uint32_t kid = open_kid(n, &memo);
        if (kid != AU_NONE) {
            au_vec_push(&stack, kid);
            continue;
        }
        uint64_t v[3] = {0};
        for (unsigned i = 0; i < n->kids; i++)
            v[i] = *au_map_find(&memo, n->kid[i]);
        uint64_t r = n->op == AU_T_VAR ? value[n->kid[0]] & au_mask(n->width) : node_value(t, n, v);
        *au_map_put(&memo, at, NULL) = r;
        (void)au_vec_pop(&stack);
    }
    uint64_t r = *au_map_find(&memo, x);
    au_vec_release(&stack);
    au_map_release(&memo);
    return r;
}

uint64_t au_term_eval(const au_terms *t, au_term x, const uint64_t *value) {
    AU_BUG_IF(x.n >= t->node.n);
    uint64_t r;
    unsigned work = FAST_WORK;
    if (eval_small(t, x.n, value, FAST_DEPTH, &work, &r))
        return r;
    return eval_large(t, x.n, value);
}

/* The term of 'n' (a node of any au_terms) over other kids. */
static au_term rebuild(au_terms *t, const au_term_node *n, const au_term kid[3]) {
    switch (n->op) {
    case AU_T_CONST:
        return au_term_const(t, n->width, au_node_value_(n));
    case AU_T_ITE:
        return au_term_ite(t, kid[0], kid[1], kid[2]);
    case AU_T_ZEXT:
        return au_term_zext(t, kid[0], n->width);
    case AU_T_SEXT:
        return au_term_sext(t, kid[0], n->width);
    case AU_T_EXTRACT:
        return au_term_extract(t, kid[0], n->low, n->width);
    default:
        return au_term_make(t, (au_term_op)n->op, kid[0], n->kids > 1 ? kid[1] : kid[0]);
    }
}

/* What a variable becomes. */
typedef au_term of_var(void *ctx, uint32_t var, unsigned width);

/* Rebuilds x of 'from' in 't' (which may be the same); what is in memo is built already. */
static au_term transfer(au_terms *t, const au_terms *from, au_term x, of_var *var, void *ctx,
                        au_map *memo) {
    AU_BUG_IF(x.n >= from->node.n);
    const uint64_t *built = au_map_find(memo, x.n);
    if (built)
        return (au_term){(uint32_t)*built};
    id_stack stack = {0};
    au_vec_push(&stack, x.n);
    while (stack.n) {
        uint32_t at = au_vec_last(&stack);
        au_term_node n = from->node.at[at]; /* a copy: building moves the array */
        uint32_t kid = open_kid(&n, memo);
        if (kid != AU_NONE) {
            au_vec_push(&stack, kid);
            continue;
        }
        au_term r, k[3] = {{0}, {0}, {0}};
        for (unsigned i = 0; i < n.kids; i++)
            k[i].n = (uint32_t)*au_map_find(memo, n.kid[i]);
        if (n.op == AU_T_VAR) {
            r = var(ctx, n.kid[0], n.width);
            AU_BUG_IF(au_term_width(t, r) != n.width);
        } else {
            r = rebuild(t, &n, k);
        }
        *au_map_put(memo, at, NULL) = r.n;
        (void)au_vec_pop(&stack);
    }
    au_vec_release(&stack);
    return (au_term){(uint32_t)*au_map_find(memo, x.n)};
}

typedef struct {
    au_terms *t;
    const au_term *map;
    size_t n;
    const uint32_t *number;
} renaming;

static au_term mapped(void *ctx, uint32_t v, unsigned width) {
    const renaming *r = ctx;
    if (v < r->n && r->map[v].n != UINT32_MAX)
        return r->map[v];
    return au_term_of_var(r->t, v, width);
}

static au_term numbered(void *ctx, uint32_t v, unsigned width) {
    const renaming *r = ctx;
    return au_term_of_var(r->t, r->number[v], width);
}

au_term au_term_substitute(au_terms *t, au_term x, const au_term *map, size_t nmap) {
    renaming r = {t, map, nmap, NULL};
    au_map memo;
    au_map_init(&memo);
    x = transfer(t, t, x, mapped, &r, &memo);
    au_map_release(&memo);
    return x;
}

au_term au_term_import(au_terms *t, const au_terms *from, au_term x, const uint32_t *number) {
    renaming r = {t, NULL, 0, number};
    au_map memo;
    au_map_init(&memo);
    x = transfer(t, from, x, numbered, &r, &memo);
    au_map_release(&memo);
    return x;
}

au_term au_term_translate(au_terms *t, const au_terms *from, au_term x, of_var *var, void *ctx,
                          au_map *memo) {
    return transfer(t, from, x, var, ctx, memo);
}

void au_term_each_var(const au_terms *t, au_term x, void (*fn)(void *ctx, uint32_t var),
                      void *ctx) {
    const au_term_node *n = au_term_node_(t, x);
    if (n->op == AU_T_CONST)
        return;
    if (n->op == AU_T_VAR) {
        fn(ctx, n->kid[0]);
        return;
    }
    au_map seen;
    id_stack stack = {0};
    bool fresh;
    au_map_init(&seen);
    au_map_put(&seen, x.n, NULL);
    au_vec_push(&stack, x.n);
    while (stack.n) {
        n = &t->node.at[au_vec_pop(&stack)];
        if (n->op == AU_T_VAR)
            fn(ctx, n->kid[0]); /* one width a variable, so one node a variable */
        for (unsigned i = 0; i < n->kids; i++) {
            au_map_put(&seen, n->kid[i], &fresh);
            if (fresh)
                au_vec_push(&stack, n->kid[i]);
        }
    }
    au_vec_release(&stack);
    au_map_release(&seen);
}
