/* Random small traces: the atomicity meta-analysis against the oracle.
 *
 *   locks only, no deadlock possible, nested     the same (thread pair, variable, class),
 *                                                and with 'all' the same triples of locations
 *   locks only, otherwise                        contains the oracle's
 *   with must-happens-before                     contains the oracle's under cam
 * and every schedule is executed here, event by event; in the first case every
 * violation must have one. Every fiftieth case also counts the representatives of a
 * longer generated trace naively.
 *
 *     random_atomicity --count N --seed S [--verbose 1]
 *
 * Programs of a few threads (locks nested or not, read-write locks, recursion, waits,
 * semaphores, a barrier, fork and join in the middle, blocks marked or not) are run
 * once at random; what they did is the trace. */
#include "base/rng.h"
#include "cases.h"
#include "linear/atomicity.h"
#include "linear/lockctx.h"
#include "linear/schedule.h"
#include "model/from_trace.h"
#include "oracle/oracle.h"
#include "trace/gen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, OPS = 20, LOCKS = 4, VARS = 2, LOCS = 3 };
enum { SEM = LOCKS, BARRIER, COND, OBJECTS };

typedef struct {
    au_op op;
    uint8_t obj, loc;
} step;

typedef struct {
    step at[3 * OPS];
    int n, pc;
    bool forked, done;
    int waits; /* 0, or 1 + the lock to take after waking */
} program;

typedef struct {
    program p[THREADS];
    int threads, locks;
    bool nested, rw[LOCKS], marks, semaphore, barrier, waits, forks;
    int sem_count, places;
} plan;

/* --- programs ---------------------------------------------------------------------- */

static void put(program *p, au_op op, uint32_t obj, au_rng *r) {
    if (p->n < 3 * OPS)
        p->at[p->n++] = (step){op, (uint8_t)obj, (uint8_t)(1 + au_rng_below(r, LOCS))};
}

static void make_program(plan *q, program *p, int size, au_rng *r) {
    int held[16], depth = 0, blocks = 0;
    for (int i = 0; i < size; i++) {
        uint32_t x = au_rng_below(r, 100);
        if (x < 45) {
            static const au_op op[] = {AU_OP_READ,  AU_OP_WRITE,  AU_OP_READ, AU_OP_WRITE,
                                       AU_OP_WRITE, AU_OP_AWRITE, AU_OP_RMW,  AU_OP_AREAD};
            uint32_t k = au_rng_below(r, 20);
            put(p, op[k < 16 ? k % 5 : k % 8], au_rng_below(r, VARS), r);
        } else if (x < 65) {
            int l = (int)au_rng_below(r, (uint32_t)q->locks);
            bool again = false;
            for (int j = 0; j < depth; j++)
                again |= held[j] == l;
            if (depth == 8 || (again && (q->rw[l] || au_rng_below(r, 3))))
                continue;
            bool shared = q->rw[l] && au_rng_below(r, 2);
            put(p, shared ? AU_OP_RDACQ : q->rw[l] ? AU_OP_WRACQ : AU_OP_ACQ, (uint32_t)l, r);
            held[depth++] = l;
        } else if (x < 83 && depth) {
            int i2 = q->nested ? depth - 1 : (int)au_rng_below(r, (uint32_t)depth);
            put(p, AU_OP_REL, (uint32_t)held[i2], r);
            memmove(held + i2, held + i2 + 1, sizeof *held * (size_t)(depth - 1 - i2));
            depth--;
        } else if (x < 88 && q->marks) {
            if (blocks && au_rng_below(r, 2)) {
                put(p, AU_OP_END, 0, r);
                blocks--;
            } else if (blocks < 2) {
                put(p, AU_OP_BEGIN, 0, r);
                blocks++;
            }
        } else if (x < 92 && q->semaphore) {
            put(p, au_rng_below(r, 2) ? AU_OP_UP : AU_OP_DOWN, SEM, r);
        } else if (x < 94 && q->barrier) {
            put(p, AU_OP_ARRIVE, BARRIER, r);
            put(p, AU_OP_LEAVE, BARRIER, r);
        } else if (x < 97 && q->waits) {
            int inside = 0;
            for (int j = 0; j < depth; j++)
                inside += depth && held[j] == held[depth - 1];
            if (inside == 1 && !q->rw[held[depth - 1]]) {
                put(p, AU_OP_REL, (uint32_t)held[depth - 1], r);
                put(p, AU_OP_WAIT, COND, r);
                put(p, AU_OP_WAKE, COND, r);
                put(p, AU_OP_ACQ, (uint32_t)held[depth - 1], r);
            } else {
                put(p, AU_OP_SIGNAL, COND, r);
            }
        }
    }
    bool close = au_rng_below(r, 8) != 0;
    while (depth && close)
        put(p, AU_OP_REL, (uint32_t)held[--depth], r);
}

static void insert(program *p, int at, step s) {
    memmove(p->at + at + 1, p->at + at, sizeof *p->at * (size_t)(p->n - at));
    p->at[at] = s;
    p->n++;
}

/* Not between the events of one step of the program. */
static int any_place(const program *p, au_rng *r) {
    for (;;) {
        int i = (int)au_rng_below(r, (uint32_t)p->n + 1);
        if (i == p->n || (p->at[i].op != AU_OP_WAIT && p->at[i].op != AU_OP_WAKE &&
                          p->at[i].op != AU_OP_LEAVE && !(i && p->at[i - 1].op == AU_OP_WAKE)))
            return i;
    }
}

static void make_plan(plan *q, au_rng *r) {
    memset(q, 0, sizeof *q);
    q->threads = 2 + (int)au_rng_below(r, 2);
    q->locks = 1 + (int)au_rng_below(r, LOCKS);
    q->nested = au_rng_below(r, 4) != 0;
    for (int l = 0; l < LOCKS; l++)
        q->rw[l] = au_rng_below(r, 4) == 0;
    q->marks = au_rng_below(r, 3) != 0;
    q->waits = au_rng_below(r, 4) == 0;
    q->semaphore = au_rng_below(r, 4) == 0;
    q->barrier = au_rng_below(r, 6) == 0;
    q->forks = au_rng_below(r, 2);
    q->sem_count = (int)au_rng_below(r, 3);
    q->places = 2 + (int)au_rng_below(r, 2);
    int size = q->threads == 2 ? 8 + (int)au_rng_below(r, 13) : 5 + (int)au_rng_below(r, 8);
    for (int t = 0; t < q->threads; t++)
        make_program(q, &q->p[t], size, r);
    for (int t = 1; t < q->threads && q->forks; t++) {
        program *parent = &q->p[au_rng_below(r, (uint32_t)t)];
        if (parent->n + 2 > 3 * OPS || au_rng_below(r, 4) == 0)
            continue;
        int at = any_place(parent, r);
        insert(parent, at, (step){AU_OP_FORK, (uint8_t)t, 1});
        q->p[t].forked = true;
        if (au_rng_below(r, 3)) {
            int later = any_place(parent, r);
            if (later > at)
                insert(parent, later, (step){AU_OP_JOIN, (uint8_t)t, 1});
        }
    }
}

/* --- one run of them ----------------------------------------------------------------- */

typedef struct {
    int owner[LOCKS], depth[LOCKS], readers[LOCKS][THREADS];
    bool started[THREADS];
    int sem, arrived, leaving, round[THREADS];
    int64_t value[VARS], next;
} world;

static bool can_lock(const plan *q, const world *w, int t, int l, bool shared) {
    int others = 0;
    for (int u = 0; u < q->threads; u++)
        others += u != t && w->readers[l][u];
    if (w->owner[l] && w->owner[l] != t + 1)
        return false;
    return shared || !others;
}

static bool can(const plan *q, const world *w, int t) {
    const program *p = &q->p[t];
    if (p->pc == p->n || !w->started[t])
        return false;
    step s = p->at[p->pc];
    switch (s.op) {
    case AU_OP_ACQ:
    case AU_OP_WRACQ:
    case AU_OP_RDACQ:
        return can_lock(q, w, t, s.obj, s.op == AU_OP_RDACQ);
    case AU_OP_DOWN:
        return w->sem > 0;
    case AU_OP_JOIN:
        return w->started[s.obj] && q->p[s.obj].pc == q->p[s.obj].n;
    case AU_OP_ARRIVE:
        return !w->leaving;
    case AU_OP_LEAVE:
        return w->leaving > 0 && w->round[t];
    default:
        return true;
    }
}

static void run_step(plan *q, world *w, int t, au_columns *c) {
    program *p = &q->p[t];
    step s = p->at[p->pc++];
    int64_t v = 0;
    bool access = au_op_is_access(s.op);
    switch (s.op) {
    case AU_OP_ACQ:
    case AU_OP_WRACQ:
        w->owner[s.obj] = t + 1;
        w->depth[s.obj]++;
        break;
    case AU_OP_RDACQ:
        w->readers[s.obj][t]++;
        break;
    case AU_OP_REL:
        if (w->readers[s.obj][t])
            w->readers[s.obj][t]--;
        else if (!--w->depth[s.obj])
            w->owner[s.obj] = 0;
        break;
    case AU_OP_UP:
        w->sem++;
        break;
    case AU_OP_DOWN:
        w->sem--;
        break;
    case AU_OP_ARRIVE:
        w->round[t] = 1;
        if (++w->arrived == q->places) {
            w->arrived = 0;
            w->leaving = q->places;
        }
        break;
    case AU_OP_LEAVE:
        w->round[t] = 0;
        w->leaving--;
        break;
    case AU_OP_FORK:
        w->started[s.obj] = true;
        break;
    case AU_OP_WRITE:
    case AU_OP_AWRITE:
    case AU_OP_RMW:
        w->value[s.obj] = ++w->next;
        break;
    default:
        break;
    }
    if (access)
        v = w->value[s.obj];
    bool none = s.op == AU_OP_BEGIN || s.op == AU_OP_END;
    au_columns_push(c, s.op, (uint16_t)t, none ? AU_NONE : s.obj, s.loc, access ? &v : NULL);
}

static au_trace *run_plan(plan *q, au_rng *r) {
    au_trace *t = AU_NEW(au_trace);
    au_names_init(&t->names);
    au_columns_init(&t->events);
    char name[16];
    for (int i = 0; i < q->threads; i++)
        au_intern_add(&t->names.thread, name, (size_t)snprintf(name, sizeof name, "T%d", i));
    for (int i = 0; i < VARS; i++)
        au_intern_add(&t->names.var, name, (size_t)snprintf(name, sizeof name, "x%d", i));
    for (uint32_t i = 0; i < OBJECTS; i++) {
        au_intern_add(&t->names.lock, name, (size_t)snprintf(name, sizeof name, "l%u", i));
        au_names_set_sync(&t->names, i,
                          i == SEM       ? AU_WIRE_OBJ_SEM
                          : i == BARRIER ? AU_WIRE_OBJ_BARRIER
                          : i == COND    ? AU_WIRE_OBJ_COND
                          : q->rw[i]     ? AU_WIRE_OBJ_RWLOCK
                                         : AU_WIRE_OBJ_RLOCK,
                          i == SEM       ? q->sem_count
                          : i == BARRIER ? q->places
                                         : 0);
    }
    world w = {.sem = q->sem_count};
    for (int i = 0; i < q->threads; i++)
        w.started[i] = !q->p[i].forked;
    for (;;) {
        int able[THREADS], n = 0;
        for (int i = 0; i < q->threads; i++)
            if (can(q, &w, i))
                able[n++] = i;
        if (!n)
            break;
        int i = able[au_rng_below(r, (uint32_t)n)];
        uint32_t run = 1 + au_rng_below(r, 4);
        while (run-- && can(q, &w, i)) {
            bool wait = q->p[i].pc + 1 < q->p[i].n && q->p[i].at[q->p[i].pc + 1].op == AU_OP_WAIT;
            run_step(q, &w, i, &t->events);
            if (wait) /* one step of the program */
                run_step(q, &w, i, &t->events);
        }
    }
    return t;
}

static void print_trace(const au_trace *t) {
    for (size_t i = 0; i < t->events.n; i++)
        printf("  %3zu T%u %s %d @%u\n", i, t->events.thread[i], au_op_name(t->events.op[i]),
               (int)t->events.obj[i], t->events.loc[i]);
}

static void free_trace(au_trace *t) {
    au_columns_release(&t->events);
    au_names_release(&t->names);
    free(t);
}

/* --- sets of violations --------------------------------------------------------------- */

/* thread, thread, variable, class, and with 'all' three locations */
typedef AU_VEC(uint64_t) set;

static uint64_t code(uint32_t t, uint32_t u, uint32_t var, bool wrw, uint32_t l1, uint32_t lf,
                     uint32_t l2) {
    return (((((((uint64_t)t * 16 + u) * 16 + var) * 2 + wrw) * 16 + l1) * 16 + lf) * 16) + l2;
}

static int compare(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void sort(set *s) {
    if (s->n)
        qsort(s->at, s->n, sizeof *s->at, compare);
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++)
        if (!i || s->at[i] != s->at[i - 1])
            s->at[n++] = s->at[i];
    s->n = n;
}

static bool contains(const set *a, const set *b) {
    for (size_t i = 0; i < b->n; i++)
        if (!a->n || !bsearch(&b->at[i], a->at, a->n, sizeof *a->at, compare))
            return false;
    return true;
}

static void print_set(const char *name, const set *s) {
    printf("%s:", name);
    for (size_t i = 0; i < s->n; i++) {
        uint64_t x = s->at[i], y = x >> 12;
        printf(" (T%u T%u x%u %s %u-%u-%u)", (unsigned)(y >> 9), (unsigned)(y >> 5 & 15),
               (unsigned)(y >> 1 & 15), y & 1 ? "WRW" : "AWA", (unsigned)(x >> 8 & 15),
               (unsigned)(x >> 4 & 15), (unsigned)(x & 15));
    }
    printf("\n");
}

/* What the oracle says; *deadlocks if it found one. False if it gave up. */
static bool ask_oracle(const au_trace *t, au_semantics sem, bool locations, set *out,
                       bool *deadlocks) {
    au_error err = AU_ERROR_NONE;
    uint32_t *step_of = NULL;
    au_model *m = au_model_from_trace(t, &step_of, &err);
    if (!m) {
        printf("no model: %s\n", err.text);
        exit(1);
    }
    au_oracle_options o = AU_ORACLE_DEFAULTS;
    o.semantics = sem;
    o.props = AU_PROP_ATOMICITY | AU_PROP_DEADLOCK;
    o.max_states = 200000;
    au_oracle_result *r = au_oracle_run(m, &o, &err);
    if (!r) {
        printf("no answer: %s\n", err.text);
        exit(1);
    }
    bool sure = r->exhaustive;
    *deadlocks = false;
    for (size_t i = 0; i < r->finding.n; i++) {
        const au_oracle_finding *f = &r->finding.at[i];
        *deadlocks |= f->kind == AU_FOUND_DEADLOCK;
        if (f->kind != AU_FOUND_ATOMICITY)
            continue;
        size_t e[3];
        for (int k = 0; k < 3; k++)
            for (e[k] = 0; step_of[e[k]] != f->event[k].step; e[k]++)
                ;
        const au_columns *c = &t->events;
        au_vec_push(out, code(c->thread[e[0]], c->thread[e[1]], c->obj[e[0]],
                              strcmp(f->detail, "WRW") == 0, locations ? c->loc[e[0]] : 0,
                              locations ? c->loc[e[1]] : 0, locations ? c->loc[e[2]] : 0));
    }
    sort(out);
    au_oracle_free(r);
    au_model_free(m);
    free(step_of);
    return sure;
}

static bool writes(au_op op) {
    return op == AU_OP_WRITE || op == AU_OP_AWRITE || op == AU_OP_RMW;
}
static bool reads(au_op op) {
    return op == AU_OP_READ || op == AU_OP_AREAD || op == AU_OP_RMW;
}

/* The events of a finding are what they say. */
static bool is_sound(const au_trace *t, const au_finding *f) {
    const au_columns *c = &t->events;
    for (int k = 0; k < 3; k++) {
        const au_event_ref *e = &f->event[k];
        uint64_t index = 0;
        for (size_t i = 0; i <= e->number && i < c->n; i++)
            index += c->thread[i] == e->thread;
        if (e->number >= c->n || c->thread[e->number] != e->thread || c->op[e->number] != e->op ||
            c->obj[e->number] != f->obj || c->loc[e->number] != e->loc || index != e->index)
            return false;
    }
    const au_event_ref *e = f->event;
    if (e[0].thread != e[2].thread || e[0].thread == e[1].thread || e[0].number >= e[2].number)
        return false;
    if (strcmp(f->detail, "WRW") == 0)
        return writes(e[0].op) && reads(e[1].op) && writes(e[2].op);
    return writes(e[1].op) && (f->detail[0] == 'W') == writes(e[0].op) && f->detail[1] == 'W' &&
           (f->detail[2] == 'W') == writes(e[2].op);
}

/* --- schedules -------------------------------------------------------------------------- */

typedef struct {
    int owner, depth, readers[THREADS];
} lock_now;

/* Executes the schedule; NULL or what is wrong with it. */
static const char *replay(const au_trace *t, const plan *q, const au_finding *f, bool reads_kept) {
    const au_columns *c = &t->events;
    uint64_t pos[THREADS] = {0};
    bool started[THREADS], arrived[THREADS] = {0};
    lock_now lock[LOCKS] = {0};
    int sem = q->sem_count, waiting = 0, leaving = 0;
    int64_t value[VARS];
    uint64_t seen = 0;
    bool f_changed = false;
    for (int i = 0; i < THREADS; i++)
        started[i] = true;
    for (size_t i = 0; i < c->n; i++)
        if (c->op[i] == AU_OP_FORK)
            started[c->obj[i]] = false;
    for (int v = 0; v < VARS; v++) { /* initial: what a read before any write saw */
        value[v] = 0;
    }
    if (!f->schedule.n)
        return "empty";
    for (uint32_t k = 0; k < f->schedule.n; k++) {
        uint16_t th = f->schedule.turn[k].thread;
        if (f->schedule.turn[k].upto <= pos[th] || (k && f->schedule.turn[k - 1].thread == th))
            return "a turn without an event";
        size_t i = 0;
        for (uint64_t n = 0; i < c->n; i++)
            if (c->thread[i] == th && n++ == pos[th])
                break;
        while (pos[th] < f->schedule.turn[k].upto) {
            while (i < c->n && c->thread[i] != th)
                i++;
            if (i == c->n)
                return "past the end of a thread";
            if (!started[th])
                return "not started";
            uint32_t o = c->obj[i];
            lock_now *l = o < LOCKS ? &lock[o] : NULL;
            int others = 0;
            switch (c->op[i]) {
            case AU_OP_ACQ:
            case AU_OP_WRACQ:
                for (int u = 0; u < THREADS; u++)
                    others += l->readers[u];
                if ((l->owner && l->owner != th + 1) || others)
                    return "lock is taken";
                l->owner = th + 1;
                l->depth++;
                break;
            case AU_OP_RDACQ:
                if (l->owner && l->owner != th + 1)
                    return "lock is taken for writing";
                l->readers[th]++;
                break;
            case AU_OP_REL:
                if (l->readers[th])
                    l->readers[th]--;
                else if (!--l->depth)
                    l->owner = 0;
                break;
            case AU_OP_UP:
                sem++;
                break;
            case AU_OP_DOWN:
                if (sem-- == 0)
                    return "semaphore is 0";
                break;
            case AU_OP_ARRIVE:
                if (leaving)
                    return "barrier is still being left";
                arrived[th] = true;
                if (++waiting == q->places) {
                    leaving = waiting;
                    waiting = 0;
                }
                break;
            case AU_OP_LEAVE:
                if (!leaving || !arrived[th])
                    return "barrier is not full";
                leaving--;
                arrived[th] = false;
                break;
            case AU_OP_FORK:
                started[o] = true;
                break;
            case AU_OP_JOIN:
                for (size_t j = 0, n = 0; j < c->n; j++)
                    if (c->thread[j] == o && ++n > pos[o])
                        return "joined before its end";
                break;
            case AU_OP_WRITE:
            case AU_OP_AWRITE:
            case AU_OP_RMW:
            case AU_OP_READ:
            case AU_OP_AREAD:
                if (c->op[i] != AU_OP_WRITE && c->op[i] != AU_OP_AWRITE && c->op[i] != AU_OP_RMW &&
                    reads_kept && i != f->event[1].number && i != f->event[2].number &&
                    value[o] != c->value[i])
                    return "a read sees another write";
                if (c->op[i] != AU_OP_READ && c->op[i] != AU_OP_AREAD)
                    value[o] = c->value[i];
                break;
            default:
                break;
            }
            if (f_changed && th == f->event[1].thread)
                return "a thread goes on after f saw another write";
            if (i == f->event[1].number && reads_kept && c->op[i] != AU_OP_WRITE &&
                c->op[i] != AU_OP_AWRITE && c->op[i] != AU_OP_RMW)
                f_changed = value[o] != c->value[i];
            if (seen < 3 && i == f->event[seen].number)
                seen++;
            pos[th]++;
            i++;
        }
    }
    return seen == 3 ? NULL : "the three events do not come in their order";
}

typedef struct {
    uint64_t exact, contained, must, pruned, violations, given_up, unnested;
    uint64_t none, locks, kept; /* schedules */
} tally;

/* Every finding's schedule, if it has one, can be executed. *missing: one has none. */
static const char *check_schedules(const au_trace *t, const plan *q, au_findings *found, tally *n,
                                   bool *missing) {
    const char *wrong = NULL;
    au_scheduler *s = au_scheduler_new(t);
    for (size_t i = 0; i < found->finding.n && !wrong; i++) {
        au_finding *f = &found->finding.at[i];
        au_schedule_outcome out = au_atomicity_schedule(s, found, f);
        if (out == AU_SCHEDULE_NONE) {
            *missing = true;
            n->none++;
        } else {
            wrong = replay(t, q, f, out == AU_SCHEDULE_KEEPS_READS);
            n->kept += out == AU_SCHEDULE_KEEPS_READS;
            n->locks += out == AU_SCHEDULE_LOCKS;
        }
        if (wrong) {
            printf("schedule for events %llu %llu %llu:", (unsigned long long)f->event[0].number,
                   (unsigned long long)f->event[1].number, (unsigned long long)f->event[2].number);
            for (uint32_t k = 0; k < f->schedule.n; k++)
                printf(" T%u:%llu", f->schedule.turn[k].thread,
                       (unsigned long long)f->schedule.turn[k].upto);
            printf("\n");
        }
    }
    au_scheduler_free(s);
    return wrong;
}

/* What the analysis says, with or without all that is not locks. NULL or what is wrong. */
static const char *analyse(const au_trace *t, const plan *q, bool only_locks, bool all, set *out,
                           bool *nested, tally *n, bool *missing) {
    au_trace view = *t;
    au_columns c;
    au_columns_init(&c);
    uint32_t hole = 0;
    for (size_t i = 0; i < t->events.n; i++) {
        au_op op = t->events.op[i];
        bool other = op == AU_OP_FORK || op == AU_OP_JOIN || op == AU_OP_UP || op == AU_OP_DOWN ||
                     op == AU_OP_ARRIVE || op == AU_OP_LEAVE;
        bool access = au_op_is_access(op);
        if (only_locks && other) /* something without a meaning, to keep the numbers */
            au_columns_push(&c, AU_OP_FENCE, t->events.thread[i], AU_NONE, hole, NULL);
        else
            au_columns_push(&c, op, t->events.thread[i], t->events.obj[i], t->events.loc[i],
                            access ? &t->events.value[i] : NULL);
    }
    au_atomicity_options o = AU_ATOMICITY_DEFAULTS;
    o.all = all;
    o.max_findings = 0;
    au_atomicity *a = au_atomicity_new(&t->names, &o);
    au_findings early;
    au_findings_init(&early);
    for (size_t i = 0; i < c.n;) { /* in blocks of any size */
        size_t to = i + 1 + c.n / 3 < c.n ? i + 1 + c.n / 3 : c.n;
        au_block b = au_columns_block(&c, i, to);
        b.first = i;
        au_atomicity_block(a, &b);
        i = to;
        au_atomicity_poll(a, &early, NULL, NULL);
    }
    au_findings found;
    au_findings_init(&found);
    au_atomicity_result r;
    au_atomicity_finish(a, &found, &r, NULL, NULL);
    bool sound = r.awa + r.wrw == found.finding.n && r.left_out == 0;
    for (size_t i = 0; i < found.finding.n; i++) {
        const au_finding *f = &found.finding.at[i];
        sound &= is_sound(t, f);
        au_vec_push(out, code(f->event[0].thread, f->event[1].thread, f->obj,
                              strcmp(f->detail, "WRW") == 0, all ? f->event[0].loc : 0,
                              all ? f->event[1].loc : 0, all ? f->event[2].loc : 0));
    }
    au_atomicity_poll(a, &early, NULL, NULL); /* what was pending to the end */
    set told = {0}, final = {0};
    for (size_t i = 0; i < early.finding.n; i++) {
        const au_finding *f = &early.finding.at[i];
        sound &= is_sound(t, f);
        au_vec_push(&told, code(f->event[0].thread, f->event[1].thread, f->obj,
                                strcmp(f->detail, "WRW") == 0, 0, 0, 0));
    }
    for (size_t i = 0; i < out->n; i++)
        au_vec_push(&final, out->at[i] >> 12 << 12);
    size_t early_n = told.n;
    sort(&told);
    sort(&final);
    bool online = told.n == early_n && contains(&told, &final) &&
                  (r.blocks != AU_BLOCKS_CRITICAL || !only_locks || contains(&final, &told));
    au_vec_release(&told);
    au_vec_release(&final);
    au_findings_release(&early);
    size_t before = out->n;
    sort(out);
    sound &= !all || out->n == before; /* each triple once */
    *nested = r.n_not_nested == 0;
    const char *wrong = sound ? NULL : "a finding is not what it says";
    view.events = c;
    if (!wrong && !online)
        wrong = "what was told online is not what was found";
    if (!wrong)
        wrong = check_schedules(&view, q, &found, n, missing);
    au_findings_release(&found);
    au_atomicity_free(a);
    au_columns_release(&c);
    return wrong;
}

/* --- larger traces: the counts against a naive count ----------------------------------- */

typedef AU_VEC(uint32_t) contexts;
typedef struct {
    contexts list[4]; /* R, W, AA, WW */
} lists;

static void add_context(contexts *c, uint32_t id) {
    for (size_t i = 0; i < c->n; i++)
        if (c->at[i] == id)
            return;
    au_vec_push(c, id);
}

/* As the definitions say it: every position of every block is looked at for every variable. */
static void count_naively(const au_columns *c, uint32_t threads, uint32_t vars, uint64_t *awa,
                          uint64_t *wrw) {
    au_lockctx *ctx = au_lockctx_new();
    lists *l = au_alloc_array((size_t)threads * vars, sizeof *l);
    uint32_t *id = au_alloc_array(c->n, sizeof *id);
    for (uint32_t t = 0; t < threads; t++) {
        au_lockwalk w = {0};
        size_t begin = SIZE_MAX;
        for (size_t i = 0; i < c->n; i++) {
            if (c->thread[i] != t)
                continue;
            if (c->op[i] == AU_OP_ACQ)
                au_lockwalk_acq(&w, ctx, c->obj[i], false);
            else if (c->op[i] == AU_OP_REL)
                au_lockwalk_rel(&w, ctx, c->obj[i], false);
            else if (c->op[i] == AU_OP_READ || c->op[i] == AU_OP_WRITE)
                add_context(&l[t * vars + c->obj[i]].list[c->op[i] == AU_OP_WRITE], w.id);
            id[i] = w.id;
            if (c->op[i] == AU_OP_BEGIN)
                begin = i;
            for (uint32_t v = 0; c->op[i] == AU_OP_END && v < vars; v++)
                for (int writes_only = 0; writes_only < 2; writes_only++) {
                    size_t first = SIZE_MAX, last = 0;
                    for (size_t k = begin; k < i; k++)
                        if (c->thread[k] == t && c->obj[k] == v &&
                            (c->op[k] == AU_OP_WRITE || (c->op[k] == AU_OP_READ && !writes_only))) {
                            first = first == SIZE_MAX ? k : first;
                            last = k;
                        }
                    for (size_t k = first; first != SIZE_MAX && k < last; k++)
                        if (c->thread[k] == t)
                            add_context(&l[t * vars + v].list[2 + writes_only], id[k]);
                }
        }
        au_lockwalk_release(&w);
    }
    *awa = *wrw = 0;
    for (uint32_t v = 0; v < vars; v++)
        for (uint32_t t = 0; t < threads; t++)
            for (uint32_t u = 0; u < threads; u++)
                for (int k = 2; k < 4 && t != u; k++) {
                    const contexts *e = &l[t * vars + v].list[k], *f = &l[u * vars + v].list[3 - k];
                    for (size_t i = 0; i < e->n; i++)
                        for (size_t j = 0; j < f->n; j++)
                            *(k == 2 ? awa : wrw) += au_lockctx_compatible(ctx, e->at[i], f->at[j]);
                }
    for (size_t i = 0; i < (size_t)threads * vars; i++)
        for (int k = 0; k < 4; k++)
            au_vec_release(&l[i].list[k]);
    free(l);
    free(id);
    au_lockctx_free(ctx);
}

static const char *check_counts(uint64_t seed) {
    au_rng r;
    au_rng_init(&r, seed);
    au_gen_options g;
    au_gen_options_init(&g);
    g.seed = seed;
    g.events = 3000 + au_rng_below(&r, 6000);
    g.threads = 2 + au_rng_below(&r, 2);
    g.locks = 1 + au_rng_below(&r, 5);
    g.vars = 3 + au_rng_below(&r, 4);
    g.depth = 1 + au_rng_below(&r, 3);
    g.atomic = true;
    au_gen *gen = au_gen_new(&g, NULL);
    au_columns c;
    au_columns_init(&c);
    for (;;) {
        au_block b;
        au_gen_next(gen, &b);
        if (!b.n)
            break;
        au_columns_append(&c, &b);
    }
    for (size_t i = 0; i < c.n; i++)
        if (c.op[i] == AU_OP_FORK || c.op[i] == AU_OP_JOIN) {
            c.op[i] = AU_OP_FENCE;
            c.obj[i] = AU_NONE;
        }
    uint64_t awa, wrw;
    count_naively(&c, g.threads, g.vars, &awa, &wrw);
    au_atomicity_options o = AU_ATOMICITY_DEFAULTS;
    o.blocks = AU_BLOCKS_MARKED;
    o.max_findings = 1 + au_rng_below(&r, 50);
    au_atomicity *a = au_atomicity_new(au_gen_names(gen), &o);
    au_block b = au_columns_block(&c, 0, c.n);
    au_atomicity_block(a, &b);
    au_findings found;
    au_findings_init(&found);
    au_atomicity_result x;
    au_atomicity_finish(a, &found, &x, NULL, NULL);
    bool right = x.awa == awa && x.wrw == wrw && x.funnel.left[AU_STAGE_LOCKSET] == awa + wrw &&
                 found.finding.n + x.left_out == awa + wrw && found.finding.n <= o.max_findings;
    if (!right)
        printf("counted %llu and %llu, not %llu and %llu\n", (unsigned long long)x.awa,
               (unsigned long long)x.wrw, (unsigned long long)awa, (unsigned long long)wrw);
    au_findings_release(&found);
    au_atomicity_free(a);
    au_columns_release(&c);
    au_gen_free(gen);
    return right ? NULL : "wrong count on a larger trace";
}

/* --- cases ------------------------------------------------------------------------------ */

static const char *judge(const au_trace *t, const plan *q, tally *n, bool verbose) {
    const char *wrong = NULL;
    bool deadlocks, ignore, nested;
    set theirs = {0}, theirs_all = {0}, cam = {0}, ours = {0}, ours_all = {0}, full = {0},
        full_all = {0};
    bool sure = ask_oracle(t, AU_SEM_LOCKS, false, &theirs, &deadlocks) &&
                ask_oracle(t, AU_SEM_LOCKS, true, &theirs_all, &deadlocks) &&
                ask_oracle(t, AU_SEM_CAM, false, &cam, &ignore);
    bool missing = false, lost = false;
    (void)((wrong = analyse(t, q, true, false, &ours, &nested, n, &missing)) ||
           (wrong = analyse(t, q, true, true, &ours_all, &nested, n, &missing)) ||
           (wrong = analyse(t, q, false, false, &full, &nested, n, &lost)) ||
           (wrong = analyse(t, q, false, true, &full_all, &nested, n, &lost)));
    if (wrong)
        ;
    else if (!sure)
        n->given_up++;
    else if (!contains(&ours, &theirs))
        wrong = "a violation is missed";
    else if (!contains(&ours_all, &theirs_all))
        wrong = "a triple of locations is missed";
    else if (!contains(&full, &cam))
        wrong = "must-happens-before rules out what happens";
    else if (!contains(&ours, &full))
        wrong = "must-happens-before adds something";
    else if (nested && !deadlocks && !contains(&theirs, &ours))
        wrong = "a violation cannot happen";
    else if (nested && !deadlocks && !contains(&theirs_all, &ours_all))
        wrong = "a triple of locations cannot happen";
    else if (nested && !deadlocks && missing)
        wrong = "a violation has no schedule";
    if (sure && !wrong) {
        n->exact += nested && !deadlocks;
        n->contained += !(nested && !deadlocks);
        n->must += full.n > 0;
        n->pruned += full.n < ours.n;
        n->violations += ours.n;
        n->unnested += !nested;
    }
    if (wrong || verbose) {
        print_trace(t);
        print_set("oracle, locks", &theirs);
        print_set("oracle, cam", &cam);
        print_set("analysis, locks", &ours);
        print_set("analysis", &full);
        print_set("oracle, all", &theirs_all);
        print_set("analysis, all", &ours_all);
    }
    set *all[] = {&theirs, &theirs_all, &cam, &ours, &ours_all, &full, &full_all};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        au_vec_release(all[i]);
    return wrong;
}

int main(int argc, char **argv) {
    cases all = {.count = 1000, .seed = 1};
    uint64_t verbose = 0;
    const cases_option more[] = {{"verbose", &verbose}, {NULL, NULL}};
    au_cases_options(&all, argc, argv, more);
    tally n = {0};
    for (uint64_t k = 0; k < all.count; k++) {
        au_rng r;
        au_rng_init(&r, all.seed + k);
        plan q;
        make_plan(&q, &r);
        au_trace *t = run_plan(&q, &r);
        const char *wrong = judge(t, &q, &n, verbose != 0);
        if (!wrong && (all.seed + k) % 50 == 0)
            wrong = check_counts(all.seed + k);
        if (wrong)
            printf("%s: --count 1 --seed %llu\n", wrong, (unsigned long long)(all.seed + k));
        free_trace(t);
        if (wrong)
            return 1;
    }
    printf("%llu cases: %llu exact, %llu contained (%llu with a thread that does not nest), %llu "
           "too large; %llu violations; must-happens-before pruned in %llu, left some in %llu; "
           "schedules: %llu keep the reads, %llu do not, %llu missing\n",
           (unsigned long long)all.count, (unsigned long long)n.exact,
           (unsigned long long)n.contained, (unsigned long long)n.unnested,
           (unsigned long long)n.given_up, (unsigned long long)n.violations,
           (unsigned long long)n.pruned, (unsigned long long)n.must, (unsigned long long)n.kept,
           (unsigned long long)n.locks, (unsigned long long)n.none);
    return 0;
}
