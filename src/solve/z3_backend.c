/* solve/z3_backend.c: the same questions to Z3 (Wang et al., sections 4 and 6, as printed there
 * but for its slips): an integer clock for every ordered event, bit-vectors for values.
 *
 * Nothing here is clever: this is the answer that the fast backend is compared with. It
 * shares no encoding with it, only the au_cssa.
 *
 *   order      clock(a) < clock(b) for neighbours in a thread and for must-before; a pair
 *              that a property names is never a tie
 *   read       executed implies that it sees one of its writers; sees(w) implies that w
 *              is stored, comes before, has the value, and that every other store of the
 *              variable is not stored or before w or after the read
 *   bound N    N + 1 windows of time, each of at most one thread; an executed event lies
 *              in a window of its thread. Under a literal of its own, so that a core tells
 *              whether it was needed */
#include "base/out.h"
#include "solve/z3_priv.h"

#include <stdio.h>

typedef AU_VEC(Z3_ast) asts;

typedef struct {
    au_backend base;
    au_cssa *c;
    Z3_context z;
    Z3_solver solver;
    au_z3_terms terms;
    Z3_sort truth, integer;
    Z3_ast *clock;     /* by event, NULL if not ordered */
    AU_VEC(asts) sees; /* by read and writer */
    size_t axioms;     /* asserted so far; likewise reads */
    size_t reads;
    struct {
        uint32_t n;
        Z3_ast literal;
    } bound;
    uint32_t fresh; /* number of the next name of our own */
    bool failed;    /* out of memory, …: nothing it says counts any more */
} z3b;

static void on_error(Z3_context z, Z3_error_code code) {
    (void)z;
    (void)code; /* looked at by whoever asked: au_z3_ok */
}

static bool z3_ok(z3b *b) {
    b->failed |= Z3_get_error_code(b->z) != Z3_OK;
    return !b->failed;
}

static Z3_ast constant(z3b *b, char letter, uint32_t i, uint32_t j, Z3_sort sort) {
    char name[40];
    snprintf(name, sizeof name, j == AU_NONE ? "%c%u" : "%c%u_%u", letter, i, j);
    return Z3_mk_const(b->z, Z3_mk_string_symbol(b->z, name), sort);
}

static void require(z3b *b, Z3_ast a) {
    Z3_solver_assert(b->z, b->solver, a);
}

static Z3_ast any_of(z3b *b, const asts *a) {
    return a->n ? Z3_mk_or(b->z, (unsigned)a->n, a->at) : Z3_mk_false(b->z);
}

static Z3_ast all_of(z3b *b, const asts *a) {
    return a->n ? Z3_mk_and(b->z, (unsigned)a->n, a->at) : Z3_mk_true(b->z);
}

static Z3_ast either(z3b *b, Z3_ast x, Z3_ast y) {
    Z3_ast two[2] = {x, y};
    return Z3_mk_or(b->z, 2, two);
}

/* Of one thread (where not all events need clocks) by place. */
static Z3_ast before(z3b *b, uint32_t x, uint32_t y) {
    const au_cssa_event *p = &b->c->event.at[x], *q = &b->c->event.at[y];
    if (p->thread == q->thread)
        return p->place < q->place ? Z3_mk_true(b->z) : Z3_mk_false(b->z);
    return Z3_mk_lt(b->z, b->clock[x], b->clock[y]);
}

/* --- order ---------------------------------------------------------------------------- */

static void make_clocks(z3b *b) {
    const au_cssa *c = b->c;
    size_t threads = c->m->thread.n;
    b->clock = au_alloc_array(c->event.n + 1, sizeof *b->clock);
    for (uint32_t t = 0; t < threads; t++) {
        uint32_t last = AU_NONE;
        for (uint32_t e = c->first_event[t]; e < c->first_event[t + 1]; e++) {
            if (!c->event.at[e].ordered)
                continue;
            b->clock[e] = constant(b, 'o', e, AU_NONE, b->integer);
            if (last != AU_NONE)
                require(b, Z3_mk_lt(b->z, b->clock[last], b->clock[e]));
            last = e;
        }
    }
    for (uint32_t e = 0; e < c->event.n; e++)
        for (uint32_t t = 0; t < threads && b->clock[e]; t++) {
            uint32_t place = c->last_must[e * threads + t];
            if (place && t != c->event.at[e].thread)
                require(b, before(b, c->first_event[t] + place - 1, e));
        }
}

/* --- names ---------------------------------------------------------------------------- */

static Z3_ast sees(z3b *b, uint32_t read, uint32_t writer) {
    while (b->sees.n <= read)
        au_vec_push(&b->sees, ((asts){0}));
    asts *s = &b->sees.at[read];
    for (uint32_t i = (uint32_t)s->n; i <= writer; i++)
        au_vec_push(s, constant(b, 's', read, i, b->truth));
    return s->at[writer];
}

static void take_names(z3b *b) {
    for (uint32_t i = (uint32_t)b->terms.name.n; i < b->c->name.n; i++) {
        const au_name *n = &b->c->name.at[i];
        Z3_ast a = NULL;
        switch (n->kind) {
        case AU_NAME_MODEL:
            break;
        case AU_NAME_EXEC:
            a = constant(b, 'x', n->a, AU_NONE, b->truth);
            break;
        case AU_NAME_READ:
        case AU_NAME_HAVOC:
            a = constant(b, n->kind == AU_NAME_READ ? 'r' : 'h', n->a, AU_NONE,
                         n->width == 1 ? b->truth : Z3_mk_bv_sort(b->z, n->width));
            break;
        case AU_NAME_BEFORE:
            a = before(b, n->a, n->b);
            require(b, either(b, a, before(b, n->b, n->a)));
            break;
        case AU_NAME_SEES:
            a = sees(b, n->a, n->b);
            break;
        case AU_NAME_FREE:
            a = constant(b, 'f', i, AU_NONE, b->truth);
            break;
        }
        au_vec_push(&b->terms.name, a);
    }
}

/* --- reads ---------------------------------------------------------------------------- */

static const au_cssa_write *write_of(const au_cssa *c, uint32_t event, uint32_t var) {
    const au_cssa_event *e = &c->event.at[event];
    for (uint32_t i = 0; i < e->n_writes; i++)
        if (c->write.at[e->first_write + i].var == var)
            return &c->write.at[e->first_write + i];
    AU_BUG_IF(true);
    return NULL;
}

/* The store does not come between w (AU_INITIAL: the start) and the read. */
static Z3_ast not_between(z3b *b, const au_cssa_read *r, uint32_t w, uint32_t store) {
    asts any = {0};
    au_vec_push(&any, Z3_mk_not(b->z, au_z3_term(&b->terms, au_cssa_stored(b->c, store))));
    if (w != AU_INITIAL)
        au_vec_push(&any, before(b, store, w));
    if (r->event != AU_FINAL)
        au_vec_push(&any, before(b, r->event, store));
    Z3_ast a = any_of(b, &any);
    au_vec_release(&any);
    return a;
}

/* What it means to see the i-th of its writers. */
static Z3_ast seeing(z3b *b, const au_cssa_read *r, uint32_t i) {
    const au_cssa *c = b->c;
    uint32_t w = r->writer.at[i];
    asts all = {0};
    au_term value = {UINT32_MAX};
    if (w == AU_INITIAL) {
        const au_var_info *v = &c->m->var.at[r->var];
        if (r->name != AU_NONE)
            value = au_term_const(c->terms, v->width, v->init);
    } else {
        au_vec_push(&all, au_z3_term(&b->terms, au_cssa_stored(c, w)));
        if (r->event != AU_FINAL)
            au_vec_push(&all, before(b, w, r->event));
        value = write_of(c, w, r->var)->value;
    }
    if (r->name != AU_NONE && value.n != UINT32_MAX)
        au_vec_push(&all, Z3_mk_eq(b->z, b->terms.name.at[r->name], au_z3_term(&b->terms, value)));
    for (uint32_t j = 0; j < r->writer.n; j++)
        if (j != i && r->writer.at[j] != AU_INITIAL)
            au_vec_push(&all, not_between(b, r, w, r->writer.at[j]));
    for (uint32_t j = 0; j < r->other.n; j++)
        au_vec_push(&all, not_between(b, r, w, r->other.at[j]));
    Z3_ast a = all_of(b, &all);
    au_vec_release(&all);
    return a;
}

static void take_read(z3b *b, uint32_t read) {
    const au_cssa_read *r = &b->c->read.at[read];
    asts some = {0};
    if (r->event != AU_FINAL)
        au_vec_push(&some, Z3_mk_not(b->z, au_z3_term(&b->terms, au_cssa_exec(b->c, r->event))));
    for (uint32_t i = 0; i < r->writer.n; i++) {
        Z3_ast s = sees(b, read, i);
        require(b, Z3_mk_implies(b->z, s, seeing(b, r, i)));
        au_vec_push(&some, s);
    }
    require(b, any_of(b, &some));
    au_vec_release(&some);
}

/* What was added to the au_cssa since the last time. */
static void catch_up(z3b *b) {
    take_names(b);
    for (; b->axioms < b->c->axiom.n; b->axioms++)
        require(b, au_z3_term(&b->terms, b->c->axiom.at[b->axioms]));
    for (; b->reads < b->c->read.n; b->reads++)
        take_read(b, (uint32_t)b->reads);
}

/* --- the bound ------------------------------------------------------------------------- */

static void make_bound(z3b *b, uint32_t n) {
    const au_cssa *c = b->c;
    uint32_t threads = (uint32_t)c->m->thread.n;
    if (b->bound.literal && b->bound.n == n)
        return;
    b->bound.n = n;
    b->bound.literal = constant(b, 'b', n, AU_NONE, b->truth);
    Z3_ast *edge = au_alloc_array((size_t)n + 2, sizeof *edge);
    Z3_ast *owner = au_alloc_array(((size_t)n + 1) * threads, sizeof *owner);
    for (uint32_t k = 0; k <= n + 1; k++) {
        edge[k] = constant(b, 'w', n, k, b->integer);
        if (k)
            require(b, Z3_mk_lt(b->z, edge[k - 1], edge[k]));
    }
    for (uint32_t k = 0; k <= n; k++)
        for (uint32_t t = 0; t < threads; t++) {
            owner[k * threads + t] = constant(b, 'm', b->fresh++, AU_NONE, b->truth);
            for (uint32_t u = 0; u < t; u++)
                require(b, either(b, Z3_mk_not(b->z, owner[k * threads + t]),
                                  Z3_mk_not(b->z, owner[k * threads + u])));
        }
    for (uint32_t e = 0; e < c->event.n; e++) {
        AU_BUG_IF(!b->clock[e]); /* order_all */
        asts in = {0};
        au_vec_push(&in, Z3_mk_not(b->z, b->bound.literal));
        au_vec_push(&in, Z3_mk_not(b->z, au_z3_term(&b->terms, au_cssa_exec(c, e))));
        for (uint32_t k = 0; k <= n; k++) {
            Z3_ast window[3] = {owner[k * threads + c->event.at[e].thread],
                                Z3_mk_le(b->z, edge[k], b->clock[e]),
                                Z3_mk_lt(b->z, b->clock[e], edge[k + 1])};
            au_vec_push(&in, Z3_mk_and(b->z, 3, window));
        }
        require(b, any_of(b, &in));
        au_vec_release(&in);
    }
    free(edge);
    free(owner);
}

/* --- answers ---------------------------------------------------------------------------- */

static bool holds(z3b *b, Z3_model m, Z3_ast a) {
    Z3_ast v = NULL;
    return Z3_model_eval(b->z, m, a, true, &v) && Z3_get_bool_value(b->z, v) == Z3_L_TRUE;
}

typedef struct {
    int64_t clock;
    uint32_t event;
} timed;

static int by_clock(const void *x, const void *y) {
    const timed *a = x, *b = y;
    if (a->clock != b->clock)
        return a->clock < b->clock ? -1 : 1;
    return a->event < b->event ? -1 : a->event > b->event;
}

static bool take_prefix(z3b *b, au_prefix *p) {
    const au_cssa *c = b->c;
    Z3_model m = Z3_solver_get_model(b->z, b->solver);
    if (!m)
        return false;
    Z3_model_inc_ref(b->z, m);
    AU_VEC(timed) order = {0};
    bool good = true;
    for (uint32_t e = 0; e < c->event.n && good; e++) {
        if (!holds(b, m, au_z3_term(&b->terms, au_cssa_exec(c, e))))
            continue;
        au_bitset_add(&p->exec, e);
        if (!c->o.whole && !au_term_is_const(c->terms, c->event.at[e].fails) &&
            holds(b, m, au_z3_term(&b->terms, c->event.at[e].fails)))
            au_bitset_add(&p->failed, e);
        Z3_ast v = NULL;
        int64_t clock = 0;
        if (b->clock[e]) {
            good = Z3_model_eval(b->z, m, b->clock[e], true, &v) &&
                   Z3_get_numeral_int64(b->z, v, &clock);
            au_vec_push(&order, ((timed){clock, e}));
        }
    }
    for (uint32_t i = 0; i < c->name.n && good; i++) {
        const au_name *n = &c->name.at[i];
        Z3_ast v = NULL;
        if (n->kind != AU_NAME_HAVOC || !au_bitset_has(&p->exec, n->a))
            continue;
        good = Z3_model_eval(b->z, m, b->terms.name.at[i], true, &v) != 0;
        if (good && n->width == 1)
            p->havoc[n->a] = Z3_get_bool_value(b->z, v) == Z3_L_TRUE;
        else if (good)
            good = Z3_get_numeral_uint64(b->z, v, &p->havoc[n->a]);
    }
    if (order.n)
        qsort(order.at, order.n, sizeof *order.at, by_clock);
    for (size_t i = 0; i < order.n; i++)
        au_vec_push(&p->order, order.at[i].event);
    au_vec_release(&order);
    Z3_model_dec_ref(b->z, m);
    return good;
}

static bool core_has(z3b *b, Z3_ast literal) {
    Z3_ast_vector core = Z3_solver_get_unsat_core(b->z, b->solver);
    Z3_ast_vector_inc_ref(b->z, core);
    bool found = false;
    for (unsigned i = 0; i < Z3_ast_vector_size(b->z, core); i++)
        found |= Z3_is_eq_ast(b->z, Z3_ast_vector_get(b->z, core, i), literal);
    Z3_ast_vector_dec_ref(b->z, core);
    return found;
}

/* Text of Z3's. Where a divisor is no 0 it has names of its own for divisions, as in bvsdiv_i. */
static void put_smt(au_out *out, const char *s) {
    static const char *const own[] = {"bvsdiv_i ", "bvudiv_i ", "bvsrem_i ", "bvurem_i "};
    for (const char *from = s;; s++) {
        bool found = false;
        for (size_t i = 0; i < sizeof own / sizeof *own && *s == 'b' && !found; i++)
            found = strncmp(s, own[i], strlen(own[i])) == 0;
        if (*s && !found)
            continue;
        size_t len = found ? strlen("bvsdiv") : 0;
        au_out_write(out, from, (size_t)(s - from) + len);
        if (!*s)
            return;
        s += len + 1; /* past "_i"; the loop steps over the second */
        from = s + 1;
    }
}

/* SMT-LIB 2 as any solver reads it. False: it could not be written. */
static bool dump(z3b *b, const Z3_ast *assumed, unsigned n, const char *path) {
    char *name = au_sprintf("%s.smt2", path);
    au_error err = AU_ERROR_NONE;
    au_out *out = au_out_open(name, &err);
    free(name);
    if (!out)
        return false;
    au_out_str(out, "(set-logic ALL)\n");
    put_smt(out, Z3_solver_to_string(b->z, b->solver));
    for (unsigned i = 0; i < n; i++) {
        au_out_str(out, "(assert ");
        put_smt(out, Z3_ast_to_string(b->z, assumed[i]));
        au_out_str(out, ")\n");
    }
    au_out_str(out, "(check-sat)\n");
    return au_out_commit(out, &err) == AU_OK;
}

static void set_timeout(z3b *b, double seconds) {
    Z3_params p = Z3_mk_params(b->z);
    Z3_params_inc_ref(b->z, p);
    double ms = seconds * 1000;
    unsigned most = ms <= 0 || ms > 4e9 ? UINT32_MAX : ms < 1 ? 1 : (unsigned)ms;
    Z3_params_set_uint(b->z, p, Z3_mk_string_symbol(b->z, "timeout"), most);
    Z3_solver_set_params(b->z, b->solver, p);
    Z3_params_dec_ref(b->z, p);
}

/* What to assume: the bound, if there is one, and last the property. How many. */
static unsigned prepare(z3b *b, au_term property, const au_ask *ask, Z3_ast *assumed) {
    unsigned n = 0;
    catch_up(b);
    if (ask->context_bound != AU_NONE) {
        make_bound(b, ask->context_bound);
        assumed[n++] = b->bound.literal;
    }
    Z3_ast asked = constant(b, 'q', b->fresh++, AU_NONE, b->truth);
    require(b, Z3_mk_implies(b->z, asked, au_z3_term(&b->terms, property)));
    assumed[n++] = asked;
    return n;
}

static au_answer decide(au_backend *base, au_term property, const au_ask *ask, au_prefix *p,
                        bool *bound_used) {
    z3b *b = (z3b *)base;
    Z3_ast assumed[2];
    unsigned n = prepare(b, property, ask, assumed);
    *bound_used = false;
    if (ask->dump && !dump(b, assumed, n, ask->dump))
        return AU_UNKNOWN;
    set_timeout(b, ask->seconds);
    if (!z3_ok(b))
        return AU_UNKNOWN;
    Z3_lbool answer = Z3_solver_check_assumptions(b->z, b->solver, n, assumed);
    au_answer a = AU_UNKNOWN;
    if (z3_ok(b) && answer == Z3_L_TRUE) {
        a = take_prefix(b, p) && z3_ok(b) ? AU_SAT : AU_UNKNOWN;
    } else if (z3_ok(b) && answer == Z3_L_FALSE) {
        *bound_used = n == 2 && core_has(b, b->bound.literal);
        a = AU_UNSAT;
    }
    if (!b->failed)
        require(b, Z3_mk_not(b->z, assumed[n - 1])); /* it is never asked again */
    return a;
}

static void free_backend(au_backend *base) {
    z3b *b = (z3b *)base;
    for (size_t i = 0; i < b->sees.n; i++)
        au_vec_release(&b->sees.at[i]);
    au_vec_release(&b->sees);
    au_vec_release(&b->terms.made);
    au_vec_release(&b->terms.name);
    au_vec_release(&b->terms.stack);
    free(b->clock);
    Z3_solver_dec_ref(b->z, b->solver);
    Z3_del_context(b->z);
    free(b);
}

au_backend *au_backend_z3(au_cssa *c) {
    z3b *b = AU_NEW(z3b);
    b->base = (au_backend){.name = "z3", .decide = decide, .free = free_backend};
    b->c = c;
    Z3_config config = Z3_mk_config();
    b->z = Z3_mk_context(config);
    Z3_del_config(config);
    Z3_set_error_handler(b->z, on_error);
    Z3_set_ast_print_mode(b->z, Z3_PRINT_SMTLIB2_COMPLIANT);
    b->solver = Z3_mk_simple_solver(b->z);
    Z3_solver_inc_ref(b->z, b->solver);
    b->truth = Z3_mk_bool_sort(b->z);
    b->integer = Z3_mk_int_sort(b->z);
    b->terms = (au_z3_terms){.z = b->z, .terms = c->terms};
    make_clocks(b);
    return &b->base;
}

bool au_z3_dump(au_cssa *c, au_term property, const au_ask *ask) {
    z3b *b = (z3b *)au_backend_z3(c);
    Z3_ast assumed[2];
    unsigned n = prepare(b, property, ask, assumed);
    bool good = z3_ok(b) && dump(b, assumed, n, ask->dump);
    free_backend(&b->base);
    return good;
}
