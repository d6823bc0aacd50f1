/* model/ctp_bracket.c: several statements as one step: [ … ], which is indivisible, and
 * step { … }, which is not and so has at most one shared access.
 *
 * Each statement sees what those before it assigned; assignments joined by ',' see the same
 * state. An assume in [ … ] waits; require stops the thread if it does not hold, as an
 * assume does elsewhere. */
#include "model/ctp_priv.h"

typedef AU_VEC(au_update) update_vec;

typedef struct {
    au_ctp_lower *w;
    update_vec update;     /* of variables assigned so far, each once */
    update_vec late;       /* … by statements joined by ',' up to now: not yet seen */
    AU_VEC(uint32_t) read; /* shared variables read before they are assigned, each once */
} bracket;

static unsigned bracket_width(void *ctx, const au_ctp_expr *e) {
    bracket *b = ctx;
    uint32_t v = au_ctp_resolve(b->w, e);
    return v == AU_NONE ? 0 : b->w->m->var.at[v].width;
}

static au_term bracket_name(void *ctx, const au_ctp_expr *e) {
    bracket *b = ctx;
    uint32_t v = au_ctp_resolve(b->w, e);
    if (v == AU_NONE)
        return (au_term){UINT32_MAX};
    for (size_t i = 0; i < b->update.n; i++)
        if (b->update.at[i].var == v)
            return b->update.at[i].value;
    bool known = !au_ctp_is_shared(b->w, v);
    for (size_t i = 0; i < b->read.n && !known; i++)
        known = b->read.at[i] == v;
    if (!known)
        au_vec_push(&b->read, v);
    return au_model_var_term(b->w->m, v);
}

static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}
static int by_variable(const void *a, const void *b) {
    uint32_t x = ((const au_update *)a)->var, y = ((const au_update *)b)->var;
    return (x > y) - (x < y);
}

/* One order for what has none: how it was written shall not matter. */
static void add_reads(bracket *b, au_step *p) {
    if (b->read.n > 1)
        qsort(b->read.at, b->read.n, sizeof *b->read.at, by_number);
    for (size_t i = 0; i < b->read.n; i++)
        au_step_add_access(b->w->m, p, b->read.at[i], false);
}

static void assign(update_vec *to, au_update u) {
    size_t i = 0;
    while (i < to->n && to->at[i].var != u.var)
        i++;
    if (i < to->n)
        to->at[i].value = u.value;
    else
        au_vec_push(to, u);
}

typedef struct {
    au_term guard, cond;
    bool waits, asserts, requires;
    uint32_t havoc;
} effect;

static bool add(bracket *b, const au_ctp_stmt *k, bool square, effect *f) {
    au_ctp_lower *w = b->w;
    au_terms *t = w->m->terms;
    au_ctp_view view = {bracket_width, bracket_name, b};
    au_term value = {UINT32_MAX};
    uint32_t target = AU_NONE;
    if (k->name != AU_NONE &&
        (target = au_ctp_variable(w, k->name, k->name_off, "assigned")) == AU_NONE)
        return false;
    if (k->expr && !au_ctp_value(w, k, target, &view, &value))
        return false;
    const char *form = square ? "[ ... ]" : "step { ... }";
    if ((k->kind == CTP_ASSUME && f->asserts) || (k->kind == CTP_ASSERT && f->waits))
        return au_ctp_fail(&w->ast->lex, k->off, "'assume' and 'assert' cannot stand in one '%s'",
                           form);
    if ((k->kind == CTP_ASSUME && f->requires) || (k->kind == CTP_REQUIRE && f->waits))
        return au_ctp_fail(&w->ast->lex, k->off, "'assume' and 'require' cannot stand in one '%s'",
                           form);
    switch (k->kind) {
    case CTP_ASSUME:
    case CTP_REQUIRE:
        f->guard = au_term_and(t, f->guard, value);
        *(k->kind == CTP_ASSUME ? &f->waits : &f->requires) = true;
        break;
    case CTP_ASSERT:
        f->cond = au_term_and(t, f->cond, value);
        f->asserts = true;
        break;
    case CTP_HAVOC:
        f->havoc = target;
        break;
    case CTP_SET:
        assign(&b->late, (au_update){target, value});
        if (k->at_once)
            break;
        for (size_t i = 0; i < b->late.n; i++)
            assign(&b->update, b->late.at[i]);
        au_vec_clear(&b->late);
        break;
    default:
        break;
    }
    return true;
}

static void make(bracket *b, const effect *f, bool square, uint32_t src, uint32_t dst) {
    au_model *m = b->w->m;
    if (b->update.n > 1)
        qsort(b->update.at, b->update.n, sizeof *b->update.at, by_variable);
    /* with an assume it is the assume that says what the step is: it may wait */
    au_step_kind kind = f->waits              ? AU_STEP_ASSUME
                        : f->asserts          ? AU_STEP_ASSERT
                        : b->update.n         ? AU_STEP_ASSIGN
                        : f->havoc != AU_NONE ? AU_STEP_HAVOC
                        : f->requires         ? AU_STEP_ASSUME
                                              : AU_STEP_NOP;
    au_step *p = au_model_add_step(m, b->w->thread, src, dst, kind);
    p->indivisible = square;
    p->blocking = square && f->waits;
    p->guard = f->guard;
    p->cond = f->cond;
    p->havoc = f->havoc;
    add_reads(b, p);
    for (size_t i = 0; i < b->update.n; i++) {
        au_step_add_update(m, p, b->update.at[i].var, b->update.at[i].value);
        if (au_ctp_is_shared(b->w, b->update.at[i].var))
            au_step_add_access(m, p, b->update.at[i].var, true);
    }
    if (f->havoc != AU_NONE && au_ctp_is_shared(b->w, f->havoc))
        au_step_add_access(m, p, f->havoc, true);
}

/* The order that s was written with, to its step p. One that a form has anyway is none. */
static bool set_order(au_ctp_lower *w, const au_ctp_stmt *s, au_step *p) {
    au_ctp_lex *x = &w->ast->lex;
    const char *name = au_memory_order_name(s->order);
    bool reads = false, writes = false;
    if (s->order == AU_MO_NONE || s->order == AU_MO_SC)
        return true;
    if (!p->n_accesses)
        return au_ctp_fail(x, s->order_off,
                           "'%s' says how a shared variable is accessed, and there is none here",
                           name);
    for (uint32_t i = 0; i < p->n_accesses; i++) {
        *(p->access[i].write ? &writes : &reads) = true;
        if (p->access[i].var != p->access[0].var)
            return au_ctp_fail(x, s->order_off,
                               "a step with a memory order accesses one variable, not '%.60s' and "
                               "'%.60s'",
                               w->m->var.at[p->access[0].var].name,
                               w->m->var.at[p->access[i].var].name);
    }
    if (!writes && (s->order == AU_MO_REL || s->order == AU_MO_ACQ_REL))
        return au_ctp_fail(x, s->order_off, "a read is 'rlx', 'acq' or 'sc', not '%s'", name);
    if (!reads && (s->order == AU_MO_ACQ || s->order == AU_MO_ACQ_REL))
        return au_ctp_fail(x, s->order_off, "a write is 'rlx', 'rel' or 'sc', not '%s'", name);
    p->order = s->order;
    return true;
}

bool au_ctp_bracket(au_ctp_lower *w, const au_ctp_stmt *s, uint32_t src, uint32_t dst) {
    bracket b = {.w = w};
    bool ok = true, square = s->kind == CTP_LBRACK;
    au_term yes = au_term_bool(w->m->terms, true);
    effect f = {.guard = yes, .cond = yes, .havoc = AU_NONE};
    for (const au_ctp_stmt *k = s->body; k && ok; k = k->next)
        ok = add(&b, k, square, &f);
    if (ok && !square) {
        size_t accesses = b.read.n + (f.havoc != AU_NONE && au_ctp_is_shared(w, f.havoc));
        for (size_t i = 0; i < b.update.n; i++)
            accesses += au_ctp_is_shared(w, b.update.at[i].var);
        if (accesses > 1)
            ok = au_ctp_fail(&w->ast->lex, s->off,
                             "'step { ... }' has one shared access: with more it is '[ ... ]'");
    }
    if (ok) {
        make(&b, &f, square, src, dst);
        ok = set_order(w, s, &au_vec_last(&w->m->step));
    }
    au_vec_release(&b.update);
    au_vec_release(&b.late);
    au_vec_release(&b.read);
    return ok;
}

bool au_ctp_whole_branch(au_ctp_lower *w, const au_ctp_stmt *s, uint32_t src, uint32_t yes,
                         uint32_t no) {
    au_model *m = w->m;
    bracket b = {.w = w};
    au_ctp_view view = {bracket_width, bracket_name, &b};
    au_term cond;
    bool ok = au_ctp_value(w, s, AU_NONE, &view, &cond);
    for (int side = 0; side < 2 && ok; side++) {
        au_step *p = au_model_add_step(m, w->thread, src, side ? no : yes, AU_STEP_BRANCH);
        p->guard = side ? au_term_not(m->terms, cond) : cond;
        p->indivisible = true;
        add_reads(&b, p);
        ok = set_order(w, s, p);
    }
    au_vec_release(&b.read);
    return ok;
}
