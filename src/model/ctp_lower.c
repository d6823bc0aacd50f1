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

static uint32_t new_temp(au_ctp_lower *w, unsigned width) {
    char name[16];
    int len;
    do
        len = snprintf(name, sizeof name, "_%u", ++w->next_temp);
    while (au_intern_find(&w->ast->lex.names, name, (size_t)len) != AU_NONE);
    return au_model_add_var(w->m, name, AU_VAR_LOCAL, width, 0, w->thread);
}

/* The temporary for the read of 'var', the others of the statement being in w->chosen. */
static uint32_t choose_temp(au_ctp_lower *w, au_ctp_ids *temps, uint32_t var) {
    unsigned width = w->m->var.at[var].width;
    size_t skip = 0;
    for (size_t i = 0; i < w->chosen.n; i++)
        skip += w->m->var.at[w->chosen.at[i]].width == width;
    for (size_t i = 0; i < temps->n; i++)
        if (w->m->var.at[temps->at[i]].width == width && skip-- == 0)
            return temps->at[i];
    uint32_t fresh = new_temp(w, width);
    au_vec_push(temps, fresh);
    return fresh;
}

/* ---- building steps ---- */

/* The atomic block of a statement: the outermost around it, or what 'atomic n' says. */
static uint32_t part_of(au_ctp_lower *w, const au_ctp_stmt *s) {
    if (!s->part || w->block != AU_NONE)
        return w->block;
    bool fresh;
    uint64_t *block = au_map_put(&w->parts, s->part, &fresh);
    if (fresh)
        *block = w->m->n_blocks++;
    return (uint32_t)*block;
}

/* Says of the steps from 'first' on that they are this statement. */
static void mark(au_ctp_lower *w, uint32_t first, const au_ctp_stmt *s) {
    au_model *m = w->m;
    const au_intern *names = &w->ast->lex.names;
    uint32_t line, col, label = AU_NONE, file = AU_NONE, block = part_of(w, s);
    au_ctp_where(&w->ast->lex, s->off, &line, &col);
    if (s->file != AU_NONE)
        file = au_intern_add(&m->strings, au_intern_str(names, s->file),
                             au_intern_len(names, s->file));
    const au_ctp_stmt *named = s;
    for (uint32_t a = w->atomic; named->label == AU_NONE && a != AU_NONE; a = w->atomics.at[a].up)
        named = w->atomics.at[a].stmt;
    if (named->label != AU_NONE) {
        label = au_intern_add(&m->strings, au_intern_str(names, named->label),
                              au_intern_len(names, named->label));
    }
    au_ctp_origins *o = &w->origin.at[w->thread];
    for (uint32_t i = first; i < m->step.n; i++) {
        au_step *p = &m->step.at[i];
        p->line = s->placed ? s->line : line;
        p->col = s->placed ? 0 : col;
        p->loc = file;
        p->label = label;
        p->block = block;
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
    uint32_t v = au_ctp_resolve(w, e);
    if (v == AU_NONE)
        return false;
    if (au_ctp_is_shared(w, v))
        au_vec_push(&w->reads, v);
    return true;
}

static unsigned name_width(void *ctx, const au_ctp_expr *e) {
    scope *c = ctx;
    uint32_t v = au_ctp_resolve(c->w, e);
    return v == AU_NONE ? 0 : c->w->m->var.at[v].width;
}

static au_term name_term(void *ctx, const au_ctp_expr *e) {
    scope *c = ctx;
    uint32_t v = au_ctp_resolve(c->w, e);
    if (v != AU_NONE && au_ctp_is_shared(c->w, v) && c->temp)
        v = c->temp[c->next++];
    return v == AU_NONE ? (au_term){UINT32_MAX} : au_model_var_term(c->w->m, v);
}

/* The term of the statement's expression, for a variable or as a truth value. */
static bool build(scope *c, const au_ctp_stmt *s, uint32_t target, au_term *out) {
    au_ctp_view v = {name_width, name_term, c};
    return au_ctp_value(c->w, s, target, &v, out);
}

/* Collects the reads of e (may be NULL). If they and the 'writes' of the statement
 * are more than one access: emits the reads, moves *src behind them and says in *c
 * where they are. */
static bool split(au_ctp_lower *w, const au_ctp_stmt *s, const au_ctp_expr *e, unsigned writes,
                  au_ctp_ids *temps, uint32_t *src, scope *c) {
    au_model *m = w->m;
    *c = (scope){.w = w};
    au_vec_clear(&w->reads);
    au_vec_clear(&w->chosen);
    if (e && !au_ctp_each_name(e, collect, w))
        return false;
    if (w->reads.n + writes <= 1)
        return true;
    if (temps == &w->own)
        au_vec_clear(temps);
    for (size_t i = 0; i < w->reads.n; i++) {
        uint32_t temp = choose_temp(w, temps, w->reads.at[i]);
        au_vec_push(&w->chosen, temp);
        uint32_t dst = new_node(w);
        uint32_t id = (uint32_t)m->step.n;
        au_step *p = au_model_add_step(m, w->thread, *src, dst, AU_STEP_ASSIGN);
        au_step_add_update(m, p, temp, au_model_var_term(m, w->reads.at[i]));
        au_step_add_access(m, p, w->reads.at[i], false);
        mark(w, id, s);
        *src = dst;
    }
    c->temp = w->reads.n ? w->chosen.at : NULL;
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
        target = au_ctp_variable(w, s->name, s->name_off, "assigned");
        if (target == AU_NONE)
            return AU_NONE;
    }
    bool writes = target != AU_NONE && au_ctp_is_shared(w, target);
    scope c;
    au_term value = {UINT32_MAX};
    au_ctp_ids *temps = s->kind == CTP_ASSERT ? &w->asserted : &w->temp;
    if (!split(w, s, s->expr, writes, temps, &src, &c))
        return AU_NONE;
    if (s->expr && !build(&c, s, target, &value))
        return AU_NONE;
    if (dst == AU_NONE)
        dst = new_node(w);
    au_step_kind kind = s->kind == CTP_SET      ? AU_STEP_ASSIGN
                        : s->kind == CTP_ASSUME ? AU_STEP_ASSUME
                        : s->kind == CTP_ASSERT ? AU_STEP_ASSERT
                        : s->kind == CTP_HAVOC  ? AU_STEP_HAVOC
                                                : AU_STEP_NOP; /* a fence, too */
    uint32_t id = (uint32_t)m->step.n;
    au_step *p = au_model_add_step(m, w->thread, src, dst, kind);
    p->order = s->order;
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
        o = au_ctp_object(w, s->name, s->name_off, TAKEN_BY_ACQ, "lock", "acq");
    } else if (s->kind == CTP_REL) {
        o = au_ctp_object(w, s->name, s->name_off, TAKEN_BY_ACQ | KIND(RWLOCK), "lock", "rel");
    } else if (s->kind == CTP_RDACQ || s->kind == CTP_WRACQ) {
        o = au_ctp_object(w, s->name, s->name_off, KIND(RWLOCK), "rwlock",
                          s->kind == CTP_RDACQ ? "rdacq" : "wracq");
    } else if (s->kind == CTP_WAIT) {
        o = au_ctp_object(w, s->name, s->name_off, KIND(COND), "cond", "wait");
        if (o != AU_NONE)
            l = au_ctp_object(w, s->name2, s->name2_off, TAKEN_BY_ACQ, "lock", "wait");
    } else if (s->kind == CTP_ARRIVE) {
        o = au_ctp_object(w, s->name, s->name_off, KIND(BARRIER), "barrier", "arrive");
    } else {
        o = au_ctp_object(w, s->name, s->name_off, KIND(COND), "cond",
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
    if (s->tries)
        au_sync_try(m, id);
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
    if (!build(c, s, AU_NONE, &cond))
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
    scope c = {.w = w};
    if (!s->whole && !split(w, s, s->expr, 0, &w->temp, &src, &c))
        return AU_NONE;
    if (dst == AU_NONE)
        dst = new_node(w);
    const au_ctp_stmt *body[2] = {skip_empty(s->body), skip_empty(s->other)};
    uint32_t to[2];
    for (int i = 0; i < 2; i++)
        to[i] = body[i] ? new_node(w) : dst;
    uint32_t id = (uint32_t)w->m->step.n;
    if (!(s->whole ? au_ctp_whole_branch(w, s, src, to[0], to[1])
                   : branch(w, s, &c, src, to[0], to[1])))
        return AU_NONE;
    mark(w, id, s);
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
    if (!split(w, s, s->expr, 0, &w->temp, &src, &c) || !build(&c, s, AU_NONE, &cond))
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
        case CTP_FENCE:
            src = simple(w, s, src, to);
            break;
        case CTP_LBRACK:
        case CTP_STEP: {
            uint32_t id = (uint32_t)w->m->step.n, end = to == AU_NONE ? new_node(w) : to;
            if (!au_ctp_bracket(w, s, src, end))
                return AU_NONE;
            mark(w, id, s);
            src = end;
            break;
        }
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

static bool lower_thread(au_ctp_lower *w, uint32_t t) {
    w->thread = t;
    w->block = w->atomic = AU_NONE;
    w->next_temp = 0;
    au_vec_clear(&w->temp);
    au_vec_clear(&w->asserted);
    au_map_release(&w->parts);
    au_map_init(&w->parts);
    const au_ctp_stmt *body = w->ast->thread.at[t].body;
    if (!au_ctp_scan(w, body))
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
        *nop = (au_ctp_stmt){
            .kind = CTP_NOP, .off = w->ast->thread.at[t].off, .label = AU_NONE, .file = AU_NONE};
        mark(w, id, nop);
    }
    w->m->thread.at[t].exit = exit;
    return true;
}

bool au_ctp_lower_all(au_ctp_lower *w) {
    au_ctp_ast *p = w->ast;
    for (size_t i = 0; i < p->lex.names.n; i++)
        au_vec_push(
            &w->symbol,
            ((au_ctp_symbol){
                .shared = AU_NONE, .obj = AU_NONE, .thread = AU_NONE, .local_of = AU_NONE}));
    for (size_t i = 0; i < p->decl.n; i++)
        if (!au_ctp_declare(w, &p->decl.at[i]))
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
    if (p->marked && !w->m->n_blocks)
        w->m->n_blocks = 1;
    au_sync_finish(w->m);
    return true;
}

void au_ctp_lower_release(au_ctp_lower *w) {
    au_vec_release(&w->symbol);
    au_vec_release(&w->temp);
    au_vec_release(&w->asserted);
    au_vec_release(&w->own);
    au_vec_release(&w->chosen);
    au_map_release(&w->parts);
    au_vec_release(&w->reads);
    au_vec_release(&w->atomics);
    for (size_t i = 0; i < w->origin.n; i++)
        au_vec_release(&w->origin.at[i]);
    au_vec_release(&w->origin);
}
