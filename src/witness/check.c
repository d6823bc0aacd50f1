/* witness/check.c: the checker of schedules on traces. */
#include "witness/check.h"

#include "base/deadline.h"
#include "witness/check_priv.h"

#include <stdio.h>

/* --- what the trace says ---------------------------------------------------------- */

/* Kinds of objects, forks, the first 'once' of each. */
static void judge(au_checker *c) {
    const au_columns *x = &c->t->events;
    for (uint32_t l = 0; l < c->t->names.lock.n; l++) {
        struct au_sync_info s = au_names_sync(&c->t->names, l);
        c->kind[l] = (au_wkind){s.kind == AU_WIRE_OBJ_SEM,
                                s.kind == AU_WIRE_OBJ_UNKNOWN || s.kind == AU_WIRE_OBJ_RLOCK, 0, 0};
    }
    for (size_t e = 0; e < x->n; e++) {
        c->first[x->thread[e] + 1]++;
        switch (x->op[e]) {
        case AU_OP_DOWN:
        case AU_OP_UP:
            c->kind[x->obj[e]].sem = true;
            break;
        case AU_OP_FORK:
            if (!c->fork_of[x->obj[e]])
                c->fork_of[x->obj[e]] = (uint32_t)e + 1;
            break;
        case AU_OP_ONCE:
            if (!c->kind[x->obj[e]].once)
                c->kind[x->obj[e]].once = (uint32_t)e + 1;
            break;
        default:
            break;
        }
    }
    for (uint32_t t = 0; t < c->threads; t++)
        c->first[t + 1] += c->first[t];
}

static bool is_idle(au_op op) {
    return op == AU_OP_BEGIN || op == AU_OP_END || op == AU_OP_FENCE || op == AU_OP_DETACH ||
           op == AU_OP_EXIT || op == AU_OP_ALLOC || op == AU_OP_FREE || op >= AU_OP_CALL;
}

/* Events by thread; the least counts and sizes; who gives what for the last time.
 * Uses 'count' and 'holder' of the objects' states as scratch. */
static void sort(au_checker *c) {
    const au_columns *x = &c->t->events;
    uint64_t *fill = au_alloc_array(c->threads, sizeof *fill);
    for (size_t e = 0; e < x->n; e++) {
        uint16_t t = x->thread[e];
        au_op op = x->op[e];
        c->order[c->first[t] + fill[t]++] = (uint32_t)e;
        if (!is_idle(op))
            c->acts[t] = fill[t];
        if (au_op_space(op) != AU_WIRE_SPACE_LOCK)
            continue;
        au_wobj *o = &c->obj[x->obj[e]];
        au_wkind *k = &c->kind[x->obj[e]];
        bool sem = k->sem, gives = op == AU_OP_SIGNAL || op == AU_OP_BROADCAST;
        if (sem && op == AU_OP_INIT)
            o->count = 0;
        if (sem && (op == AU_OP_DOWN || op == AU_OP_ACQ) && --o->count < -(int64_t)k->init)
            k->init = (int32_t)-o->count;
        if (sem && (op == AU_OP_UP || op == AU_OP_REL)) {
            o->count++;
            gives = true;
        }
        if (op == AU_OP_ARRIVE) {
            gives = true;
            k->init += !o->holder;
        }
        if (op == AU_OP_LEAVE)
            o->holder = 1;
        if (gives)
            *au_map_put(&c->gives, (uint64_t)x->obj[e] << 16 | t, NULL) = fill[t];
    }
    free(fill);
    for (uint32_t l = 0; l < c->t->names.lock.n; l++) {
        struct au_sync_info s = au_names_sync(&c->t->names, l);
        au_wkind *k = &c->kind[l];
        if (s.kind == AU_WIRE_OBJ_SEM || s.kind == AU_WIRE_OBJ_ONCE ||
            (s.kind == AU_WIRE_OBJ_BARRIER && s.init > 0))
            k->init = s.init;
        c->obj[l] = (au_wobj){0};
    }
}

enum { SLICE = 1 << 12 }; /* events between two looks at the clock */

/* Executes the trace as it is, to see what each event saw. False: in time, it could not. */
static bool observe(au_checker *c, bool in_time) {
    char why[256];
    c->run = 1;
    for (size_t i = 0; i < c->t->events.n; i++) {
        uint32_t e = (uint32_t)i;
        if (i % SLICE == 0 && au_deadline_step(SLICE) && in_time)
            return false;
        c->saw[e] = au_witness_sees(c, e);
        if (au_witness_can(c, e, why, sizeof why))
            au_witness_do(c, e);
        else
            au_witness_thread(c, c->t->events.thread[e])->done++; /* not a trace of a run */
    }
    return true;
}

static au_checker *make(const au_trace *t, bool in_time) {
    au_checker *c = AU_NEW(au_checker);
    c->t = t;
    au_map_init(&c->gives);
    au_map_init(&c->reads);
    if (t->events.n > UINT32_MAX - 2)
        return c; /* au_checker_run says so */
    c->threads = (uint32_t)t->names.thread.n;
    c->first = au_alloc_array(c->threads + (size_t)1, sizeof *c->first);
    c->order = au_alloc_array(t->events.n + 1, sizeof *c->order);
    c->acts = au_alloc_array(c->threads, sizeof *c->acts);
    c->saw = au_alloc_array(t->events.n, sizeof *c->saw);
    c->fork_of = au_alloc_array(c->threads, sizeof *c->fork_of);
    c->thread = au_alloc_array(c->threads, sizeof *c->thread);
    c->kind = au_alloc_array(t->names.lock.n, sizeof *c->kind);
    c->obj = au_alloc_array(t->names.lock.n, sizeof *c->obj);
    c->var = au_alloc_array(t->names.var.n, sizeof *c->var);
    judge(c);
    sort(c);
    au_deadline_step(t->events.n / 4);
    if (observe(c, in_time))
        return c;
    au_checker_free(c);
    return NULL;
}

au_checker *au_checker_new(const au_trace *t) {
    return make(t, false);
}

au_checker *au_checker_new_in_time(const au_trace *t) {
    return make(t, true);
}

void au_checker_free(au_checker *c) {
    if (!c)
        return;
    free(c->first);
    free(c->order);
    free(c->acts);
    free(c->saw);
    free(c->fork_of);
    free(c->thread);
    free(c->kind);
    free(c->obj);
    free(c->var);
    au_map_release(&c->gives);
    au_map_release(&c->reads);
    au_vec_release(&c->signal);
    au_vec_release(&c->old);
    au_vec_release(&c->old_signal);
    free(c);
}

/* --- a schedule --------------------------------------------------------------------- */

typedef struct {
    au_checker *c;
    au_check_result *r;
    uint64_t watch[3]; /* decisive events that have to be executed, in this order */
    uint32_t n_watch, met;
    au_wthread reader; /* NONDET: as it was right after its read */
    char odd[256];     /* why reads were not kept */
} run;

/* Something comes after the last event of this thread. */
static void depend(run *x, uint32_t thread) {
    au_checker *c = x->c;
    const au_wthread *t = au_witness_thread(c, thread);
    if (!t->odd || !x->r->reads_kept)
        return;
    uint32_t e = t->odd - 1, saw = c->saw[e];
    x->r->reads_kept = false;
    if (c->t->events.op[e] == AU_OP_TRYFAIL)
        au_witness_no(x->odd, sizeof x->odd, "%s would get it", AU_WHOSE_(c, e));
    else if (t->seen == saw)
        au_witness_no(x->odd, sizeof x->odd, "%s sees %s, which itself read another write",
                      AU_WHOSE_(c, e), AU_WHOSE_(c, saw - 1));
    else
        au_witness_no(x->odd, sizeof x->odd, "%s sees %s, in the trace %s", AU_WHOSE_(c, e),
                      t->seen ? AU_WHOSE_(c, t->seen - 1) : "the initial value",
                      saw ? AU_WHOSE_(c, saw - 1) : "the initial value");
}

static bool step(run *x, uint32_t thread) {
    au_checker *c = x->c;
    au_wthread *t = au_witness_thread(c, thread);
    uint32_t e = au_witness_event(c, thread, t->done + 1);
    char why[128];
    if (!au_witness_can(c, e, why, sizeof why))
        return au_witness_no(x->r->why, sizeof x->r->why, "%s cannot execute %s: %s",
                             AU_THREAD_(c, thread), AU_EVENT_(c, e), why);
    bool over = x->n_watch && x->met == x->n_watch; /* what comes now matters no more */
    if (t->odd && !over)
        depend(x, thread);
    if (c->t->events.op[e] == AU_OP_JOIN && !over)
        depend(x, c->t->events.obj[e]); /* that it ended then is what the join comes after */
    au_witness_do(c, e);
    x->r->step++;
    if (x->met < x->n_watch && e == x->watch[x->met]) {
        /* an rmw between that saw another value did not write what it wrote */
        if (++x->met < x->n_watch && c->t->events.op[e] == AU_OP_RMW)
            depend(x, thread);
        x->reader = *t;
    }
    return true;
}

/* The turn number i, from 1. */
static bool take_turn(run *x, unsigned long long i, const au_turn *turn) {
    au_checker *c = x->c;
    char *why = x->r->why;
    const size_t size = sizeof x->r->why;
    uint32_t thread = turn->thread;
    unsigned long long upto = turn->upto;
    if (thread >= c->threads)
        return au_witness_no(why, size, "turn %llu: the trace has no thread %u", i, thread);
    au_wthread *t = au_witness_thread(c, thread);
    if (upto > au_witness_length(c, thread))
        return au_witness_no(why, size, "turn %llu: %s has %llu events, not %llu", i,
                             AU_THREAD_(c, thread),
                             (unsigned long long)au_witness_length(c, thread), upto);
    if (upto <= t->done)
        return au_witness_no(why, size, "turn %llu: %s has executed %llu events already", i,
                             AU_THREAD_(c, thread), (unsigned long long)t->done);
    for (uint32_t k = 0; t->done < upto; k++)
        if (k % SLICE == 0 && au_deadline_step(upto - t->done < SLICE ? upto - t->done : SLICE)) {
            x->r->verdict = AU_CHECK_UNFINISHED;
            return au_witness_no(why, size, "%s", au_deadline_why());
        } else if (!step(x, thread)) {
            x->r->verdict = AU_CHECK_STUCK;
            return false;
        }
    return true;
}

static bool execute_cut(run *x, const au_cut *cut) {
    au_cut_walk walk;
    au_turn turn;
    bool fine = true;
    if (cut->threads != x->c->threads)
        return au_witness_no(x->r->why, sizeof x->r->why, "the schedule has other threads");
    for (uint32_t t = 0; t < cut->threads; t++)
        if (cut->upto[t] > au_witness_length(x->c, t))
            return au_witness_no(x->r->why, sizeof x->r->why, "%s has %llu events, not %u",
                                 AU_THREAD_(x->c, t),
                                 (unsigned long long)au_witness_length(x->c, t), cut->upto[t]);
    au_cut_begin(&walk, cut, &x->c->t->events);
    for (unsigned long long i = 1; fine && au_cut_turn(&walk, &turn); i++)
        fine = take_turn(x, i, &turn);
    au_cut_end(&walk);
    return fine;
}

static bool execute(run *x, const au_finding *f) {
    if (f->cut && !f->schedule.n)
        return execute_cut(x, f->cut);
    for (uint32_t i = 0; i < f->schedule.n; i++)
        if (!take_turn(x, i + 1ull, &f->schedule.turn[i]))
            return false;
    return true;
}

/* Were the watched events executed, and is it what the finding says? */
static bool shows_order(run *x, const au_finding *f) {
    au_checker *c = x->c;
    char *why = x->r->why;
    const size_t size = sizeof x->r->why;
    if (x->met < x->n_watch) {
        const au_event_ref *v = &f->event[f->n_events - x->n_watch + x->met];
        if (au_witness_thread(c, v->thread)->done < v->index)
            return au_witness_no(why, size, "%s is not executed",
                                 AU_WHOSE_(c, (uint32_t)v->number));
        return au_witness_no(why, size, "%s is executed, but not after %s",
                             AU_WHOSE_(c, (uint32_t)v->number),
                             AU_WHOSE_(c, (uint32_t)x->watch[x->met - 1]));
    }
    if (f->kind != AU_KIND_NONDET)
        return true;
    uint32_t read = (uint32_t)f->event[1].number, seen = x->reader.seen;
    uint64_t want = f->event[0].number == UINT64_MAX ? 0 : f->event[0].number + 1;
    if (seen != want)
        return au_witness_no(why, size, "%s sees %s", AU_WHOSE_(c, read),
                             seen ? AU_WHOSE_(c, seen - 1) : "the initial value");
    if (seen == c->saw[read])
        return au_witness_no(why, size, "%s saw the same write in the trace", AU_WHOSE_(c, read));
    if (x->reader.tainted && x->r->reads_kept) {
        x->r->reads_kept = false;
        au_witness_no(x->odd, sizeof x->odd, "%s itself read another write",
                      AU_WHOSE_(c, seen - 1));
    }
    return true;
}

static bool shows(run *x, const au_finding *f) {
    if (x->n_watch)
        return shows_order(x, f);
    for (uint32_t i = 0; i < f->n_events; i++)
        depend(x, f->event[i].thread);
    if (au_witness_shows_at_end(x->c, f, x->r->why, sizeof x->r->why))
        return true;
    if (f->kind != AU_KIND_DEADLOCK)
        return false;
    x->c->locks_only = true;
    if (!au_witness_shows_at_end(x->c, f, x->r->why, sizeof x->r->why))
        return false;
    for (uint32_t t = 0; t < x->c->threads; t++)
        depend(x, t);
    return true;
}

void au_witness_begin(au_checker *c) {
    c->run++;
    c->now = 0;
    c->spurious = 0;
    c->locks_only = false;
    au_vec_clear(&c->signal);
    if (c->reads.n)
        au_map_clear(&c->reads);
}

void au_checker_run(au_checker *c, const au_finding *f, au_check_result *r) {
    run x = {.c = c, .r = r};
    *r = (au_check_result){.verdict = AU_CHECK_NOT_SHOWN, .reads_kept = true};
    if (!c->order) {
        au_witness_no(r->why, sizeof r->why, "the trace has too many events for the checker");
        return;
    }
    au_witness_begin(c);
    if (!au_witness_well_formed(c, f, r->why, sizeof r->why))
        return;
    if (f->kind == AU_KIND_ATOMICITY || f->kind == AU_KIND_NONDET || f->kind == AU_KIND_ASSERTION ||
        f->kind == AU_KIND_LOST)
        for (uint32_t i = f->kind == AU_KIND_NONDET; i < f->n_events; i++)
            x.watch[x.n_watch++] = f->event[i].number;
    bool shown = execute(&x, f) && shows(&x, f);
    r->spurious = c->spurious;
    if (!shown)
        return;
    r->verdict = r->reads_kept ? AU_CHECK_SHOWN : AU_CHECK_LOCKS_ONLY;
    r->why[0] = 0;
    if (!r->reads_kept)
        snprintf(r->why, sizeof r->why, "%s", x.odd);
    else if (r->spurious)
        au_witness_no(r->why, sizeof r->why, "%s needs a wake-up without a signal",
                      AU_WHOSE_(c, c->spurious - 1));
}
