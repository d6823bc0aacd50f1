/* The checker of schedules against a naive search over the model and against the
 * oracle, on random traces with everything in them and on random models.
 *
 *   traces   the observed schedule executes; a random, or a broken, schedule gets exactly
 *            as far as in a set-of-states search over au_model_from_trace, and so does the
 *            model checker; what the oracle finds with kept reads is SHOWN, what it finds
 *            ignoring values at least LOCKS_ONLY
 *   models   what the oracle finds is SHOWN by the model checker, with a spurious wake-up
 *            exactly if the oracle needed one; broken schedules get as far as the search */
#include "base/rng.h"
#include "cases.h"
#include "gen_model.h"
#include "model/ctp.h"
#include "model/from_trace.h"
#include "oracle/oracle.h"
#include "witness/check_model.h"

#include <stdarg.h>
#include <stdio.h>

static uint64_t case_seed;
static const au_trace *shown_trace;
static const char *shown_text;
static uint64_t told[16]; /* how much was compared, so that a test of nothing shows */

static void print_trace(const au_trace *t) {
    for (size_t i = 0; i < t->events.n; i++) {
        const au_intern *space = au_names_space_const(&t->names, au_op_space(t->events.op[i]));
        au_block b = au_columns_block(&t->events, 0, t->events.n);
        printf("  %s %s %s", au_intern_str(&t->names.thread, b.thread[i]), au_op_name(b.op[i]),
               space && b.obj[i] != AU_NONE ? au_intern_str(space, b.obj[i]) : "");
        if (au_block_has_value(&b, i))
            printf(" %lld", (long long)b.value[i]);
        printf("\n");
    }
}

_Noreturn static void __attribute__((format(printf, 1, 2))) wrong(const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    printf("seed %llu: ", (unsigned long long)case_seed);
    vprintf(fmt, ap);
    va_end(ap);
    printf("\n");
    if (shown_trace)
        print_trace(shown_trace);
    if (shown_text)
        printf("%s", shown_text);
    exit(1);
}

/* --- random traces ----------------------------------------------------------------------- */

enum { THREADS = 4, LOCKS = 2, VARS = 2 };
enum { RW = LOCKS, SEM, COND, BARRIER, ONCE, OBJS };
static const char *const obj_name[OBJS] = {"m0", "m1", "rw", "s", "c", "b", "o"};

typedef struct {
    au_rng rng;
    au_trace *t;
    unsigned threads;
    bool only_locks, plain; /* nothing but locks; no once and no tryfail */
    int holder[OBJS], depth[OBJS], reads[OBJS][THREADS];
    int count, arrived, filled;
    bool once, known[VARS];
    int64_t value[VARS], next_value;
    struct {
        bool forked, ended, started;
        int waits, woken, at; /* lock + 1 of a wait; the same after it woke; barrier round + 1 */
        unsigned blocks;
    } th[THREADS];
} maker;

static uint32_t below(maker *k, uint32_t n) {
    return au_rng_below(&k->rng, n);
}

static void put(maker *k, unsigned t, au_op op, uint32_t obj, const int64_t *value) {
    au_columns_push(&k->t->events, op, (uint16_t)t, obj, AU_NONE, value);
    k->th[t].started = true;
}

static void put_access(maker *k, unsigned t) {
    uint32_t v = below(k, VARS);
    static const au_op ops[] = {AU_OP_READ,  AU_OP_READ,   AU_OP_WRITE, AU_OP_WRITE,
                                AU_OP_AREAD, AU_OP_AWRITE, AU_OP_RMW};
    au_op op = ops[below(k, 7)];
    if (op == AU_OP_RMW && !k->known[v])
        op = AU_OP_WRITE;
    if (op != AU_OP_READ && op != AU_OP_AREAD)
        k->value[v] = ++k->next_value; /* no two writes write the same */
    k->known[v] = true;
    put(k, t, op, v, &k->value[v]);
}

static bool readers(const maker *k, uint32_t l, int but) {
    for (int t = 0; t < THREADS; t++)
        if (t != but && k->reads[l][t])
            return true;
    return false;
}

static bool put_lock(maker *k, unsigned t) {
    uint32_t l = below(k, LOCKS);
    int me = (int)t + 1;
    switch (below(k, 5)) {
    case 0:
    case 1:
        if (k->holder[l] && (k->holder[l] != me || k->depth[l] == 2))
            return false;
        if (below(k, 4) == 0)
            put(k, t, AU_OP_REQ, l, NULL);
        k->holder[l] = me;
        k->depth[l]++;
        put(k, t, AU_OP_ACQ, l, NULL);
        return true;
    case 2:
    case 3:
        if (k->holder[l] != me)
            return false;
        if (--k->depth[l] == 0)
            k->holder[l] = 0;
        put(k, t, AU_OP_REL, l, NULL);
        /* not with a recursive lock still held: the oracle thinks it never gets that back */
        if (!k->only_locks && !k->holder[l] && below(k, 3) == 0) {
            put(k, t, AU_OP_WAIT, COND, NULL);
            k->th[t].waits = (int)l + 1;
        }
        return true;
    default:
        if (k->plain || k->only_locks || !k->holder[l] || k->holder[l] == me)
            return false;
        put(k, t, AU_OP_TRYFAIL, l, NULL);
        return true;
    }
}

static bool put_rwlock(maker *k, unsigned t) {
    int me = (int)t + 1;
    switch (below(k, 3)) {
    case 0:
        if (k->holder[RW])
            return false;
        k->reads[RW][t]++;
        put(k, t, AU_OP_RDACQ, RW, NULL);
        return true;
    case 1:
        if (k->holder[RW] || readers(k, RW, -1))
            return false;
        k->holder[RW] = me;
        put(k, t, AU_OP_WRACQ, RW, NULL);
        return true;
    default:
        if (k->holder[RW] != me && !k->reads[RW][t])
            return false;
        if (k->holder[RW] == me)
            k->holder[RW] = 0;
        else
            k->reads[RW][t]--;
        put(k, t, AU_OP_REL, RW, NULL);
        return true;
    }
}

static bool put_other(maker *k, unsigned t) {
    uint32_t u = below(k, k->threads);
    switch (below(k, 8)) {
    case 0:
        if (k->count == 0)
            return false;
        k->count--;
        put(k, t, AU_OP_DOWN, SEM, NULL);
        return true;
    case 1:
        k->count++;
        put(k, t, AU_OP_UP, SEM, NULL);
        return true;
    case 2:
        put(k, t, below(k, 3) ? AU_OP_SIGNAL : AU_OP_BROADCAST, COND, NULL);
        return true;
    case 3:
        put(k, t, AU_OP_ARRIVE, BARRIER, NULL);
        k->th[t].at = k->filled + 1;
        if (++k->arrived == 2) {
            k->arrived = 0;
            k->filled++;
        }
        return true;
    case 4:
        if (u == t || k->th[u].started || k->th[u].forked)
            return false;
        k->th[u].forked = true;
        put(k, t, AU_OP_FORK, u, NULL);
        return true;
    case 5:
        if (u == t || k->th[u].ended || k->th[u].waits || k->th[u].woken || k->th[u].at ||
            !(k->th[u].started || k->th[u].forked))
            return false;
        k->th[u].ended = true;
        put(k, t, AU_OP_JOIN, u, NULL);
        return true;
    case 6:
        if (k->plain)
            return false;
        k->once = true;
        put(k, t, AU_OP_ONCE, ONCE, NULL);
        return true;
    default:
        put(k, t, AU_OP_FENCE, AU_NONE, NULL);
        return true;
    }
}

/* One event of t, if the one that was thought of is possible. */
static bool put_event(maker *k, unsigned t) {
    if (k->th[t].ended)
        return false;
    if (k->th[t].waits) {
        k->th[t].woken = k->th[t].waits;
        k->th[t].waits = 0;
        put(k, t, AU_OP_WAKE, COND, NULL);
        return true;
    }
    if (k->th[t].woken) {
        int l = k->th[t].woken - 1;
        if (k->holder[l] && k->holder[l] != (int)t + 1)
            return false;
        k->holder[l] = (int)t + 1;
        k->depth[l]++;
        k->th[t].woken = 0;
        put(k, t, AU_OP_ACQ, (uint32_t)l, NULL);
        return true;
    }
    if (k->th[t].at) {
        if (k->filled < k->th[t].at)
            return false;
        k->th[t].at = 0;
        put(k, t, AU_OP_LEAVE, BARRIER, NULL);
        return true;
    }
    uint32_t what = below(k, 16);
    if (what < 4)
        put_access(k, t);
    else if (what < 9)
        return put_lock(k, t);
    else if (what < 11)
        return put_rwlock(k, t);
    else if (what < 15)
        return k->only_locks ? put_lock(k, t) : put_other(k, t);
    else if (below(k, 2) && k->th[t].blocks) {
        k->th[t].blocks--;
        put(k, t, AU_OP_END, AU_NONE, NULL);
    } else {
        k->th[t].blocks++;
        put(k, t, AU_OP_BEGIN, AU_NONE, NULL);
    }
    return true;
}

static au_trace *make_trace(uint64_t seed, bool *only_locks, bool *plain) {
    maker k = {.t = AU_NEW(au_trace)};
    au_rng_init(&k.rng, seed);
    au_names_init(&k.t->names);
    au_columns_init(&k.t->events);
    k.threads = 2 + below(&k, THREADS - 1);
    k.only_locks = below(&k, 3) == 0;
    k.plain = k.only_locks || below(&k, 2);
    for (unsigned t = 0; t < k.threads; t++) {
        char name[16];
        snprintf(name, sizeof name, "T%u", t + 1);
        au_intern_add(&k.t->names.thread, name, strlen(name));
    }
    for (unsigned v = 0; v < VARS; v++)
        au_intern_add(&k.t->names.var, v ? "y" : "x", 1);
    for (unsigned l = 0; l < OBJS; l++)
        au_intern_add(&k.t->names.lock, obj_name[l], strlen(obj_name[l]));
    k.count = (int)below(&k, 3);
    if (below(&k, 2))
        au_names_set_sync(&k.t->names, SEM, AU_WIRE_OBJ_SEM, k.count);
    au_names_set_sync(&k.t->names, BARRIER, AU_WIRE_OBJ_BARRIER, 2);
    unsigned want = 4 + below(&k, 16), t = 0;
    for (unsigned tries = 0; k.t->events.n < want && tries < 200; tries++) {
        if (below(&k, 3) == 0)
            t = below(&k, k.threads);
        put_event(&k, t);
    }
    *only_locks = k.only_locks;
    *plain = k.plain;
    return k.t;
}

static void drop_trace(au_trace *t) {
    au_columns_release(&t->events);
    au_names_release(&t->names);
    free(t);
}

/* --- the naive search: all states that a sequence of threads can lead to ---------------- */

typedef enum { VALUES, NO_VALUES, NO_VALUES_BUT_ONCE } mode;

typedef struct {
    const au_model *m;
    mode how;
    size_t words;          /* values, nodes, stopped */
    AU_VEC(uint64_t) word; /* the states, one after the other */
} states;

static void states_init(states *s, const au_model *m, mode how) {
    *s = (states){.m = m, .how = how, .words = m->var.n + 2 * m->thread.n};
    for (size_t v = 0; v < m->var.n; v++)
        au_vec_push(&s->word, m->var.at[v].init);
    for (size_t t = 0; t < m->thread.n; t++)
        au_vec_push(&s->word, m->thread.at[t].entry);
    for (size_t t = 0; t < m->thread.n; t++)
        au_vec_push(&s->word, 0);
}

static bool step_runs(const states *s, const uint64_t *w, const au_step *p) {
    bool data = p->kind <= AU_STEP_HAVOC;
    if (data && (s->how == NO_VALUES || (s->how == NO_VALUES_BUT_ONCE && !p->blocking)))
        return true;
    return au_term_eval(s->m->terms, p->guard, w);
}

static bool is_started(const states *s, const uint64_t *w, uint32_t t) {
    uint32_t v = s->m->thread.at[t].started;
    return v == AU_NONE || w[v];
}

/* One step of thread t in all states; false, and nothing changes, if none has one. */
static bool states_step(states *s, uint32_t t) {
    const au_model *m = s->m;
    states next = {.m = m, .how = s->how, .words = s->words};
    for (size_t i = 0; i < s->word.n; i += s->words) {
        const uint64_t *w = s->word.at + i;
        if (!is_started(s, w, t) || w[m->var.n + m->thread.n + t])
            continue;
        const au_node *n = &m->thread.at[t].node.at[w[m->var.n + t]];
        for (size_t k = 0; k < n->out.n; k++) {
            const au_step *p = &m->step.at[n->out.at[k]];
            if (!step_runs(s, w, p))
                continue;
            size_t at = next.word.n;
            au_vec_append(&next.word, w, s->words);
            uint64_t *to = next.word.at + at;
            to[m->var.n + t] = p->dst;
            bool known = s->how == VALUES || au_term_is_const(m->terms, p->cond);
            bool fails = known && !au_term_eval(m->terms, p->cond, w);
            to[m->var.n + m->thread.n + t] = fails;
            for (uint32_t u = 0; u < p->n_updates && !fails; u++)
                to[p->update[u].var] = au_term_eval(m->terms, p->update[u].value, w);
            for (size_t j = 0; j < at; j += s->words)
                if (!memcmp(next.word.at + j, to, s->words * sizeof *to)) {
                    next.word.n = at;
                    break;
                }
        }
    }
    if (!next.word.n)
        return false;
    au_vec_release(&s->word);
    *s = next;
    return true;
}

/* --- traces and their models ----------------------------------------------------------------- */

typedef struct {
    const au_trace *t;
    const au_model *m;
    const uint32_t *step_of;
    uint32_t model_thread[THREADS];               /* AU_NONE: not in the model */
    uint32_t event[THREADS][64], length[THREADS]; /* trace thread: event numbers */
    uint32_t index[64];                           /* event: within its thread, from 1 */
    bool takes[64];                               /* event: the model takes a step there */
} both;

static void both_init(both *b, const au_trace *t, const au_model *m, const uint32_t *step_of) {
    *b = (both){.t = t, .m = m, .step_of = step_of};
    for (uint32_t i = 0; i < t->names.thread.n; i++) {
        b->model_thread[i] = AU_NONE;
        for (uint32_t k = 0; k < m->thread.n; k++)
            if (!strcmp(m->thread.at[k].name, au_intern_str(&t->names.thread, i)))
                b->model_thread[i] = k;
    }
    for (uint32_t e = 0; e < t->events.n; e++) {
        uint16_t who = t->events.thread[e];
        au_op op = t->events.op[e];
        b->event[who][b->length[who]++] = e;
        b->index[e] = b->length[who];
        b->takes[e] =
            step_of[e] != AU_NONE && op != AU_OP_WAIT && op != AU_OP_WAKE && op != AU_OP_REQ;
    }
}

/* A thread without steps of its own has a nop in the model. */
static bool has_nop(const both *b, uint32_t model_thread) {
    const au_thread *t = &b->m->thread.at[model_thread];
    return b->m->step.at[t->node.at[t->entry].out.at[0]].kind == AU_STEP_NOP;
}

static void run_nops(const both *b, states *s) {
    for (uint32_t t = 0; t < b->m->thread.n; t++)
        if (has_nop(b, t) && s->word.at[b->m->var.n + t] == b->m->thread.at[t].entry)
            states_step(s, t);
}

typedef struct {
    uint32_t at[64], n; /* event numbers in order */
} order;

static au_schedule turns_of(const both *b, const order *o, au_turn *turn) {
    au_schedule s = {turn, 0};
    for (uint32_t i = 0; i < o->n; i++) {
        uint16_t who = b->t->events.thread[o->at[i]];
        if (!s.n || turn[s.n - 1].thread != who)
            turn[s.n++].thread = who;
        turn[s.n - 1].upto = b->index[o->at[i]];
    }
    return s;
}

/* How far the order gets in the search, as a trace (join needs all of the child's
 * events) or as a model. *steps: of the model. */
static uint32_t naive(const both *b, const order *o, mode how, bool as_trace, uint32_t *steps) {
    states s;
    uint32_t done[THREADS] = {0}, i = 0;
    states_init(&s, b->m, how);
    *steps = 0;
    for (; i < o->n; i++) {
        uint32_t e = o->at[i], who = b->t->events.thread[e], obj = b->t->events.obj[e];
        run_nops(b, &s);
        if (as_trace && !is_started(&s, s.word.at, b->model_thread[who]))
            break;
        if (as_trace && b->t->events.op[e] == AU_OP_JOIN && done[obj] < b->length[obj])
            break;
        if (b->takes[e] && !states_step(&s, b->model_thread[who]))
            break;
        *steps += b->takes[e];
        done[who]++;
    }
    au_vec_release(&s.word);
    return i;
}

static order random_order(const both *b, au_rng *rng, bool mostly_possible) {
    order o = {.n = 0};
    uint32_t done[THREADS] = {0}, n = (uint32_t)b->t->events.n;
    uint32_t want = n ? 1 + au_rng_below(rng, n) : 0, t = 0;
    for (uint32_t tries = 0; o.n < want && tries < 100; tries++) {
        if (au_rng_below(rng, 2))
            t = au_rng_below(rng, (uint32_t)b->t->names.thread.n);
        if (done[t] == b->length[t])
            continue;
        o.at[o.n++] = b->event[t][done[t]];
        uint32_t steps;
        if (mostly_possible && au_rng_below(rng, 10) &&
            naive(b, &o, NO_VALUES_BUT_ONCE, true, &steps) < o.n)
            o.n--;
        else
            done[t]++;
    }
    return o;
}

static void compare_order(const both *b, au_checker *c, const order *o, const char *what) {
    au_turn turn[64], model_turn[64];
    au_finding f = {.kind = AU_KIND_ASSERTION, .obj = AU_NONE, .detail = ""};
    f.schedule = turns_of(b, o, turn);
    au_check_result r;
    au_checker_run(c, &f, &r);
    uint32_t steps, far = naive(b, o, NO_VALUES_BUT_ONCE, true, &steps);
    if (r.step != far || (r.verdict == AU_CHECK_STUCK) != (far < o->n))
        wrong("%s: the checker executes %llu events (%s), the search %u of %u", what,
              (unsigned long long)r.step, r.why, far, o->n);
    told[far < o->n]++;
    uint32_t with_values = naive(b, o, VALUES, true, &steps);
    if (with_values == o->n && !(far == o->n && r.reads_kept))
        wrong("%s: possible with values, but the checker says reads are not kept", what);
    /* the same order on the model; nops come first */
    for (int values = 0; values < 2; values++) {
        au_model_finding g = {.kind = AU_KIND_ASSERTION, .valueless = !values};
        g.schedule.turn = model_turn;
        uint32_t done[THREADS] = {0}, nops = 0;
        for (uint32_t t = 0; t < b->m->thread.n; t++)
            if (has_nop(b, t)) {
                if (b->m->thread.at[t].forked)
                    return; /* it would have to come after the fork */
                model_turn[g.schedule.n++] = (au_turn){.upto = 1, .thread = (uint16_t)t};
                nops++;
            }
        for (uint32_t i = 0; i < o->n; i++)
            if (b->takes[o->at[i]]) {
                uint16_t who = (uint16_t)b->model_thread[b->t->events.thread[o->at[i]]];
                model_turn[g.schedule.n++] = (au_turn){.upto = ++done[who], .thread = who};
            }
        naive(b, o, values ? VALUES : NO_VALUES, false, &steps);
        au_model_check_schedule(b->m, &g, &r, NULL);
        if (r.step != steps + nops || (r.verdict == AU_CHECK_STUCK) != (r.step < g.schedule.n))
            wrong("%s: the model checker executes %llu steps (%s), the search %u (values %d)", what,
                  (unsigned long long)r.step, r.why, steps + nops, values);
        told[2 + (r.step < g.schedule.n)]++;
    }
}

/* --- the oracle's findings on traces ------------------------------------------------------------ */

/* The event at which the model takes the step out of this node. */
static uint32_t event_at(const both *b, uint32_t thread, uint32_t node) {
    for (uint32_t e = 0; e < b->t->events.n; e++)
        if (b->step_of[e] != AU_NONE && b->model_thread[b->t->events.thread[e]] == thread &&
            b->m->step.at[b->step_of[e]].src == node && (b->takes[e]))
            return e;
    return AU_NONE;
}

/* Or, for what is blocked, the wake of a WAKE and the pending request. */
static uint32_t blocked_event(const both *b, const au_step *p) {
    for (uint32_t e = 0; e < b->t->events.n; e++)
        if (b->step_of[e] != AU_NONE && b->model_thread[b->t->events.thread[e]] == p->thread &&
            b->m->step.at[b->step_of[e]].src == p->src && b->t->events.op[e] != AU_OP_WAIT)
            return e; /* the first: of wake and acq the wake */
    return AU_NONE;
}

static void run_to(const both *b, order *o, uint32_t *done, uint16_t who, uint32_t index) {
    while (done[who] < index)
        o->at[o->n++] = b->event[who][done[who]++];
}

/* The oracle's turns as an order of events; false if it takes a step that is not in
 * the trace. Events without a step are executed when they have to be. */
static bool order_of(const both *b, const au_oracle_turn *turn, uint32_t n, order *o,
                     uint32_t *done) {
    uint32_t taken[THREADS] = {0}, node[THREADS];
    o->n = 0;
    memset(done, 0, THREADS * sizeof *done);
    for (uint32_t t = 0; t < b->m->thread.n; t++)
        node[t] = b->m->thread.at[t].entry;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t t = turn[i].thread; taken[t] < turn[i].upto; taken[t]++) {
            uint32_t e = event_at(b, t, node[t]);
            const au_node *at = &b->m->thread.at[t].node.at[node[t]];
            const au_step *p = &b->m->step.at[at->out.at[0]];
            node[t] = p->dst;
            if (p->kind == AU_STEP_NOP)
                continue;
            if (e == AU_NONE)
                return false;
            if (b->t->events.op[e] == AU_OP_JOIN)
                run_to(b, o, done, (uint16_t)b->t->events.obj[e], b->length[b->t->events.obj[e]]);
            run_to(b, o, done, b->t->events.thread[e], b->index[e]);
        }
    return true;
}

static au_event_ref ref(const both *b, uint32_t e) {
    return (au_event_ref){
        e, b->index[e], b->t->events.obj[e], AU_NONE, b->t->events.thread[e], b->t->events.op[e]};
}

static void expect(const both *b, au_checker *c, au_finding *f, const order *o, bool kept,
                   bool spurious, const char *what) {
    au_turn turn[64];
    f->schedule = turns_of(b, o, turn);
    au_check_result r;
    au_checker_run(c, f, &r);
    if (r.verdict == AU_CHECK_SHOWN || (r.verdict == AU_CHECK_LOCKS_ONLY && !kept)) {
        if (r.spurious != spurious)
            wrong("%s %s: spurious %d, the oracle says %d", what, au_kind_name(f->kind), r.spurious,
                  spurious);
        told[4 + f->kind]++;
        return;
    }
    printf("schedule");
    for (uint32_t i = 0; i < f->schedule.n; i++)
        printf(" T%u:%llu", turn[i].thread + 1u, (unsigned long long)turn[i].upto);
    printf("; events");
    for (uint32_t i = 0; i < f->n_events; i++)
        printf(" T%u:%llu", f->event[i].thread + 1u, (unsigned long long)f->event[i].index);
    printf("\n");
    wrong("%s %s: verdict %d (%s)", what, au_kind_name(f->kind), r.verdict, r.why);
}

static bool was_forked(const both *b, const order *o, uint32_t thread) {
    bool in_trace = false, in_order = false;
    for (uint32_t e = 0; e < b->t->events.n; e++)
        in_trace |= b->t->events.op[e] == AU_OP_FORK && b->t->events.obj[e] == thread;
    for (uint32_t i = 0; i < o->n; i++)
        in_order |= b->t->events.op[o->at[i]] == AU_OP_FORK && b->t->events.obj[o->at[i]] == thread;
    return in_order || !in_trace;
}

static void check_finding(const both *b, au_checker *c, const au_oracle_finding *g, bool kept,
                          const char *what) {
    static const au_kind kinds[] = {AU_KIND_ASSERTION, AU_KIND_RACE, AU_KIND_ATOMICITY,
                                    AU_KIND_DEADLOCK, AU_KIND_MISUSE};
    au_event_ref event[THREADS];
    au_finding f = {.kind = kinds[g->kind], .obj = AU_NONE, .detail = g->detail, .event = event};
    order o;
    uint32_t done[THREADS];
    f.n_events = g->n_events;
    if (!order_of(b, g->turn, g->n_turns, &o, done))
        return;
    for (uint32_t i = 0; i < g->n_events; i++) {
        const au_step *p = &b->m->step.at[g->event[i].step];
        uint32_t e =
            f.kind == AU_KIND_DEADLOCK ? blocked_event(b, p) : event_at(b, p->thread, p->src);
        if (e == AU_NONE || b->t->events.op[e] == AU_OP_ONCE)
            return; /* not in the trace, or not an access there */
        uint16_t who = b->t->events.thread[e];
        if (b->t->events.op[e] == AU_OP_JOIN && !was_forked(b, &o, b->t->events.obj[e]))
            return;                     /* the oracle's core leaves out who would fork it */
        if (f.kind == AU_KIND_MISUSE) { /* held at the end: the end is still to come */
            if (strcmp(g->detail, "held when its thread ends"))
                wrong("%s: the oracle finds '%s' in a trace", what, g->detail);
            f.obj = AU_NONE;
            e = b->event[who][b->length[who] - 1];
            if (done[who] == b->length[who] && o.at[o.n - 1] != e)
                return; /* others went on after it */
            if (done[who] == b->length[who])
                o.n--;
            else
                run_to(b, &o, done, who, b->length[who] - 1);
        } else if (f.kind != AU_KIND_ATOMICITY) {
            run_to(b, &o, done, who, b->index[e] - 1);
        }
        event[i] = ref(b, e);
    }
    expect(b, c, &f, &o, kept, g->spurious, what);
    /* broken: two neighbours change places, or one is left out */
    for (uint32_t i = 0; i + 1 < o.n; i++) {
        order broken = o;
        if (b->t->events.thread[o.at[i]] != b->t->events.thread[o.at[i + 1]]) {
            broken.at[i] = o.at[i + 1];
            broken.at[i + 1] = o.at[i];
        } else { /* the thread's events from here on are left out */
            broken.n = i;
            for (uint32_t k = i; k < o.n; k++)
                if (b->t->events.thread[o.at[k]] != b->t->events.thread[o.at[i]])
                    broken.at[broken.n++] = o.at[k];
        }
        compare_order(b, c, &broken, "a broken schedule");
    }
}

static void check_read(const both *b, au_checker *c, const au_read_from *g, bool kept,
                       const char *what) {
    au_event_ref event[2] = {{.number = UINT64_MAX}};
    au_finding f = {.kind = AU_KIND_NONDET, .obj = AU_NONE, .detail = "", .event = event};
    order o;
    uint32_t done[THREADS];
    f.n_events = 2;
    if (g->read == AU_NONE || !g->changed || !order_of(b, g->turn, g->n_turns, &o, done))
        return;
    const au_step *r = &b->m->step.at[g->read];
    uint32_t e = event_at(b, r->thread, r->src);
    if (e == AU_NONE || b->t->events.op[e] == AU_OP_ONCE)
        return;
    event[1] = ref(b, e);
    if (g->writer != AU_NONE) {
        const au_step *w = &b->m->step.at[g->writer];
        event[0] = ref(b, event_at(b, w->thread, w->src));
    }
    expect(b, c, &f, &o, kept, g->spurious, what);
}

/* --- nothing is shown that the oracle does not find -------------------------------------- */

/* The node of the model at which the trace stands before event e. */
static uint32_t node_before(const both *b, uint32_t e) {
    uint32_t t = b->t->events.thread[e];
    for (uint32_t i = b->index[e] - 1; i < b->length[t]; i++) {
        uint32_t k = b->event[t][i];
        if (b->step_of[k] != AU_NONE && b->t->events.op[k] != AU_OP_WAIT)
            return b->m->step.at[b->step_of[k]].src;
    }
    /* cut in the middle of a wait: where the step before leads to */
    for (uint32_t i = b->index[e] - 1; i-- > 0;)
        if (b->step_of[b->event[t][i]] != AU_NONE)
            return b->m->step.at[b->step_of[b->event[t][i]]].dst;
    return AU_NONE;
}

/* Is every event of the oracle's finding one of ours (same: and the other way round)? */
static bool covers(const both *b, const au_finding *f, const au_oracle_finding *g, bool same) {
    if (same && f->n_events != g->n_events)
        return false;
    for (uint32_t i = 0; i < g->n_events; i++) {
        const au_step *p = &b->m->step.at[g->event[i].step];
        bool found = false;
        for (uint32_t k = 0; k < f->n_events; k++)
            found |= b->model_thread[f->event[k].thread] == p->thread &&
                     node_before(b, (uint32_t)f->event[k].number) == p->src;
        if (!found)
            return false;
    }
    return true;
}

static bool has_finding(const both *b, const au_oracle_result *r, const au_finding *f) {
    for (size_t i = 0; i < r->finding.n; i++) {
        const au_oracle_finding *g = &r->finding.at[i];
        if (f->kind == AU_KIND_RACE && g->kind == AU_FOUND_RACE && covers(b, f, g, true))
            return true;
        if (f->kind == AU_KIND_DEADLOCK && g->kind == AU_FOUND_DEADLOCK && covers(b, f, g, false))
            return true;
    }
    for (size_t i = 0; i < r->read_from.n && f->kind == AU_KIND_NONDET; i++) {
        const au_read_from *g = &r->read_from.at[i];
        uint32_t w = f->event[0].number == UINT64_MAX ? AU_NONE : b->step_of[f->event[0].number];
        if (g->changed && g->read == b->step_of[f->event[1].number] && g->writer == w)
            return true;
    }
    return false;
}

static void claim(const both *b, au_checker *c, const au_oracle_result *kept,
                  const au_oracle_result *cam, au_finding *f) {
    au_check_result r;
    au_checker_run(c, f, &r);
    if (r.verdict > AU_CHECK_LOCKS_ONLY)
        return;
    const au_oracle_result *o = r.verdict == AU_CHECK_SHOWN ? kept : cam;
    if (o && !has_finding(b, o, f)) {
        for (uint32_t i = 0; i < f->schedule.n; i++)
            printf(" T%u:%llu", f->schedule.turn[i].thread + 1u,
                   (unsigned long long)f->schedule.turn[i].upto);
        printf("; events");
        for (uint32_t i = 0; i < f->n_events; i++)
            printf(" T%u:%llu", f->event[i].thread + 1u, (unsigned long long)f->event[i].index);
        wrong(": a %s with verdict %d that the oracle does not find", au_kind_name(f->kind),
              r.verdict);
    }
    told[15]++;
}

static void check_claims(const both *b, au_checker *c, au_rng *rng, const au_oracle_result *kept,
                         const au_oracle_result *cam) {
    order o = random_order(b, rng, true);
    uint32_t steps, done[THREADS] = {0}, next[THREADS], threads = (uint32_t)b->t->names.thread.n;
    au_turn turn[64];
    au_event_ref event[THREADS];
    o.n = naive(b, &o, NO_VALUES_BUT_ONCE, true, &steps);
    for (uint32_t i = 0; i < o.n; i++)
        done[b->t->events.thread[o.at[i]]]++;
    for (uint32_t t = 0; t < threads; t++)
        next[t] = done[t] < b->length[t] ? b->event[t][done[t]] : AU_NONE;
    au_finding f = {.obj = AU_NONE, .detail = "", .event = event};
    f.schedule = turns_of(b, &o, turn);
    for (uint32_t set = 1; set < 1u << threads; set++) { /* of threads */
        bool all = true;
        f.n_events = 0;
        for (uint32_t t = 0; t < threads; t++)
            if (set >> t & 1) {
                all &= next[t] != AU_NONE;
                if (all)
                    event[f.n_events++] = ref(b, next[t]);
            }
        for (int race = 0; race < 2 && all; race++) {
            f.kind = race ? AU_KIND_RACE : AU_KIND_DEADLOCK;
            claim(b, c, kept, cam, &f);
        }
    }
    f.kind = AU_KIND_NONDET;
    f.n_events = 2;
    for (uint32_t i = 0; i < o.n; i++)
        for (uint32_t w = 0; w <= b->t->events.n; w++) {
            event[0] = w < b->t->events.n ? ref(b, w) : (au_event_ref){.number = UINT64_MAX};
            event[1] = ref(b, o.at[i]);
            claim(b, c, kept, cam, &f);
        }
}

static au_oracle_result *ask_oracle(const both *b, au_checker *c, au_semantics sem, bool keep) {
    static const char *const name[] = {"ctp", "mcm", "cam", "locks"};
    au_oracle_options o = AU_ORACLE_DEFAULTS;
    au_error err = AU_ERROR_NONE;
    o.semantics = sem;
    o.keep_reads = keep;
    au_oracle_result *r = au_oracle_run(b->m, &o, &err);
    if (!r)
        wrong("%s", err.text);
    for (size_t i = 0; i < r->finding.n; i++)
        check_finding(b, c, &r->finding.at[i], keep, name[sem]);
    for (size_t i = 0; i < r->read_from.n; i++)
        check_read(b, c, &r->read_from.at[i], keep, name[sem]);
    return r;
}

static void check_trace(uint64_t seed) {
    bool only_locks, plain;
    au_trace *t = make_trace(seed, &only_locks, &plain);
    shown_trace = t;
    au_error err = AU_ERROR_NONE;
    uint32_t *step_of;
    au_model *m = au_model_from_trace(t, &step_of, &err);
    if (!m)
        wrong("not a trace: %s", err.text);
    both b;
    both_init(&b, t, m, step_of);
    au_checker *c = au_checker_new(t);
    order o = {.n = (uint32_t)t->events.n};
    for (uint32_t e = 0; e < o.n; e++)
        o.at[e] = e;
    compare_order(&b, c, &o, "the observed schedule");
    au_turn turn[64];
    au_finding f = {.kind = AU_KIND_ASSERTION, .obj = AU_NONE, .detail = ""};
    f.schedule = turns_of(&b, &o, turn);
    au_check_result r;
    au_checker_run(c, &f, &r);
    if (r.verdict == AU_CHECK_STUCK || !r.reads_kept || r.step != o.n)
        wrong("the observed schedule: %s", r.why);
    au_rng rng;
    au_rng_init(&rng, seed ^ 77);
    for (int i = 0; i < 20; i++) {
        o = random_order(&b, &rng, i % 2);
        compare_order(&b, c, &o, "a random schedule");
    }
    au_oracle_result *kept = ask_oracle(&b, c, AU_SEM_CTP, true), *cam = NULL;
    if (plain) { /* the others leave out what a tryfail asks for, cam also what a once does */
        au_oracle_free(ask_oracle(&b, c, AU_SEM_CAM, true));
        cam = ask_oracle(&b, c, AU_SEM_CAM, false);
    }
    if (only_locks) { /* mcm knows a signal only with the waiter that it woke in the run */
        au_oracle_free(ask_oracle(&b, c, AU_SEM_MCM, true));
        au_oracle_free(ask_oracle(&b, c, AU_SEM_LOCKS, false));
    }
    for (int i = 0; i < 20; i++)
        check_claims(&b, c, &rng, kept, cam);
    au_oracle_free(kept);
    au_oracle_free(cam);
    au_checker_free(c);
    au_model_free(m);
    free(step_of);
    drop_trace(t);
    shown_trace = NULL;
}

/* --- models ---------------------------------------------------------------------------------------- */

static au_turn *own_turns(const au_oracle_turn *turn, uint32_t n) {
    au_turn *t = au_alloc_array(n, sizeof *t);
    for (uint32_t i = 0; i < n; i++)
        t[i] = (au_turn){.upto = turn[i].upto, .thread = (uint16_t)turn[i].thread};
    return t;
}

/* How many steps of the schedule the search can take. */
static uint64_t naive_turns(const au_model *m, const au_schedule *sch, mode how) {
    states s;
    uint64_t n = 0, *done = au_alloc_array(m->thread.n, sizeof *done);
    bool stuck = false;
    states_init(&s, m, how);
    for (uint32_t i = 0; i < sch->n && !stuck; i++)
        for (uint16_t t = sch->turn[i].thread; done[t] < sch->turn[i].upto && !stuck; done[t]++) {
            stuck = !states_step(&s, t);
            n += !stuck;
        }
    au_vec_release(&s.word);
    free(done);
    return n;
}

static void break_model_schedule(const au_model *m, const au_schedule *s, mode how) {
    for (uint32_t i = 0; i + 1 < s->n; i++) {
        /* turn i is left out: what it did is done by a later turn of its thread, or not */
        au_turn *turn = au_alloc_array(s->n, sizeof *turn);
        memcpy(turn, s->turn, i * sizeof *turn);
        memcpy(turn + i, s->turn + i + 1, (s->n - i - 1) * sizeof *turn);
        au_model_finding f = {
            .kind = AU_KIND_ASSERTION, .schedule = {turn, s->n - 1}, .valueless = how != VALUES};
        au_check_result r;
        au_model_check_schedule(m, &f, &r, NULL);
        uint64_t far = naive_turns(m, &f.schedule, how);
        if (r.step != far)
            wrong("a broken schedule of the model gets %llu steps (%s), in the search %llu",
                  (unsigned long long)r.step, r.why, (unsigned long long)far);
        told[10 + (r.verdict == AU_CHECK_STUCK)]++;
        free(turn);
    }
}

static void expect_model(const au_model *m, au_model_finding *f, bool spurious) {
    au_check_result r;
    au_model_seen_vec seen = {0};
    au_model_check_schedule(m, f, &r, &seen);
    if (r.verdict != (f->valueless ? AU_CHECK_LOCKS_ONLY : AU_CHECK_SHOWN) ||
        r.spurious != spurious) {
        printf("schedule");
        for (uint32_t i = 0; i < f->schedule.n; i++)
            printf(" %s:%llu", m->thread.at[f->schedule.turn[i].thread].name,
                   (unsigned long long)f->schedule.turn[i].upto);
        printf("; events");
        for (uint32_t i = 0; i < f->n_events; i++)
            printf(" step %u (line %u) index %llu", f->event[i].step,
                   f->event[i].step == AU_NONE ? 0 : m->step.at[f->event[i].step].line,
                   (unsigned long long)f->event[i].index);
        printf("\n");
        wrong("model %s: verdict %d (%s), spurious %d, the oracle %d", au_kind_name(f->kind),
              r.verdict, r.why, r.spurious, spurious);
    }
    told[12]++;
    /* values flow: each read saw what its writer wrote */
    for (size_t i = 0; i < seen.n && !f->valueless; i++) {
        const au_model_seen *v = &seen.at[i];
        uint64_t value = m->var.at[v->var].init;
        for (size_t k = 0; k < i && !v->write; k++)
            if (seen.at[k].write && seen.at[k].var == v->var)
                value = seen.at[k].value;
        if (!v->write && v->value != value)
            wrong("step %u reads %llu, written was %llu", v->step, (unsigned long long)v->value,
                  (unsigned long long)value);
        told[13] += !v->write;
    }
    au_vec_release(&seen);
}

static void check_model_finding(const au_model *m, const au_oracle_finding *g, bool valueless) {
    static const au_kind kinds[] = {AU_KIND_ASSERTION, AU_KIND_RACE, AU_KIND_ATOMICITY,
                                    AU_KIND_DEADLOCK, AU_KIND_MISUSE};
    au_model_event event[64];
    for (uint32_t i = 0; i < g->n_events; i++)
        event[i] = (au_model_event){g->event[i].step, g->event[i].index};
    au_model_finding f = {.kind = kinds[g->kind],
                          .var = g->var,
                          .obj = g->obj,
                          .event = event,
                          .n_events = g->n_events,
                          .schedule = {own_turns(g->turn, g->n_turns), g->n_turns},
                          .valueless = valueless};
    /* The oracle's way to a thread's end may be by another last step than it names. */
    au_check_result r = {.verdict = AU_CHECK_NOT_SHOWN};
    bool at_end = g->kind == AU_FOUND_MISUSE && !strcmp(g->detail, "held when its thread ends");
    uint32_t thread = m->step.at[event[0].step].thread;
    for (uint32_t i = 0; i < m->step.n && at_end && r.verdict > AU_CHECK_LOCKS_ONLY; i++)
        if (m->step.at[i].thread == thread && m->step.at[i].dst == m->thread.at[thread].exit) {
            event[0].step = i;
            au_model_check_schedule(m, &f, &r, NULL);
        }
    expect_model(m, &f, g->spurious);
    break_model_schedule(m, &f.schedule, valueless ? NO_VALUES : VALUES);
    free(f.schedule.turn);
}

/* The index of the read: its steps executed, or one more. */
static void check_model_read(const au_model *m, const au_read_from *g, bool valueless) {
    if (g->read == AU_NONE)
        return;
    uint32_t t = m->step.at[g->read].thread;
    au_model_finding f = {.kind = AU_KIND_NONDET,
                          .var = g->var,
                          .n_events = 2,
                          .schedule = {own_turns(g->turn, g->n_turns), g->n_turns},
                          .valueless = valueless};
    uint64_t done = 0;
    for (uint32_t i = 0; i < g->n_turns; i++)
        if (g->turn[i].thread == t)
            done = g->turn[i].upto;
    bool last = g->n_turns && g->turn[g->n_turns - 1].thread == t;
    au_model_event event[2] = {{g->writer, 0}, {g->read, done}};
    f.event = event;
    au_check_result r = {.verdict = AU_CHECK_NOT_SHOWN};
    if (last)
        au_model_check_schedule(m, &f, &r, NULL);
    if (r.verdict != AU_CHECK_SHOWN && r.verdict != AU_CHECK_LOCKS_ONLY) {
        event[1].index = done + 1; /* its assume is false: it has happened all the same */
        expect_model(m, &f, g->spurious);
    }
    free(f.schedule.turn);
}

static bool model_covers(const au_model *m, const au_model_finding *f, const au_oracle_finding *g) {
    for (uint32_t i = 0; i < g->n_events; i++) {
        const au_step *p = &m->step.at[g->event[i].step];
        bool found = false;
        for (uint32_t k = 0; k < f->n_events; k++)
            found |= m->step.at[f->event[k].step].thread == p->thread &&
                     m->step.at[f->event[k].step].src == p->src;
        if (!found)
            return false;
    }
    return true;
}

static void claim_model(const au_model *m, const au_oracle_result *r, au_model_finding *f) {
    au_check_result c;
    au_model_check_schedule(m, f, &c, NULL);
    if (c.verdict > AU_CHECK_LOCKS_ONLY)
        return;
    for (size_t i = 0; i < r->finding.n; i++) {
        const au_oracle_finding *g = &r->finding.at[i];
        if (f->kind == AU_KIND_RACE ? g->kind == AU_FOUND_RACE && g->var == f->var
                                    : g->kind == AU_FOUND_DEADLOCK)
            if (model_covers(m, f, g)) {
                told[14]++;
                return;
            }
    }
    for (uint32_t i = 0; i < f->schedule.n; i++)
        printf(" %s:%llu", m->thread.at[f->schedule.turn[i].thread].name,
               (unsigned long long)f->schedule.turn[i].upto);
    wrong(": a %s of %u threads in the model that the oracle does not find", au_kind_name(f->kind),
          f->n_events);
}

/* Nothing is shown that the oracle does not find: a random walk, every set of threads. */
static void check_model_claims(const au_model *m, const au_oracle_result *r, au_rng *rng) {
    states s;
    au_turn turn[128];
    au_model_event event[8];
    uint32_t done[8] = {0}, n = 0, threads = (uint32_t)m->thread.n;
    if (threads > 8)
        return;
    states_init(&s, m, VALUES);
    for (uint32_t i = 0, t = 0, want = au_rng_below(rng, 30); i < want && n < 128; i++) {
        if (au_rng_below(rng, 2))
            t = au_rng_below(rng, threads);
        if (s.word.at[m->var.n + t] != m->thread.at[t].exit && states_step(&s, t))
            turn[n++] = (au_turn){.upto = ++done[t], .thread = (uint16_t)t};
    }
    au_model_finding f = {.event = event, .schedule = {turn, n}};
    for (uint32_t set = 1; set < 1u << threads; set++) {
        bool all = true;
        f.n_events = 0;
        for (uint32_t t = 0; t < threads; t++)
            if (set >> t & 1) {
                const au_node *at = &m->thread.at[t].node.at[s.word.at[m->var.n + t]];
                all &= at->out.n > 0;
                if (all)
                    event[f.n_events++] = (au_model_event){at->out.at[0], done[t] + 1};
            }
        f.kind = AU_KIND_DEADLOCK;
        if (all)
            claim_model(m, r, &f);
        f.kind = AU_KIND_RACE;
        for (f.var = 0; f.var < m->var.n && all && f.n_events == 2; f.var++)
            claim_model(m, r, &f);
    }
    au_vec_release(&s.word);
}

static void check_model(uint64_t seed) {
    au_gen_ctp_options how = au_gen_ctp_defaults(1 + seed % 2);
    how.misuse = seed % 5 == 0;
    how.tries = seed % 3 == 0;
    how.widths = seed % 6 == 0;
    char *text = au_gen_ctp(seed, &how);
    shown_text = text;
    au_error err = AU_ERROR_NONE;
    au_ctp_options opts = {.unroll = 2};
    au_model *m = au_ctp_read(text, strlen(text), "random", &opts, &err);
    if (!m)
        wrong("%s", err.text);
    for (int valueless = 0; valueless < 2; valueless++) {
        au_oracle_options o = AU_ORACLE_DEFAULTS;
        o.semantics = valueless ? AU_SEM_CAM : AU_SEM_CTP;
        o.max_states = 20000;
        au_oracle_result *r = au_oracle_run(m, &o, &err);
        if (!r)
            wrong("%s", err.text);
        /* a few of each: the rest is alike */
        for (size_t i = 0; i < r->finding.n && r->exhaustive; i += 1 + r->finding.n / 40)
            check_model_finding(m, &r->finding.at[i], valueless);
        for (size_t i = 0; i < r->read_from.n && r->exhaustive; i += 1 + r->read_from.n / 40)
            check_model_read(m, &r->read_from.at[i], valueless);
        au_rng rng;
        au_rng_init(&rng, seed);
        for (int i = 0; i < 20 && r->exhaustive && !valueless; i++)
            check_model_claims(m, r, &rng);
        au_oracle_free(r);
    }
    au_model_free(m);
    shown_text = NULL;
    free(text);
}

int main(int argc, char **argv) {
    cases all = {.count = 100, .seed = 1};
    au_cases_options(&all, argc, argv, NULL);
    for (uint64_t i = 0; i < all.count; i++) {
        case_seed = all.seed + i;
        check_trace(case_seed);
        check_model(case_seed);
    }
    for (int i = 0; i < 16; i++)
        printf("%llu ", (unsigned long long)told[i]);
    printf("\n");
    return 0;
}
