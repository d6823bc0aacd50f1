/* oracle/weak.c: the moves of the oracle's graph under a memory model (weak.h). */
#include "oracle/weak.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is taken ---- */

static const char *memory_name(au_memory memory) {
    return memory == AU_MEMORY_SC ? "sc" : memory == AU_MEMORY_TSO ? "tso" : "rc11";
}

static au_status refuse_step(const au_model *m, const au_step *s, au_memory memory,
                             const char *what, au_error *err) {
    const char *label = au_step_label(m, s);
    if (*label)
        return au_error_set(err, AU_EUNSUPPORTED,
                            "%s: '%.60s' %s, which %s does not say anything of", m->file, label,
                            what, memory_name(memory));
    return au_error_set(err, AU_EUNSUPPORTED,
                        "%s:%u: the step %s, which %s does not say anything of", m->file, s->line,
                        what, memory_name(memory));
}

au_status au_weak_takes(const au_model *m, const au_oracle_options *o, au_error *err) {
    const char *name = memory_name(o->memory);
    if (o->semantics != AU_SEM_CTP || o->whole || o->keep_reads || o->context_bound != AU_NONE)
        return au_error_set(err, AU_EUSAGE,
                            "memory model %s goes with '--model ctp' alone: without --no-prefix, "
                            "--keep-reads and --context-bound",
                            name);
    if (o->props & (AU_PROP_ATOMICITY | AU_PROP_LOST))
        return au_error_set(err, AU_EUSAGE,
                            "'atomicity' and 'lost-update' are looked for with '--memory-model sc' "
                            "only");
    if (au_model_looks_at_locks(m))
        return au_error_set(err, AU_EUNSUPPORTED,
                            "%s: a step looks at the state of a lock or semaphore (owner, depth, "
                            "readers, count), which %s does not say anything of",
                            m->file, name);
    for (size_t i = 0; i < m->step.n; i++) {
        const au_step *s = &m->step.at[i];
        for (uint32_t k = 1; k < s->n_accesses; k++)
            if (s->access[k].var != s->access[0].var)
                return refuse_step(m, s, o->memory, "accesses several variables at once", err);
        if (s->n_accesses > 1 && !au_step_is_atomic(s))
            return refuse_step(m, s, o->memory, "has several accesses and is not atomic", err);
    }
    return AU_OK;
}

void au_weak_init(au_weak *w, const au_machine *k) {
    *w = (au_weak){.memory = k->o->memory};
    au_intern_init(&w->exec);
    au_weak_exec_init(&w->cur, k->m);
    au_weak_exec_init(&w->nxt, k->m);
    w->value = au_alloc_array(k->m->var.n + 1, sizeof *w->value);
    w->next = au_weak_put(&w->exec, &w->cur);
    au_vec_push(&w->raced, false);
}

void au_weak_release(au_weak *w) {
    au_intern_release(&w->exec);
    au_weak_exec_release(&w->cur);
    au_weak_exec_release(&w->nxt);
    au_vec_release(&w->raced);
    free(w->value);
}

/* ---- one step ---- */

/* A step of the thread that is being moved, and what it reads. */
typedef struct {
    au_graph *g;
    uint32_t src, here; /* the state, its execution */
    const au_step *p;
    uint32_t var;              /* that it accesses, AU_NONE */
    bool reads, writes, alone; /* alone: no other step leaves its node */
    uint16_t from;
} mover;

/* The shared value at the end of its order. */
static uint64_t last_value(const au_weak_exec *x, uint32_t var) {
    uint32_t n;
    const uint16_t *line = au_weak_line(x, var, &n);
    return n ? x->event[au_weak_number(x, line[n - 1])].value : x->m->var.at[var].init;
}

/* The state g->nxt, with the execution w->nxt if 'event', else with the one there is. */
static void record(mover *v, bool event, uint8_t flags) {
    au_weak *w = v->g->weak;
    w->next = v->here;
    if (event) {
        bool raced;
        if (!au_weak_consistent(w->memory, &w->nxt, &w->rel, &raced))
            return;
        w->next = au_weak_put(&w->exec, &w->nxt);
        if (w->next == w->raced.n)
            au_vec_push(&w->raced, raced);
    }
    au_graph_record(v->g, v->src, v->p, flags);
}

/* Starts w->nxt with an event of this step; false: it is one too many. */
static bool begin_event(mover *v, unsigned does, uint64_t value) {
    au_weak *w = v->g->weak;
    if (w->cur.n >= AU_WEAK_MOST) {
        w->cut = true;
        return false;
    }
    au_weak_exec_copy(&w->nxt, &w->cur);
    au_weak_add(&w->nxt, v->p->thread, (au_weak_event){v->p->id, v->from, (uint16_t)does, value});
    return true;
}

/* The step is as far as the thread gets: it read (or tried) and nothing else. */
static void end_thread(mover *v, uint8_t flags) {
    au_graph *g = v->g;
    const au_step *p = v->p;
    bool sync = p->kind >= AU_STEP_ACQ, look = sync && p->kind != AU_STEP_REL;
    au_graph_copy(g);
    g->nxt.node[p->thread] = AU_STOPPED;
    if (!v->reads && !look) { /* nobody else has to do with it */
        record(v, false, flags);
        return;
    }
    if (!begin_event(v, sync ? AU_WEAK_SYNC | AU_WEAK_VAIN : AU_WEAK_READS, 0))
        return;
    if (sync && p->kind != AU_STEP_FORK) {
        uint32_t line = au_weak_line_of(g->k->m, p->obj), n;
        au_weak_line(&g->weak->nxt, line, &n);
        au_weak_order(&g->weak->nxt, p->thread, line, n);
    }
    record(v, true, flags);
}

/* Updates of what is not shared, evaluated where the step sees w->value. */
static void run_updates(mover *v, uint64_t *written) {
    au_graph *g = v->g;
    const au_mstep *d = &g->k->step[v->p->id];
    au_graph_copy(g);
    g->nxt.node[v->p->thread] = v->p->dst;
    for (uint32_t i = 0; i < d->n_updates; i++) {
        uint64_t x = au_machine_eval(g->k, d->update[i].value, g->weak->value);
        if (g->k->m->var.at[d->update[i].var].kind == AU_VAR_SHARED)
            *written = x;
        else
            g->nxt.value[d->update[i].var] = x;
    }
}

/* A write goes anywhere in its variable's order, a read-modify-write behind what it sees. */
static void write_everywhere(mover *v, uint64_t value) {
    au_weak *w = v->g->weak;
    uint32_t n;
    const uint16_t *line = au_weak_line(&w->cur, v->var, &n);
    for (uint32_t place = 0; place <= n; place++) {
        if (v->reads && (place ? line[place - 1] : AU_WEAK_INITIAL) != v->from)
            continue;
        if (!begin_event(v, AU_WEAK_WRITES | (v->reads ? AU_WEAK_READS : 0), value))
            return;
        au_weak_order(&w->nxt, v->p->thread, v->var, place);
        v->g->nxt.value[v->var] = last_value(&w->nxt, v->var);
        record(v, true, 0);
    }
}

static void access_variable(mover *v, uint64_t written) {
    au_graph *g = v->g;
    uint32_t havoc = v->p->havoc;
    if (!v->writes) {
        if (begin_event(v, AU_WEAK_READS, 0))
            record(v, true, 0);
        return;
    }
    if (havoc == AU_NONE) {
        write_everywhere(v, written);
        return;
    }
    unsigned width = g->k->m->var.at[havoc].width;
    for (uint32_t i = 0; i < g->k->havoc[width].n; i++)
        write_everywhere(v, g->k->havoc[width].value[i]);
}

static void synchronise(mover *v) {
    au_graph *g = v->g;
    const au_model *m = g->k->m;
    const au_step *p = v->p;
    bool of_thread = p->kind == AU_STEP_FORK || p->kind == AU_STEP_JOIN;
    bool writer = p->kind == AU_STEP_REL && m->obj.at[p->obj].kind == AU_OBJ_RWLOCK &&
                  g->cur.value[m->obj.at[p->obj].var[0]] == p->thread + 1;
    if (!begin_event(v, AU_WEAK_SYNC, writer))
        return;
    const uint32_t obj[2] = {of_thread ? AU_NONE : p->obj, of_thread ? AU_NONE : p->obj2};
    for (int i = 0; i < 2; i++) {
        if (obj[i] == AU_NONE)
            continue;
        uint32_t line = au_weak_line_of(m, obj[i]), n;
        au_weak_line(&g->weak->nxt, line, &n);
        au_weak_order(&g->weak->nxt, p->thread, line, n);
    }
    record(v, true, 0);
}

/* The step with w->value as what it sees. */
static void run_step(mover *v) {
    au_graph *g = v->g;
    au_weak *w = g->weak;
    const au_step *p = v->p;
    const au_mstep *d = &g->k->step[p->id];
    uint64_t written = 0;
    if (!au_machine_holds(g->k, d->guard, w->value)) {
        if (!p->blocking && p->kind != AU_STEP_BRANCH && v->alone)
            end_thread(v, AU_MOVE_STOP);
        return;
    }
    if (d->cond.n && !au_machine_holds(g->k, d->cond, w->value)) {
        end_thread(v, AU_MOVE_FAIL);
        return;
    }
    run_updates(v, &written);
    if (v->var != AU_NONE) {
        access_variable(v, written);
    } else if (p->kind >= AU_STEP_ACQ) {
        synchronise(v);
    } else if (p->order != AU_MO_NONE) {
        if (begin_event(v, AU_WEAK_FENCE, 0))
            record(v, true, 0);
    } else if (p->havoc != AU_NONE) {
        unsigned width = g->k->m->var.at[p->havoc].width;
        for (uint32_t i = 0; i < g->k->havoc[width].n; i++) {
            g->nxt.value[p->havoc] = g->k->havoc[width].value[i];
            record(v, false, 0);
        }
    } else {
        record(v, false, 0);
    }
}

/* … with every write there is as what it sees. */
static void run_reads(mover *v) {
    au_weak *w = v->g->weak;
    uint32_t n;
    const uint16_t *line = au_weak_line(&w->cur, v->var, &n);
    for (uint32_t i = 0; i <= n; i++) {
        v->from = i ? line[i - 1] : AU_WEAK_INITIAL;
        w->value[v->var] = i ? w->cur.event[au_weak_number(&w->cur, v->from)].value
                             : v->g->k->m->var.at[v->var].init;
        run_step(v);
    }
}

static void expand_step(au_graph *g, uint32_t src, const au_step *p, bool alone) {
    au_weak *w = g->weak;
    mover v = {.g = g, .src = src, .p = p, .var = AU_NONE, .alone = alone, .from = AU_WEAK_INITIAL};
    v.here = au_graph_exec(g, src);
    for (uint32_t i = 0; i < p->n_accesses; i++) {
        v.var = p->access[i].var;
        *(p->access[i].write ? &v.writes : &v.reads) = true;
    }
    memcpy(w->value, g->cur.value, g->k->m->var.n * sizeof *w->value);
    if (v.reads)
        run_reads(&v);
    else
        run_step(&v);
}

void au_weak_expand(au_graph *g, uint32_t src) {
    const au_model *m = g->k->m;
    au_graph_load(g, src, &g->cur);
    au_weak_get(&g->weak->exec, au_graph_exec(g, src), &g->weak->cur);
    for (uint32_t t = 0; t < g->n_threads; t++) {
        if (g->cur.node[t] == AU_STOPPED || !au_graph_started(g, &g->cur, t))
            continue;
        const au_node *n = &m->thread.at[t].node.at[g->cur.node[t]];
        for (size_t i = 0; i < n->out.n; i++)
            expand_step(g, src, &m->step.at[n->out.at[i]], n->out.n == 1);
    }
}
