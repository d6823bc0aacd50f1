/* tsg/sems.c: see sems.h. */
#include "tsg/sems.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

/* Beyond these a semaphore is no lock: less is ruled out, nothing is lost. */
enum { MOST_STATES = 20000, MOST_LOCALS = 3, MOST_WAYS = 64 };

void au_sems_init(au_sems *s, const au_facts *f) {
    const au_model *m = f->m;
    *s = (au_sems){0};
    s->role = au_alloc_array(m->step.n + 1, sizeof *s->role);
    s->obj = au_alloc_array(m->step.n + 1, sizeof *s->obj);
    s->tried = au_alloc_array(m->obj.n + 1, sizeof *s->tried);
    s->is = au_alloc_array(m->obj.n + 1, sizeof *s->is);
    for (uint32_t o = 0; o < m->obj.n; o++)
        s->any |= m->obj.at[o].kind == AU_OBJ_SEM && m->obj.at[o].init == 1;
}

void au_sems_release(au_sems *s) {
    free(s->role);
    free(s->obj);
    free(s->tried);
    free(s->is);
    *s = (au_sems){0};
}

static void clear(au_sems *s, const au_model *m, uint32_t obj) {
    for (uint32_t i = 0; i < m->step.n; i++)
        if (s->role[i] && s->obj[i] == obj)
            s->role[i] = AU_SEM_NONE;
}

static void put(au_sems *s, uint32_t step, uint32_t obj, au_sem_role role) {
    s->role[step] = (uint8_t)role;
    s->obj[step] = obj;
}

/* --- sections of the mutex ------------------------------------------------------------------------- */

/* A way through a section, the counter being c0 at its beginning. */
typedef struct {
    uint32_t node, from; /* from: the step that took the mutex */
    int8_t change;       /* of the counter */
    uint8_t knows;       /* of c0: NOTHING, it IS, IS_NOT 'number' */
    bool took, gave;
    uint8_t n; /* locals that are c0 + by */
    uint64_t number;
    uint32_t local[MOST_LOCALS];
    uint64_t by[MOST_LOCALS];
} way;
enum { NOTHING, IS, IS_NOT };

enum { CLASS_NEUTRAL = 1, CLASS_ENTERS, CLASS_LEAVES };

typedef struct {
    const au_facts *f;
    uint32_t sem, mutex, counter;
    uint64_t mask;
    AU_VEC(way) todo;
    au_map seen;
    uint8_t *class; /* by step: of sections that begin or end with it */
    bool good;
} sections;

static void visit(sections *x, way *w) {
    uint64_t h = au_hash_join(au_key2(w->node, w->from), (uint64_t)(uint8_t)w->change << 16 |
                                                             (uint64_t)w->knows << 8 |
                                                             (uint64_t)w->took << 1 | w->gave);
    h = au_hash_join(au_hash_join(h, w->number), w->n);
    for (unsigned i = 0; i < w->n; i++)
        h = au_hash_join(au_hash_join(h, w->local[i]), w->by[i]);
    bool fresh;
    au_map_put(&x->seen, h, &fresh);
    if (!fresh)
        return;
    if (x->seen.n > MOST_STATES)
        x->good = false;
    else
        au_vec_push(&x->todo, *w);
}

static void forget(way *w, uint32_t var) {
    unsigned keep = 0;
    for (unsigned i = 0; i < w->n; i++)
        if (w->local[i] != var) {
            w->local[keep] = w->local[i];
            w->by[keep++] = w->by[i];
        }
    w->n = (uint8_t)keep;
}

/* The term is c0 + *by. */
static bool follows(const sections *x, const way *w, au_term term, uint64_t *by) {
    const au_terms *t = x->f->m->terms;
    au_term_op op = au_term_kind(t, term);
    if (op == AU_T_VAR) {
        uint32_t v = au_term_var(t, term);
        *by = (uint64_t)(int64_t)w->change;
        if (v == x->counter)
            return true;
        for (unsigned i = 0; i < w->n; i++)
            if (w->local[i] == v) {
                *by = w->by[i];
                return true;
            }
        return false;
    }
    if ((op != AU_T_ADD && op != AU_T_SUB) ||
        au_term_width(t, term) != x->f->m->var.at[x->counter].width)
        return false;
    for (unsigned k = 0; k < 2; k++) {
        au_term c = au_term_kid(t, term, k);
        uint64_t of;
        if (!au_term_is_const(t, c) || (op == AU_T_SUB && !k) ||
            !follows(x, w, au_term_kid(t, term, 1 - k), &of))
            continue;
        uint64_t n = au_term_value(t, c);
        *by = op == AU_T_ADD ? of + n : of - n;
        return true;
    }
    return false;
}

/* What the guard says of c0. False: it cannot hold. */
static bool learn(const sections *x, way *w, au_term guard) {
    const au_terms *t = x->f->m->terms;
    bool not_ = false;
    while (au_term_kind(t, guard) == AU_T_NOT) {
        not_ = !not_;
        guard = au_term_kid(t, guard, 0);
    }
    if (au_term_kind(t, guard) != AU_T_EQ)
        return true;
    for (unsigned k = 0; k < 2; k++) {
        au_term c = au_term_kid(t, guard, k);
        uint64_t by;
        if (!au_term_is_const(t, c) || !follows(x, w, au_term_kid(t, guard, 1 - k), &by))
            continue;
        uint64_t number = (au_term_value(t, c) - by) & x->mask;
        if (w->knows == IS)
            return (w->number == number) != not_;
        if (w->knows == IS_NOT && w->number == number)
            return not_;
        if (w->knows == NOTHING || !not_) {
            w->knows = not_ ? IS_NOT : IS;
            w->number = number;
        }
        return true;
    }
    return true;
}

/* At the end of a section: did it keep what sems.h says? */
static uint8_t class_of(const way *w) {
    if (!w->change)
        return w->took || w->gave ? 0 : CLASS_NEUTRAL;
    uint64_t edge = w->change > 0 ? 0 : 1;
    bool last = w->knows == IS && w->number == edge,
         others = w->knows == IS_NOT && w->number == edge;
    bool acts = w->change > 0 ? w->took && !w->gave : w->gave && !w->took;
    bool quiet = !w->took && !w->gave;
    if (!(last && acts) && !(others && quiet))
        return 0;
    return w->change > 0 ? CLASS_ENTERS : CLASS_LEAVES;
}

static void end_section(sections *x, const way *w, uint32_t step) {
    uint8_t class = class_of(w);
    uint8_t *begins = &x->class[w->from], *ends = &x->class[step];
    if (!class || (*begins && *begins != class) || (*ends && *ends != class)) {
        x->good = false;
        return;
    }
    *begins = *ends = class;
}

static void take_step(sections *x, const way *from, const au_step *s) {
    const au_model *m = x->f->m;
    way w = *from;
    uint64_t by;
    if ((s->kind == AU_STEP_REL && s->obj == x->mutex) ||
        (s->kind == AU_STEP_WAIT && s->obj2 == x->mutex)) {
        end_section(x, &w, s->id);
        return;
    }
    if ((s->kind == AU_STEP_ACQ || s->kind == AU_STEP_REL) && s->obj == x->sem) {
        x->good &= !w.took && !w.gave;
        *(s->kind == AU_STEP_ACQ ? &w.took : &w.gave) = true;
    } else if (!learn(x, &w, s->guard)) {
        return;
    }
    int8_t change = w.change;
    way now = w;
    for (uint32_t u = 0; u < s->n_updates; u++) {
        uint32_t v = s->update[u].var;
        bool known = follows(x, &w, s->update[u].value, &by);
        if (v == x->counter) {
            /* by, cut to the counter's width, as a number with a sign */
            int64_t d = !known ? 2 : (by & x->mask) == x->mask ? -1 : (int64_t)(by & x->mask);
            x->good &= d >= -1 && d <= 1 && !w.change;
            change = (int8_t)d;
            continue;
        }
        forget(&now, v);
        if (known && now.n < MOST_LOCALS && m->var.at[v].kind == AU_VAR_LOCAL &&
            m->var.at[v].width == m->var.at[x->counter].width) {
            now.local[now.n] = v;
            now.by[now.n++] = by;
        }
    }
    if (s->havoc != AU_NONE) {
        x->good &= s->havoc != x->counter;
        forget(&now, s->havoc);
    }
    now.change = change;
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

static bool group(au_sems *s, const au_facts *f, uint32_t sem, uint32_t mutex, uint32_t counter,
                  au_sems_holds *holds, const void *ctx) {
    const au_model *m = f->m;
    unsigned width = m->var.at[counter].width;
    sections x = {.f = f, .sem = sem, .mutex = mutex, .counter = counter};
    x.mask = width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX;
    x.class = au_alloc_array(m->step.n + 1, sizeof *x.class);
    au_map_init(&x.seen);
    bool good = check_sections(&x), any = false;
    for (uint32_t i = 0; i < m->step.n && good; i++) {
        const au_step *p = &m->step.at[i];
        bool mine = (p->kind == AU_STEP_ACQ || p->kind == AU_STEP_REL) && p->obj == sem;
        if (mine && !holds(ctx, au_facts_src(f, i), mutex))
            put(s, i, sem, p->kind == AU_STEP_ACQ ? AU_SEM_TAKE : AU_SEM_GIVE);
        if (is_taken(&x, p) ? x.class[i] == CLASS_LEAVES : x.class[i] == CLASS_ENTERS) {
            good &= p->kind != AU_STEP_WAIT && p->kind != AU_STEP_WAKE && !s->role[i];
            put(s, i, sem, is_taken(&x, p) ? AU_SEM_LEAVE : AU_SEM_ENTER);
            any = true;
        }
    }
    au_map_release(&x.seen);
    au_vec_release(&x.todo);
    free(x.class);

    if (!good || !any)
        clear(s, m, sem);
    return good && any;
}

/* --- ways -------------------------------------------------------------------------------------------- */

/* Every touch of the variable is under the mutex. */
static bool protected(const au_facts *f, uint32_t var, uint32_t mutex, au_sems_holds *holds,
                      const void *ctx) {
    for (size_t i = 0; i < f->cell_steps[var].n; i++)
        if (!holds(ctx, au_facts_src(f, f->cell_steps[var].at[i]), mutex))
            return false;
    return f->cell_steps[var].n > 0;
}

/* Some post of the semaphore is made under the mutex. */
static bool posted_under(const au_facts *f, uint32_t sem, uint32_t mutex, au_sems_holds *holds,
                         const void *ctx) {
    for (uint32_t i = 0; i < f->m->step.n; i++) {
        const au_step *p = &f->m->step.at[i];
        if (p->kind == AU_STEP_REL && p->obj == sem && holds(ctx, au_facts_src(f, i), mutex))
            return true;
    }
    return false;
}

/* Only acquires and releases touch it: a wait for a condition that gives it back meanwhile (.ctp has such) does both. */
static bool plainly_used(const au_model *m, uint32_t obj) {
    for (uint32_t i = 0; i < m->step.n; i++) {
        const au_step *p = &m->step.at[i];
        if ((p->kind == AU_STEP_WAIT || p->kind == AU_STEP_WAKE) && p->obj2 == obj)
            return false;
    }
    return true;
}

static bool alone(au_sems *s, const au_model *m, uint32_t obj) {
    for (uint32_t i = 0; i < m->step.n; i++) {
        const au_step *p = &m->step.at[i];
        if ((p->kind == AU_STEP_ACQ || p->kind == AU_STEP_REL) && p->obj == obj)
            put(s, i, obj, p->kind == AU_STEP_ACQ ? AU_SEM_TAKE : AU_SEM_GIVE);
    }
    return true;
}

bool au_sems_next(au_sems *s, const au_facts *f, uint32_t obj, au_sems_holds *holds,
                  const void *ctx) {
    const au_model *m = f->m;
    uint32_t way_number = 0, from = s->tried[obj]++;
    s->is[obj] = false;
    clear(s, m, obj);
    if (m->obj.at[obj].kind != AU_OBJ_SEM || m->obj.at[obj].init != 1 || from > MOST_WAYS ||
        !plainly_used(m, obj))
        return false;
    if (!from)
        return s->is[obj] = alone(s, m, obj);
    for (uint32_t l = 0; l < m->obj.n; l++) {
        if (m->obj.at[l].kind != AU_OBJ_LOCK || !posted_under(f, obj, l, holds, ctx))
            continue;
        for (uint32_t v = 0; v < m->var.n; v++) {
            if (m->var.at[v].kind != AU_VAR_SHARED || m->var.at[v].init ||
                !protected(f, v, l, holds, ctx) || ++way_number < from)
                continue;
            s->tried[obj] = way_number + 1;
            if (group(s, f, obj, l, v, holds, ctx))
                return s->is[obj] = true;
        }
    }
    return false;
}
