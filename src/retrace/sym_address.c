/* retrace/sym_address.c: accesses through pointers that depend on symbolic reads.
 *
 * Such an access goes where it went in the run, or, if what the pointer was read as is
 * known to have had other values, to one of few other variables (a case split); a fact says
 * which addresses these are, and in every other run the thread stops before.
 *
 * A candidate address stands for the variable that lies there now. That is right only if the
 * memory is still, or already, the same object as when the pointer was stored: so the variable
 * must have been there then and now (its first and last event in the trace enclose both), or
 * the address lies in the object that the access went to in the run. */
#include "base/limits.h"
#include "retrace/sym_priv.h"

enum { CONE = 64, LOOK = 48 };
static const char why_address[] = "an address";

/* ---- what was stored where -------------------------------------------------------------- */

static bool writes(uint8_t op) {
    return op == AU_OP_WRITE || op == AU_OP_AWRITE || op == AU_OP_RMW;
}

void au_sym_index(au_sym *s) {
    if (s->first_of)
        return;
    const au_columns *e = &s->into->trace->events;
    size_t vars = s->into->trace->names.var.n;
    s->first_of = au_alloc_array(vars + 1, sizeof *s->first_of);
    s->born = au_alloc_array(vars + 1, sizeof *s->born);
    s->end = au_alloc_array(vars + 1, sizeof *s->end);
    for (size_t v = 0; v < vars; v++)
        s->born[v] = s->end[v] = AU_NONE;
    for (size_t i = 0; i < e->n; i++) {
        if (!au_op_is_access(e->op[i]))
            continue;
        uint32_t v = e->obj[i];
        if (s->born[v] == AU_NONE)
            s->born[v] = (uint32_t)i;
        s->end[v] = (uint32_t)i;
        if (writes(e->op[i]) && e->any_value && e->has_value[i])
            s->first_of[v + 1]++;
    }
    for (size_t v = 0; v < vars; v++)
        s->first_of[v + 1] += s->first_of[v];
    s->writes = au_alloc_array(s->first_of[vars] + 1, sizeof *s->writes);
    uint32_t *next = au_alloc_array(vars + 1, sizeof *next);
    memcpy(next, s->first_of, vars * sizeof *next);
    for (size_t i = 0; i < e->n; i++)
        if (writes(e->op[i]) && e->any_value && e->has_value[i])
            s->writes[next[e->obj[i]]++] = (uint32_t)i;
    free(next);
}

/* ---- the one read that an address depends on ----------------------------------------------- */

typedef struct {
    uint32_t node[CONE]; /* composed terms, in the order of their numbers */
    uint64_t kept[CONE];
    unsigned n;
    uint32_t var; /* the term of the read */
} cone;

static bool add_to_cone(const au_sym *s, cone *c, uint32_t x) {
    au_term t = {x};
    if (au_term_is_const(s->t, t))
        return true;
    if (au_term_kind(s->t, t) == AU_T_VAR) {
        if (c->var != AU_NONE && c->var != x)
            return false;
        c->var = x;
        return true;
    }
    unsigned i = c->n;
    while (i > 0 && c->node[i - 1] > x)
        i--;
    if (i > 0 && c->node[i - 1] == x)
        return true;
    if (c->n == CONE)
        return false;
    memmove(&c->node[i + 1], &c->node[i], (c->n - i) * sizeof c->node[0]);
    c->node[i] = x;
    c->n++;
    for (unsigned k = 0; k < au_term_kids(s->t, t); k++)
        if (!add_to_cone(s, c, au_term_kid(s->t, t, k).n))
            return false;
    return true;
}

/* What the address would be if the read had seen v. */
static uint64_t address_if(au_sym *s, cone *c, au_term address, uint64_t v) {
    uint64_t kept = s->value.at[c->var], r;
    s->value.at[c->var] = v;
    for (unsigned i = 0; i < c->n; i++) {
        c->kept[i] = s->value.at[c->node[i]];
        s->value.at[c->node[i]] = au_term_worth(s->t, (au_term){c->node[i]}, s->value.at);
    }
    r = s->value.at[address.n];
    for (unsigned i = 0; i < c->n; i++)
        s->value.at[c->node[i]] = c->kept[i];
    s->value.at[c->var] = kept;
    return r;
}

/* ---- candidates ------------------------------------------------------------------------------ */

typedef struct {
    uint64_t value;
    uint32_t when; /* event that stored it, AU_NONE: it was there from the start */
} candidate;
typedef struct {
    candidate at[AU_LIMIT_RETRACE_ADDRESSES];
    unsigned n;
    bool more; /* than there is room for */
} candidates;

static void offer(candidates *c, uint64_t value, uint32_t when, uint64_t seen) {
    if (value == seen)
        return;
    for (unsigned i = 0; i < c->n; i++)
        if (c->at[i].value == value)
            return;
    if (c->n == AU_LIMIT_RETRACE_ADDRESSES) {
        c->more = true;
        return;
    }
    c->at[c->n++] = (candidate){value, when};
}

/* Values that the variable of read e had, those stored close to it first. */
static void find_candidates(au_sym *s, uint32_t e, unsigned width, uint64_t seen, candidates *c) {
    au_sym_index(s);
    const au_columns *ev = &s->into->trace->events;
    uint32_t v = ev->obj[e], low = s->first_of[v], high = s->first_of[v + 1], mid = low;
    uint64_t mask = au_mask(width);
    for (uint32_t top = high; mid < top;) {
        uint32_t half = mid + (top - mid) / 2;
        if (s->writes[half] < e)
            mid = half + 1;
        else
            top = half;
    }
    uint32_t back = mid, on = mid;
    for (unsigned i = 0; i < LOOK && (back > low || on < high); i++) {
        bool earlier = on == high || (back > low && e - s->writes[back - 1] <= s->writes[on] - e);
        uint32_t w = earlier ? s->writes[--back] : s->writes[on++];
        offer(c, (uint64_t)ev->value[w] & mask, w, seen);
    }
    uint32_t first = s->born[v];
    if (au_bitset_has(&s->into->init_known, v))
        offer(c, s->into->init[v] & mask, AU_NONE, seen);
    else if (first != AU_NONE && !writes(ev->op[first]) && ev->has_value[first])
        offer(c, (uint64_t)ev->value[first] & mask, AU_NONE, seen);
}

static bool is_allowed(const au_sym *s, uint32_t e, uint64_t v) {
    const uint64_t *k = au_map_find(&s->may_be, e);
    if (!k)
        return true;
    const au_sym_values *set = &s->values.at[*k - 1];
    for (size_t i = 0; i < set->n; i++)
        if (set->at[i] == v)
            return true;
    return false;
}

static bool same_object(const au_sym *s, uint64_t a, uint64_t b, uint64_t n) {
    uint64_t start, size;
    bool freed;
    return s->world.object(s->world.of, a, &start, &size, &freed) && a - start < size &&
           b - start < size && n <= size - (b - start);
}

/* Is what lies at the candidate now what it pointed to when it was stored? */
static bool is_same_life(const au_sym *s, uint32_t var, uint32_t stored, uint32_t now) {
    if (stored == AU_NONE) /* only variables that live as long as the program are told so */
        return true;
    return stored <= now ? s->born[var] != AU_NONE && s->born[var] <= stored
                         : s->end[var] != AU_NONE && s->end[var] >= stored;
}

static bool split(au_sym *s, au_term address, uint64_t at, const au_part *part, bool write) {
    cone c = {.var = AU_NONE};
    if (!add_to_cone(s, &c, address.n) || c.var == AU_NONE)
        return false;
    uint32_t e = au_term_var(s->t, (au_term){c.var});
    unsigned width = au_term_width(s->t, (au_term){c.var});
    uint64_t seen = s->value.at[c.var];
    candidates some = {.n = 0};
    find_candidates(s, e, width, seen, &some);
    if (some.more)
        au_limit_reached(AU_AT_RETRACE_ADDRESSES, 1);
    au_sym_values kept = {0};
    struct {
        uint64_t address;
        uint32_t var;
    } other[AU_LIMIT_RETRACE_ADDRESSES];
    unsigned n = 0;
    for (unsigned i = 0; i < some.n; i++) {
        uint64_t v = some.at[i].value, a;
        if (!is_allowed(s, e, v))
            continue;
        a = address_if(s, &c, address, v);
        bool there = a == at;
        for (unsigned k = 0; k < n && !there; k++)
            there = other[k].address == a;
        if (!there && n < s->split) {
            au_part p[2];
            there = s->world.parts(s->world.of, a, part->n, p, 2) == 1 && p[0].at == a &&
                    p[0].n == part->n && p[0].var != part->var &&
                    (same_object(s, at, a, part->n) ||
                     is_same_life(s, p[0].var, some.at[i].when, part->event));
            if (there) {
                other[n].address = a;
                other[n++].var = p[0].var;
            }
        }
        if (there)
            au_vec_push(&kept, v);
    }
    if (!n) {
        au_vec_release(&kept);
        return false;
    }
    au_vec_push(&kept, seen);
    bool fresh;
    uint64_t *k = au_map_put(&s->may_be, e, &fresh);
    if (fresh) {
        au_vec_push(&s->values, kept);
        *k = s->values.n;
    } else {
        au_vec_release(&s->values.at[*k - 1]);
        s->values.at[*k - 1] = kept;
    }
    au_term any = au_term_eq(s->t, address, au_term_const(s->t, 64, at));
    for (unsigned i = 0; i < n; i++) {
        au_term when = au_term_eq(s->t, address, au_term_const(s->t, 64, other[i].address));
        au_vec_push(&s->into->elsewhere, ((au_elsewhere){part->event, when, other[i].var}));
        any = au_term_or(s->t, any, when);
    }
    au_sym_fact(s, AU_FACT_PIN, any, "an address is one of few");
    /* What is written may go to any of them: whoever reads one of them may see it. */
    if (write) {
        au_bitset_add(&s->open, part->var);
        for (unsigned i = 0; i < n; i++)
            au_bitset_add(&s->open, other[i].var);
    }
    return true;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static void check(au_sym *s, au_val address, au_term x, uint64_t n) {
    const uint64_t *base = au_map_find(&s->base, address.m);
    if (s->checks & AU_CHECK_NULL && !base && address.v >= 4096)
        au_sym_fact(s, AU_FACT_ASSERT,
                    au_term_make(s->t, AU_T_ULE, au_term_const(s->t, 64, 4096), x), "null pointer");
    uint64_t start, size;
    bool freed;
    if (!(s->checks & AU_CHECK_BOUNDS) || !base || !s->world.object ||
        !s->world.object(s->world.of, *base, &start, &size, &freed))
        return;
    if (n > size || address.v - start > size - n) /* the run itself left it: not what we think */
        return;
    au_term off = au_term_make(s->t, AU_T_SUB, x, au_term_const(s->t, 64, start));
    au_sym_fact(s, AU_FACT_ASSERT,
                au_term_make(s->t, AU_T_ULE, off, au_term_const(s->t, 64, size - n)),
                "index outside its object");
}

bool au_sym_address(au_sym *s, au_val address, uint64_t n, const au_part *part, size_t n_parts,
                    bool write) {
    if (!au_sym_is(s, address))
        return false;
    au_term x = au_sym_term_of(s, address, 64);
    if (s->checks)
        check(s, address, x, n);
    if (!au_sym_is(s, address)) /* a check has said it all */
        return false;
    if (s->split && s->world.parts && n_parts == 1 && part->n == n && n <= 8 &&
        split(s, x, address.v, part, write))
        return true;
    au_sym_pin(s, address, 64, why_address);
    return false;
}
