/* model/from_symbolic_state.c: the state that a run has reached before some event: what variables and
 * objects hold, and where threads stand. It moves forward through the trace; to go back, it begins again. */
#include "model/symbolic_priv.h"

void au_state_init(au_run_state *s, const au_symbolic_plan *p) {
    const au_trace *t = p->s->trace;
    *s = (au_run_state){.p = p};
    s->value = au_alloc_array(t->names.var.n, sizeof *s->value);
    s->lock = au_alloc_array(t->names.lock.n, sizeof *s->lock);
    s->thread = au_alloc_array(t->names.thread.n, sizeof *s->thread);
    au_map_init(&s->readers);
    if (t->names.var.n)
        memcpy(s->value, p->init, t->names.var.n * sizeof *s->value);
    for (size_t i = 0; i < t->names.lock.n; i++)
        if (p->j.obj[i].kind == AU_WIRE_OBJ_SEM)
            s->lock[i].level = (uint32_t)p->j.obj[i].init;
    for (size_t i = 0; i < t->names.thread.n; i++)
        s->thread[i].inside = AU_NONE;
}

void au_state_release(au_run_state *s) {
    free(s->value);
    free(s->lock);
    free(s->thread);
    au_map_release(&s->readers);
    *s = (au_run_state){0};
}

static uint64_t reader_key(uint32_t lock, uint32_t thread) {
    return (uint64_t)lock << 16 | thread;
}

uint32_t au_state_readers(const au_run_state *s, uint32_t lock, uint32_t thread) {
    const uint64_t *n = au_map_find(&s->readers, reader_key(lock, thread));
    return n ? (uint32_t)*n : 0;
}

/* The guards and updates of model/sync.h, on this state. */
static void follow_sync(au_run_state *s, size_t i) {
    const au_columns *e = &s->p->s->trace->events;
    uint32_t l = e->obj[i], who = e->thread[i], me = who + 1;
    struct au_state_lock *x = &s->lock[l];
    uint8_t kind = s->p->j.obj[l].kind;
    switch (e->op[i]) {
    case AU_OP_RDACQ:
        x->level++;
        ++*au_map_put(&s->readers, reader_key(l, who), NULL);
        break;
    case AU_OP_ACQ:
    case AU_OP_WRACQ:
    case AU_OP_DOWN:
        if (kind == AU_WIRE_OBJ_SEM) {
            x->level--;
            break;
        }
        x->holder = me;
        x->level += kind == AU_WIRE_OBJ_RLOCK;
        break;
    case AU_OP_REL:
    case AU_OP_UP:
        if (kind == AU_WIRE_OBJ_SEM) {
            x->level++;
        } else if (x->holder != me) {
            x->level--; /* a reader */
            --*au_map_put(&s->readers, reader_key(l, who), NULL);
        } else if (kind != AU_WIRE_OBJ_RLOCK || --x->level == 0) {
            x->holder = 0;
        }
        break;
    case AU_OP_ARRIVE:
        s->thread[who].generation = x->generation;
        if (++x->level == (uint32_t)s->p->j.obj[l].init) {
            x->level = 0;
            x->generation++;
        }
        break;
    default:
        break;
    }
}

/* Threads inside a wait or at a barrier: until which event. */
static void follow_waits(au_run_state *s, size_t i) {
    const au_columns *e = &s->p->s->trace->events;
    const au_trace_sync *j = &s->p->j;
    struct au_state_thread *t = &s->thread[e->thread[i]];
    if (e->op[i] == AU_OP_REL || e->op[i] == AU_OP_UP) {
        const au_judged_wait *w = au_judged_wait_at(j, i);
        if (w) {
            t->inside = (uint32_t)i;
            t->until = w->acq;
            return;
        }
    }
    uint32_t leave = j->next[i];
    if (e->op[i] == AU_OP_ARRIVE && leave != AU_TRACE_END && e->op[leave] == AU_OP_LEAVE &&
        e->obj[leave] == e->obj[i]) {
        t->inside = (uint32_t)i;
        t->until = leave;
    } else if (t->inside != AU_NONE && t->until == i) {
        t->inside = AU_NONE;
    }
}

void au_state_move(au_run_state *s, size_t to) {
    const au_symbolic_plan *p = s->p;
    const au_columns *e = &p->s->trace->events;
    if (to < s->at) {
        au_state_release(s);
        au_state_init(s, p);
    }
    for (; s->at < to; s->at++) {
        size_t i = s->at;
        au_op op = e->op[i];
        struct au_state_thread *t = &s->thread[e->thread[i]];
        t->begun = true;
        if (au_op_is_access(op)) {
            s->value[e->obj[i]] = au_plan_value(p, i);
            continue;
        }
        if (op == AU_OP_BEGIN)
            t->depth++;
        else if (op == AU_OP_END && t->depth)
            t->depth--;
        else if (op == AU_OP_FORK)
            s->thread[e->obj[i]].forked = true;
        if (au_op_space(op) == AU_WIRE_SPACE_LOCK && !au_judge_ignores(op)) {
            follow_sync(s, i);
            follow_waits(s, i);
        }
    }
}
