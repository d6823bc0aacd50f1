/* linear/syncp_priv.h: what syncp.c prepares, ideal.c closes and syncp_race.c walks. */
#ifndef AU_LINEAR_SYNCP_PRIV_H
#define AU_LINEAR_SYNCP_PRIV_H

#include "linear/syncp.h"

#define AU_NEVER UINT32_MAX /* the release of a section that the trace does not end */

/* A critical section: outermost acquire to its release. Numbers within its thread. */
typedef struct {
    uint32_t acq, rel;
    uint32_t rel_clock; /* what its thread knew at the release */
    uint32_t order;     /* number of the acquire in the trace */
    uint32_t lane;
} au_syncp_section;

/* The sections of one lock, thread and mode. */
typedef struct {
    uint32_t lock;
    uint32_t next; /* lane of the same lock, AU_NONE */
    uint16_t thread;
    bool shared;
    AU_VEC(uint32_t) at; /* indices into the thread's sections, in order */
} au_lane;

/* From event 'from' of its thread on, this is what it knows of the others. */
typedef struct {
    uint32_t from, clock;
} au_change;

typedef struct {
    uint32_t events;
    AU_VEC(au_syncp_section) section;
    AU_VEC(au_change) change;
    AU_VEC(uint32_t) lane;
} au_thread_past;

/* Events of one thread, one behind the other in the trace, from the 'first'; that one is number 'pos' of its thread. */
typedef struct {
    uint32_t first, pos;
} au_stretch;

struct au_syncp {
    const au_trace *trace;
    uint32_t n_threads, n_locks;
    /* The number of an event in its thread: by event, or by stretch where these are few. Either is NULL. */
    uint32_t *pos;
    AU_VEC(au_stretch) stretch;
    au_thread_past *thread;     /* by thread */
    uint32_t *clock;            /* rows of n_threads numbers; row 0 is all zeroes */
    size_t n_clocks, clock_cap; /* rows */
    AU_VEC(au_lane) lane;
    uint32_t *lock_lane; /* by lock: its first lane, AU_NONE */
    bool *lock_shared;   /* by lock: has a shared lane */
};

static inline const uint32_t *au_clock_row(const au_syncp *s, uint32_t clock) {
    return s->clock + (size_t)clock * s->n_threads;
}
/* The number of an event in its thread, from 1. */
uint32_t au_syncp_find(const au_syncp *s, size_t event);
static inline uint32_t au_syncp_pos(const au_syncp *s, size_t event) {
    return s->pos ? s->pos[event] : au_syncp_find(s, event);
}
/* The same for who asks in the order of the trace; *at: 0 at first. */
static inline uint32_t au_syncp_next_pos(const au_syncp *s, size_t event, size_t *at) {
    if (s->pos)
        return s->pos[event];
    while (*at + 1 < s->stretch.n && s->stretch.at[*at + 1].first <= event)
        ++*at;
    return s->stretch.at[*at].pos + (uint32_t)(event - s->stretch.at[*at].first);
}
/* What a thread knows after its first 'pos' events (its own entry aside). */
uint32_t au_clock_at(const au_syncp *s, uint16_t thread, uint32_t pos);

/* Includes the first 'pos' events of a thread, which then knows 'clock'. */
void au_ideal_join(au_ideal *i, uint16_t thread, uint32_t pos, uint32_t clock);

/* After the schedule of f was written out, or not: keeps it as a cut if it is too long for that. Says what is
 * to be done: AU_WHY_UNCHECKED, or AU_WHY_LONG if it could not be kept. */
au_why au_ideal_kept(const au_ideal *i, au_finding *f, bool written, au_arena *arena);

/* The empty set, of which the critical sections that 'thread' begins from its event 'from'
 * on are the last of their locks, whatever their order in the trace: all others
 * have to be over. The schedule has the thread's events from there on at its end. Only
 * the late races (syncp_late.c) can say whether that is a correct reordering. */
void au_ideal_start_late(au_ideal *i, uint16_t thread, uint32_t from);

/* --- races (syncp_race.c), for who divides them among processes (race_apart.c) --- */

/* Variables that the lockset does not clear. */
typedef struct {
    uint32_t vars;
    uint32_t *accesses; /* by variable: of a suspect how many there are, of others 0 */
    uint64_t candidates, must_hb, lockset; /* variables left after each filter */
} au_suspects;
/* When the time is over before its end, there are none. */
void au_suspects_find(au_suspects *x, const au_trace *t);
void au_suspects_release(au_suspects *x);

/* Gets each race as it is found: events e1 < e2 of the trace and the schedule's cut, borrowed. */
typedef void au_race_sink(void *ctx, uint32_t e1, uint32_t e2, const au_cut *cut);
/* Races of the variables from … to - 1. What there is of 'stats' is added to. */
struct au_race_part {
    uint32_t from, to;
    au_race_sink *sink;
    void *ctx;
};
struct au_race_options;
struct au_race_stats;
void au_syncp_walk(const au_syncp *s, const struct au_race_options *o, const au_suspects *suspects,
                   const struct au_race_part *part, struct au_race_stats *stats);

/* The sink of those who list them: makes findings with schedules. */
typedef struct {
    const au_syncp *s;
    const struct au_race_options *o;
    au_findings *out;
    uint64_t budget;
} au_race_teller;
void au_race_teller_init(au_race_teller *t, const au_syncp *s, const struct au_race_options *o,
                         au_findings *out);
void au_race_tell(void *teller, uint32_t e1, uint32_t e2, const au_cut *cut);

/* --- late races (syncp_late.c) --- */

typedef struct au_syncp_late au_syncp_late;
au_syncp_late *au_late_new(const au_syncp *s);
void au_late_free(au_syncp_late *l);
/* Is the pair a race if a critical section around one of the two comes last? Then the
 * result is an ideal for its schedule (borrowed until the next call), else NULL. */
const au_ideal *au_late_race(au_syncp_late *l, size_t e1, size_t e2);

#endif
