/* tests/random/paths.c: the machine and the walk. See paths.h. */
#include "paths.h"

/* --- the model, looked at once ----------------------------------------------------------- */

static bool is_lock(const au_model *m, uint32_t obj) {
    au_obj_kind k = m->obj.at[obj].kind;
    return k == AU_OBJ_LOCK || k == AU_OBJ_RLOCK || k == AU_OBJ_RWLOCK;
}

static bool takes_lock(const au_model *m, const au_step *s) {
    return (s->kind == AU_STEP_ACQ || s->kind == AU_STEP_RDACQ || s->kind == AU_STEP_WRACQ) &&
           is_lock(m, s->obj);
}

typedef struct {
    const au_model *m;
    uint32_t hold[64]; /* by object */
} section_scan;

/* Whether a wait comes on some way through the section before it is closed. */
static bool wait_ahead(section_scan *x, uint32_t thread, uint32_t node) {
    const au_model *m = x->m;
    const au_node *n = &m->thread.at[thread].node.at[node];
    for (size_t i = 0; i < n->out.n; i++) {
        const au_step *s = &m->step.at[n->out.at[i]];
        if (s->kind == AU_STEP_WAIT)
            return true;
        uint32_t before = 0, o = s->obj;
        int change = takes_lock(m, s) ? 1 : s->kind == AU_STEP_REL && is_lock(m, s->obj) ? -1 : 0;
        if (change) {
            before = x->hold[o];
            if (change < 0 && !before)
                continue; /* stops there */
            x->hold[o] += (uint32_t)change;
        }
        uint32_t held = 0;
        for (size_t k = 0; k < m->obj.n; k++)
            held += x->hold[k];
        bool found = held && wait_ahead(x, thread, s->dst);
        if (change)
            x->hold[o] = before;
        if (found)
            return true;
    }
    return false;
}

typedef struct {
    au_paths *w;
    bool assert_only;
} look;

static void looked_at(void *ctx, uint32_t var) {
    look *x = ctx;
    if (!x->assert_only)
        x->w->only_asserts[var] = false;
}

static void find_assert_locals(au_paths *w) {
    const au_model *m = w->m;
    for (size_t v = 0; v < m->var.n; v++)
        w->only_asserts[v] = m->var.at[v].kind == AU_VAR_LOCAL;
    look x = {w, false};
    for (size_t i = 0; i < m->step.n; i++) {
        const au_step *s = &m->step.at[i];
        au_term_each_var(m->terms, s->guard, looked_at, &x);
        for (uint32_t k = 0; k < s->n_updates; k++)
            au_term_each_var(m->terms, s->update[k].value, looked_at, &x);
    }
}

/* The observed run: who saw what. The model's own run; it is feasible by definition. */
static void replay_observed(au_paths *w) {
    const au_model *m = w->m;
    uint64_t value[AU_PATHS_VARS], next[AU_PATHS_VARS];
    uint32_t writer[AU_PATHS_VARS], node[AU_PATHS_THREADS];
    for (size_t t = 0; t < m->thread.n; t++)
        node[t] = m->thread.at[t].entry;
    for (size_t v = 0; v < m->var.n; v++) {
        value[v] = m->var.at[v].init;
        writer[v] = AU_NONE;
    }
    for (size_t i = 0; i < m->observed.n; i++) {
        const au_step *s = &m->step.at[m->observed.at[i]];
        uint32_t f = w->first[s->id];
        w->observed[f] = true;
        au_vec_push(&w->line[s->thread], s->id);
        for (size_t v = 0; v < m->var.n; v++) {
            w->observed_src[f * m->var.n + v] = writer[v];
            w->observed_val[f * m->var.n + v] = value[v];
        }
        bool fails = !au_term_eval(m->terms, s->cond, value);
        if (!fails || w->whole)
            node[s->thread] = s->dst;
        if (fails)
            continue;
        for (uint32_t k = 0; k < s->n_updates; k++)
            next[k] = au_term_eval(m->terms, s->update[k].value, value);
        for (uint32_t k = 0; k < s->n_updates; k++)
            value[s->update[k].var] = next[k];
        for (uint32_t k = 0; k < s->n_accesses; k++)
            if (s->access[k].write)
                writer[s->access[k].var] = s->id;
    }
    for (size_t v = 0; v < m->var.n; v++)
        w->final_src[v] = writer[v];
    w->observed_ends = true;
    for (size_t t = 0; t < m->thread.n; t++) {
        const au_thread *x = &m->thread.at[t];
        if (x->started == AU_NONE || value[x->started])
            w->observed_ends &= node[t] == x->exit;
    }
}

bool au_paths_init(au_paths *w, const au_model *m, au_semantics semantics, bool whole,
                   bool keep_reads) {
    if (m->thread.n > AU_PATHS_THREADS || m->var.n > AU_PATHS_VARS || m->obj.n > 64)
        return false;
    uint32_t nodes = 0;
    memset(w, 0, sizeof *w);
    w->m = m;
    w->semantics = semantics;
    w->whole = whole;
    w->keep_reads = keep_reads;
    for (size_t t = 0; t < m->thread.n; t++) {
        w->base[t] = nodes;
        nodes += (uint32_t)m->thread.at[t].node.n;
        if (m->thread.at[t].node.n > AU_PATHS_DEPTH / m->thread.n)
            return false;
    }
    w->base[m->thread.n] = nodes;
    w->first = au_alloc_array(m->step.n, sizeof *w->first);
    w->observed = au_alloc_array(m->step.n, sizeof *w->observed);
    w->observed_src = au_alloc_array(m->step.n * m->var.n, sizeof *w->observed_src);
    w->observed_val = au_alloc_array(m->step.n * m->var.n, sizeof *w->observed_val);
    w->final_src = au_alloc_array(m->var.n, sizeof *w->final_src);
    w->only_asserts = au_alloc_array(m->var.n, sizeof *w->only_asserts);
    w->waits = au_alloc_array(m->step.n, sizeof *w->waits);
    w->range = au_alloc_array((size_t)nodes * m->var.n * AU_PATHS_LEVELS, sizeof *w->range);
    au_intern_init(&w->keys);
    for (size_t i = 0; i < m->step.n; i++) {
        const au_step *s = &m->step.at[i];
        w->first[i] = m->thread.at[s->thread].node.at[s->src].out.at[0];
    }
    replay_observed(w);
    find_assert_locals(w);
    for (size_t i = 0; i < m->step.n; i++) {
        const au_step *s = &m->step.at[i];
        if (!takes_lock(m, s))
            continue;
        section_scan x = {.m = m};
        x.hold[s->obj] = 1;
        w->waits[i] = wait_ahead(&x, s->thread, s->dst);
    }
    return true;
}

void au_paths_release(au_paths *w) {
    free(w->first);
    free(w->observed);
    free(w->observed_src);
    free(w->observed_val);
    free(w->final_src);
    free(w->only_asserts);
    free(w->waits);
    free(w->range);
    for (int t = 0; t < AU_PATHS_THREADS; t++)
        au_vec_release(&w->line[t]);
    au_intern_release(&w->keys);
    au_vec_release(&w->least);
}

/* --- what a thread can do -------------------------------------------------------------------- */

bool au_paths_started(const au_paths *w, const au_path_state *s, uint32_t t) {
    uint32_t v = w->m->thread.at[t].started;
    return v == AU_NONE || w->semantics == AU_SEM_LOCKS || s->value[v] != 0;
}

bool au_paths_done(const au_paths *w, const au_path_state *s, uint32_t t) {
    return !s->stopped[t] && s->node[t] == w->m->thread.at[t].exit;
}

bool au_paths_gone(const au_paths *w, const au_path_state *s, uint32_t t) {
    return s->stopped[t] || (w->semantics == AU_SEM_MCM && s->ran[t] == w->line[t].n &&
                             au_paths_started(w, s, t) && !au_paths_done(w, s, t));
}

bool au_paths_complete(const au_paths *w, const au_path_state *s) {
    for (uint32_t t = 0; t < w->m->thread.n; t++)
        if (au_paths_started(w, s, t) && !au_paths_done(w, s, t))
            return false;
    return true;
}

/* The edges a thread stands before. */
static uint32_t edges(const au_paths *w, const au_path_state *s, uint32_t t,
                      const uint32_t **edge) {
    if (au_paths_gone(w, s, t) || !au_paths_started(w, s, t) || au_paths_done(w, s, t))
        return 0;
    const au_node *n = &w->m->thread.at[t].node.at[s->node[t]];
    /* Whom a signal wakes and what wakes a waiter are open; of data only what was seen. */
    if (w->semantics == AU_SEM_MCM &&
        w->m->step.at[w->line[t].at[s->ran[t]]].kind <= AU_STEP_HAVOC) {
        *edge = &w->line[t].at[s->ran[t]];
        return 1;
    }
    *edge = n->out.at;
    return (uint32_t)n->out.n;
}

uint32_t au_paths_next(const au_paths *w, const au_path_state *s, uint32_t t) {
    const uint32_t *edge;
    return edges(w, s, t, &edge) ? w->first[edge[0]] : AU_NONE;
}

/* --model locks: what is left of a wait. */
static bool lock_is_mine(const au_paths *w, const au_path_state *s, uint32_t obj, uint32_t t) {
    return s->value[w->m->obj.at[obj].var[0]] == t + 1;
}
static bool lock_is_open(const au_paths *w, const au_path_state *s, uint32_t obj, uint32_t t) {
    const au_sync_obj *o = &w->m->obj.at[obj];
    uint64_t owner = s->value[o->var[0]];
    return owner == 0 || (o->kind == AU_OBJ_RLOCK && owner == t + 1);
}

/* May the edge be taken now, as far as its guard goes? */
static bool open_edge(const au_paths *w, const au_path_state *s, const au_step *e) {
    const au_model *m = w->m;
    if (w->semantics == AU_SEM_CTP || w->semantics == AU_SEM_MCM)
        return au_term_eval(m->terms, e->guard, s->value) != 0;
    switch (e->kind) {
    case AU_STEP_ASSIGN:
    case AU_STEP_ASSUME:
    case AU_STEP_ASSERT:
    case AU_STEP_BRANCH:
    case AU_STEP_NOP:
    case AU_STEP_HAVOC:
        return true;
    default:
        break;
    }
    if (w->semantics == AU_SEM_CAM)
        return au_term_eval(m->terms, e->guard, s->value) != 0;
    switch (e->kind) {
    case AU_STEP_ACQ:
    case AU_STEP_REL:
    case AU_STEP_RDACQ:
    case AU_STEP_WRACQ:
        return !is_lock(m, e->obj) || au_term_eval(m->terms, e->guard, s->value) != 0;
    case AU_STEP_WAIT:
        return !is_lock(m, e->obj2) || lock_is_mine(w, s, e->obj2, e->thread);
    case AU_STEP_WAKE:
        return !e->spurious && (!is_lock(m, e->obj2) || lock_is_open(w, s, e->obj2, e->thread));
    case AU_STEP_SIGNAL: /* all its edges do nothing: one is enough */
        return w->first[e->id] == e->id;
    default:
        return true;
    }
}

/* --model mcm: does a read see another value than it saw in the run, where that matters? */
static bool value_differs(const au_paths *w, const au_path_state *s, const au_step *e) {
    if (w->semantics != AU_SEM_MCM)
        return false;
    bool for_asserts = e->kind == AU_STEP_ASSIGN || e->kind == AU_STEP_ASSERT;
    for (uint32_t i = 0; i < e->n_updates; i++)
        if (w->m->var.at[e->update[i].var].kind != AU_VAR_SYNC &&
            !w->only_asserts[e->update[i].var])
            for_asserts = false;
    if (for_asserts)
        return false;
    for (uint32_t i = 0; i < e->n_accesses; i++) {
        uint32_t v = e->access[i].var;
        if (!e->access[i].write &&
            s->value[v] != w->observed_val[w->first[e->id] * w->m->var.n + v])
            return true;
    }
    return false;
}

bool au_paths_elsewhere(const au_paths *w, const au_path_state *s, uint32_t t) {
    const uint32_t *edge;
    if (w->semantics != AU_SEM_MCM || !edges(w, s, t, &edge))
        return false;
    const au_step *e = &w->m->step.at[edge[0]];
    return value_differs(w, s, e) && (!e->blocking || open_edge(w, s, e));
}

static bool keeps_reads(const au_paths *w, const au_path_state *s, const au_step *e) {
    uint32_t f = w->first[e->id];
    for (uint32_t i = 0; i < e->n_accesses; i++) {
        uint32_t v = e->access[i].var;
        if (!e->access[i].write &&
            (!w->observed[f] || s->writer[v] != w->observed_src[f * w->m->var.n + v]))
            return false;
    }
    return true;
}

uint32_t au_paths_moves(const au_paths *w, const au_path_state *s, uint32_t t, au_path_move *move) {
    const uint32_t *edge;
    uint32_t count = s->frozen[t] || s->unkept_write ? 0 : edges(w, s, t, &edge), n = 0;
    bool may_wait = false;
    for (uint32_t i = 0; i < count; i++) {
        const au_step *e = &w->m->step.at[edge[i]];
        may_wait |= e->blocking;
        bool unkept = w->keep_reads && !keeps_reads(w, s, e);
        if (value_differs(w, s, e)) {
            may_wait = true; /* not now */
            if (!unkept || e->blocking)
                continue;
        } else if (!open_edge(w, s, e) && !(unkept && !e->blocking)) {
            continue;
        }
        if (unkept && w->whole) {
            may_wait = true; /* its thread could not go on to its end */
            continue;
        }
        bool may_hold = true, may_fail = false;
        if (e->kind == AU_STEP_ASSERT) {
            bool values = w->semantics == AU_SEM_CTP || w->semantics == AU_SEM_MCM;
            if (values || au_term_is_const(w->m->terms, e->cond))
                may_hold = au_term_eval(w->m->terms, e->cond, s->value) != 0, may_fail = !may_hold;
            else
                may_fail = true;
        }
        if (may_hold)
            move[n++] = (au_path_move){edge[i], AU_RAN, unkept};
        if (may_fail)
            move[n++] = (au_path_move){edge[i], AU_FAILED, unkept};
    }
    if (count && !n && !may_wait) {
        const au_step *e = &w->m->step.at[edge[0]];
        move[n++] = (au_path_move){edge[0], AU_HALTED, w->keep_reads && !keeps_reads(w, s, e)};
    }
    return n;
}

bool au_paths_waiting(const au_paths *w, const au_path_state *s, uint32_t t) {
    const uint32_t *edge;
    uint32_t count = s->frozen[t] ? 0 : edges(w, s, t, &edge);
    bool blocking = false;
    for (uint32_t i = 0; i < count; i++) {
        const au_step *e = &w->m->step.at[edge[i]];
        if (e->spurious)
            continue;
        /* mcm: a value that lets it go on, if not as in the run, is no waiting */
        if (open_edge(w, s, e))
            return false;
        blocking |= e->blocking;
    }
    return blocking;
}

static bool updates(const au_paths *w, const au_step *e, uint32_t var) {
    if (w->semantics == AU_SEM_CTP || w->semantics == AU_SEM_MCM)
        return true;
    if (w->m->var.at[var].kind != AU_VAR_SYNC)
        return false;
    if (w->semantics == AU_SEM_CAM)
        return true;
    return (e->kind == AU_STEP_ACQ || e->kind == AU_STEP_REL || e->kind == AU_STEP_RDACQ ||
            e->kind == AU_STEP_WRACQ) &&
           is_lock(w->m, e->obj);
}

void au_paths_take(au_paths *w, uint32_t depth, const au_path_move *move) {
    AU_BUG_IF(depth >= AU_PATHS_DEPTH);
    const au_model *m = w->m;
    const au_path_state *from = &w->state[depth];
    au_path_state *to = &w->state[depth + 1];
    const au_step *e = &m->step.at[move->step];
    uint32_t t = e->thread;
    memcpy(to, from, sizeof *to);
    bool goes_on = move->outcome == AU_RAN || (move->outcome == AU_FAILED && w->whole);
    if (move->outcome != AU_HALTED) {
        to->ran[t]++;
        to->switches += from->last != AU_NONE && from->last != t;
        to->last = t;
    }
    to->spurious |= e->spurious;
    to->n_unkept += move->unkept;
    to->frozen[t] = move->unkept;
    for (uint32_t i = 0; i < e->n_accesses; i++)
        to->unkept_write |= goes_on && move->unkept && e->access[i].write;
    to->stopped[t] = !goes_on;
    if (goes_on) {
        uint64_t next[AU_PATHS_VARS];
        for (uint32_t i = 0; i < e->n_updates; i++)
            next[i] = au_term_eval(m->terms, e->update[i].value, from->value);
        for (uint32_t i = 0; i < e->n_updates; i++)
            if (updates(w, e, e->update[i].var))
                to->value[e->update[i].var] = next[i];
        if (w->semantics == AU_SEM_LOCKS && e->kind == AU_STEP_WAIT && is_lock(m, e->obj2)) {
            const au_sync_obj *o = &m->obj.at[e->obj2];
            if (o->kind == AU_OBJ_LOCK || --to->value[o->var[1]] == 0)
                to->value[o->var[0]] = 0;
        }
        if (w->semantics == AU_SEM_LOCKS && e->kind == AU_STEP_WAKE && is_lock(m, e->obj2)) {
            const au_sync_obj *o = &m->obj.at[e->obj2];
            to->value[o->var[0]] = t + 1;
            if (o->kind == AU_OBJ_RLOCK)
                to->value[o->var[1]]++;
        }
        for (uint32_t i = 0; i < e->n_accesses; i++)
            if (e->access[i].write)
                to->writer[e->access[i].var] = e->id;
        to->node[t] = e->dst;
        if (takes_lock(m, e) && to->holds[t]++ == 0)
            to->section[t] = w->waits[e->id] ? 0 : depth + 1;
        if (e->kind == AU_STEP_REL && is_lock(m, e->obj) && --to->holds[t] == 0)
            to->section[t] = 0;
    }
    w->event[depth] = (au_path_event){move->step, move->outcome, move->unkept, from->ran[t] + 1,
                                      from->section[t]};
}

/* --- the walk ------------------------------------------------------------------------------------
 */

void au_paths_emit(au_paths *w, const uint32_t *word, size_t n, uint32_t end) {
    const char *bytes = (const char *)word;
    size_t len = n * sizeof *word;
    if (w->probe) {
        w->probe_hit |= len == w->probe_len && !memcmp(bytes, w->probe, len);
        return;
    }
    uint32_t id = au_intern_add(&w->keys, bytes, len);
    if (id == w->least.n)
        au_vec_push(&w->least, ((au_path_least){AU_NONE, AU_NONE}));
    au_path_least *least = &w->least.at[id];
    const au_path_state *s = &w->state[end];
    if (s->switches < least->any)
        least->any = s->switches;
    if (!s->spurious && s->switches < least->without_spurious)
        least->without_spurious = s->switches;
}

static void walk(au_paths *w, uint32_t depth) {
    const au_path_state *s = &w->state[depth];
    if (w->over || ++w->steps > w->budget) {
        w->over = true;
        return;
    }
    au_paths_see_deadlock(w, depth);
    if (!w->whole) {
        if (depth)
            au_paths_see_event(w, depth - 1, depth);
        au_paths_see_state(w, depth, depth);
    }
    bool moved = false;
    for (uint32_t t = 0; t < w->m->thread.n; t++) {
        au_path_move move[AU_PATHS_MOVES];
        uint32_t n = au_paths_moves(w, s, t, move);
        for (uint32_t i = 0; i < n; i++) {
            moved = true;
            if (s->n_unkept + move[i].unkept > 2)
                continue; /* f and e2 at most */
            au_paths_take(w, depth, &move[i]);
            walk(w, depth + 1);
        }
    }
    if (moved)
        return;
    w->paths++;
    if (w->whole) {
        if (!au_paths_complete(w, s))
            return;
        for (uint32_t i = 0; i <= depth; i++)
            au_paths_see_state(w, i, depth);
        for (uint32_t i = 0; i < depth; i++)
            au_paths_see_event(w, i, depth);
    }
    au_paths_see_final(w, depth);
}

bool au_paths_walk(au_paths *w, uint64_t budget) {
    const au_model *m = w->m;
    au_path_state *s = &w->state[0];
    memset(s, 0, sizeof *s);
    s->last = AU_NONE;
    for (size_t v = 0; v < m->var.n; v++) {
        s->value[v] = m->var.at[v].init;
        s->writer[v] = AU_NONE;
    }
    for (size_t t = 0; t < m->thread.n; t++)
        s->node[t] = m->thread.at[t].entry;
    w->budget = budget;
    w->steps = w->paths = 0;
    w->over = false;
    walk(w, 0);
    return !w->over;
}
