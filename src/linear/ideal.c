/* linear/ideal.c: ideals closed under C2 (syncp.h).
 *
 * Only the last section of each lane (lock, thread, mode) whose acquire is in the ideal
 * can be open: thread order closes the ones before it. Of the exclusive sections of a
 * lock all but the latest (its top) must be closed, so one comparison with the top
 * decides which of the two; shared ones are compared with the top only.
 *
 * When a thread's part grows, its new acquires are walked, or if they are many, the
 * last one of each lane is looked up: a long jump does not cost its length. */
#include "base/deadline.h"
#include "linear/syncp_priv.h"

struct au_ideal {
    const au_syncp *s;
    uint32_t *clock;   /* by thread: how many of its events are in */
    uint32_t *seen;    /* by thread: how much of that has been looked at */
    uint32_t *section; /* by thread: sections with their acquire in 'seen' */
    struct {
        uint32_t stamp, section;
        uint16_t thread;
    } * top; /* by lock: valid if its stamp is ours */
    struct {
        uint32_t stamp, section; /* shared lanes: the last section that is in */
        uint32_t tick;           /* already looked at in this walk */
    } * lane;
    uint32_t stamp, tick;
    uint32_t late_thread, late_from; /* see au_ideal_start_late; AU_NONE: nobody */
    bool stuck;
};

au_ideal *au_ideal_new(const au_syncp *s) {
    au_ideal *i = AU_NEW(au_ideal);
    i->s = s;
    i->clock = au_alloc_array(s->n_threads, sizeof *i->clock);
    i->seen = au_alloc_array(s->n_threads, sizeof *i->seen);
    i->section = au_alloc_array(s->n_threads, sizeof *i->section);
    i->top = au_alloc_array(s->n_locks, sizeof *i->top);
    i->lane = au_alloc_array(s->lane.n, sizeof *i->lane);
    i->stamp = 1;
    i->late_thread = AU_NONE;
    return i;
}

void au_ideal_free(au_ideal *i) {
    if (!i)
        return;
    free(i->clock);
    free(i->seen);
    free(i->section);
    free(i->top);
    free(i->lane);
    free(i);
}

void au_ideal_start(au_ideal *i) {
    size_t bytes = i->s->n_threads * sizeof *i->clock;
    if (bytes) {
        memset(i->clock, 0, bytes);
        memset(i->seen, 0, bytes);
        memset(i->section, 0, bytes);
    }
    if (++i->stamp == 0) { /* wrapped: old stamps would be valid again */
        memset(i->top, 0, i->s->n_locks * sizeof *i->top);
        for (size_t k = 0; k < i->s->lane.n; k++)
            i->lane[k].stamp = 0;
        i->stamp = 1;
    }
    i->late_thread = AU_NONE;
    i->stuck = false;
}

void au_ideal_start_late(au_ideal *i, uint16_t thread, uint32_t from) {
    au_ideal_start(i);
    i->late_thread = thread;
    i->late_from = from;
}

/* The place of a section among those of its lock; late ones come last. */
static uint32_t order_of(const au_ideal *i, uint16_t thread, const au_syncp_section *x) {
    return thread == i->late_thread && x->acq >= i->late_from ? UINT32_MAX : x->order;
}

void au_ideal_join(au_ideal *i, uint16_t thread, uint32_t pos, uint32_t clock) {
    const uint32_t *other = au_clock_row(i->s, clock);
    for (uint32_t k = 0; k < i->s->n_threads; k++)
        i->clock[k] = other[k] > i->clock[k] ? other[k] : i->clock[k];
    if (i->clock[thread] < pos)
        i->clock[thread] = pos;
}

void au_ideal_include(au_ideal *i, size_t event) {
    uint16_t t = i->s->trace->events.thread[event];
    uint32_t pos = au_syncp_pos(i->s, event);
    if (i->clock[t] < pos) /* else its past is in as well */
        au_ideal_join(i, t, pos, au_clock_at(i->s, t, pos));
}

void au_ideal_include_before(au_ideal *i, size_t event) {
    uint16_t t = i->s->trace->events.thread[event];
    uint32_t pos = au_syncp_pos(i->s, event) - 1;
    if (i->clock[t] < pos || pos == 0) /* 0: the fork */
        au_ideal_join(i, t, pos, au_clock_at(i->s, t, pos));
}

/* C2: this section has to be over. */
static void end_section(au_ideal *i, uint16_t thread, const au_syncp_section *x) {
    if (x->rel == AU_NEVER) {
        i->stuck = true;
        return;
    }
    if (i->clock[thread] < x->rel)
        au_ideal_join(i, thread, x->rel, x->rel_clock);
}

static const au_syncp_section *section_of(const au_ideal *i, uint16_t thread, uint32_t section) {
    return &i->s->thread[thread].section.at[section];
}

/* The shared sections of a lock against its new top. */
static void compare_shared(au_ideal *i, uint32_t lock, uint16_t thread, const au_syncp_section *x) {
    for (uint32_t k = i->s->lock_lane[lock]; k != AU_NONE; k = i->s->lane.at[k].next) {
        const au_lane *l = &i->s->lane.at[k];
        if (!l->shared || i->lane[k].stamp != i->stamp || l->thread == thread)
            continue;
        const au_syncp_section *y = section_of(i, l->thread, i->lane[k].section);
        if (order_of(i, l->thread, y) < order_of(i, thread, x))
            end_section(i, l->thread, y);
        else
            end_section(i, thread, x);
    }
}

/* The acquire of this section is in, and it is the last one of its lane. */
static void enter_section(au_ideal *i, uint16_t thread, uint32_t section) {
    const au_syncp_section *x = section_of(i, thread, section);
    const au_lane *l = &i->s->lane.at[x->lane];
    uint32_t lock = l->lock;
    if (l->shared) {
        i->lane[x->lane].stamp = i->stamp;
        i->lane[x->lane].section = section;
    }
    const au_syncp_section *top = NULL;
    if (i->top[lock].stamp == i->stamp)
        top = section_of(i, i->top[lock].thread, i->top[lock].section);
    bool below = top && order_of(i, i->top[lock].thread, top) > order_of(i, thread, x);
    if (top && i->top[lock].thread != thread) {
        if (below) {
            end_section(i, thread, x);
            return;
        }
        end_section(i, i->top[lock].thread, top);
    }
    if (l->shared || below)
        return;
    i->top[lock].stamp = i->stamp;
    i->top[lock].section = section;
    i->top[lock].thread = thread;
    if (i->s->lock_shared[lock])
        compare_shared(i, lock, thread, x);
}

/* How many sections of a thread have their acquire among its first 'pos' events, known
 * to be at least 'from': by doubling steps. */
static uint32_t sections_until(const au_thread_past *p, uint32_t from, uint32_t pos) {
    size_t low = from, step = 1;
    while (low + step <= p->section.n && p->section.at[low + step - 1].acq <= pos) {
        low += step;
        step *= 2;
    }
    size_t high = low + step <= p->section.n ? low + step - 1 : p->section.n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (p->section.at[mid].acq <= pos)
            low = mid + 1;
        else
            high = mid;
    }
    return (uint32_t)low;
}

/* The last section of a lane before section 'end' of its thread; AU_NONE. */
static uint32_t last_of_lane(const au_lane *l, uint32_t end) {
    size_t low = 0, high = l->at.n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (l->at.at[mid] < end)
            low = mid + 1;
        else
            high = mid;
    }
    return low ? l->at.at[low - 1] : AU_NONE;
}

static void look_at(au_ideal *i, uint16_t thread) {
    const au_thread_past *p = &i->s->thread[thread];
    uint32_t from = i->section[thread];
    uint32_t end = sections_until(p, from, i->clock[thread]);
    i->seen[thread] = i->clock[thread];
    i->section[thread] = end;
    au_deadline_step(end - from <= 4 * p->lane.n ? end - from : 4 * p->lane.n);
    if (end - from <= 4 * p->lane.n) {
        if (++i->tick == 0) {
            for (size_t k = 0; k < i->s->lane.n; k++)
                i->lane[k].tick = 0;
            i->tick = 1;
        }
        for (uint32_t k = end; k-- > from;) {
            uint32_t lane = p->section.at[k].lane;
            if (i->lane[lane].tick == i->tick)
                continue;
            i->lane[lane].tick = i->tick;
            enter_section(i, thread, k);
        }
        return;
    }
    for (size_t k = 0; k < p->lane.n; k++) {
        uint32_t last = last_of_lane(&i->s->lane.at[p->lane.at[k]], end);
        if (last != AU_NONE && last >= from)
            enter_section(i, thread, last);
    }
}

bool au_ideal_close(au_ideal *i) {
    for (bool grown = true; grown && !i->stuck;) {
        grown = false;
        au_deadline_step(i->s->n_threads); /* counted only: half a closure is worth nothing */
        for (uint32_t t = 0; t < i->s->n_threads; t++)
            if (i->seen[t] < i->clock[t]) {
                look_at(i, (uint16_t)t);
                grown = true;
            }
    }
    for (uint32_t t = 0; i->stuck && t < i->s->n_threads; t++)
        i->clock[t] = i->s->thread[t].events;
    return !i->stuck;
}

bool au_ideal_contains(const au_ideal *i, size_t event) {
    return i->clock[i->s->trace->events.thread[event]] >= au_syncp_pos(i->s, event);
}

const uint32_t *au_ideal_clock(const au_ideal *i) {
    return i->clock;
}

uint64_t au_ideal_size(const au_ideal *i) {
    uint64_t n = 0;
    for (uint32_t t = 0; t < i->s->n_threads; t++)
        n += i->clock[t];
    return n;
}

au_cut au_ideal_as_cut(const au_ideal *i) {
    au_cut c = {.upto = i->clock, .threads = i->s->n_threads, .late = i->late_thread};
    if (c.late != AU_NONE)
        c.kept = i->clock[c.late] < i->late_from ? i->clock[c.late] : i->late_from - 1;
    return c;
}

au_schedule au_ideal_schedule(const au_ideal *i, au_arena *arena, uint64_t max_turns) {
    au_cut c = au_ideal_as_cut(i);
    return au_cut_schedule(&c, &i->s->trace->events, arena, max_turns);
}

const au_cut *au_ideal_cut(const au_ideal *i, au_arena *arena) {
    if (i->s->trace->hooks.thread.n)
        return NULL;
    au_cut c = au_ideal_as_cut(i);
    return au_cut_copy(&c, arena);
}
