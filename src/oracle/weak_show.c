/* oracle/weak_show.c: an execution as findings tell it, what reads can see, how many there are. */
#include "oracle/weak.h"

#include <stdlib.h>
#include <string.h>

/* ---- the execution at the end of a path ---- */

/* By thread and place: its step and the number of it in the thread. */
typedef struct {
    uint32_t place[64], done[64];
    au_oracle_event event[64][AU_WEAK_MOST];
} numbering;

static void follow(const au_graph *g, const au_path *p, numbering *n) {
    memset(n, 0, sizeof *n);
    for (size_t i = 0; i < p->n; i++) {
        const au_move *v = &g->move.at[p->at[i]];
        uint32_t t = g->k->m->step.at[v->step].thread;
        bool counts = au_move_is_event(v);
        if (au_graph_exec(g, v->src) != au_graph_exec(g, v->dst))
            n->event[t][n->place[t]++] =
                (au_oracle_event){g->k->step[v->step].event, n->done[t] + 1};
        n->done[t] += counts;
    }
}

static au_oracle_event told(const numbering *n, uint16_t ref) {
    return n->event[ref >> 8][ref & 0xff];
}

const au_oracle_execution *au_weak_execution(const au_graph *g, au_oracle_result *r,
                                             const au_path *p) {
    const au_model *m = g->k->m;
    au_weak_exec x;
    numbering n;
    uint32_t state = p->n ? g->move.at[au_vec_last(p)].dst : 0;
    au_oracle_execution *e = AU_ARENA_NEW(&r->arena, au_oracle_execution);
    au_weak_exec_init(&x, m);
    au_weak_get(&g->weak->exec, au_graph_exec(g, state), &x);
    follow(g, p, &n);
    *e = (au_oracle_execution){.raced = g->weak->raced.at[au_graph_exec(g, state)]};
    e->read = AU_ARENA_ARRAY(&r->arena, au_oracle_seen, x.n);
    e->write = AU_ARENA_ARRAY(&r->arena, au_oracle_written, x.n);
    for (uint32_t i = 0; i < x.n; i++) {
        const au_weak_event *q = &x.event[i];
        if (!(q->does & AU_WEAK_READS))
            continue;
        au_oracle_seen *s = &e->read[e->n_reads++];
        s->var = m->step.at[q->step].access[0].var;
        s->read = told(&n, au_weak_ref(x.thread[i], i - x.first[x.thread[i]]));
        s->writer = q->from == AU_WEAK_INITIAL ? (au_oracle_event){AU_NONE, 0} : told(&n, q->from);
    }
    for (uint32_t v = 0; v < m->var.n; v++) {
        uint32_t len;
        const uint16_t *line = au_weak_line(&x, v, &len);
        for (uint32_t i = 0; i < len && len > 1; i++)
            e->write[e->n_writes++] = (au_oracle_written){v, told(&n, line[i])};
    }
    au_weak_exec_release(&x);
    return e;
}

/* ---- what reads can see ---- */

typedef struct {
    au_graph *g;
    au_oracle_result *r;
    au_records told;
} reads;

/* What the observed run has at this read: step + 1, 0 for the initial value; AU_NONE: it is not in it. */
static uint32_t observed_writer(const au_graph *g, uint32_t event, uint32_t writer) {
    const au_model *m = g->k->m;
    uint32_t saw = AU_NONE;
    for (size_t i = 0; i < m->observed.n; i++) {
        const au_step *s = &m->step.at[m->observed.at[i]];
        if (g->k->step[s->id].event == event && (saw == AU_NONE || saw != writer))
            saw = g->k->of_read[s->id][0];
    }
    return saw;
}

/* writer: step + 1, 0: the initial value. step AU_NONE: the value at the end. */
static void tell(reads *q, uint32_t step, uint32_t var, uint32_t writer, const au_path *p) {
    au_graph *g = q->g;
    uint32_t event = step == AU_NONE ? AU_NONE : g->k->step[step].event;
    uint32_t from = writer ? g->k->step[writer - 1].event : AU_NONE;
    uint32_t key[3] = {event, var, from}, saw;
    bool fresh;
    au_records_put(&q->told, key, &fresh);
    if (!fresh)
        return;
    au_read_from rf = {.read = event, .var = var, .writer = from};
    if (step == AU_NONE)
        saw = g->k->observed_ends ? g->k->final_writer[var] : AU_NONE;
    else
        saw = observed_writer(g, event, writer);
    rf.observed = saw == writer;
    rf.changed = saw != AU_NONE && !rf.observed;
    rf.turn = au_path_turns(g, q->r, p, false, &rf.n_turns, &rf.spurious);
    rf.execution = au_weak_execution(g, q->r, p);
    au_vec_push(&q->r->read_from, rf);
}

/* The event that the move adds, if it reads. */
static void tell_move(reads *q, uint32_t move) {
    au_graph *g = q->g;
    const au_move *v = &g->move.at[move];
    const au_step *s = &g->k->m->step.at[v->step];
    au_weak_exec *x = &g->weak->cur;
    if (au_graph_exec(g, v->src) == au_graph_exec(g, v->dst) || !s->n_accesses)
        return;
    au_weak_get(&g->weak->exec, au_graph_exec(g, v->dst), x);
    const au_weak_event *e = &x->event[x->first[s->thread + 1] - 1];
    if (!(e->does & AU_WEAK_READS))
        return;
    uint32_t writer =
        e->from == AU_WEAK_INITIAL ? 0 : x->event[au_weak_number(x, e->from)].step + 1;
    au_path p = {0};
    au_path_to(g, v->src, &p);
    au_vec_push(&p, move);
    tell(q, v->step, s->access[0].var, writer, &p);
    au_vec_release(&p);
}

typedef enum { GOES_ON, AT_REST, AT_END } progress;

static progress progress_of(au_graph *g, uint32_t state) {
    progress p = AT_END;
    if (g->first_move[state] != g->first_move[state + 1])
        return GOES_ON;
    au_graph_load(g, state, &g->cur);
    for (uint32_t t = 0; t < g->n_threads; t++) {
        au_status_of st = au_graph_status(g, &g->cur, t, false);
        if (st == AU_CAN_MOVE) /* a limit was reached */
            return GOES_ON;
        if (st != AU_IS_DONE && st != AU_NOT_STARTED)
            p = AT_REST;
    }
    return p;
}

static void tell_end(reads *q, uint32_t state) {
    au_graph *g = q->g;
    const au_model *m = g->k->m;
    if (progress_of(g, state) != AT_END)
        return;
    au_path p = {0};
    au_path_to(g, state, &p);
    for (uint32_t v = 0; v < m->var.n; v++) {
        uint32_t n;
        if (m->var.at[v].kind != AU_VAR_SHARED)
            continue;
        au_weak_get(&g->weak->exec, au_graph_exec(g, state), &g->weak->cur);
        const uint16_t *line = au_weak_line(&g->weak->cur, v, &n);
        uint32_t writer =
            n ? g->weak->cur.event[au_weak_number(&g->weak->cur, line[n - 1])].step + 1 : 0;
        tell(q, AU_NONE, v, writer, &p);
    }
    au_vec_release(&p);
}

bool au_weak_move_races(const au_graph *g, const au_move *v) {
    return g->weak && g->weak->raced.at[au_graph_exec(g, v->dst)] &&
           !g->weak->raced.at[au_graph_exec(g, v->src)];
}

/* What is seen without a race comes first: the read itself may be what races. */
void au_weak_reads(au_graph *g, au_oracle_result *r) {
    reads q = {.g = g, .r = r};
    au_records_init(&q.told, 3 * sizeof(uint32_t));
    for (int races = 0; races < 2; races++)
        for (uint32_t level = 0; level < g->levels; level++)
            for (uint32_t s = 0; s < g->state.n; s++)
                for (uint32_t i = g->first_move[s]; i < g->first_move[s + 1]; i++)
                    if (g->level[s] == level &&
                        g->weak->raced.at[au_graph_exec(g, g->move.at[i].dst)] == races)
                        tell_move(&q, i);
    for (uint32_t level = 0; level < g->levels && g->exhaustive; level++)
        for (uint32_t s = 0; s < g->state.n; s++)
            if (g->level[s] == level)
                tell_end(&q, s);
    au_records_release(&q.told);
}

/* ---- how many ---- */

void au_weak_count(au_graph *g, au_oracle_result *r) {
    uint8_t *seen = au_alloc_array(g->weak->exec.n, 1); /* bits 1 << progress */
    for (uint32_t s = 0; s < g->state.n; s++) {
        progress p = progress_of(g, s);
        uint8_t *of = &seen[au_graph_exec(g, s)];
        if (p == GOES_ON || *of >> p & 1)
            continue;
        *of |= (uint8_t)(1 << p);
        (*(p == AT_END ? &r->executions : &r->blocked))++;
    }
    for (size_t x = 0; x < g->weak->raced.n; x++)
        r->undefined |= g->weak->raced.at[x];
    free(seen);
}
