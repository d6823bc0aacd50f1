#include "sync_trace.h"

enum { LOCK0, LOCK1, RLOCK, RWLOCK, SEM, COND, BARRIER, ONCE, OBJECTS };
enum { MAX_THREADS = 4, MAX_VARS = 32 };

typedef struct {
    bool forked, wants_fork, ended, joined;
    bool waits, signalled, arrived;
    uint32_t waits_with; /* lock */
    uint32_t hold[OBJECTS];
    bool shared[OBJECTS];
    uint32_t round;
} actor;

typedef struct {
    au_trace *t;
    au_rng *rng;
    unsigned what;
    uint32_t n_threads, n_vars;
    actor a[MAX_THREADS];
    int64_t value[MAX_VARS];
    int sem;
    uint32_t arrivals, round;
} play;

static uint32_t below(play *p, uint32_t n) {
    return au_rng_below(p->rng, n);
}

static void put(play *p, uint32_t t, au_op op, uint32_t obj) {
    au_columns_push(&p->t->events, op, (uint16_t)t, obj, 10 * obj + below(p, 3), NULL);
}

static void put_value(play *p, uint32_t t, au_op op, uint32_t var, int64_t v) {
    uint32_t loc = 100 + 20 * var + op % 4 * 4 + below(p, 3);
    au_columns_push(&p->t->events, op, (uint16_t)t, var, loc, &v);
}

static bool exclusive_free(const play *p, uint32_t t, uint32_t lock) {
    for (uint32_t u = 0; u < p->n_threads; u++)
        if (u != t && p->a[u].hold[lock])
            return false;
    return true;
}

static bool shared_free(const play *p, uint32_t lock) {
    for (uint32_t u = 0; u < p->n_threads; u++)
        if (p->a[u].hold[lock] && !p->a[u].shared[lock])
            return false;
    return true;
}

static bool runs(const play *p, uint32_t t) {
    const actor *a = &p->a[t];
    return (!a->wants_fork || a->forked) && !a->ended;
}

static bool access_var(play *p, uint32_t t) {
    uint32_t v = below(p, p->n_vars), kind = below(p, p->what & ST_ATOMIC ? 8 : 5);
    if (kind < 2) {
        put_value(p, t, AU_OP_READ, v, p->value[v]);
    } else if (kind < 5) {
        p->value[v] = below(p, 3);
        put_value(p, t, AU_OP_WRITE, v, p->value[v]);
    } else if (kind == 5) {
        put_value(p, t, AU_OP_AREAD, v, p->value[v]);
    } else {
        p->value[v] = below(p, 3);
        put_value(p, t, kind == 6 ? AU_OP_AWRITE : AU_OP_RMW, v, p->value[v]);
    }
    return true;
}

static bool lock_something(play *p, uint32_t t) {
    actor *a = &p->a[t];
    uint32_t l = below(p, 4);
    if ((l == RLOCK && !(p->what & ST_RECURSION)) || (l == RWLOCK && !(p->what & ST_RWLOCK)))
        l = below(p, 2);
    if (l == RWLOCK) {
        bool shared = below(p, 2);
        if (a->hold[l] && !(shared && a->shared[l]))
            return false;
        if (shared ? !shared_free(p, l) : !exclusive_free(p, t, l))
            return false;
        a->hold[l]++;
        a->shared[l] = shared;
        put(p, t, shared ? AU_OP_RDACQ : AU_OP_WRACQ, l);
        return true;
    }
    if (!exclusive_free(p, t, l)) {
        if (!(p->what & ST_TRY) || below(p, 2))
            return false;
        put(p, t, AU_OP_TRYFAIL, l);
        return true;
    }
    if (a->hold[l] && l != RLOCK)
        return false;
    a->hold[l]++;
    put(p, t, AU_OP_ACQ, l);
    return true;
}

static bool unlock_something(play *p, uint32_t t) {
    uint32_t first = below(p, 4);
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t l = (first + k) % 4;
        if (!p->a[t].hold[l])
            continue;
        p->a[t].hold[l]--;
        put(p, t, AU_OP_REL, l);
        return true;
    }
    return false;
}

static bool condition(play *p, uint32_t t) {
    actor *a = &p->a[t];
    uint32_t kind = below(p, 3);
    if (kind == 0 && (a->hold[LOCK0] || a->hold[LOCK1])) {
        uint32_t l = a->hold[LOCK0] ? LOCK0 : LOCK1;
        a->hold[l] = 0;
        put(p, t, AU_OP_REL, l);
        put(p, t, AU_OP_WAIT, COND);
        a->waits = true;
        a->signalled = false;
        a->waits_with = l;
        return true;
    }
    put(p, t, kind == 1 ? AU_OP_SIGNAL : AU_OP_BROADCAST, COND);
    uint32_t first = below(p, p->n_threads);
    for (uint32_t k = 0; k < p->n_threads; k++) {
        actor *w = &p->a[(first + k) % p->n_threads];
        if (!w->waits || w->signalled)
            continue;
        w->signalled = true;
        if (kind == 1)
            break;
    }
    return true;
}

static bool wake(play *p, uint32_t t) {
    actor *a = &p->a[t];
    if ((!a->signalled && below(p, 8)) || !exclusive_free(p, t, a->waits_with))
        return false;
    put(p, t, AU_OP_WAKE, COND);
    put(p, t, AU_OP_ACQ, a->waits_with);
    a->hold[a->waits_with] = 1;
    a->waits = false;
    return true;
}

static bool barrier(play *p, uint32_t t) {
    actor *a = &p->a[t];
    put(p, t, AU_OP_ARRIVE, BARRIER);
    a->arrived = true;
    a->round = p->round;
    if (++p->arrivals == 2) {
        p->arrivals = 0;
        p->round++;
    }
    return true;
}

static bool fork_or_join(play *p, uint32_t t) {
    uint32_t u = below(p, p->n_threads);
    actor *c = &p->a[u];
    if (u == t)
        return false;
    if (c->wants_fork && !c->forked) {
        c->forked = true;
        put(p, t, AU_OP_FORK, u);
        return true;
    }
    if (c->joined || c->waits || c->arrived || (!c->ended && below(p, 3)))
        return false;
    bool has_event = c->forked;
    for (size_t i = 0; i < p->t->events.n; i++)
        has_event |= p->t->events.thread[i] == u;
    if (!has_event || p->a[t].joined)
        return false;
    c->ended = c->joined = true;
    put(p, t, AU_OP_JOIN, u);
    return true;
}

static bool step(play *p, uint32_t t) {
    actor *a = &p->a[t];
    if (a->waits)
        return wake(p, t);
    if (a->arrived) {
        if (a->round == p->round)
            return false;
        a->arrived = false;
        put(p, t, AU_OP_LEAVE, BARRIER);
        return true;
    }
    uint32_t r = below(p, 20);
    if (r < 8)
        return access_var(p, t);
    if (r < 11)
        return lock_something(p, t);
    if (r < 14)
        return unlock_something(p, t);
    if (r < 15 && (p->what & ST_SEM)) {
        bool up = below(p, 2);
        if (!up && !p->sem)
            return false;
        p->sem += up ? 1 : -1;
        put(p, t, up ? AU_OP_UP : AU_OP_DOWN, SEM);
        return true;
    }
    if (r >= 15 && r < 17 && (p->what & ST_COND))
        return condition(p, t);
    if (r == 17 && (p->what & ST_BARRIER))
        return barrier(p, t);
    if (r == 18 && (p->what & ST_FORK))
        return fork_or_join(p, t);
    if (r == 19 && (p->what & ST_ONCE)) {
        put(p, t, AU_OP_ONCE, ONCE);
        return true;
    }
    return access_var(p, t);
}

static void name_all(au_intern *t, const char *stem, uint32_t n) {
    char s[32];
    for (uint32_t i = 0; i < n; i++)
        au_intern_add(t, s, (size_t)snprintf(s, sizeof s, "%s%u", stem, i));
}

au_trace *au_sync_trace(au_rng *rng, uint32_t threads, uint32_t events, uint32_t vars,
                        unsigned what) {
    static const uint8_t kind[OBJECTS] = {AU_WIRE_OBJ_LOCK,    AU_WIRE_OBJ_LOCK, AU_WIRE_OBJ_RLOCK,
                                          AU_WIRE_OBJ_RWLOCK,  AU_WIRE_OBJ_SEM,  AU_WIRE_OBJ_COND,
                                          AU_WIRE_OBJ_BARRIER, AU_WIRE_OBJ_ONCE};
    AU_BUG_IF(threads > MAX_THREADS || vars > MAX_VARS);
    play p = {
        .t = AU_NEW(au_trace), .rng = rng, .what = what, .n_threads = threads, .n_vars = vars};
    au_columns_init(&p.t->events);
    au_names_init(&p.t->names);
    name_all(&p.t->names.thread, "T", threads);
    name_all(&p.t->names.var, "x", vars);
    name_all(&p.t->names.lock, "o", OBJECTS);
    p.sem = (int)below(&p, 2);
    for (uint32_t k = 0; k < OBJECTS; k++)
        au_names_set_sync(&p.t->names, k, kind[k], k == SEM ? p.sem : k == BARRIER ? 2 : 0);
    for (uint32_t t = 1; t < threads; t++)
        p.a[t].wants_fork = (what & ST_FORK) && below(&p, 2);
    uint32_t t = 0, idle = 0;
    while (p.t->events.n < events && idle < 200) {
        if (below(&p, 3) == 0)
            t = below(&p, threads);
        idle = runs(&p, t) && step(&p, t) ? 0 : idle + 1;
    }
    return p.t;
}

void au_sync_trace_widen(au_trace *t, au_rng *rng) {
    for (uint32_t v = 0; v < t->names.var.n; v++) {
        uint64_t more = (uint64_t)au_rng_below(rng, 1u << 30) << 32;
        if (au_rng_below(rng, 2))
            continue;
        for (size_t i = 0; i < t->events.n; i++)
            if (au_op_is_access(t->events.op[i]) && t->events.obj[i] == v && t->events.value[i])
                t->events.value[i] = (int64_t)((uint64_t)t->events.value[i] | more);
    }
}

void au_sync_trace_print(const au_trace *t) {
    const au_columns *e = &t->events;
    for (size_t i = 0; i < e->n; i++) {
        const au_intern *names = au_names_space_const(&t->names, au_op_space(e->op[i]));
        fprintf(stderr, "%3zu  T%u|%s(%s)|%u", i, e->thread[i], au_op_name(e->op[i]),
                names ? au_intern_str(names, e->obj[i]) : "", e->loc[i]);
        if (e->any_value && e->has_value[i])
            fprintf(stderr, "|%lld", (long long)e->value[i]);
        fprintf(stderr, "\n");
    }
}
