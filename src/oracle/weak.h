/* oracle/weak.h: executions under a memory model, between the files of the oracle only.
 *
 * Under a memory model a run is not an order of steps but an execution (docs/memory-models.md): the
 * events of each thread in program order, for each read the write that it sees (rf), for each
 * variable an order of its writes (mo), for each synchronisation object the order of its operations.
 * The model says which executions are consistent.
 *
 * All of them are found by adding one event after the other: a read sees any write that is there, a
 * write goes to any place in its variable's order. That misses none, because in all three models
 * program order and rf together have no cycle, and because what is left of a consistent execution
 * without an event that nothing follows is consistent again. So the oracle's graph of states serves:
 * a state is what it is for interleavings and the execution so far, a move adds an event. The value
 * of a shared variable in a state is that of the last write in its order.
 *
 *   weak_exec.c    executions as bytes; orders, synchronises-with, happens-before
 *   weak_axioms.c  which executions are consistent, and which race
 *   weak.c         the moves
 *   weak_show.c    an execution as a finding tells it; reads and what they can see
 *
 * An event is one step: a read-modify-write is one event that reads and writes. */
#ifndef AU_ORACLE_WEAK_H
#define AU_ORACLE_WEAK_H

#include "base/intern.h"
#include "base/limits.h"
#include "oracle/oracle_priv.h"

enum {
    AU_WEAK_READS = 1,
    AU_WEAK_WRITES = 2,
    AU_WEAK_FENCE = 4,
    AU_WEAK_SYNC = 8, /* an operation of a lock and so on, fork, join */
    AU_WEAK_VAIN = 16 /* … that failed: it has a place in the order and synchronises with nothing */
};

#define AU_WEAK_MOST AU_LIMIT_ORACLE_EVENTS /* events of an execution: the bits of a row */
#define AU_WEAK_INITIAL UINT16_MAX          /* the initial value, as what a read sees */

/* An event by its thread and its place there, as it is stored. */
static inline uint16_t au_weak_ref(uint32_t thread, uint32_t place) {
    return (uint16_t)(thread << 8 | place);
}

typedef struct {
    uint32_t step;
    uint16_t from;  /* READS: the event that it sees, INITIAL; a ref */
    uint16_t does;  /* AU_WEAK_* */
    uint64_t value; /* WRITES: what; a release of a rwlock: 1 if it was its writer */
} au_weak_event;

/* An execution. Numbers of events: those of the first thread, then those of the second … */
typedef struct {
    const au_model *m;
    uint32_t n;
    au_weak_event event[AU_WEAK_MOST];
    uint8_t thread[AU_WEAK_MOST];
    uint8_t first[65]; /* by thread: its first event; one more for the end */
    /* By line (a variable, or m->var.n + an object): its writes or operations in order, as refs. */
    uint16_t *line[2]; /* [0]: all of them one after the other, [1]: where each begins */
} au_weak_exec;

static inline uint32_t au_weak_number(const au_weak_exec *x, uint16_t ref) {
    return x->first[ref >> 8] + (ref & 0xffu);
}
static inline uint32_t au_weak_lines(const au_model *m) {
    return (uint32_t)(m->var.n + m->obj.n);
}
static inline uint32_t au_weak_line_of(const au_model *m, uint32_t obj) {
    return (uint32_t)m->var.n + obj;
}
static inline const uint16_t *au_weak_line(const au_weak_exec *x, uint32_t line, uint32_t *n) {
    *n = (uint32_t)x->line[1][line + 1] - x->line[1][line];
    return x->line[0] + x->line[1][line];
}

void au_weak_exec_init(au_weak_exec *x, const au_model *m);
void au_weak_exec_release(au_weak_exec *x);
/* to := x. Both initialised. */
void au_weak_exec_copy(au_weak_exec *to, const au_weak_exec *x);
/* One more event at the end of its thread. Requires: x->n < AU_WEAK_MOST. */
void au_weak_add(au_weak_exec *x, uint32_t thread, au_weak_event e);
/* The last event of the thread into a line, before the one that is there at this place. */
void au_weak_order(au_weak_exec *x, uint32_t thread, uint32_t line, uint32_t place);

/* Executions with numbers: the same one, however it was made, has one number. */
uint32_t au_weak_put(au_intern *all, const au_weak_exec *x);
void au_weak_get(const au_intern *all, uint32_t id, au_weak_exec *x);

/* A relation on the events of an execution: row[a] has bit b if a is before b. */
typedef struct {
    uint64_t row[AU_WEAK_MOST];
} au_relation;

static inline bool au_related(const au_relation *r, uint32_t a, uint32_t b) {
    return r->row[a] >> b & 1;
}
static inline void au_relate(au_relation *r, uint32_t a, uint32_t b) {
    r->row[a] |= UINT64_C(1) << b;
}
/* Transitive closure; true if nothing comes before itself. */
bool au_relation_close(au_relation *r, uint32_t n);

typedef struct {
    uint32_t var[AU_WEAK_MOST];  /* that it accesses; AU_NONE */
    uint8_t order[AU_WEAK_MOST]; /* au_memory_order; of an access AU_MO_SC too; NONE: not atomic */
    au_relation sb, rf, mo, rb;  /* rb: reads before; all but sb of accesses only */
    au_relation sync;            /* synchronises with, by operations of objects, fork and join */
    au_relation line;            /* the operations of each object in their order; fork, join */
    au_relation hb;              /* RC11's, once au_weak_happens was called */
} au_weak_relations;

void au_weak_relations_of(const au_weak_exec *x, au_weak_relations *r);
/* Fills hb: sb, synchronisation and synchronises-with of atomics. False: something happens before
 * itself. */
bool au_weak_happens(const au_weak_exec *x, au_weak_relations *r);

/* raced: RC11 only, whether two events race in it. */
bool au_weak_consistent(au_memory memory, const au_weak_exec *x, au_weak_relations *r, bool *raced);
/* Events a and b conflict, are not both atomic, and neither happens before the other. Requires: hb. */
bool au_weak_race(const au_weak_exec *x, const au_weak_relations *r, uint32_t a, uint32_t b);

/* What the graph knows of executions. */
struct au_weak {
    au_memory memory;
    au_intern exec;
    AU_VEC(bool) raced;    /* by execution */
    uint32_t next;         /* the execution of the state that is recorded next */
    au_weak_exec cur, nxt; /* scratch */
    au_weak_relations rel; /* scratch */
    uint64_t *value;       /* scratch: a state as a step sees it */
    bool cut;              /* some execution would have had more than AU_WEAK_MOST events */
};

/* AU_EUNSUPPORTED or AU_EUSAGE: what of the model or the options the enumeration does not know. */
au_status au_weak_takes(const au_model *m, const au_oracle_options *o, au_error *err);
void au_weak_init(au_weak *w, const au_machine *k);
void au_weak_release(au_weak *w);
/* Every move out of the state in g->cur. */
void au_weak_expand(au_graph *g, uint32_t src);

#endif
