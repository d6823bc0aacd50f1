/* SPDX-License-Identifier: MIT
 *
 * rt/policy.c: who runs next and how long.
 *
 *   os      first come, first served; a turn is long, as a time slice is, and each has another
 *           length: a loop of a fixed number of events must not end every turn at the same place, where it
 *           has what another thread waits for. A thread that only waits for a change gives way early
 *   random  any ready thread; turns of random length, and a coin at every
 *           synchronisation call
 *   pct     random priorities, the highest ready thread runs; at depth - 1 random events
 *           the running thread becomes the lowest (Burckhardt et al., ASPLOS 2010)
 *
 * A replay goes through the list of turns in the control memory. */
#include "rt/policy.h"
#include "rt/live.h"
#include "rt/signal.h"
#include "rt/stream.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define OS_TURN 50000
#define GO_ON_TURN 1000000 /* of a replay behind its schedule: only for who spins */
#define LAST_TURN 2000     /* of threads that the end of main cuts off */
#define LOOK 1000          /* events of an os turn between two looks whether its thread spins */
#define SPIN_SITES 24u     /* of a loop that spins */
#define MOST_VAIN 12u
#define RANDOM_TURN 40
#define PCT_PATIENCE 20000   /* events after which a spinning thread gives way */
#define PCT_SPAN 20000       /* change points lie among that many events */
#define QUIET_PATIENCE 20000 /* hand-overs after which quiet threads only wait for each other */
#define FOREVER (INT64_MAX / 4)

static uint64_t random_state[2];
static const struct au_wire_turn *turns;
static uint64_t n_turns, turn;
static uint64_t change[64];
static unsigned n_change, changed;
static uint32_t lowest = UINT32_MAX / 2;
static const struct rt_thread *standing_in; /* replay: it runs in the turn of another thread */
static int64_t share;                       /* os: what is left of the turn behind its budget */
static int alone;                           /* … nobody else could run when it began */
static int ending;                          /* the program is about to end */
static unsigned vain;                       /* os: turns are 2^vain times shorter */
static int at_schedules_end;                /* the last turn is over and nobody was picked since */

static uint64_t next_random(void) { /* xorshift128+ */
    uint64_t a = random_state[0], b = random_state[1];
    random_state[0] = b;
    a ^= a << 23;
    random_state[1] = a ^ b ^ (a >> 18) ^ (b >> 5);
    return random_state[1] + b;
}

static uint64_t below(uint64_t n) {
    return next_random() % n;
}

static uint64_t spread(uint64_t x) { /* splitmix64 */
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

void rt_policy_start(void) {
    struct au_control *c = rt_control;
    random_state[0] = spread(c->seed);
    random_state[1] = spread(c->seed + 1) | 1;
    if (c->mode == AU_MODE_REPLAY) {
        turns = (const struct au_wire_turn *)(const void *)((const char *)c + c->turns_offset);
        n_turns = c->n_turns;
    }
    n_change = c->pct_depth > 1 ? c->pct_depth - 1 : 0;
    if (n_change > 64)
        n_change = 64;
    uint64_t span = c->max_events ? c->max_events : PCT_SPAN;
    for (unsigned i = 0; i < n_change; i++)
        change[i] = 1 + below(span);
    for (unsigned i = 1; i < n_change; i++)
        for (unsigned k = i; k && change[k - 1] > change[k]; k--) {
            uint64_t x = change[k];
            change[k] = change[k - 1];
            change[k - 1] = x;
        }
}

int rt_replaying_turns(void) {
    return turn < n_turns;
}

static unsigned policy(void) {
    struct au_control *c = rt_control;
    if (c->mode == AU_MODE_REPLAY)
        return c->after == AU_AFTER_RANDOM ? AU_POLICY_RANDOM : AU_POLICY_OS;
    return c->policy;
}

/* ---- replay ---- */

_Noreturn void rt_diverged(const char *text) {
    snprintf(rt_control->message, sizeof rt_control->message, "turn %llu: %s",
             (unsigned long long)turn + 1, text);
    rt_finish(AU_END_DIVERGED, 0);
    rt_quit(125);
}

_Noreturn void rt_diverged_wait(struct rt_thread *t) {
    char what[200], text[300];
    rt_tell_wait(t, what, sizeof what);
    snprintf(text, sizeof text, "T%u cannot reach event %llu: %s", t->number,
             (unsigned long long)rt_now(t) + 1, what);
    rt_diverged(text);
}

_Noreturn void rt_diverged_away(struct rt_thread *t) {
    char text[200];
    snprintf(text, sizeof text, "T%u cannot reach event %llu: it does not return from a call",
             t->number, (unsigned long long)t->events + 1);
    rt_diverged(text);
}

/* Not while recording: there nobody else may be ready, and it only waits for the kernel. */
void rt_diverged_spin(struct rt_thread *t) {
    if (rt_replaying_turns())
        rt_diverged_away(t);
}

/* The schedule's end; every thread stands where its last turn left it. */
static void schedule_ends(void) {
    if (rt_control->after == AU_AFTER_STOP)
        rt_stop();
    if (rt_control->after == AU_AFTER_END) {
        rt_finish(AU_END_LIMIT, 0);
        rt_quit(0);
    }
}

static struct rt_thread *pick_turn(void) {
    char text[300];
    while (turn < n_turns) {
        const struct au_wire_turn *u = &turns[turn];
        struct rt_thread *t = rt_thread_of(u->thread);
        if (!t) {
            snprintf(text, sizeof text, "T%u is not started yet", u->thread);
            rt_diverged(text);
        }
        if (t->events >= u->until) {
            turn++;
            continue;
        }
        if (t->state == RT_DEAD) {
            snprintf(text, sizeof text, "T%u cannot reach event %llu: it ended after event %llu",
                     t->number, (unsigned long long)u->until, (unsigned long long)t->events);
            rt_diverged(text);
        }
        rt_control->turn = turn + 1;
        if (u->flags >> AU_TURNF_WHY)
            rt_turn_why = (uint8_t)((u->flags >> AU_TURNF_WHY) - 1);
        return t;
    }
    schedule_ends();
    at_schedules_end = 1;
    return NULL;
}

/* Who runs while t, whose turn it is, waits in libomp for others of libomp's threads (omp.h). */
static struct rt_thread *stand_in(struct rt_thread *t, const struct rt_thread *from) {
    static uint64_t asked;
    static const struct rt_thread *asked_for;
    standing_in = NULL;
    if (!t->quiet || (t->state != RT_WAITING && t != from)) {
        asked = 0;
        return t;
    }
    asked = asked_for == t ? asked + 1 : 0;
    asked_for = t;
    if (asked < QUIET_PATIENCE)
        for (struct rt_thread *u = rt_ready_first(); u; u = u->ready_next)
            if (u != t && u->quiet) {
                standing_in = u;
                return u;
            }
    if (t->state == RT_READY && asked < QUIET_PATIENCE)
        return t;
    if (rt_detached_count() && asked < QUIET_PATIENCE)
        return NULL;
    rt_diverged_wait(t);
}

/* The schedule is over: whoever had its last turn goes on if it can. */
static struct rt_thread *last_of_schedule(struct rt_thread *from) {
    at_schedules_end = 0;
    for (struct rt_thread *t = rt_ready_first(); t; t = t->ready_next)
        if (t == from)
            return t;
    return NULL;
}

uint8_t rt_policy_wait_result(struct rt_thread *t) {
    if (!rt_replaying_turns())
        return RT_TIMEOUT;
    uint32_t flags = turns[turn].flags;
    if (flags & AU_TURNF_TIMEOUT)
        return RT_TIMEOUT;
    if (flags & AU_TURNF_SPURIOUS)
        return RT_SPURIOUS;
    if (rt_signal_next(t) == t->events || (rt_living() && rt_signal_ready(t)))
        return RT_SPURIOUS;
    switch (t->wait_kind) {
    case RT_WAIT_COND:
    case RT_WAIT_BARRIER:
    case RT_WAIT_FUTEX:
    case RT_WAIT_SLEEP: /* these go on only if they were woken */
        if (t->has_deadline)
            return RT_TIMEOUT;
        rt_diverged_wait(t);
    default:
        return RT_WOKEN;
    }
}

/* ---- recording ---- */

/* About n events, seldom the same number twice. */
static int64_t vary(int64_t n) {
    return n / 2 + 1 + (int64_t)below((uint64_t)n);
}

/* A round of the loop in which the holder is, as the sites expect it: does it look at the same places again and
 * again and change nothing? Only another thread can end it then, or a count in registers. */
static int spins(void) {
    const struct au_site *s = rt_hot.prev;
    unsigned reads = 0;
    for (unsigned n = 0; s && n < SPIN_SITES; n++) {
        switch (s->op) {
        case AU_OP_READ:
        case AU_OP_AREAD:
        case AU_OP_RMW: /* the same value: the lock is still taken */
            reads++;
            break;
        case AU_OP_CALL:
        case AU_OP_RET:
        case AU_OP_XCALL:
        case AU_OP_XRET:
        case AU_OP_FENCE:
            break;
        default:
            return 0;
        }
        if (s->stride || (!au_sop_is_read(s->op) && s->vstride))
            return 0;
        s = rt_site_after(s);
        if (s == rt_hot.prev)
            return reads != 0;
    }
    return 0;
}

void rt_policy_last(int on) {
    ending = on;
}

void rt_policy_in_vain(void) {
    vain = vain + 3 < MOST_VAIN ? vain + 3 : MOST_VAIN;
}

/* The length of an os turn of about n events. */
static int64_t begin_turn(int64_t n) {
    n = vary(ending && n > LAST_TURN ? LAST_TURN : n) >> vain;
    if (n < 8)
        n = 1 + (int64_t)below(16);
    if (vain)
        vain--;
    return n;
}

int64_t rt_policy_more(void) {
    if (!share || (rt_ready_count() && spins()))
        return 0;
    if (alone && rt_ready_count()) { /* not any more */
        int64_t most =
            rt_control->after == AU_AFTER_GIVE_WAY ? vary(AU_PATIENCE) : begin_turn(GO_ON_TURN);
        share = share < most ? share : most;
        alone = 0;
    }
    int64_t n = share < LOOK ? share : LOOK;
    share -= n;
    return n;
}

int64_t rt_policy_budget(struct rt_thread *t) {
    share = 0;
    alone = 0;
    if (turn < n_turns)
        return t == standing_in ? 0 : (int64_t)(turns[turn].until - t->events);
    struct au_control *c = rt_control;
    int64_t n, every = (int64_t)c->switch_every;
    bool os = false;
    if (c->mode == AU_MODE_REPLAY && c->after != AU_AFTER_RANDOM) {
        n = c->after == AU_AFTER_GIVE_WAY ? vary(AU_PATIENCE) : begin_turn(GO_ON_TURN);
        os = c->after != AU_AFTER_GIVE_WAY;
        if (!rt_ready_count()) {
            n = FOREVER;
            os = true;
            alone = 1;
        }
    } else if (policy() == AU_POLICY_RANDOM) {
        n = 1 + (int64_t)below(2 * (uint64_t)(every ? every : RANDOM_TURN));
    } else if (policy() == AU_POLICY_PCT) {
        n = every ? every : PCT_PATIENCE;
        if (changed < n_change) {
            int64_t left = (int64_t)(change[changed] - c->events);
            if (left < n)
                n = left > 0 ? left : 1;
        }
    } else {
        n = every ? vary(every) : begin_turn(OS_TURN);
        os = !every;
    }
    if (c->max_events) {
        int64_t left = (int64_t)(c->max_events - c->events);
        if (left < n)
            n = left > 0 ? left : 1;
    }
    if (os && n > LOOK) {
        share = n - LOOK;
        n = LOOK;
    }
    return n;
}

static uint32_t priority(struct rt_thread *t) {
    if (!t->priority)
        t->priority = UINT32_MAX / 2 + 1 + (uint32_t)below(UINT32_MAX / 2);
    return t->priority;
}

struct rt_thread *rt_policy_pick(struct rt_thread *from) {
    struct au_control *c = rt_control;
    if (turn < n_turns) {
        struct rt_thread *t = pick_turn();
        if (t)
            return stand_in(t, from);
    }
    if (c->max_events && c->events >= c->max_events) {
        rt_finish(AU_END_LIMIT, 0);
        rt_quit(0);
    }
    unsigned n = rt_ready_count();
    if (!n)
        return NULL;
    struct rt_thread *t = rt_ready_first();
    switch (policy()) {
    case AU_POLICY_RANDOM:
        for (uint64_t k = below(n); k; k--)
            t = t->ready_next;
        return t;
    case AU_POLICY_PCT:
        if (changed < n_change && c->events >= change[changed]) {
            from->priority = lowest--;
            changed++;
        } else if (rt_turn_spent(from)) {
            from->priority = lowest--; /* it may be spinning */
        }
        for (struct rt_thread *u = t; u; u = u->ready_next)
            if (priority(u) > priority(t))
                t = u;
        return t;
    default:
        if (at_schedules_end) {
            struct rt_thread *last = last_of_schedule(from);
            return last ? last : t;
        }
        return t;
    }
}

void rt_policy_yield(struct rt_thread *t) {
    if (policy() == AU_POLICY_PCT)
        t->priority = lowest--;
}

static int heads;

int rt_policy_coin(void) {
    return turn >= n_turns && policy() == AU_POLICY_RANDOM && rt_ready_count() &&
           (heads = below(4) == 0);
}

int rt_policy_point(void) {
    int was = heads;
    heads = 0;
    return was;
}
