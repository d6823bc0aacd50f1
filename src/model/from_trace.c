/* model/from_trace.c: a concurrent trace program from a trace with values. */
#include "model/from_trace.h"

#include "model/from_trace_priv.h"
#include "model/run.h"
#include "model/sync.h"

#include <stdio.h>

/* What an event does in the observed run. */
enum { LEFT_OUT, TAKES, PART_OF }; /* PART_OF: belongs to a step taken at another event */

typedef struct {
    const au_trace *t;
    au_error *err;
    au_judged j;
    au_model *m;
    uint32_t *step_of; /* by event */
    uint8_t *role;     /* by event */
    struct {
        uint32_t id;           /* in the model, AU_NONE if unused */
        uint32_t node;         /* where its next step starts */
        uint32_t depth, block; /* of atomic blocks; the outermost one */
        uint32_t nop;          /* the step of a thread without events */
        bool waits;            /* the trace ends inside its condition wait */
        uint32_t seen[2];      /* open: local variables (32, 64 bits) with what it read last */
    } * thread;                /* by thread id of the trace */
    uint32_t *var;             /* by variable id: in the model, AU_NONE before first use */
    uint32_t *obj;             /* by lock id: object (ONCE: variable) in the model */
    struct {
        uint32_t holder, level; /* thread + 1; recursion depth, readers or count */
    } * lock;                   /* by lock id: as the observed run goes, for 'tryfail' */
    bool *once_done;            /* by lock id */
    bool open;                  /* reads happen whatever they see */
} builder;

static uint32_t model_var(builder *b, uint32_t v) {
    if (b->var[v] == AU_NONE)
        b->var[v] = au_model_add_var(b->m, au_intern_str(&b->t->names.var, v), AU_VAR_SHARED,
                                     b->j.width[v], b->j.init[v], AU_NONE);
    return b->var[v];
}

/* A name that no variable of the trace has: s, or s and 'more' as often as it takes. */
static char *free_name(const builder *b, const char *s, const char *more) {
    char *name = au_strdup(s);
    while (au_intern_find(&b->t->names.var, name, strlen(name)) != AU_NO_ID) {
        char *longer = au_sprintf("%s%s", name, more);
        free(name);
        name = longer;
    }
    return name;
}

/* A once object is a variable: the first call sets it, the others wait for that. */
static uint32_t once_var(builder *b, const char *name) {
    char *s = au_sprintf("%s.once", name), *unused = free_name(b, s, ".once");
    uint32_t v = au_model_add_var(b->m, unused, AU_VAR_SHARED, 32, 0, AU_NONE);
    free(s);
    free(unused);
    return v;
}

static uint32_t seen_var(builder *b, uint16_t who, unsigned width) {
    uint32_t *v = &b->thread[who].seen[width > 32];
    if (*v == AU_NONE) {
        char *name = free_name(b, width > 32 ? "seen64" : "seen", "_");
        *v = au_model_add_var(b->m, name, AU_VAR_LOCAL, width, 0, b->thread[who].id);
        free(name);
    }
    return *v;
}

static uint32_t model_obj(builder *b, uint32_t l) {
    static const au_obj_kind kinds[] = {
        [AU_WIRE_OBJ_LOCK] = AU_OBJ_LOCK,     [AU_WIRE_OBJ_RLOCK] = AU_OBJ_RLOCK,
        [AU_WIRE_OBJ_RWLOCK] = AU_OBJ_RWLOCK, [AU_WIRE_OBJ_SEM] = AU_OBJ_SEM,
        [AU_WIRE_OBJ_COND] = AU_OBJ_COND,     [AU_WIRE_OBJ_BARRIER] = AU_OBJ_BARRIER};
    if (b->obj[l] != AU_NONE)
        return b->obj[l];
    const char *name = au_intern_str(&b->t->names.lock, l);
    uint8_t kind = b->j.obj[l].kind;
    if (kind == AU_WIRE_OBJ_ONCE)
        b->obj[l] = once_var(b, name);
    else
        b->obj[l] = au_model_add_sync(b->m, name, kinds[kind], b->j.obj[l].init);
    return b->obj[l];
}

/* Block and place of the steps from 'first' on that stand for event i. */
static void mark(builder *b, size_t i, uint32_t first) {
    const au_columns *e = &b->t->events;
    uint32_t loc = e->loc[i];
    for (size_t k = first; k < b->m->step.n; k++) {
        au_step *s = &b->m->step.at[k];
        if (b->thread[e->thread[i]].depth) {
            uint32_t *block = &b->thread[e->thread[i]].block;
            if (*block == AU_NONE) /* the first of its steps */
                *block = b->m->n_blocks++;
            s->block = *block;
        }
        if (loc == AU_NO_LOC)
            continue;
        if (loc < AU_LOC_NAMED) {
            s->line = loc;
            continue;
        }
        /* "file:12" or any text */
        const char *text = au_intern_str(&b->t->names.loc, loc - AU_LOC_NAMED);
        size_t len = strlen(text), digits = 0;
        while (digits < len && digits < 9 && text[len - 1 - digits] >= '0' &&
               text[len - 1 - digits] <= '9')
            digits++;
        if (digits && digits < len - 1 && text[len - 1 - digits] == ':') {
            s->line = (uint32_t)strtoul(text + len - digits, NULL, 10);
            len -= digits + 1;
        }
        s->loc = au_intern_add(&b->m->strings, text, len);
    }
}

/* A step of its own for event i, not yet marked. */
static au_step *plain_step(builder *b, size_t i, au_step_kind kind) {
    uint16_t who = b->t->events.thread[i];
    uint32_t id = b->thread[who].id, src = b->thread[who].node;
    b->thread[who].node = au_model_add_node(b->m, id);
    au_step *s = au_model_add_step(b->m, id, src, b->thread[who].node, kind);
    b->step_of[i] = s->id;
    b->role[i] = TAKES;
    return s;
}

/* r := x, then assume r == v: the step after it belongs to it. */
static void add_open_read(builder *b, size_t i, uint32_t v, uint64_t value) {
    au_model *m = b->m;
    unsigned width = m->var.at[v].width;
    uint32_t seen = seen_var(b, b->t->events.thread[i], width);
    au_step *s = plain_step(b, i, AU_STEP_ASSIGN);
    uint32_t first = s->id;
    s->indivisible = b->t->events.op[i] == AU_OP_AREAD;
    au_step_add_update(m, s, seen, au_model_var_term(m, v));
    au_step_add_access(m, s, v, false);
    s = plain_step(b, i, AU_STEP_ASSUME);
    s->guard =
        au_term_eq(m->terms, au_model_var_term(m, seen), au_term_const(m->terms, width, value));
    b->step_of[i] = first;
    mark(b, i, first);
}

static void add_access(builder *b, size_t i) {
    au_model *m = b->m;
    au_block e = au_columns_block(&b->t->events, 0, b->t->events.n);
    au_op op = e.op[i];
    uint32_t v = model_var(b, e.obj[i]);
    bool reads = op != AU_OP_WRITE && op != AU_OP_AWRITE;
    bool writes = op != AU_OP_READ && op != AU_OP_AREAD;
    unsigned width = m->var.at[v].width;
    uint64_t now = au_judge_cut(e.value[i], width), seen = op == AU_OP_RMW ? b->j.before[i] : now;
    if (b->open && !writes) {
        add_open_read(b, i, v, seen);
        return;
    }
    au_step *s = plain_step(b, i, writes ? AU_STEP_ASSIGN : AU_STEP_ASSUME);
    s->indivisible = op != AU_OP_READ && op != AU_OP_WRITE;
    if (reads) {
        s->guard =
            au_term_eq(m->terms, au_model_var_term(m, v), au_term_const(m->terms, width, seen));
        au_step_add_access(m, s, v, false);
    }
    if (writes) {
        au_step_add_update(m, s, v, au_term_const(m->terms, width, now));
        au_step_add_access(m, s, v, true);
    }
    mark(b, i, s->id);
}

static void add_once(builder *b, size_t i) {
    uint32_t l = b->t->events.obj[i], v = model_obj(b, l);
    au_model *m = b->m;
    au_term one = au_term_const(m->terms, 32, 1);
    bool first = !b->once_done[l];
    b->once_done[l] = true;
    au_step *s = plain_step(b, i, first ? AU_STEP_ASSIGN : AU_STEP_ASSUME);
    s->indivisible = true;
    s->blocking = !first;
    if (first)
        au_step_add_update(m, s, v, one);
    else
        s->guard = au_term_eq(m->terms, au_model_var_term(m, v), one);
    au_step_add_access(m, s, v, first);
    mark(b, i, s->id);
}

/* A try that failed is pinned: the object was taken then. If it was free all the
 * same (a time-out that came late), the failure asks for nothing. */
static void add_tryfail(builder *b, size_t i) {
    au_model *m = b->m;
    uint32_t l = b->t->events.obj[i];
    uint8_t kind = b->j.obj[l].kind;
    uint32_t me = b->t->events.thread[i] + 1u;
    bool readers = kind == AU_WIRE_OBJ_RWLOCK && !b->lock[l].holder && b->lock[l].level;
    if (kind == AU_WIRE_OBJ_SEM ? b->lock[l].level > 0 : !b->lock[l].holder && !readers)
        return;
    if (kind == AU_WIRE_OBJ_RLOCK && b->lock[l].holder == me)
        return;
    uint32_t o = model_obj(b, l);
    const uint32_t *v = m->obj.at[o].var;
    au_term zero = au_term_const(m->terms, 32, 0), owner = au_model_var_term(m, v[0]);
    au_term guard = au_term_not(m->terms, au_term_eq(m->terms, owner, zero));
    if (kind == AU_WIRE_OBJ_SEM)
        guard = au_term_make(m->terms, AU_T_SLE, owner, zero);
    if (readers)
        guard = au_term_or(
            m->terms, guard,
            au_term_not(m->terms, au_term_eq(m->terms, au_model_var_term(m, v[1]), zero)));
    if (kind == AU_WIRE_OBJ_RLOCK) {
        au_term mine = au_term_const(m->terms, 32, b->thread[me - 1].id + 1);
        guard =
            au_term_and(m->terms, guard, au_term_not(m->terms, au_term_eq(m->terms, owner, mine)));
    }
    au_step *s = plain_step(b, i, AU_STEP_ASSUME);
    s->guard = guard;
    mark(b, i, s->id);
}

static void follow_lock(builder *b, size_t i) {
    const au_columns *e = &b->t->events;
    uint32_t l = e->obj[i], me = e->thread[i] + 1u;
    bool sem = b->j.obj[l].kind == AU_WIRE_OBJ_SEM;
    switch (e->op[i]) {
    case AU_OP_RDACQ:
        b->lock[l].level++;
        break;
    case AU_OP_ACQ:
    case AU_OP_WRACQ:
    case AU_OP_DOWN:
        if (!sem)
            b->lock[l].holder = me;
        b->lock[l].level += sem ? -1u : b->j.obj[l].kind == AU_WIRE_OBJ_RLOCK;
        break;
    case AU_OP_REL:
    case AU_OP_UP:
        if (sem)
            b->lock[l].level++;
        else if (b->lock[l].holder != me)
            b->lock[l].level--; /* a reader */
        else if (b->j.obj[l].kind != AU_WIRE_OBJ_RLOCK || --b->lock[l].level == 0)
            b->lock[l].holder = 0;
        break;
    default:
        break;
    }
}

/* rel(m) wait(c) … wake(c) acq(m), as far as the trace goes; i is the rel. */
static au_status add_wait(builder *b, size_t i) {
    const au_columns *e = &b->t->events;
    size_t wait = b->j.next[i], wake = b->j.next[wait];
    size_t acq = wake == AU_TRACE_END ? AU_TRACE_END : b->j.next[wake];
    uint8_t kind = b->j.obj[e->obj[i]].kind;
    if (kind == AU_WIRE_OBJ_RWLOCK)
        return au_judge_error(b->t, wait, b->err, AU_EUNSUPPORTED,
                              "a wait through a read-write lock");
    if (wake != AU_TRACE_END && (e->op[wake] != AU_OP_WAKE || e->obj[wake] != e->obj[wait]))
        return au_judge_error(b->t, wake, b->err, AU_EFORMAT,
                              "its thread waits on a condition and has not woken");
    if (acq != AU_TRACE_END &&
        ((e->op[acq] != AU_OP_ACQ && e->op[acq] != AU_OP_DOWN) || e->obj[acq] != e->obj[i]))
        return au_judge_error(b->t, acq, b->err, AU_EFORMAT,
                              "its thread woke and has not acquired its lock again");
    uint32_t cond = model_obj(b, e->obj[wait]), lock = model_obj(b, e->obj[i]);
    uint16_t who = e->thread[i];
    uint32_t id = b->thread[who].id, src = b->thread[who].node;
    b->thread[who].node = au_model_add_node(b->m, id);
    uint32_t s = au_sync_wait(b->m, id, src, b->thread[who].node, cond, lock);
    mark(b, wait, s);
    b->step_of[i] = b->step_of[wait] = s;
    b->role[i] = TAKES;
    b->role[wait] = PART_OF;
    if (acq != AU_TRACE_END) {
        b->step_of[wake] = b->step_of[acq] = s + 1; /* which of the two: choose_edges */
        b->role[wake] = PART_OF;
        b->role[acq] = TAKES;
    }
    b->thread[who].waits = acq == AU_TRACE_END;
    return AU_OK;
}

static void add_arrive(builder *b, size_t i) {
    const au_columns *e = &b->t->events;
    uint16_t who = e->thread[i];
    uint32_t barrier = model_obj(b, e->obj[i]), id = b->thread[who].id, src = b->thread[who].node;
    b->thread[who].node = au_model_add_node(b->m, id);
    uint32_t s = au_sync_arrive(b->m, id, src, b->thread[who].node, barrier);
    mark(b, i, s);
    b->step_of[i] = s;
    b->role[i] = TAKES;
    size_t leave = b->j.next[i];
    if (leave != AU_TRACE_END && e->op[leave] == AU_OP_LEAVE && e->obj[leave] == e->obj[i]) {
        b->step_of[leave] = s + 1;
        b->role[leave] = TAKES;
    }
}

static void add_sync(builder *b, size_t i) {
    const au_columns *e = &b->t->events;
    uint16_t who = e->thread[i];
    bool of_thread = e->op[i] == AU_OP_FORK || e->op[i] == AU_OP_JOIN;
    uint32_t o = of_thread ? b->thread[e->obj[i]].id : model_obj(b, e->obj[i]);
    bool rw = !of_thread && b->j.obj[e->obj[i]].kind == AU_WIRE_OBJ_RWLOCK;
    uint32_t id = b->thread[who].id, src = b->thread[who].node, s = AU_NONE;
    uint32_t dst = b->thread[who].node = au_model_add_node(b->m, id);
    switch (e->op[i]) {
    case AU_OP_ACQ:
    case AU_OP_DOWN:
    case AU_OP_REQ:
        s = rw ? au_sync_wracq(b->m, id, src, dst, o) : au_sync_acq(b->m, id, src, dst, o);
        break;
    case AU_OP_REL:
    case AU_OP_UP:
        s = au_sync_rel(b->m, id, src, dst, o);
        break;
    case AU_OP_RDACQ:
        s = au_sync_rdacq(b->m, id, src, dst, o);
        break;
    case AU_OP_WRACQ:
        s = au_sync_wracq(b->m, id, src, dst, o);
        break;
    case AU_OP_SIGNAL:
    case AU_OP_BROADCAST:
        s = au_sync_signal(b->m, id, src, dst, o, e->op[i] == AU_OP_BROADCAST);
        break;
    case AU_OP_FORK:
        s = au_sync_fork(b->m, id, src, dst, o);
        break;
    case AU_OP_JOIN:
        s = au_sync_join(b->m, id, src, dst, o);
        break;
    default:
        AU_BUG_IF(true);
    }
    b->step_of[i] = s;
    b->role[i] = e->op[i] == AU_OP_REQ ? PART_OF : TAKES;
    mark(b, i, s);
}

static au_status add_event(builder *b, size_t i) {
    const au_columns *e = &b->t->events;
    uint16_t who = e->thread[i];
    au_op op = e->op[i];
    size_t next = b->j.next[i];
    if (au_judge_ignores(op))
        return AU_OK;
    if (op == AU_OP_BEGIN) {
        if (b->thread[who].depth++ == 0)
            b->thread[who].block = AU_NONE;
        return AU_OK;
    }
    if (op == AU_OP_END) {
        if (!b->thread[who].depth)
            return au_judge_error(b->t, i, b->err, AU_EFORMAT, "no atomic block to end");
        b->thread[who].depth--;
        return AU_OK;
    }
    if (au_op_space(op) == AU_WIRE_SPACE_LOCK && op != AU_OP_TRYFAIL)
        follow_lock(b, i);
    if (b->role[i] != LEFT_OUT)
        return AU_OK; /* part of an earlier wait or arrive */
    if (au_op_is_access(op)) {
        add_access(b, i);
    } else if (op == AU_OP_ONCE) {
        add_once(b, i);
    } else if (op == AU_OP_TRYFAIL) {
        add_tryfail(b, i);
    } else if (op == AU_OP_ARRIVE) {
        add_arrive(b, i);
    } else if (op == AU_OP_WAIT || op == AU_OP_WAKE || op == AU_OP_LEAVE) {
        if (op == AU_OP_WAKE && b->thread[who].waits)
            return AU_OK; /* cut between waking and the lock: it still waits for that */
        return au_judge_error(b->t, i, b->err, AU_EFORMAT, "nothing before it in its thread %s it",
                              op == AU_OP_WAIT ? "releases a lock for" : "leads to");
    } else if ((op == AU_OP_REL || op == AU_OP_UP) && next != AU_TRACE_END &&
               e->op[next] == AU_OP_WAIT) {
        return add_wait(b, i);
    } else if (op == AU_OP_REQ) {
        /* a request that was answered is its acquisition; one at the end of its thread
         * waits still, which is what a deadlock looks like */
        bool rw = b->j.obj[e->obj[i]].kind == AU_WIRE_OBJ_RWLOCK;
        if (next == AU_TRACE_END && !rw && !b->thread[who].waits)
            add_sync(b, i);
    } else {
        add_sync(b, i);
    }
    return AU_OK;
}

/* --- the observed run ------------------------------------------------------------ */

typedef struct {
    uint32_t cond; /* what it waits on, AU_NONE */
    bool signalled;
    size_t wake, until; /* the events at which it wakes and has its lock again */
} waiter;

static uint32_t edge_with(const builder *b, uint32_t step, uint32_t choice) {
    const au_step *s = &b->m->step.at[step];
    const au_node *n = &b->m->thread.at[s->thread].node.at[s->src];
    for (size_t k = 0; k < n->out.n; k++)
        if (b->m->step.at[n->out.at[k]].choice == choice)
            return n->out.at[k];
    AU_BUG_IF(true);
}

/* The trace does not say whom a signal woke: the waiter that went on first. Who
 * went on without a signal woke spuriously (or its time was up). */
static void choose_edges(builder *b) {
    const au_columns *e = &b->t->events;
    size_t threads = b->t->names.thread.n;
    waiter *w = au_alloc_array(threads, sizeof *w);
    for (size_t i = 0; i < threads; i++)
        w[i].cond = AU_NONE;
    for (size_t i = 0; i < e->n; i++) {
        if (b->role[i] != TAKES)
            continue;
        const au_step *s = &b->m->step.at[b->step_of[i]];
        waiter *me = &w[e->thread[i]];
        if (s->kind == AU_STEP_WAIT) {
            size_t wake = b->j.next[b->j.next[i]];
            *me = (waiter){s->obj, false, wake, wake == AU_TRACE_END ? wake : b->j.next[wake]};
        } else if (s->kind == AU_STEP_WAKE) {
            if (!me->signalled)
                b->step_of[me->wake] = ++b->step_of[i];
            me->cond = AU_NONE;
        } else if (s->kind == AU_STEP_SIGNAL || s->kind == AU_STEP_BROADCAST) {
            waiter *first = NULL;
            for (size_t k = 0; k < threads; k++) {
                if (w[k].cond != s->obj || w[k].signalled)
                    continue;
                if (s->kind == AU_STEP_BROADCAST)
                    w[k].signalled = true;
                else if (!first || w[k].until < first->until)
                    first = &w[k];
            }
            if (first) {
                first->signalled = true;
                b->step_of[i] = edge_with(b, b->step_of[i], b->thread[first - w].id);
            }
        }
        au_vec_push(&b->m->observed, b->step_of[i]);
        if (b->open && (e->op[i] == AU_OP_READ || e->op[i] == AU_OP_AREAD))
            au_vec_push(&b->m->observed, b->step_of[i] + 1);
        /* a thread without events runs as soon as it is forked */
        if (s->kind == AU_STEP_FORK && b->thread[e->obj[i]].nop != AU_NONE)
            au_vec_push(&b->m->observed, b->thread[e->obj[i]].nop);
    }
    free(w);
}

/* Every thread gets its exit; one without steps a nop, which needs no fork to run
 * first if there is none. */
static void close_threads(builder *b) {
    for (size_t i = 0; i < b->t->names.thread.n; i++) {
        uint32_t id = b->thread[i].id;
        if (id == AU_NONE)
            continue;
        au_thread *t = &b->m->thread.at[id];
        if (b->thread[i].node == t->entry) {
            b->thread[i].node = au_model_add_node(b->m, id);
            b->thread[i].nop = au_model_add_step(b->m, id, b->m->thread.at[id].entry,
                                                 b->thread[i].node, AU_STEP_NOP)
                                   ->id;
            if (!b->m->thread.at[id].forked)
                au_vec_push(&b->m->observed, b->thread[i].nop);
        }
        b->m->thread.at[id].exit = b->thread[i].node;
    }
}

static au_status check_run(builder *b) {
    size_t at;
    au_error why = AU_ERROR_NONE;
    if (au_model_check_observed(b->m, &at, &why) == AU_OK)
        return AU_OK;
    uint32_t step = b->m->observed.at[at];
    for (size_t i = 0; i < b->t->events.n; i++)
        if (b->role[i] == TAKES && b->step_of[i] == step)
            return au_judge_error(b->t, i, b->err, AU_EFORMAT, "no run has it here: %s",
                                  strrchr(why.text, ':') + 2);
    return au_error_set(b->err, AU_EFORMAT, "%s", why.text);
}

static au_status build(builder *b) {
    const au_names *names = &b->t->names;
    for (size_t i = 0; i < names->thread.n; i++) {
        b->thread[i].id = AU_NONE;
        b->thread[i].nop = AU_NONE;
        b->thread[i].seen[0] = b->thread[i].seen[1] = AU_NONE;
        if (!b->j.used[i])
            continue;
        b->thread[i].id = au_model_add_thread(b->m, au_intern_str(&names->thread, (uint32_t)i));
        b->thread[i].node = b->m->thread.at[b->thread[i].id].entry;
    }
    memset(b->var, 0xff, names->var.n * sizeof *b->var);
    memset(b->obj, 0xff, names->lock.n * sizeof *b->obj);
    for (size_t i = 0; i < names->lock.n; i++)
        if (b->j.obj[i].kind == AU_WIRE_OBJ_SEM)
            b->lock[i].level = (uint32_t)b->j.obj[i].init;
    for (size_t i = 0; i < b->t->events.n; i++) {
        b->step_of[i] = AU_NONE;
        b->role[i] = LEFT_OUT;
    }
    for (size_t i = 0; i < b->t->events.n; i++) {
        au_status st = add_event(b, i);
        if (st)
            return st;
    }
    close_threads(b);
    au_sync_finish(b->m);
    choose_edges(b);
    return check_run(b);
}

static au_model *make(const au_trace *t, bool open, uint32_t **step_of, au_error *err) {
    builder b = {.t = t, .err = err, .open = open};
    if (au_judge_trace(t, &b.j, err))
        return NULL;
    b.m = au_model_new("trace");
    b.step_of = au_alloc_array(t->events.n, sizeof *b.step_of);
    b.role = au_alloc_array(t->events.n, 1);
    b.thread = au_alloc_array(t->names.thread.n, sizeof *b.thread);
    b.var = au_alloc_array(t->names.var.n, sizeof *b.var);
    b.obj = au_alloc_array(t->names.lock.n, sizeof *b.obj);
    b.lock = au_alloc_array(t->names.lock.n, sizeof *b.lock);
    b.once_done = au_alloc_array(t->names.lock.n, sizeof *b.once_done);
    au_status st = build(&b);
    au_judged_release(&b.j);
    free(b.role);
    free(b.thread);
    free(b.var);
    free(b.obj);
    free(b.lock);
    free(b.once_done);
    if (st || !step_of)
        free(b.step_of);
    else
        *step_of = b.step_of;
    if (st) {
        au_model_free(b.m);
        return NULL;
    }
    return b.m;
}

au_model *au_model_from_trace(const au_trace *t, uint32_t **step_of, au_error *err) {
    return make(t, false, step_of, err);
}

au_model *au_model_from_trace_open(const au_trace *t, uint32_t **step_of, au_error *err) {
    return make(t, true, step_of, err);
}
