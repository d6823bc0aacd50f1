/* model/slice.c: which events and facts a question depends on.
 *
 * Asked is whether a thread can come to a place (an event that is next or done, a fact that
 * fails) in some prefix of an interleaving. Kept is a set K of events and facts, the least that contains
 * what was asked for and with which
 *
 *   K1  for each thread, everything up to its last member of K that may wait or stop the thread
 *       (facts, reads that must see something, synchronisation, but see K6) is in K;
 *   K2  a read is in K if a term of a member of K mentions it;
 *   K3  a write (or another place of one) is in K if some member of K reads its variable;
 *   K4  with a member of K that waits, everything that could let it go on is in K: the fork of its
 *       thread, the ups of its semaphore, signals and broadcasts of (and waits on) its condition,
 *       arrivals at its barrier, all of the thread that it joins; and the release of a lock that it takes;
 *   K5  with a try that failed, everything done with its object is in K;
 *   K6  a lock's operations need not be in K if no member of K stands between an
 *       acquisition and its release, in any thread.
 *
 * The model of K answers as the whole model does:
 *
 *   - Let s be a schedule of the whole model. Leaving out of it what is not in K gives one of K's: a
 *     step k of K reads no variable that a left-out step writes (K3; of synchronisation: K4, K5;
 *     a left-out release belongs to a left-out acquisition), except that a left-out down of a semaphore,
 *     or acquisition, leaves more than there was, which stops nobody. Its values are the same (K2).
 *   - Let s be a schedule of K's. Before each step of a thread put in what was left out before it
 *     in that thread, all at once. None of that waits or stops (K1), but for locks of K6: these are free then,
 *     since everybody takes and gives them back within one such piece. None of it writes what a step of K reads
 *     (K3). So the result is a schedule of the whole model, and each thread comes as far.
 *
 * What comes after the last member of K in a thread is just not done.
 *
 * 'keep' takes an event in, 'reach' moves forward how far a thread must come; both note what is
 * to be done about it, 'work' does it. */
#include "model/symbolic_priv.h"

typedef AU_VEC(uint32_t) numbers;

typedef struct {
    const au_symbolic_plan *p;
    const au_symbolic *s;
    const au_columns *e;
    au_bitset event, fact, thread;
    au_bitset var, term;     /* read by somebody; looked into */
    uint8_t *lock;           /* by lock id: NEEDED, ALL */
    uint32_t *upto;          /* by thread: how many of its events were passed (in 'order') */
    uint32_t *want;          /* … and how many are to be */
    uint32_t *order, *first; /* events by thread */
    uint32_t *place;         /* by event: its place within its thread's */
    uint32_t *writer, *first_writer;  /* writes by variable */
    uint32_t *place_of, *first_place; /* s->elsewhere by variable */
    size_t *next_fact;                /* by thread: the first that is not kept, in p->of_fact */
    AU_VEC(uint32_t) threads;         /* whose 'want' has grown */
    AU_VEC(uint32_t) todo;            /* kept, not yet looked at */
    AU_VEC(uint32_t) stack;           /* terms */
    uint32_t *forked;                 /* by thread: the fork, AU_NONE */
    uint32_t *op, *first_op;          /* events by lock id */
    size_t end;
} slicer;

enum { NEEDED = 1, ALL = 2 };

/* ---- indexes ------------------------------------------------------------------------------- */

typedef bool key_fn(const slicer *k, size_t event, uint32_t *key);

static bool by_thread(const slicer *k, size_t i, uint32_t *key) {
    *key = k->e->thread[i];
    return true;
}

static bool by_lock(const slicer *k, size_t i, uint32_t *key) {
    *key = k->e->obj[i];
    return au_op_space(k->e->op[i]) == AU_WIRE_SPACE_LOCK;
}

static bool by_write(const slicer *k, size_t i, uint32_t *key) {
    *key = k->e->obj[i];
    return au_op_is_access(k->e->op[i]) && k->p->flag[*key] & AU_VAR_STEPS &&
           au_plan_writes(k->s, i);
}

/* Events by key, in order; first[key] … first[key + 1]. */
static uint32_t *sort_by(const slicer *k, key_fn *fn, size_t keys, uint32_t **first) {
    uint32_t key, *at = au_alloc_array(keys + 2, sizeof *at);
    for (size_t i = 0; i < k->end; i++)
        if (fn(k, i, &key))
            at[key + 2]++;
    for (size_t i = 2; i < keys + 2; i++)
        at[i] += at[i - 1];
    uint32_t *sorted = au_alloc_array(at[keys + 1], sizeof *sorted);
    for (size_t i = 0; i < k->end; i++)
        if (fn(k, i, &key))
            sorted[at[key + 1]++] = (uint32_t)i;
    *first = at;
    return sorted;
}

static void sort_places(slicer *k) {
    size_t vars = k->s->trace->names.var.n, n = k->s->elsewhere.n;
    k->first_place = au_alloc_array(vars + 2, sizeof *k->first_place);
    k->place_of = au_alloc_array(n, sizeof *k->place_of);
    for (size_t i = 0; i < n; i++)
        k->first_place[k->s->elsewhere.at[i].var + 2]++;
    for (size_t i = 2; i < vars + 2; i++)
        k->first_place[i] += k->first_place[i - 1];
    for (size_t i = 0; i < n; i++)
        k->place_of[k->first_place[k->s->elsewhere.at[i].var + 1]++] = (uint32_t)i;
}

/* ---- what is kept ------------------------------------------------------------------------------ */

/* The thread must be able to come past this event. */
static void reach(slicer *k, uint32_t event) {
    uint32_t t = k->e->thread[event], n = k->place[event] + 1;
    if (k->want[t] >= n)
        return;
    if (k->want[t] == k->upto[t])
        au_vec_push(&k->threads, t);
    k->want[t] = n;
}

static bool has_steps(const slicer *k, uint32_t event) {
    au_op op = k->e->op[event];
    if (au_op_is_access(op))
        return k->p->flag[k->e->obj[event]] & AU_VAR_STEPS;
    return !au_judge_ignores(op) && op != AU_OP_BEGIN && op != AU_OP_END;
}

static void keep(slicer *k, uint32_t event) {
    if (event >= k->end || au_bitset_has(&k->event, event) || !has_steps(k, event))
        return;
    au_bitset_add(&k->event, event);
    au_vec_push(&k->todo, event);
    reach(k, event);
}

static void keep_thread(slicer *k, uint32_t thread) {
    au_bitset_add(&k->thread, thread);
    if (k->forked[thread] != AU_NONE)
        keep(k, k->forked[thread]);
}

/* Every read that the term mentions. */
static void look_into(slicer *k, au_term x) {
    if (x.n == UINT32_MAX)
        return;
    au_vec_push(&k->stack, x.n);
    while (k->stack.n) {
        au_term t = {au_vec_pop(&k->stack)};
        if (au_bitset_has(&k->term, t.n))
            continue;
        au_bitset_add(&k->term, t.n);
        if (au_term_kind(k->s->terms, t) == AU_T_VAR)
            keep(k, au_term_var(k->s->terms, t));
        for (unsigned i = 0; i < au_term_kids(k->s->terms, t); i++)
            au_vec_push(&k->stack, au_term_kid(k->s->terms, t, i).n);
    }
}

/* Somebody reads it: who writes it matters. */
static void read_var(slicer *k, uint32_t var) {
    if (au_bitset_has(&k->var, var))
        return;
    au_bitset_add(&k->var, var);
    for (uint32_t i = k->first_writer[var]; i < k->first_writer[var + 1]; i++)
        keep(k, k->writer[i]);
    for (uint32_t i = k->first_place[var]; i < k->first_place[var + 1]; i++)
        if (au_plan_writes(k->s, k->s->elsewhere.at[k->place_of[i]].event))
            keep(k, k->s->elsewhere.at[k->place_of[i]].event);
}

static void keep_fact(slicer *k, uint32_t fact) {
    if (au_bitset_has(&k->fact, fact))
        return;
    au_bitset_add(&k->fact, fact);
    look_into(k, k->s->fact.at[fact].cond);
}

/* Facts of the thread that stand before this event and, if asked for, right after it. */
static void keep_facts(slicer *k, uint32_t thread, uint32_t event, bool after) {
    for (; k->next_fact[thread] < k->p->first_fact[thread + 1]; k->next_fact[thread]++) {
        uint32_t fact = k->p->of_fact[k->next_fact[thread]];
        uint32_t where = k->s->fact.at[fact].after;
        if (where != AU_NONE && (where > event || (where == event && !after)))
            return;
        keep_fact(k, fact);
    }
}

/* It must be able to end. */
static void reach_all(slicer *k, uint32_t thread) {
    uint32_t n = k->first[thread + 1] - k->first[thread];
    keep_thread(k, thread);
    keep_facts(k, thread, AU_NONE - 1, true);
    if (n)
        reach(k, k->order[k->first[thread] + n - 1]);
}

static void keep_access(slicer *k, uint32_t event) {
    size_t n, at = au_plan_elsewhere(k->p, event, &n);
    bool reads = au_plan_reads(k->s, event);
    if (reads)
        read_var(k, k->e->obj[event]);
    for (size_t i = at; i < at + n; i++) {
        look_into(k, k->s->elsewhere.at[i].when);
        if (reads)
            read_var(k, k->s->elsewhere.at[i].var);
    }
    look_into(k, k->s->write[event]);
    /* what is pinned of an update that writes a constant is its guard */
    if (reads && au_plan_writes(k->s, event) && k->s->write[event].n == UINT32_MAX)
        keep_facts(k, k->e->thread[event], event, true);
}

/* All events with this object that do one of these. */
static void keep_ops(slicer *k, uint32_t lock, uint64_t ops) {
    for (uint32_t i = k->first_op[lock]; i < k->first_op[lock + 1]; i++)
        if (ops >> k->e->op[k->op[i]] & 1)
            keep(k, k->op[i]);
}

#define OP(x) (UINT64_C(1) << AU_OP_##x)

/* The release that goes with an acquisition. */
static uint32_t release_of(const slicer *k, uint32_t acq) {
    uint32_t t = k->e->thread[acq], lock = k->e->obj[acq], depth = 0;
    for (uint32_t i = k->first[t] + k->place[acq]; i < k->first[t + 1]; i++) {
        uint32_t e = k->order[i];
        if (au_op_space(k->e->op[e]) != AU_WIRE_SPACE_LOCK || k->e->obj[e] != lock)
            continue;
        if ((OP(ACQ) | OP(RDACQ) | OP(WRACQ) | OP(DOWN)) >> k->e->op[e] & 1)
            depth++;
        if ((OP(REL) | OP(UP)) >> k->e->op[e] & 1 && --depth == 0)
            return e;
    }
    return AU_NONE;
}

static void keep_sync(slicer *k, uint32_t event) {
    uint32_t o = k->e->obj[event], other;
    uint8_t kind;
    switch (k->e->op[event]) {
    case AU_OP_ACQ:
    case AU_OP_RDACQ:
    case AU_OP_WRACQ:
    case AU_OP_DOWN:
        kind = k->p->j.obj[o].kind;
        other = release_of(k, event);
        if (kind == AU_WIRE_OBJ_SEM)
            keep_ops(k, o, OP(UP) | OP(REL));
        else if (other != AU_NONE)
            keep(k, other);
        return;
    case AU_OP_REL:
    case AU_OP_UP: {
        const au_judged_wait *w = au_judged_wait_at(&k->p->j, event);
        if (w && w->wait < k->end)
            keep(k, w->wait);
        return;
    }
    case AU_OP_WAIT:
        keep_ops(k, o, OP(SIGNAL) | OP(BROADCAST) | OP(WAIT) | OP(WAKE));
        return;
    case AU_OP_WAKE:
        other = k->p->j.next[event];
        if (other < k->end)
            keep(k, other); /* its lock again */
        return;
    case AU_OP_ARRIVE:
    case AU_OP_LEAVE:
        keep_ops(k, o, OP(ARRIVE) | OP(LEAVE));
        return;
    case AU_OP_TRYFAIL:
        k->lock[o] |= NEEDED | ALL;
        keep_ops(k, o, OP(ACQ) | OP(REL) | OP(RDACQ) | OP(WRACQ) | OP(DOWN) | OP(UP));
        return;
    case AU_OP_ONCE:
        keep(k, k->p->j.once[o]);
        return;
    case AU_OP_FORK:
        au_bitset_add(&k->thread, o);
        return;
    case AU_OP_JOIN:
        reach_all(k, o);
        return;
    default:
        return;
    }
}

static void look_at(slicer *k, uint32_t event) {
    if (au_op_is_access(k->e->op[event])) {
        keep_access(k, event);
        return;
    }
    if (au_op_space(k->e->op[event]) == AU_WIRE_SPACE_LOCK)
        k->lock[k->e->obj[event]] |= NEEDED;
    keep_sync(k, event);
}

/* ---- passing over what comes before ------------------------------------------------------------- */

/* May the thread wait or stop at it? */
static bool may_stop(const slicer *k, uint32_t event) {
    au_op op = k->e->op[event];
    if (au_op_is_access(op))
        return au_plan_reads(k->s, event) &&
               (!au_bitset_has(&k->s->symbolic, event) ||
                k->p->flag[k->e->obj[event]] & AU_VAR_DOUBTED || au_map_find(&k->p->cut, event));
    bool lock = au_op_space(op) == AU_WIRE_SPACE_LOCK;
    uint8_t kind = lock ? k->p->j.obj[k->e->obj[event]].kind : AU_WIRE_OBJ_UNKNOWN;
    bool plain =
        kind == AU_WIRE_OBJ_LOCK || kind == AU_WIRE_OBJ_RLOCK || kind == AU_WIRE_OBJ_RWLOCK;
    if (plain && op != AU_OP_TRYFAIL && !(k->lock[k->e->obj[event]] & NEEDED))
        return false; /* K6, so far */
    return !(op == AU_OP_UP || op == AU_OP_SIGNAL || op == AU_OP_BROADCAST || op == AU_OP_FORK ||
             (op == AU_OP_REL && kind == AU_WIRE_OBJ_SEM));
}

/* Another place of a doubted variable may stop the thread, too. */
static bool elsewhere_may_stop(const slicer *k, uint32_t event) {
    size_t n, at = au_plan_elsewhere(k->p, event, &n);
    for (size_t i = at; i < at + n; i++)
        if (au_plan_reads(k->s, event) && k->p->flag[k->s->elsewhere.at[i].var] & AU_VAR_DOUBTED)
            return true;
    return false;
}

static void pass(slicer *k, uint32_t thread) {
    keep_thread(k, thread);
    while (k->upto[thread] < k->want[thread]) {
        uint32_t event = k->order[k->first[thread] + k->upto[thread]];
        if (has_steps(k, event) && (may_stop(k, event) || elsewhere_may_stop(k, event)))
            keep(k, event);
        k->upto[thread]++;
        keep_facts(k, thread, event, false);
    }
}

static void work(slicer *k) {
    while (k->threads.n || k->todo.n)
        if (k->todo.n)
            look_at(k, au_vec_pop(&k->todo));
        else
            pass(k, au_vec_pop(&k->threads));
}

/* ---- locks that order something kept --------------------------------------------------------------- */

static const uint64_t TAKES = OP(ACQ) | OP(RDACQ) | OP(WRACQ) | OP(DOWN), GIVES = OP(REL) | OP(UP);

static bool need(slicer *k, uint32_t lock) {
    bool more = !(k->lock[lock] & NEEDED);
    k->lock[lock] |= NEEDED;
    return more;
}

/* Takes the lock off those that are held; false: it was none. */
static bool give(numbers *held, uint32_t lock) {
    for (size_t h = held->n; h-- > 0;)
        if (held->at[h] == lock) {
            memmove(held->at + h, held->at + h + 1, (held->n - h - 1) * sizeof *held->at);
            held->n--;
            return true;
        }
    return false;
}

/* K6 once more: true if another lock has become needed. */
static bool find_locks(slicer *k) {
    bool more = false;
    numbers held = {0};
    for (uint32_t t = 0; t < k->s->trace->names.thread.n; t++) {
        size_t fact = k->p->first_fact[t], facts = k->p->first_fact[t + 1];
        au_vec_clear(&held);
        for (uint32_t i = 0; i < k->upto[t]; i++) {
            uint32_t event = k->order[k->first[t] + i], lock = k->e->obj[event];
            au_op op = k->e->op[event];
            bool takes = TAKES >> op & 1, kept = au_bitset_has(&k->event, event);
            if (GIVES >> op & 1 && !give(&held, lock))
                more |= need(k, lock);
            if (takes)
                au_vec_push(&held, lock);
            /* is there a kept fact right after it? */
            for (; fact < facts; fact++) {
                uint32_t after = k->s->fact.at[k->p->of_fact[fact]].after;
                if (after != AU_NONE && after >= event) {
                    kept |= after == event && au_bitset_has(&k->fact, k->p->of_fact[fact]);
                    break;
                }
            }
            for (size_t h = 0; h < held.n && kept; h++)
                more |= need(k, held.at[h]);
        }
    }
    au_vec_release(&held);
    return more;
}

/* All operations on needed locks that threads come past. */
static void keep_locks(slicer *k) {
    for (uint32_t l = 0; l < k->s->trace->names.lock.n; l++)
        for (uint32_t i = k->first_op[l]; i < k->first_op[l + 1] && k->lock[l] & NEEDED; i++) {
            uint32_t event = k->op[i];
            if (k->place[event] < k->upto[k->e->thread[event]] && may_stop(k, event))
                keep(k, event);
        }
}

/* ---- all of it -------------------------------------------------------------------------------------- */

static void slicer_init(slicer *k, const au_symbolic_plan *p) {
    const au_trace *t = p->s->trace;
    size_t threads = t->names.thread.n;
    *k = (slicer){.p = p, .s = p->s, .e = &t->events, .end = p->end};
    au_bitset_init(&k->event, t->events.n);
    au_bitset_init(&k->fact, p->s->fact.n);
    au_bitset_init(&k->thread, threads);
    au_bitset_init(&k->var, t->names.var.n);
    au_bitset_init(&k->term, au_terms_count(p->s->terms));
    k->lock = au_alloc_array(t->names.lock.n, 1);
    k->upto = au_alloc_array(threads, sizeof *k->upto);
    k->want = au_alloc_array(threads, sizeof *k->want);
    k->forked = au_alloc_array(threads, sizeof *k->forked);
    k->place = au_alloc_array(k->end, sizeof *k->place);
    k->order = sort_by(k, by_thread, threads, &k->first);
    k->writer = sort_by(k, by_write, t->names.var.n, &k->first_writer);
    k->op = sort_by(k, by_lock, t->names.lock.n, &k->first_op);
    k->next_fact = au_alloc_array(threads, sizeof *k->next_fact);
    memcpy(k->next_fact, p->first_fact, threads * sizeof *k->next_fact);
    sort_places(k);
    memset(k->forked, 0xff, threads * sizeof *k->forked);
    for (uint32_t i = 0; i < threads; i++)
        for (uint32_t n = k->first[i]; n < k->first[i + 1]; n++)
            k->place[k->order[n]] = n - k->first[i];
    for (size_t i = 0; i < k->end; i++)
        if (t->events.op[i] == AU_OP_FORK)
            k->forked[t->events.obj[i]] = (uint32_t)i;
    /* a condition's lock, and what is released by who does not hold it, is never left out */
    for (size_t i = 0; i < p->j.wait.n; i++)
        k->lock[t->events.obj[p->j.wait.at[i].rel]] |= NEEDED;
}

static void slicer_release(slicer *k) {
    au_bitset_release(&k->var);
    au_bitset_release(&k->term);
    free(k->lock);
    free(k->upto);
    free(k->want);
    free(k->forked);
    free(k->place);
    free(k->order);
    free(k->first);
    free(k->writer);
    free(k->first_writer);
    free(k->op);
    free(k->first_op);
    free(k->place_of);
    free(k->first_place);
    free(k->next_fact);
    au_vec_release(&k->todo);
    au_vec_release(&k->threads);
    au_vec_release(&k->stack);
}

/* A fact that was asked for: its thread comes past the event before it. */
static void ask_fact(slicer *k, uint32_t fact) {
    const au_fact *f = &k->s->fact.at[fact];
    if (f->after != AU_NONE && f->after >= k->end)
        return;
    keep_thread(k, f->thread);
    if (f->after != AU_NONE)
        reach(k, f->after);
    keep_facts(k, f->thread, f->after == AU_NONE ? 0 : f->after, f->after != AU_NONE);
}

void au_slice_init(au_slice *into, const au_symbolic_plan *p, const au_bitset *facts,
                   const au_bitset *events) {
    slicer k;
    slicer_init(&k, p);
    for (uint32_t i = 0; i < p->s->fact.n; i++)
        if (facts ? au_bitset_has(facts, i) : !events)
            ask_fact(&k, i);
    for (size_t i = events ? au_bitset_next(events, 0) : SIZE_MAX; i < k.end;
         i = au_bitset_next(events, i + 1))
        keep(&k, (uint32_t)i);
    do {
        keep_locks(&k);
        work(&k);
    } while (find_locks(&k));
    *into = (au_slice){k.event, k.fact, k.thread};
    slicer_release(&k);
}

void au_slice_release(au_slice *s) {
    au_bitset_release(&s->events);
    au_bitset_release(&s->facts);
    au_bitset_release(&s->threads);
}

au_model *au_model_slice(const au_symbolic *s, const au_bitset *facts, const au_bitset *events,
                         au_symbolic_map *map, au_error *err) {
    au_symbolic_plan *p = au_symbolic_plan_new(s, err);
    if (!p)
        return NULL;
    au_slice slice;
    au_slice_init(&slice, p, facts, events);
    au_model *m = au_model_from_plan(p, &slice, map, err);
    au_slice_release(&slice);
    au_symbolic_plan_free(p);
    return m;
}
