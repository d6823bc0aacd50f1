/* oracle/findings.c: what single states and moves show, and how it is told. */
#include "oracle/oracle_priv.h"
#include "oracle/weak.h"

#include <stdlib.h>
#include <string.h>

/* --- paths and schedules ------------------------------------------------------- */

void au_path_to(const au_graph *g, uint32_t state, au_path *p) {
    for (uint32_t i = g->parent_move[state]; i != AU_NONE; i = g->parent_move[g->move.at[i].src])
        au_vec_push(p, i);
    for (size_t i = 0; i < p->n / 2; i++) {
        uint32_t x = p->at[i];
        p->at[i] = p->at[p->n - 1 - i];
        p->at[p->n - 1 - i] = x;
    }
}

bool au_move_is_event(const au_move *v) {
    return !(v->flags & AU_MOVE_STOP);
}

/* Where whole runs are asked for, the schedule is one: on to an end, with as few
 * changes of thread as comes by itself. */
static void carry_on(const au_graph *g, au_path *p) {
    uint32_t state = 0, thread = AU_NONE;
    if (p->n) {
        const au_move *last = &g->move.at[au_vec_last(p)];
        state = last->dst;
        thread = g->k->m->step.at[last->step].thread;
    }
    for (;;) {
        uint32_t best = AU_NONE;
        for (uint32_t i = g->first_move[state]; i < g->first_move[state + 1]; i++) {
            const au_step *s = &g->k->m->step.at[g->move.at[i].step];
            bool on_the_way = g->can_end[state] == AU_AN_END_WITHOUT_SPURIOUS
                                  ? g->can_end[g->move.at[i].dst] == AU_AN_END_WITHOUT_SPURIOUS &&
                                        (!s->spurious || g->k->ignores_sync)
                                  : g->can_end[g->move.at[i].dst] != AU_NO_END;
            if (on_the_way && (best == AU_NONE || s->thread == thread))
                best = i;
        }
        if (best == AU_NONE)
            return;
        au_vec_push(p, best);
        state = g->move.at[best].dst;
        thread = g->k->m->step.at[g->move.at[best].step].thread;
    }
}

au_oracle_turn *au_path_turns(const au_graph *g, au_oracle_result *r, const au_path *decisive,
                              bool prefix, uint32_t *n_turns, bool *spurious) {
    const au_model *m = g->k->m;
    au_path whole = {0}, *p = &whole;
    au_vec_append(p, decisive->at, decisive->n);
    if (g->k->o->whole && !prefix)
        carry_on(g, p);
    uint32_t *done = au_alloc_array(g->n_threads, sizeof *done);
    AU_VEC(au_oracle_turn) turn = {0};
    *spurious = false;
    for (size_t i = 0; i < p->n; i++) {
        const au_move *v = &g->move.at[p->at[i]];
        const au_step *s = &m->step.at[v->step];
        if (!au_move_is_event(v))
            continue;
        *spurious |= s->spurious && !g->k->ignores_sync;
        done[s->thread]++;
        if (!turn.n || au_vec_last(&turn).thread != s->thread)
            au_vec_push(&turn, ((au_oracle_turn){s->thread, 0}));
        au_vec_last(&turn).upto = done[s->thread];
    }
    au_oracle_turn *t = AU_ARENA_ARRAY(&r->arena, au_oracle_turn, turn.n);
    if (turn.n)
        memcpy(t, turn.at, turn.n * sizeof *t);
    *n_turns = (uint32_t)turn.n;
    au_vec_release(&turn);
    au_vec_release(&whole);
    free(done);
    return t;
}

uint32_t au_path_index(const au_graph *g, const au_path *p, uint32_t thread, uint32_t of_step) {
    const au_model *m = g->k->m;
    uint32_t n = 0, at = 0;
    for (size_t i = 0; i < p->n; i++) {
        const au_move *v = &g->move.at[p->at[i]];
        if (m->step.at[v->step].thread != thread || !au_move_is_event(v))
            continue;
        n++;
        if (of_step != AU_NONE && g->k->step[v->step].event == g->k->step[of_step].event)
            at = n;
    }
    return of_step == AU_NONE ? n : at;
}

au_oracle_finding *au_add_finding(const au_graph *g, au_oracle_result *r, au_found kind,
                                  const au_path *p, uint32_t n_events) {
    au_oracle_finding *f = au_vec_add(&r->finding);
    *f = (au_oracle_finding){
        .kind = kind, .var = AU_NONE, .obj = AU_NONE, .detail = "", .n_events = n_events};
    f->event = AU_ARENA_ARRAY(&r->arena, au_oracle_event, n_events);
    bool prefix = kind == AU_FOUND_DEADLOCK; /* by its nature */
    f->turn = au_path_turns(g, r, p, prefix, &f->n_turns, &f->spurious);
    f->execution = g->weak ? au_weak_execution(g, r, p) : NULL;
    return f;
}

/* --- what a state shows ----------------------------------------------------------- */

typedef struct {
    au_graph *g;
    au_oracle_result *r;
    au_records told; /* keys of what was told already */
    au_givers *givers;
    uint8_t end; /* what can_end must be at least where whole runs are asked for */
    uint64_t *sets;
    uint32_t *key;
    size_t key_words;
} search;

/* True the first time. The key is kind and up to key_words - 1 numbers. */
static bool fresh_key(search *q, au_found kind, const uint32_t *k, size_t n) {
    memset(q->key, 0xff, q->key_words * sizeof *q->key);
    q->key[0] = kind;
    memcpy(q->key + 1, k, n * sizeof *k);
    bool fresh;
    au_records_put(&q->told, q->key, &fresh);
    return fresh;
}

static au_oracle_finding *tell_state(search *q, au_found kind, uint32_t state, uint32_t n_events,
                                     au_path *p) {
    au_path_to(q->g, state, p);
    return au_add_finding(q->g, q->r, kind, p, n_events);
}

static uint32_t next_index(search *q, const au_path *p, uint32_t thread) {
    return au_path_index(q->g, p, thread, AU_NONE) + 1;
}

static void tell_race(search *q, uint32_t state, const au_step *a, const au_step *b, uint32_t var) {
    uint32_t ea = q->g->k->step[a->id].event, eb = q->g->k->step[b->id].event;
    uint32_t k[3] = {ea, eb, var};
    if (!fresh_key(q, AU_FOUND_RACE, k, 3))
        return;
    au_path p = {0};
    au_oracle_finding *f = tell_state(q, AU_FOUND_RACE, state, 2, &p);
    f->var = var;
    f->event[0] = (au_oracle_event){ea, next_index(q, &p, a->thread)};
    f->event[1] = (au_oracle_event){eb, next_index(q, &p, b->thread)};
    au_vec_release(&p);
}

static void race_of_steps(search *q, uint32_t state, const au_step *a, const au_step *b) {
    if (au_step_is_atomic(a) && au_step_is_atomic(b))
        return;
    for (uint32_t i = 0; i < a->n_accesses; i++)
        for (uint32_t j = 0; j < b->n_accesses; j++)
            if (a->access[i].var == b->access[j].var && (a->access[i].write || b->access[j].write))
                tell_race(q, state, a, b, a->access[i].var);
}

/* rc11: both events are in the execution. */
static void tell_weak_race(search *q, uint32_t state, uint32_t a, uint32_t b) {
    au_graph *g = q->g;
    const au_weak_exec *x = &g->weak->cur;
    const uint32_t step[2] = {x->event[a].step, x->event[b].step};
    uint32_t k[3] = {g->k->step[step[0]].event, g->k->step[step[1]].event, g->weak->rel.var[a]};
    if (!fresh_key(q, AU_FOUND_RACE, k, 3))
        return;
    au_path p = {0};
    au_oracle_finding *f = tell_state(q, AU_FOUND_RACE, state, 2, &p);
    f->var = k[2];
    for (int i = 0; i < 2; i++) {
        uint32_t t = g->k->m->step.at[step[i]].thread;
        uint32_t index = au_path_index(g, &p, t, step[i]);
        /* a read whose assume is false comes next */
        f->event[i] = (au_oracle_event){k[i], index ? index : next_index(q, &p, t)};
    }
    au_vec_release(&p);
}

static void weak_races(search *q, uint32_t state) {
    au_weak *w = q->g->weak;
    bool raced;
    if (!w->raced.at[au_graph_exec(q->g, state)])
        return;
    au_weak_get(&w->exec, au_graph_exec(q->g, state), &w->cur);
    AU_BUG_IF(!au_weak_consistent(w->memory, &w->cur, &w->rel, &raced));
    for (uint32_t a = 0; a < w->cur.n; a++)
        for (uint32_t b = a + 1; b < w->cur.n; b++)
            if (au_weak_race(&w->cur, &w->rel, a, b))
                tell_weak_race(q, state, a, b);
}

static const au_node *stands_at(search *q, const au_state *s, uint32_t t) {
    if (s->node[t] == AU_STOPPED || !au_graph_started(q->g, s, t))
        return NULL;
    return &q->g->k->m->thread.at[t].node.at[s->node[t]];
}

static void races(search *q, uint32_t state, const au_state *s) {
    const au_machine *k = q->g->k;
    for (uint32_t t = 0; t < q->g->n_threads; t++) {
        const au_node *a = stands_at(q, s, t);
        for (uint32_t u = t + 1; a && u < q->g->n_threads; u++) {
            const au_node *b = stands_at(q, s, u);
            for (size_t i = 0; b && i < a->out.n; i++)
                for (size_t j = 0; j < b->out.n; j++)
                    if (k->step[a->out.at[i]].present && k->step[b->out.at[j]].present)
                        race_of_steps(q, state, &k->m->step.at[a->out.at[i]],
                                      &k->m->step.at[b->out.at[j]]);
        }
    }
}

static void deadlocks(search *q, uint32_t state, const au_state *s) {
    au_graph *g = q->g;
    uint32_t n = au_deadlocks(g, q->givers, s, q->sets), k[64];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t members = 0;
        for (uint32_t t = 0; t < g->n_threads; t++)
            if (q->sets[i] >> t & 1) {
                const au_node *at = &g->k->m->thread.at[t].node.at[s->node[t]];
                k[members++] = g->k->step[at->out.at[0]].event;
            }
        if (!fresh_key(q, AU_FOUND_DEADLOCK, k, members))
            continue;
        au_path p = {0};
        au_oracle_finding *f = tell_state(q, AU_FOUND_DEADLOCK, state, members, &p);
        for (uint32_t j = 0; j < members; j++)
            f->event[j] = (au_oracle_event){k[j], next_index(q, &p, g->k->m->step.at[k[j]].thread)};
        au_vec_release(&p);
    }
}

/* --- misuse of locks ------------------------------------------------------------------- */

/* What is wrong with taking this step now, or NULL. */
static const char *misuse_of(search *q, const au_state *s, const au_step *p) {
    const au_model *m = q->g->k->m;
    if (p->obj == AU_NONE || p->kind == AU_STEP_FORK || p->kind == AU_STEP_JOIN)
        return NULL;
    au_obj_kind kind = m->obj.at[p->obj].kind;
    switch (p->kind) {
    case AU_STEP_REL:
        return kind != AU_OBJ_SEM && !au_graph_holds(q->g, s, p->obj, p->thread)
                   ? "unlock of a lock not held"
                   : NULL;
    case AU_STEP_WAIT:
        return m->obj.at[p->obj2].kind != AU_OBJ_SEM && !au_graph_holds(q->g, s, p->obj2, p->thread)
                   ? "wait without the lock"
                   : NULL;
    case AU_STEP_ACQ: /* to try for one's own lock is no mistake */
        return p->blocking && kind == AU_OBJ_LOCK && au_graph_holds(q->g, s, p->obj, p->thread)
                   ? "lock taken twice"
                   : NULL;
    case AU_STEP_WRACQ:
        return p->blocking && au_graph_holds(q->g, s, p->obj, p->thread) ? "lock taken twice"
                                                                         : NULL;
    case AU_STEP_RDACQ:
        return p->blocking && s->value[m->obj.at[p->obj].var[0]] == p->thread + 1
                   ? "lock taken twice"
                   : NULL;
    default:
        return NULL;
    }
}

/* In this state; move: and after this move, AU_NONE if the step comes next. */
static void tell_misuse(search *q, uint32_t state, uint32_t move, const au_step *p, uint32_t obj,
                        const char *what) {
    uint32_t e = q->g->k->step[p->id].event, k[3] = {e, obj, (uint32_t)what[0]};
    if (!fresh_key(q, AU_FOUND_MISUSE, k, 3))
        return;
    au_path path = {0};
    au_path_to(q->g, state, &path);
    if (move != AU_NONE)
        au_vec_push(&path, move);
    au_oracle_finding *f = au_add_finding(q->g, q->r, AU_FOUND_MISUSE, &path, 1);
    f->obj = obj;
    f->detail = what;
    f->event[0] = (au_oracle_event){e, next_index(q, &path, p->thread) - (move != AU_NONE)};
    au_vec_release(&path);
}

static void misuses(search *q, uint32_t state, const au_state *s) {
    const au_machine *k = q->g->k;
    for (uint32_t t = 0; t < q->g->n_threads; t++) {
        const au_node *n = stands_at(q, s, t);
        for (size_t i = 0; n && i < n->out.n; i++) {
            const au_step *p = &k->m->step.at[n->out.at[i]];
            const char *what = k->step[p->id].present ? misuse_of(q, s, p) : NULL;
            if (what)
                tell_misuse(q, state, AU_NONE, p, p->kind == AU_STEP_WAIT ? p->obj2 : p->obj, what);
        }
    }
}

/* A thread that has just ended with a lock in its hands. */
static void held_at_exit(search *q, uint32_t move) {
    const au_model *m = q->g->k->m;
    const au_move *v = &q->g->move.at[move];
    const au_step *p = &m->step.at[v->step];
    if (q->g->k->o->whole && q->g->can_end[v->dst] < q->end)
        return;
    au_graph_load(q->g, v->dst, &q->g->nxt);
    if (q->g->nxt.node[p->thread] != m->thread.at[p->thread].exit)
        return;
    for (uint32_t obj = 0; obj < m->obj.n; obj++)
        if (au_graph_holds(q->g, &q->g->nxt, obj, p->thread))
            tell_misuse(q, v->src, move, p, obj, "held when its thread ends");
}

/* --- asserts ------------------------------------------------------------------------------ */

static void failing_assert(search *q, uint32_t move) {
    au_graph *g = q->g;
    const au_move *v = &g->move.at[move];
    if (!(v->flags & AU_MOVE_FAIL) || (g->k->o->whole && g->can_end[v->dst] < q->end))
        return;
    uint32_t e = g->k->step[v->step].event;
    if (!fresh_key(q, AU_FOUND_ASSERT, &e, 1))
        return;
    au_path p = {0};
    au_path_to(g, v->src, &p);
    au_vec_push(&p, move);
    au_oracle_finding *f = au_add_finding(g, q->r, AU_FOUND_ASSERT, &p, 1);
    f->event[0] = (au_oracle_event){e, au_path_index(g, &p, g->k->m->step.at[e].thread, e)};
    au_vec_release(&p);
}

static bool wakes_spuriously(const au_graph *g, uint32_t move) {
    return g->k->m->step.at[g->move.at[move].step].spurious && !g->k->ignores_sync;
}

static void search_state(search *q, uint32_t state) {
    au_graph *g = q->g;
    unsigned props = g->k->o->props;
    bool counts = !g->k->o->whole || g->can_end[state] >= q->end;
    au_graph_load(g, state, &g->cur);
    if ((props & AU_PROP_RACE) && g->weak && g->weak->memory == AU_MEMORY_RC11)
        weak_races(q, state);
    else if ((props & AU_PROP_RACE) && counts)
        races(q, state, &g->cur);
    if ((props & AU_PROP_DEADLOCK) && q->end == AU_AN_END)
        deadlocks(q, state, &g->cur); /* by its nature a prefix */
    if ((props & AU_PROP_LOCKS) && counts)
        misuses(q, state, &g->cur);
    for (uint32_t i = g->first_move[state]; i < g->first_move[state + 1]; i++) {
        if ((props & AU_PROP_ASSERT) && !au_weak_move_races(g, &g->move.at[i]))
            failing_assert(q, i);
        if ((props & AU_PROP_LOCKS) && !wakes_spuriously(g, i))
            held_at_exit(q, i);
    }
}

/* What such moves show comes after all that does without them. */
static void search_spurious_moves(search *q, uint32_t state) {
    for (uint32_t i = q->g->first_move[state]; i < q->g->first_move[state + 1]; i++)
        if ((q->g->k->o->props & AU_PROP_LOCKS) && wakes_spuriously(q->g, i))
            held_at_exit(q, i);
}

/* … and what an assert shows whose own read is what races. */
static void search_racing_moves(search *q, uint32_t state) {
    for (uint32_t i = q->g->first_move[state]; i < q->g->first_move[state + 1]; i++)
        if ((q->g->k->o->props & AU_PROP_ASSERT) && au_weak_move_races(q->g, &q->g->move.at[i]))
            failing_assert(q, i);
}

static bool has_raced(const au_graph *g, uint32_t state) {
    return g->weak && g->weak->raced.at[au_graph_exec(g, state)];
}

void au_find_in_states(au_graph *g, au_oracle_result *r) {
    search q = {.g = g, .r = r, .key_words = g->n_threads + 5};
    au_records_init(&q.told, q.key_words * sizeof *q.key);
    q.key = au_alloc_array(q.key_words, sizeof *q.key);
    q.sets = au_alloc_array(g->n_threads, sizeof *q.sets);
    q.givers = au_givers_new(g->k);
    /* Schedules without spurious wake-ups are preferred: their states come first, and
     * where the schedule goes on to an end, those from which it does without, too. */
    q.end = AU_AN_END_WITHOUT_SPURIOUS;
    for (uint32_t s = 0; g->k->o->whole && s < g->state.n; s++)
        if (g->level[s] == 0)
            search_state(&q, s);
    q.end = AU_AN_END;
    for (int raced = 0; raced < 2; raced++) {
        for (uint32_t level = 0; level < g->levels; level++)
            for (uint32_t s = 0; s < g->state.n; s++)
                if (g->level[s] == level && has_raced(g, s) == raced)
                    search_state(&q, s);
        for (uint32_t s = 0; s < g->state.n && !raced; s++)
            search_racing_moves(&q, s);
    }
    for (uint32_t s = 0; s < g->state.n; s++)
        search_spurious_moves(&q, s);
    au_givers_free(q.givers);
    au_records_release(&q.told);
    free(q.key);
    free(q.sets);
}

/* --- values ----------------------------------------------------------------------------- */

void au_collect_ranges(au_graph *g, au_oracle_result *r) {
    const au_model *m = g->k->m;
    for (uint32_t t = 0; t < g->n_threads; t++) {
        size_t nodes = m->thread.at[t].node.n, vars = m->var.n;
        int64_t *low = au_alloc_array(nodes * vars, sizeof *low);
        int64_t *high = au_alloc_array(nodes * vars, sizeof *high);
        for (size_t i = 0; i < nodes * vars; i++) {
            low[i] = INT64_MAX;
            high[i] = INT64_MIN;
        }
        for (uint32_t s = 0; s < g->state.n; s++) {
            if (g->k->o->whole && !g->can_end[s])
                continue;
            au_graph_load(g, s, &g->cur);
            if (g->cur.node[t] == AU_STOPPED || !au_graph_started(g, &g->cur, t))
                continue;
            size_t row = (size_t)g->cur.node[t] * vars;
            for (size_t v = 0; v < vars; v++) {
                int64_t x = au_oracle_signed(g->cur.value[v], m->var.at[v].width);
                low[row + v] = x < low[row + v] ? x : low[row + v];
                high[row + v] = x > high[row + v] ? x : high[row + v];
            }
        }
        for (size_t i = 0; i < nodes * vars; i++) {
            const au_var_info *v = &m->var.at[i % vars];
            bool mine = v->kind == AU_VAR_SHARED || (v->kind == AU_VAR_LOCAL && v->thread == t);
            if (mine && low[i] <= high[i])
                au_vec_push(&r->range, ((au_range){t, (uint32_t)(i / vars), (uint32_t)(i % vars),
                                                   low[i], high[i]}));
        }
        free(low);
        free(high);
    }
}

static au_rest rest_of(au_status_of s) {
    return s == AU_IS_DONE       ? AU_AT_DONE
           : s == AU_HAS_STOPPED ? AU_AT_STOPPED
           : s == AU_WAITS       ? AU_AT_WAITING
                                 : AU_AT_UNSTARTED;
}

/* Nothing can move any more. Incomplete ends mean something only where the model
 * itself runs: elsewhere threads end because a prediction may go no further. */
static bool is_final(au_graph *g, const au_state *s, bool *complete) {
    *complete = true;
    for (uint32_t t = 0; t < g->n_threads; t++) {
        au_status_of st = au_graph_status(g, s, t, false);
        if (st == AU_CAN_MOVE)
            return false;
        *complete &= st == AU_IS_DONE || st == AU_NOT_STARTED;
    }
    return *complete ||
           (g->k->o->semantics != AU_SEM_MCM && !g->k->o->keep_reads && !g->k->o->whole);
}

void au_collect_finals(au_graph *g, au_oracle_result *r) {
    const au_model *m = g->k->m;
    size_t words = m->var.n + 2 * m->thread.n;
    uint64_t *key = au_alloc_array(words, sizeof *key);
    au_records told;
    au_records_init(&told, words * sizeof *key);
    for (uint32_t level = 0; level < g->levels; level++)
        for (uint32_t s = 0; s < g->state.n; s++) {
            bool complete, fresh;
            if (g->level[s] != level)
                continue;
            au_graph_load(g, s, &g->cur);
            if (!is_final(g, &g->cur, &complete))
                continue;
            au_final f = {.complete = complete};
            f.value = AU_ARENA_ARRAY(&r->arena, uint64_t, m->var.n);
            f.rest = AU_ARENA_ARRAY(&r->arena, au_rest, m->thread.n);
            f.node = AU_ARENA_ARRAY(&r->arena, uint32_t, m->thread.n);
            size_t n = 0;
            memset(key, 0, words * sizeof *key);
            for (size_t v = 0; v < m->var.n; v++)
                if (m->var.at[v].kind == AU_VAR_SHARED && !g->k->ignores_values)
                    key[n] = f.value[n] = g->cur.value[v], n++;
            for (uint32_t t = 0; t < m->thread.n; t++) {
                f.rest[t] = rest_of(au_graph_status(g, &g->cur, t, false));
                f.node[t] = g->cur.node[t];
                key[m->var.n + 2 * t] = f.rest[t];
                key[m->var.n + 2 * t + 1] = f.node[t];
            }
            if (g->k->ignores_values)
                f.value = NULL;
            au_records_put(&told, key, &fresh);
            if (!fresh)
                continue;
            au_path p = {0};
            bool spurious;
            au_path_to(g, s, &p);
            f.turn = au_path_turns(g, r, &p, false, &f.n_turns, &spurious);
            f.execution = g->weak ? au_weak_execution(g, r, &p) : NULL;
            au_vec_push(&r->final, f);
            au_vec_release(&p);
        }
    au_records_release(&told);
    free(key);
}
