/* solve/cssa_reads.c: which writes a read may see, and what must come before what.
 *
 * A writer is left out of a π-function if
 *   - it must come after the read;
 *   - another store of the variable, which happens whenever the read does, must come
 *     between the two;
 *   - with the constant that it writes the reader's guard is false (so a lock is only
 *     taken from where it was released).
 * A read with a single writer orders the two in turn: so forks and joins fold away, and
 * both are found together until nothing changes. */
#include "solve/cssa_priv.h"

typedef struct {
    au_cssa *c;
    AU_VEC(struct asked {
        uint32_t value;
        bool allows;
    })
    asked;        /* guard_allows of the read at hand */
    au_u32s *own; /* by read: stores of its own thread that reach it; AU_INITIAL: none does */
    au_term *map; /* by variable of the model: scratch */
    au_u32s sure; /* of the read at hand (find_sure) */
} finder;

static bool writes_var(const au_cssa *c, uint32_t event, uint32_t var) {
    const au_cssa_event *e = &c->event.at[event];
    for (uint32_t i = 0; i < e->n_writes; i++)
        if (c->write.at[e->first_write + i].var == var)
            return true;
    return false;
}

static au_term value_written(const au_cssa *c, uint32_t event, uint32_t var) {
    const au_cssa_event *e = &c->event.at[event];
    for (uint32_t i = 0; i < e->n_writes; i++)
        if (c->write.at[e->first_write + i].var == var)
            return c->write.at[e->first_write + i].value;
    return (au_term){UINT32_MAX};
}

/* It is a store whenever it is executed. */
static bool always_stores(const au_cssa *c, uint32_t event) {
    return au_term_same(c->event.at[event].passes, c->event.at[event].exec);
}

/* --- within the thread ---------------------------------------------------------- */

/* Straight threads: one pass with the last store of every variable. */
static void own_straight(finder *f, uint32_t t, uint32_t *last) {
    au_cssa *c = f->c;
    for (uint32_t e = c->first_event[t]; e < c->first_event[t + 1]; e++) {
        const au_cssa_event *x = &c->event.at[e];
        for (uint32_t i = 0; i < x->n_reads; i++)
            au_vec_push(&f->own[x->first_read + i], last[c->read.at[x->first_read + i].var]);
        for (uint32_t i = 0; i < x->n_writes; i++)
            last[c->write.at[x->first_write + i].var] = e;
    }
    for (uint32_t e = c->first_event[t]; e < c->first_event[t + 1]; e++)
        for (uint32_t i = 0; i < c->event.at[e].n_writes; i++)
            last[c->write.at[c->event.at[e].first_write + i].var] = AU_INITIAL;
}

/* Branching ones: backwards from the read along all paths. */
static void own_branching(finder *f, uint32_t t) {
    au_cssa *c = f->c;
    const au_model *m = c->m;
    const au_flow *flow = &c->more->flow[t];
    const au_thread *th = &m->thread.at[t];
    bool *been = au_alloc_array(th->node.n, sizeof *been);
    au_u32s todo = {0};
    for (uint32_t e = c->first_event[t]; e < c->first_event[t + 1]; e++) {
        const au_cssa_event *x = &c->event.at[e];
        for (uint32_t i = 0; i < x->n_reads; i++) {
            uint32_t r = x->first_read + i, var = c->read.at[r].var;
            bool initial = false;
            au_vec_clear(&todo);
            memset(been, 0, th->node.n * sizeof *been);
            au_vec_push(&todo, m->step.at[x->step].src);
            been[todo.at[0]] = true;
            while (todo.n && !au_cssa_late(c, 1)) {
                uint32_t node = au_vec_pop(&todo);
                initial |= node == th->entry;
                for (size_t k = 0; k < flow->in[node].n; k++) {
                    uint32_t s = flow->in[node].at[k], w = c->event_of[s];
                    if (writes_var(c, w, var)) {
                        au_vec_push(&f->own[r], w);
                    } else if (!been[m->step.at[s].src]) {
                        been[m->step.at[s].src] = true;
                        au_vec_push(&todo, m->step.at[s].src);
                    }
                }
            }
            if (initial)
                au_vec_push(&f->own[r], AU_INITIAL);
        }
    }
    au_vec_release(&todo);
    free(been);
}

/* --- between threads -------------------------------------------------------------- */

/* Of each thread the last store of the variable that certainly happens before event e, whenever that is executed. They
 * are put into f->sure. */
static void find_sure(finder *f, uint32_t e, uint32_t var) {
    const au_cssa *c = f->c;
    const au_cssa_event *x = &c->event.at[e];
    const uint32_t *must = c->last_must + (size_t)e * c->m->thread.n;
    size_t n = c->stores[var].n; /* by thread and place */
    au_vec_clear(&f->sure);
    uint32_t of = AU_NONE;
    for (size_t i = 0; i < n; i++) {
        uint32_t w = c->stores[var].at[i];
        const au_cssa_event *y = &c->event.at[w];
        if (y->place >= (y->thread == x->thread ? x->place : must[y->thread]) || !y->certain ||
            !always_stores(c, w))
            continue;
        if (y->thread == of)
            f->sure.n--;
        of = y->thread;
        au_vec_push(&f->sure, w);
    }
}

static bool before_must(const au_cssa *c, uint32_t a, uint32_t b) {
    const au_cssa_event *x = &c->event.at[a], *y = &c->event.at[b];
    return x->thread == y->thread ? x->place < y->place : au_cssa_must(c, a, b);
}

/* With this value of the variable, can the event run at all? Asked of the step's guard
 * over variables of the model, which is small. */
static bool guard_allows(finder *f, const au_cssa_read *r, au_term value) {
    au_cssa *c = f->c;
    if (r->name == AU_NONE || value.n == UINT32_MAX || !au_term_is_const(c->terms, value))
        return true;
    const au_step *s = &c->m->step.at[c->event.at[r->event].step];
    const au_thread *th = &c->m->thread.at[s->thread];
    if (s->src == th->entry && th->started == r->var)
        return au_term_value(c->terms, value) != 0;
    au_term guard = c->more->effect[s->id].guard;
    if (au_term_is_const(c->terms, guard))
        return true;
    for (size_t i = 0; i < f->asked.n; i++)
        if (f->asked.at[i].value == value.n)
            return f->asked.at[i].allows;
    f->map[r->var] = value;
    bool allows =
        !au_term_is_false(c->terms, au_term_substitute(c->terms, guard, f->map, c->m->var.n));
    f->map[r->var].n = UINT32_MAX;
    au_vec_push(&f->asked, ((struct asked){value.n, allows}));
    return allows;
}

static void writers_of(finder *f, uint32_t read) {
    au_cssa *c = f->c;
    au_cssa_read *r = &c->read.at[read];
    const au_cssa_event *e = &c->event.at[r->event];
    const au_u32s *own = &f->own[read];
    au_vec_clear(&r->writer);
    au_vec_clear(&r->other);
    au_vec_clear(&f->asked);
    au_vec_clear(&f->sure);
    if (!(c->weak && c->m->var.at[r->var].kind == AU_VAR_SHARED))
        find_sure(f, r->event, r->var);
    bool initial = false;
    for (size_t i = 0; i < own->n; i++)
        initial |= own->at[i] == AU_INITIAL;
    if (initial && !f->sure.n &&
        guard_allows(
            f, r, au_term_const(c->terms, c->m->var.at[r->var].width, c->m->var.at[r->var].init)))
        au_vec_push(&r->writer, AU_INITIAL);
    for (size_t i = 0; i < c->stores[r->var].n; i++) {
        uint32_t w = c->stores[r->var].at[i];
        const au_cssa_event *x = &c->event.at[w];
        if (w == r->event || (x->thread == e->thread && x->place > e->place) ||
            (x->thread != e->thread && au_cssa_must(c, r->event, w)))
            continue;
        bool overwritten = false;
        for (size_t k = 0; k < f->sure.n && !overwritten; k++)
            overwritten = f->sure.at[k] != w && before_must(c, w, f->sure.at[k]);
        if (x->thread == e->thread) {
            bool reaches = false;
            for (size_t k = 0; k < own->n; k++)
                reaches |= own->at[k] == w;
            overwritten |= !reaches;
        }
        if (overwritten)
            continue;
        if (guard_allows(f, r, value_written(c, w, r->var)))
            au_vec_push(&r->writer, w);
        else
            au_vec_push(&r->other, w);
    }
    if (!r->writer.n) { /* it can never be executed: say so in a way that every backend knows */
        au_cssa_require(c, au_term_not(c->terms, e->exec));
        au_vec_push(&r->writer, AU_INITIAL);
    }
}

/* --- must-before --------------------------------------------------------------------- */

static bool raise(uint32_t *to, const uint32_t *from, uint32_t n) {
    bool grew = false;
    for (uint32_t t = 0; t < n; t++)
        if (from[t] > to[t]) {
            to[t] = from[t];
            grew = true;
        }
    return grew;
}

/* False: two events must each come before the other; then nothing is assumed. */
static bool find_must(au_cssa *c) {
    uint32_t threads = (uint32_t)c->m->thread.n;
    memset(c->last_must, 0, c->event.n * threads * sizeof *c->last_must);
    for (bool grew = true; grew;) {
        grew = false;
        for (uint32_t e = 0; e < c->event.n; e++) {
            const au_cssa_event *x = &c->event.at[e];
            uint32_t *must = c->last_must + (size_t)e * threads;
            if (x->place)
                grew |= raise(must, must - threads, threads);
            for (uint32_t i = 0; i < x->n_reads && x->certain; i++) {
                const au_cssa_read *r = &c->read.at[x->first_read + i];
                if (r->writer.n != 1 || r->writer.at[0] == AU_INITIAL)
                    continue;
                const au_cssa_event *w = &c->event.at[r->writer.at[0]];
                if (w->thread == x->thread)
                    continue;
                grew |= raise(must, c->last_must + (size_t)r->writer.at[0] * threads, threads);
                if (must[w->thread] < w->place + 1) {
                    must[w->thread] = w->place + 1;
                    grew = true;
                }
            }
            if (must[x->thread] > x->place)
                return false;
        }
    }
    return true;
}

static bool late(const au_cssa *c, uint32_t read) {
    return au_cssa_late(c, c->stores[c->read.at[read].var].n);
}

void au_cssa_find_writers(au_cssa *c) {
    finder f = {.c = c, .own = au_alloc_array(c->read.n + 1, sizeof *f.own)};
    uint32_t *last = au_alloc_array(c->m->var.n + 1, sizeof *last);
    f.map = au_alloc_array(c->m->var.n + 1, sizeof *f.map);
    memset(f.map, 0xff, (c->m->var.n + 1) * sizeof *f.map);
    memset(last, 0xff, (c->m->var.n + 1) * sizeof *last);
    c->last_must = au_alloc_array(c->event.n * c->m->thread.n + 1, sizeof *c->last_must);
    for (uint32_t t = 0; t < c->m->thread.n; t++) {
        if (c->more->flow[t].straight)
            own_straight(&f, t, last);
        else
            own_branching(&f, t);
    }
    size_t axioms = c->axiom.n;
    for (int round = 0; round < 4; round++) {
        size_t total = 0;
        for (uint32_t r = 0; r < c->read.n; r++)
            total += c->read.at[r].writer.n;
        c->axiom.n = axioms;
        for (uint32_t r = 0; r < c->read.n && !late(c, r); r++)
            writers_of(&f, r);
        for (uint32_t r = 0; r < c->read.n; r++)
            total -= c->read.at[r].writer.n;
        if (!total && round)
            break;
        if (!find_must(c)) {
            memset(c->last_must, 0, c->event.n * c->m->thread.n * sizeof *c->last_must);
            c->axiom.n = axioms;
            for (uint32_t r = 0; r < c->read.n && !late(c, r); r++)
                writers_of(&f, r);
            break;
        }
    }
    for (size_t r = 0; r < c->read.n; r++)
        au_vec_release(&f.own[r]);
    free(f.own);
    au_vec_release(&f.asked);
    au_vec_release(&f.sure);
    free(f.map);
    free(last);
}

/* Stores that no certain one must follow. */
void au_cssa_find_final_writers(au_cssa *c, au_cssa_read *r) {
    au_vec_push(&r->writer, AU_INITIAL);
    for (size_t i = 0; i < c->stores[r->var].n; i++)
        au_vec_push(&r->writer, c->stores[r->var].at[i]);
}
