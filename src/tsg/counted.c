/* tsg/counted.c: see counted.h. */
#include "tsg/counted.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

/* Beyond these nothing is a lock: less is ruled out, nothing is lost. */
enum { MOST_STATES = 20000, MOST_LOCALS = 4, MOST_VARS = 12, MOST_LOCKS = 64, LEAST_WIDTH = 32 };

enum { COUNTS, FLAGS, PARTS }; /* r and w of counted.h */
enum {
    NOT_KNOWN,
    IS_ZERO,
    IS_NOT_ZERO
}; /* of what a variable was at the beginning of the section */

typedef enum { KEPT, MORE, LESS, CLEARED, SET } change; /* CLEARED: to 0; SET: to 1 */

typedef struct {
    uint32_t local;
    uint8_t part;
    int8_t by; /* the local is what the variable was, and this much more */
} copy;

/* A way through a section. */
typedef struct {
    uint32_t node, from; /* from: the step that took the mutex */
    uint8_t changed[PARTS], knows[PARTS];
    uint8_t n;
    copy copy[MOST_LOCALS];
} way;

typedef struct {
    const au_facts *f;
    uint32_t mutex, var[PARTS]; /* var[COUNTS]: AU_NONE if there is none */
    AU_VEC(way) todo;
    au_map seen;
    uint8_t *ends; /* by step: 1 + the role of sections that end with it */
    uint8_t *
        begins; /* by step: the role of those that begin with it and give the lock; KEEPS if none does */
    bool good;
} sections;

void au_counted_init(au_counted *c, const au_facts *f) {
    const au_model *m = f->m;
    *c = (au_counted){0};
    c->role = au_alloc_array(m->step.n + 1, sizeof *c->role);
    c->of = au_alloc_array(m->step.n + 1, sizeof *c->of);
    /* Locks that nobody waits for with a condition are spun for: then any flag under a mutex might be one, and there are many. */
    bool *waited = au_alloc_array(m->obj.n + 1, sizeof *waited);
    for (uint32_t i = 0; i < m->step.n; i++)
        if (m->step.at[i].kind == AU_STEP_WAIT)
            waited[m->step.at[i].obj2] = true;
    for (uint32_t o = 0; o < m->obj.n; o++)
        if (m->obj.at[o].kind == AU_OBJ_LOCK && waited[o] && c->lock.n < MOST_LOCKS)
            au_vec_push(&c->lock, ((au_counted_lock){.mutex = o}));
    free(waited);
}

void au_counted_release(au_counted *c) {
    free(c->role);
    free(c->of);
    au_vec_release(&c->lock);
    *c = (au_counted){0};
}

/* --- what is known ---------------------------------------------------------------------------------- */

static bool counter_of(const sections *x, uint32_t var, uint8_t *part) {
    for (uint8_t p = 0; p < PARTS; p++)
        if (x->var[p] == var) {
            *part = p;
            return true;
        }
    return false;
}

/* The term is what a variable was at the beginning, and *by more. A narrower or wider copy of it only as it is, and of the
 * flag only: 0 and 1 are the same in all widths. */
static bool follows(const sections *x, const way *w, au_term term, uint8_t *part, int *by) {
    const au_terms *t = x->f->m->terms;
    au_term_op op = au_term_kind(t, term);
    if (op == AU_T_VAR) {
        uint32_t v = au_term_var(t, term);
        if (counter_of(x, v, part)) {
            *by = w->changed[*part] == MORE ? 1 : w->changed[*part] == LESS ? -1 : 0;
            return w->changed[*part] <= LESS;
        }
        for (unsigned i = 0; i < w->n; i++)
            if (w->copy[i].local == v) {
                *part = w->copy[i].part;
                *by = w->copy[i].by;
                return true;
            }
        return false;
    }
    if (op == AU_T_ZEXT || op == AU_T_SEXT || (op == AU_T_EXTRACT && !au_term_low(t, term))) {
        au_term kid = au_term_kid(t, term, 0);
        return (op != AU_T_SEXT || au_term_width(t, kid) > 1) && follows(x, w, kid, part, by) &&
               *part == FLAGS && !*by;
    }
    if (op != AU_T_ADD && op != AU_T_SUB)
        return false;
    for (unsigned k = 0; k < 2; k++) {
        au_term c = au_term_kid(t, term, k);
        int of;
        if (!au_term_is_const(t, c) || (op == AU_T_SUB && !k) ||
            !follows(x, w, au_term_kid(t, term, 1 - k), part, &of))
            continue;
        unsigned width = au_term_width(t, term);
        uint64_t mask = width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX;
        uint64_t n = au_term_value(t, c);
        int d = n == 1 ? 1 : n == mask ? -1 : 0;
        *by = op == AU_T_ADD ? of + d : of - d;
        return d && au_term_width(t, term) == x->f->m->var.at[x->var[*part]].width;
    }
    return false;
}

/* False: it cannot be. */
static bool know(way *w, uint8_t part, bool zero) {
    uint8_t is = zero ? IS_ZERO : IS_NOT_ZERO;
    if (w->knows[part] && w->knows[part] != is)
        return false;
    w->knows[part] = is;
    return true;
}

/* The variable was 'number' at the beginning (not: it was something else). */
static bool learn_equal(way *w, uint8_t part, uint64_t number, bool is) {
    if (!number)
        return know(w, part, is);
    if (is)
        return know(w, part, false);
    return part != FLAGS || number != 1 || know(w, part, true);
}

/* What the guard says. False: it cannot hold. */
static bool learn(const sections *x, way *w, au_term guard) {
    const au_terms *t = x->f->m->terms;
    bool is = true;
    uint8_t part;
    int by;
    for (; au_term_kind(t, guard) == AU_T_NOT; guard = au_term_kid(t, guard, 0))
        is = !is;
    au_term_op op = au_term_kind(t, guard);
    if (op == AU_T_AND && is) /* of two conditions: both hold */
        return learn(x, w, au_term_kid(t, guard, 0)) && learn(x, w, au_term_kid(t, guard, 1));
    if (follows(x, w, guard, &part, &by)) /* the flag as a bit */
        return know(w, part, !is);
    if (op != AU_T_EQ && op != AU_T_ULT && op != AU_T_SLT && op != AU_T_ULE && op != AU_T_SLE)
        return true;
    for (unsigned k = 0; k < 2; k++) {
        au_term c = au_term_kid(t, guard, k);
        if (!au_term_is_const(t, c) || !follows(x, w, au_term_kid(t, guard, 1 - k), &part, &by))
            continue;
        uint64_t n = au_term_value(t, c);
        if (op == AU_T_EQ && (int64_t)n < INT32_MAX && (int64_t)n >= 0)
            return (int64_t)n - by < 0 || learn_equal(w, part, (uint64_t)((int64_t)n - by), is);
        if (by || n > 1) /* neither is ever negative */
            return true;
        bool orequal = op == AU_T_ULE || op == AU_T_SLE;
        /* var < 1, var <= 0, 0 < var, 1 <= var */
        if (k == 1 ? n == !orequal : n == orequal)
            return know(w, part, k == 1 ? is : !is);
        return true;
    }
    return true;
}

/* --- sections of the mutex --------------------------------------------------------------------------- */

static void visit(sections *x, way *w) {
    uint64_t h = au_hash_join(au_key2(w->node, w->from), w->n);
    for (unsigned p = 0; p < PARTS; p++)
        h = au_hash_join(h, (uint64_t)w->changed[p] << 8 | w->knows[p]);
    for (unsigned i = 0; i < w->n; i++)
        h = au_hash_join(au_hash_join(h, w->copy[i].local),
                         (uint64_t)w->copy[i].part << 8 | (uint8_t)w->copy[i].by);
    bool fresh;
    au_map_put(&x->seen, h, &fresh);
    if (!fresh)
        return;
    if (x->seen.n > MOST_STATES)
        x->good = false;
    else
        au_vec_push(&x->todo, *w);
}

/* What a section did. False: none of what counted.h allows. */
static bool role_of(const sections *x, const way *w, au_counted_role *role) {
    uint8_t r = w->changed[COUNTS], f = w->changed[FLAGS];
    bool free_ = w->knows[FLAGS] == IS_ZERO;
    bool empty = x->var[COUNTS] == AU_NONE || w->knows[COUNTS] == IS_ZERO;
    if (r == CLEARED && w->knows[COUNTS] == IS_ZERO)
        r = KEPT;
    if (f == CLEARED && free_)
        f = KEPT;
    if (r == KEPT && f == KEPT)
        *role = AU_COUNTED_NONE;
    else if (r == MORE && f == KEPT && free_)
        *role = AU_COUNTED_READ;
    else if (r == LESS && f == KEPT)
        *role = AU_COUNTED_DONE;
    else if (r == KEPT && (f == MORE || f == SET) && free_ && empty)
        *role = AU_COUNTED_WRITE;
    else if (r == KEPT && (f == LESS || f == CLEARED))
        *role = AU_COUNTED_WRITTEN;
    else
        return false;
    return true;
}

static void end_section(sections *x, const way *w, uint32_t step) {
    au_counted_role role;
    if (!role_of(x, w, &role)) {
        x->good = false;
        return;
    }
    if (role == AU_COUNTED_DONE || role == AU_COUNTED_WRITTEN) { /* on some way through it */
        x->good &= !x->begins[w->from] || x->begins[w->from] == role;
        x->begins[w->from] = (uint8_t)role;
        role = AU_COUNTED_NONE;
    }
    /* … and on all that end there. */
    if (x->ends[step] && x->ends[step] != role + 1)
        role = AU_COUNTED_NONE;
    x->ends[step] = (uint8_t)(role + 1);
}

static change change_of(const sections *x, const way *w, uint8_t part, au_term value) {
    const au_terms *t = x->f->m->terms;
    uint8_t of;
    int by;
    if (au_term_is_const(t, value))
        return au_term_value(t, value) == 0                    ? CLEARED
               : au_term_value(t, value) == 1 && part == FLAGS ? SET
                                                               : KEPT;
    if (!follows(x, w, value, &of, &by) || of != part || (by != 1 && by != -1))
        return KEPT; /* none that is known */
    return by > 0 ? MORE : LESS;
}

static void forget(way *w, uint32_t local) {
    uint8_t keep = 0;
    for (uint8_t i = 0; i < w->n; i++)
        if (w->copy[i].local != local)
            w->copy[keep++] = w->copy[i];
    w->n = keep;
}

static void take_step(sections *x, const way *from, const au_step *s) {
    way w = *from;
    uint8_t part;
    int by;
    if ((s->kind == AU_STEP_REL && s->obj == x->mutex) ||
        (s->kind == AU_STEP_WAIT && s->obj2 == x->mutex)) {
        end_section(x, &w, s->id);
        return;
    }
    if (!learn(x, &w, s->guard))
        return;
    for (uint32_t a = 0; a < s->n_accesses; a++) /* what is not said of it is not known */
        x->good &= !s->access[a].write || !counter_of(x, s->access[a].var, &part) || s->n_updates;
    way now = w;
    for (uint32_t u = 0; u < s->n_updates; u++) {
        uint32_t v = s->update[u].var;
        if (counter_of(x, v, &part)) {
            change c = change_of(x, &w, part, s->update[u].value);
            x->good &= c != KEPT && !w.changed[part];
            now.changed[part] = (uint8_t)c;
            continue;
        }
        forget(&now, v);
        if (now.n < MOST_LOCALS && x->f->m->var.at[v].kind == AU_VAR_LOCAL &&
            follows(x, &w, s->update[u].value, &part, &by))
            now.copy[now.n++] = (copy){v, part, (int8_t)by};
    }
    if (s->havoc != AU_NONE) {
        x->good &= !counter_of(x, s->havoc, &part);
        forget(&now, s->havoc);
    }
    now.node = au_facts_dst(x->f, s->id);
    if (x->good)
        visit(x, &now);
}

static bool is_taken(const sections *x, const au_step *s) {
    return (s->kind == AU_STEP_ACQ && s->obj == x->mutex) ||
           (s->kind == AU_STEP_WAKE && s->obj2 == x->mutex);
}

/* All sections of the mutex keep to it. */
static bool check_sections(sections *x) {
    const au_facts *f = x->f;
    const au_model *m = f->m;
    x->good = true;
    for (uint32_t i = 0; i < m->step.n; i++)
        if (is_taken(x, &m->step.at[i])) {
            way w = {.node = au_facts_dst(f, i), .from = i};
            visit(x, &w);
        }
    while (x->todo.n && x->good) {
        way w = au_vec_pop(&x->todo);
        const au_node *node = au_facts_node(f, w.node);
        for (size_t i = 0; i < node->out.n && x->good; i++)
            take_step(x, &w, &m->step.at[node->out.at[i]]);
    }
    return x->good;
}

/* --- ways -------------------------------------------------------------------------------------------- */

typedef struct {
    const au_facts *f;
    uint32_t mutex;
    au_sems_holds *holds;
    au_counted_first *first;
    const void *ctx;
} place;

/* It sets the variable to 0 while there is no other thread. */
static bool is_reset(const place *p, const au_step *s, uint32_t var) {
    const au_terms *t = p->f->m->terms;
    for (uint32_t u = 0; u < s->n_updates && s->havoc != var; u++)
        if (s->update[u].var == var)
            return au_term_is_const(t, s->update[u].value) &&
                   !au_term_value(t, s->update[u].value) &&
                   p->first(p->ctx, au_facts_src(p->f, s->id));
    return false;
}

static bool writes(const au_facts *f, uint32_t step, uint32_t var) {
    for (uint32_t k = f->first_touch[step]; k < f->first_touch[step + 1]; k++)
        if (f->touch[k].cell == var)
            return f->touch[k].write;
    return false;
}

/* Every write of the variable is under the mutex, or such a reset; some is under it. */
static bool protected(const place *p, uint32_t var) {
    bool any = false;
    for (size_t i = 0; i < p->f->cell_steps[var].n; i++) {
        uint32_t step = p->f->cell_steps[var].at[i];
        if (!writes(p->f, step, var))
            continue;
        bool under = p->holds(p->ctx, au_facts_src(p->f, step), p->mutex);
        if (!under && !is_reset(p, &p->f->m->step.at[step], var))
            return false;
        any |= under;
    }
    return any;
}

static void put(au_counted *c, uint32_t step, uint32_t lock, au_counted_role role) {
    c->role[step] = (uint8_t)role;
    c->of[step] = lock;
}

static void clear(au_counted *c, const au_model *m, uint32_t lock) {
    for (uint32_t i = 0; i < m->step.n; i++)
        if (c->role[i] && c->of[i] == lock)
            c->role[i] = AU_COUNTED_NONE;
}

static void put_resets(au_counted *c, const place *p, uint32_t lock, uint32_t var) {
    for (size_t i = 0; var != AU_NONE && i < p->f->cell_steps[var].n; i++) {
        uint32_t step = p->f->cell_steps[var].at[i];
        if (writes(p->f, step, var) && !p->holds(p->ctx, au_facts_src(p->f, step), p->mutex))
            put(c, step, lock, AU_COUNTED_RESET);
    }
}

/* Puts down the roles. False: nobody has it alone by them, or they contradict. */
static bool put_roles(au_counted *c, const place *p, const sections *x, uint32_t lock) {
    const au_model *m = p->f->m;
    bool good = true, any = false;
    for (uint32_t i = 0; i < m->step.n && good; i++) {
        uint8_t end = x->ends[i] ? x->ends[i] - 1 : AU_COUNTED_NONE, begin = x->begins[i];
        any |= end == AU_COUNTED_WRITE;
        if (!end && !begin)
            continue;
        good &= !(end && begin) && !c->role[i];
        put(c, i, lock, end ? (au_counted_role)end : (au_counted_role)begin);
    }
    for (uint8_t k = 0; k < PARTS && good; k++)
        put_resets(c, p, lock, x->var[k]);
    return good && any;
}

static bool is_lock(au_counted *c, const place *p, uint32_t lock, uint32_t counts, uint32_t flags) {
    const au_model *m = p->f->m;
    sections x = {.f = p->f, .mutex = p->mutex, .var = {counts, flags}};
    x.ends = au_alloc_array(m->step.n + 1, 1);
    x.begins = au_alloc_array(m->step.n + 1, 1);
    au_map_init(&x.seen);
    bool good = check_sections(&x) && put_roles(c, p, &x, lock);
    au_map_release(&x.seen);
    au_vec_release(&x.todo);
    free(x.ends);
    free(x.begins);
    if (!good)
        clear(c, m, lock);
    return good;
}

/* Such variables hold small numbers only. */
static bool may_count(const au_facts *f, uint32_t var) {
    const au_terms *t = f->m->terms;
    for (size_t i = 0; i < f->cell_steps[var].n; i++) {
        const au_step *s = &f->m->step.at[f->cell_steps[var].at[i]];
        if (s->havoc == var)
            return false;
        for (uint32_t u = 0; u < s->n_updates; u++)
            if (s->update[u].var == var && au_term_is_const(t, s->update[u].value) &&
                au_term_value(t, s->update[u].value) > 1)
                return false;
    }
    return true;
}

bool au_counted_next(au_counted *c, const au_facts *f, uint32_t lock, au_sems_holds *holds,
                     au_counted_first *first, const void *ctx) {
    const au_model *m = f->m;
    au_counted_lock *l = &c->lock.at[lock];
    place p = {f, l->mutex, holds, first, ctx};
    uint32_t var[MOST_VARS], n = 0, way_number = 0;
    clear(c, m, lock);
    l->is = false;
    for (uint32_t v = 0; v < m->var.n && n < MOST_VARS; v++)
        if (m->var.at[v].kind == AU_VAR_SHARED && !m->var.at[v].init && may_count(f, v) &&
            protected(&p, v))
            var[n++] = v;
    for (uint32_t i = 0; i < n; i++) /* with readers first */
        for (uint32_t k = 0; k <= n; k++) {
            uint32_t counts = k < n ? var[k] : AU_NONE;
            if (k == i || (k < n && m->var.at[counts].width < LEAST_WIDTH) ||
                ++way_number <= l->tried)
                continue;
            l->tried = way_number;
            if (is_lock(c, &p, lock, counts, var[i]))
                return l->is = true;
        }
    return false;
}
