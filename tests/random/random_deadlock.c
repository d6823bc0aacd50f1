/* Random small traces: lock cycles and sync-preserving deadlocks against brute force.
 *
 *   1  cycles without must-hb contain the oracle's deadlocks under 'locks' whose
 *      threads all wait for locks of each other;
 *   2  cycles with must-hb contain those under 'cam';
 *   3  sync-preserving deadlocks are among the oracle's with kept reads;
 *   4  every schedule is executed by the checker and shows its deadlock;
 *   5  on traces of accesses, locks, fork and join, sync-preserving deadlocks are exactly
 *      those of the definition, by enumeration of all ideals;
 *   6  the events may be cut into blocks anywhere.
 *
 * The generator runs random thread programs under a random scheduler: locks (some
 * recursive, some read-write), not nested now and then, semaphores, barriers, conditions,
 * fork and join in the middle. A run that gets stuck ends there, with requests. */
#include "base/rng.h"
#include "cases.h"
#include "linear/lockgraph.h"
#include "linear/syncp_deadlock.h"
#include "model/from_trace.h"
#include "oracle/oracle.h"
#include "trace/validate.h"
#include "witness/check.h"

#include <stdio.h>

enum { MAX_THREADS = 4, MAX_LOCKS = 4, MAX_VARS = 2, MAX_EVENTS = 64 };

/* --- random traces -------------------------------------------------------------------- */

enum { PLAIN, RECURSIVE, READ_WRITE };

typedef struct {
    au_op op;
    uint32_t obj;
} act;

typedef struct {
    act act[40];
    int n, at;
    int held[MAX_LOCKS]; /* while it is made: how often */
    bool started, forked, joined;
    uint32_t waits; /* 1: in a condition wait, 2: signalled */
} program;

typedef struct {
    au_rng rng;
    au_trace *t;
    int threads, locks, vars;
    int kind[MAX_LOCKS];
    bool has_sem, has_barrier, has_cond;
    uint32_t sem, barrier, cond;
    program p[MAX_THREADS];
    /* the run */
    int owner[MAX_LOCKS], depth[MAX_LOCKS], readers[MAX_LOCKS][MAX_THREADS];
    int count, arrived, to_leave[MAX_THREADS];
    int64_t value[MAX_VARS];
    bool full_vocabulary;
} world;

static uint32_t below(world *w, uint32_t n) {
    return au_rng_below(&w->rng, n);
}

static void add(program *p, au_op op, uint32_t obj) {
    p->act[p->n++] = (act){op, obj};
}

static void make_lock_op(world *w, program *p) {
    int l = (int)below(w, (uint32_t)w->locks), total = 0;
    for (int i = 0; i < w->locks; i++)
        total += p->held[i] > 0;
    bool again = p->held[l] && w->kind[l] == RECURSIVE && below(w, 2);
    if (total < 3 && (!p->held[l] || again) && below(w, 5) < 3) {
        au_op op = AU_OP_ACQ;
        if (w->kind[l] == READ_WRITE)
            op = below(w, 2) ? AU_OP_RDACQ : AU_OP_WRACQ;
        p->held[l]++;
        add(p, op, (uint32_t)l);
    } else if (p->held[l]) {
        p->held[l]--;
        add(p, AU_OP_REL, (uint32_t)l);
    }
}

static void make_other_op(world *w, program *p, int me) {
    uint32_t k = below(w, 12);
    if (k < 7) {
        add(p, below(w, 2) ? AU_OP_READ : AU_OP_WRITE, below(w, (uint32_t)w->vars));
    } else if (k < 8 && w->has_sem) {
        add(p, AU_OP_DOWN, w->sem);
    } else if (k < 10 && w->has_sem) {
        add(p, AU_OP_UP, w->sem);
    } else if (k < 11 && w->has_cond) {
        int l = (int)below(w, (uint32_t)w->locks);
        if (w->kind[l] != READ_WRITE && p->held[l] == 1 && me) {
            add(p, AU_OP_REL, (uint32_t)l);
            add(p, AU_OP_WAIT, w->cond);
            add(p, AU_OP_WAKE, w->cond);
            add(p, AU_OP_ACQ, (uint32_t)l);
        } else {
            add(p, AU_OP_SIGNAL, w->cond);
        }
    }
}

static void make_program(world *w, int me, int size) {
    program *p = &w->p[me];
    int barrier_at = w->has_barrier && me ? (int)below(w, (uint32_t)size) : -1;
    for (int i = 0; i < size && p->n < 26; i++) {
        if (i == barrier_at) {
            add(p, AU_OP_ARRIVE, w->barrier);
            add(p, AU_OP_LEAVE, w->barrier);
        }
        if (below(w, 3) < 2)
            make_lock_op(w, p);
        else
            make_other_op(w, p, me);
    }
    if (!p->n)
        add(p, AU_OP_READ, 0); /* a thread without events cannot be joined */
    for (int l = w->locks; l-- > 0;)
        while (p->held[l]-- > 0)
            add(p, AU_OP_REL, (uint32_t)l);
}

/* Forks and joins of thread 0 are put between what it does. */
static void make_main(world *w, int size) {
    program *p = &w->p[0];
    bool joins = below(w, 2);
    for (int t = 1; t < w->threads; t++)
        w->p[t].forked = below(w, 4) > 0;
    for (int t = 1; t < w->threads; t++) {
        for (int i = 0; i < size / 3; i++)
            make_lock_op(w, p);
        if (w->p[t].forked)
            add(p, AU_OP_FORK, (uint32_t)t);
        if (w->p[t].forked && joins && below(w, 2)) {
            w->p[t].joined = true;
            add(p, AU_OP_JOIN, (uint32_t)t);
        }
    }
    make_program(w, 0, size / 2);
    for (int t = 1; t < w->threads && joins; t++)
        if (!w->p[t].joined && below(w, 2))
            add(p, AU_OP_JOIN, (uint32_t)t);
}

static void emit(world *w, int t, au_op op, uint32_t obj) {
    int64_t v = 0;
    bool access = au_op_is_access(op);
    if (op == AU_OP_WRITE)
        w->value[obj] = (int64_t)w->t->events.n + 1;
    if (access)
        v = w->value[obj];
    au_columns_push(&w->t->events, op, (uint16_t)t, obj, (uint32_t)w->t->events.n + 1,
                    access ? &v : NULL);
}

static bool can_read(const world *w, int l, int t) {
    return !w->owner[l] || w->owner[l] == t + 1;
}

static bool can_write(const world *w, int l, int t) {
    int others = 0;
    for (int i = 0; i < w->threads; i++)
        others += w->readers[l][i];
    return can_read(w, l, t) && !others;
}

/* One event of thread t if it can move. */
static bool move(world *w, int t) {
    program *p = &w->p[t];
    if (!p->started || p->at == p->n)
        return false;
    act a = p->act[p->at];
    int l = (int)a.obj;
    switch (a.op) {
    case AU_OP_ACQ:
    case AU_OP_WRACQ:
        if (!can_write(w, l, t))
            return false;
        if (below(w, 4) == 0)
            emit(w, t, AU_OP_REQ, a.obj);
        w->owner[l] = t + 1;
        w->depth[l]++;
        break;
    case AU_OP_RDACQ:
        if (!can_read(w, l, t))
            return false;
        w->readers[l][t]++;
        break;
    case AU_OP_REL:
        if (w->readers[l][t])
            w->readers[l][t]--;
        else if (--w->depth[l] == 0)
            w->owner[l] = 0;
        break;
    case AU_OP_FORK:
        w->p[l].started = true;
        break;
    case AU_OP_JOIN:
        if (!w->p[l].started || w->p[l].at < w->p[l].n)
            return false;
        break;
    case AU_OP_DOWN:
        if (!w->count)
            return false;
        w->count--;
        break;
    case AU_OP_UP:
        w->count++;
        break;
    case AU_OP_ARRIVE: {
        int places = w->threads - 1;
        if (++w->arrived == places)
            for (int i = 0; i < w->threads; i++)
                w->to_leave[i] = 1;
        break;
    }
    case AU_OP_LEAVE:
        if (!w->to_leave[t])
            return false;
        break;
    case AU_OP_WAIT:
        p->waits = 1;
        break;
    case AU_OP_WAKE:
        if (p->waits != 2)
            return false;
        p->waits = 0;
        break;
    case AU_OP_SIGNAL:
        for (int i = 0; i < w->threads; i++)
            if (w->p[i].waits == 1) {
                w->p[i].waits = 2;
                break;
            }
        break;
    default:
        break;
    }
    emit(w, t, a.op, a.obj);
    p->at++;
    /* rel and wait are one step */
    if (a.op == AU_OP_REL && p->at < p->n && p->act[p->at].op == AU_OP_WAIT)
        move(w, t);
    return true;
}

static uint32_t name(au_intern *space, const char *prefix, int i) {
    char s[16];
    return au_intern_add(space, s, (size_t)snprintf(s, sizeof s, "%s%d", prefix, i));
}

static void name_all(world *w) {
    au_names *n = &w->t->names;
    static const uint8_t kinds[] = {AU_WIRE_OBJ_LOCK, AU_WIRE_OBJ_RLOCK, AU_WIRE_OBJ_RWLOCK};
    bool told = below(w, 2);
    for (int i = 0; i < w->threads; i++)
        name(&n->thread, "T", i);
    for (int i = 0; i < w->locks; i++) {
        uint32_t l = name(&n->lock, "l", i);
        au_names_set_sync(n, l, told ? kinds[w->kind[i]] : AU_WIRE_OBJ_UNKNOWN, 0);
    }
    for (int i = 0; i < w->vars; i++)
        name(&n->var, "x", i);
    w->sem = name(&n->lock, "s", 0);
    w->barrier = name(&n->lock, "b", 0);
    w->cond = name(&n->lock, "c", 0);
    au_names_set_sync(n, w->sem, AU_WIRE_OBJ_SEM, w->count);
    au_names_set_sync(n, w->barrier, AU_WIRE_OBJ_BARRIER, w->threads - 1);
    au_names_set_sync(n, w->cond, AU_WIRE_OBJ_COND, 0);
}

/* A thread that waits at the end shows what it waits for, mostly. */
static void request(world *w) {
    for (int t = 0; t < w->threads; t++) {
        program *p = &w->p[t];
        if (!p->started || p->at == p->n || below(w, 4) == 0)
            continue;
        au_op op = p->act[p->at].op;
        if (op == AU_OP_ACQ && (p->at == 0 || p->act[p->at - 1].op != AU_OP_WAKE))
            emit(w, t, AU_OP_REQ, p->act[p->at].obj);
    }
}

static au_trace *make_trace(uint64_t seed, bool *full) {
    world w = {0};
    au_rng_init(&w.rng, seed);
    w.t = AU_NEW(au_trace);
    au_names_init(&w.t->names);
    au_columns_init(&w.t->events);
    w.threads = 2 + (int)below(&w, 3);
    w.locks = 2 + (int)below(&w, w.threads > 3 ? 2 : 3);
    w.vars = 1 + (int)below(&w, MAX_VARS);
    *full = w.full_vocabulary = below(&w, 3) == 0;
    for (int i = 0; i < w.locks; i++) {
        uint32_t k = below(&w, 8);
        w.kind[i] = k == 0 ? RECURSIVE : k < 3 ? READ_WRITE : PLAIN;
    }
    if (*full) {
        w.has_sem = below(&w, 2);
        w.has_barrier = w.threads > 2 && below(&w, 3) == 0;
        w.has_cond = below(&w, 3) == 0;
    }
    w.count = (int)below(&w, 3);
    name_all(&w);
    int size = w.threads == 2 ? 10 : w.threads == 3 ? 8 : 5;
    make_main(&w, size);
    for (int t = 1; t < w.threads; t++)
        make_program(&w, t, size);
    for (int t = 0; t < w.threads; t++)
        w.p[t].started = !w.p[t].forked;
    /* long and short turns */
    int turn = 1 + (int)below(&w, 12);
    for (int stuck = 0; stuck < 40;) {
        int t = (int)below(&w, (uint32_t)w.threads);
        bool moved = false;
        for (int i = 0; i < turn && w.t->events.n < MAX_EVENTS && move(&w, t); i++)
            moved = true;
        stuck = moved ? 0 : stuck + 1;
    }
    request(&w);
    return w.t;
}

static void print_trace(const au_trace *t) {
    for (size_t i = 0; i < t->events.n; i++) {
        const au_intern *space = au_names_space_const(&t->names, au_op_space(t->events.op[i]));
        printf("  %zu %s %s %s\n", i, au_intern_str(&t->names.thread, t->events.thread[i]),
               au_op_name(t->events.op[i]), space ? au_intern_str(space, t->events.obj[i]) : "");
    }
}

/* --- what each event of a trace is to locks, written down plainly ----------------------- */

typedef struct {
    const au_trace *t;
    size_t n;
    uint32_t index[MAX_EVENTS + MAX_THREADS];         /* in its thread, from 1 */
    bool asks[MAX_EVENTS + MAX_THREADS];              /* outermost acquire, or last request */
    bool shared[MAX_EVENTS + MAX_THREADS];            /* asks for reading */
    int held[MAX_EVENTS + MAX_THREADS][MAX_LOCKS];    /* before: 0 not, 1 exclusive, 2 shared */
    size_t release[MAX_EVENTS + MAX_THREADS];         /* of an outermost acquire; n: never */
    size_t seen[MAX_EVENTS + MAX_THREADS];            /* a read's write + 1; 0: none */
    size_t of[MAX_THREADS][MAX_EVENTS + MAX_THREADS]; /* events by thread */
    uint32_t count[MAX_THREADS];
    int threads, locks;
} facts;

static void find_facts(facts *f, const au_trace *t) {
    *f = (facts){.t = t, .n = t->events.n, .threads = (int)t->names.thread.n};
    f->locks = (int)t->names.lock.n - 3;
    int held[MAX_THREADS][MAX_LOCKS] = {0}, depth[MAX_THREADS][MAX_LOCKS] = {0};
    size_t open[MAX_THREADS][MAX_LOCKS] = {0}, last_write[MAX_VARS] = {0};
    bool rw[MAX_LOCKS] = {0};
    for (size_t i = 0; i < f->n; i++) {
        int th = t->events.thread[i];
        uint32_t obj = t->events.obj[i];
        au_op op = t->events.op[i];
        f->of[th][f->count[th]] = i;
        f->index[i] = ++f->count[th];
        f->release[i] = f->n;
        memcpy(f->held[i], held[th], sizeof held[th]);
        if (op == AU_OP_READ)
            f->seen[i] = last_write[obj];
        if (op == AU_OP_WRITE)
            last_write[obj] = i + 1;
        if (op == AU_OP_ACQ || op == AU_OP_RDACQ || op == AU_OP_WRACQ) {
            rw[obj] |= op != AU_OP_ACQ;
            if (!depth[th][obj]++) {
                f->asks[i] = true;
                f->shared[i] = op == AU_OP_RDACQ;
                held[th][obj] = f->shared[i] ? 2 : 1;
                open[th][obj] = i;
            }
        }
        if (op == AU_OP_REL && !--depth[th][obj]) {
            held[th][obj] = 0;
            f->release[open[th][obj]] = i;
        }
    }
    for (int th = 0; th < f->threads; th++) {
        if (!f->count[th])
            continue;
        size_t i = f->of[th][f->count[th] - 1];
        uint32_t obj = t->events.obj[i];
        if (t->events.op[i] != AU_OP_REQ || held[th][obj])
            continue;
        f->asks[i] = true;
        f->shared[i] = rw[obj] || au_names_sync(&t->names, obj).kind == AU_WIRE_OBJ_RWLOCK;
    }
}

/* Does event a of one thread wait for what another holds before its event b? */
static bool waits_for(const facts *f, size_t a, size_t b) {
    int h = f->held[b][f->t->events.obj[a]];
    return h == 1 || (h == 2 && !f->shared[a]);
}

/* One number for a cycle whatever its order. */
static uint64_t member_key(uint32_t thread, au_lock_mode holds, au_lock_mode wants) {
    return au_hash_join(au_hash_join(thread, holds), wants);
}

typedef AU_VEC(uint64_t) keys;

static bool has_key(const keys *k, uint64_t key) {
    for (size_t i = 0; i < k->n; i++)
        if (k->at[i] == key)
            return true;
    return false;
}

static uint64_t cycle_key(const au_lockgraph *g, const au_lock_cycle *c) {
    uint64_t key = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        const au_lock_edge *e = au_lockgraph_edge(g, c->edge[i]);
        key += member_key(e->thread, e->holds, e->wants);
    }
    return key;
}

/* The cycles among events that are next in their threads (next[t]: event or SIZE_MAX). */
static void collect(const facts *f, const size_t *next, int *path, int n, keys *out) {
    for (int t = path[0]; t < f->threads; t++) {
        if (next[t] == SIZE_MAX || !waits_for(f, next[path[n - 1]], next[t]))
            continue;
        if (t == path[0] && n > 1) {
            uint64_t key = 0;
            bool different = true;
            for (int i = 0; i < n; i++) {
                size_t e = next[path[i]], before = next[path[(i + n - 1) % n]];
                uint32_t holds = f->t->events.obj[before], wants = f->t->events.obj[e];
                for (int k = 0; k < i; k++)
                    different &= f->t->events.obj[next[path[k]]] != wants;
                key += member_key((uint32_t)path[i], au_lock_in_mode(holds, f->held[e][holds] == 2),
                                  au_lock_in_mode(wants, f->shared[e]));
            }
            if (different && !has_key(out, key))
                au_vec_push(out, key);
        }
        bool used = false;
        for (int i = 0; i < n; i++)
            used |= path[i] == t;
        if (used)
            continue;
        path[n] = t;
        collect(f, next, path, n + 1, out);
    }
}

/* --- 5: the definition -------------------------------------------------------------------- */

static bool in_set(const facts *f, const uint32_t *upto, size_t e) {
    return f->index[e] <= upto[f->t->events.thread[e]];
}

static bool is_ideal(const facts *f, const uint32_t *upto) {
    const au_columns *e = &f->t->events;
    for (size_t i = 0; i < f->n; i++) {
        if (e->op[i] == AU_OP_FORK && !in_set(f, upto, i) && upto[e->obj[i]])
            return false;
        if (!in_set(f, upto, i))
            continue;
        if (f->seen[i] && !in_set(f, upto, f->seen[i] - 1))
            return false;
        if (e->op[i] == AU_OP_JOIN && upto[e->obj[i]] < f->count[e->obj[i]])
            return false;
        if (!f->asks[i] || e->op[i] == AU_OP_REQ)
            continue;
        for (size_t k = i + 1; k < f->n; k++)
            if (f->asks[k] && e->op[k] != AU_OP_REQ && e->obj[k] == e->obj[i] &&
                in_set(f, upto, k) && !(f->shared[i] && f->shared[k]) &&
                (f->release[i] == f->n || !in_set(f, upto, f->release[i])))
                return false;
    }
    return true;
}

static void brute_force(const facts *f, keys *out) {
    uint32_t upto[MAX_THREADS] = {0};
    for (;;) {
        if (is_ideal(f, upto)) {
            size_t next[MAX_THREADS];
            for (int t = 0; t < f->threads; t++) {
                next[t] = upto[t] < f->count[t] ? f->of[t][upto[t]] : SIZE_MAX;
                if (next[t] != SIZE_MAX && !f->asks[next[t]])
                    next[t] = SIZE_MAX;
            }
            for (int t = 0; t < f->threads; t++)
                if (next[t] != SIZE_MAX)
                    collect(f, next, (int[MAX_THREADS + 1]){t}, 1, out);
        }
        int t = 0;
        while (t < f->threads && upto[t] == f->count[t])
            upto[t++] = 0;
        if (t == f->threads)
            return;
        upto[t]++;
    }
}

/* --- 1, 2, 3: the oracle --------------------------------------------------------------------- */

typedef struct {
    au_model *m;
    size_t *event_of; /* by first edge of a node: an event + 1 that stands there */
} mapped;

static uint32_t first_edge(const au_model *m, uint32_t step) {
    const au_step *s = &m->step.at[step];
    return m->thread.at[s->thread].node.at[s->src].out.at[0];
}

static bool map_model(mapped *x, const au_trace *t, au_error *err) {
    uint32_t *step_of;
    x->m = au_model_from_trace(t, &step_of, err);
    if (!x->m)
        return false;
    x->event_of = au_alloc_array(x->m->step.n, sizeof *x->event_of);
    for (size_t i = 0; i < t->events.n; i++)
        if (step_of[i] != AU_NONE)
            x->event_of[first_edge(x->m, step_of[i])] = i + 1; /* the last: acq, not wake */
    free(step_of);
    return true;
}

static size_t event_at(const mapped *x, uint32_t step) {
    return x->event_of[first_edge(x->m, step)] - 1; /* SIZE_MAX: none */
}

/* The cycles in the oracle's deadlocks whose members all ask for locks of each other. */
static bool oracle_cycles(const facts *f, const mapped *x, au_semantics semantics, keys *out,
                          uint64_t *seen) {
    au_oracle_options o = AU_ORACLE_DEFAULTS;
    au_error err = AU_ERROR_NONE;
    o.semantics = semantics;
    o.props = AU_PROP_DEADLOCK;
    o.max_states = 300000;
    au_oracle_result *r = au_oracle_run(x->m, &o, &err);
    bool ok = r && r->exhaustive;
    for (size_t i = 0; ok && i < r->finding.n; i++) {
        const au_oracle_finding *d = &r->finding.at[i];
        size_t next[MAX_THREADS];
        memset(next, 0xff, sizeof next);
        bool locks = true;
        for (uint32_t k = 0; k < d->n_events && locks; k++) {
            size_t e = event_at(x, d->event[k].step);
            locks = e < f->n && f->asks[e];
            if (locks)
                next[f->t->events.thread[e]] = e;
        }
        /* everyone's lock is held in the set; not by a thread that has ended */
        for (int t = 0; t < f->threads && locks; t++) {
            bool within = next[t] == SIZE_MAX;
            for (int u = 0; u < f->threads && !within; u++)
                within = u != t && next[u] != SIZE_MAX && waits_for(f, next[t], next[u]);
            locks = within;
        }
        if (!locks)
            continue;
        ++*seen;
        for (int t = 0; t < f->threads; t++)
            if (next[t] != SIZE_MAX)
                collect(f, next, (int[MAX_THREADS + 1]){t}, 1, out);
    }
    au_oracle_free(r);
    return ok;
}

/* --- one trace -------------------------------------------------------------------------------- */

static struct { uint64_t traces, full, skipped, locks, cam, cycles, found, brute, core; } total;

static au_lockgraph *graph(const au_trace *t, bool must, au_rng *cut) {
    au_lockgraph *g = au_lockgraph_new(&t->names, must);
    for (size_t i = 0; i < t->events.n;) {
        size_t n = cut ? 1 + au_rng_below(cut, 5) : t->events.n;
        size_t to = t->events.n - i < n ? t->events.n : i + n;
        au_block b = au_columns_block(&t->events, i, to);
        au_lockgraph_block(g, &b);
        i = to;
    }
    au_lockgraph_finish(g, &(au_lockgraph_limits){.cycles = 100000});
    return g;
}

static void keys_of(const au_lockgraph *g, keys *out) {
    for (size_t i = 0; i < au_lockgraph_cycles(g); i++)
        au_vec_push(out, cycle_key(g, au_lockgraph_cycle(g, i)));
}

static const char *contained(const keys *small, const keys *large, const char *what) {
    for (size_t i = 0; i < small->n; i++)
        if (!has_key(large, small->at[i]))
            return what;
    return NULL;
}

static const char *against_locks(const facts *f, const mapped *x, au_rng *cut) {
    keys mine = {0}, theirs = {0};
    const char *bad = NULL;
    au_lockgraph *g = graph(f->t, false, cut);
    keys_of(g, &mine);
    if (*au_lockgraph_note(g))
        bad = au_lockgraph_note(g);
    if (!oracle_cycles(f, x, AU_SEM_LOCKS, &theirs, &total.locks))
        total.skipped++;
    else if (!bad)
        bad = contained(&theirs, &mine, "a deadlock of the oracle (locks) is not among the cycles");
    au_lockgraph_free(g);
    au_vec_release(&mine);
    au_vec_release(&theirs);
    return bad;
}

/* Is there a deadlock of the oracle's with all these events? */
static bool core_with(const au_finding *x, const au_oracle_result *r, const mapped *map) {
    for (size_t i = 0; i < r->finding.n; i++) {
        uint32_t hit = 0;
        for (uint32_t k = 0; k < r->finding.at[i].n_events; k++)
            for (uint32_t j = 0; j < x->n_events; j++)
                hit += event_at(map, r->finding.at[i].event[k].step) == x->event[j].number;
        if (hit == x->n_events)
            return true;
    }
    return false;
}

static const char *against_kept_reads(const facts *f, const mapped *map, const au_findings *out) {
    au_oracle_options o = AU_ORACLE_DEFAULTS;
    au_error err = AU_ERROR_NONE;
    o.keep_reads = true;
    o.props = AU_PROP_DEADLOCK;
    o.max_states = 300000;
    au_oracle_result *r = au_oracle_run(map->m, &o, &err);
    const char *bad = NULL;
    if (!r || !r->exhaustive)
        total.skipped++;
    for (size_t i = 0; r && r->exhaustive && i < out->finding.n && !bad; i++) {
        const au_finding *x = &out->finding.at[i];
        /* a request for a read-write lock is not in the model */
        bool in_model = true;
        for (uint32_t k = 0; k < x->n_events; k++)
            in_model &= x->event[k].op != AU_OP_REQ || !f->shared[x->event[k].number];
        if (!x->schedule.n || !in_model)
            continue;
        total.core++;
        if (!core_with(x, r, map))
            bad = "a sync-preserving deadlock is not the oracle's (kept reads)";
    }
    au_oracle_free(r);
    return bad;
}

static const char *run_schedules(const facts *f, const au_findings *out) {
    static char text[400];
    au_checker *c = au_checker_new(f->t);
    const char *bad = NULL;
    for (size_t i = 0; i < out->finding.n && !bad; i++) {
        au_check_result r;
        if (!out->finding.at[i].schedule.n)
            continue;
        au_checker_run(c, &out->finding.at[i], &r);
        snprintf(text, sizeof text, "the checker: %s", r.why);
        if (r.verdict != AU_CHECK_SHOWN)
            bad = text;
    }
    au_checker_free(c);
    return bad;
}

static const char *syncp_part(const facts *f, const mapped *map, const au_lockgraph *g, bool full) {
    au_error err = AU_ERROR_NONE;
    au_syncp *s = au_syncp_new(f->t, &err);
    au_findings out;
    au_syncp_deadlock_counts n;
    au_findings_init(&out);
    au_syncp_deadlocks(f->t, s, g, NULL, &out, NULL, NULL, &n);
    keys mine = {0}, brute = {0};
    for (size_t i = 0; i < out.finding.n; i++)
        if (out.finding.at[i].schedule.n)
            au_vec_push(&mine, cycle_key(g, au_lockgraph_cycle(g, i)));
    total.cycles += n.cycles;
    total.found += n.found;
    const char *bad = mine.n == n.found ? NULL : "a sync-preserving deadlock has no schedule";
    if (!bad)
        bad = run_schedules(f, &out);
    if (!bad && map->m)
        bad = against_kept_reads(f, map, &out);
    if (!bad && !full) {
        brute_force(f, &brute);
        total.brute += brute.n;
        bad = contained(&mine, &brute, "not a sync-preserving deadlock by the definition");
        if (!bad)
            bad = contained(&brute, &mine, "a sync-preserving deadlock is missing");
    }
    au_vec_release(&mine);
    au_vec_release(&brute);
    au_findings_release(&out);
    au_syncp_free(s);
    return bad;
}

static const char *try_trace(const au_trace *t, bool full, uint64_t seed) {
    static facts f;
    static char text[400];
    au_validator *v = au_validator_new(&t->names);
    au_block b = au_columns_block(&t->events, 0, t->events.n);
    char why[300];
    bool valid = au_validator_block(v, &b, 0, why, sizeof why) == b.n;
    au_validator_free(v);
    if (!valid) {
        snprintf(text, sizeof text, "the generator made a bad trace: %s", why);
        return text;
    }
    find_facts(&f, t);
    mapped map = {0};
    au_error err = AU_ERROR_NONE;
    if (!map_model(&map, t, &err)) {
        snprintf(text, sizeof text, "no model: %.300s", err.text);
        return text;
    }
    total.traces++;
    total.full += full;
    au_rng cut;
    au_rng_init(&cut, seed);
    const char *bad = against_locks(&f, &map, seed & 1 ? &cut : NULL);
    au_lockgraph *g = graph(t, true, seed & 2 ? &cut : NULL);
    if (!bad) {
        keys mine = {0}, theirs = {0};
        keys_of(g, &mine);
        if (!oracle_cycles(&f, &map, AU_SEM_CAM, &theirs, &total.cam))
            total.skipped++;
        else
            bad =
                contained(&theirs, &mine, "a deadlock of the oracle (cam) is not among the cycles");
        au_vec_release(&mine);
        au_vec_release(&theirs);
    }
    if (!bad)
        bad = syncp_part(&f, &map, g, full);
    au_lockgraph_free(g);
    au_model_free(map.m);
    free(map.event_of);
    return bad;
}

int main(int argc, char **argv) {
    cases all = {.count = 1000, .seed = 1};
    au_cases_options(&all, argc, argv, NULL);
    for (uint64_t i = 0; i < all.count; i++) {
        bool full;
        au_trace *t = make_trace(all.seed + i, &full);
        const char *bad = try_trace(t, full, all.seed + i);
        if (bad) {
            printf("seed %llu: %s\n", (unsigned long long)(all.seed + i), bad);
            print_trace(t);
            au_trace_free(t);
            return 1;
        }
        au_trace_free(t);
    }
    printf("%llu traces (%llu with semaphores and the like), %llu oracle runs given up; deadlocks "
           "by locks %llu, by cam %llu; %llu cycles, %llu sync-preserving (%llu in the model, "
           "%llu by the definition)\n",
           (unsigned long long)total.traces, (unsigned long long)total.full,
           (unsigned long long)total.skipped, (unsigned long long)total.locks,
           (unsigned long long)total.cam, (unsigned long long)total.cycles,
           (unsigned long long)total.found, (unsigned long long)total.core,
           (unsigned long long)total.brute);
    /* a test that never meets a deadlock would say nothing */
    return all.count >= 1000 && (!total.locks || !total.cam || !total.found || !total.brute);
}
