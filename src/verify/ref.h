/* verify/ref.h: the reference encoding of a model and its questions (docs/certificates.md).
 *
 * Clauses that every prefix of every interleaving satisfies in which one of the questions is answered with yes:
 * so if they have no solution, all of the questions are refuted. Nothing is said about the other direction; a clause
 * that is left out makes an answer weaker, never wrong. It is made from the model and the questions
 * alone, always the same one, and shares no code with src/solve.
 *
 * The order. Of a prefix, all events stand in one line: an executed event where it was executed; one that was not,
 * but that its thread has gone past, right before the next one that its thread executed; one beyond the last
 * that its thread executed after everything that is executed, there by a fixed order that extends 'must'. So
 *   O1  it is a total order, and each thread's events stand by their place;
 *   O2  an event that is not executed, and that every path of its thread passes (certain), stands after all executed ones;
 *   O3  must: an event before the only fork of a thread stands before all events of it; all events of a thread stand before a
 *       certain join of it and what follows that, if every path of the thread passes its last event. */
#ifndef AU_VERIFY_REF_H
#define AU_VERIFY_REF_H

#include "base/arena.h"
#include "base/error.h"
#include "model/model.h"
#include "model/semantics.h"
#include "verify/cnf.h"

typedef AU_VEC(uint32_t) au_ref_list;

#define AU_REF_INITIAL UINT32_MAX /* a writer: the initial value */
#define AU_REF_END UINT32_MAX     /* the event of a read at the end of the prefix */

typedef struct {
    uint32_t event, var, name;
    bool valued;   /* has bits, which are equal to those of the write it sees */
    int *sees;     /* by writer; NULL: not made yet */
    bool *between; /* by writer: its clauses against stores in between are there */
    au_ref_list writer;
} au_ref_read;

typedef struct {
    uint32_t var;
    au_term value; /* .n == UINT32_MAX: anything */
} au_ref_write;

typedef struct {
    uint32_t step, thread, place;
    bool ordered; /* touches what another thread stores, or stores what another one touches */
    bool certain; /* every path of the thread that gets further passes it */
    int lit;      /* it is executed */
    au_term exec, guard, fails, passes;
    uint32_t first_read, n_reads, first_write, n_writes;
} au_ref_event;

typedef enum { AU_REF_MODEL, AU_REF_EXEC, AU_REF_READ, AU_REF_HAVOC } au_ref_kind;
typedef struct {
    au_ref_kind kind;
    uint8_t width;
    uint32_t of; /* event or read */
} au_ref_name;

/* A lock that is used as one: an acquire that finds it free, then a release (or none), on every path. */
typedef struct {
    uint32_t acq;    /* event */
    uint32_t obj;    /* of the model */
    au_ref_list rel; /* the releases that can be next */
} au_ref_section;

/* How every store changes a variable, whatever is there (ref_folds.c). */
typedef enum { AU_REF_NO_FOLD, AU_REF_SUM, AU_REF_FLAGS } au_ref_folding;
typedef struct {
    uint64_t add, set, clear, turn;
} au_ref_change;

typedef struct {
    au_model *m;
    bool whole; /* every thread that was started comes to its end; failed asserts do not stop it */
    au_arena arena;
    au_terms *terms;
    au_cnf cnf;
    AU_VEC(au_ref_name) name; /* the variables of terms; those of the model first */
    AU_VEC(au_ref_event) event;
    AU_VEC(au_ref_read) read;
    AU_VEC(au_ref_write) write;
    uint32_t *first_event; /* by thread, and one more */
    uint32_t *event_of;    /* by step; AU_NONE */
    uint32_t **topo;       /* by thread and node: its number; AU_NONE: not reached */
    au_term **reach;       /* by thread and node: the thread gets there */
    au_ref_list **in;      /* by thread and node: events that lead there */
    au_ref_list *stores;   /* by variable: events, by thread and place */
    uint32_t *must;    /* [event * threads + t]: so many events of t stand before it in any case */
    uint32_t *rank;    /* by event: its number among the ordered ones of its thread */
    au_ref_list *line; /* by thread: its ordered events */
    int **pair;        /* [t * threads + u], t < u: before, by ranks; 0: nobody has asked */
    AU_VEC(au_ref_section) section;
    bool *lock;     /* by object: it is used as a lock, and its sections are above */
    bool *lock_var; /* by variable: the state of such a lock */
    uint32_t ***
        holder; /* by object, thread and node: 0 not reached, 1 free, 2 + the acquire that has it */
    au_ref_folding *fold;  /* by variable */
    uint32_t *base;        /* by variable: the store that sets it up before; AU_NONE */
    au_ref_change *change; /* by write: how it changes such a variable */
    au_ref_list **
        opener; /* by thread and node: what can have opened the section there; NULL: not looked at */
    bool *open_ended;           /* by thread: too many ways to say */
    AU_VEC(int) asked;          /* by question: it is answered with yes */
    au_ref_list todo;           /* reads with bits that are not linked yet */
    uint32_t *end_read;         /* by variable; AU_NONE */
    AU_VEC(uint32_t) first_bit; /* by term: where its literals are in bit; UINT32_MAX: nowhere */
    AU_VEC(int) bit;
    uint8_t **held; /* verify/reason.c: by object and thread; NULL until asked for */
} au_ref;

typedef enum {
    AU_REF_ASSERT,
    AU_REF_RACE,
    AU_REF_ATOMICITY,
    AU_REF_DEADLOCK,
    AU_REF_MISUSE,
    AU_REF_NONDET,
    AU_REF_REACH,
    AU_REF_KINDS
} au_ref_ask;

/* NONDET: step[0] sees what the writer wrote, and what it saw in the run (step[1]; AU_NONE: the initial value) … */
enum {
    AU_REF_FORM_ANY,
    AU_REF_FORM_LATER,  /* … comes after it */
    AU_REF_FORM_BEFORE, /* … came before the writer */
    AU_REF_FORM_ABSENT, /* … has not happened by then */
    AU_REF_FORMS
};

/* A question as docs/oracle.md defines it. The fields are those of a line of a certificate. */
typedef struct {
    au_ref_ask kind;
    uint32_t step[3], var, obj, writer; /* AU_NONE where they mean nothing */
    uint32_t write;                     /* ATOMICITY: bit i: step[i] writes; NONDET: a form */
    uint32_t at_end, atomic;
} au_ref_question;

/* An instance of a rule whose clauses are only made where they are needed. */
typedef struct {
    enum { AU_REF_TRANSITIVE, AU_REF_BETWEEN } rule;
    uint32_t a, b, c; /* TRANSITIVE: a before b before c; BETWEEN: read, number of its writer */
} au_ref_lemma;
typedef AU_VEC(au_ref_lemma) au_ref_lemmas;

/* Borrows m, whose terms may grow. NULL and *err: the encoding does not have what the model does. */
au_ref *au_ref_new(au_model *m, bool whole, au_error *err);
void au_ref_free(au_ref *r);
/* Adds "one of these is answered with yes". False and *err: a question that it does not know. */
bool au_ref_any(au_ref *r, const au_ref_question *q, size_t n, au_error *err);
/* False: it is no instance. */
bool au_ref_add(au_ref *r, const au_ref_lemma *l);

/* --- for who looks for lemmas --------------------------------------------------- */

/* The literal of "a before b". Requires: both ordered, or of one thread. Who asks first, makes it: always ask in the same order, one
 * call a statement. */
int au_ref_before(au_ref *r, uint32_t a, uint32_t b);
/* The same; 0 if there is none. */
int au_ref_known_before(const au_ref *r, uint32_t a, uint32_t b);

/* --- between the files ------------------------------------------------------------ */

enum { AU_REF_EAGER = 12 }; /* stores of a variable up to which BETWEEN is always said */

uint32_t au_ref_add_name(au_ref *r, au_ref_kind kind, unsigned width, uint32_t of);
int au_ref_bool(au_ref *r, au_term x);
void au_ref_bits(au_ref *r, au_term x, int *into);
/* What a name stands for; called once for each. */
void au_ref_variable(au_ref *r, uint32_t name, unsigned width, int *into);
const int *au_ref_sees(au_ref *r, uint32_t read);
void au_ref_link(au_ref *r); /* makes what bits of reads ask for */
uint32_t au_ref_end(au_ref *r, uint32_t var);
bool au_ref_must(const au_ref *r, uint32_t a, uint32_t b);     /* of different threads */
bool au_ref_precedes(const au_ref *r, uint32_t a, uint32_t b); /* in every line; of any threads */
bool au_ref_sure(const au_ref *r, uint32_t event); /* certain, and stores whenever it is executed */
/* The only event that can start the thread, AU_NONE: none or several. */
uint32_t au_ref_fork(const au_ref *r, uint32_t t);
/* The event, which every path passes, waits for the end of the thread, which every path of that passes. */
bool au_ref_joins(const au_ref *r, uint32_t event, uint32_t *thread);
/* O2: one that is certain, and before an executed event, is executed. Requires: both ordered. */
void au_ref_certain(au_ref *r, uint32_t certain, uint32_t before);
int au_ref_owner(au_ref *r, uint32_t obj, uint32_t t); /* the thread owns the lock at the end */
void au_ref_find_locks(au_ref *r);
void au_ref_find_folds(au_ref *r);
bool au_ref_is_folded(const au_ref *r, uint32_t read);
/* Requires: it is folded. */
void au_ref_fold(au_ref *r, uint32_t read, unsigned width, int *into);
int au_ref_stored(au_ref *r, uint32_t event);
/* What the event writes; *at: the number of the write. */
au_term au_ref_written(const au_ref *r, uint32_t event, uint32_t var, uint32_t *at);
bool au_ref_order(au_ref *r, au_error *err);
bool au_ref_flow(au_ref *r, au_error *err);
void au_ref_terms(au_ref *r);
int au_ref_deadlock(au_ref *r);
/* Literals of where threads are (ref_ask.c). */
int au_ref_stands(au_ref *r, uint32_t t, uint32_t node);
int au_ref_started(au_ref *r, uint32_t t);
int au_ref_value_at_end(au_ref *r, uint32_t event, au_term guard);

#endif
