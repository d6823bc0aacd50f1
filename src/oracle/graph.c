/* oracle/graph.c: every reachable state and every move between them.
 *
 * A state is stored as small numbers: one for the values of all shared and
 * synchronisation variables (with their last writers, if reads must keep them),
 * one for each thread's node and locals, one for the context count. A step
 * changes two of these at most.
 *
 * Plain search, no reduction: this is what reductions are tested against. */
#include "base/limits.h"
#include "oracle/oracle_priv.h"
#include "oracle/weak.h"

#include "base/progress.h"

#include <stdlib.h>
#include <string.h>

/* --- packing ------------------------------------------------------------------ */

static void state_init(au_state *s, const au_model *m) {
    s->value = au_alloc_array(m->var.n, sizeof *s->value);
    s->node = au_alloc_array(m->thread.n, sizeof *s->node);
    s->writer = au_alloc_array(m->var.n, sizeof *s->writer);
}

static void state_release(au_state *s) {
    free(s->value);
    free(s->node);
    free(s->writer);
}

static uint32_t pack_shared(au_graph *g, const au_state *s) {
    size_t n = g->shared_var.n;
    for (size_t i = 0; i < n; i++) {
        g->shared_buf[i] = s->value[g->shared_var.at[i]];
        if (g->k->o->keep_reads)
            g->shared_buf[n + i] = s->writer[g->shared_var.at[i]];
    }
    return au_records_put(&g->shared, g->shared_buf, NULL);
}

static uint32_t pack_local(au_graph *g, const au_state *s, uint32_t t) {
    au_u32_vec *v = &g->local_var[t];
    g->local_buf[0] = s->node[t];
    for (size_t i = 0; i < v->n; i++)
        g->local_buf[1 + i] = s->value[v->at[i]];
    return au_records_put(&g->local[t], g->local_buf, NULL);
}

void au_graph_load(au_graph *g, uint32_t state, au_state *into) {
    const uint32_t *key = au_records_at(&g->state, state);
    const uint64_t *v = au_records_at(&g->shared, key[0]);
    size_t n = g->shared_var.n;
    for (size_t i = 0; i < n; i++) {
        into->value[g->shared_var.at[i]] = v[i];
        if (g->k->o->keep_reads)
            into->writer[g->shared_var.at[i]] = (uint32_t)v[n + i];
    }
    for (uint32_t t = 0; t < g->n_threads; t++) {
        v = au_records_at(&g->local[t], key[1 + t]);
        into->node[t] = (uint32_t)v[0];
        for (size_t i = 0; i < g->local_var[t].n; i++)
            into->value[g->local_var[t].at[i]] = v[1 + i];
    }
    uint32_t c = key[1 + g->n_threads];
    into->last = (c & 0xff) == 0xff ? AU_NONE : c & 0xff;
    into->switches = c >> 8;
}

static uint32_t context_word(const au_state *s) {
    return s->switches << 8 | (s->last == AU_NONE ? 0xff : s->last);
}

uint32_t au_graph_exec(const au_graph *g, uint32_t state) {
    return ((const uint32_t *)au_records_at(&g->state, state))[g->n_threads + 2];
}

/* --- what can run --------------------------------------------------------------- */

bool au_graph_started(const au_graph *g, const au_state *s, uint32_t t) {
    uint32_t v = g->k->m->thread.at[t].started;
    return v == AU_NONE || g->k->ignores_sync || s->value[v];
}

bool au_graph_enabled(au_graph *g, const au_state *s, const au_step *p) {
    const au_mstep *d = &g->k->step[p->id];
    return d->present && au_machine_holds(g->k, d->guard, s->value);
}

bool au_graph_holds(const au_graph *g, const au_state *s, uint32_t obj, uint32_t t) {
    const au_sync_obj *o = &g->k->m->obj.at[obj];
    if (o->kind > AU_OBJ_RWLOCK)
        return false;
    if (s->value[o->var[0]] == t + 1)
        return true;
    return o->kind == AU_OBJ_RWLOCK && t < o->per.n && o->per.at[t] != AU_NONE &&
           s->value[o->per.at[t]];
}

bool au_graph_holds_any(const au_graph *g, const au_state *s, uint32_t t) {
    for (uint32_t obj = 0; obj < g->k->m->obj.n; obj++)
        if (au_graph_holds(g, s, obj, t))
            return true;
    return false;
}

/* A step whose false guard ends its thread rather than letting it wait. Under
 * mcm a read that would see another value just does not happen. */
static bool stops(const au_graph *g, const au_step *p) {
    return !p->blocking && p->kind != AU_STEP_BRANCH &&
           !(g->k->o->semantics == AU_SEM_MCM && p->kind <= AU_STEP_HAVOC);
}

au_status_of au_graph_status(au_graph *g, const au_state *s, uint32_t t, bool real) {
    const au_model *m = g->k->m;
    const au_thread *th = &m->thread.at[t];
    if (s->node[t] == AU_STOPPED)
        return AU_HAS_STOPPED;
    if (!au_graph_started(g, s, t))
        return AU_NOT_STARTED;
    if (s->node[t] == th->exit)
        return AU_IS_DONE;
    const au_node *n = &th->node.at[s->node[t]];
    bool waits = false;
    for (size_t i = 0; i < n->out.n; i++) {
        const au_step *p = &m->step.at[n->out.at[i]];
        if (!g->k->step[p->id].present)
            continue;
        waits |= p->blocking;
        /* Without signals in the model, a wake-up without one is the ordinary one. */
        if (p->spurious && real && !g->k->ignores_sync)
            continue;
        if (au_graph_enabled(g, s, p) || stops(g, p))
            return AU_CAN_MOVE;
    }
    /* Nothing is left that the model knows of (mcm: past the observed run). */
    return waits ? AU_WAITS : AU_HAS_STOPPED;
}

/* --- moves ------------------------------------------------------------------------ */

static void record(au_graph *g, uint32_t src, const au_step *p, uint8_t flags,
                   const uint32_t *key) {
    bool fresh;
    uint32_t dst = au_records_put(&g->state, key, &fresh);
    au_vec_push(&g->move, ((au_move){src, dst, p->id, flags}));
}

void au_graph_record(au_graph *g, uint32_t src, const au_step *p, uint8_t flags) {
    memcpy(g->key_buf, au_records_at(&g->state, src), g->state.size);
    if (g->weak)
        g->key_buf[g->n_threads + 2] = g->weak->next;
    if (!(flags & AU_MOVE_STOP))
        g->key_buf[0] = pack_shared(g, &g->nxt);
    g->key_buf[1 + p->thread] = pack_local(g, &g->nxt, p->thread);
    g->key_buf[1 + g->n_threads] = context_word(&g->nxt);
    record(g, src, p, flags, g->key_buf);
}

void au_graph_copy(au_graph *g) {
    const au_model *m = g->k->m;
    memcpy(g->nxt.value, g->cur.value, m->var.n * sizeof *g->nxt.value);
    memcpy(g->nxt.node, g->cur.node, m->thread.n * sizeof *g->nxt.node);
    memcpy(g->nxt.writer, g->cur.writer, m->var.n * sizeof *g->nxt.writer);
    g->nxt.last = g->cur.last;
    g->nxt.switches = g->cur.switches;
}

static bool keeps_reads(const au_graph *g, const au_step *p) {
    for (uint32_t i = 0; i < p->n_accesses; i++) {
        if (p->access[i].write)
            continue;
        const uint32_t *seen = g->k->of_read[p->id];
        if (!seen || g->cur.writer[p->access[i].var] != seen[i])
            return false;
    }
    return true;
}

/* Counts a context switch; false if the bound forbids it. */
static bool take_turn(au_graph *g, uint32_t thread) {
    if (g->k->o->context_bound == AU_NONE)
        return true;
    if (g->nxt.last != AU_NONE && g->nxt.last != thread)
        g->nxt.switches++;
    g->nxt.last = thread;
    return g->nxt.switches <= g->k->o->context_bound;
}

static void run_step(au_graph *g, uint32_t src, const au_step *p) {
    const au_mstep *d = &g->k->step[p->id];
    bool fails = d->cond.n && !au_machine_holds(g->k, d->cond, g->cur.value);
    au_graph_copy(g);
    if (!take_turn(g, p->thread))
        return;
    if (d->free_assert && !g->k->o->whole) { /* values ignored: both ways */
        g->nxt.node[p->thread] = AU_STOPPED;
        au_graph_record(g, src, p, AU_MOVE_FAIL);
    }
    uint8_t flags = fails || (d->free_assert && g->k->o->whole) ? AU_MOVE_FAIL : 0;
    bool keeps = !g->k->o->keep_reads || keeps_reads(g, p);
    if (!keeps) {
        /* The read itself may be what is looked for; nothing of its thread
         * follows. A read that is also a write would hand on another value. */
        flags |= AU_MOVE_LAST;
        g->nxt.node[p->thread] = AU_STOPPED;
        au_graph_record(g, src, p, flags);
        return;
    }
    if (fails && !g->k->o->whole) {
        g->nxt.node[p->thread] = AU_STOPPED;
        au_graph_record(g, src, p, flags);
        return;
    }
    g->nxt.node[p->thread] = p->dst;
    for (uint32_t i = 0; i < d->n_updates; i++)
        g->nxt.value[d->update[i].var] = au_machine_eval(g->k, d->update[i].value, g->cur.value);
    for (uint32_t i = 0; i < p->n_accesses; i++)
        if (p->access[i].write)
            g->nxt.writer[p->access[i].var] = p->id + 1;
    if (p->havoc == AU_NONE || g->k->ignores_values) {
        au_graph_record(g, src, p, flags);
        return;
    }
    bool pinned = g->k->o->semantics == AU_SEM_MCM;
    unsigned width = g->k->m->var.at[p->havoc].width;
    for (uint32_t i = 0; i < (pinned ? 1 : g->k->havoc[width].n); i++) {
        g->nxt.value[p->havoc] = pinned ? 0 : g->k->havoc[width].value[i];
        au_graph_record(g, src, p, flags);
    }
}

/* The moves of a thread that stands at node n. */
static void expand_thread(au_graph *g, uint32_t src, const au_node *n) {
    const au_model *m = g->k->m;
    const au_step *stopper = NULL;
    bool moved = false;
    for (size_t i = 0; i < n->out.n; i++) {
        const au_step *p = &m->step.at[n->out.at[i]];
        if (!g->k->step[p->id].present)
            continue;
        /* A read that loses its writer happens, whatever its branch makes of it. */
        if (au_graph_enabled(g, &g->cur, p) ||
            (g->k->o->keep_reads && !p->blocking && !keeps_reads(g, p))) {
            run_step(g, src, p);
            moved = true;
        } else if (stops(g, p)) {
            stopper = p;
        }
    }
    if (stopper && !moved) {
        au_graph_copy(g);
        g->nxt.node[stopper->thread] = AU_STOPPED;
        au_graph_record(g, src, stopper, AU_MOVE_STOP);
    }
}

static void expand(au_graph *g, uint32_t src) {
    if (g->weak) {
        au_weak_expand(g, src);
        return;
    }
    au_graph_load(g, src, &g->cur);
    for (uint32_t t = 0; t < g->n_threads; t++)
        if (g->cur.node[t] != AU_STOPPED && au_graph_started(g, &g->cur, t))
            expand_thread(g, src, &g->k->m->thread.at[t].node.at[g->cur.node[t]]);
}

/* --- afterwards --------------------------------------------------------------------- */

static bool is_spurious(const au_graph *g, const au_move *v) {
    return g->k->m->step.at[v->step].spurious && !g->k->ignores_sync;
}

/* Fewest spurious wake-ups first, then fewest steps: levels by the number of
 * spurious moves, breadth first within a level. A read that does not keep its writer
 * counts likewise: what a state shows is shown without it as well, and must be, for it
 * is not decisive there. A race of a weak memory model is dearer than all of that: what
 * comes after it is not defined, and no state behind one is without. */
static bool is_dear(const au_graph *g, const au_move *v) {
    return is_spurious(g, v) || (v->flags & AU_MOVE_LAST);
}

typedef struct {
    au_graph *g;
    bool *seen;
    uint32_t *queue, head, tail;
    AU_VEC(uint32_t) later; /* dear moves out of this level */
    AU_VEC(uint32_t) last;  /* moves that race, out of all levels before */
} spread;

static void reach(spread *p, uint32_t move) {
    au_graph *g = p->g;
    uint32_t dst = g->move.at[move].dst;
    if (p->seen[dst])
        return;
    p->seen[dst] = true;
    g->level[dst] = g->levels;
    g->parent_move[dst] = move;
    p->queue[p->tail++] = dst;
}

static void spread_level(spread *p) {
    au_graph *g = p->g;
    while (p->head < p->tail) {
        uint32_t s = p->queue[p->head++];
        for (uint32_t i = g->first_move[s]; i < g->first_move[s + 1]; i++) {
            const au_move *v = &g->move.at[i];
            if (p->seen[v->dst])
                continue;
            if (au_weak_move_races(g, v))
                au_vec_push(&p->last, i);
            else if (is_dear(g, v))
                au_vec_push(&p->later, i);
            else
                reach(p, i);
        }
    }
    g->levels++;
}

/* What the dear moves of the level before lead to, and moves that race out of 'of' (AU_NONE: none of them). */
static bool next_level(spread *p, uint32_t of) {
    au_graph *g = p->g;
    bool any = p->later.n;
    for (size_t i = 0; i < p->later.n; i++)
        reach(p, p->later.at[i]);
    au_vec_clear(&p->later);
    for (size_t i = 0; i < p->last.n && of != AU_NONE; i++)
        if (g->level[g->move.at[p->last.at[i]].src] == of) {
            reach(p, p->last.at[i]);
            any = true;
        }
    return any;
}

static void find_parents(au_graph *g) {
    uint32_t n = g->state.n, calm;
    spread p = {.g = g,
                .seen = au_alloc_array(n, sizeof *p.seen),
                .queue = au_alloc_array(n, sizeof *p.queue)};
    g->parent_move = au_realloc_array(NULL, n, sizeof *g->parent_move);
    memset(g->parent_move, 0xff, n * sizeof *g->parent_move);
    g->level = au_alloc_array(n, sizeof *g->level);
    p.seen[0] = true;
    p.queue[p.tail++] = 0;
    do
        spread_level(&p);
    while (next_level(&p, AU_NONE));
    calm = g->levels;
    for (uint32_t of = 0; of < calm || p.later.n; of++)
        if (next_level(&p, of < calm ? of : AU_NONE))
            spread_level(&p);
    au_vec_release(&p.later);
    au_vec_release(&p.last);
    free(p.seen);
    free(p.queue);
}

static bool all_done(au_graph *g, const au_state *s) {
    for (uint32_t t = 0; t < g->n_threads; t++) {
        au_status_of st = au_graph_status(g, s, t, false);
        if (st != AU_IS_DONE && st != AU_NOT_STARTED)
            return false;
    }
    return true;
}

/* Backwards from the states in which everything is done (a stopped thread never gets
 * there), first over all moves, then without spurious wake-ups. */
static void find_ends(au_graph *g) {
    uint32_t n = g->state.n;
    g->can_end = au_alloc_array(n, sizeof *g->can_end);
    uint32_t *first = au_alloc_array((size_t)n + 1, sizeof *first);
    uint32_t *in = au_alloc_array(g->move.n, sizeof *in);
    for (size_t i = 0; i < g->move.n; i++)
        first[g->move.at[i].dst + 1]++;
    for (uint32_t s = 0; s < n; s++)
        first[s + 1] += first[s];
    uint32_t *fill = au_alloc_array(n, sizeof *fill);
    memcpy(fill, first, n * sizeof *fill);
    for (size_t i = 0; i < g->move.n; i++)
        in[fill[g->move.at[i].dst]++] = (uint32_t)i;
    uint32_t *stack = au_alloc_array(n, sizeof *stack), top = 0;
    bool *end = au_alloc_array(n, sizeof *end);
    for (uint32_t s = 0; s < n; s++) {
        au_graph_load(g, s, &g->cur);
        end[s] = all_done(g, &g->cur);
    }
    for (uint8_t how = AU_AN_END; how <= AU_AN_END_WITHOUT_SPURIOUS; how++) {
        for (uint32_t s = 0; s < n; s++)
            if (end[s]) {
                g->can_end[s] = how;
                stack[top++] = s;
            }
        while (top) {
            uint32_t s = stack[--top];
            for (uint32_t i = first[s]; i < first[s + 1]; i++) {
                const au_move *v = &g->move.at[in[i]];
                if (g->can_end[v->src] < how && (how == AU_AN_END || !is_spurious(g, v))) {
                    g->can_end[v->src] = how;
                    stack[top++] = v->src;
                }
            }
        }
    }
    free(end);
    free(first);
    free(fill);
    free(in);
    free(stack);
}

static void set_up(au_graph *g, au_machine *k) {
    const au_model *m = k->m;
    *g =
        (au_graph){.k = k, .weak = g->weak, .n_threads = (uint32_t)m->thread.n, .exhaustive = true};
    g->local = au_alloc_array(m->thread.n, sizeof *g->local);
    g->local_var = au_alloc_array(m->thread.n, sizeof *g->local_var);
    size_t most = 0;
    for (uint32_t v = 0; v < m->var.n; v++) {
        const au_var_info *i = &m->var.at[v];
        if (i->kind == AU_VAR_LOCAL)
            au_vec_push(&g->local_var[i->thread], v);
        else
            au_vec_push(&g->shared_var, v);
    }
    for (uint32_t t = 0; t < g->n_threads; t++) {
        au_records_init(&g->local[t], (1 + g->local_var[t].n) * sizeof(uint64_t));
        if (g->local_var[t].n > most)
            most = g->local_var[t].n;
    }
    size_t words = g->shared_var.n * (k->o->keep_reads ? 2 : 1);
    au_records_init(&g->shared, (words ? words : 1) * sizeof(uint64_t));
    au_records_init(&g->state, (g->n_threads + 2 + (g->weak != NULL)) * sizeof(uint32_t));
    g->shared_buf = au_alloc_array(words + 1, sizeof *g->shared_buf);
    g->local_buf = au_alloc_array(most + 1, sizeof *g->local_buf);
    g->key_buf = au_alloc_array(g->n_threads + 3, sizeof *g->key_buf);
    state_init(&g->cur, m);
    state_init(&g->nxt, m);
}

static void put_start(au_graph *g) {
    const au_model *m = g->k->m;
    for (size_t v = 0; v < m->var.n; v++)
        g->nxt.value[v] = m->var.at[v].init;
    for (uint32_t t = 0; t < g->n_threads; t++)
        g->nxt.node[t] = m->thread.at[t].entry;
    g->nxt.last = AU_NONE;
    g->key_buf[0] = pack_shared(g, &g->nxt);
    for (uint32_t t = 0; t < g->n_threads; t++)
        g->key_buf[1 + t] = pack_local(g, &g->nxt, t);
    g->key_buf[1 + g->n_threads] = context_word(&g->nxt);
    g->key_buf[2 + g->n_threads] = g->weak ? g->weak->next : 0;
    au_records_put(&g->state, g->key_buf, NULL);
}

void au_graph_build(au_graph *g, au_machine *k) {
    set_up(g, k);
    put_start(g);
    uint64_t limit = k->o->max_states ? k->o->max_states : AU_LIMIT_ORACLE_STATES;
    AU_VEC(uint32_t) first = {0};
    for (uint32_t s = 0; s < g->state.n; s++) {
        au_vec_push(&first, (uint32_t)g->move.n);
        if (g->state.n > limit || g->move.n > AU_LIMIT_ORACLE_MOVES ||
            (g->weak && g->weak->exec.n > AU_LIMIT_ORACLE_EXECUTIONS)) {
            g->exhaustive = false; /* what is left has no moves here */
            continue;
        }
        if (s % 4096 == 0)
            au_progress("states", s, 0);
        expand(g, s);
    }
    au_vec_push(&first, (uint32_t)g->move.n);
    g->first_move = first.at;
    find_parents(g);
    if (k->o->whole)
        find_ends(g);
}

void au_graph_release(au_graph *g) {
    for (uint32_t t = 0; t < g->n_threads; t++) {
        au_records_release(&g->local[t]);
        au_vec_release(&g->local_var[t]);
    }
    free(g->local);
    free(g->local_var);
    au_vec_release(&g->shared_var);
    au_records_release(&g->shared);
    au_records_release(&g->state);
    au_vec_release(&g->move);
    free(g->first_move);
    free(g->can_end);
    free(g->parent_move);
    free(g->level);
    free(g->shared_buf);
    free(g->local_buf);
    free(g->key_buf);
    state_release(&g->cur);
    state_release(&g->nxt);
}
