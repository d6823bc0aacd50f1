/* model/term.h: hash-consed bit-vector terms.
 *
 * A term is a small integer handle into its au_terms; equal handles are equal
 * terms, and building a term simplifies it (constants folded, neutral and
 * absorbing elements, double negation, commutative operands in one order, x-x,
 * x==x, comparisons of constants with ranges of casts, nested ite). Widths run
 * from 1 to 64 bits; a truth value is a term of width 1.
 *
 * All operations are total:
 *   SDIV x/0 = 0, MIN/-1 = MIN;  SREM x%0 = x, MIN%-1 = 0 (sign of the dividend);
 *   UDIV x/0 = 0;  UREM x%0 = x;
 *   SHL, LSHR by >= width give 0, ASHR by >= width gives the sign.
 * ('<<' and '>>' of .ctp take their count modulo the width: the reader cuts it.) */
#ifndef AU_MODEL_TERM_H
#define AU_MODEL_TERM_H

#include "base/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t n;
} au_term;

typedef enum {
    AU_T_CONST, /* value in the low 'width' bits of au_term_value */
    AU_T_VAR,   /* a variable of the model: au_term_var */
    AU_T_NOT,   /* bitwise; for width 1 the logical not */
    AU_T_NEG,
    AU_T_ADD,
    AU_T_SUB,
    AU_T_MUL,
    AU_T_SDIV,
    AU_T_SREM,
    AU_T_UDIV,
    AU_T_UREM,
    AU_T_AND,
    AU_T_OR,
    AU_T_XOR,
    AU_T_SHL,
    AU_T_LSHR,
    AU_T_ASHR,
    AU_T_EQ,
    AU_T_ULT,
    AU_T_ULE,
    AU_T_SLT,
    AU_T_SLE,
    AU_T_ITE, /* kid 0 has width 1 */
    AU_T_ZEXT,
    AU_T_SEXT,
    AU_T_EXTRACT, /* bits lo … lo+width-1 of kid 0; lo = au_term_low */
    AU_T_CONCAT,  /* kid 0 is the upper part */
    AU_T_OPS
} au_term_op;

typedef struct au_terms au_terms;

au_terms *au_terms_new(void);
void au_terms_free(au_terms *t);
size_t au_terms_count(const au_terms *t);

/* Looking inside. */
au_term_op au_term_kind(const au_terms *t, au_term x);
unsigned au_term_width(const au_terms *t, au_term x);
unsigned au_term_kids(const au_terms *t, au_term x); /* 0 … 3 */
au_term au_term_kid(const au_terms *t, au_term x, unsigned i);
uint64_t au_term_value(const au_terms *t, au_term x); /* CONST, zero-extended */
int64_t au_term_signed(const au_terms *t, au_term x); /* CONST, sign-extended */
uint32_t au_term_var(const au_terms *t, au_term x);   /* VAR */
unsigned au_term_low(const au_terms *t, au_term x);   /* EXTRACT */
/* Of its structure: the same in every au_terms and every run. */
uint64_t au_term_hash(const au_terms *t, au_term x);
bool au_term_is_const(const au_terms *t, au_term x);
bool au_term_is_true(const au_terms *t, au_term x);
bool au_term_is_false(const au_terms *t, au_term x);
static inline bool au_term_same(au_term a, au_term b) {
    return a.n == b.n;
}

/* Building. */
au_term au_term_const(au_terms *t, unsigned width, uint64_t value); /* value is cut to width */
au_term au_term_bool(au_terms *t, bool v);
au_term au_term_of_var(au_terms *t, uint32_t var, unsigned width);
/* NOT, NEG, ADD … SLE, CONCAT: operands of one width (CONCAT: any). b is ignored for NOT, NEG. */
au_term au_term_make(au_terms *t, au_term_op op, au_term a, au_term b);
au_term au_term_not(au_terms *t, au_term a);
au_term au_term_and(au_terms *t, au_term a, au_term b);
au_term au_term_or(au_terms *t, au_term a, au_term b);
au_term au_term_eq(au_terms *t, au_term a, au_term b);
au_term au_term_ite(au_terms *t, au_term c, au_term a, au_term b);
au_term au_term_zext(au_terms *t, au_term a, unsigned width); /* width >= a's */
au_term au_term_sext(au_terms *t, au_term a, unsigned width);
au_term au_term_extract(au_terms *t, au_term a, unsigned low, unsigned width);
/* x != 0 as a truth value; a truth value as a 0/1 of some width. */
au_term au_term_truth(au_terms *t, au_term a);

/* Replaces variables: map[v] is the new term of variable v, .n == UINT32_MAX keeps it. */
au_term au_term_substitute(au_terms *t, au_term x, const au_term *map, size_t nmap);

/* x of another au_terms, built in t; variable v becomes variable number[v]. */
au_term au_term_import(au_terms *t, const au_terms *from, au_term x, const uint32_t *number);

/* The same with any term of the same width for a variable. memo (initialised by the caller)
 * remembers what was built: for one pair of au_terms, as long as var gives the same answers. */
au_term au_term_translate(au_terms *t, const au_terms *from, au_term x,
                          au_term (*var)(void *ctx, uint32_t var, unsigned width), void *ctx,
                          au_map *memo);

/* Value of x under value[v] of each variable (zero-extended). */
uint64_t au_term_eval(const au_terms *t, au_term x, const uint64_t *value);

/* Value of x if its kids have the values that of[] has at their numbers (kids have smaller numbers
 * than their parents, so a column of values by term is filled in order). Not for a VAR. */
uint64_t au_term_worth(const au_terms *t, au_term x, const uint64_t *of);

/* Calls fn once for each different variable in x, in no promised order. */
void au_term_each_var(const au_terms *t, au_term x, void (*fn)(void *ctx, uint32_t var), void *ctx);

#endif
