/* oracle/lost.c: lost updates, by brute force.
 *
 * At the start of a thread, and after every write of a shared variable v by it, a value is guessed, any that v ever has:
 * what v holds when the thread writes it next. From there the thread's locals are kept twice, as they are and as they
 * would be if every read of v had seen the guess. When the thread writes v and the guess is true, both give a value to be
 * written: if they differ, v was not what it is now when the thread read it, and this write loses another thread's. */
#include "base/limits.h"
#include "oracle/oracle_priv.h"

#include "base/progress.h"

#include <stdlib.h>
#include <string.h>

/* A record: state, thread, variable, guess, locals of the thread. */
enum { STATE, THREAD, VAR, GUESS, LOCALS };

typedef struct {
    uint32_t parent,
        move; /* parent AU_NONE: a start, after this move, or (AU_NONE) at the very start */
} came;

typedef struct {
    au_graph *g;
    au_oracle_result *r;
    au_records seen, told;
    AU_VEC(came) came; /* by number of record */
    uint64_t *record, *value;
    size_t size;
    AU_VEC(uint64_t) * values; /* by variable: what it ever has */
    bool calm;                 /* no wake-ups without a signal */
} seeker;

static bool touches(const au_step *s, uint32_t var, bool write) {
    for (uint32_t i = 0; i < s->n_accesses; i++)
        if (s->access[i].var == var && s->access[i].write == write)
            return true;
    return false;
}

static const au_step *step_of(const seeker *k, uint32_t move) {
    return &k->g->k->m->step.at[k->g->move.at[move].step];
}

static bool is_wanted(const seeker *k, uint32_t move) {
    return !(k->calm && step_of(k, move)->spurious);
}

/* k->value: the state before the move as the thread would see it. */
static void pretend(seeker *k, uint32_t state, uint32_t thread, const uint64_t *local, uint32_t var,
                    uint64_t guess) {
    au_graph *g = k->g;
    au_graph_load(g, state, &g->cur);
    memcpy(k->value, g->cur.value, g->k->m->var.n * sizeof *k->value);
    for (size_t i = 0; i < g->local_var[thread].n && local; i++)
        k->value[g->local_var[thread].at[i]] = local[i];
    k->value[var] = guess;
}

/* What the step makes of a variable under k->value. */
static uint64_t made(seeker *k, uint32_t step, uint32_t var) {
    const au_mstep *s = &k->g->k->step[step];
    for (uint32_t i = 0; i < s->n_updates; i++)
        if (s->update[i].var == var)
            return au_machine_eval(k->g->k, s->update[i].value, k->value);
    return k->value[var];
}

/* The record after the thread's own move, in k->record from LOCALS on. */
static void carry_on(seeker *k, uint32_t move) {
    au_graph *g = k->g;
    const au_step *s = step_of(k, move);
    for (size_t i = 0; i < g->local_var[s->thread].n; i++) {
        uint32_t v = g->local_var[s->thread].at[i];
        k->record[LOCALS + i] = made(k, s->id, v);
        if (s->havoc == v) {
            au_graph_load(g, g->move.at[move].dst, &g->nxt);
            k->record[LOCALS + i] = g->nxt.value[v];
        }
    }
}

static void put(seeker *k, uint32_t parent, uint32_t move) {
    bool fresh;
    au_records_put(&k->seen, k->record, &fresh);
    if (fresh)
        au_vec_push(&k->came, ((came){parent, move}));
}

/* --- starts ----------------------------------------------------------------------------------- */

static void collect_values(seeker *k) {
    au_graph *g = k->g;
    const au_model *m = g->k->m;
    for (uint32_t s = 0; s < g->state.n; s++) {
        au_graph_load(g, s, &g->cur);
        for (uint32_t v = 0; v < m->var.n; v++) {
            bool known = m->var.at[v].kind != AU_VAR_SHARED;
            for (size_t i = 0; i < k->values[v].n && !known; i++)
                known = k->values[v].at[i] == g->cur.value[v];
            if (!known)
                au_vec_push(&k->values[v], g->cur.value[v]);
        }
    }
}

/* After this move; AU_NONE: in the first state. */
static void start_at(seeker *k, uint32_t move, uint32_t thread, uint32_t var) {
    au_graph *g = k->g;
    uint32_t state = move == AU_NONE ? 0 : g->move.at[move].dst;
    au_graph_load(g, state, &g->nxt);
    for (size_t i = 0; i < k->values[var].n; i++) {
        memset(k->record, 0, k->size);
        k->record[STATE] = state;
        k->record[THREAD] = thread;
        k->record[VAR] = var;
        k->record[GUESS] = k->values[var].at[i];
        for (size_t v = 0; v < g->local_var[thread].n; v++)
            k->record[LOCALS + v] = g->nxt.value[g->local_var[thread].at[v]];
        put(k, AU_NONE, move);
    }
}

static bool runs(const au_move *v) {
    return au_move_is_event(v) && !(v->flags & AU_MOVE_FAIL);
}

/* The move writes the variable; one that also reads it, only if it changes it. */
static bool stores(seeker *k, uint32_t move, uint32_t var) {
    au_graph *g = k->g;
    const au_step *s = step_of(k, move);
    if (!runs(&g->move.at[move]) || !touches(s, var, true))
        return false;
    if (!touches(s, var, false))
        return true;
    au_graph_load(g, g->move.at[move].src, &g->cur);
    au_graph_load(g, g->move.at[move].dst, &g->nxt);
    return g->cur.value[var] != g->nxt.value[var];
}

static void start(seeker *k) {
    const au_graph *g = k->g;
    const au_model *m = g->k->m;
    for (uint32_t var = 0; var < m->var.n; var++) {
        if (m->var.at[var].kind != AU_VAR_SHARED)
            continue;
        for (uint32_t t = 0; t < g->n_threads; t++)
            start_at(k, AU_NONE, t, var);
        for (uint32_t i = 0; i < g->move.n; i++)
            if (is_wanted(k, i) && stores(k, i, var) && !(k->calm && g->level[g->move.at[i].src]))
                start_at(k, i, step_of(k, i)->thread, var);
    }
}

/* --- on the way --------------------------------------------------------------------------------- */

/* The last step of the path that the thread reads the variable at, or (other) another one writes it. */
static uint32_t last_access(seeker *k, const au_path *p, uint32_t var, uint32_t thread,
                            bool other) {
    for (size_t i = p->n - 1; i-- > 0;) {
        const au_step *s = step_of(k, p->at[i]);
        if (other ? s->thread != thread && stores(k, p->at[i], var)
                  : s->thread == thread && runs(&k->g->move.at[p->at[i]]) && touches(s, var, false))
            return s->id;
    }
    return p->n ? step_of(k, p->at[p->n - 1])->id : 0;
}

static void tell(seeker *k, uint32_t number, uint32_t move) {
    au_graph *g = k->g;
    const uint64_t *now = au_records_at(&k->seen, number);
    uint32_t var = (uint32_t)now[VAR], thread = step_of(k, move)->thread;
    uint32_t key[2] = {g->k->step[step_of(k, move)->id].event, var};
    bool fresh;
    au_records_put(&k->told, key, &fresh);
    if (!fresh)
        return;
    au_path back = {0}, p = {0};
    au_vec_push(&back, move);
    for (uint32_t i = number; i != AU_NONE; i = k->came.at[i].parent)
        if (k->came.at[i].move != AU_NONE)
            au_vec_push(&back, k->came.at[i].move);
    au_path_to(g, g->move.at[au_vec_last(&back)].src, &p);
    while (back.n)
        au_vec_push(&p, au_vec_pop(&back));
    uint32_t ev[3] = {g->k->step[last_access(k, &p, var, thread, false)].event,
                      g->k->step[last_access(k, &p, var, thread, true)].event, key[0]};
    au_oracle_finding *f = au_add_finding(g, k->r, AU_FOUND_LOST, &p, 3);
    f->var = var;
    for (int i = 0; i < 3; i++)
        f->event[i] =
            (au_oracle_event){ev[i], au_path_index(g, &p, g->k->m->step.at[ev[i]].thread, ev[i])};
    au_vec_release(&back);
    au_vec_release(&p);
}

/* The thread writes the variable: is what it writes what it should? */
static void judge(seeker *k, uint32_t number, uint32_t move) {
    au_graph *g = k->g;
    const uint64_t *now = au_records_at(&k->seen, number);
    const au_move *v = &g->move.at[move];
    const au_step *s = step_of(k, move);
    uint32_t var = (uint32_t)now[VAR];
    if (s->havoc == var)
        return;
    pretend(k, v->src, s->thread, now + LOCALS, var, now[GUESS]);
    if (g->cur.value[var] != now[GUESS])
        return;
    uint64_t should = made(k, s->id, var);
    au_graph_load(g, v->dst, &g->nxt);
    uint64_t does = g->nxt.value[var];
    if (does != should && !(touches(s, var, false) && does == now[GUESS]))
        tell(k, number, move);
}

static void follow(seeker *k, uint32_t number, uint32_t move) {
    const au_move *v = &k->g->move.at[move];
    const au_step *s = step_of(k, move);
    const uint64_t *now = au_records_at(&k->seen, number);
    uint32_t var = (uint32_t)now[VAR];
    bool own = now[THREAD] == s->thread;
    if (own && !runs(v))
        return;
    if (own && stores(k, move, var)) {
        judge(k, number, move);
        return;
    }
    memcpy(k->record, now, k->size);
    if (own) {
        pretend(k, v->src, s->thread, now + LOCALS, var, now[GUESS]);
        carry_on(k, move);
    }
    k->record[STATE] = v->dst;
    put(k, number, move);
}

static void walk(seeker *k) {
    const au_graph *g = k->g;
    uint64_t limit =
        g->k->o->max_states ? g->k->o->max_states * 16 : 16 * (uint64_t)AU_LIMIT_ORACLE_STATES;
    start(k);
    for (uint32_t i = 0; i < k->seen.n; i++) {
        uint32_t state = (uint32_t)((const uint64_t *)au_records_at(&k->seen, i))[STATE];
        if (k->seen.n > limit) {
            k->r->exhaustive = false;
            k->r->reason = "state limit reached while following orders of events";
            break;
        }
        if (i % 4096 == 0)
            au_progress("orders", i, 0);
        for (uint32_t m = g->first_move[state]; m < g->first_move[state + 1]; m++)
            if (is_wanted(k, m))
                follow(k, i, m);
    }
}

void au_watch_lost(au_graph *g, au_oracle_result *r) {
    const au_model *m = g->k->m;
    const au_oracle_options *o = g->k->o;
    size_t most = 0;
    if (o->semantics != AU_SEM_CTP || o->whole || o->keep_reads || o->context_bound != AU_NONE)
        return;
    for (uint32_t t = 0; t < g->n_threads; t++)
        most = g->local_var[t].n > most ? g->local_var[t].n : most;
    seeker k = {.g = g, .r = r, .size = (LOCALS + most) * sizeof *k.record};
    k.record = au_alloc_array(LOCALS + most, sizeof *k.record);
    k.value = au_alloc_array(m->var.n + 1, sizeof *k.value);
    k.values = au_alloc_array(m->var.n + 1, sizeof *k.values);
    au_records_init(&k.told, 2 * sizeof(uint32_t));
    collect_values(&k);
    for (int calm = 1; calm >= 0; calm--) {
        k.calm = calm;
        au_records_init(&k.seen, k.size);
        walk(&k);
        au_records_release(&k.seen);
        au_vec_clear(&k.came);
    }
    for (size_t v = 0; v < m->var.n; v++)
        au_vec_release(&k.values[v]);
    au_vec_release(&k.came);
    au_records_release(&k.told);
    free(k.values);
    free(k.value);
    free(k.record);
}
