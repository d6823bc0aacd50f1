/* funnel/open_map.c: which events are which steps, and back. */
#include "funnel/open.h"

bool au_opener_writes(au_op op) {
    return op == AU_OP_WRITE || op == AU_OP_AWRITE || op == AU_OP_RMW;
}

bool au_opener_reads(au_op op) {
    return op == AU_OP_READ || op == AU_OP_AREAD || op == AU_OP_RMW;
}

/* Of the events that are one step, the one at which it is taken. */
static bool takes_step(const au_opener *k, size_t e) {
    au_op op = k->t->events.op[e];
    return k->step_of[e] != AU_NONE && op != AU_OP_WAIT && op != AU_OP_WAKE && op != AU_OP_REQ;
}

static void match_names(au_opener *k) {
    const au_names *names = &k->t->names;
    k->thread = au_alloc_array(k->m->thread.n + 1, sizeof *k->thread);
    for (uint32_t i = 0; i < k->m->thread.n; i++)
        for (uint32_t j = 0; j < names->thread.n; j++)
            if (!strcmp(k->m->thread.at[i].name, au_intern_str(&names->thread, j)))
                k->thread[i] = j;
    k->var = au_alloc_array(k->m->var.n + 1, sizeof *k->var);
    k->inside = au_alloc_array(names->var.n + 1, sizeof *k->inside);
    memset(k->inside, 0xff, names->var.n * sizeof *k->inside);
    for (uint32_t i = 0; i < k->m->var.n; i++) {
        const au_var_info *v = &k->m->var.at[i];
        uint32_t id = v->kind == AU_VAR_SHARED
                          ? au_intern_find(&names->var, v->name, strlen(v->name))
                          : AU_NONE;
        k->var[i] = id == AU_NONE ? AU_NONE : id;
        if (id != AU_NONE)
            k->inside[id] = i;
    }
}

/* By thread and node: the step that leads to it; AU_NONE: none, or several. */
typedef struct {
    uint32_t *base, *step;
} ways_in;

static void find_ways(ways_in *w, const au_model *m) {
    w->base = au_alloc_array(m->thread.n + 1, sizeof *w->base);
    for (size_t t = 0; t < m->thread.n; t++)
        w->base[t + 1] = w->base[t] + (uint32_t)m->thread.at[t].node.n;
    w->step = au_alloc_array(w->base[m->thread.n] + 1, sizeof *w->step);
    memset(w->step, 0xff, w->base[m->thread.n] * sizeof *w->step);
    for (uint32_t i = 0; i < m->step.n; i++) {
        uint32_t *at = &w->step[w->base[m->step.at[i].thread] + m->step.at[i].dst];
        *at = *at == AU_NONE ? i : AU_NONE - 1;
    }
}

static uint32_t into(const ways_in *w, const au_model *m, uint32_t thread, uint32_t node) {
    uint32_t found = w->step[w->base[thread] + node];
    return found < m->step.n ? found : AU_NONE;
}

/* An access whose pointer may point elsewhere is a branch with an access on each side: all of
 * them are this event. */
static void mark_sides(au_opener *k, const ways_in *w, size_t event) {
    const au_model *m = k->m;
    const au_step *here = &m->step.at[k->step_of[event]];
    const au_thread *t = &m->thread.at[here->thread];
    uint32_t node = here->src, up;
    while ((up = into(w, m, here->thread, node)) != AU_NONE &&
           m->step.at[up].kind == AU_STEP_BRANCH)
        node = m->step.at[up].src;
    if (node == here->src)
        return;
    uint32_t end = t->node.at[node].merge;
    AU_VEC(uint32_t) todo = {0};
    au_vec_push(&todo, node);
    while (todo.n) {
        uint32_t at = au_vec_pop(&todo);
        for (size_t i = 0; at != end && i < t->node.at[at].out.n; i++) {
            const au_step *s = &m->step.at[t->node.at[at].out.at[i]];
            if (s->n_accesses)
                k->event_of[au_query_event(m, s->id)] = event;
            au_vec_push(&todo, s->dst);
        }
    }
    au_vec_release(&todo);
}

void au_opener_number(au_opener *k) {
    const au_trace *t = k->t;
    size_t steps = k->m->step.n + 1;
    uint64_t *count = au_alloc_array(t->names.thread.n, sizeof *count);
    match_names(k);
    k->event_of = au_alloc_array(steps, sizeof *k->event_of);
    memset(k->event_of, 0xff, steps * sizeof *k->event_of);
    k->fact_of = au_alloc_array(steps, sizeof *k->fact_of);
    memset(k->fact_of, 0xff, steps * sizeof *k->fact_of);
    k->index = au_alloc_array(t->events.n, sizeof *k->index);
    for (size_t e = 0; e < t->events.n; e++) {
        k->index[e] = ++count[t->events.thread[e]];
        if (takes_step(k, e))
            k->event_of[au_query_event(k->m, k->step_of[e])] = e;
    }
    for (size_t e = 0; e < t->events.n; e++) { /* waits and requests that nothing came of */
        size_t *at =
            k->step_of[e] == AU_NONE ? NULL : &k->event_of[au_query_event(k->m, k->step_of[e])];
        if (at && *at == SIZE_MAX)
            *at = e;
    }
    ways_in ways = {0};
    if (k->s && k->s->elsewhere.n)
        find_ways(&ways, k->m);
    for (size_t i = 0; k->s && i < k->s->elsewhere.n; i++) {
        size_t e = k->s->elsewhere.at[i].event;
        if ((!i || k->s->elsewhere.at[i - 1].event != e) && k->step_of[e] != AU_NONE)
            mark_sides(k, &ways, e);
    }
    free(ways.base);
    free(ways.step);
    for (uint32_t f = 0; k->s && f < k->s->fact.n; f++)
        if (k->fact_step[f] != AU_NONE)
            k->fact_of[au_query_event(k->m, k->fact_step[f])] = f;
    k->length = count;
}

void au_opener_release(au_opener *k) {
    free(k->event_of);
    free(k->thread);
    free(k->var);
    free(k->inside);
    free(k->fact_of);
    free(k->index);
    free(k->length);
    free(k->step_of);
    free(k->fact_step);
    au_vec_release(&k->query);
    au_vec_release(&k->alike);
    au_vec_release(&k->ruled);
    au_vec_release(&k->lost_alike);
    au_vec_release(&k->finding);
    au_checker_free(k->checker);
    au_unreached_free(k->u);
    au_model_free(k->m);
}

/* The event before e, of those that are this statement; SIZE_MAX: there is none. They stand together, but for parts that
 * nothing can change. */
static size_t before(const au_opener *k, uint32_t statement, size_t e) {
    uint16_t thread = k->t->events.thread[e];
    while (e-- > 0) {
        if (k->step_of[e] == AU_NONE && k->t->events.thread[e] == thread)
            continue;
        return k->t->events.thread[e] == thread && au_query_event(k->m, k->step_of[e]) == statement
                   ? e
                   : SIZE_MAX;
    }
    return SIZE_MAX;
}

size_t au_opener_event(const au_opener *k, uint32_t step, uint32_t var) {
    uint32_t statement = au_query_event(k->m, step);
    size_t last = k->event_of[statement];
    if (last == SIZE_MAX || var == AU_NONE || k->var[var] == AU_NONE)
        return last;
    for (size_t e = last; e != SIZE_MAX; e = before(k, statement, e))
        if (au_op_is_access(k->t->events.op[e]) && k->t->events.obj[e] == k->var[var])
            return e;
    return last;
}

size_t au_opener_access(const au_opener *k, uint32_t step, uint32_t var, bool write) {
    uint32_t statement = au_query_event(k->m, step);
    size_t last = k->event_of[statement], elsewhere = SIZE_MAX;
    bool here = false;
    for (size_t e = last; e != SIZE_MAX; e = before(k, statement, e)) {
        au_op op = k->t->events.op[e];
        bool does = write ? au_opener_writes(op) : au_opener_reads(op);
        if (!au_op_is_access(op))
            continue;
        if (k->t->events.obj[e] == k->var[var]) {
            here = true;
            if (does)
                return e;
        }
        if (does && elsewhere == SIZE_MAX)
            elsewhere = e;
    }
    return here ? SIZE_MAX : elsewhere;
}

/* A compare-and-exchange: what it stores depends on what it finds. */
static bool may_keep(const au_opener *k, uint32_t step, uint32_t var) {
    const au_step *s = &k->m->step.at[step];
    for (uint32_t i = 0; i < s->n_updates; i++)
        if (s->update[i].var == var)
            return au_term_kind(k->m->terms, s->update[i].value) == AU_T_ITE;
    return false;
}

static bool may_write(const au_opener *k, uint32_t step, uint32_t var) {
    const au_step *s = &k->m->step.at[step];
    for (uint32_t i = 0; i < s->n_accesses; i++)
        if (s->access[i].write && s->access[i].var == var)
            return true;
    return false;
}

void au_opener_sharpen(const au_opener *k, au_query *q) {
    int n = q->kind == AU_ASK_ATOMICITY ? 3 : q->kind == AU_ASK_RACE ? 2 : 0;
    bool sure = false;
    for (int i = 0; i < n; i++) {
        bool writes = n == 3 ? q->write[i] : may_write(k, q->step[i], q->var);
        bool failed = au_opener_access(k, q->step[i], q->var, true) == SIZE_MAX;
        q->changes[i] = writes && (failed || may_keep(k, q->step[i], q->var));
        sure |= writes && !q->changes[i];
    }
    for (int i = 0; i < n && n == 2 && sure; i++)
        q->changes[i] = false; /* the other one writes: any access is enough */
}

bool au_opener_succeeds(const au_opener *k, const au_query *q) {
    for (int i = 0; i < 3; i++)
        if (q->changes[i] && au_opener_access(k, q->step[i], q->var, true) == SIZE_MAX)
            return true;
    return false;
}

au_event_ref au_opener_ref(const au_opener *k, size_t event) {
    const au_columns *t = &k->t->events;
    return (au_event_ref){.number = event,
                          .index = k->index[event],
                          .obj = t->obj[event],
                          .loc = t->loc[event],
                          .thread = t->thread[event],
                          .op = t->op[event]};
}
