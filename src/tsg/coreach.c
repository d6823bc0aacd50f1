/* tsg/coreach.c: which control states of two threads cannot be taken at one time.
 *
 * Reasons, each but the third from sets that hold on every path to a node:
 *   locks       both hold a lock that only one can hold;
 *   histories   one holds l and has acquired k since, the other holds k and has acquired l since:
 *               the last of the two acquires found its lock taken (Farzan et al.);
 *   lives       the other is not alive on any way there, or the two are never alive at one time (lives.h);
 *   fork, join  the other is through for sure and the node is not its exit, or it has not been
 *               started for sure.
 * Paths are those that come back from a function to where they called it (calls.h). Nodes with the same sets are
 * one class.
 * Semaphores that are used as locks (sems.h) and locks that the program makes itself (counted.h) count as such.
 * A lock is held from its acquire to its release by the same thread: the guards of the model
 * see to that, whatever the program does wrong otherwise. */
#include "tsg/coreach.h"

#include "tsg/calls.h"
#include "tsg/counted.h"
#include "tsg/lives.h"
#include "tsg/sems.h"

enum { HISTORY_BYTES = 1 << 28 }; /* beyond, histories are left out: that is only less precise */

struct au_coreach {
    size_t locks;     /* objects that are locks, and those of 'counted' */
    uint32_t *number; /* by object, then by lock of 'counted': which, AU_NONE */
    size_t words, thread_words;
    uint64_t *alone, *any;      /* by node: held by it alone; alone or as one of the readers */
    uint64_t *history;          /* by node and lock: acquired since; NULL: not known */
    uint64_t *done, *unstarted; /* by node: threads */
    au_calls calls;
    const au_model *m;
    const uint32_t *owner; /* by node: its thread */
    au_sems sems;
    au_counted counted;
    au_lives lives;
    uint32_t *class;           /* by node */
    AU_VEC(uint32_t) of_class; /* one node of each */
};

/* --- locks -------------------------------------------------------------------------------- */

typedef struct {
    uint8_t *depth; /* [node * 2 locks]: alone, as a reader; the least of all paths */
    bool *seen;
} depths;

static void acquire(uint8_t *d) {
    if (*d < UINT8_MAX)
        ++*d;
}
static void release(uint8_t *d) {
    if (*d)
        --*d;
}

static bool is_lock(const au_model *m, uint32_t obj) {
    return obj != AU_NONE && m->obj.at[obj].kind <= AU_OBJ_RWLOCK;
}

static bool is_sync(au_step_kind k) {
    return k >= AU_STEP_ACQ && k <= AU_STEP_LEAVE;
}

/* The object that a step takes or gives as a lock; AU_NONE. */
static uint32_t lock_object(const au_model *m, const au_step *s) {
    uint32_t obj = s->kind == AU_STEP_WAIT || s->kind == AU_STEP_WAKE ? s->obj2 : s->obj;
    return is_sync(s->kind) && is_lock(m, obj) ? obj : AU_NONE;
}

/* … its number. */
static uint32_t lock_of(const au_coreach *c, const au_model *m, const au_step *s) {
    uint32_t obj = lock_object(m, s);
    if (c->sems.role[s->id] == AU_SEM_TAKE || c->sems.role[s->id] == AU_SEM_GIVE)
        obj = c->sems.obj[s->id];
    return obj == AU_NONE ? AU_NONE : c->number[obj];
}

/* … that of the lock which the program made and this step takes or gives. */
static uint32_t counted_of(const au_coreach *c, const au_step *s) {
    return c->counted.role[s->id] ? c->number[c->m->obj.n + c->counted.of[s->id]] : AU_NONE;
}

/* All that it takes or gives. */
static unsigned touched_by(const void *ctx, const au_step *s, uint32_t *number) {
    const au_coreach *c = ctx;
    unsigned n = 0;
    number[n] = lock_of(c, c->m, s);
    n += number[n] != AU_NONE;
    uint8_t role = c->sems.role[s->id];
    if (role == AU_SEM_ENTER || role == AU_SEM_LEAVE)
        number[n++] = c->number[c->sems.obj[s->id]];
    number[n] = counted_of(c, s);
    return n + (number[n] != AU_NONE);
}

static bool takes(const au_step *s) {
    return s->kind == AU_STEP_ACQ || s->kind == AU_STEP_RDACQ || s->kind == AU_STEP_WRACQ ||
           s->kind == AU_STEP_WAKE;
}

static void counted_depths(const au_coreach *c, const au_step *s, uint8_t *d) {
    uint32_t l = counted_of(c, s);
    if (l == AU_NONE)
        return;
    switch ((au_counted_role)c->counted.role[s->id]) {
    case AU_COUNTED_NONE:
        break;
    case AU_COUNTED_READ:
        acquire(&d[2 * l + 1]);
        break;
    case AU_COUNTED_WRITE:
        d[2 * l] = 1;
        break;
    case AU_COUNTED_DONE:
        release(&d[2 * l + 1]);
        break;
    case AU_COUNTED_RESET:
        d[2 * l + 1] = 0; /* fall through */
    case AU_COUNTED_WRITTEN:
        d[2 * l] = 0;
        break;
    }
}

/* The step would take a lock that the program made from its own thread, which has it: it waits for good. */
static bool waits_for_itself(const au_coreach *c, const au_step *s, const uint8_t *d) {
    uint32_t l = counted_of(c, s);
    uint8_t role = c->counted.role[s->id];
    return (role == AU_COUNTED_READ && d[2 * l]) ||
           (role == AU_COUNTED_WRITE && (d[2 * l] || d[2 * l + 1]));
}

static void step_depths(const au_coreach *c, const au_model *m, const au_step *s, uint8_t *d) {
    uint32_t l = lock_of(c, m, s);
    uint8_t role = c->sems.role[s->id];
    counted_depths(c, s, d);
    if (role == AU_SEM_ENTER)
        acquire(&d[2 * c->number[c->sems.obj[s->id]] + 1]);
    else if (role == AU_SEM_LEAVE)
        release(&d[2 * c->number[c->sems.obj[s->id]] + 1]);
    if (l == AU_NONE)
        return;
    if (takes(s) && s->kind != AU_STEP_RDACQ) {
        bool deep = m->obj.at[s->kind == AU_STEP_WAKE ? s->obj2 : s->obj].kind == AU_OBJ_RLOCK;
        if (deep)
            acquire(&d[2 * l]);
        else
            d[2 * l] = 1;
    } else if (s->kind == AU_STEP_RDACQ) {
        acquire(&d[2 * l + 1]);
    } else if (s->kind == AU_STEP_REL || s->kind == AU_STEP_WAIT) {
        release(&d[2 * l + !d[2 * l]]);
    }
}

static bool meet_depths(uint8_t *into, const uint8_t *from, size_t n) {
    bool less = false;
    for (size_t i = 0; i < n; i++)
        if (from[i] < into[i]) {
            into[i] = from[i];
            less = true;
        }
    return less;
}

typedef AU_VEC(uint32_t) nodes;

static bool returns_to(const au_coreach *c, uint32_t node) {
    return c->calls.any && c->calls.call[node] != AU_NONE;
}

/* Nothing is said of locks that the function touches, or that it does not. */
static void leave_out(const au_coreach *c, uint32_t function, bool touched, uint8_t *now) {
    const uint64_t *set = c->calls.locks + function * c->calls.words;
    for (size_t l = 0; l < c->locks; l++)
        if ((set[l / 64] >> (l % 64) & 1) == touched)
            now[2 * l] = now[2 * l + 1] = UINT8_MAX;
}

static void flow_depths(depths *d, uint32_t to, const uint8_t *now, size_t n, nodes *work) {
    bool again = !d->seen[to];
    if (again)
        memcpy(d->depth + to * n, now, n);
    else
        again = meet_depths(d->depth + to * n, now, n);
    d->seen[to] = true;
    if (again)
        au_vec_push(work, to);
}

static void mark(uint64_t *set, uint32_t lock) {
    if (lock != AU_NONE)
        set[lock / 64] |= UINT64_C(1) << (lock % 64);
}

/* Adds the locks that the step gives, or what it calls, and that were not taken since 'now' was all 0. */
static void add_given(const au_coreach *c, const au_step *s, const uint8_t *now, uint64_t *set) {
    uint32_t l = lock_of(c, c->m, s), own = counted_of(c, s);
    uint8_t sem = c->sems.role[s->id], role = c->counted.role[s->id];
    bool gives = s->kind == AU_STEP_REL || s->kind == AU_STEP_WAIT;
    if (l != AU_NONE && gives && !now[2 * l] && !now[2 * l + 1])
        mark(set, l);
    if (sem == AU_SEM_LEAVE && !now[2 * c->number[c->sems.obj[s->id]] + 1])
        mark(set, c->number[c->sems.obj[s->id]]);
    if ((role == AU_COUNTED_DONE && !now[2 * own + 1]) ||
        (role == AU_COUNTED_WRITTEN && !now[2 * own]) || role == AU_COUNTED_RESET)
        mark(set, own);
    for (size_t k = 0; c->calls.on[s->id] != AU_NONE && k < c->words; k++)
        set[k] |= c->calls.locks[c->calls.entry[s->id] * c->calls.words + k];
}

/* Locks that a call of the function that begins there may give without having taken them. True: more than were known. */
static bool find_given(const au_facts *f, const au_coreach *c, uint32_t entry, depths *d,
                       uint8_t *now, uint64_t *set) {
    size_t n = 2 * c->locks;
    uint64_t *had = au_alloc_array(c->words + 1, sizeof *had);
    memcpy(had, set, c->words * sizeof *set);
    nodes work = {0}, all = {0};
    memset(d->depth + entry * n, 0, n);
    d->seen[entry] = true;
    au_vec_push(&work, entry);
    while (work.n) {
        uint32_t at = au_vec_pop(&work);
        au_vec_push(&all, at);
        const au_node *node = au_facts_node(f, at);
        for (size_t i = 0; i < node->out.n; i++) {
            const au_step *s = &f->m->step.at[node->out.at[i]];
            uint32_t to = au_facts_dst(f, s->id), on = c->calls.on[s->id];
            memcpy(now, d->depth + at * n, n);
            add_given(c, s, now, set);
            if (waits_for_itself(c, s, now))
                continue;
            step_depths(c, f->m, s, now);
            if (on != AU_NONE || !returns_to(c, to))
                flow_depths(d, on != AU_NONE ? on : to, now, n, &work);
        }
    }
    for (size_t i = 0; i < all.n; i++)
        d->seen[all.at[i]] = false;
    au_vec_release(&work);
    au_vec_release(&all);
    bool more = memcmp(had, set, c->words * sizeof *set) != 0;
    free(had);
    return more;
}

/* What a function takes and gives back itself its callers need not care for: who had it before has it behind. */
static void keep_balanced(const au_facts *f, au_coreach *c) {
    size_t w = c->calls.words;
    if (!c->calls.any || !c->locks)
        return;
    depths d = {au_alloc_array(f->nodes * 2 * c->locks + 1, 1), au_alloc_array(f->nodes + 1, 1)};
    uint8_t *now = au_alloc_array(2 * c->locks + 1, 1);
    uint32_t *entry = au_alloc_array(c->calls.entries + 1, sizeof *entry);
    for (uint32_t i = 0; i < f->m->step.n; i++)
        if (c->calls.on[i] != AU_NONE)
            entry[c->calls.entry[i]] = au_facts_dst(f, i);
    memset(c->calls.locks, 0, c->calls.entries * w * sizeof *c->calls.locks);
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < c->calls.entries; i++)
            more |= find_given(f, c, entry[i], &d, now, c->calls.locks + i * w);
    }
    free(d.depth);
    free(d.seen);
    free(now);
    free(entry);
}

/* Every path from the entry: the least depth of each lock. A release of a reader's hold that is
 * read as one of a writer's cannot be: a writer keeps readers out, itself included. */
static void find_depths(const au_facts *f, const au_coreach *c, depths *d) {
    size_t n = 2 * c->locks;
    uint8_t *now = au_alloc_array(n + 1, 1);
    nodes work = {0};
    for (uint32_t t = 0; t < f->m->thread.n; t++) {
        d->seen[au_facts_entry(f, t)] = true;
        au_vec_push(&work, au_facts_entry(f, t));
    }
    while (work.n) {
        uint32_t at = au_vec_pop(&work);
        const au_node *node = au_facts_node(f, at);
        for (size_t i = 0; i < node->out.n; i++) {
            const au_step *s = &f->m->step.at[node->out.at[i]];
            uint32_t to = au_facts_dst(f, s->id);
            memcpy(now, d->depth + at * n, n);
            if (waits_for_itself(c, s, now))
                continue;
            step_depths(c, f->m, s, now);
            if (returns_to(c, to)) /* only what it may have touched comes from there */
                leave_out(c, c->calls.entry[c->calls.call[to]], false, now);
            flow_depths(d, to, now, n, &work);
            if (c->calls.any && c->calls.on[s->id] != AU_NONE) {
                leave_out(c, c->calls.entry[s->id], true, now);
                flow_depths(d, c->calls.on[s->id], now, n, &work);
            }
        }
    }
    au_vec_release(&work);
    free(now);
}

/* Does somebody give a lock that the program made who may not have it? */
static bool gives_wrongly(const au_coreach *c, uint32_t step, const uint8_t *depth) {
    uint8_t role = c->counted.role[step];
    uint32_t l = counted_of(c, &c->m->step.at[step]);
    return (role == AU_COUNTED_DONE && !depth[2 * l + 1]) ||
           (role == AU_COUNTED_WRITTEN && !depth[2 * l]);
}

/* The first semaphore that somebody gives who may not have it, or leaves who may not be in, or the first such lock of
 * the program's own (their numbers follow those of objects); AU_NONE. */
static uint32_t wrong_sem(const au_facts *f, const au_coreach *c, const depths *d) {
    for (uint32_t i = 0; i < f->m->step.n; i++) {
        uint8_t role = c->sems.role[i];
        uint32_t at = au_facts_src(f, i), obj = c->sems.obj[i];
        if (d->seen[at] && gives_wrongly(c, i, d->depth + at * c->locks * 2))
            return (uint32_t)f->m->obj.n + c->counted.of[i];
        if ((role != AU_SEM_GIVE && role != AU_SEM_LEAVE) || !d->seen[at])
            continue;
        const uint8_t *depth = d->depth + (at * c->locks + c->number[obj]) * 2;
        if (!depth[role == AU_SEM_LEAVE])
            return obj;
    }
    return AU_NONE;
}

/* Returns the first that is no lock, as wrong_sem; AU_NONE: all is well. */
static uint32_t find_held(const au_facts *f, au_coreach *c) {
    depths d = {au_alloc_array(f->nodes * 2 * c->locks + 1, 1), au_alloc_array(f->nodes + 1, 1)};
    find_depths(f, c, &d);
    uint32_t wrong = wrong_sem(f, c, &d);
    for (uint32_t n = 0; n < f->nodes; n++)
        for (size_t l = 0; l < c->locks; l++) {
            const uint8_t *at = d.depth + (n * c->locks + l) * 2;
            if (at[0])
                c->alone[n * c->words + l / 64] |= UINT64_C(1) << (l % 64);
            if (at[0] || at[1])
                c->any[n * c->words + l / 64] |= UINT64_C(1) << (l % 64);
        }
    free(d.depth);
    free(d.seen);
    return wrong;
}

static bool has(const uint64_t *set, size_t i) {
    return set[i / 64] >> (i % 64) & 1;
}

static void forget_histories(const au_coreach *c, uint32_t function, bool touched, uint64_t *now) {
    for (size_t l = 0; l < c->locks; l++)
        if (has(c->calls.locks + function * c->calls.words, l) == touched)
            memset(now + l * c->words, 0xff, c->words * sizeof *now);
}

static void flow_history(au_coreach *c, uint32_t to, const uint64_t *now, size_t row, bool *seen,
                         nodes *work) {
    bool less = !seen[to];
    for (size_t k = 0; k < row; k++) {
        uint64_t both = c->history[to * row + k] & now[k];
        less |= both != c->history[to * row + k];
        c->history[to * row + k] = both;
    }
    seen[to] = true;
    if (less)
        au_vec_push(work, to);
}

/* history[node][l]: what was acquired since l was, on every path; only where l is held. */
static void find_histories(const au_facts *f, au_coreach *c) {
    size_t row = c->locks * c->words;
    if (!row || row * sizeof(uint64_t) > HISTORY_BYTES / (f->nodes + 1))
        return;
    c->history = au_alloc_array(f->nodes * row, sizeof *c->history);
    memset(c->history, 0xff, f->nodes * row * sizeof *c->history);
    uint64_t *now = au_alloc_array(row, sizeof *now);
    nodes work = {0};
    for (uint32_t t = 0; t < f->m->thread.n; t++) {
        memset(c->history + au_facts_entry(f, t) * row, 0, row * sizeof *now);
        au_vec_push(&work, au_facts_entry(f, t));
    }
    bool *seen = au_alloc_array(f->nodes + 1, sizeof *seen);
    while (work.n) {
        uint32_t at = au_vec_pop(&work);
        const au_node *node = au_facts_node(f, at);
        for (size_t i = 0; i < node->out.n; i++) {
            const au_step *s = &f->m->step.at[node->out.at[i]];
            uint32_t to = au_facts_dst(f, s->id), l = lock_of(c, f->m, s);
            memcpy(now, c->history + at * row, row * sizeof *now);
            if (l != AU_NONE && takes(s)) {
                for (size_t k = 0; k < c->locks; k++)
                    if (has(c->any + at * c->words, k))
                        now[k * c->words + l / 64] |= UINT64_C(1) << (l % 64);
                if (!has(c->any + at * c->words, l))
                    memset(now + l * c->words, 0, c->words * sizeof *now);
            }
            if (returns_to(c, to))
                forget_histories(c, c->calls.entry[c->calls.call[to]], false, now);
            flow_history(c, to, now, row, seen, &work);
            if (c->calls.any && c->calls.on[s->id] != AU_NONE) {
                forget_histories(c, c->calls.entry[s->id], true, now);
                flow_history(c, c->calls.on[s->id], now, row, seen, &work);
            }
        }
    }
    free(seen);
    free(now);
    au_vec_release(&work);
}

/* --- fork and join --------------------------------------------------------------------------- */

static void add(uint64_t *set, size_t i) {
    set[i / 64] |= UINT64_C(1) << (i % 64);
}

/* Threads that a thread may have forked on some path to a node of its own. */
static uint64_t *find_forked(const au_facts *f, const au_coreach *c) {
    const au_model *m = f->m;
    size_t w = c->thread_words;
    uint64_t *forked = au_alloc_array(f->nodes * w + 1, sizeof *forked);
    bool *after = au_alloc_array(f->nodes + 1, sizeof *after);
    nodes work = {0};
    for (uint32_t t = 0; t < m->thread.n; t++) {
        memset(after, 0, f->nodes * sizeof *after);
        for (size_t i = 0; i < f->forks[t].n; i++)
            au_vec_push(&work, au_facts_dst(f, f->forks[t].at[i]));
        while (work.n) {
            uint32_t at = au_vec_pop(&work);
            if (after[at])
                continue;
            after[at] = true;
            add(forked + at * w, t);
            const au_node *node = au_facts_node(f, at);
            for (size_t i = 0; i < node->out.n; i++) {
                uint32_t s = node->out.at[i], to = au_facts_dst(f, s);
                if (c->calls.any && c->calls.on[s] != AU_NONE)
                    au_vec_push(&work, c->calls.on[s]);
                if (!returns_to(c, to) ||
                    has(c->calls.forks + c->calls.entry[c->calls.call[to]] * w, t))
                    au_vec_push(&work, to);
            }
        }
    }
    au_vec_release(&work);
    free(after);
    return forked;
}

/* May this thread have been started, if those in 'not' have not been and u stands where it has forked at most
 * those in 'forked'? */
static bool may_be_started(const au_facts *f, uint32_t t, uint32_t u, const uint64_t *forked,
                           const uint64_t *not_) {
    const au_model *m = f->m;
    if (t == u || !m->thread.at[t].forked || !f->forks[t].n)
        return true;
    for (size_t i = 0; i < f->forks[t].n; i++) {
        uint32_t by = m->step.at[f->forks[t].at[i]].thread;
        if (by == u ? has(forked, t) : by != t && !has(not_, by))
            return true;
    }
    return false;
}

/* At a node of u a set of threads has not been started if each is forked only by u on ways that do not
 * lead there, or by others of the set: whoever of them came first would have had to be forked by somebody. The
 * largest such set; it depends on what u may have forked only. */
static void find_unstarted(const au_facts *f, au_coreach *c) {
    const au_model *m = f->m;
    size_t w = c->thread_words;
    uint64_t *forked = find_forked(f, c);
    for (uint32_t n = 0; n < f->nodes; n++) {
        uint64_t *not_ = c->unstarted + n * w;
        uint32_t u = f->owner[n];
        if (n > f->base[u] && !memcmp(forked + n * w, forked + (n - 1) * w, w * sizeof *forked)) {
            memcpy(not_, not_ - w, w * sizeof *not_);
            continue;
        }
        for (uint32_t t = 0; t < m->thread.n; t++)
            add(not_, t);
        for (bool less = true; less;) {
            less = false;
            for (uint32_t t = 0; t < m->thread.n; t++)
                if (has(not_, t) && may_be_started(f, t, u, forked + n * w, not_)) {
                    not_[t / 64] &= ~(UINT64_C(1) << (t % 64));
                    less = true;
                }
        }
    }
    free(forked);
}

/* At a node all that were joined on every path to it, and what they had joined; a thread begins
 * with what all who fork it know. */
static bool done_round(const au_facts *f, au_coreach *c, uint64_t *now) {
    const au_model *m = f->m;
    size_t w = c->thread_words;
    bool less = false;
    for (uint32_t n = 0; n < f->nodes; n++) {
        uint32_t t = f->owner[n];
        memset(now, 0xff, w * sizeof *now);
        bool from = false;
        if (n == au_facts_entry(f, t) && !f->forks[t].n) {
            memset(now, 0, w * sizeof *now);
            from = true;
        }
        for (size_t i = 0; n == au_facts_entry(f, t) && i < f->forks[t].n; i++) {
            uint32_t at = au_facts_src(f, f->forks[t].at[i]);
            for (size_t k = 0; k < w; k++)
                now[k] &= c->done[at * w + k];
            from = true;
        }
        for (uint32_t i = f->first_into[n]; i < f->first_into[n + 1]; i++) {
            const au_step *s = &m->step.at[f->into[i]];
            const uint64_t *at = c->done + au_facts_src(f, s->id) * w;
            const uint64_t *more =
                s->kind == AU_STEP_JOIN ? c->done + au_facts_exit(f, s->obj) * w : NULL;
            for (size_t k = 0; k < w; k++) {
                uint64_t got = at[k] | (more ? more[k] : 0);
                if (more && s->obj / 64 == k)
                    got |= UINT64_C(1) << (s->obj % 64);
                now[k] &= got;
            }
            from = true;
        }
        if (returns_to(c, n)) /* those who were through before the call still are */
            for (size_t k = 0; k < w; k++)
                now[k] |= c->done[au_facts_src(f, c->calls.call[n]) * w + k];
        for (size_t k = 0; from && k < w; k++)
            if ((c->done[n * w + k] & now[k]) != c->done[n * w + k]) {
                c->done[n * w + k] &= now[k];
                less = true;
            }
    }
    return less;
}

/* --- classes ------------------------------------------------------------------------------------- */

typedef struct {
    const au_facts *f;
    const au_coreach *c;
} classes;

static bool same_row(const uint64_t *set, uint32_t a, uint32_t b, size_t n) {
    return !set || !memcmp(set + a * n, set + b * n, n * sizeof *set);
}

static bool same_class(const void *ctx, uint32_t id, const void *key) {
    const classes *k = ctx;
    const au_coreach *c = k->c;
    uint32_t a = c->of_class.at[id], b = *(const uint32_t *)key;
    return k->f->owner[a] == k->f->owner[b] &&
           (a == au_facts_exit(k->f, k->f->owner[a])) ==
               (b == au_facts_exit(k->f, k->f->owner[b])) &&
           same_row(c->alone, a, b, c->words) && same_row(c->any, a, b, c->words) &&
           same_row(c->done, a, b, c->thread_words) &&
           same_row(c->unstarted, a, b, c->thread_words) &&
           same_row(c->lives.idle, a, b, c->thread_words) &&
           same_row(c->history, a, b, c->locks * c->words);
}

static uint64_t hash_row(uint64_t h, const uint64_t *set, uint32_t a, size_t n) {
    return set && n ? au_hash_join(h, au_hash_bytes(set + a * n, n * sizeof *set)) : h;
}

static void find_classes(const au_facts *f, au_coreach *c) {
    au_idtable index;
    au_idtable_init(&index);
    classes k = {f, c};
    c->class = au_alloc_array(f->nodes + 1, sizeof *c->class);
    for (uint32_t n = 0; n < f->nodes; n++) {
        uint64_t h = au_hash_join(f->owner[n], n == au_facts_exit(f, f->owner[n]));
        h = hash_row(h, c->alone, n, c->words);
        h = hash_row(h, c->any, n, c->words);
        h = hash_row(h, c->done, n, c->thread_words);
        h = hash_row(h, c->unstarted, n, c->thread_words);
        h = hash_row(h, c->lives.idle, n, c->thread_words);
        h = hash_row(h, c->history, n, c->locks * c->words);
        uint32_t id = au_idtable_find(&index, h, same_class, &k, &n);
        if (id == AU_NONE) {
            id = (uint32_t)c->of_class.n;
            au_vec_push(&c->of_class, n);
            au_idtable_add(&index, h, id);
        }
        c->class[n] = id;
    }
    au_idtable_release(&index);
}

uint32_t au_facts_class(const au_facts *f, uint32_t node) {
    return f->co->class[node];
}
uint32_t au_facts_classes(const au_facts *f) {
    return (uint32_t)f->co->of_class.n;
}
uint32_t au_facts_of_class(const au_facts *f, uint32_t c) {
    return f->co->of_class.at[c];
}

/* --- together ----------------------------------------------------------------------------------- */

/* Numbers of locks, and what is held; returns as find_held. */
static uint32_t number_locks(const au_facts *f, au_coreach *c) {
    const au_model *m = f->m;
    c->locks = 0;
    for (uint32_t i = 0; i < m->obj.n; i++)
        c->number[i] = is_lock(m, i) || c->sems.is[i] ? (uint32_t)c->locks++ : AU_NONE;
    for (uint32_t i = 0; i < c->counted.lock.n; i++)
        c->number[m->obj.n + i] = c->counted.lock.at[i].is ? (uint32_t)c->locks++ : AU_NONE;
    c->words = (c->locks + 63) / 64;
    free(c->alone);
    free(c->any);
    c->alone = au_alloc_array(f->nodes * c->words + 1, sizeof *c->alone);
    c->any = au_alloc_array(f->nodes * c->words + 1, sizeof *c->any);
    au_calls_release(&c->calls);
    au_calls_make(&c->calls, f, c->locks, touched_by, c);
    keep_balanced(f, c);
    return find_held(f, c);
}

static bool holds_alone(const void *ctx, uint32_t node, uint32_t obj) {
    const au_coreach *c = ctx;
    uint32_t l = c->number[obj];
    return l != AU_NONE && has(c->alone + node * c->words, l);
}

static bool no_other_started(const void *ctx, uint32_t node) {
    const au_coreach *c = ctx;
    for (uint32_t t = 0; t < c->m->thread.n; t++)
        if (t != c->owner[node] && !has(c->unstarted + node * c->thread_words, t))
            return false;
    return true;
}

/* Semaphores that are locks, and locks that the program makes itself: all are taken to be, one way after the other, until
 * none is found not to be. */
static void find_sems(const au_facts *f, au_coreach *c) {
    const au_model *m = f->m;
    bool any = false;
    for (uint32_t i = 0; i < m->obj.n && c->sems.any; i++)
        any |= au_sems_next(&c->sems, f, i, holds_alone, c);
    for (uint32_t i = 0; i < c->counted.lock.n; i++)
        any |= au_counted_next(&c->counted, f, i, holds_alone, no_other_started, c);
    for (uint32_t wrong; any && (wrong = number_locks(f, c)) != AU_NONE;)
        if (wrong < m->obj.n)
            au_sems_next(&c->sems, f, wrong, holds_alone, c);
        else
            au_counted_next(&c->counted, f, wrong - (uint32_t)m->obj.n, holds_alone,
                            no_other_started, c);
}

au_coreach *au_coreach_new(const au_facts *f) {
    const au_model *m = f->m;
    au_coreach *c = AU_NEW(au_coreach);
    c->m = m;
    c->thread_words = (m->thread.n + 63) / 64;
    c->owner = f->owner;
    au_sems_init(&c->sems, f);
    au_counted_init(&c->counted, f);
    c->number = au_alloc_array(m->obj.n + c->counted.lock.n + 1, sizeof *c->number);
    number_locks(f, c);
    c->unstarted = au_alloc_array(f->nodes * c->thread_words + 1, sizeof *c->unstarted);
    find_unstarted(f, c);
    if (c->sems.any || c->counted.lock.n)
        find_sems(f, c);
    c->done = au_alloc_array(f->nodes * c->thread_words + 1, sizeof *c->done);
    find_histories(f, c);
    memset(c->done, 0xff, f->nodes * c->thread_words * sizeof *c->done);
    uint64_t *now = au_alloc_array(c->thread_words + 1, sizeof *now);
    while (done_round(f, c, now)) {
    }
    free(now);
    au_lives_make(&c->lives, f);
    find_classes(f, c);
    return c;
}

void au_coreach_free(au_coreach *c) {
    if (!c)
        return;
    au_sems_release(&c->sems);
    au_counted_release(&c->counted);
    au_lives_release(&c->lives);
    free(c->number);
    free(c->alone);
    free(c->any);
    free(c->history);
    free(c->done);
    free(c->unstarted);
    free(c->class);
    au_calls_release(&c->calls);
    au_vec_release(&c->of_class);
    free(c);
}

/* Each holds a lock that the other acquired after it had its own. */
static bool histories_cross(const au_coreach *c, uint32_t a, uint32_t b) {
    const uint64_t *in_a = c->alone + a * c->words, *in_b = c->alone + b * c->words;
    for (size_t l = 0; l < c->locks; l++)
        for (size_t k = 0; has(in_a, l) && k < c->locks; k++)
            if (has(in_b, k) && has(c->history + (a * c->locks + l) * c->words, k) &&
                has(c->history + (b * c->locks + k) * c->words, l))
                return true;
    return false;
}

bool au_facts_meet(const au_facts *f, uint32_t a, uint32_t b) {
    const au_coreach *c = f->co;
    uint32_t t = f->owner[a], u = f->owner[b];
    bool held = false;
    for (size_t k = 0; k < c->words; k++) {
        const uint64_t both = (c->alone[a * c->words + k] & c->any[b * c->words + k]) |
                              (c->any[a * c->words + k] & c->alone[b * c->words + k]);
        if (both)
            return false;
        held |= c->alone[a * c->words + k] != 0;
    }
    if (au_facts_unstarted(f, a, u) || au_facts_unstarted(f, b, t))
        return false;
    if ((au_facts_done(f, a, u) && b != au_facts_exit(f, u)) ||
        (au_facts_done(f, b, t) && a != au_facts_exit(f, t)))
        return false;
    if (!au_facts_alive(f, a, b))
        return false;
    return !held || !c->history || !histories_cross(c, a, b);
}

bool au_facts_holds(const au_facts *f, uint32_t node, uint32_t obj, bool alone) {
    const au_coreach *c = f->co;
    uint32_t l = c->number[obj];
    return l != AU_NONE && has((alone ? c->alone : c->any) + node * c->words, l);
}
bool au_facts_done(const au_facts *f, uint32_t node, uint32_t thread) {
    return has(f->co->done + node * f->co->thread_words, thread);
}
bool au_facts_unstarted(const au_facts *f, uint32_t node, uint32_t thread) {
    return has(f->co->unstarted + node * f->co->thread_words, thread);
}
bool au_facts_alive(const au_facts *f, uint32_t a, uint32_t b) {
    const au_coreach *c = f->co;
    uint32_t t = f->owner[a], u = f->owner[b];
    bool ends[2] = {a == au_facts_exit(f, t), b == au_facts_exit(f, u)};
    if ((has(c->lives.idle + a * c->thread_words, u) && !ends[1]) ||
        (has(c->lives.idle + b * c->thread_words, t) && !ends[0]))
        return false;
    return ends[0] || ends[1] || !has(c->lives.apart + t * c->thread_words, u);
}
bool au_facts_is_lock(const au_facts *f, uint32_t obj) {
    return is_lock(f->m, obj);
}
