/* model/ctp_lower.c: statements become steps.
 *
 * A statement with at most one shared access is one step. One with more is split:
 * each read, from left to right, into a temporary of its own, then the rest on the
 * temporaries. An access counts although the term that made it folds away: 'a :=
 * x * 0' reads x. The i-th read of every split statement of a thread uses the same
 * temporary, which is dead between statements. Asserts have theirs among themselves,
 * so that a read which only an assert looks at can be told from others (the maximal
 * causal model leaves it free), and the condition of a loop that is kept has its
 * own, so that the printer can put it back.
 *
 * Every function takes the node before and the node after (AU_NONE: make one) and
 * returns the node after; AU_NONE says that the error is set. */
#include "model/ctp_priv.h"
#include "model/sync.h"

#include <stdio.h>

#define FAIL(w, off, ...) (au_ctp_fail(&(w)->ast->lex, (off), __VA_ARGS__), AU_NONE)
#define NAME(w, id) AU_CTP_NAME(&(w)->ast->lex, (id))

static uint32_t new_node(au_ctp_lower *w) {
    return au_model_add_node(w->m, w->thread);
}

/* ---- names ---- */

/* The variable a name stands for in the current thread; AU_NONE: error set. */
static uint32_t variable(au_ctp_lower *w, uint32_t name, uint32_t off, const char *use) {
    const au_ctp_symbol *s = &w->symbol.at[name];
    if (s->kind == AU_CTP_VARIABLE)
        return s->index;
    if (s->kind == AU_CTP_OBJECT)
        return FAIL(w, off, "'%.*s' is a %s and cannot be %s", NAME(w, name),
                    au_obj_kind_name(w->m->obj.at[s->index].kind), use);
    if (s->local_of == w->thread)
        return s->local;
    return FAIL(w, off, "unknown name '%.*s': neither shared nor assigned in this thread",
                NAME(w, name));
}

static bool is_shared(const au_ctp_lower *w, uint32_t var) {
    return w->m->var.at[var].kind == AU_VAR_SHARED;
}

/* An object of one of the kinds in 'allowed' (bits); AU_NONE: error set. */
static uint32_t object(au_ctp_lower *w, uint32_t name, uint32_t off, unsigned allowed,
                       const char *want, const char *statement) {
    const au_ctp_symbol *s = &w->symbol.at[name];
    if (s->kind == AU_CTP_OBJECT) {
        au_obj_kind k = w->m->obj.at[s->index].kind;
        if (allowed & 1u << k)
            return s->index;
        if (k == AU_OBJ_RWLOCK && strcmp(statement, "acq") == 0)
            return FAIL(w, off, "'%.*s' is a rwlock: take it with rdacq or wracq", NAME(w, name));
        if (allowed == 1u << AU_OBJ_RWLOCK && (k == AU_OBJ_LOCK || k == AU_OBJ_RLOCK))
            return FAIL(w, off, "'%.*s' is a %s: take it with acq", NAME(w, name),
                        au_obj_kind_name(k));
        return FAIL(w, off, "'%s' needs a %s, '%.*s' is a %s", statement, want, NAME(w, name),
                    au_obj_kind_name(k));
    }
    if (s->kind == AU_CTP_VARIABLE)
        return FAIL(w, off, "'%s' needs a %s, '%.*s' is a shared variable", statement, want,
                    NAME(w, name));
    return FAIL(w, off, "unknown %s '%.*s'", want, NAME(w, name));
}

static uint32_t new_temp(au_ctp_lower *w) {
    char name[16];
    int len;
    do
        len = snprintf(name, sizeof name, "_%u", ++w->next_temp);
    while (au_intern_find(&w->ast->lex.names, name, (size_t)len) != AU_NO_ID);
    return au_model_add_var(w->m, name, AU_VAR_LOCAL, 32, 0, w->thread);
}

/* ---- building steps ---- */

/* Says of the steps from 'first' on that they are this statement. */
static void mark(au_ctp_lower *w, uint32_t first, const au_ctp_stmt *s) {
    au_model *m = w->m;
    uint32_t line, col, label = AU_NONE;
    au_ctp_where(&w->ast->lex, s->off, &line, &col);
    const au_ctp_stmt *named = s;
    for (uint32_t a = w->atomic; named->label == AU_NONE && a != AU_NONE; a = w->atomics.at[a].up)
        named = w->atomics.at[a].stmt;
    if (named->label != AU_NONE) {
        const au_intern *names = &w->ast->lex.names;
        label = au_intern_add(&m->strings, au_intern_str(names, named->label),
                              au_intern_len(names, named->label));
    }
    au_ctp_origins *o = &w->origin.at[w->thread];
    for (uint32_t i = first; i < m->step.n; i++) {
        au_step *p = &m->step.at[i];
        p->line = line;
        p->col = col;
        p->label = label;
        p->block = w->block;
        while (o->n <= p->src)
            au_vec_push(o, ((au_ctp_origin){NULL, 0, AU_NONE}));
        o->at[p->src] = (au_ctp_origin){s, w->instances, w->atomic};
    }
}

typedef struct {
    au_ctp_lower *w;
    const uint32_t *temp; /* of each read if the statement is split, else NULL */
    uint32_t next;        /* read */
    bool bad;
} scope;

static bool collect(void *ctx, const au_ctp_expr *e) {
    au_ctp_lower *w = ctx;
    uint32_t v = variable(w, e->value, e->off, "read");
    if (v == AU_NONE)
        return false;
    if (is_shared(w, v))
        au_vec_push(&w->reads, v);
    return true;
}

static au_term name_term(void *ctx, const au_ctp_expr *e) {
    scope *c = ctx;
    uint32_t v = variable(c->w, e->value, e->off, "read");
    if (v != AU_NONE && is_shared(c->w, v) && c->temp)
        v = c->temp[c->next++];
    return v == AU_NONE ? (au_term){UINT32_MAX} : au_model_var_term(c->w->m, v);
}

/* Collects the reads of e (may be NULL). If they and the 'writes' of the statement
 * are more than one access: emits the reads, moves *src behind them and says in *c
 * where they are. */
static bool split(au_ctp_lower *w, const au_ctp_stmt *s, const au_ctp_expr *e, unsigned writes,
                  au_ctp_ids *temps, uint32_t *src, scope *c) {
    au_model *m = w->m;
    *c = (scope){.w = w};
    au_vec_clear(&w->reads);
    if (e && !au_ctp_each_name(e, collect, w))
        return false;
    if (w->reads.n + writes <= 1)
        return true;
    if (temps == &w->own)
        au_vec_clear(temps);
    for (size_t i = 0; i < w->reads.n; i++) {
        if (i == temps->n) {
            uint32_t fresh = new_temp(w);
            au_vec_push(temps, fresh);
        }
        uint32_t dst = new_node(w);
        uint32_t id = (uint32_t)m->step.n;
        au_step *p = au_model_add_step(m, w->thread, *src, dst, AU_STEP_ASSIGN);
        au_step_add_update(m, p, temps->at[i], au_model_var_term(m, w->reads.at[i]));
        au_step_add_access(m, p, w->reads.at[i], false);
        mark(w, id, s);
        *src = dst;
    }
    c->temp = w->reads.n ? temps->at : NULL;
    return true;
}

/* The access of a statement that was not split. */
static void add_read(au_ctp_lower *w, const scope *c, au_step *p) {
    if (!c->temp && w->reads.n == 1)
        au_step_add_access(w->m, p, w->reads.at[0], false);
}

static uint32_t simple(au_ctp_lower *w, const au_ctp_stmt *s, uint32_t src, uint32_t dst) {
    au_model *m = w->m;
    uint32_t target = AU_NONE;
    if (s->kind == CTP_SET || s->kind == CTP_HAVOC) {
        target = variable(w, s->name, s->name_off, "assigned");
        if (target == AU_NONE)
            return AU_NONE;
    }
    bool writes = target != AU_NONE && is_shared(w, target);
    scope c;
    au_term value = {UINT32_MAX};
    au_ctp_ids *temps = s->kind == CTP_ASSERT ? &w->asserted : &w->temp;
    if (!split(w, s, s->expr, writes, temps, &src, &c))
        return AU_NONE;
    if (s->expr && !au_ctp_build(m->terms, s->expr, s->kind != CTP_SET, name_term, &c, &value))
        return AU_NONE;
    if (dst == AU_NONE)
        dst = new_node(w);
    au_step_kind kind = s->kind == CTP_SET      ? AU_STEP_ASSIGN
                        : s->kind == CTP_ASSUME ? AU_STEP_ASSUME
                        : s->kind == CTP_ASSERT ? AU_STEP_ASSERT
                        : s->kind == CTP_HAVOC  ? AU_STEP_HAVOC
                                                : AU_STEP_NOP;
    uint32_t id = (uint32_t)m->step.n;
    au_step *p = au_model_add_step(m, w->thread, src, dst, kind);
    if (kind == AU_STEP_ASSIGN)
        au_step_add_update(m, p, target, value);
    else if (kind == AU_STEP_ASSUME)
        p->guard = value;
    else if (kind == AU_STEP_ASSERT)
        p->cond = value;
    else if (kind == AU_STEP_HAVOC)
        p->havoc = target;
    add_read(w, &c, p);
    if (writes)
        au_step_add_access(m, p, target, true);
    mark(w, id, s);
    return dst;
}

/* ---- [ … ]: one step of several statements ---- */

typedef struct {
    au_ctp_lower *w;
    AU_VEC(au_update) update; /* of variables assigned so far, each once */
    AU_VEC(uint32_t) read;    /* shared variables read before they are assigned, each once */
} bracket;

static au_term bracket_name(void *ctx, const au_ctp_expr *e) {
    bracket *b = ctx;
    uint32_t v = variable(b->w, e->value, e->off, "read");
    if (v == AU_NONE)
        return (au_term){UINT32_MAX};
    for (size_t i = 0; i < b->update.n; i++)
        if (b->update.at[i].var == v)
            return b->update.at[i].value;
    bool known = !is_shared(b->w, v);
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

static uint32_t brackets(au_ctp_lower *w, const au_ctp_stmt *s, uint32_t src, uint32_t dst) {
    au_model *m = w->m;
    bracket b = {.w = w};
    au_term guard = au_term_bool(m->terms, true), cond = guard;
    bool waits = false, asserts = false;
    uint32_t havoc = AU_NONE;
    bool ok = true;
    for (const au_ctp_stmt *k = s->body; k && ok; k = k->next) {
        au_term value = {UINT32_MAX};
        uint32_t target = AU_NONE;
        if (k->name != AU_NONE)
            ok = (target = variable(w, k->name, k->name_off, "assigned")) != AU_NONE;
        if (ok && k->expr)
            ok = au_ctp_build(m->terms, k->expr, k->kind != CTP_SET, bracket_name, &b, &value);
        if (!ok)
            break;
        if ((k->kind == CTP_ASSUME && asserts) || (k->kind == CTP_ASSERT && waits)) {
            ok = au_ctp_fail(&w->ast->lex, k->off,
                             "'assume' and 'assert' cannot stand in one '[ ... ]'");
        } else if (k->kind == CTP_ASSUME) {
            guard = au_term_and(m->terms, guard, value);
            waits = true;
        } else if (k->kind == CTP_ASSERT) {
            cond = au_term_and(m->terms, cond, value);
            asserts = true;
        } else if (k->kind == CTP_HAVOC) {
            havoc = target;
        } else if (k->kind == CTP_SET) {
            size_t i = 0;
            while (i < b.update.n && b.update.at[i].var != target)
                i++;
            if (i < b.update.n)
                b.update.at[i].value = value;
            else
                au_vec_push(&b.update, ((au_update){target, value}));
        }
    }
    if (ok) {
        /* one order for what has none: how it was written shall not matter */
        if (b.read.n > 1)
            qsort(b.read.at, b.read.n, sizeof *b.read.at, by_number);
        if (b.update.n > 1)
            qsort(b.update.at, b.update.n, sizeof *b.update.at, by_variable);
        if (dst == AU_NONE)
            dst = new_node(w);
        /* with an assume it is the assume that says what the step is: it may wait */
        au_step_kind kind = waits              ? AU_STEP_ASSUME
                            : asserts          ? AU_STEP_ASSERT
                            : b.update.n       ? AU_STEP_ASSIGN
                            : havoc != AU_NONE ? AU_STEP_HAVOC
                                               : AU_STEP_NOP;
        uint32_t id = (uint32_t)m->step.n;
        au_step *p = au_model_add_step(m, w->thread, src, dst, kind);
        p->indivisible = true;
        p->blocking = waits;
        p->guard = guard;
        p->cond = cond;
        p->havoc = havoc;
        for (size_t i = 0; i < b.read.n; i++)
            au_step_add_access(m, p, b.read.at[i], false);
        for (size_t i = 0; i < b.update.n; i++) {
            au_step_add_update(m, p, b.update.at[i].var, b.update.at[i].value);
            if (is_shared(w, b.update.at[i].var))
                au_step_add_access(m, p, b.update.at[i].var, true);
        }
        if (havoc != AU_NONE && is_shared(w, havoc))
            au_step_add_access(m, p, havoc, true);
        mark(w, id, s);
    }
    au_vec_release(&b.update);
    au_vec_release(&b.read);
    return ok ? dst : AU_NONE;
}

/* ---- synchronisation ---- */

#define KIND(k) (1u << AU_OBJ_##k)
#define TAKEN_BY_ACQ (KIND(LOCK) | KIND(RLOCK) | KIND(SEM))

static uint32_t synchronise(au_ctp_lower *w, const au_ctp_stmt *s, uint32_t src, uint32_t dst) {
    au_model *m = w->m;
    uint32_t t = w->thread, o, l = AU_NONE;
    if (s->kind == CTP_FORK || s->kind == CTP_JOIN) {
        o = w->symbol.at[s->name].thread;
        if (o == AU_NONE)
            return FAIL(w, s->name_off, "unknown thread '%.*s'", NAME(w, s->name));
        if (o == t && s->kind == CTP_FORK)
            return FAIL(w, s->name_off, "thread '%.*s' forks itself", NAME(w, s->name));
    } else if (s->kind == CTP_ACQ) {
        o = object(w, s->name, s->name_off, TAKEN_BY_ACQ, "lock", "acq");
    } else if (s->kind == CTP_REL) {
        o = object(w, s->name, s->name_off, TAKEN_BY_ACQ | KIND(RWLOCK), "lock", "rel");
    } else if (s->kind == CTP_RDACQ || s->kind == CTP_WRACQ) {
        o = object(w, s->name, s->name_off, KIND(RWLOCK), "rwlock",
                   s->kind == CTP_RDACQ ? "rdacq" : "wracq");
    } else if (s->kind == CTP_WAIT) {
        o = object(w, s->name, s->name_off, KIND(COND), "cond", "wait");
        if (o != AU_NONE)
            l = object(w, s->name2, s->name2_off, TAKEN_BY_ACQ, "lock", "wait");
    } else if (s->kind == CTP_ARRIVE) {
        o = object(w, s->name, s->name_off, KIND(BARRIER), "barrier", "arrive");
    } else {
        o = object(w, s->name, s->name_off, KIND(COND), "cond",
                   s->kind == CTP_SIGNAL ? "signal" : "broadcast");
    }
    if (w->ast->lex.failed)
        return AU_NONE;
    if (dst == AU_NONE)
        dst = new_node(w);
    uint32_t id = (uint32_t)m->step.n;
    switch (s->kind) {
    case CTP_ACQ:
        au_sync_acq(m, t, src, dst, o);
        break;
    case CTP_REL:
        au_sync_rel(m, t, src, dst, o);
        break;
    case CTP_RDACQ:
        au_sync_rdacq(m, t, src, dst, o);
        break;
    case CTP_WRACQ:
        au_sync_wracq(m, t, src, dst, o);
        break;
    case CTP_WAIT:
        au_sync_wait(m, t, src, dst, o, l);
        break;
    case CTP_SIGNAL:
    case CTP_BROADCAST:
        au_sync_signal(m, t, src, dst, o, s->kind == CTP_BROADCAST);
        break;
    case CTP_ARRIVE:
        au_sync_arrive(m, t, src, dst, o);
        break;
    case CTP_FORK:
        au_sync_fork(m, t, src, dst, o);
        break;
    default:
        au_sync_join(m, t, src, dst, o);
        break;
    }
    mark(w, id, s);
    return dst;
}

/* ---- control ---- */

static uint32_t list(au_ctp_lower *w, const au_ctp_stmt *s, uint32_t src, uint32_t dst);

static const au_ctp_stmt *skip_empty(const au_ctp_stmt *s) {
    while (s && s->empty)
        s = s->next;
    return s;
}

/* The two sides of a condition, from 'src' to 'yes' and 'no'. */
static bool branch(au_ctp_lower *w, const au_ctp_stmt *s, scope *c, uint32_t src, uint32_t yes,
                   uint32_t no) {
    au_model *m = w->m;
    au_term cond;
    if (!au_ctp_build(m->terms, s->expr, true, name_term, c, &cond))
        return false;
    for (int side = 0; side < 2; side++) {
        uint32_t id = (uint32_t)m->step.n;
        au_step *p = au_model_add_step(m, w->thread, src, side ? no : yes, AU_STEP_BRANCH);
        p->guard = side ? au_term_not(m->terms, cond) : cond;
        add_read(w, c, p);
        mark(w, id, s);
    }
    return true;
}

static void shape(au_ctp_lower *w, uint32_t node, au_node_kind kind, uint32_t merge) {
    au_node *n = &w->m->thread.at[w->thread].node.at[node];
    n->kind = kind;
    n->merge = merge;
}

static uint32_t if_else(au_ctp_lower *w, const au_ctp_stmt *s, uint32_t src, uint32_t dst) {
    scope c;
    if (!split(w, s, s->expr, 0, &w->temp, &src, &c))
        return AU_NONE;
    if (dst == AU_NONE)
        dst = new_node(w);
    const au_ctp_stmt *body[2] = {skip_empty(s->body), skip_empty(s->other)};
    uint32_t to[2];
    for (int i = 0; i < 2; i++)
        to[i] = body[i] ? new_node(w) : dst;
    if (!branch(w, s, &c, src, to[0], to[1]))
        return AU_NONE;
    shape(w, src, AU_NODE_IF, dst);
    for (int i = 0; i < 2; i++)
        if (body[i] && list(w, body[i], to[i], dst) == AU_NONE)
            return AU_NONE;
    return dst;
}

/* A loop that is kept: the condition's reads belong to it, so they stand at its head. */
static uint32_t loop(au_ctp_lower *w, const au_ctp_stmt *s, uint32_t src, uint32_t dst) {
    uint32_t head = src;
    scope c;
    if (!split(w, s, s->expr, 0, &w->own, &src, &c))
        return AU_NONE;
    if (dst == AU_NONE)
        dst = new_node(w);
    const au_ctp_stmt *body = skip_empty(s->body);
    uint32_t to = body ? new_node(w) : head;
    if (!branch(w, s, &c, src, to, dst))
        return AU_NONE;
    shape(w, head, AU_NODE_LOOP, dst);
    w->m->has_loops = true;
    if (body && list(w, body, to, head) == AU_NONE)
        return AU_NONE;
    return dst;
}

static uint32_t too_many(au_ctp_lower *w, const au_ctp_stmt *s) {
    if (w->unroll == 0 || w->unroll == AU_NONE)
        return FAIL(w, s->off, "more than %u steps", w->max_steps);
    return FAIL(w, s->off, "more than %u steps with --unroll %u", w->max_steps, w->unroll);
}

/* if (c) { body if (c) { body … assume !c } }: all copies leave to the same node. */
static uint32_t unrolled(au_ctp_lower *w, const au_ctp_stmt *s, uint32_t src, uint32_t dst) {
    const au_ctp_stmt *body = skip_empty(s->body);
    au_model *m = w->m;
    scope c;
    for (uint32_t i = 0; i < w->unroll; i++) {
        w->instances++;
        if (!split(w, s, s->expr, 0, &w->temp, &src, &c))
            return AU_NONE;
        if (dst == AU_NONE)
            dst = new_node(w);
        uint32_t next = new_node(w), to = body ? new_node(w) : next;
        if (!branch(w, s, &c, src, to, dst))
            return AU_NONE;
        shape(w, src, AU_NODE_IF, dst);
        if (body && list(w, body, to, next) == AU_NONE)
            return AU_NONE;
        src = next;
        if (m->step.n > w->max_steps)
            return too_many(w, s);
    }
    w->instances++;
    au_term cond;
    if (!split(w, s, s->expr, 0, &w->temp, &src, &c) ||
        !au_ctp_build(m->terms, s->expr, true, name_term, &c, &cond))
        return AU_NONE;
    uint32_t id = (uint32_t)m->step.n;
    au_step *p = au_model_add_step(m, w->thread, src, dst, AU_STEP_ASSUME);
    p->guard = au_term_not(m->terms, cond);
    add_read(w, &c, p);
    mark(w, id, s);
    return dst;
}

static uint32_t atomic(au_ctp_lower *w, const au_ctp_stmt *s, uint32_t src, uint32_t dst) {
    uint32_t block = w->block, up = w->atomic;
    if (block == AU_NONE)
        w->block = w->m->n_blocks++;
    w->atomic = (uint32_t)w->atomics.n;
    au_vec_push(&w->atomics, ((au_ctp_atomic){s, up}));
    dst = list(w, skip_empty(s->body), src, dst);
    w->block = block;
    w->atomic = up;
    return dst;
}

/* Requires: s is not empty. */
static uint32_t list(au_ctp_lower *w, const au_ctp_stmt *s, uint32_t src, uint32_t dst) {
    while (s) {
        const au_ctp_stmt *next = skip_empty(s->next);
        uint32_t to = next ? AU_NONE : dst;
        w->instances++;
        switch (s->kind) {
        case CTP_SET:
        case CTP_ASSUME:
        case CTP_ASSERT:
        case CTP_HAVOC:
        case CTP_NOP:
            src = simple(w, s, src, to);
            break;
        case CTP_LBRACK:
            src = brackets(w, s, src, to);
            break;
        case CTP_ATOMIC:
            src = atomic(w, s, src, to);
            break;
        case CTP_IF:
            src = if_else(w, s, src, to);
            break;
        case CTP_WHILE:
            if (w->unroll == 0)
                return FAIL(w, s->off,
                            "a 'while' needs '--unroll N', the number of rounds to "
                            "look at");
            src = w->unroll == AU_NONE ? loop(w, s, src, to) : unrolled(w, s, src, to);
            break;
        default:
            src = synchronise(w, s, src, to);
        }
        if (src == AU_NONE)
            return AU_NONE;
        if (w->m->step.n > w->max_steps)
            return too_many(w, s);
        s = next;
    }
    return src;
}

/* ---- the whole ---- */

static au_term no_name(void *ctx, const au_ctp_expr *e) {
    au_ctp_lower *w = ctx;
    au_ctp_fail(&w->ast->lex, e->off, "'%.*s': an initial value is a constant", NAME(w, e->value));
    return (au_term){UINT32_MAX};
}

static bool declare(au_ctp_lower *w, const au_ctp_decl *d) {
    au_model *m = w->m;
    au_ctp_lex *x = &w->ast->lex;
    au_ctp_symbol *s = &w->symbol.at[d->name];
    if (s->kind != AU_CTP_UNKNOWN) {
        uint32_t line, col;
        au_ctp_where(x, s->off, &line, &col);
        return au_ctp_fail(x, d->off, "'%.*s' is declared already, at %u:%u", NAME(w, d->name),
                           line, col);
    }
    uint32_t init = 0;
    if (d->init) {
        au_term v;
        if (!au_ctp_build(m->terms, d->init, false, no_name, w, &v))
            return false;
        init = (uint32_t)au_term_eval(m->terms, v, NULL);
    }
    s->off = d->off;
    const char *name = au_intern_str(&x->names, d->name);
    if (d->kind == CTP_SHARED) {
        s->kind = AU_CTP_VARIABLE;
        s->index = au_model_add_var(m, name, AU_VAR_SHARED, 32, init, AU_NONE);
        return true;
    }
    if (d->kind == CTP_SEM && (int32_t)init < 0)
        return au_ctp_fail(x, d->init->off, "semaphore '%.*s' starts below 0", NAME(w, d->name));
    if (d->kind == CTP_BARRIER && (int32_t)init < 1)
        return au_ctp_fail(x, d->init->off, "barrier '%.*s' is for at least 1 thread",
                           NAME(w, d->name));
    static const au_obj_kind kind[] = {
        [CTP_LOCK] = AU_OBJ_LOCK, [CTP_RLOCK] = AU_OBJ_RLOCK, [CTP_RWLOCK] = AU_OBJ_RWLOCK,
        [CTP_SEM] = AU_OBJ_SEM,   [CTP_COND] = AU_OBJ_COND,   [CTP_BARRIER] = AU_OBJ_BARRIER};
    s->kind = AU_CTP_OBJECT;
    s->index = au_model_add_sync(m, name, kind[d->kind], (int32_t)init);
    return true;
}

/* Makes a local of every name that the thread assigns, and notes labels. */
static bool scan(au_ctp_lower *w, const au_ctp_stmt *s) {
    au_ctp_lex *x = &w->ast->lex;
    for (; s; s = s->next) {
        if (s->label != AU_NONE) {
            au_ctp_symbol *l = &w->symbol.at[s->label];
            if (l->label) {
                uint32_t line, col;
                au_ctp_where(x, l->label->label_off, &line, &col);
                return au_ctp_fail(x, s->label_off, "label '%.*s' is used already, at %u:%u",
                                   NAME(w, s->label), line, col);
            }
            l->label = s;
        }
        if (s->kind == CTP_SET || s->kind == CTP_HAVOC) {
            au_ctp_symbol *v = &w->symbol.at[s->name];
            if (v->kind == AU_CTP_UNKNOWN && v->local_of != w->thread) {
                v->local_of = w->thread;
                v->local = au_model_add_var(w->m, au_intern_str(&x->names, s->name), AU_VAR_LOCAL,
                                            32, 0, w->thread);
            }
        }
        if ((s->body && !scan(w, s->body)) || (s->other && !scan(w, s->other)))
            return false;
    }
    return true;
}

static bool lower_thread(au_ctp_lower *w, uint32_t t) {
    w->thread = t;
    w->block = w->atomic = AU_NONE;
    w->next_temp = 0;
    au_vec_clear(&w->temp);
    au_vec_clear(&w->asserted);
    const au_ctp_stmt *body = w->ast->thread.at[t].body;
    if (!scan(w, body))
        return false;
    uint32_t entry = w->m->thread.at[t].entry, exit;
    body = skip_empty(body);
    if (body) {
        exit = list(w, body, entry, AU_NONE);
        if (exit == AU_NONE)
            return false;
    } else {
        exit = new_node(w);
        uint32_t id = (uint32_t)w->m->step.n;
        au_model_add_step(w->m, t, entry, exit, AU_STEP_NOP);
        au_ctp_stmt *nop = AU_ARENA_NEW(&w->ast->arena, au_ctp_stmt);
        *nop = (au_ctp_stmt){.kind = CTP_NOP, .off = w->ast->thread.at[t].off, .label = AU_NONE};
        mark(w, id, nop);
    }
    w->m->thread.at[t].exit = exit;
    return true;
}

bool au_ctp_lower_all(au_ctp_lower *w) {
    au_ctp_ast *p = w->ast;
    for (size_t i = 0; i < p->lex.names.n; i++)
        au_vec_push(&w->symbol, ((au_ctp_symbol){.thread = AU_NONE, .local_of = AU_NONE}));
    for (size_t i = 0; i < p->decl.n; i++)
        if (!declare(w, &p->decl.at[i]))
            return false;
    for (size_t i = 0; i < p->thread.n; i++) {
        au_ctp_symbol *s = &w->symbol.at[p->thread.at[i].name];
        if (s->thread != AU_NONE)
            return au_ctp_fail(&p->lex, p->thread.at[i].off, "there is a thread '%.*s' already",
                               NAME(w, p->thread.at[i].name));
        s->thread = au_model_add_thread(w->m, au_intern_str(&p->lex.names, p->thread.at[i].name));
        au_vec_push(&w->origin, ((au_ctp_origins){0}));
    }
    for (uint32_t t = 0; t < p->thread.n; t++)
        if (!lower_thread(w, t))
            return false;
    au_sync_finish(w->m);
    return true;
}

void au_ctp_lower_release(au_ctp_lower *w) {
    au_vec_release(&w->symbol);
    au_vec_release(&w->temp);
    au_vec_release(&w->asserted);
    au_vec_release(&w->own);
    au_vec_release(&w->reads);
    au_vec_release(&w->atomics);
    for (size_t i = 0; i < w->origin.n; i++)
        au_vec_release(&w->origin.at[i]);
    au_vec_release(&w->origin);
}
