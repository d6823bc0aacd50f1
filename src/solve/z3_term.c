/* solve/z3_term.c: our terms as Z3's. */
#include "solve/z3_priv.h"

static Z3_ast zero_of(au_z3_terms *t, unsigned width) {
    return Z3_mk_unsigned_int64(t->z, 0, Z3_mk_bv_sort(t->z, width));
}

/* A Boolean as a vector of one bit, and back. */
static Z3_ast as_bits(au_z3_terms *t, au_term x) {
    Z3_ast a = t->made.at[x.n];
    if (au_term_width(t->terms, x) > 1)
        return a;
    Z3_sort bit = Z3_mk_bv_sort(t->z, 1);
    return Z3_mk_ite(t->z, a, Z3_mk_unsigned_int64(t->z, 1, bit),
                     Z3_mk_unsigned_int64(t->z, 0, bit));
}

static Z3_ast from_bits(au_z3_terms *t, Z3_ast a, unsigned width) {
    if (width > 1)
        return a;
    return Z3_mk_eq(t->z, a, Z3_mk_unsigned_int64(t->z, 1, Z3_mk_bv_sort(t->z, 1)));
}

/* Division by zero is not what SMT-LIB says it is. */
static Z3_ast divide(au_z3_terms *t, Z3_ast quotient, Z3_ast b, unsigned width) {
    Z3_ast zero = zero_of(t, width);
    return Z3_mk_ite(t->z, Z3_mk_eq(t->z, b, zero), zero, quotient);
}

static Z3_ast boolean(au_z3_terms *t, au_term_op op, const Z3_ast *k) {
    switch (op) {
    case AU_T_NOT:
        return Z3_mk_not(t->z, k[0]);
    case AU_T_AND:
        return Z3_mk_and(t->z, 2, k);
    case AU_T_OR:
        return Z3_mk_or(t->z, 2, k);
    case AU_T_XOR:
        return Z3_mk_xor(t->z, k[0], k[1]);
    default:
        return NULL;
    }
}

/* On vectors; width is that of the operands. */
static Z3_ast vectors(au_z3_terms *t, au_term x, const Z3_ast *k, unsigned width) {
    Z3_context z = t->z;
    au_term_op op = au_term_kind(t->terms, x);
    unsigned own = au_term_width(t->terms, x);
    switch (op) {
    case AU_T_NOT:
        return Z3_mk_bvnot(z, k[0]);
    case AU_T_NEG:
        return Z3_mk_bvneg(z, k[0]);
    case AU_T_ADD:
        return Z3_mk_bvadd(z, k[0], k[1]);
    case AU_T_SUB:
        return Z3_mk_bvsub(z, k[0], k[1]);
    case AU_T_MUL:
        return Z3_mk_bvmul(z, k[0], k[1]);
    case AU_T_SDIV:
        return divide(t, Z3_mk_bvsdiv(z, k[0], k[1]), k[1], width);
    case AU_T_SREM:
        return Z3_mk_bvsrem(z, k[0], k[1]);
    case AU_T_UDIV:
        return divide(t, Z3_mk_bvudiv(z, k[0], k[1]), k[1], width);
    case AU_T_UREM:
        return Z3_mk_bvurem(z, k[0], k[1]);
    case AU_T_AND:
        return Z3_mk_bvand(z, k[0], k[1]);
    case AU_T_OR:
        return Z3_mk_bvor(z, k[0], k[1]);
    case AU_T_XOR:
        return Z3_mk_bvxor(z, k[0], k[1]);
    case AU_T_SHL:
        return Z3_mk_bvshl(z, k[0], k[1]);
    case AU_T_LSHR:
        return Z3_mk_bvlshr(z, k[0], k[1]);
    case AU_T_ASHR:
        return Z3_mk_bvashr(z, k[0], k[1]);
    case AU_T_ZEXT:
        return Z3_mk_zero_ext(z, own - width, k[0]);
    case AU_T_SEXT:
        return Z3_mk_sign_ext(z, own - width, k[0]);
    case AU_T_EXTRACT:
        return Z3_mk_extract(z, au_term_low(t->terms, x) + own - 1, au_term_low(t->terms, x), k[0]);
    case AU_T_CONCAT:
        return Z3_mk_concat(z, k[0], k[1]);
    default:
        AU_BUG_IF(true);
        return NULL;
    }
}

static Z3_ast compare(au_z3_terms *t, au_term_op op, Z3_ast a, Z3_ast b) {
    switch (op) {
    case AU_T_EQ:
        return Z3_mk_eq(t->z, a, b);
    case AU_T_ULT:
        return Z3_mk_bvult(t->z, a, b);
    case AU_T_ULE:
        return Z3_mk_bvule(t->z, a, b);
    case AU_T_SLT:
        return Z3_mk_bvslt(t->z, a, b);
    default:
        return Z3_mk_bvsle(t->z, a, b);
    }
}

/* Requires: its kids are made. */
static Z3_ast make(au_z3_terms *t, au_term x) {
    const au_terms *u = t->terms;
    au_term_op op = au_term_kind(u, x);
    unsigned width = au_term_width(u, x);
    if (op == AU_T_CONST && width == 1)
        return au_term_value(u, x) ? Z3_mk_true(t->z) : Z3_mk_false(t->z);
    if (op == AU_T_CONST)
        return Z3_mk_unsigned_int64(t->z, au_term_value(u, x), Z3_mk_bv_sort(t->z, width));
    if (op == AU_T_VAR)
        return t->name.at[au_term_var(u, x)];
    au_term kid[3];
    Z3_ast plain[3], bits[3];
    for (unsigned i = 0; i < au_term_kids(u, x); i++) {
        kid[i] = au_term_kid(u, x, i);
        plain[i] = t->made.at[kid[i].n];
    }
    if (op == AU_T_ITE)
        return Z3_mk_ite(t->z, plain[0], plain[1], plain[2]);
    unsigned from = au_term_width(u, kid[0]);
    if (op == AU_T_EQ)
        return Z3_mk_eq(t->z, plain[0], plain[1]);
    Z3_ast simple = from == 1 && width == 1 ? boolean(t, op, plain) : NULL;
    if (simple)
        return simple;
    for (unsigned i = 0; i < au_term_kids(u, x); i++)
        bits[i] = as_bits(t, kid[i]);
    if (op >= AU_T_ULT && op <= AU_T_SLE)
        return compare(t, op, bits[0], bits[1]);
    return from_bits(t, vectors(t, x, bits, from), width);
}

Z3_ast au_z3_term(au_z3_terms *t, au_term x) {
    while (t->made.n < au_terms_count(t->terms))
        au_vec_push(&t->made, NULL);
    au_vec_clear(&t->stack);
    au_vec_push(&t->stack, x.n);
    while (t->stack.n) {
        au_term top = {au_vec_last(&t->stack)};
        bool ready = true;
        for (unsigned i = 0; !t->made.at[top.n] && i < au_term_kids(t->terms, top); i++) {
            au_term kid = au_term_kid(t->terms, top, i);
            if (!t->made.at[kid.n]) {
                au_vec_push(&t->stack, kid.n);
                ready = false;
            }
        }
        if (!ready)
            continue;
        if (!t->made.at[top.n])
            t->made.at[top.n] = make(t, top);
        t->stack.n--;
    }
    return t->made.at[x.n];
}
