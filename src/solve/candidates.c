/* solve/candidates.c: every question that a model raises. */
#include "solve/cssa_priv.h"
#include "solve/lost.h"
#include "solve/query.h"
#include "solve/sections.h"
#include "wire/libc.h"

typedef struct {
    au_cssa *c;
    au_queries *into;
    au_map seen; /* hashes of questions asked already */
} asker;

static bool same(const au_query *a, const au_query *b) {
    return a->kind == b->kind && !memcmp(a->step, b->step, sizeof a->step) && a->var == b->var &&
           a->obj == b->obj && a->writer == b->writer && a->at_end == b->at_end &&
           !memcmp(a->write, b->write, sizeof a->write);
}

static void ask(asker *k, au_query q) {
    uint64_t h = au_hash_join(au_key2(q.kind, q.step[0]),
                              au_hash_join(au_key2(q.step[1], q.step[2]), au_key2(q.var, q.obj)));
    h = au_hash_join(h, (uint64_t)q.writer << 8 | (uint64_t)(q.at_end << 3 | q.write[0] << 2 |
                                                             q.write[1] << 1 | q.write[2]));
    /* Equal questions have equal hashes; the others are told apart by looking. */
    for (bool fresh = false;; h++) {
        uint64_t *at = au_map_put(&k->seen, h, &fresh);
        if (fresh) {
            *at = k->into->n;
            au_vec_push(k->into, q);
            return;
        }
        if (*at < k->into->n && same(&k->into->at[*at], &q))
            return;
    }
}

static const au_step *step_of(const au_cssa *c, uint32_t e) {
    return &c->m->step.at[c->event.at[e].step];
}

static void ask_asserts(asker *k) {
    for (uint32_t e = 0; e < k->c->event.n; e++)
        if (step_of(k->c, e)->kind == AU_STEP_ASSERT) {
            au_query q = au_query_about(AU_ASK_ASSERT, AU_NONE);
            q.step[0] = au_query_event(k->c->m, step_of(k->c, e)->id);
            ask(k, q);
        }
}

/* --- accesses ---------------------------------------------------------------------- */

typedef struct {
    uint32_t event, var;
    bool write;
} access_of;
typedef AU_VEC(access_of) accesses;

static void take_accesses(const au_cssa *c, accesses *a, uint32_t var) {
    for (uint32_t e = 0; e < c->event.n; e++) {
        const au_step *s = step_of(c, e);
        for (uint32_t i = 0; i < s->n_accesses; i++) {
            bool twice = s->access[i].var != var;
            for (uint32_t j = 0; j < i && !twice; j++)
                twice = s->access[j].var == s->access[i].var &&
                        s->access[j].write == s->access[i].write;
            if (!twice)
                au_vec_push(a, ((access_of){e, var, s->access[i].write}));
        }
    }
}

static uint32_t thread_of(const asker *k, const access_of *a) {
    return k->c->event.at[a->event].thread;
}

static uint32_t name_of(const asker *k, const access_of *a) {
    return au_query_event(k->c->m, step_of(k->c, a->event)->id);
}

static void ask_races(asker *k, const accesses *a) {
    for (size_t i = 0; i < a->n; i++)
        for (size_t j = i + 1; j < a->n; j++) {
            const access_of *x = &a->at[i], *y = &a->at[j];
            if (thread_of(k, x) == thread_of(k, y) || !(x->write || y->write) ||
                (au_step_is_atomic(step_of(k->c, x->event)) &&
                 au_step_is_atomic(step_of(k->c, y->event))))
                continue;
            au_query q = au_query_about(AU_ASK_RACE, AU_NONE);
            q.step[0] = name_of(k, x);
            q.step[1] = name_of(k, y);
            q.var = x->var;
            ask(k, q);
        }
}

static void ask_triples(asker *k, const accesses *a, au_atomic_blocks atomic) {
    for (size_t i = 0; i < a->n; i++)
        for (size_t j = i + 1; j < a->n; j++) {
            const access_of *e1 = &a->at[i], *e2 = &a->at[j];
            /* accesses stand by thread and place */
            if (thread_of(k, e1) != thread_of(k, e2) || e1->event == e2->event ||
                !au_sections_may(k->c, atomic, e1->event, e2->event))
                continue;
            for (size_t l = 0; l < a->n; l++) {
                const access_of *f = &a->at[l];
                if (thread_of(k, f) == thread_of(k, e1) || !(f->write || (e1->write && e2->write)))
                    continue;
                au_query q = au_query_about(AU_ASK_ATOMICITY, AU_NONE);
                q.step[0] = name_of(k, e1);
                q.step[1] = name_of(k, f);
                q.step[2] = name_of(k, e2);
                q.write[0] = e1->write;
                q.write[1] = f->write;
                q.write[2] = e2->write;
                q.var = e1->var;
                q.atomic = atomic;
                ask(k, q);
            }
        }
}

/* --- locks, deadlocks ------------------------------------------------------------------- */

static void ask_misuse(asker *k) {
    au_cssa *c = k->c;
    const au_model *m = c->m;
    for (uint32_t e = 0; e < c->event.n; e++) {
        const au_step *s = step_of(c, e);
        au_query q = au_query_about(AU_ASK_MISUSE, AU_NONE);
        q.step[0] = au_query_event(m, s->id);
        q.obj = s->kind == AU_STEP_WAIT ? s->obj2 : s->obj;
        switch (s->kind) {
        case AU_STEP_REL:
        case AU_STEP_WAIT:
        case AU_STEP_ACQ:
        case AU_STEP_WRACQ:
        case AU_STEP_RDACQ: {
            au_obj_kind kind = m->obj.at[q.obj].kind;
            bool takes = s->kind != AU_STEP_REL && s->kind != AU_STEP_WAIT;
            if (kind <= AU_OBJ_RWLOCK && !(s->kind == AU_STEP_ACQ && kind == AU_OBJ_RLOCK) &&
                (s->blocking || !takes))
                ask(k, q);
            break;
        }
        default:
            break;
        }
        for (uint32_t obj = 0; obj < m->obj.n && s->dst == m->thread.at[s->thread].exit; obj++) {
            if (m->obj.at[obj].kind > AU_OBJ_RWLOCK)
                continue;
            q.obj = obj;
            q.at_end = true;
            ask(k, q);
        }
    }
}

static void ask_deadlock(asker *k) {
    for (uint32_t e = 0; e < k->c->event.n; e++)
        if (step_of(k->c, e)->blocking) {
            ask(k, au_query_about(AU_ASK_DEADLOCK, AU_NONE));
            return;
        }
}

/* --- nondeterminism ------------------------------------------------------------------------ */

typedef struct {
    uint32_t *writer;     /* by variable: statement + 1 of its last write in the run */
    bool ends;            /* every thread that it starts comes to its end */
    AU_VEC(au_query) saw; /* what each read of the run saw */
} observed;

static void watch_observed(const asker *k, observed *w) {
    const au_model *m = k->c->m;
    uint64_t *value = au_alloc_array(m->var.n + 1, sizeof *value);
    uint64_t *next = au_alloc_array(m->var.n + 1, sizeof *next);
    uint32_t *node = au_alloc_array(m->thread.n + 1, sizeof *node);
    w->writer = au_alloc_array(m->var.n + 1, sizeof *w->writer);
    for (size_t v = 0; v < m->var.n; v++)
        value[v] = m->var.at[v].init;
    for (size_t t = 0; t < m->thread.n; t++)
        node[t] = m->thread.at[t].entry;
    for (size_t i = 0; i < m->observed.n; i++) {
        const au_step *s = &m->step.at[m->observed.at[i]];
        for (uint32_t a = 0; a < s->n_accesses; a++)
            if (!s->access[a].write) {
                au_query q = au_query_about(AU_ASK_NONDET, AU_NONE);
                q.step[0] = au_query_event(m, s->id);
                q.var = s->access[a].var;
                q.writer = w->writer[q.var] ? w->writer[q.var] - 1 : AU_NONE;
                au_vec_push(&w->saw, q);
            }
        bool fails = !au_term_eval(m->terms, s->cond, value);
        if (!fails || k->c->o.whole)
            node[s->thread] = s->dst;
        if (fails)
            continue;
        memcpy(next, value, m->var.n * sizeof *next);
        for (uint32_t j = 0; j < s->n_updates; j++)
            next[s->update[j].var] = au_term_eval(m->terms, s->update[j].value, value);
        if (s->havoc != AU_NONE)
            next[s->havoc] = 0;
        memcpy(value, next, m->var.n * sizeof *next);
        for (uint32_t a = 0; a < s->n_accesses; a++)
            if (s->access[a].write)
                w->writer[s->access[a].var] = au_query_event(m, s->id) + 1;
    }
    w->ends = true;
    for (size_t t = 0; t < m->thread.n; t++) {
        const au_thread *th = &m->thread.at[t];
        bool started = th->started == AU_NONE || value[th->started];
        w->ends &= !started || node[t] == th->exit;
    }
    free(value);
    free(next);
    free(node);
}

static bool did_see(const observed *w, const au_query *q) {
    for (size_t i = 0; i < w->saw.n; i++)
        if (same(&w->saw.at[i], q))
            return true;
    return false;
}

static void ask_reads(asker *k, bool every_writer) {
    au_cssa *c = k->c;
    const au_model *m = c->m;
    observed w = {0};
    watch_observed(k, &w);
    for (size_t i = 0; i < w.saw.n; i++) {
        au_query q = w.saw.at[i];
        q.writer = AU_NONE;
        if (every_writer || !did_see(&w, &q))
            ask(k, q);
        for (size_t j = 0; j < c->stores[q.var].n; j++) {
            q.writer = au_query_event(m, c->event.at[c->stores[q.var].at[j]].step);
            if (every_writer || !did_see(&w, &q))
                ask(k, q);
        }
    }
    for (uint32_t v = 0; v < m->var.n && (w.ends || every_writer); v++) {
        if (m->var.at[v].kind != AU_VAR_SHARED)
            continue;
        au_query q = au_query_about(AU_ASK_NONDET, AU_NONE);
        q.var = v;
        if (every_writer || w.writer[v])
            ask(k, q);
        for (size_t j = 0; j < c->stores[v].n; j++) {
            q.writer = au_query_event(m, c->event.at[c->stores[v].at[j]].step);
            if (every_writer || w.writer[v] != q.writer + 1)
                ask(k, q);
        }
    }
    free(w.writer);
    au_vec_release(&w.saw);
}

static void ask_lost(asker *k) {
    au_queries q = {0};
    au_lost_questions(k->c, &q);
    for (size_t i = 0; i < q.n; i++)
        if (!au_libc_names_state(k->c->m->var.at[q.at[i].var].name))
            ask(k, q.at[i]);
    au_vec_release(&q);
}

void au_queries_of(au_cssa *c, unsigned props, au_atomic_blocks atomic, bool every_writer,
                   au_queries *into) {
    asker k = {.c = c, .into = into};
    au_map_init(&k.seen);
    if (props & AU_PROP_ASSERT)
        ask_asserts(&k);
    for (uint32_t v = 0; v < c->m->var.n && (props & (AU_PROP_RACE | AU_PROP_ATOMICITY)); v++) {
        if (c->m->var.at[v].kind != AU_VAR_SHARED)
            continue;
        accesses a = {0};
        take_accesses(c, &a, v);
        if (props & AU_PROP_RACE)
            ask_races(&k, &a);
        /* Nobody means two uses of what a library keeps for itself to be one. */
        if (props & AU_PROP_ATOMICITY && !au_libc_names_state(c->m->var.at[v].name))
            ask_triples(&k, &a, atomic);
        au_vec_release(&a);
    }
    if (props & AU_PROP_DEADLOCK)
        ask_deadlock(&k);
    if (props & AU_PROP_LOCKS)
        ask_misuse(&k);
    if (props & AU_PROP_NONDET)
        ask_reads(&k, every_writer);
    if (props & AU_PROP_LOST)
        ask_lost(&k);
    au_map_release(&k.seen);
}
