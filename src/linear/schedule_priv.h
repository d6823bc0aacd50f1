/* linear/schedule_priv.h: between schedule*.c only. */
#ifndef AU_LINEAR_SCHEDULE_PRIV_H
#define AU_LINEAR_SCHEDULE_PRIV_H

#include "base/hash.h"
#include "linear/lockctx.h"
#include "linear/schedule.h"

/* The events of a thread, in order. */
typedef struct {
    uint32_t *at;
    uint32_t n;
} au_sched_line;

/* An event that another has to wait for; a list. */
typedef struct {
    uint32_t on, next;
    bool wake; /* between a wait, its signal and its wake */
} au_need;

/* A lock as a thread holds it. */
typedef struct {
    uint32_t lock, depth;
    uint32_t since; /* index of the acquisition in the thread */
    bool shared;
} au_holding;

/* A thread while a schedule is made. */
typedef struct {
    bool in;                 /* takes part */
    uint32_t cut;            /* runs so many events in the first part */
    uint32_t seen;           /* closure: events looked at */
    uint32_t pos;            /* events run */
    uint32_t inside;         /* running: closed sections that it is in */
    bool goal;               /* somebody waits for it: must not wait for itself */
    AU_VEC(au_holding) open; /* held at the cut */
    AU_VEC(au_holding) held; /* held now */
} au_runner;

typedef struct {
    uint32_t owner;             /* + 1, for writing */
    uint32_t readers;           /* threads that hold it for reading */
    uint32_t todo, todo_shared; /* sections of the first part that are not over, open ones not
                                   counted */
} au_sched_lock;

struct au_scheduler {
    const au_trace *t;
    uint32_t threads, locks, vars;
    au_sched_line *line;
    uint32_t *events; /* memory of the lines */
    uint32_t *index;  /* of each event within its thread, from 0 */
    uint32_t *writer; /* of each access: event + 1 of the last write before it, or 0 */
    au_map need_of;   /* event -> first of its needs */
    AU_VEC(au_need) need;
    au_lockctx *ctx;
    /* of the schedule being made */
    au_runner *state;
    au_sched_lock *lock;
    uint32_t *last;           /* by variable: event + 1 of the last write */
    AU_VEC(uint32_t) touched; /* variables with an entry in 'last' */
    AU_VEC(au_turn) turn;
    AU_VEC(uint16_t) todo; /* closure: threads to look at; running: threads that take part */
    uint32_t e1, f, e2;    /* events */
    bool wakes;            /* some thread of the trace was woken by a signal */
    bool spurious;         /* threads may wake without */
    bool changed;          /* a read saw another write, and something may depend on it */
    bool f_changed;        /* f did */
    char why[200];
};

static inline bool au_sched_writes(au_op op) {
    return op == AU_OP_WRITE || op == AU_OP_AWRITE || op == AU_OP_RMW;
}
static inline bool au_sched_reads(au_op op) {
    return op == AU_OP_READ || op == AU_OP_AREAD || op == AU_OP_RMW;
}

#endif
