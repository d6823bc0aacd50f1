/* model/from_symbolic_access.c: the accesses of one step of the program as one step of the model.
 *
 * Nearly always that is one event. A step of several events does them in their order: what a
 * later one sees of an earlier one is put in here, since all updates of a step of the model see the
 * state before it.
 *
 * A read that must see what it saw is 'assume' after the step, so that the step itself can
 * happen in every interleaving. If something is written after it in the same step, that would be
 * too late: then it is the step's guard. So are facts that stand before such a write. */
#include "model/from_symbolic_priv.h"

typedef struct {
    uint32_t event;
    uint32_t var;   /* of the trace, the one on the branch at hand */
    uint32_t local; /* reads: what it goes to */
    bool reads, writes;
    bool symbolic;
} item;

typedef struct {
    uint32_t var; /* of the model */
    au_term value;
} written;

typedef struct {
    au_fs *b;
    AU_VEC(item) item;
    uint32_t thread; /* of the trace */
    uint32_t merge;  /* where all branches meet, AU_NONE: there are none */
    uint32_t step;   /* the step of the observed run */
    /* Of the step at hand. */
    AU_VEC(written) written;
    AU_VEC(written) local;
    AU_VEC(uint32_t) seen; /* variables of the model that it reads */
    au_term guard, then;
} group;

/* ---- what happens on one branch ------------------------------------------------------------ */

static void holds(group *g, au_term *what, au_term cond) {
    *what = au_term_and(g->b->b.m->terms, *what, cond);
}

/* What the variable holds by now. */
static au_term current(group *g, uint32_t v) {
    for (size_t i = g->written.n; i-- > 0;)
        if (g->written.at[i].var == v)
            return g->written.at[i].value;
    for (size_t i = 0; i < g->seen.n; i++)
        if (g->seen.at[i] == v)
            return au_model_var_term(g->b->b.m, v);
    au_vec_push(&g->seen, v);
    return au_model_var_term(g->b->b.m, v);
}

static bool writes_from(const group *g, size_t k) {
    for (; k < g->item.n; k++)
        if (g->item.at[k].writes)
            return true;
    return false;
}

/* A term of the knowledge inside of this step: what was read in it is not in its local yet. */
static au_term inside(group *g, au_term x) {
    au_fs *b = g->b;
    au_term r = au_fs_term(b, x);
    if (!g->local.n)
        return r;
    if (b->n_now < b->b.m->var.n) {
        b->now = au_realloc_array(b->now, 2 * b->b.m->var.n, sizeof *b->now);
        memset(b->now + b->n_now, 0xff, (2 * b->b.m->var.n - b->n_now) * sizeof *b->now);
        b->n_now = 2 * b->b.m->var.n;
    }
    for (size_t i = 0; i < g->local.n; i++)
        b->now[g->local.at[i].var] = g->local.at[i].value;
    r = au_term_substitute(b->b.m->terms, r, b->now, b->b.m->var.n);
    for (size_t i = 0; i < g->local.n; i++)
        b->now[g->local.at[i].var] = AU_NO_TERM;
    return r;
}

/* The value is none of those that stand for what is not known. */
static au_term is_sure(group *g, uint32_t var, au_term x) {
    const au_symbolic_plan *p = g->b->p;
    au_terms *t = g->b->b.m->terms;
    unsigned w = p->width[var];
    au_term doubt = au_term_const(t, w, p->doubt[var]);
    if (!p->doubts[var])
        return au_term_not(t, au_term_eq(t, x, doubt));
    return au_term_make(t, AU_T_ULT, au_term_const(t, w, p->doubts[var]),
                        au_term_make(t, AU_T_SUB, x, doubt));
}

static void look(group *g, size_t k) {
    au_fs *b = g->b;
    const item *x = &g->item.at[k];
    au_terms *t = b->b.m->terms;
    au_term value = current(g, au_fs_var(b, x->var)), cond;
    bool late = writes_from(g, k);
    au_vec_push(&g->local, ((written){x->local, value}));
    if (!late)
        value = au_model_var_term(b->b.m, x->local);
    uint64_t seen = au_plan_seen(b->p, x->event);
    unsigned width = b->p->width[x->var];
    /* What was there was not known even in the run itself: it must be the same. */
    bool doubtful = ((seen - b->p->doubt[x->var]) & au_mask(width)) <= b->p->doubts[x->var];
    if (!x->symbolic || (b->p->doubts[x->var] && doubtful))
        cond = au_term_eq(t, value, au_term_const(t, width, seen));
    else if (b->p->flag[x->var] & AU_VAR_DOUBTED)
        cond = is_sure(g, x->var, value);
    else
        return;
    holds(g, late ? &g->guard : &g->then, cond);
}

static void store(group *g, size_t k) {
    au_fs *b = g->b;
    const item *x = &g->item.at[k];
    au_term term = b->p->s->write[x->event];
    uint32_t v = au_fs_var(b, x->var);
    if (term.n == UINT32_MAX)
        term = au_term_const(b->b.m->terms, b->p->width[x->var], au_plan_value(b->p, x->event));
    else
        term = inside(g, term);
    for (size_t i = 0; i < g->written.n; i++)
        if (g->written.at[i].var == v) {
            g->written.at[i].value = term;
            return;
        }
    au_vec_push(&g->written, ((written){v, term}));
}

/* Facts that must hold before item k writes: those after an earlier event of the step; and what is pinned of
 * an update whose write is a constant. */
static void require_facts(group *g, size_t k, bool own) {
    au_fs *b = g->b;
    const au_symbolic *s = b->p->s;
    for (size_t i = b->thread[g->thread].next_fact; i < b->p->first_fact[g->thread + 1]; i++) {
        uint32_t number = b->p->of_fact[i];
        const au_fact *f = &s->fact.at[number];
        if (f->after == AU_NONE || f->after < g->item.at[0].event)
            continue;
        if (f->after >= g->item.at[k].event + own)
            break;
        if (own ? f->kind != AU_FACT_PIN || f->after < g->item.at[k].event
                : f->kind == AU_FACT_ASSERT)
            continue;
        holds(g, &g->guard, inside(g, f->cond));
        *au_fs_fact(b, number) = g->step;
    }
}

static bool is_atomic(const group *g) {
    for (size_t i = 0; i < g->item.n; i++) {
        au_op op = g->b->b.t->events.op[g->item.at[i].event];
        if (op != AU_OP_READ && op != AU_OP_WRITE)
            return true;
        if (g->item.at[i].reads && g->item.at[i].writes)
            return true; /* a compare-and-exchange that failed */
    }
    return false;
}

static void add_step(group *g, uint32_t thread, uint32_t src, uint32_t dst, bool main) {
    au_fs *b = g->b;
    au_model *m = b->b.m;
    g->guard = g->then = au_term_bool(m->terms, true);
    au_vec_clear(&g->written);
    au_vec_clear(&g->local);
    au_vec_clear(&g->seen);
    uint32_t id = au_model_add_step(m, thread, src, dst, AU_STEP_ASSIGN)->id;
    if (main)
        g->step = id;
    for (size_t k = 0; k < g->item.n; k++) {
        const item *x = &g->item.at[k];
        if (x->reads)
            look(g, k);
        if (!x->writes)
            continue;
        require_facts(g, k, false);
        if (x->reads && x->symbolic && b->p->s->write[x->event].n == UINT32_MAX)
            require_facts(g, k, true);
        store(g, k);
    }
    au_step *s = &m->step.at[id];
    s->guard = g->guard;
    for (size_t i = 0; i < g->local.n; i++)
        au_step_add_update(m, s, g->local.at[i].var, g->local.at[i].value);
    for (size_t i = 0; i < g->written.n; i++)
        au_step_add_update(m, s, g->written.at[i].var, g->written.at[i].value);
    for (size_t i = 0; i < g->seen.n; i++)
        au_step_add_access(m, s, g->seen.at[i], false);
    for (size_t i = 0; i < g->written.n; i++)
        au_step_add_access(m, s, g->written.at[i].var, true);
    s->plain = !is_atomic(g);
    s->indivisible = s->n_accesses > 1 || !s->plain;
}

/* The step on this branch, and what it asks for afterwards. */
static void add_leaf(group *g, bool main) {
    au_fs *b = g->b;
    au_model *m = b->b.m;
    struct au_from_thread *who = &b->b.thread[g->thread];
    uint32_t src = who->node, event = g->item.at[0].event;
    uint32_t end = g->merge == AU_NONE ? au_model_add_node(m, who->id) : g->merge;
    uint32_t first = (uint32_t)m->step.n;
    add_step(g, who->id, src, end, main);
    bool more = !au_term_is_true(m->terms, g->then);
    if (more) {
        uint32_t middle = au_model_add_node(m, who->id);
        m->step.at[first].dst = middle;
        au_model_add_step(m, who->id, middle, end, AU_STEP_ASSUME)->guard = g->then;
    }
    who->node = end;
    au_from_mark(&b->b, event, first);
    if (!main)
        return;
    au_from_take(&b->b, event, first);
    if (more)
        au_from_take(&b->b, event, first + 1);
}

/* ---- branches --------------------------------------------------------------------------------- */

/* From item k on. */
static void add_branches(group *g, size_t k, bool main) {
    au_fs *b = g->b;
    au_model *m = b->b.m;
    struct au_from_thread *who = &b->b.thread[g->thread];
    size_t n = 0, at = 0;
    while (k < g->item.n && !(at = au_plan_elsewhere(b->p, g->item.at[k].event, &n), n))
        k++;
    if (k >= g->item.n) {
        add_leaf(g, main);
        return;
    }
    uint32_t own = g->item.at[k].var;
    for (size_t i = at; i < at + n; i++) {
        const au_elsewhere *x = &b->p->s->elsewhere.at[i];
        au_term when = au_fs_term(b, x->when);
        if (au_term_is_false(m->terms, when))
            continue;
        uint32_t here = who->node, yes = au_model_add_node(m, who->id);
        uint32_t no = au_model_add_node(m, who->id), first = (uint32_t)m->step.n;
        au_model_add_step(m, who->id, here, yes, AU_STEP_BRANCH)->guard = when;
        au_term not = au_term_not(m->terms, when);
        au_model_add_step(m, who->id, here, no, AU_STEP_BRANCH)->guard = not ;
        m->thread.at[who->id].node.at[here].kind = AU_NODE_IF;
        m->thread.at[who->id].node.at[here].merge = g->merge;
        au_from_mark(&b->b, g->item.at[k].event, first);
        if (main)
            au_from_take(&b->b, g->item.at[k].event, first + 1);
        who->node = yes;
        g->item.at[k].var = x->var;
        add_branches(g, k + 1, false);
        who->node = no;
    }
    g->item.at[k].var = own;
    add_branches(g, k + 1, main);
}

/* ---- the group ------------------------------------------------------------------------------------ */

static void add_item(group *g, uint32_t event) {
    au_fs *b = g->b;
    const au_symbolic *s = b->p->s;
    item x = {.event = event,
              .var = b->b.t->events.obj[event],
              .local = AU_NONE,
              .reads = au_plan_reads(s, event),
              .writes = au_plan_writes(s, event),
              .symbolic = au_bitset_has(&s->symbolic, event)};
    au_vec_push(&g->item, x);
}

/* Reads go to locals, the same on all branches. */
static void add_locals(group *g) {
    au_fs *b = g->b;
    uint32_t now = 2 * g->item.at[0].event;
    au_fs_expire(b, g->thread, now);
    au_fs_round(b, g->thread, g->item.at[0].event);
    for (size_t i = 0; i < g->item.n; i++) {
        item *x = &g->item.at[i];
        if (!x->reads)
            continue;
        uint32_t until = x->symbolic ? b->p->until[x->event] : 0;
        x->local = au_fs_local(b, g->thread, b->p->width[x->var],
                               until > 2 * au_vec_last(&g->item).event ? until : now);
        if (x->symbolic)
            *au_map_put(&b->local, x->event, NULL) = x->local;
    }
}

au_status au_fs_access(au_from *f, size_t event) {
    au_fs *b = (au_fs *)f;
    const au_columns *e = &f->t->events;
    group g = {.b = b, .thread = e->thread[event], .merge = AU_NONE, .step = AU_NONE};
    bool cut = false, branches = false;
    size_t end = event, n;
    do {
        if (au_op_is_access(e->op[end]) && f->keeps(f, end)) {
            add_item(&g, (uint32_t)end);
            cut |= au_map_find(&b->p->cut, end) != NULL;
            au_plan_elsewhere(b->p, end, &n);
            branches |= n > 0;
        }
        end++;
    } while (end < f->last && e->thread[end] == g.thread && au_plan_goes_on(b->p, end) &&
             (au_op_is_access(e->op[end]) || au_judge_ignores(e->op[end])));
    if (cut) { /* what it saw is nowhere in the model: so is what comes after */
        b->cut = f->thread[g.thread].ended = true;
        au_vec_release(&g.item);
        return AU_OK;
    }
    add_locals(&g);
    if (branches)
        g.merge = au_model_add_node(f->m, f->thread[g.thread].id);
    add_branches(&g, 0, true);
    if (branches)
        f->thread[g.thread].node = g.merge;
    for (size_t i = 0; i < g.item.n; i++) {
        f->step_of[g.item.at[i].event - f->first] = g.step;
        f->role[g.item.at[i].event - f->first] = i ? AU_PART_OF : AU_TAKES;
    }
    au_vec_release(&g.item);
    au_vec_release(&g.written);
    au_vec_release(&g.local);
    au_vec_release(&g.seen);
    return AU_OK;
}
