/* solve/query.c: each question as a property. */
#include "solve/query.h"

#include "base/error.h"
#include "solve/cssa_priv.h"
#include "solve/deadlock.h"
#include "solve/lost.h"
#include "solve/sections.h"

uint32_t au_query_event(const au_model *m, uint32_t step) {
    const au_step *s = &m->step.at[step];
    const au_node *n = &m->thread.at[s->thread].node.at[s->src];
    for (size_t i = 0; i < n->out.n; i++)
        if (m->step.at[n->out.at[i]].kind == s->kind)
            return n->out.at[i];
    return step;
}

uint32_t au_query_edge(const au_cssa *c, uint32_t step, size_t *i) {
    const au_step *s = &c->m->step.at[step];
    const au_node *n = &c->m->thread.at[s->thread].node.at[s->src];
    while (*i < n->out.n) {
        uint32_t id = n->out.at[(*i)++];
        if (c->m->step.at[id].kind == s->kind && c->event_of[id] != AU_NONE)
            return c->event_of[id];
    }
    return AU_NONE;
}

static bool accesses(const au_step *s, uint32_t var, bool write) {
    for (uint32_t i = 0; i < s->n_accesses; i++)
        if (s->access[i].var == var && s->access[i].write == write)
            return true;
    return false;
}

static const au_step *step_of(const au_cssa *c, uint32_t event) {
    return &c->m->step.at[c->event.at[event].step];
}

/* --- assertions ------------------------------------------------------------------- */

static au_term fails(au_cssa *c, const au_query *q) {
    au_term any = au_term_bool(c->terms, false);
    uint32_t e;
    for (size_t i = 0; (e = au_query_edge(c, q->step[0], &i)) != AU_NONE;)
        any = au_term_or(c->terms, any,
                         au_term_and(c->terms, c->event.at[e].exec, c->event.at[e].fails));
    return any;
}

/* What the event writes is not what it read. */
static au_term changes(au_cssa *c, uint32_t event, uint32_t var) {
    const au_cssa_event *e = &c->event.at[event];
    uint32_t r = au_cssa_read_of(c, event, var);
    if (r == AU_NONE || c->read.at[r].name == AU_NONE)
        return au_term_bool(c->terms, true);
    au_term seen = au_cssa_name_term(c, c->read.at[r].name);
    for (uint32_t i = 0; i < e->n_writes; i++)
        if (c->write.at[e->first_write + i].var == var)
            return au_term_not(c->terms,
                               au_term_eq(c->terms, c->write.at[e->first_write + i].value, seen));
    return au_term_bool(c->terms, false);
}

/* --- races ------------------------------------------------------------------------- */

/* While thread t is at 'node', it has been brought there by 'in' (AU_NONE: it stood there from
 * the start), and 'out' leads away. Every executed 'in' of one comes before every executed
 * 'out' of the other. */
static au_term in_before_out(au_cssa *c, uint32_t t, uint32_t node, uint32_t u, uint32_t other) {
    au_terms *x = c->terms;
    const au_thread *tt = &c->m->thread.at[t], *tu = &c->m->thread.at[u];
    au_term all = au_term_bool(x, true);
    au_u32s in = {0};
    const au_u32s *steps = &c->more->flow[t].in[node];
    for (size_t i = 0; i < steps->n; i++)
        au_vec_push(&in, c->event_of[steps->at[i]]);
    if (node == tt->entry && tt->started != AU_NONE && !au_ignores_sync(c))
        for (size_t i = 0; i < c->stores[tt->started].n; i++)
            au_vec_push(&in, c->stores[tt->started].at[i]);
    for (size_t i = 0; i < in.n; i++)
        for (size_t k = 0; k < tu->node.at[other].out.n; k++) {
            uint32_t out = c->event_of[tu->node.at[other].out.at[k]];
            if (out == AU_NONE || in.at[i] == out)
                continue;
            au_term both = au_term_and(x, c->event.at[in.at[i]].exec, c->event.at[out].exec);
            all = au_term_and(x, all, au_cssa_implies(c, both, au_cssa_before(c, in.at[i], out)));
        }
    au_vec_release(&in);
    return all;
}

/* In a whole run there is a moment when both stand at their nodes. */
static au_term meet_in_run(au_cssa *c, uint32_t t, uint32_t node, uint32_t u, uint32_t other) {
    au_terms *x = c->terms;
    au_term both = au_term_and(x, au_cssa_reaches(c, t, node), au_cssa_reaches(c, u, other));
    both = au_term_and(x, both, au_term_and(x, au_cssa_started(c, t), au_cssa_started(c, u)));
    both = au_term_and(x, both, in_before_out(c, t, node, u, other));
    return au_term_and(x, both, in_before_out(c, u, other, t, node));
}

static au_term race(au_cssa *c, const au_query *q) {
    const au_step *a = &c->m->step.at[q->step[0]], *b = &c->m->step.at[q->step[1]];
    if (c->o.whole)
        return meet_in_run(c, a->thread, a->src, b->thread, b->src);
    au_term both = au_term_and(c->terms, au_cssa_stands(c, a->thread, a->src),
                               au_cssa_stands(c, b->thread, b->src));
    for (int i = 0; i < 2; i++) {
        au_term any = au_term_bool(c->terms, !q->changes[i]);
        uint32_t e;
        for (size_t k = 0; q->changes[i] && (e = au_query_edge(c, q->step[i], &k)) != AU_NONE;)
            any = au_term_or(c->terms, any, au_cssa_at_end(c, e, changes(c, e, q->var)));
        both = au_term_and(c->terms, both, any);
    }
    return both;
}

/* --- atomicity ----------------------------------------------------------------------- */

/* It has run as this access: what a failed assert would write is not written. */
static au_term ran(const au_cssa *c, uint32_t e, bool write) {
    return write ? c->event.at[e].passes : c->event.at[e].exec;
}

static au_term triple(au_cssa *c, const au_query *q) {
    au_terms *x = c->terms;
    au_term any = au_term_bool(x, false);
    uint32_t e1, f, e2;
    for (size_t i = 0; (e1 = au_query_edge(c, q->step[0], &i)) != AU_NONE;)
        for (size_t j = 0; (f = au_query_edge(c, q->step[1], &j)) != AU_NONE;)
            for (size_t k = 0; (e2 = au_query_edge(c, q->step[2], &k)) != AU_NONE;) {
                if (!accesses(step_of(c, e1), q->var, q->write[0]) ||
                    !accesses(step_of(c, f), q->var, q->write[1]) ||
                    !accesses(step_of(c, e2), q->var, q->write[2]))
                    continue;
                /* e1's thread goes on, so it has passed */
                au_term t =
                    au_term_and(x, c->event.at[e1].passes,
                                au_term_and(x, ran(c, f, q->write[1]), ran(c, e2, q->write[2])));
                const uint32_t event[3] = {e1, f, e2};
                for (int n = 0; n < 3; n++)
                    if (q->changes[n])
                        t = au_term_and(x, t, changes(c, event[n], q->var));
                t = au_term_and(x, t, au_cssa_before(c, e1, f));
                t = au_term_and(x, t, au_cssa_before(c, f, e2));
                t = au_term_and(x, t, au_sections_same(c, q->atomic, e1, e2));
                any = au_term_or(x, any, t);
            }
    return any;
}

/* --- locks ------------------------------------------------------------------------------ */

static au_term number(au_cssa *c, uint32_t var, uint64_t v) {
    return au_term_const(c->terms, c->m->var.at[var].width, v);
}

/* Thread t owns the lock (as its writer) at the end of the prefix. */
static au_term owns(au_cssa *c, uint32_t obj, uint32_t t) {
    uint32_t v = c->m->obj.at[obj].var[0];
    return au_term_eq(c->terms, au_cssa_final_value(c, v), number(c, v, t + 1));
}

static au_term holds(au_cssa *c, uint32_t obj, uint32_t t) {
    const au_sync_obj *o = &c->m->obj.at[obj];
    if (o->kind > AU_OBJ_RWLOCK)
        return au_term_bool(c->terms, false);
    au_term h = owns(c, obj, t);
    if (o->kind == AU_OBJ_RWLOCK && t < o->per.n && o->per.at[t] != AU_NONE)
        h = au_term_or(c->terms, h, au_term_truth(c->terms, au_cssa_final_value(c, o->per.at[t])));
    return h;
}

static au_term misuse(au_cssa *c, const au_query *q) {
    au_terms *x = c->terms;
    const au_step *s = &c->m->step.at[q->step[0]];
    uint32_t t = s->thread;
    if (q->at_end) {
        au_term ends = au_term_bool(x, false);
        uint32_t e;
        for (size_t i = 0; (e = au_query_edge(c, q->step[0], &i)) != AU_NONE;)
            if (step_of(c, e)->dst == c->m->thread.at[t].exit)
                ends = au_term_or(x, ends, c->event.at[e].passes);
        return au_term_and(x, ends, holds(c, q->obj, t));
    }
    if (c->o.whole)
        return au_term_bool(x, false); /* its thread never comes to its end */
    au_term wrong;
    switch (s->kind) {
    case AU_STEP_REL:
    case AU_STEP_WAIT:
        wrong = au_term_not(x, holds(c, q->obj, t));
        break;
    case AU_STEP_RDACQ:
        wrong = owns(c, q->obj, t);
        break;
    default:
        wrong = holds(c, q->obj, t);
        break;
    }
    return au_term_and(x, au_cssa_stands(c, t, s->src), wrong);
}

/* --- nondeterminism ------------------------------------------------------------------------ */

static au_term sees_any(au_cssa *c, uint32_t read, uint32_t writer) {
    if (writer == AU_NONE)
        return au_cssa_sees(c, read, AU_INITIAL);
    au_term any = au_term_bool(c->terms, false);
    uint32_t w;
    for (size_t i = 0; (w = au_query_edge(c, writer, &i)) != AU_NONE;)
        any = au_term_or(c->terms, any, au_cssa_sees(c, read, w));
    return any;
}

/* The thread stands at the step and stops there for good: the guard is false. A read has
 * happened then all the same. (Under mcm it has not.) */
static au_term stops_at(au_cssa *c, const au_step *s) {
    if (s->blocking || s->kind == AU_STEP_BRANCH ||
        (c->o.semantics == AU_SEM_MCM && au_step_is_data(s)))
        return au_term_bool(c->terms, false);
    au_term t = au_cssa_stands(c, s->thread, s->src);
    uint32_t e;
    for (size_t i = 0; (e = au_query_edge(c, s->id, &i)) != AU_NONE;)
        t = au_term_and(c->terms, t,
                        au_term_not(c->terms, au_cssa_at_end(c, e, c->event.at[e].guard)));
    return t;
}

static au_term nondet(au_cssa *c, const au_query *q) {
    au_terms *x = c->terms;
    if (q->step[0] == AU_NONE)
        return au_term_and(x, au_cssa_complete(c),
                           sees_any(c, au_cssa_final(c, q->var), q->writer));
    const au_step *s = &c->m->step.at[q->step[0]];
    au_term any = au_term_bool(x, false);
    uint32_t e;
    for (size_t i = 0; (e = au_query_edge(c, q->step[0], &i)) != AU_NONE;) {
        uint32_t r = au_cssa_read_of(c, e, q->var);
        if (r != AU_NONE)
            any =
                au_term_or(x, any, au_term_and(x, c->event.at[e].exec, sees_any(c, r, q->writer)));
    }
    if (!c->o.whole)
        any = au_term_or(
            x, any,
            au_term_and(x, stops_at(c, s), sees_any(c, au_cssa_final(c, q->var), q->writer)));
    return any;
}

static au_term reach(au_cssa *c, const au_query *q) {
    const au_step *s = &c->m->step.at[q->step[0]];
    return au_term_and(c->terms, au_cssa_reaches(c, s->thread, s->src),
                       au_cssa_started(c, s->thread));
}

static au_term property(au_cssa *c, const au_query *q) {
    switch (q->kind) {
    case AU_ASK_ASSERT:
        return fails(c, q);
    case AU_ASK_RACE:
        return race(c, q);
    case AU_ASK_ATOMICITY:
        return triple(c, q);
    case AU_ASK_MISUSE:
        return misuse(c, q);
    case AU_ASK_NONDET:
        return nondet(c, q);
    case AU_ASK_REACH:
        return reach(c, q);
    case AU_ASK_LOST:
    case AU_ASK_STALE:
        return au_lost_term(c, q);
    default:
        AU_BUG_IF(true);
        return au_term_bool(c->terms, false);
    }
}

au_term au_query_term(au_cssa *c, const au_query *q) {
    au_term t = property(c, q);
    return c->o.whole ? au_term_and(c->terms, t, au_cssa_complete(c)) : t;
}
