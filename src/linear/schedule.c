/* linear/schedule.c: from e1, f, e2 to a schedule.
 *
 * Part one brings the one thread right after e and the other right before f.
 * Which events of which threads that takes is a closure: prefixes, whoever an event
 * waits for (schedule_prep.c), and, if reads are to keep their writers, the write that
 * each read saw. A lock that a thread holds at the end of its prefix is taken there by
 * an open acquisition; all others are closed sections.
 *
 * The rule of Kahlon et al. 2005, for any number of threads: an open acquisition waits
 * until no other thread has a closed section of that lock left. Two ways to run:
 *   - in the order of the trace as far as the locks allow: reads keep their writers
 *     where the violation does not forbid it;
 *   - in chunks: an outermost closed section is run in one go. Between chunks threads
 *     hold nothing but open locks, which no chunk left to run needs; so a chunk is never
 *     stopped by a lock, and the run gets stuck only if the waiting (open acquisitions,
 *     forks, joins, …) is circular. For two threads with nested locks it is circular
 *     only if their histories are not compatible.
 *
 * Part two runs f, and then the first thread to e2; who holds a lock that it needs is
 * run until it gives it. That fails only where threads wait for each other. */
#include "linear/schedule_priv.h"

#include "base/deadline.h"
#include "base/limits.h"

#include <stdio.h>
#include <string.h>

static bool __attribute__((format(printf, 2, 3))) fails(au_scheduler *s, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(s->why, sizeof s->why, fmt, ap);
    va_end(ap);
    return false;
}

static const char *thread_name(const au_scheduler *s, uint32_t t) {
    return t < s->t->names.thread.n ? au_intern_str(&s->t->names.thread, t) : "?";
}
static const char *lock_name(const au_scheduler *s, uint32_t l) {
    return l < s->t->names.lock.n ? au_intern_str(&s->t->names.lock, l) : "?";
}

static uint16_t thread_of(const au_scheduler *s, uint32_t event) {
    return s->t->events.thread[event];
}

/* AU_LOCK kinds of events; semaphores are not locks. */
static bool takes_lock(const au_scheduler *s, uint32_t i, bool *shared) {
    au_op op = s->t->events.op[i];
    *shared = op == AU_OP_RDACQ;
    return op == AU_OP_WRACQ || op == AU_OP_RDACQ ||
           (op == AU_OP_ACQ &&
            au_names_sync(&s->t->names, s->t->events.obj[i]).kind != AU_WIRE_OBJ_SEM);
}
static bool gives_lock(const au_scheduler *s, uint32_t i) {
    return s->t->events.op[i] == AU_OP_REL &&
           au_names_sync(&s->t->names, s->t->events.obj[i]).kind != AU_WIRE_OBJ_SEM;
}

static bool wait_follows(const au_scheduler *s, uint16_t t, uint32_t index) {
    const au_sched_line *l = &s->line[t];
    return index + 1 < l->n && s->t->events.op[l->at[index]] == AU_OP_REL &&
           s->t->events.op[l->at[index + 1]] == AU_OP_WAIT;
}

/* What an event waits for, besides locks: the first, and the next; AU_NONE at the end. */
static uint32_t next_need(const au_scheduler *s, uint32_t k) {
    while (k != AU_NONE && s->spurious && s->need.at[k].wake)
        k = s->need.at[k].next;
    return k;
}
static uint32_t first_need(const au_scheduler *s, uint32_t i) {
    if (au_op_is_access(s->t->events.op[i]) && s->index[i]) /* the most frequent */
        return AU_NONE;
    const uint64_t *first = au_map_find(&s->need_of, i);
    return first ? next_need(s, (uint32_t)*first) : AU_NONE;
}

/* --- which events ------------------------------------------------------------------- */

static void reset(au_scheduler *s) {
    for (uint32_t t = 0; t < s->threads; t++) {
        au_runner *r = &s->state[t];
        r->in = r->goal = false;
        r->cut = r->seen = r->pos = r->inside = 0;
        au_vec_clear(&r->open);
        au_vec_clear(&r->held);
    }
    memset(s->lock, 0, s->locks * sizeof *s->lock);
    for (size_t i = 0; i < s->touched.n; i++)
        s->last[s->touched.at[i]] = 0;
    au_vec_clear(&s->touched);
    au_vec_clear(&s->turn);
    au_vec_clear(&s->todo);
    s->changed = s->f_changed = false;
}

/* Thread t has to run so many events. */
static void want(au_scheduler *s, uint16_t t, uint32_t n) {
    au_runner *r = &s->state[t];
    if (n && wait_follows(s, t, n - 1))
        n++;
    if (n > r->cut) {
        if (r->cut == r->seen)
            au_vec_push(&s->todo, t);
        r->cut = n;
        r->in = true;
    }
}

static void look_at(au_scheduler *s, uint16_t t, uint32_t index, bool keep_reads) {
    const au_columns *e = &s->t->events;
    au_runner *r = &s->state[t];
    uint32_t i = s->line[t].at[index];
    for (uint32_t k = first_need(s, i); k != AU_NONE; k = next_need(s, s->need.at[k].next)) {
        uint32_t on = s->need.at[k].on;
        want(s, thread_of(s, on), s->index[on] + 1);
    }
    if (keep_reads && au_sched_reads(e->op[i]) && s->writer[i])
        want(s, thread_of(s, s->writer[i] - 1), s->index[s->writer[i] - 1] + 1);
    bool shared;
    if (takes_lock(s, i, &shared)) {
        for (size_t k = 0; k < r->open.n; k++)
            if (r->open.at[k].lock == e->obj[i]) {
                r->open.at[k].depth++;
                return;
            }
        au_vec_push(&r->open, ((au_holding){e->obj[i], 1, index, shared}));
        if (shared)
            s->lock[e->obj[i]].todo_shared++;
        else
            s->lock[e->obj[i]].todo++;
    } else if (gives_lock(s, i)) {
        for (size_t k = 0; k < r->open.n; k++)
            if (r->open.at[k].lock == e->obj[i] && !--r->open.at[k].depth) {
                r->open.at[k] = au_vec_last(&r->open);
                r->open.n--;
                return;
            }
    }
}

/* Fills the cuts, the open acquisitions and the sections to do. */
static bool closure(au_scheduler *s, uint16_t t, uint32_t cut, uint16_t u, uint32_t cut_u,
                    bool keep_reads) {
    reset(s);
    want(s, t, cut);
    want(s, u, cut_u);
    uint32_t fork = cut_u ? AU_NONE : first_need(s, s->f); /* f is its thread's first event */
    if (fork != AU_NONE)
        want(s, thread_of(s, s->need.at[fork].on), s->index[s->need.at[fork].on] + 1);
    while (s->todo.n) {
        uint16_t v = au_vec_pop(&s->todo);
        while (s->state[v].seen < s->state[v].cut) {
            uint32_t index = s->state[v].seen++;
            look_at(s, v, index, keep_reads);
            if (au_deadline_step(1))
                return fails(s, "%s", au_deadline_why());
        }
        if (s->state[t].cut > cut)
            return fails(s, "thread '%s' would have to run past the decisive position first",
                         thread_name(s, t));
        if (s->state[u].cut > cut_u)
            return fails(s, "thread '%s' would have to run past the access in between first",
                         thread_name(s, u));
    }
    for (uint32_t v = 0; v < s->threads; v++) {
        const au_runner *r = &s->state[v];
        if (r->in)
            au_vec_push(&s->todo, (uint16_t)v);
        for (size_t k = 0; k < r->open.n; k++) {
            if (r->open.at[k].shared)
                s->lock[r->open.at[k].lock].todo_shared--;
            else
                s->lock[r->open.at[k].lock].todo--;
        }
    }
    return true;
}

/* --- running ----------------------------------------------------------------------------- */

static au_holding *holding(au_runner *r, uint32_t lock) {
    for (size_t k = 0; k < r->held.n; k++)
        if (r->held.at[k].lock == lock)
            return &r->held.at[k];
    return NULL;
}

static bool holds(const au_runner *r, uint32_t lock) {
    for (size_t k = 0; k < r->held.n; k++)
        if (r->held.at[k].lock == lock)
            return true;
    return false;
}

/* The acquisition at this index stays open in part one. */
static bool is_open(const au_runner *r, uint32_t index) {
    for (size_t k = 0; k < r->open.n; k++)
        if (r->open.at[k].since == index)
            return true;
    return false;
}

/* An event that this one waits for and that has not run; AU_NONE if there is none. */
static uint32_t needs(const au_scheduler *s, uint32_t i) {
    for (uint32_t k = first_need(s, i); k != AU_NONE; k = next_need(s, s->need.at[k].next)) {
        uint32_t on = s->need.at[k].on;
        if (s->state[thread_of(s, on)].pos <= s->index[on])
            return on;
    }
    return AU_NONE;
}

static bool lock_is_free(const au_scheduler *s, const au_runner *r, uint32_t lock, bool shared) {
    const au_sched_lock *l = &s->lock[lock];
    if (holds(r, lock))
        return true;
    return !l->owner && (shared || !l->readers);
}

static bool can_run(const au_scheduler *s, uint16_t t, bool part_one) {
    const au_runner *r = &s->state[t];
    uint32_t i = s->line[t].at[r->pos], lock = s->t->events.obj[i];
    bool shared;
    if (needs(s, i) != AU_NONE)
        return false;
    if (!takes_lock(s, i, &shared))
        return true;
    if (!lock_is_free(s, r, lock, shared))
        return false;
    return !part_one || !is_open(r, r->pos) ||
           (!s->lock[lock].todo && (shared || !s->lock[lock].todo_shared));
}

static void run_lock(au_scheduler *s, uint16_t t, uint32_t i, bool part_one) {
    au_runner *r = &s->state[t];
    uint32_t lock = s->t->events.obj[i];
    au_sched_lock *l = &s->lock[lock];
    au_holding *h = holding(r, lock);
    bool shared;
    if (takes_lock(s, i, &shared)) {
        if (h) {
            h->depth++;
            return;
        }
        au_vec_push(&r->held, ((au_holding){lock, 1, r->pos, shared}));
        if (shared)
            l->readers++;
        else
            l->owner = t + 1u;
        r->inside += part_one && !is_open(r, r->pos);
    } else if (gives_lock(s, i) && h && !--h->depth) {
        if (part_one) { /* what is released before the cut was no open acquisition */
            r->inside--;
            if (h->shared)
                l->todo_shared--;
            else
                l->todo--;
        }
        if (h->shared)
            l->readers--;
        else
            l->owner = 0;
        *h = au_vec_last(&r->held);
        r->held.n--;
    }
}

static void run_one(au_scheduler *s, uint16_t t, bool part_one) {
    const au_columns *e = &s->t->events;
    au_runner *r = &s->state[t];
    uint32_t i = s->line[t].at[r->pos];
    au_deadline_step(1);
    if (s->f_changed && t == thread_of(s, s->f))
        s->changed = true; /* what its thread does after f depends on it */
    if (au_op_is_access(e->op[i])) {
        uint32_t *last = &s->last[e->obj[i]];
        if (au_sched_reads(e->op[i]) && *last != s->writer[i]) {
            if (i == s->f && e->op[i] != AU_OP_RMW)
                s->f_changed = true;
            else if (i != s->e2)
                s->changed = true;
        }
        if (au_sched_writes(e->op[i])) {
            if (!*last)
                au_vec_push(&s->touched, e->obj[i]);
            *last = i + 1;
        }
    } else {
        run_lock(s, t, i, part_one);
    }
    r->pos++;
    if (s->turn.n && au_vec_last(&s->turn).thread == t)
        au_vec_last(&s->turn).upto = r->pos;
    else
        au_vec_push(&s->turn, ((au_turn){.upto = r->pos, .thread = t}));
    if (r->pos < s->line[t].n && e->op[s->line[t].at[r->pos]] == AU_OP_WAIT &&
        e->op[i] == AU_OP_REL)
        run_one(s, t, part_one);
}

static bool finished(const au_scheduler *s, uint16_t t) {
    return s->state[t].pos >= s->state[t].cut;
}

static bool stuck(au_scheduler *s) {
    for (size_t k = 0; k < s->todo.n; k++)
        if (!finished(s, s->todo.at[k]))
            return fails(s,
                         "no order of the lock acquisitions leads there: thread '%s' is in the way",
                         thread_name(s, s->todo.at[k]));
    return true;
}

/* Part one in the order of the trace. */
static bool run_in_order(au_scheduler *s) {
    for (;;) {
        if (au_deadline_step(s->todo.n))
            return fails(s, "%s", au_deadline_why());
        uint32_t best = AU_NONE, second = AU_NONE;
        uint16_t who = 0;
        for (size_t k = 0; k < s->todo.n; k++) {
            uint16_t t = s->todo.at[k];
            if (finished(s, t) || !can_run(s, t, true))
                continue;
            uint32_t i = s->line[t].at[s->state[t].pos];
            if (i < best) {
                second = best;
                best = i;
                who = t;
            } else if (i < second) {
                second = i;
            }
        }
        if (best == AU_NONE)
            return stuck(s);
        bool access;
        do {
            access = au_op_is_access(s->t->events.op[s->line[who].at[s->state[who].pos]]);
            run_one(s, who, true);
        } while (access && !finished(s, who) && s->line[who].at[s->state[who].pos] < second &&
                 can_run(s, who, true));
    }
}

/* Nothing in the closed section that begins here waits for another thread. */
static bool chunk_can_run(const au_scheduler *s, uint16_t t) {
    const au_runner *r = &s->state[t];
    uint32_t depth = 0;
    bool shared;
    if (!can_run(s, t, true))
        return false;
    for (uint32_t k = r->pos; k < r->cut; k++) {
        uint32_t i = s->line[t].at[k];
        au_deadline_step(1);
        if (k > r->pos && needs(s, i) != AU_NONE)
            return false;
        bool takes = takes_lock(s, i, &shared), gives = gives_lock(s, i);
        if ((takes || gives) && holds(r, s->t->events.obj[i]))
            takes = gives = false; /* again, of a lock that stays held */
        if (takes) {
            if (is_open(r, k) || !lock_is_free(s, r, s->t->events.obj[i], shared))
                return !depth; /* an open one ends the chunk; a thread without nesting may
                                  have it inside */
            depth++;
        } else if (gives && depth) {
            depth--;
        }
        if (!depth)
            break;
    }
    return true;
}

/* Part one in chunks, changing threads as seldom as possible. */
static bool run_in_chunks(au_scheduler *s) {
    for (;;) {
        uint32_t best = AU_NONE;
        uint16_t who = 0;
        if (au_deadline_step(s->todo.n))
            return fails(s, "%s", au_deadline_why());
        for (size_t k = 0; k < s->todo.n; k++) {
            uint16_t t = s->todo.at[k];
            if (!finished(s, t) && s->line[t].at[s->state[t].pos] < best && chunk_can_run(s, t)) {
                best = s->line[t].at[s->state[t].pos];
                who = t;
            }
        }
        if (best == AU_NONE)
            return stuck(s);
        do {
            do
                run_one(s, who, true);
            while (s->state[who].inside && !finished(s, who) && can_run(s, who, true));
            if (s->state[who].inside && !finished(s, who))
                return stuck(s);
        } while (!finished(s, who) && chunk_can_run(s, who));
    }
}

/* Part two: thread t runs to this position, or, with a lock, until it does not hold it. */
static bool reach(au_scheduler *s, uint16_t t, uint32_t pos, uint32_t lock) {
    au_runner *r = &s->state[t];
    const au_columns *e = &s->t->events;
    if (r->goal)
        return fails(s, "on the way to the second access thread '%s' waits for itself",
                     thread_name(s, t));
    r->goal = true;
    bool ok = true;
    while (ok && (lock == AU_NONE ? r->pos < pos : holding(r, lock) != NULL)) {
        if (au_deadline_step(1)) {
            ok = fails(s, "%s", au_deadline_why());
            break;
        }
        if (r->pos == s->line[t].n) {
            ok = fails(s, "thread '%s' ends and keeps '%s', which is needed for the second access",
                       thread_name(s, t), lock == AU_NONE ? "?" : lock_name(s, lock));
            break;
        }
        uint32_t i = s->line[t].at[r->pos], on = needs(s, i);
        bool shared;
        if (on != AU_NONE) {
            ok = reach(s, thread_of(s, on), s->index[on] + 1, AU_NONE);
        } else if (takes_lock(s, i, &shared) && !lock_is_free(s, r, e->obj[i], shared)) {
            uint16_t owner = 0;
            if (s->lock[e->obj[i]].owner)
                owner = (uint16_t)(s->lock[e->obj[i]].owner - 1);
            else
                while (!holding(&s->state[owner], e->obj[i]))
                    owner++;
            if (s->state[owner].goal)
                ok = fails(s,
                           "deadlock on the way to the second access: thread '%s' waits for '%s', "
                           "which thread '%s' holds",
                           thread_name(s, t), lock_name(s, e->obj[i]), thread_name(s, owner));
            else
                ok = reach(s, owner, 0, e->obj[i]);
        } else {
            run_one(s, t, false);
        }
    }
    r->goal = false;
    return ok;
}

/* --- the search ---------------------------------------------------------------------------- */

typedef struct {
    uint32_t cut[AU_LIMIT_BLOCK_POSITIONS]; /* events of the thread up to and including e */
    int n;
    bool cut_short; /* there are more */
} positions;

static uint32_t walk_one(au_scheduler *s, au_lockwalk *w, uint32_t i) {
    bool shared;
    if (takes_lock(s, i, &shared))
        au_lockwalk_acq(w, s->ctx, s->t->events.obj[i], shared);
    else if (gives_lock(s, i))
        au_lockwalk_rel(w, s->ctx, s->t->events.obj[i], false);
    return w->id;
}

/* Positions from e1 on and before e2 whose contexts are compatible with that of f, the first
 * of each context. */
static void find_positions(au_scheduler *s, positions *p) {
    uint16_t t = thread_of(s, s->e1), u = thread_of(s, s->f);
    au_lockwalk w = {0};
    for (uint32_t k = 0; k < s->index[s->f] && !au_deadline_step(1); k++)
        walk_one(s, &w, s->line[u].at[k]);
    uint32_t ctx_f = w.id;
    au_lockwalk_release(&w);
    uint32_t tried[AU_LIMIT_BLOCK_POSITIONS];
    p->n = 0;
    p->cut_short = false;
    for (uint32_t k = 0; k < s->index[s->e2] && !au_deadline_step(1); k++) {
        uint32_t id = walk_one(s, &w, s->line[t].at[k]);
        if (k < s->index[s->e1] || wait_follows(s, t, k))
            continue;
        bool known = false;
        for (int j = 0; j < p->n; j++)
            known |= tried[j] == id;
        if (known || !au_lockctx_compatible(s->ctx, id, ctx_f))
            continue;
        if (p->n == AU_LIMIT_BLOCK_POSITIONS) {
            p->cut_short = true;
            break;
        }
        tried[p->n] = id;
        p->cut[p->n++] = k + 1;
    }
    au_lockwalk_release(&w);
}

static bool attempt(au_scheduler *s, uint32_t cut, bool in_order) {
    uint16_t t = thread_of(s, s->e1), u = thread_of(s, s->f);
    if (!closure(s, t, cut, u, s->index[s->f], in_order))
        return false;
    if (!(in_order ? run_in_order(s) : run_in_chunks(s)))
        return false;
    return reach(s, u, s->index[s->f] + 1, AU_NONE) && reach(s, t, s->index[s->e2] + 1, AU_NONE);
}

static void keep(au_scheduler *s, au_findings *home, au_finding *f) {
    f->schedule.n = (uint32_t)s->turn.n;
    f->schedule.turn = AU_ARENA_ARRAY(&home->arena, au_turn, s->turn.n);
    memcpy(f->schedule.turn, s->turn.at, s->turn.n * sizeof *s->turn.at);
}

au_schedule_outcome au_atomicity_schedule(au_scheduler *s, au_findings *home, au_finding *f) {
    AU_BUG_IF(f->kind != AU_KIND_ATOMICITY || f->n_events != 3);
    s->e1 = (uint32_t)f->event[0].number;
    s->f = (uint32_t)f->event[1].number;
    s->e2 = (uint32_t)f->event[2].number;
    f->schedule = (au_schedule){0};
    positions p;
    find_positions(s, &p);
    snprintf(s->why, sizeof s->why, "no position between the two accesses fits");
    for (int spurious = 0; spurious < 2; spurious++) {
        s->spurious = spurious;
        if (spurious && !s->wakes)
            break;
        bool found = false;
        for (int k = 0; k < p.n && !found; k++)
            found = attempt(s, p.cut[k], true) && !s->changed;
        for (int k = 0; k < p.n && !found; k++)
            found = attempt(s, p.cut[k], false) || attempt(s, p.cut[k], true);
        if (!found)
            continue;
        keep(s, home, f);
        if (spurious)
            au_finding_because(f, AU_WHY_SPURIOUS);
        return s->changed ? AU_SCHEDULE_LOCKS : AU_SCHEDULE_KEEPS_READS;
    }
    if (au_deadline_over()) {
        au_finding_because(f, AU_WHY_TIME);
        return AU_SCHEDULE_NONE;
    }
    if (p.cut_short)
        au_limit_reached(AU_AT_BLOCK_POSITIONS, 1);
    au_finding_because_of(f, &home->arena, AU_WHY_NO_SCHEDULE, s->why, NULL);
    return AU_SCHEDULE_NONE;
}
