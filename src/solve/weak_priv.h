/* solve/weak_priv.h: between the files of the exact stage under a memory model.
 *
 *   weak.c        questions, and what a solution tells
 *   weak_model.c  the model with reads in vain; what is not supported
 *   weak_reads.c  read-from and modification order as literals
 *   weak_view.c   a solution as relations of events
 *   weak_why.c    the literals that make two events related
 *   weak_cut.c    the axioms: clauses against what a solution does and the memory model forbids */
#ifndef AU_SOLVE_WEAK_PRIV_H
#define AU_SOLVE_WEAK_PRIV_H

#include "solve/cadical_priv.h"
#include "solve/weak.h"

/* ---- weak_model.c ---- */

/* The model in which a read whose guard is false is a step of its own, which leads to the end of all (in
 * docs/oracle.md: it happened, and its thread stops). Steps of m keep their numbers. */
typedef struct {
    au_model *m;
    uint32_t *origin; /* by step: that of the model it was made of … */
    bool *vain;       /* … and whether it is a read in vain */
} au_weak_model;

void au_weak_model_init(au_weak_model *w, const au_model *m);
void au_weak_model_release(au_weak_model *w);

/* ---- relations ---- */

typedef struct {
    uint32_t n, words;
    uint64_t *row;
} au_reln;

void au_rel_init(au_reln *r, uint32_t n);
void au_rel_release(au_reln *r);
void au_rel_clear(au_reln *r);
void au_rel_copy(au_reln *to, const au_reln *from);
void au_rel_join(au_reln *to, const au_reln *from);
/* to |= a ; b */
void au_rel_compose(au_reln *to, const au_reln *a, const au_reln *b);
void au_rel_close(au_reln *r); /* transitively */
static inline bool au_rel_has(const au_reln *r, uint32_t a, uint32_t b) {
    return r->row[(size_t)a * r->words + b / 64] >> (b % 64) & 1;
}
static inline void au_rel_add(au_reln *r, uint32_t a, uint32_t b) {
    r->row[(size_t)a * r->words + b / 64] |= UINT64_C(1) << (b % 64);
}
/* The shortest way from a to b (a round if they are one), without its first; false: there is none. */
bool au_rel_path(const au_reln *r, uint32_t a, uint32_t b, au_u32s *path);

/* ---- a solution ---- */

typedef enum {
    AU_REL_SB,   /* program order */
    AU_REL_RF,   /* reads from */
    AU_REL_MO,   /* modification order */
    AU_REL_RB,   /* reads before: a read, and what comes after the write that it sees */
    AU_REL_LINE, /* operations of one object in their order; fork and join */
    AU_REL_SYNC, /* synchronises with, by operations of objects, fork and join */
    AU_REL_SW,   /* … by atomic accesses and fences */
    AU_RELS
} au_rel_kind;

typedef struct {
    uint32_t event;
    uint32_t var;  /* a shared variable that it accesses; AU_NONE */
    uint32_t from; /* reads: the node that it sees, AU_FROM_START; AU_NONE: it reads nothing */
    uint8_t order; /* au_memory_order; AU_MO_SC of an access without one, too */
    bool writes, fence, sync;
} au_weak_node;

struct au_weak_pair {
    uint32_t a, b;
};

typedef struct au_weak_state {
    au_cad *k;
    au_memory memory;
    uint32_t *place; /* by event: its place among the stores of its shared variable */
    int **
        mo; /* by variable: [i * stores + j]: store i comes before store j; NULL: one store at most */
    /* The last solution. */
    AU_VEC(au_weak_node) node;
    uint32_t *number; /* by event: its node; AU_NONE */
    uint32_t *pos;    /* by event: its place in the order of events */
    au_u32s *line;    /* by shared variable: its writes in modification order */
    au_reln rel[AU_RELS];
    au_reln hb, eco; /* rc11: happens before; (rf | mo | rb)+ */
    AU_VEC(int) lit; /* scratch: of a clause */
    uint64_t cuts;
    /* A question about a race: goal is true where it is asked; of these pairs one is not ordered. */
    int goal;
    AU_VEC(struct au_weak_pair) pair;
} au_weak_state;

/* Makes k->weak: of every execution all is known that memory models look at. */
void au_weak_begin(au_cad *k, au_memory memory);
void au_weak_free(au_weak_state *w);

/* ---- weak_reads.c ---- */

int au_weak_before(const au_weak_state *w, uint32_t a, uint32_t b); /* in the order of events */
int au_weak_mo(const au_weak_state *w, uint32_t a, uint32_t b);
int au_weak_stored(const au_weak_state *w, uint32_t event);
bool au_weak_stores(const au_weak_state *w, uint32_t event); /* a shared variable */
/* What the read's literals mean. */
void au_weak_sees(au_weak_state *w, uint32_t read, const int *sees);

static inline const au_step *au_weak_step(const au_weak_state *w, uint32_t event) {
    return &w->k->c->m->step.at[w->k->c->event.at[event].step];
}
static inline bool au_weak_is_shared(const au_cssa *c, uint32_t var) {
    return c->m->var.at[var].kind == AU_VAR_SHARED;
}
/* The read of a shared variable by this event; AU_NONE. */
uint32_t au_weak_read_of(const au_cssa *c, uint32_t event);

/* ---- weak_view.c ---- */

/* The solution as nodes and relations. How many clauses were added because writes have no order. */
uint64_t au_weak_look(au_weak_state *w, const au_prefix *p);
/* Shares synchronisation between view and reasons: a gives back and b takes the object later, … */
bool au_weak_syncs(const au_weak_state *w, uint32_t obj, uint32_t a, uint32_t b);
bool au_weak_releases(const au_weak_node *n);
bool au_weak_acquires(const au_weak_node *n);
static inline bool au_weak_is_atomic(const au_weak_node *n) {
    return n->var != AU_NONE && n->order != AU_MO_NONE;
}

/* ---- weak_why.c ---- */

/* Negations of what makes a and b related, into w->lit. */
void au_weak_because(au_weak_state *w, au_rel_kind kind, uint32_t a, uint32_t b);
/* … by a way through these relations (a bit each); all says them together. */
void au_weak_because_path(au_weak_state *w, unsigned kinds, const au_reln *all, uint32_t a,
                          uint32_t b);
void au_weak_add_clause(au_weak_state *w); /* w->lit, which is then empty */

/* ---- weak_cut.c ---- */

/* Clauses against what the memory model forbids, and against an order of the pairs of a question. */
uint64_t au_weak_cut(au_weak_state *w, const au_prefix *p);
/* rc11, of the last solution: two accesses race. Both are executed. */
bool au_weak_races(const au_weak_state *w, uint32_t a, uint32_t b);

#endif
