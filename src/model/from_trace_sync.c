/* model/from_trace_sync.c: events of a trace as steps of a model: everything but accesses, and
 * the observed run. */
#include "model/from_trace_priv.h"

#include "model/sync.h"

char *au_from_free_name(const au_from *b, const char *s, const char *more) {
    char *name = au_strdup(s);
    while (au_intern_find(&b->t->names.var, name, strlen(name)) != AU_NONE) {
        char *longer = au_sprintf("%s%s", name, more);
        free(name);
        name = longer;
    }
    return name;
}

/* A once object is a variable: the first call sets it, the others wait for that. */
static uint32_t once_var(au_from *b, const char *name) {
    char *s = au_sprintf("%s.once", name), *unused = au_from_free_name(b, s, ".once");
    uint32_t v = au_model_add_var(b->m, unused, AU_VAR_SHARED, 32, 0, AU_NONE);
    free(s);
    free(unused);
    return v;
}

static uint32_t model_obj(au_from *b, uint32_t l) {
    static const au_obj_kind kinds[] = {
        [AU_WIRE_OBJ_LOCK] = AU_OBJ_LOCK,     [AU_WIRE_OBJ_RLOCK] = AU_OBJ_RLOCK,
        [AU_WIRE_OBJ_RWLOCK] = AU_OBJ_RWLOCK, [AU_WIRE_OBJ_SEM] = AU_OBJ_SEM,
        [AU_WIRE_OBJ_COND] = AU_OBJ_COND,     [AU_WIRE_OBJ_BARRIER] = AU_OBJ_BARRIER};
    if (b->obj[l] != AU_NONE)
        return b->obj[l];
    const char *name = au_intern_str(&b->t->names.lock, l);
    uint8_t kind = b->j->obj[l].kind;
    if (kind == AU_WIRE_OBJ_ONCE)
        b->obj[l] = once_var(b, name);
    else
        b->obj[l] = au_model_add_sync(b->m, name, kinds[kind], b->j->obj[l].init);
    if (b->made)
        b->made(b, l);
    return b->obj[l];
}

/* ---- steps ---------------------------------------------------------------------------- */

uint32_t au_from_block(au_from *b, uint32_t thread) {
    struct au_from_thread *who = &b->thread[thread];
    if (!who->depth)
        return AU_NONE;
    if (who->block == AU_NONE) /* the first of its steps */
        who->block = b->m->n_blocks++;
    return who->block;
}

void au_from_mark(au_from *b, size_t i, uint32_t first) {
    const au_columns *e = &b->t->events;
    uint32_t loc = e->loc[i], line = 0, file = AU_NONE;
    if (loc != AU_NONE && loc < AU_LOC_NAMED) {
        line = loc;
    } else if (loc != AU_NONE) {
        /* "file:12" or any text */
        const char *text = au_intern_str(&b->t->names.loc, loc - AU_LOC_NAMED);
        size_t len = strlen(text), digits = 0;
        while (digits < len && digits < 9 && text[len - 1 - digits] >= '0' &&
               text[len - 1 - digits] <= '9')
            digits++;
        if (digits && digits < len - 1 && text[len - 1 - digits] == ':') {
            line = (uint32_t)strtoul(text + len - digits, NULL, 10);
            len -= digits + 1;
        }
        file = au_intern_add(&b->m->strings, text, len);
    }
    for (size_t k = first; k < b->m->step.n; k++) {
        au_step *s = &b->m->step.at[k];
        s->block = au_from_block(b, e->thread[i]);
        s->line = line;
        s->loc = file;
    }
}

static void set_step(au_from *b, size_t i, uint32_t step, uint8_t role) {
    if (i < b->first || i >= b->last)
        return;
    b->step_of[i - b->first] = step;
    b->role[i - b->first] = role;
}

au_step *au_from_step(au_from *b, size_t i, au_step_kind kind) {
    struct au_from_thread *who = &b->thread[b->t->events.thread[i]];
    uint32_t src = who->node;
    who->node = au_model_add_node(b->m, who->id);
    au_step *s = au_model_add_step(b->m, who->id, src, who->node, kind);
    set_step(b, i, s->id, AU_TAKES);
    return s;
}

static void add_once(au_from *b, size_t i) {
    uint32_t l = b->t->events.obj[i], v = model_obj(b, l);
    au_model *m = b->m;
    au_term one = au_term_const(m->terms, 32, 1);
    bool first = b->j->once[l] == i;
    au_step *s = au_from_step(b, i, first ? AU_STEP_ASSIGN : AU_STEP_ASSUME);
    s->indivisible = true;
    s->blocking =
        !first && b->j->obj[l].init !=
                      AU_WIRE_ONCE_ASSUMED; /* an order that was only seen: others stop there */
    if (first)
        au_step_add_update(m, s, v, one);
    else
        s->guard = au_term_eq(m->terms, au_model_var_term(m, v), one);
    au_step_add_access(m, s, v, first);
    au_from_mark(b, i, s->id);
    au_from_take(b, i, s->id);
}

/* A try that failed is pinned: the object was taken then. If it was free all the
 * same (a time-out that came late), the failure asks for nothing. */
static void add_tryfail(au_from *b, size_t i) {
    au_model *m = b->m;
    uint32_t l = b->t->events.obj[i];
    uint8_t kind = b->j->obj[l].kind;
    const uint64_t *try = au_map_find(&b->j->tries, i);
    if (!try)
        return;
    uint32_t o = model_obj(b, l);
    const uint32_t *v = m->obj.at[o].var;
    au_term zero = au_term_const(m->terms, 32, 0), owner = au_model_var_term(m, v[0]);
    au_term guard = au_term_not(m->terms, au_term_eq(m->terms, owner, zero));
    if (kind == AU_WIRE_OBJ_SEM)
        guard = au_term_make(m->terms, AU_T_SLE, owner, zero);
    if (*try == AU_TRY_READ)
        guard = au_term_or(
            m->terms, guard,
            au_term_not(m->terms, au_term_eq(m->terms, au_model_var_term(m, v[1]), zero)));
    if (kind == AU_WIRE_OBJ_RLOCK) {
        au_term mine = au_term_const(m->terms, 32, b->thread[b->t->events.thread[i]].id + 1);
        guard =
            au_term_and(m->terms, guard, au_term_not(m->terms, au_term_eq(m->terms, owner, mine)));
    }
    au_step *s = au_from_step(b, i, AU_STEP_ASSUME);
    s->guard = guard;
    au_from_mark(b, i, s->id);
    au_from_take(b, i, s->id);
}

/* ---- waits and barriers ------------------------------------------------------------------- */

static au_status check_wait(const au_from *b, size_t i) {
    const au_columns *e = &b->t->events;
    uint32_t wait = b->j->next[i], wake = b->j->next[wait];
    uint32_t acq = wake == AU_TRACE_END ? AU_TRACE_END : b->j->next[wake];
    if (b->j->obj[e->obj[i]].kind == AU_WIRE_OBJ_RWLOCK)
        return au_judge_error(b->t, wait, b->err, AU_EUNSUPPORTED,
                              "a wait through a read-write lock");
    if (wake != AU_TRACE_END && (e->op[wake] != AU_OP_WAKE || e->obj[wake] != e->obj[wait]))
        return au_judge_error(b->t, wake, b->err, AU_EFORMAT,
                              "its thread waits on a condition and has not woken");
    if (acq != AU_TRACE_END &&
        ((e->op[acq] != AU_OP_ACQ && e->op[acq] != AU_OP_DOWN) || e->obj[acq] != e->obj[i]))
        return au_judge_error(b->t, acq, b->err, AU_EFORMAT,
                              "its thread woke and has not acquired its lock again");
    return AU_OK;
}

/* i is the rel. */
static au_status add_wait(au_from *b, size_t i) {
    const au_columns *e = &b->t->events;
    au_status st = check_wait(b, i);
    if (st)
        return st;
    const au_judged_wait *w = au_judged_wait_at(b->j, i);
    uint32_t cond = model_obj(b, e->obj[w->wait]), lock = model_obj(b, e->obj[i]);
    struct au_from_thread *who = &b->thread[e->thread[i]];
    uint32_t src = who->node;
    who->node = au_model_add_node(b->m, who->id);
    uint32_t s = au_sync_wait(b->m, who->id, src, who->node, cond, lock);
    bool has = e->any_value && (e->all_value || e->has_value[w->wait]);
    au_sync_timed(b->m, s, has && e->value[w->wait]);
    au_from_mark(b, w->wait, s);
    set_step(b, i, s, AU_TAKES);
    set_step(b, w->wait, s, AU_PART_OF);
    au_from_take(b, i, s);
    if (w->acq != AU_TRACE_END) {
        uint32_t up = s + (w->signalled == AU_TRACE_END ? 2 : 1);
        set_step(b, w->wake, up, AU_PART_OF);
        set_step(b, w->acq, up, AU_TAKES);
    }
    who->inside = w->acq;
    who->waits = w->acq == AU_TRACE_END;
    return AU_OK;
}

static void add_arrive(au_from *b, size_t i) {
    const au_columns *e = &b->t->events;
    struct au_from_thread *who = &b->thread[e->thread[i]];
    uint32_t barrier = model_obj(b, e->obj[i]), src = who->node;
    who->node = au_model_add_node(b->m, who->id);
    uint32_t s = au_sync_arrive(b->m, who->id, src, who->node, barrier);
    au_from_mark(b, i, s);
    set_step(b, i, s, AU_TAKES);
    au_from_take(b, i, s);
    uint32_t leave = b->j->next[i];
    if (leave != AU_TRACE_END && e->op[leave] == AU_OP_LEAVE && e->obj[leave] == e->obj[i]) {
        set_step(b, leave, s + 1, AU_TAKES);
        who->inside = leave;
    }
}

au_status au_from_inside(au_from *b, uint32_t event) {
    struct au_from_thread *who = &b->thread[b->t->events.thread[event]];
    uint32_t first = (uint32_t)b->m->step.n;
    size_t taken = b->run.n;
    if (b->t->events.op[event] == AU_OP_ARRIVE) {
        add_arrive(b, event);
    } else {
        au_status st = add_wait(b, event);
        if (st)
            return st;
    }
    b->run.n = taken; /* that was before */
    b->m->thread.at[who->id].entry = b->m->step.at[first].dst;
    return AU_OK;
}

/* ---- everything else ------------------------------------------------------------------------- */

static void add_sync(au_from *b, size_t i) {
    const au_columns *e = &b->t->events;
    uint16_t who = e->thread[i];
    bool of_thread = e->op[i] == AU_OP_FORK || e->op[i] == AU_OP_JOIN;
    uint32_t o = of_thread ? b->thread[e->obj[i]].id : model_obj(b, e->obj[i]);
    bool rw = !of_thread && b->j->obj[e->obj[i]].kind == AU_WIRE_OBJ_RWLOCK;
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
    if (au_columns_tried(e, i))
        au_sync_try(b->m, s);
    set_step(b, i, s, e->op[i] == AU_OP_REQ ? AU_PART_OF : AU_TAKES);
    if (e->op[i] != AU_OP_REQ)
        au_from_take(b, i, s);
    au_from_mark(b, i, s);
}

static au_status add_event(au_from *b, size_t i) {
    const au_columns *e = &b->t->events;
    struct au_from_thread *who = &b->thread[e->thread[i]];
    au_op op = e->op[i];
    uint32_t next = b->j->next[i];
    if (b->role[i - b->first] != AU_LEFT_OUT) { /* part of an earlier wait or arrive */
        if (who->inside == i)
            who->inside = AU_NONE;
        if (b->role[i - b->first] == AU_TAKES && !au_op_is_access(op))
            au_from_take(b, i, b->step_of[i - b->first]);
        return AU_OK;
    }
    if (au_op_is_access(op))
        return b->access(b, i);
    switch (op) {
    case AU_OP_ONCE:
        add_once(b, i);
        return AU_OK;
    case AU_OP_TRYFAIL:
        add_tryfail(b, i);
        return AU_OK;
    case AU_OP_ARRIVE:
        add_arrive(b, i);
        return AU_OK;
    case AU_OP_WAIT:
    case AU_OP_WAKE:
    case AU_OP_LEAVE:
        if (op == AU_OP_WAKE && who->waits)
            return AU_OK; /* cut between waking and the lock: it still waits for that */
        return au_judge_error(b->t, i, b->err, AU_EFORMAT, "nothing before it in its thread %s it",
                              op == AU_OP_WAIT ? "releases a lock for" : "leads to");
    case AU_OP_REL:
    case AU_OP_UP:
        if (next != AU_TRACE_END && e->op[next] == AU_OP_WAIT)
            return add_wait(b, i);
        add_sync(b, i);
        return AU_OK;
    case AU_OP_REQ:
        /* a request that was answered is its acquisition; one at the end of its thread
         * waits still, which is what a deadlock looks like */
        if (next == AU_TRACE_END && b->j->obj[e->obj[i]].kind != AU_WIRE_OBJ_RWLOCK && !who->waits)
            add_sync(b, i);
        return AU_OK;
    default:
        add_sync(b, i);
        return AU_OK;
    }
}

au_status au_from_event(au_from *b, size_t i) {
    const au_columns *e = &b->t->events;
    struct au_from_thread *who = &b->thread[e->thread[i]];
    au_op op = e->op[i];
    au_status st = AU_OK;
    if (!who->begun && b->begin)
        b->begin(b, i);
    who->begun = true;
    if (op == AU_OP_BEGIN) {
        b->marked = true;
        if (who->depth++ == 0)
            who->block = AU_NONE;
    } else if (op == AU_OP_END) {
        if (!who->depth)
            return au_judge_error(b->t, i, b->err, AU_EFORMAT, "no atomic block to end");
        who->depth--;
    } else if (!au_judge_ignores(op) && !who->ended && (!b->keeps || b->keeps(b, i))) {
        st = add_event(b, i);
    }
    if (!st && b->after && who->inside == AU_NONE && !who->ended)
        b->after(b, i);
    return st;
}

/* ---- the observed run ---------------------------------------------------------------------------- */

/* The signal 'step' that wakes this thread of the trace. One that is followed only up to a place before
 * its wait is not waiting in the model: then the signal that wakes nobody. */
static uint32_t waking(const au_from *b, uint32_t step, const struct au_from_thread *woken) {
    const au_step *s = &b->m->step.at[step];
    const au_node *n = &b->m->thread.at[s->thread].node.at[s->src];
    for (size_t k = 0; k < n->out.n; k++)
        if (b->m->step.at[n->out.at[k]].choice == woken->id)
            return n->out.at[k];
    AU_BUG_IF(!woken->ended);
    return step;
}

static void observe(au_from *b) {
    const au_columns *e = &b->t->events;
    for (size_t i = 0; i < b->run.n; i++) {
        struct au_from_taken *x = &b->run.at[i];
        const au_step *s = &b->m->step.at[x->step];
        const uint64_t *woken =
            s->kind == AU_STEP_SIGNAL ? au_map_find(&b->j->woken, x->event) : NULL;
        if (woken)
            b->step_of[x->event - b->first] = x->step = waking(b, x->step, &b->thread[*woken]);
        au_vec_push(&b->m->observed, x->step);
        /* a thread without events runs as soon as it is forked */
        if (s->kind == AU_STEP_FORK && b->thread[e->obj[x->event]].nop != AU_NONE)
            au_vec_push(&b->m->observed, b->thread[e->obj[x->event]].nop);
    }
}

/* Every thread gets its exit; one without steps a nop, which needs no fork to run
 * first if there is none. */
static void close_threads(au_from *b) {
    for (size_t i = 0; i < b->t->names.thread.n; i++) {
        uint32_t id = b->thread[i].id;
        if (id == AU_NONE)
            continue;
        au_thread *t = &b->m->thread.at[id];
        if (b->thread[i].ended) { /* it goes on, nobody knows how */
            uint32_t end = au_model_add_node(b->m, id);
            au_model_add_step(b->m, id, b->thread[i].node, end, AU_STEP_ASSUME)->guard =
                au_term_bool(b->m->terms, false);
            b->m->thread.at[id].exit = end;
            continue;
        }
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

void au_from_finish(au_from *b) {
    close_threads(b);
    if (b->marked && !b->m->n_blocks)
        b->m->n_blocks = 1; /* blocks are what is marked, though there is nothing in it */
    au_sync_finish(b->m);
    observe(b);
}

/* ---- all of it --------------------------------------------------------------------------------------- */

void au_from_init(au_from *b, const au_trace *t, const au_trace_sync *j, size_t first, size_t last,
                  const au_bitset *threads, au_error *err) {
    const au_names *names = &t->names;
    *b = (au_from){.t = t, .j = j, .err = err, .first = first, .last = last};
    b->m = au_model_new("trace");
    b->step_of = au_alloc_array(last - first, sizeof *b->step_of);
    memset(b->step_of, 0xff, (last - first) * sizeof *b->step_of);
    b->role = au_alloc_array(last - first, 1);
    b->thread = au_alloc_array(names->thread.n, sizeof *b->thread);
    b->obj = au_alloc_array(names->lock.n, sizeof *b->obj);
    memset(b->obj, 0xff, names->lock.n * sizeof *b->obj);
    for (size_t i = 0; i < names->thread.n; i++) {
        struct au_from_thread *who = &b->thread[i];
        who->id = who->nop = who->inside = AU_NONE;
        if (!j->used[i] || (threads && !au_bitset_has(threads, i)))
            continue;
        who->id = au_model_add_thread(b->m, au_intern_str(&names->thread, (uint32_t)i));
        who->node = b->m->thread.at[who->id].entry;
    }
}

void au_from_release(au_from *b) {
    free(b->role);
    free(b->thread);
    free(b->obj);
    au_vec_release(&b->run);
}
