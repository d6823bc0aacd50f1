/* model/from_trace_judge.c: what a trace does not say outright: the kind of an
 * object whose kind is unknown, initial counts, sizes and values. */
#include "model/from_trace_priv.h"

#include <stdio.h>

bool au_judge_ignores(au_op op) {
    return op == AU_OP_FENCE || op == AU_OP_DETACH || op == AU_OP_EXIT || op == AU_OP_INIT ||
           op == AU_OP_DESTROY || op == AU_OP_ALLOC || op == AU_OP_FREE || op >= AU_OP_CALL;
}

au_status au_judge_error(const au_trace *t, size_t i, au_error *err, au_status st, const char *fmt,
                         ...) {
    const au_columns *e = &t->events;
    char what[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    const au_intern *space = au_names_space_const(&t->names, au_op_space(e->op[i]));
    const char *operand = space && e->obj[i] < space->n ? au_intern_str(space, e->obj[i]) : "";
    return au_error_set(err, st, "event %zu (thread '%s', %s(%s)): %s", i + 1,
                        au_intern_str(&t->names.thread, e->thread[i]), au_op_name(e->op[i]),
                        operand, what);
}

/* What an operation says about its object; UNKNOWN: nothing. */
static uint8_t kind_by_use(au_op op) {
    switch (op) {
    case AU_OP_RDACQ:
    case AU_OP_WRACQ:
        return AU_WIRE_OBJ_RWLOCK;
    case AU_OP_WAIT:
    case AU_OP_WAKE:
    case AU_OP_SIGNAL:
    case AU_OP_BROADCAST:
        return AU_WIRE_OBJ_COND;
    case AU_OP_DOWN:
    case AU_OP_UP:
        return AU_WIRE_OBJ_SEM;
    case AU_OP_ARRIVE:
    case AU_OP_LEAVE:
        return AU_WIRE_OBJ_BARRIER;
    case AU_OP_ONCE:
        return AU_WIRE_OBJ_ONCE;
    case AU_OP_ACQ:
    case AU_OP_REL:
    case AU_OP_REQ:
    case AU_OP_TRYFAIL:
        return AU_WIRE_OBJ_LOCK; /* or what else can be acquired */
    default:
        return AU_WIRE_OBJ_UNKNOWN;
    }
}

static bool can_be(uint8_t kind, uint8_t use) {
    if (use == AU_WIRE_OBJ_LOCK)
        return kind == AU_WIRE_OBJ_LOCK || kind == AU_WIRE_OBJ_RLOCK ||
               kind == AU_WIRE_OBJ_RWLOCK || kind == AU_WIRE_OBJ_SEM;
    return kind == use;
}

static au_status judge_kinds(const au_trace *t, au_trace_sync *j, au_error *err) {
    const au_columns *e = &t->events;
    for (uint32_t l = 0; l < t->names.lock.n; l++) {
        struct au_sync_info info = au_names_sync(&t->names, l);
        j->obj[l].kind = info.kind == AU_WIRE_OBJ_SPIN ? AU_WIRE_OBJ_LOCK : info.kind;
        j->obj[l].init = info.init;
    }
    for (size_t i = 0; i < e->n; i++) {
        uint8_t use = au_op_space(e->op[i]) == AU_WIRE_SPACE_LOCK ? kind_by_use(e->op[i])
                                                                  : AU_WIRE_OBJ_UNKNOWN;
        if (use == AU_WIRE_OBJ_UNKNOWN)
            continue;
        uint8_t *kind = &j->obj[e->obj[i]].kind;
        if (*kind == AU_WIRE_OBJ_UNKNOWN ||
            (*kind == AU_WIRE_OBJ_LOCK && can_be(use, AU_WIRE_OBJ_LOCK) &&
             au_names_sync(&t->names, e->obj[i]).kind == AU_WIRE_OBJ_UNKNOWN))
            *kind = use;
        if (!can_be(*kind, use))
            return au_judge_error(t, i, err, AU_EFORMAT,
                                  "used as another kind of object than before");
    }
    return AU_OK;
}

/* Recursion, the smallest possible count of a semaphore, the size of a barrier. */
static au_status judge_counts(const au_trace *t, au_trace_sync *j, au_error *err) {
    const au_columns *e = &t->events;
    size_t n = t->names.lock.n;
    struct count {
        uint32_t owner, depth; /* thread + 1 */
        int64_t level, lowest; /* SEM */
        int64_t arrived;       /* BARRIER, before the first leave */
        bool left;
    } *c = au_alloc_array(n, sizeof *c);
    au_status st = AU_OK;
    for (size_t i = 0; i < e->n && st == AU_OK; i++) {
        if (au_op_space(e->op[i]) != AU_WIRE_SPACE_LOCK)
            continue;
        uint32_t l = e->obj[i], me = e->thread[i] + 1u;
        bool up = e->op[i] == AU_OP_UP || e->op[i] == AU_OP_REL;
        bool down = e->op[i] == AU_OP_DOWN || e->op[i] == AU_OP_ACQ;
        if (j->obj[l].kind == AU_WIRE_OBJ_SEM) {
            c[l].level += up - down;
            c[l].lowest = c[l].level < c[l].lowest ? c[l].level : c[l].lowest;
        } else if (j->obj[l].kind == AU_WIRE_OBJ_BARRIER) {
            c[l].arrived += e->op[i] == AU_OP_ARRIVE && !c[l].left;
            c[l].left |= e->op[i] == AU_OP_LEAVE;
        } else if (down && c[l].owner == me) {
            c[l].depth++;
            if (j->obj[l].kind == AU_WIRE_OBJ_LOCK &&
                au_names_sync(&t->names, l).kind == AU_WIRE_OBJ_UNKNOWN)
                j->obj[l].kind = AU_WIRE_OBJ_RLOCK;
            if (j->obj[l].kind != AU_WIRE_OBJ_RLOCK)
                st = au_judge_error(t, i, err, AU_EFORMAT,
                                    "its thread holds it already and it is not recursive");
        } else if (down) {
            c[l].owner = me;
            c[l].depth = 1;
        } else if (up && c[l].owner == me && --c[l].depth == 0) {
            c[l].owner = 0;
        }
    }
    for (uint32_t l = 0; l < n && st == AU_OK; l++) {
        bool told = au_names_sync(&t->names, l).kind != AU_WIRE_OBJ_UNKNOWN;
        if (j->obj[l].kind == AU_WIRE_OBJ_SEM && !told)
            j->obj[l].init = (int32_t)-c[l].lowest;
        if (j->obj[l].kind == AU_WIRE_OBJ_BARRIER && (!told || j->obj[l].init <= 0))
            j->obj[l].init = (int32_t)(c[l].arrived + !c[l].left); /* nobody left: not full yet */
    }
    free(c);
    return st;
}

static bool fits(int64_t v) {
    return v >= INT32_MIN && v <= (int64_t)UINT32_MAX;
}

/* What a variable holds is 32 bits, as in models written by hand, unless some value of it needs
 * more: the trace does not tell how wide the accesses were. */
static void judge_widths(const au_trace *t, au_trace_sync *j) {
    au_block b = au_columns_block(&t->events, 0, t->events.n);
    memset(j->width, 32, t->names.var.n);
    for (size_t i = 0; i < b.n; i++)
        if (au_op_is_access(b.op[i]) && au_block_has_value(&b, i) && !fits(b.value[i]))
            j->width[b.obj[i]] = 64;
}

static au_status judge_value(const au_trace *t, size_t i, au_trace_sync *j, uint64_t *holds,
                             bool *known, au_error *err) {
    au_block b = au_columns_block(&t->events, 0, t->events.n), *e = &b;
    uint32_t v = e->obj[i];
    if (!au_block_has_value(e, i))
        return au_judge_error(t, i, err, AU_EUNSUPPORTED,
                              "the trace has no value for this access, and a model needs it");
    uint64_t now = au_judge_cut(e->value[i], j->width[v]);
    bool is_read = e->op[i] == AU_OP_READ || e->op[i] == AU_OP_AREAD;
    if (e->op[i] == AU_OP_RMW) {
        if (!known[v])
            return au_judge_error(t, i, err, AU_EUNSUPPORTED,
                                  "no earlier event gives the value that it replaced");
        j->before[i] = holds[v];
    }
    if (is_read && known[v] && holds[v] != now)
        return au_judge_error(
            t, i, err, AU_EUNSUPPORTED,
            "it sees %lld where the trace left %lld: something wrote it that is not in the trace",
            (long long)e->value[i],
            j->width[v] == 32 ? (long long)(int32_t)holds[v] : (long long)holds[v]);
    if (is_read && !known[v])
        j->init[v] = now;
    holds[v] = now;
    known[v] = true;
    return AU_OK;
}

/* Recordings: what a variable held before its first event, a write, is not known (a global
 * variable may be initialised). It gets a value that no read saw, so that nothing is
 * predicted from it. */
static void doubt_init(const au_trace *t, au_trace_sync *j) {
    const au_columns *e = &t->events;
    size_t vars = t->names.var.n;
    uint8_t *written = au_alloc_array(vars, 1); /* 1: first a read, 2: first a write */
    uint64_t *next = au_alloc_array(vars, sizeof *next);
    for (size_t i = 0; i < e->n; i++)
        if (au_op_is_access(e->op[i]) && !written[e->obj[i]])
            written[e->obj[i]] = e->op[i] == AU_OP_WRITE || e->op[i] == AU_OP_AWRITE ? 2 : 1;
    for (bool clash = true; clash;) {
        clash = false;
        for (size_t i = 0; i < e->n; i++) {
            uint32_t v = e->obj[i];
            if (!au_op_is_access(e->op[i]) || written[v] != 2)
                continue;
            uint64_t saw =
                e->op[i] == AU_OP_RMW ? j->before[i] : au_judge_cut(e->value[i], j->width[v]);
            if (saw == next[v]) {
                next[v]++; /* there are fewer events than numbers of 32 bits */
                clash = true;
            }
        }
    }
    for (size_t v = 0; v < vars; v++)
        if (written[v] == 2)
            j->init[v] = next[v];
    free(written);
    free(next);
}

au_status au_judge_values(const au_trace *t, au_trace_sync *j, au_error *err) {
    const au_columns *e = &t->events;
    j->init = au_alloc_array(t->names.var.n, sizeof *j->init);
    j->before = au_alloc_array(e->n, sizeof *j->before);
    j->width = au_alloc_array(t->names.var.n, 1);
    uint64_t *holds = au_alloc_array(t->names.var.n, sizeof *holds);
    bool *known = au_alloc_array(t->names.var.n, sizeof *known);
    au_status st = AU_OK;
    judge_widths(t, j);
    for (size_t i = 0; i < e->n && st == AU_OK; i++)
        if (au_op_is_access(e->op[i]))
            st = judge_value(t, i, j, holds, known, err);
    if (st == AU_OK && t->hooks.thread.n)
        doubt_init(t, j);
    free(holds);
    free(known);
    return st;
}

static void judge_threads(const au_trace *t, au_trace_sync *j) {
    const au_columns *e = &t->events;
    size_t *last = au_alloc_array(t->names.thread.n, sizeof *last); /* event + 1 */
    for (size_t i = 0; i < e->n; i++) {
        uint16_t who = e->thread[i];
        j->used[who] = true;
        if (e->op[i] == AU_OP_FORK || e->op[i] == AU_OP_JOIN)
            j->used[e->obj[i]] = true;
        j->next[i] = AU_TRACE_END;
        if (au_judge_ignores(e->op[i]))
            continue;
        if (last[who] && !(e->op[i] == AU_OP_REQ))
            j->next[last[who] - 1] = (uint32_t)i;
        if (e->op[i] != AU_OP_REQ)
            last[who] = i + 1;
    }
    free(last);
    /* a request is followed by what its thread does next */
    size_t *after = au_alloc_array(t->names.thread.n, sizeof *after); /* event + 1 */
    for (size_t i = e->n; i-- > 0;) {
        if (e->op[i] == AU_OP_REQ)
            j->next[i] = after[e->thread[i]] ? (uint32_t)after[e->thread[i]] - 1 : AU_TRACE_END;
        if (!au_judge_ignores(e->op[i]))
            after[e->thread[i]] = i + 1;
    }
    free(after);
}

/* The trace does not say whom a signal woke: the waiter that went on first. Who
 * went on without a signal woke spuriously (or its time was up). */
static void judge_waits(const au_trace *t, au_trace_sync *j) {
    const au_columns *e = &t->events;
    size_t threads = t->names.thread.n;
    size_t *now = au_alloc_array(threads, sizeof *now); /* its wait + 1 */
    for (size_t i = 0; i < e->n; i++) {
        uint16_t who = e->thread[i];
        uint32_t wait = j->next[i];
        if ((e->op[i] == AU_OP_REL || e->op[i] == AU_OP_UP) && wait != AU_TRACE_END &&
            e->op[wait] == AU_OP_WAIT) {
            uint32_t wake = j->next[wait];
            uint32_t acq = wake == AU_TRACE_END ? AU_TRACE_END : j->next[wake];
            au_vec_push(&j->wait, ((au_judged_wait){(uint32_t)i, wait, wake, acq, AU_TRACE_END}));
            now[who] = j->wait.n;
        } else if (now[who] && j->wait.at[now[who] - 1].acq == i) {
            now[who] = 0;
        } else if (e->op[i] == AU_OP_SIGNAL || e->op[i] == AU_OP_BROADCAST) {
            size_t first = threads;
            for (size_t k = 0; k < threads; k++) {
                au_judged_wait *w = now[k] ? &j->wait.at[now[k] - 1] : NULL;
                if (!w || e->obj[w->wait] != e->obj[i] || w->signalled != AU_TRACE_END)
                    continue;
                if (e->op[i] == AU_OP_BROADCAST)
                    w->signalled = (uint32_t)i;
                else if (first == threads || w->acq < j->wait.at[now[first] - 1].acq)
                    first = k;
            }
            if (first < threads) {
                j->wait.at[now[first] - 1].signalled = (uint32_t)i;
                *au_map_put(&j->woken, i, NULL) = first;
            }
        }
    }
    free(now);
}

const au_judged_wait *au_judged_wait_at(const au_trace_sync *j, size_t rel) {
    size_t lo = 0, hi = j->wait.n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (j->wait.at[mid].rel < rel)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < j->wait.n && j->wait.at[lo].rel == rel ? &j->wait.at[lo] : NULL;
}

typedef struct {
    uint32_t holder, level; /* thread + 1; recursion depth, readers or count */
} lock_state;

static void follow_lock(const au_trace *t, const au_trace_sync *j, lock_state *lock, size_t i) {
    const au_columns *e = &t->events;
    uint32_t l = e->obj[i], me = e->thread[i] + 1u;
    bool sem = j->obj[l].kind == AU_WIRE_OBJ_SEM;
    switch (e->op[i]) {
    case AU_OP_RDACQ:
        lock[l].level++;
        break;
    case AU_OP_ACQ:
    case AU_OP_WRACQ:
    case AU_OP_DOWN:
        if (!sem)
            lock[l].holder = me;
        lock[l].level += sem ? -1u : j->obj[l].kind == AU_WIRE_OBJ_RLOCK;
        break;
    case AU_OP_REL:
    case AU_OP_UP:
        if (sem)
            lock[l].level++;
        else if (lock[l].holder != me)
            lock[l].level--; /* a reader */
        else if (j->obj[l].kind != AU_WIRE_OBJ_RLOCK || --lock[l].level == 0)
            lock[l].holder = 0;
        break;
    default:
        break;
    }
}

/* As the observed run goes: what a try that failed found, and who came first to a once. */
static void judge_tries(const au_trace *t, au_trace_sync *j) {
    const au_columns *e = &t->events;
    lock_state *lock = au_alloc_array(t->names.lock.n, sizeof *lock);
    for (size_t l = 0; l < t->names.lock.n; l++) {
        j->once[l] = AU_TRACE_END;
        if (j->obj[l].kind == AU_WIRE_OBJ_SEM)
            lock[l].level = (uint32_t)j->obj[l].init;
    }
    for (size_t i = 0; i < e->n; i++) {
        if (au_op_space(e->op[i]) != AU_WIRE_SPACE_LOCK)
            continue;
        uint32_t l = e->obj[i];
        uint8_t kind = j->obj[l].kind;
        if (e->op[i] == AU_OP_ONCE && j->once[l] == AU_TRACE_END)
            j->once[l] = (uint32_t)i;
        if (e->op[i] != AU_OP_TRYFAIL) {
            follow_lock(t, j, lock, i);
            continue;
        }
        bool readers = kind == AU_WIRE_OBJ_RWLOCK && !lock[l].holder && lock[l].level;
        if (kind == AU_WIRE_OBJ_SEM ? lock[l].level > 0 : !lock[l].holder && !readers)
            continue;
        if (kind == AU_WIRE_OBJ_RLOCK && lock[l].holder == e->thread[i] + 1u)
            continue;
        *au_map_put(&j->tries, i, NULL) = readers ? AU_TRY_READ : AU_TRY_TAKEN;
    }
    free(lock);
}

/* A name with a zero byte in it could not be told from its beginning. */
static au_status judge_names(const au_intern *names, au_error *err) {
    for (uint32_t i = 0; i < names->n; i++)
        if (strlen(au_intern_str(names, i)) != au_intern_len(names, i))
            return au_error_set(err, AU_EUNSUPPORTED, "the name '%s…' has a zero byte in it",
                                au_intern_str(names, i));
    return AU_OK;
}

au_status au_judge_sync(const au_trace *t, au_trace_sync *j, au_error *err) {
    au_status st;
    *j = (au_trace_sync){0};
    if (t->events.n >= AU_NONE / 4)
        return au_error_set(err, AU_EUNSUPPORTED, "%zu events are too many for one model",
                            t->events.n);
    if ((st = judge_names(&t->names.thread, err)) || (st = judge_names(&t->names.var, err)) ||
        (st = judge_names(&t->names.lock, err)))
        return st;
    j->obj = au_alloc_array(t->names.lock.n, sizeof *j->obj);
    j->used = au_alloc_array(t->names.thread.n, sizeof *j->used);
    j->next = au_alloc_array(t->events.n, sizeof *j->next);
    j->once = au_alloc_array(t->names.lock.n, sizeof *j->once);
    au_map_init(&j->woken);
    au_map_init(&j->tries);
    judge_threads(t, j);
    if ((st = judge_kinds(t, j, err)) || (st = judge_counts(t, j, err))) {
        au_judged_release(j);
        return st;
    }
    judge_waits(t, j);
    judge_tries(t, j);
    return AU_OK;
}

void au_judged_release(au_trace_sync *j) {
    free(j->obj);
    free(j->used);
    free(j->next);
    free(j->once);
    free(j->width);
    free(j->init);
    free(j->before);
    au_vec_release(&j->wait);
    au_map_release(&j->woken);
    au_map_release(&j->tries);
    *j = (au_trace_sync){0};
}
