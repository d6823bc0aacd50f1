/* verify/ref_ask.c: each question as a literal (docs/oracle.md says what they mean). Where the encoding knows
 * less than the question asks, the literal is true more often. */
#include "verify/ref.h"

#include "base/alloc.h"

#include <string.h>

/* --- where threads are ------------------------------------------------------------------ */

int au_ref_started(au_ref *r, uint32_t t) {
    uint32_t v = r->m->thread.at[t].started;
    if (v == AU_NONE || r->m->var.at[v].init)
        return AU_CNF_TRUE;
    int some = AU_CNF_FALSE;
    for (size_t i = 0; i < r->stores[v].n; i++)
        some = au_cnf_or(&r->cnf, some, au_ref_bool(r, r->event.at[r->stores[v].at[i]].passes));
    return some;
}

static int reaches(au_ref *r, uint32_t t, uint32_t node) {
    return r->topo[t][node] == AU_NONE ? AU_CNF_FALSE : au_ref_bool(r, r->reach[t][node]);
}

/* It has got there and not further. */
int au_ref_stands(au_ref *r, uint32_t t, uint32_t node) {
    const au_thread *th = &r->m->thread.at[t];
    int y = reaches(r, t, node);
    if (node == th->entry)
        y = au_cnf_and(&r->cnf, y, au_ref_started(r, t));
    for (size_t i = 0; i < th->node.at[node].out.n && y != AU_CNF_FALSE; i++)
        y = au_cnf_and(&r->cnf, y, -r->event.at[r->event_of[th->node.at[node].out.at[i]]].lit);
    return y;
}

static int complete(au_ref *r) {
    int all = AU_CNF_TRUE;
    for (uint32_t t = 0; t < r->m->thread.n; t++)
        all = au_cnf_and(
            &r->cnf, all,
            au_cnf_or(&r->cnf, -au_ref_started(r, t), reaches(r, t, r->m->thread.at[t].exit)));
    return all;
}

/* The i-th event of the statement that the step stands for, from *i on; AU_NONE at the end. */
static uint32_t edge(const au_ref *r, uint32_t step, size_t *i) {
    const au_step *s = &r->m->step.at[step];
    const au_node *n = &r->m->thread.at[s->thread].node.at[s->src];
    while (*i < n->out.n) {
        uint32_t id = n->out.at[(*i)++];
        if (r->m->step.at[id].kind == s->kind && r->event_of[id] != AU_NONE)
            return r->event_of[id];
    }
    return AU_NONE;
}

static const au_step *step_of(const au_ref *r, uint32_t event) {
    return &r->m->step.at[r->event.at[event].step];
}

/* --- the end of the prefix ---------------------------------------------------------------- */

static au_term end_value(au_ref *r, uint32_t var) {
    unsigned w = r->m->var.at[var].width;
    if (!r->stores[var].n)
        return au_term_const(r->terms, w, r->m->var.at[var].init);
    uint32_t read = au_ref_end(r, var); /* may move the reads */
    return au_term_of_var(r->terms, r->read.at[read].name, w);
}

int au_ref_owner(au_ref *r, uint32_t obj, uint32_t t) {
    uint32_t v = r->m->obj.at[obj].var[0];
    if (!r->lock[obj])
        return au_ref_bool(r, au_term_eq(r->terms, end_value(r, v),
                                         au_term_const(r->terms, r->m->var.at[v].width, t + 1)));
    int some = AU_CNF_FALSE;
    for (size_t i = 0; i < r->section.n; i++) {
        const au_ref_section *s = &r->section.at[i];
        if (s->obj != obj || r->event.at[s->acq].thread != t)
            continue;
        int holds = r->event.at[s->acq].lit;
        for (size_t k = 0; k < s->rel.n; k++)
            holds = au_cnf_and(&r->cnf, holds, -r->event.at[s->rel.at[k]].lit);
        some = au_cnf_or(&r->cnf, some, holds);
    }
    return some;
}

/* A guard of the event, were it next. */
int au_ref_value_at_end(au_ref *r, uint32_t event, au_term guard) {
    const au_ref_event e = r->event.at[event];
    uint32_t lock = AU_NONE;
    for (uint32_t i = 0; i < e.n_reads; i++)
        if (r->lock_var[r->read.at[e.first_read + i].var])
            lock = r->read.at[e.first_read + i].var;
    size_t n = r->name.n;
    au_term *map = au_alloc_array(n + 1, sizeof *map);
    memset(map, 0xff, n * sizeof *map);
    for (uint32_t i = 0; i < e.n_reads && lock == AU_NONE; i++) {
        uint32_t name = r->read.at[e.first_read + i].name, var = r->read.at[e.first_read + i].var;
        au_term last = end_value(r, var); /* may move the reads */
        map[name] = last;
    }
    au_term x = au_term_substitute(r->terms, guard, map, n);
    free(map);
    if (lock == AU_NONE)
        return au_ref_bool(r, x);
    /* An acquire finds it free, a release finds it taken by its own thread. */
    uint32_t obj = step_of(r, event)->obj;
    if (r->m->obj.at[obj].var[0] != lock)
        return au_cnf_new(&r->cnf);
    if (step_of(r, event)->kind == AU_STEP_REL)
        return au_ref_owner(r, obj, e.thread);
    int taken = AU_CNF_FALSE;
    for (uint32_t t = 0; t < r->m->thread.n; t++)
        taken = au_cnf_or(&r->cnf, taken, au_ref_owner(r, obj, t));
    return -taken;
}

/* --- assertions, races --------------------------------------------------------------------- */

static int fails(au_ref *r, const au_ref_question *q) {
    int any = AU_CNF_FALSE;
    uint32_t e;
    for (size_t i = 0; (e = edge(r, q->step[0], &i)) != AU_NONE;)
        any = au_cnf_or(
            &r->cnf, any,
            au_cnf_and(&r->cnf, r->event.at[e].lit, au_ref_bool(r, r->event.at[e].fails)));
    return any;
}

/* What brings t to the node comes before what leads u away from the other one. */
static int in_before_out(au_ref *r, uint32_t t, uint32_t node, uint32_t u, uint32_t other) {
    const au_thread *tt = &r->m->thread.at[t], *tu = &r->m->thread.at[u];
    au_ref_list in = {0};
    int all = AU_CNF_TRUE;
    au_vec_append(&in, r->in[t][node].at, r->in[t][node].n);
    if (node == tt->entry && tt->started != AU_NONE)
        au_vec_append(&in, r->stores[tt->started].at, r->stores[tt->started].n);
    for (size_t i = 0; i < in.n; i++)
        for (size_t k = 0; k < tu->node.at[other].out.n; k++) {
            uint32_t a = in.at[i], b = r->event_of[tu->node.at[other].out.at[k]];
            int both = au_cnf_and(&r->cnf, r->event.at[a].lit, r->event.at[b].lit);
            int before = a != b ? au_ref_before(r, a, b) : AU_CNF_TRUE;
            all = au_cnf_and(&r->cnf, all, au_cnf_or(&r->cnf, -both, before));
        }
    au_vec_release(&in);
    return all;
}

static int race(au_ref *r, const au_ref_question *q) {
    const au_step *a = &r->m->step.at[q->step[0]], *b = &r->m->step.at[q->step[1]];
    if (!r->whole)
        return au_cnf_and(&r->cnf, au_ref_stands(r, a->thread, a->src),
                          au_ref_stands(r, b->thread, b->src));
    int y = au_cnf_and(&r->cnf, reaches(r, a->thread, a->src), reaches(r, b->thread, b->src));
    y = au_cnf_and(&r->cnf, y, au_ref_started(r, a->thread));
    y = au_cnf_and(&r->cnf, y, au_ref_started(r, b->thread));
    y = au_cnf_and(&r->cnf, y, in_before_out(r, a->thread, a->src, b->thread, b->src));
    return au_cnf_and(&r->cnf, y, in_before_out(r, b->thread, b->src, a->thread, a->src));
}

/* --- atomicity -------------------------------------------------------------------------------- */

/* A way to a node: how many locks it holds, and since which step the first of them. */
typedef struct {
    uint32_t node, opener, depth;
} holding;
/* Beyond, every two are taken to be in one section: fewer certificates, no wrong one. */
enum { DEEPEST = 64, MOST = 4096 };

static bool is_lock(const au_model *m, uint32_t obj) {
    return obj != AU_NONE && m->obj.at[obj].kind <= AU_OBJ_RWLOCK;
}

static holding after(const au_model *m, const au_step *s, holding h) {
    bool opens = s->kind == AU_STEP_RDACQ || s->kind == AU_STEP_WRACQ ||
                 (s->kind == AU_STEP_ACQ && is_lock(m, s->obj));
    bool of_wait = (s->kind == AU_STEP_WAIT || s->kind == AU_STEP_WAKE) && is_lock(m, s->obj2);
    h.node = s->dst;
    if (opens || (of_wait && s->kind == AU_STEP_WAKE)) {
        if (!h.depth++)
            h.opener = opens ? s->id : AU_NONE;
    } else if ((s->kind == AU_STEP_REL && is_lock(m, s->obj)) ||
               (of_wait && s->kind == AU_STEP_WAIT)) {
        if (h.depth && !--h.depth)
            h.opener = AU_NONE;
    }
    return h;
}

/* By node of the thread: the openers of the sections that some way to it is in. NULL: too many ways. */
static void find_openers(au_ref *r, uint32_t t) {
    const au_model *m = r->m;
    size_t nodes = m->thread.at[t].node.n;
    au_ref_list *opener = r->opener[t] = AU_ARENA_ARRAY(&r->arena, au_ref_list, nodes + 1);
    AU_VEC(holding) todo = {0};
    au_map known;
    au_map_init(&known);
    au_vec_push(&todo, ((holding){m->thread.at[t].entry, AU_NONE, 0}));
    for (size_t ways = 0; todo.n; ways++) {
        holding h = au_vec_pop(&todo);
        bool fresh;
        au_map_put(&known, au_key2(h.node * (DEEPEST + 1) + h.depth, h.opener), &fresh);
        if (!fresh)
            continue;
        if (h.depth >= DEEPEST || ways > MOST + 8 * nodes) {
            r->open_ended[t] = true;
            break;
        }
        if (h.opener != AU_NONE)
            au_vec_push(&opener[h.node], h.opener);
        const au_node *n = &m->thread.at[t].node.at[h.node];
        for (size_t k = 0; k < n->out.n; k++)
            au_vec_push(&todo, after(m, &m->step.at[n->out.at[k]], h));
    }
    au_vec_release(&todo);
    au_map_release(&known);
}

/* Can both events be in one critical section? Over-approximate: some way to each of them has the same opener. */
static bool may_share(au_ref *r, uint32_t a, uint32_t b) {
    uint32_t t = r->event.at[a].thread;
    if (!r->opener[t])
        find_openers(r, t);
    if (r->open_ended[t])
        return true;
    const au_ref_list *x = &r->opener[t][step_of(r, a)->src],
                      *y = &r->opener[t][step_of(r, b)->src];
    for (size_t i = 0; i < x->n; i++)
        for (size_t k = 0; k < y->n; k++)
            if (x->at[i] == y->at[k])
                return true;
    return false;
}

static bool in_one_block(au_ref *r, const au_ref_question *q, uint32_t a, uint32_t b) {
    au_atomic_blocks kind = (au_atomic_blocks)q->atomic;
    if (kind == AU_ATOMIC_AUTO)
        kind = r->m->n_blocks ? AU_ATOMIC_MARKED : AU_ATOMIC_CRITICAL;
    if (kind == AU_ATOMIC_MARKED)
        return step_of(r, a)->block != AU_NONE && step_of(r, a)->block == step_of(r, b)->block;
    return kind == AU_ATOMIC_GIVEN || (kind == AU_ATOMIC_CRITICAL && may_share(r, a, b));
}

static bool accesses(const au_step *s, uint32_t var, bool write) {
    for (uint32_t i = 0; i < s->n_accesses; i++)
        if (s->access[i].var == var && s->access[i].write == write)
            return true;
    return false;
}

static int order_of(au_ref *r, uint32_t a, uint32_t b) {
    bool both = r->event.at[a].ordered && r->event.at[b].ordered;
    return both || r->event.at[a].thread == r->event.at[b].thread ? au_ref_before(r, a, b)
                                                                  : AU_CNF_TRUE;
}

static int triple(au_ref *r, const au_ref_question *q) {
    int any = AU_CNF_FALSE;
    uint32_t e[3];
    for (size_t i = 0; (e[0] = edge(r, q->step[0], &i)) != AU_NONE;)
        for (size_t j = 0; (e[1] = edge(r, q->step[1], &j)) != AU_NONE;)
            for (size_t k = 0; (e[2] = edge(r, q->step[2], &k)) != AU_NONE;) {
                bool fits = in_one_block(r, q, e[0], e[2]);
                for (int l = 0; l < 3; l++)
                    fits = fits && accesses(step_of(r, e[l]), q->var, q->write >> l & 1);
                if (!fits)
                    continue;
                int y = AU_CNF_TRUE;
                for (int l = 0; l < 3; l++) /* what a failed assert would write is not written */
                    y = au_cnf_and(&r->cnf, y,
                                   q->write >> l & 1 ? au_ref_bool(r, r->event.at[e[l]].passes)
                                                     : r->event.at[e[l]].lit);
                y = au_cnf_and(&r->cnf, y, order_of(r, e[0], e[1]));
                y = au_cnf_and(&r->cnf, y, order_of(r, e[1], e[2]));
                any = au_cnf_or(&r->cnf, any, y);
            }
    return any;
}

/* --- locks ---------------------------------------------------------------------------------------- */

static int holds(au_ref *r, uint32_t obj, uint32_t t) {
    const au_sync_obj *o = &r->m->obj.at[obj];
    if (o->kind > AU_OBJ_RWLOCK)
        return AU_CNF_FALSE;
    int y = au_ref_owner(r, obj, t);
    if (o->kind == AU_OBJ_RWLOCK && t < o->per.n && o->per.at[t] != AU_NONE)
        y = au_cnf_or(&r->cnf, y,
                      au_ref_bool(r, au_term_truth(r->terms, end_value(r, o->per.at[t]))));
    return y;
}

static int misuse(au_ref *r, const au_ref_question *q) {
    const au_step *s = &r->m->step.at[q->step[0]];
    if (q->at_end) {
        int ends = AU_CNF_FALSE;
        uint32_t e;
        for (size_t i = 0; (e = edge(r, q->step[0], &i)) != AU_NONE;)
            if (step_of(r, e)->dst == r->m->thread.at[s->thread].exit)
                ends = au_cnf_or(&r->cnf, ends, au_ref_bool(r, r->event.at[e].passes));
        return au_cnf_and(&r->cnf, ends, holds(r, q->obj, s->thread));
    }
    if (r->whole)
        return AU_CNF_FALSE; /* its thread never comes to its end */
    int wrong;
    if (s->kind == AU_STEP_REL || s->kind == AU_STEP_WAIT)
        wrong = -holds(r, q->obj, s->thread);
    else if (s->kind == AU_STEP_RDACQ)
        wrong = au_ref_owner(r, q->obj, s->thread);
    else
        wrong = holds(r, q->obj, s->thread);
    return au_cnf_and(&r->cnf, au_ref_stands(r, s->thread, s->src), wrong);
}

/* --- nondeterminism, reaching ----------------------------------------------------------------------- */

/* The read sees what this statement wrote. */
static int sees_any(au_ref *r, uint32_t read, uint32_t writer) {
    int any = AU_CNF_FALSE;
    const int *sees = au_ref_sees(r, read);
    const au_ref_list w = r->read.at[read].writer;
    uint32_t e;
    if (writer == AU_NONE) {
        for (size_t k = 0; k < w.n; k++)
            any = w.at[k] == AU_REF_INITIAL ? sees[k] : any;
        return any;
    }
    for (size_t i = 0; (e = edge(r, writer, &i)) != AU_NONE;)
        for (size_t k = 0; k < w.n; k++)
            if (w.at[k] == e)
                any = au_cnf_or(&r->cnf, any, sees[k]);
    return any;
}

/* Its thread stands there, and the step's guard is false for good. The read has happened all the same. */
static int stops_at(au_ref *r, const au_step *s) {
    if (s->blocking || s->kind == AU_STEP_BRANCH)
        return AU_CNF_FALSE;
    int y = au_ref_stands(r, s->thread, s->src);
    uint32_t e;
    for (size_t i = 0; (e = edge(r, s->id, &i)) != AU_NONE;)
        y = au_cnf_and(&r->cnf, y, -au_ref_value_at_end(r, e, r->event.at[e].guard));
    return y;
}

/* Some event of the statement is executed before some of the other one. */
static int some_before(au_ref *r, uint32_t first, uint32_t then) {
    int any = AU_CNF_FALSE;
    uint32_t a, b;
    for (size_t i = 0; (a = edge(r, first, &i)) != AU_NONE;)
        for (size_t j = 0; (b = edge(r, then, &j)) != AU_NONE;)
            any =
                au_cnf_or(&r->cnf, any, au_cnf_and(&r->cnf, r->event.at[a].lit, order_of(r, a, b)));
    return any;
}

/* The statement has not been executed when the event is; AU_NONE: at the end of the prefix. */
static int not_before(au_ref *r, uint32_t step, uint32_t event) {
    int all = AU_CNF_TRUE;
    uint32_t a;
    for (size_t i = 0; (a = edge(r, step, &i)) != AU_NONE;)
        all = au_cnf_and(&r->cnf, all,
                         au_cnf_or(&r->cnf, -r->event.at[a].lit,
                                   event == AU_NONE ? AU_CNF_FALSE : order_of(r, event, a)));
    return all;
}

static int some_executed(au_ref *r, uint32_t step) {
    int any = AU_CNF_FALSE;
    uint32_t e;
    for (size_t i = 0; (e = edge(r, step, &i)) != AU_NONE;)
        any = au_cnf_or(&r->cnf, any, r->event.at[e].lit);
    return any;
}

/* The form of the witness. read: its event; AU_NONE: it is next at the end of the prefix, and what comes after it is
 * not in the prefix. */
static int has_form(au_ref *r, const au_ref_question *q, uint32_t read) {
    uint32_t w = q->step[1];
    if (q->write == AU_REF_FORM_ANY)
        return AU_CNF_TRUE;
    if (q->write == AU_REF_FORM_BEFORE)
        return q->writer == AU_NONE ? AU_CNF_FALSE
               : w == AU_NONE       ? AU_CNF_TRUE
                                    : some_before(r, w, q->writer);
    if (w == AU_NONE)
        return AU_CNF_FALSE;
    int y = not_before(r, w, read);
    return q->write == AU_REF_FORM_LATER && read != AU_NONE
               ? au_cnf_and(&r->cnf, y, some_executed(r, w))
               : y;
}

static int nondet(au_ref *r, const au_ref_question *q) {
    if (q->step[0] == AU_NONE && (q->write & 1)) /* after the end, or never in a complete run */
        return AU_CNF_FALSE;
    if (q->step[0] == AU_NONE)
        return au_cnf_and(&r->cnf, complete(r), sees_any(r, au_ref_end(r, q->var), q->writer));
    int any = AU_CNF_FALSE;
    uint32_t e;
    for (size_t i = 0; (e = edge(r, q->step[0], &i)) != AU_NONE;)
        for (uint32_t k = 0; k < r->event.at[e].n_reads; k++) {
            uint32_t read = r->event.at[e].first_read + k;
            if (r->read.at[read].var == q->var)
                any = au_cnf_or(&r->cnf, any,
                                au_cnf_and(&r->cnf, has_form(r, q, e),
                                           au_cnf_and(&r->cnf, r->event.at[e].lit,
                                                      sees_any(r, read, q->writer))));
        }
    if (r->whole)
        return any;
    int stops = stops_at(r, &r->m->step.at[q->step[0]]);
    if (stops == AU_CNF_FALSE)
        return any;
    stops = au_cnf_and(&r->cnf, stops, has_form(r, q, AU_NONE));
    stops = au_cnf_and(&r->cnf, stops, sees_any(r, au_ref_end(r, q->var), q->writer));
    return au_cnf_or(&r->cnf, any, stops);
}

static int reach(au_ref *r, const au_ref_question *q) {
    const au_step *s = &r->m->step.at[q->step[0]];
    return au_cnf_and(&r->cnf, reaches(r, s->thread, s->src), au_ref_started(r, s->thread));
}

/* --- all of them ---------------------------------------------------------------------------------------- */

static bool is_number(uint32_t v, size_t n, bool needed) {
    return v == AU_NONE ? !needed : v < n;
}

/* The fields that the kind needs are there. */
static bool is_question(const au_ref *r, const au_ref_question *q) {
    static const int steps[AU_REF_KINDS] = {1, 2, 3, 0, 1, 0, 1};
    const au_model *m = r->m;
    if (q->kind >= AU_REF_KINDS || q->atomic > AU_ATOMIC_GIVEN)
        return false;
    for (int i = 0; i < 3; i++)
        if (!is_number(q->step[i], m->step.n, i < steps[q->kind]) ||
            (q->step[i] != AU_NONE && r->event_of[q->step[i]] == AU_NONE))
            return false;
    if (q->kind == AU_REF_RACE && m->step.at[q->step[0]].thread == m->step.at[q->step[1]].thread)
        return false;
    if (q->kind == AU_REF_NONDET && q->write >= AU_REF_FORMS)
        return false;
    bool var = q->kind == AU_REF_ATOMICITY || q->kind == AU_REF_NONDET;
    return is_number(q->var, m->var.n, var) && is_number(q->writer, m->step.n, false) &&
           is_number(q->obj, m->obj.n, q->kind == AU_REF_MISUSE);
}

static int ask(au_ref *r, const au_ref_question *q) {
    switch (q->kind) {
    case AU_REF_ASSERT:
        return fails(r, q);
    case AU_REF_RACE:
        return race(r, q);
    case AU_REF_ATOMICITY:
        return triple(r, q);
    case AU_REF_DEADLOCK:
        return au_ref_deadlock(r);
    case AU_REF_MISUSE:
        return misuse(r, q);
    case AU_REF_NONDET:
        return nondet(r, q);
    default:
        return reach(r, q);
    }
}

bool au_ref_any(au_ref *r, const au_ref_question *q, size_t n, au_error *err) {
    for (size_t i = 0; i < n; i++) {
        if (!is_question(r, &q[i])) {
            au_error_set(err, AU_EFORMAT, "a question that the model does not have");
            return false;
        }
        int yes = ask(r, &q[i]);
        if (r->whole && q[i].kind != AU_REF_DEADLOCK) /* which is a prefix by nature */
            yes = au_cnf_and(&r->cnf, yes, complete(r));
        au_vec_push(&r->asked, yes);
    }
    au_cnf_add(&r->cnf, r->asked.at, n);
    au_ref_link(r);
    return true;
}
