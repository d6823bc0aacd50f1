/* scan/domain_ppl.c: relations between the variables of a pack, by the Parma Polyhedra Library.
 *
 * Octagonal_Shape<mpz_class> and C_Polyhedron, both over integers of any size, so that the rounding
 * mode of the processor, which ppl_initialize changes, does not matter to them: it is put back
 * at once. An error inside PPL (out of memory, a bug) ends the worker process: there is no
 * result then, and nothing is ruled out. */
#include "scan/domain_priv.h"

#include "base/worker.h"

#include <gmp.h>
#include <ppl_c.h>

struct au_rel {
    au_domain_kind kind;
    uint32_t dims;
    uint32_t *users; /* of the same shape, which is copied when one of them changes it */
    union {
        ppl_Octagonal_Shape_mpz_class_t oct;
        ppl_Polyhedron_t poly;
    } u;
};

/* Every PPL function returns a negative number where it fails. */
static int ok(int r) {
    if (r < 0)
        au_job_no_memory();
    return r;
}

void au_rel_start_(void) {
    static bool started;
    if (started)
        return;
    started = true;
    ok(ppl_initialize());
    ok(ppl_restore_pre_PPL_rounding());
}

/* --- numbers and expressions ------------------------------------------------------------------ */

static ppl_Coefficient_t coefficient(int64_t v) {
    mpz_t z;
    ppl_Coefficient_t c;
    mpz_init_set_si(z, v);
    ok(ppl_new_Coefficient_from_mpz_t(&c, z));
    mpz_clear(z);
    return c;
}

static ppl_Linear_Expression_t expression(const au_lin *l, uint32_t dims) {
    ppl_Linear_Expression_t e;
    ok(ppl_new_Linear_Expression_with_dimension(&e, dims));
    for (uint32_t i = 0; i < l->n; i++) {
        ppl_Coefficient_t c = coefficient(l->coef[i]);
        ok(ppl_Linear_Expression_add_to_coefficient(e, l->var[i], c));
        ok(ppl_delete_Coefficient(c));
    }
    ppl_Coefficient_t k = coefficient(l->k);
    ok(ppl_Linear_Expression_add_to_inhomogeneous(e, k));
    ok(ppl_delete_Coefficient(k));
    return e;
}

/* --- making ------------------------------------------------------------------------------------- */

au_rel *au_rel_new_(au_domain_kind kind, uint32_t dims) {
    au_rel *r = AU_NEW(au_rel);
    au_rel_start_();
    r->kind = kind;
    r->dims = dims;
    r->users = AU_NEW(uint32_t);
    *r->users = 1;
    if (kind == AU_DOMAIN_OCTAGON)
        ok(ppl_new_Octagonal_Shape_mpz_class_from_space_dimension(&r->u.oct, dims, 0));
    else
        ok(ppl_new_C_Polyhedron_from_space_dimension(&r->u.poly, dims, 0));
    return r;
}

au_rel *au_rel_copy_(const au_rel *r) {
    au_rel *c = AU_NEW(au_rel);
    *c = *r;
    ++*c->users;
    return c;
}

/* Before it is changed. */
static void own(au_rel *r) {
    if (*r->users == 1)
        return;
    --*r->users;
    r->users = AU_NEW(uint32_t);
    *r->users = 1;
    if (r->kind == AU_DOMAIN_OCTAGON) {
        ppl_const_Octagonal_Shape_mpz_class_t old = r->u.oct;
        ok(ppl_new_Octagonal_Shape_mpz_class_from_Octagonal_Shape_mpz_class(&r->u.oct, old));
    } else {
        ppl_const_Polyhedron_t old = r->u.poly;
        ok(ppl_new_C_Polyhedron_from_C_Polyhedron(&r->u.poly, old));
    }
}

void au_rel_free_(au_rel *r) {
    if (!r)
        return;
    if (--*r->users == 0) {
        if (r->kind == AU_DOMAIN_OCTAGON)
            ok(ppl_delete_Octagonal_Shape_mpz_class(r->u.oct));
        else
            ok(ppl_delete_Polyhedron(r->u.poly));
        free(r->users);
    }
    free(r);
}

bool au_rel_none_(const au_rel *r) {
    return r->kind == AU_DOMAIN_OCTAGON ? ok(ppl_Octagonal_Shape_mpz_class_is_empty(r->u.oct))
                                        : ok(ppl_Polyhedron_is_empty(r->u.poly));
}

/* --- changing ------------------------------------------------------------------------------------ */

static void refine(au_rel *r, ppl_Constraint_t c) {
    own(r);
    if (r->kind == AU_DOMAIN_OCTAGON)
        ok(ppl_Octagonal_Shape_mpz_class_refine_with_constraint(r->u.oct, c));
    else
        ok(ppl_Polyhedron_refine_with_constraint(r->u.poly, c));
}

void au_rel_add_(au_rel *r, const au_lin *l, bool equal) {
    ppl_Linear_Expression_t e = expression(l, r->dims);
    ppl_Constraint_t c;
    ok(ppl_new_Constraint(&c, e,
                          equal ? PPL_CONSTRAINT_TYPE_EQUAL : PPL_CONSTRAINT_TYPE_LESS_OR_EQUAL));
    refine(r, c);
    ok(ppl_delete_Constraint(c));
    ok(ppl_delete_Linear_Expression(e));
}

void au_rel_set_(au_rel *r, uint32_t dim, const au_lin *l) {
    ppl_Linear_Expression_t e = expression(l, r->dims);
    ppl_Coefficient_t one = coefficient(1);
    own(r);
    if (r->kind == AU_DOMAIN_OCTAGON)
        ok(ppl_Octagonal_Shape_mpz_class_affine_image(r->u.oct, dim, e, one));
    else
        ok(ppl_Polyhedron_affine_image(r->u.poly, dim, e, one));
    ok(ppl_delete_Coefficient(one));
    ok(ppl_delete_Linear_Expression(e));
}

void au_rel_forget_(au_rel *r, uint32_t dim) {
    own(r);
    if (r->kind == AU_DOMAIN_OCTAGON)
        ok(ppl_Octagonal_Shape_mpz_class_unconstrain_space_dimension(r->u.oct, dim));
    else
        ok(ppl_Polyhedron_unconstrain_space_dimension(r->u.poly, dim));
}

void au_rel_join_(au_rel *into, const au_rel *from) {
    if (into->users == from->users)
        return;
    own(into);
    if (into->kind == AU_DOMAIN_OCTAGON)
        ok(ppl_Octagonal_Shape_mpz_class_upper_bound_assign(into->u.oct, from->u.oct));
    else
        ok(ppl_Polyhedron_upper_bound_assign(into->u.poly, from->u.poly));
}

void au_rel_meet_(au_rel *into, const au_rel *from) {
    if (into->users == from->users)
        return;
    own(into);
    if (into->kind == AU_DOMAIN_OCTAGON)
        ok(ppl_Octagonal_Shape_mpz_class_intersection_assign(into->u.oct, from->u.oct));
    else
        ok(ppl_Polyhedron_intersection_assign(into->u.poly, from->u.poly));
}

void au_rel_widen_(au_rel *into, const au_rel *old) {
    if (into->users == old->users)
        return;
    own(into);
    if (into->kind == AU_DOMAIN_OCTAGON)
        ok(ppl_Octagonal_Shape_mpz_class_BHMZ05_widening_assign(into->u.oct, old->u.oct));
    else
        ok(ppl_Polyhedron_H79_widening_assign(into->u.poly, old->u.poly));
}

/* --- asking --------------------------------------------------------------------------------------- */

bool au_rel_contains_(const au_rel *big, const au_rel *small) {
    if (big->users == small->users)
        return true;
    if (big->kind == AU_DOMAIN_OCTAGON)
        return ok(ppl_Octagonal_Shape_mpz_class_contains_Octagonal_Shape_mpz_class(big->u.oct,
                                                                                   small->u.oct));
    return ok(ppl_Polyhedron_contains_Polyhedron(big->u.poly, small->u.poly));
}

/* The largest value of l, rounded down; false: there is none, or it is past 64 bits. */
static bool largest(const au_rel *r, const au_lin *l, int64_t *value) {
    ppl_Linear_Expression_t e = expression(l, r->dims);
    ppl_Coefficient_t n = coefficient(0), d = coefficient(1);
    int reached = 0;
    bool found = r->kind == AU_DOMAIN_OCTAGON
                     ? ok(ppl_Octagonal_Shape_mpz_class_maximize(r->u.oct, e, n, d, &reached))
                     : ok(ppl_Polyhedron_maximize(r->u.poly, e, n, d, &reached));
    if (found) {
        mpz_t up, down;
        mpz_init(up);
        mpz_init(down);
        ok(ppl_Coefficient_to_mpz_t(n, up));
        ok(ppl_Coefficient_to_mpz_t(d, down));
        mpz_fdiv_q(up, up, down);
        found = mpz_fits_slong_p(up);
        *value = found ? mpz_get_si(up) : 0;
        mpz_clear(up);
        mpz_clear(down);
    }
    ok(ppl_delete_Coefficient(n));
    ok(ppl_delete_Coefficient(d));
    ok(ppl_delete_Linear_Expression(e));
    return found;
}

void au_rel_bounds_(const au_rel *r, uint32_t dim, au_interval *range) {
    au_lin up = {.var = {dim}, .coef = {1}, .n = 1}, down = {.var = {dim}, .coef = {-1}, .n = 1};
    int64_t v;
    if (largest(r, &up, &v) && v < range->high)
        range->high = v;
    if (largest(r, &down, &v) && v != INT64_MIN && -v > range->low)
        range->low = -v;
}

/* --- constraints one by one ------------------------------------------------------------------------ */

typedef void each_fn(void *ctx, ppl_const_Constraint_t c);

/* (Octagons' constraints are made for the asking and gone before the C interface of PPL 1.2
 * returns: as a polyhedron's they last.) */
static void each_constraint(const au_rel *r, each_fn *fn, void *ctx) {
    ppl_const_Constraint_System_t s;
    ppl_Polyhedron_t poly = r->u.poly;
    if (r->kind == AU_DOMAIN_OCTAGON)
        ok(ppl_new_C_Polyhedron_from_Octagonal_Shape_mpz_class(&poly, r->u.oct));
    ok(ppl_Polyhedron_get_minimized_constraints(poly, &s));
    ppl_Constraint_System_const_iterator_t i, end;
    ok(ppl_new_Constraint_System_const_iterator(&i));
    ok(ppl_new_Constraint_System_const_iterator(&end));
    ok(ppl_Constraint_System_begin(s, i));
    ok(ppl_Constraint_System_end(s, end));
    while (!ok(ppl_Constraint_System_const_iterator_equal_test(i, end))) {
        ppl_const_Constraint_t c;
        ok(ppl_Constraint_System_const_iterator_dereference(i, &c));
        fn(ctx, c);
        ok(ppl_Constraint_System_const_iterator_increment(i));
    }
    ok(ppl_delete_Constraint_System_const_iterator(i));
    ok(ppl_delete_Constraint_System_const_iterator(end));
    if (r->kind == AU_DOMAIN_OCTAGON)
        ok(ppl_delete_Polyhedron(poly));
}

typedef struct {
    au_rel *into;
    const uint32_t *to;
} teller;

static void tell(void *ctx, ppl_const_Constraint_t c) {
    teller *t = ctx;
    ppl_Linear_Expression_t e;
    ok(ppl_new_Linear_Expression_with_dimension(&e, t->into->dims));
    ppl_Coefficient_t k = coefficient(0);
    bool known = true, any = false;
    ppl_dimension_type dims;
    ok(ppl_Constraint_space_dimension(c, &dims));
    for (uint32_t i = 0; i < dims && known; i++) {
        mpz_t z;
        mpz_init(z);
        ok(ppl_Constraint_coefficient(c, i, k));
        ok(ppl_Coefficient_to_mpz_t(k, z));
        bool there = mpz_sgn(z) != 0;
        mpz_clear(z);
        if (!there)
            continue;
        known = t->to[i] != AU_NONE;
        any = true;
        if (known)
            ok(ppl_Linear_Expression_add_to_coefficient(e, t->to[i], k));
    }
    if (known && any) {
        ppl_Constraint_t n;
        ok(ppl_Constraint_inhomogeneous_term(c, k));
        ok(ppl_Linear_Expression_add_to_inhomogeneous(e, k));
        ok(ppl_new_Constraint(&n, e, (enum ppl_enum_Constraint_Type)ok(ppl_Constraint_type(c))));
        refine(t->into, n);
        ok(ppl_delete_Constraint(n));
    }
    ok(ppl_delete_Coefficient(k));
    ok(ppl_delete_Linear_Expression(e));
}

/* Sums and differences, one by one: quicker than a polyhedron. */
static void tell_octagon(au_rel *into, const au_rel *from, const uint32_t *to) {
    for (uint32_t i = 0; i < from->dims; i++)
        for (uint32_t j = i + 1; j < from->dims; j++)
            for (int signs = 0; signs < 4 && to[i] != AU_NONE && to[j] != AU_NONE; signs++) {
                au_lin l = {
                    .var = {i, j}, .coef = {signs & 1 ? -1 : 1, signs & 2 ? -1 : 1}, .n = 2};
                int64_t v;
                if (!largest(from, &l, &v) || v == INT64_MIN)
                    continue;
                l.var[0] = to[i];
                l.var[1] = to[j];
                l.k = -v;
                au_rel_add_(into, &l, false);
            }
}

void au_rel_tell_(au_rel *into, const au_rel *from, const uint32_t *to) {
    teller t = {into, to};
    if (from->kind == AU_DOMAIN_OCTAGON) {
        tell_octagon(into, from, to);
        return;
    }
    au_rel *left = au_rel_copy_(from);
    for (uint32_t i = 0; i < from->dims; i++)
        if (to[i] == AU_NONE)
            au_rel_forget_(left, i);
    if (!au_rel_none_(left))
        each_constraint(left, tell, &t);
    au_rel_free_(left);
}

typedef struct {
    const char *(*name)(const void *ctx, uint32_t dim);
    const void *ctx;
    au_out *out;
} printer;

static void print_number(au_out *out, const mpz_t z) {
    char *s = mpz_get_str(NULL, 10, z);
    au_out_str(out, s);
    free(s);
}

static void print(void *ctx, ppl_const_Constraint_t c) {
    printer *p = ctx;
    ppl_Coefficient_t k = coefficient(0);
    mpz_t z;
    mpz_init(z);
    bool first = true;
    ppl_dimension_type dims;
    ok(ppl_Constraint_space_dimension(c, &dims));
    au_out_str(p->out, ", ");
    for (uint32_t i = 0; i < dims; i++) {
        ok(ppl_Constraint_coefficient(c, i, k));
        ok(ppl_Coefficient_to_mpz_t(k, z));
        if (mpz_sgn(z) == 0)
            continue;
        au_out_str(p->out, mpz_sgn(z) < 0 ? (first ? "-" : " - ") : (first ? "" : " + "));
        mpz_abs(z, z);
        if (mpz_cmp_ui(z, 1)) {
            print_number(p->out, z);
            au_out_str(p->out, " * ");
        }
        au_out_str(p->out, p->name(p->ctx, i));
        first = false;
    }
    if (first)
        au_out_char(p->out, '0');
    ok(ppl_Constraint_inhomogeneous_term(c, k));
    ok(ppl_Coefficient_to_mpz_t(k, z));
    mpz_neg(z, z);
    au_out_str(p->out, ok(ppl_Constraint_type(c)) == PPL_CONSTRAINT_TYPE_EQUAL ? " == " : " >= ");
    print_number(p->out, z);
    mpz_clear(z);
    ok(ppl_delete_Coefficient(k));
}

void au_rel_print_(const au_rel *r, const char *(*name)(const void *ctx, uint32_t dim),
                   const void *ctx, au_out *out) {
    printer p = {name, ctx, out};
    each_constraint(r, print, &p);
}
