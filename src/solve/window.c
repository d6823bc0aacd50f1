/* solve/window.c: cutting a window out of a model. */
#include "solve/window.h"

#include "base/error.h"
#include "solve/deadlock.h"
#include "solve/observed.h"
#include "solve/tail.h"

/* --- copying ----------------------------------------------------------------------------- */

static void copy_names(au_window *w, const au_observed *x) {
    const au_model *m = w->of;
    for (size_t v = 0; v < m->var.n; v++)
        au_model_add_var(w->m, m->var.at[v].name, m->var.at[v].kind, m->var.at[v].width,
                         x->value[v], m->var.at[v].thread);
    for (size_t i = 0; i < m->obj.n; i++) {
        au_sync_obj o = m->obj.at[i];
        o.name = au_arena_strndup(&w->m->arena, o.name, strlen(o.name));
        memset(&o.per, 0, sizeof o.per);
        au_vec_append(&o.per, m->obj.at[i].per.at, m->obj.at[i].per.n);
        au_vec_push(&w->m->obj, o);
    }
    for (size_t t = 0; t < m->thread.n; t++) {
        uint32_t id = au_model_add_thread(w->m, m->thread.at[t].name);
        w->m->thread.at[id].forked = m->thread.at[t].forked;
        w->m->thread.at[id].started = m->thread.at[t].started;
        w->m->thread.at[id].done = m->thread.at[t].done;
    }
    w->m->n_blocks = m->n_blocks;
}

static uint32_t copy_string(au_window *w, uint32_t id) {
    return id == AU_NONE ? AU_NONE
                         : au_intern_add(&w->m->strings, au_intern_str(&w->of->strings, id),
                                         au_intern_len(&w->of->strings, id));
}

static void copy_step(au_window *w, const au_step *s, uint32_t src, uint32_t dst,
                      const uint32_t *same) {
    au_terms *t = w->m->terms;
    const au_terms *from = w->of->terms;
    au_step *n = au_model_add_step(w->m, s->thread, src, dst, s->kind);
    uint32_t id = n->id;
    au_step_copy_marks(n, s);
    n->label = copy_string(w, s->label);
    n->loc = copy_string(w, s->loc);
    n->guard = au_term_import(t, from, s->guard, same);
    n->cond = au_term_import(t, from, s->cond, same);
    for (uint32_t i = 0; i < s->n_updates; i++)
        au_step_add_update(w->m, n, s->update[i].var,
                           au_term_import(t, from, s->update[i].value, same));
    for (uint32_t i = 0; i < s->n_accesses; i++)
        au_step_add_access(w->m, n, s->access[i].var, s->access[i].write);
    w->step = au_realloc_array(w->step, (size_t)id + 1, sizeof *w->step);
    w->step[id] = s->id;
    w->inside[s->id] = id;
}

/* The node of the window is that of the model. */
static void pair_node(au_window *w, uint32_t thread, uint32_t node, uint32_t of) {
    while (w->node[thread].n <= node)
        au_vec_push(&w->node[thread], AU_NONE);
    w->node[thread].at[node] = of;
}

/* An end that no step leads to: nobody has ended here, and nobody started there. */
static void set_ends(au_window *w, const au_observed *x) {
    const au_model *m = w->of;
    for (uint32_t t = 0; t < m->thread.n; t++) {
        bool ended = x->node[t] == m->thread.at[t].exit;
        uint32_t end = AU_NONE;
        for (size_t i = w->last; i-- > w->first && end == AU_NONE;) {
            const au_step *s = &m->step.at[m->observed.at[i]];
            if (s->thread == t)
                end = s->dst == m->thread.at[t].exit ? w->end[t] : AU_NONE - 1;
        }
        w->m->thread.at[t].exit = end < AU_NONE - 1 ? end
                                  : ended           ? w->m->thread.at[t].entry
                                                    : au_model_add_node(w->m, t);
        pair_node(w, t, (uint32_t)w->m->thread.at[t].node.n, AU_NONE);
    }
}

void au_window_init(au_window *w, const au_model *m, size_t first, size_t last) {
    *w = (au_window){.of = m, .m = au_model_new(m->file), .first = first, .last = last};
    au_observed x;
    au_observed_init(&x, m);
    for (size_t i = 0; i < first; i++)
        au_observed_step(&x, m->observed.at[i], 0, false);
    copy_names(w, &x);
    w->inside = au_alloc_array(m->step.n + 1, sizeof *w->inside);
    memset(w->inside, 0xff, (m->step.n + 1) * sizeof *w->inside);
    uint32_t *same = au_alloc_array(m->var.n + 1, sizeof *same);
    uint32_t *node = au_alloc_array(m->thread.n + 1, sizeof *node); /* where each thread is in w */
    for (uint32_t v = 0; v < m->var.n; v++)
        same[v] = v;
    w->node = au_alloc_array(m->thread.n + 1, sizeof *w->node);
    w->stopped = au_alloc_array(m->thread.n + 1, sizeof *w->stopped);
    for (uint32_t t = 0; t < m->thread.n; t++) {
        node[t] = w->m->thread.at[t].entry;
        pair_node(w, t, node[t], x.node[t]);
        w->stopped[t] = x.stopped[t];
    }
    for (size_t i = first; i < last; i++) {
        const au_step *s = &m->step.at[m->observed.at[i]];
        uint32_t next = au_model_add_node(w->m, s->thread);
        const au_node *n = &m->thread.at[s->thread].node.at[s->src];
        for (size_t k = 0; k < n->out.n; k++) {
            const au_step *e = &m->step.at[n->out.at[k]];
            if (e->dst == s->dst && e->kind == s->kind) /* whom a signal wakes, what woke it */
                copy_step(w, e, node[s->thread], next, same);
        }
        node[s->thread] = next;
        pair_node(w, s->thread, next, s->dst);
        au_vec_push(&w->m->observed, w->inside[s->id]);
    }
    w->end = node;
    set_ends(w, &x);
    au_observed_release(&x);
    free(same);
}

/* What each thread would do next, whatever it is: it may wait there. */
static void add_next(au_window *w) {
    const au_model *m = w->of;
    uint32_t *same = au_alloc_array(m->var.n + 1, sizeof *same);
    for (uint32_t v = 0; v < m->var.n; v++)
        same[v] = v;
    for (uint32_t t = 0; t < m->thread.n; t++) {
        const au_thread *th = &m->thread.at[t];
        uint32_t at = w->node[t].at[w->end[t]], leads_to = AU_NONE, next = AU_NONE;
        const au_node *n = &th->node.at[at];
        for (size_t k = 0; k < n->out.n && !w->stopped[t]; k++) {
            const au_step *e = &m->step.at[n->out.at[k]];
            if (e->dst != leads_to) {
                next = au_model_add_node(w->m, t);
                pair_node(w, t, next, e->dst);
                leads_to = e->dst;
            }
            copy_step(w, e, w->end[t], next, same);
            if (e->dst == th->exit)
                w->m->thread.at[t].exit = next;
        }
        pair_node(w, t, (uint32_t)w->m->thread.at[t].node.n, AU_NONE);
    }
    free(same);
}

void au_window_release(au_window *w) {
    for (size_t t = 0; t < w->of->thread.n; t++)
        au_vec_release(&w->node[t]);
    free(w->node);
    free(w->stopped);
    au_model_free(w->m);
    free(w->step);
    free(w->inside);
    free(w->end);
}

/* --- where ------------------------------------------------------------------------------------ */

size_t au_window_place(const au_model *m, uint32_t step) {
    const au_step *s = &m->step.at[step];
    for (size_t i = 0; i < m->observed.n; i++) {
        const au_step *e = &m->step.at[m->observed.at[i]];
        if (e->thread == s->thread && e->src == s->src && e->kind == s->kind)
            return i;
    }
    return SIZE_MAX;
}

static bool is_lock(const au_model *m, uint32_t obj) {
    return m->obj.at[obj].kind <= AU_OBJ_RWLOCK;
}

/* Where the block that step 'at' of the run lies in begins. */
static size_t block_begin(const au_model *m, size_t at) {
    const au_step *e = &m->step.at[m->observed.at[at]];
    size_t begin = at, held = 0, open = at;
    for (size_t i = 0; i < at; i++) {
        const au_step *s = &m->step.at[m->observed.at[i]];
        if (s->thread != e->thread)
            continue;
        if (e->block != AU_NONE && s->block == e->block)
            begin = begin < i ? begin : i;
        bool takes = s->kind == AU_STEP_RDACQ || s->kind == AU_STEP_WRACQ ||
                     (s->kind == AU_STEP_ACQ && is_lock(m, s->obj)) ||
                     (s->kind == AU_STEP_WAKE && is_lock(m, s->obj2));
        bool gives = (s->kind == AU_STEP_REL && is_lock(m, s->obj)) ||
                     (s->kind == AU_STEP_WAIT && is_lock(m, s->obj2));
        if (takes && !held++)
            open = i;
        if (gives && held)
            held--;
    }
    return held && open < begin ? open : begin;
}

/* Deadlocks are not about steps; the end of a run is not for windows. */
static bool has_place(const au_query *q) {
    return q->kind != AU_ASK_DEADLOCK && !q->at_end &&
           !(q->kind == AU_ASK_NONDET && q->step[0] == AU_NONE);
}

bool au_window_around(const au_model *m, const au_query *q, size_t size, size_t *first,
                      size_t *last) {
    static const int steps[AU_ASK_KINDS] = {1, 2, 3, 0, 1, 1, 1, 3, 3};
    if (!has_place(q))
        return false;
    size_t low = SIZE_MAX, high = 0;
    for (int i = 0; i < steps[q->kind] + (q->kind == AU_ASK_NONDET && q->writer != AU_NONE); i++) {
        if ((q->kind == AU_ASK_LOST || q->kind == AU_ASK_STALE) && i == 1)
            continue; /* any write will do */
        size_t at = au_window_place(m, i < steps[q->kind] ? q->step[i] : q->writer);
        if (at == SIZE_MAX)
            return false;
        high = at + 1 > high ? at + 1 : high;
        if (q->kind == AU_ASK_ATOMICITY && i == 0)
            at = block_begin(m, at);
        low = at < low ? at : low;
    }
    if (high - low > size)
        return false;
    size_t spare = (size - (high - low)) / 2;
    *first = low > spare ? low - spare : 0;
    *last = *first + size < m->observed.n ? *first + size : m->observed.n;
    *last = *last > high ? *last : high;
    return true;
}

/* --- asking ------------------------------------------------------------------------------------- */

/* What stands for the initial value in the window is the initial value. */
static bool is_untouched(const au_model *m, uint32_t var, size_t before) {
    for (size_t i = 0; i < before; i++) {
        const au_step *s = &m->step.at[m->observed.at[i]];
        for (uint32_t k = 0; k < s->n_accesses; k++)
            if (s->access[k].write && s->access[k].var == var)
                return false;
    }
    return true;
}

static uint32_t map_step(const au_window *w, uint32_t step, bool *all) {
    if (step == AU_NONE)
        return AU_NONE;
    const au_node *n =
        &w->of->thread.at[w->of->step.at[step].thread].node.at[w->of->step.at[step].src];
    for (size_t i = 0; i < n->out.n; i++)
        if (au_query_event(w->of, n->out.at[i]) == au_query_event(w->of, step) &&
            w->inside[n->out.at[i]] != AU_NONE)
            return w->inside[n->out.at[i]];
    *all = false;
    return AU_NONE;
}

/* The answer in terms of the whole model, with the run up to 'until' after the window. */
static void widen(const au_window *w, size_t until, au_solution *r) {
    const au_model *m = w->of;
    au_solution whole = *r;
    uint32_t *done = au_alloc_array(m->thread.n + 1, sizeof *done);
    memset(&whole.schedule, 0, sizeof whole.schedule);
    memset(&whole.havoc, 0, sizeof whole.havoc);
    whole.shown = w->first;
    for (size_t i = 0; i < w->first; i++)
        done[m->step.at[m->observed.at[i]].thread]++;
    au_vec_append(&whole.schedule, m->observed.at, w->first);
    for (size_t i = 0; i < r->schedule.n; i++) {
        uint32_t step = w->step[r->schedule.at[i]];
        if (step == AU_NONE)
            continue; /* tells a local */
        au_vec_push(&whole.schedule, step);
        whole.shown += i < r->shown;
    }
    for (size_t i = 0; i < r->event.n; i++)
        if (r->event.at[i].step != AU_NONE) {
            uint32_t step = w->step[r->event.at[i].step];
            whole.event.at[i] =
                (au_solved_event){step, r->event.at[i].index + done[m->step.at[step].thread]};
        }
    if (until > w->last)
        au_vec_append(&whole.schedule, m->observed.at + w->last, until - w->last);
    for (size_t i = 0, k = 0; i < whole.schedule.n; i++) {
        const au_step *s = &m->step.at[whole.schedule.at[i]];
        whole.spurious |= s->spurious;
        bool inside = i >= w->first && k < r->havoc.n;
        if (s->havoc != AU_NONE)
            au_vec_push(&whole.havoc, inside ? r->havoc.at[k++] : 0);
    }
    au_vec_release(&r->schedule);
    au_vec_release(&r->havoc);
    free(done);
    *r = whole;
}

/* Where an assertion that lies behind the window fails. */
static void add_failure(const au_model *m, uint32_t step, au_solution *r) {
    uint32_t index = 0;
    for (size_t i = 0; i < r->schedule.n; i++) {
        const au_step *s = &m->step.at[r->schedule.at[i]];
        index += s->thread == m->step.at[step].thread;
        if (s->id == step)
            au_vec_push(&r->event, ((au_solved_event){step, index}));
    }
}

/* A window, and what follows it in the observed order. */
static void ask_before(au_window *w, const au_solve_options *o, const au_query *q,
                       const au_query *in, size_t place, const au_solve_limits *limits,
                       au_solution *r) {
    const au_model *m = w->of;
    au_error err = AU_ERROR_NONE;
    bool beyond = !in;
    uint32_t fails = beyond ? m->observed.at[place] : AU_NONE;
    size_t until = o->whole ? m->observed.n : place + 1;
    au_term then = au_tail_condition(w, until, beyond ? place : SIZE_MAX, o->whole);
    if (au_term_is_false(w->m->terms, then))
        return;
    au_solver *s = au_solver_new(w->m, o, &err);
    if (!s)
        return;
    au_solver_ask_end(s, in, then, limits, r);
    au_solver_free(s);
    r->var = q->var;
    r->obj = q->obj;
    if (r->answer != AU_SAT)
        return;
    widen(w, until, r);
    if (beyond)
        add_failure(m, fails, r);
    if (o->whole ? q->kind != AU_ASK_RACE : true)
        r->shown = r->schedule.n;
    if (!au_tail_runs(m, r, fails, o->whole)) {
        au_solution_release(r);
        *r = (au_solution){.answer = AU_UNKNOWN, .why = "", .var = q->var, .obj = q->obj};
    }
}

static bool has_windows(const au_solve_options *o) {
    return o->context_bound == AU_NONE && o->semantics != AU_SEM_MCM &&
           o->semantics != AU_SEM_LOCKS && (!o->whole || o->semantics == AU_SEM_CTP);
}

/* The window's solver knows those that can happen in it. */
static void tell_known(const au_window *w, const au_solution *known, au_solver *s) {
    bool all = known->event.n;
    au_u32s core = {0};
    for (size_t i = 0; i < known->event.n && all; i++)
        au_vec_push(&core, map_step(w, known->event.at[i].step, &all));
    if (all)
        au_solver_know(s, &core);
    au_vec_release(&core);
}

void au_solve_dead_in(const au_model *m, const au_solve_options *o, const au_solution *known,
                      size_t n, const au_solve_limits *limits, size_t first, size_t last,
                      au_solution *r) {
    *r = (au_solution){.answer = AU_UNKNOWN, .why = "", .var = AU_NONE, .obj = AU_NONE};
    au_query q = au_query_about(AU_ASK_DEADLOCK, AU_NONE);
    au_window w;
    au_error err = AU_ERROR_NONE;
    if (!has_windows(o))
        return;
    au_window_init(&w, m, first, last);
    add_next(&w);
    au_dead_part part = {m, w.node, w.stopped};
    au_solve_options in = *o;
    in.part = &part;
    au_solver *s = au_solver_new(w.m, &in, &err);
    for (size_t i = 0; i < n && s; i++)
        tell_known(&w, &known[i], s);
    if (s)
        au_solver_ask(s, &q, limits, r);
    au_solver_free(s);
    if (r->answer == AU_SAT)
        widen(&w, 0, r);
    else
        r->answer = AU_UNKNOWN;
    au_window_release(&w);
}

void au_solve_in(const au_model *m, const au_solve_options *o, const au_query *q,
                 const au_solve_limits *limits, size_t first, size_t last, au_solution *r) {
    *r = (au_solution){.answer = AU_UNKNOWN, .why = "", .var = q->var, .obj = q->obj};
    if (q->kind == AU_ASK_DEADLOCK) {
        au_solve_dead_in(m, o, NULL, 0, limits, first, last, r);
        return;
    }
    if (!has_place(q) || !has_windows(o)) {
        r->why = "not a question for a window of the run";
        return;
    }
    au_window w;
    au_error err = AU_ERROR_NONE;
    au_window_init(&w, m, first, last);
    au_query in = *q;
    size_t place = q->kind == AU_ASK_ASSERT ? au_window_place(m, q->step[0]) : SIZE_MAX;
    bool all = q->kind != AU_ASK_NONDET || q->writer != AU_NONE || is_untouched(m, q->var, first);
    for (int i = 0; i < 3; i++)
        in.step[i] = map_step(&w, q->step[i], &all);
    in.writer = map_step(&w, q->writer, &all);
    if (q->kind == AU_ASK_STALE) /* the branch */
        in.obj = map_step(&w, q->obj, &all);
    bool beyond = place != SIZE_MAX && place >= last && o->semantics == AU_SEM_CTP;
    if (beyond || (all && o->whole)) {
        ask_before(&w, o, q, beyond ? NULL : &in, place, limits, r);
    } else if (all) {
        au_solver *s = au_solver_new(w.m, o, &err);
        if (s)
            au_solver_ask(s, &in, limits, r);
        au_solver_free(s);
        if (r->answer == AU_SAT)
            widen(&w, 0, r);
    }
    if (r->answer != AU_SAT) {
        r->answer = AU_UNKNOWN;
        r->why = "not within a window of the run";
    }
    au_window_release(&w);
}

void au_solve_in_window(const au_model *m, const au_solve_options *o, const au_query *q,
                        const au_solve_limits *limits, size_t size, au_solution *r) {
    size_t first, last;
    if (au_window_around(m, q, size, &first, &last)) {
        au_solve_in(m, o, q, limits, first, last, r);
        return;
    }
    *r = (au_solution){.answer = AU_UNKNOWN,
                       .why = "its events are too far apart for one window of the run",
                       .var = q->var,
                       .obj = q->obj};
}
