/* witness/check_priv.h: between the files of the trace checker only. */
#ifndef AU_WITNESS_CHECK_PRIV_H
#define AU_WITNESS_CHECK_PRIV_H

#include "witness/check.h"

/* What the trace says about an object. */
typedef struct {
    bool sem, recursive;
    int32_t init;  /* SEM: count, BARRIER: size */
    uint32_t once; /* event + 1 of its first 'once' */
} au_wkind;

/* States are of the run whose number they carry; older ones count as fresh, so that
 * a run costs what its schedule is long and not what the trace has names. */
typedef struct {
    uint64_t run;
    uint64_t since;  /* the holder's event at which it took it */
    uint64_t times;  /* BARRIER: how often it was full; COND: time of the last broadcast */
    int64_t count;   /* SEM: count; BARRIER: arrived; COND: waiters to be signalled;
                                * ONCE: 1 when run */
    uint32_t holder; /* thread + 1 */
    uint32_t again;  /* … holds it so many times more */
    uint32_t readers, signals; /* read holds of all; COND: signals nobody has used yet */
} au_wobj;

typedef struct {
    uint64_t run, done;   /* events executed */
    uint64_t mark;        /* when it began to wait; which filling of the barrier it waits for */
    uint32_t odd;         /* event + 1 of its last event, if that was a read of another write */
    uint32_t seen;        /* the write that its last read saw, event + 1 */
    bool tainted;         /* … which was an rmw of another value */
    uint32_t waits;       /* condition + 1 */
    bool started, member; /* forked; of the deadlock asked for */
} au_wthread;

typedef struct {
    uint64_t run;
    uint32_t last; /* event + 1 of the last write */
    bool tainted;  /* … which was an rmw of another value */
} au_wvar;

/* walk.c: something before it was changed. */
struct au_wold {
    uint32_t what, id;
    union {
        au_wthread thread;
        au_wobj obj;
        au_wvar var;
        uint64_t reads[2];
    } as;
};

struct au_checker {
    const au_trace *t;
    /* from the trace */
    uint32_t threads;
    uint64_t *first;   /* by thread: its events are order[first[t]] … order[first[t + 1] - 1] */
    uint32_t *order;   /* event numbers, by thread */
    uint64_t *acts;    /* by thread: index of its last event that does or needs anything */
    uint32_t *saw;     /* by event: what au_witness_sees said in the trace */
    uint32_t *fork_of; /* by thread: event + 1 */
    au_wkind *kind;    /* by object */
    au_map gives;      /* object, thread -> the thread's last event that gives it (index) */
    /* the state */
    uint64_t run, now;
    au_wobj *obj;
    au_wthread *thread;
    au_wvar *var;
    au_map reads; /* object, thread -> read holds | since << 32 */
    AU_VEC(struct au_wsignal {
        uint32_t cond;
        uint64_t time;
    })
    signal;            /* unused ones, oldest first; no more than waiters */
    bool locks_only;   /* a thread goes on as in the trace whatever its last read saw */
    uint32_t spurious; /* event + 1 of the first wake-up without a signal */
    /* walk.c: for the way back */
    AU_VEC(struct au_wold) old;
    AU_VEC(struct au_wsignal) old_signal;
};

/* --- check_step.c: the semantics -------------------------------------------- */

au_wobj *au_witness_obj(au_checker *c, uint32_t obj);
/* Nothing has been executed. */
void au_witness_begin(au_checker *c);
au_wthread *au_witness_thread(au_checker *c, uint32_t thread);
/* Can this event, the next of its thread, be executed now? If not, why (of 'size' bytes)
 * says so; "T1 holds it since its event 9". */
bool au_witness_can(au_checker *c, uint32_t e, char *why, size_t size);
/* The same for taking a lock or semaphore, for writing or reading. */
bool au_witness_can_take(au_checker *c, uint32_t thread, uint32_t obj, bool shared, char *why,
                         size_t size);
void au_witness_do(au_checker *c, uint32_t e);
/* The write (event + 1, 0 initial) that a read sees now; whether the lock of a tryfail
 * is taken, and by what an object of an init is used. 0 for others. */
uint32_t au_witness_sees(au_checker *c, uint32_t e);
uint64_t au_witness_read_holds(const au_checker *c, uint32_t obj, uint32_t thread);

static inline uint64_t au_witness_length(const au_checker *c, uint32_t thread) {
    return c->first[thread + 1] - c->first[thread];
}
/* Its event with this index, from 1. */
static inline uint32_t au_witness_event(const au_checker *c, uint32_t thread, uint64_t index) {
    return c->order[c->first[thread] + index - 1];
}

/* --- check_shows.c: is the finding there? ------------------------------------ */

/* Do the finding's events name events of the trace? Are they what this kind is about? */
bool au_witness_well_formed(const au_checker *c, const au_finding *f, char *why, size_t size);
/* After the schedule. RACE, DEADLOCK, MISUSE. */
bool au_witness_shows_at_end(au_checker *c, const au_finding *f, char *why, size_t size);

/* --- check_text.c: reasons -------------------------------------------------------- */

/* false, so that 'return au_witness_no(why, size, …);' is one line */
bool au_witness_no(char *why, size_t size, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

typedef struct {
    char s[96];
} au_wtext;
au_wtext au_witness_thread_name(const au_checker *c, uint32_t thread);
au_wtext au_witness_event_text(const au_checker *c, uint32_t e);  /* "event 14 acq(m)" */
au_wtext au_witness_whose_event(const au_checker *c, uint32_t e); /* "T2's event 14 acq(m)" */

#define AU_THREAD_(c, t) (au_witness_thread_name((c), (t)).s)
#define AU_EVENT_(c, e) (au_witness_event_text((c), (e)).s)
#define AU_WHOSE_(c, e) (au_witness_whose_event((c), (e)).s)

#endif
