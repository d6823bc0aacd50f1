/* explore/family_steps.c: what the steps of a run's model are in the program: hooks, places, what
 * the other side of a decision would be. */
#include "explore/family_priv.h"

#include "wire/libc.h"
#include "wire/stream.h"

#include <stdio.h>

/* ---- what its steps are -------------------------------------------------------------------------- */

static au_status name_threads(au_family_run *r, const char *path, au_error *err) {
    r->thread = au_alloc_array(r->m->thread.n, sizeof *r->thread);
    for (uint32_t i = 0; i < r->m->thread.n; i++) {
        const char *of = r->m->thread.at[i].name;
        uint32_t id = au_intern_find(&r->t->names.thread, of, strlen(of));
        if (id == AU_NONE || !r->path[id])
            return au_error_set(err, AU_EUNSUPPORTED, "'%s': thread '%s' has no fork event", path,
                                of);
        r->thread[i] = r->path[id];
    }
    return AU_OK;
}

static void place_of_step(const au_family_run *r, uint32_t step, au_run_step *x) {
    const au_step *s = &r->m->step.at[step];
    x->line = s->line;
    x->file = s->loc == AU_NONE ? "" : au_intern_str(&r->m->strings, s->loc);
    x->text = "";
}

static uint32_t find_obj(const au_model *m, const char *name) {
    for (uint32_t i = 0; i < m->obj.n; i++)
        if (!strcmp(m->obj.at[i].name, name))
            return i;
    return AU_NONE;
}

static uint32_t find_thread(const au_family_run *r, uint32_t number) {
    char name[16];
    snprintf(name, sizeof name, "T%u", number);
    for (uint32_t i = 0; i < r->m->thread.n; i++)
        if (!strcmp(r->m->thread.at[i].name, name))
            return i;
    return AU_NONE;
}

/* An object by its number in the trace: as the model has it, or as it was told. */
static bool describe_object(const au_family_run *r, uint32_t lock, au_waited *x) {
    x->name = au_intern_str(&r->t->names.lock, lock);
    uint32_t obj = find_obj(r->m, x->name);
    struct au_sync_info s = au_names_sync(&r->t->names, lock);
    if (obj != AU_NONE) {
        x->kind = r->m->obj.at[obj].kind;
        x->init = r->m->obj.at[obj].init;
        return true;
    }
    x->init = s.kind == AU_WIRE_OBJ_SEM ? s.init : 0;
    x->kind = s.kind == AU_WIRE_OBJ_SEM      ? AU_OBJ_SEM
              : s.kind == AU_WIRE_OBJ_RWLOCK ? AU_OBJ_RWLOCK
              : s.kind == AU_WIRE_OBJ_RLOCK  ? AU_OBJ_RLOCK
                                             : AU_OBJ_LOCK;
    return s.kind == AU_WIRE_OBJ_SEM || s.kind == AU_WIRE_OBJ_RWLOCK ||
           s.kind == AU_WIRE_OBJ_RLOCK || s.kind == AU_WIRE_OBJ_LOCK || s.kind == AU_WIRE_OBJ_SPIN;
}

/* What threads waited for when the run ended, as far as the model knows it. */
static void describe_waits(au_family_run *r) {
    r->waits = au_alloc_array(r->m->thread.n, sizeof *r->waits);
    r->waits_for = au_alloc_array(r->m->thread.n, sizeof *r->waits_for);
    for (size_t i = 0; i < r->m->thread.n; i++)
        r->waits[i] = AU_STEP_KINDS;
    for (size_t i = 0; i < r->s.waiting.n; i++) {
        const struct au_waiting *w = &r->s.waiting.at[i];
        uint32_t t = find_thread(r, w->thread);
        au_waited x = {.thread = AU_NONE};
        bool known = t != AU_NONE;
        if (w->op == AU_OP_JOIN)
            known = known && (x.thread = find_thread(r, w->obj)) != AU_NONE;
        else
            known = known && describe_object(r, w->obj, &x);
        if (!known)
            continue;
        r->waits[t] = w->op == AU_OP_JOIN    ? AU_STEP_JOIN
                      : w->op == AU_OP_RDACQ ? AU_STEP_RDACQ
                      : w->op == AU_OP_WRACQ ? AU_STEP_WRACQ
                                             : AU_STEP_ACQ;
        r->waits_for[t] = x;
        r->can_go[t] = true;
    }
}

/* A 'once' of the program, not one that stands for talking through the kernel (trace/recording_talk.c). */
static bool called_once(const au_trace *t, size_t e) {
    const au_columns *c = &t->events;
    for (size_t i = e; i-- > 0;) {
        if (c->thread[i] != c->thread[e])
            continue;
        const char *name = c->op[i] == AU_OP_XCALL && c->obj[i] != AU_NONE
                               ? au_intern_str(&t->names.block, c->obj[i])
                               : "";
        const au_libc *row = au_libc_find(name);
        return row && row->sync == AU_SYNC_ONCE;
    }
    return false;
}

static void describe_event(const au_family_run *r, size_t e, uint64_t index, au_run_step *x) {
    const au_columns *c = &r->t->events;
    bool value = c->any_value && c->has_value[e] && c->value[e];
    x->hook = au_hooks_of(&r->t->hooks, c->thread[e], index);
    x->hooks = au_hooks_step_end(&r->t->hooks, c->thread[e], index);
    switch (c->op[e]) {
    case AU_OP_ACQ:
    case AU_OP_DOWN:
    case AU_OP_RDACQ:
    case AU_OP_WRACQ:
        x->tries = value;
        break;
    case AU_OP_WAIT:
        x->timed = value;
        break;
    case AU_OP_WAKE: /* comes before the ACQ of the same step */
        x->timed_out = value;
        break;
    case AU_OP_TRYFAIL: {
        const char *name = au_intern_str(&r->t->names.lock, c->obj[e]);
        x->fails = true;
        x->obj = find_obj(r->m, name);
        x->tried = au_names_sync(&r->t->names, c->obj[e]).kind != AU_WIRE_OBJ_RWLOCK ? AU_STEP_ACQ
                   : value                                                           ? AU_STEP_RDACQ
                           : AU_STEP_WRACQ;
        break;
    }
    case AU_OP_ONCE:
        x->second = called_once(r->t, e);
        break;
    default:
        break;
    }
}

/* ---- rounds that left no trace ------------------------------------------------------------------- */

/* Hooks are counted as if the rounds before were not there. Steps without an event or fact of their own are of the
 * round of the step before them. */
static void describe_rounds(au_family_run *r) {
    const au_trace *t = r->t;
    const au_model *m = r->m;
    size_t threads = t->names.thread.n;
    bool *known = au_alloc_array(m->step.n, sizeof *known);
    au_round_walk *w = au_alloc_array(2 * threads, sizeof *w);
    for (uint32_t i = 0; i < threads; i++) {
        au_round_walk_init(&w[i], &r->s, i, false);
        au_round_walk_init(&w[threads + i], &r->s, i, true);
    }
    for (int fact = 0; fact < 2; fact++)
        for (size_t i = 0; i < (fact ? r->s.fact.n : t->events.n); i++) {
            uint32_t thread = fact ? r->s.fact.at[i].thread : t->events.thread[i];
            au_round_walk *in = &w[fact ? threads + thread : thread];
            uint32_t of = au_round_walk_to(in, i);
            uint32_t s = fact ? au_symbolic_fact(&r->map, i) : au_symbolic_step(&r->map, i);
            if (s == AU_NONE || known[s])
                continue;
            known[s] = true;
            r->step[s].round = of;
            r->step[s].hook -= r->step[s].hook ? in->hooks : 0;
            r->step[s].hooks -= r->step[s].hooks ? in->hooks : 0;
        }
    uint32_t *last = au_alloc_array(m->thread.n, sizeof *last);
    for (uint32_t i = 0; i < m->step.n; i++) {
        uint32_t *of = &last[m->step.at[i].thread];
        if (known[i])
            *of = r->step[i].round;
        else
            r->step[i].round = *of;
    }
    for (uint32_t i = 0; i < 2 * threads; i++)
        au_round_walk_release(&w[i]);
    free(w);
    free(last);
    free(known);
}

/* By round, from 1: the one that it is in, 0: none. */
static void describe_parents(au_family_run *r) {
    const au_symbolic *s = &r->s;
    r->parent = au_alloc_array(s->round.n + 1, sizeof *r->parent);
    for (size_t i = 0; i < s->round.n; i++)
        for (uint32_t in = (uint32_t)i; in && !r->parent[i + 1]; in = r->parent[in])
            if (s->round.at[in - 1].thread == s->round.at[i].thread &&
                s->round.at[i].upto <= s->round.at[in - 1].upto)
                r->parent[i + 1] = in;
}

/* Of a whole thread: rounds in others count in those. */
static uint64_t hooks_of_all(const au_family_run *r, uint32_t thread) {
    uint64_t n = 0;
    for (size_t i = 0; i < r->s.round.n; i++)
        if (r->s.round.at[i].thread == thread && !r->parent[i + 1])
            n += r->s.round.at[i].hooks;
    return n;
}

static void describe_steps(au_family_run *r) {
    const au_trace *t = r->t;
    const au_model *m = r->m;
    r->step = au_alloc_array(m->step.n, sizeof *r->step);
    r->ended = au_alloc_array(m->thread.n, sizeof *r->ended);
    r->length = au_alloc_array(m->thread.n, sizeof *r->length);
    r->can_go = au_alloc_array(m->thread.n, sizeof *r->can_go);
    uint64_t *index = au_alloc_array(t->names.thread.n, sizeof *index);
    uint64_t *of_event = au_alloc_array(t->events.n, sizeof *of_event);
    uint8_t *last = au_alloc_array(t->names.thread.n, 1);
    for (uint32_t i = 0; i < m->step.n; i++)
        place_of_step(r, i, &r->step[i]);
    for (size_t e = 0; e < t->events.n; e++) {
        uint32_t s = au_symbolic_step(&r->map, e);
        of_event[e] = ++index[t->events.thread[e]];
        last[t->events.thread[e]] = t->events.op[e];
        if (s != AU_NONE)
            describe_event(r, e, of_event[e], &r->step[s]);
    }
    for (size_t i = 0; i < r->s.fact.n; i++) {
        const au_fact *f = &r->s.fact.at[i];
        uint32_t s = au_symbolic_fact(&r->map, i);
        if (s == AU_NONE || m->step.at[s].n_accesses)
            continue;
        au_run_step *x = &r->step[s];
        if (f->after != AU_NONE)
            x->hook = x->hooks = au_hooks_step_end(&t->hooks, f->thread, of_event[f->after]);
        x->site = f->site;
        x->side = f->side;
        x->goal = f->kind == AU_FACT_ASSERT            ? AU_GOAL_ASSERT
                  : f->kind == AU_FACT_PIN || !f->site ? AU_GOAL_VALUE
                                                       : AU_GOAL_BRANCH;
        x->text = au_intern_str(&r->s.strings, f->text);
        x->file = au_intern_str(&r->s.strings, f->file);
        x->line = f->line;
    }
    describe_rounds(r);
    describe_parents(r);
    /* What a read asks of what follows: right behind it. */
    for (uint32_t i = 1; i < m->step.n; i++)
        if (m->step.at[i].kind == AU_STEP_ASSUME && !r->step[i].hooks && !r->step[i].site &&
            m->step.at[i - 1].n_accesses && m->step.at[i - 1].dst == m->step.at[i].src &&
            m->step.at[i - 1].thread == m->step.at[i].thread) {
            r->step[i] = r->step[i - 1];
            r->step[i].tries = false;
            r->step[i].goal = AU_GOAL_VALUE;
            r->step[i].text = "a read";
            r->step[i].site = au_hash_join(au_hash_bytes(r->step[i].file, strlen(r->step[i].file)),
                                           r->step[i].line);
        }
    for (uint32_t i = 0; i < m->thread.n; i++) {
        const char *of = m->thread.at[i].name;
        uint32_t id = au_intern_find(&t->names.thread, of, strlen(of));
        bool ender = r->facts.ended && r->facts.end_thread == strtoul(of + 1, NULL, 10);
        bool plain = ender && r->facts.end == AU_END_EXIT && r->facts.end_thread == 0;
        bool over = ender && (r->facts.end == AU_END_EXIT || r->facts.end == AU_END_SIGNAL ||
                              r->facts.end == AU_END_ASSERT);
        r->can_go[i] = last[id] != AU_OP_XCALL;
        r->ended[i] = plain || last[id] == AU_OP_EXIT ? AU_SPOT_ENDED
                      : over                          ? AU_SPOT_OVER
                                                      : AU_SPOT_CUT;
        r->length[i] = index[id] ? au_hooks_after(&t->hooks, (uint16_t)id, index[id], false) : 0;
        r->length[i] -= hooks_of_all(r, id);
    }
    free(index);
    free(of_event);
    free(last);
}

au_status au_family_run_describe(au_family_run *r, const char *path, au_error *err) {
    au_status st = name_threads(r, path, err);
    if (!st) {
        describe_steps(r);
        describe_waits(r);
    }
    return st;
}
