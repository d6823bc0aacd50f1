/* explore/family_priv.h: between the files of a family of runs only.
 *
 *   family.c        runs come in; the model, goals and counts go out
 *   family_run.c    a recording becomes a model of its own, as the others'
 *   family_steps.c  … and what its steps are
 *   family_gap.c    what threads tell each other behind the model's back
 *   family_stuck.c  runs that were stopped while nobody could do anything any more
 *   family_pairs.c  accesses that no run has shown together
 *   family_turns.c  schedules of the model as turns of the program
 *   family_tell.c   … and findings
 *   tree.c, tree_build.c  the ways of all runs (tree.h) */
#ifndef AU_EXPLORE_FAMILY_PRIV_H
#define AU_EXPLORE_FAMILY_PRIV_H

#include "explore/family.h"
#include "explore/tree.h"
#include "trace/words.h"

/* What all runs have to agree on, of a variable by its name. */
typedef struct {
    uint64_t at, n; /* bytes of memory; n 0: not known */
    bool steps;
    bool init_known;
    uint64_t init;
    uint64_t doubt; /* stands for what is not known */
    uint32_t clashes;
} au_family_var;

/* A call of a function without hooks, while other threads may run. */
typedef struct {
    char *thread, *name, *place;
    bool tells;     /* and hears nothing */
    uint8_t hidden; /* AU_HIDDEN_*: meets only calls about the same */
} au_family_call;

/* An access on a way of synchronising (family_pairs.c). Texts are numbers in 'word'. */
typedef struct {
    uint32_t var;           /* in the family's table */
    uint32_t thread, place; /* … */
    bool write, atomic;
    AU_VEC(uint32_t) lock;         /* that are held; the highest bit: for reading */
    AU_VEC(uint32_t) made, joined; /* threads, so far, by this one */
    AU_VEC(uint32_t) run;          /* that have it, as they were added, from 1 */
} au_family_access;

struct au_family {
    au_family_options o;
    au_codes *codes;
    AU_VEC(char *) path;
    au_words words;
    au_open_set *open;
    au_intern name;
    AU_VEC(au_family_var) var; /* by name */
    bool stale;                /* more is shared, open or a step than when the runs were put in */
    au_tree tree;
    au_tree_model built;
    char *gap;
    char *stuck;                 /* of the run that came last */
    bool outside;                /* something that is no thread of it may change what it does */
    bool openmp;                 /* libomp took decisions in some run */
    AU_VEC(au_family_call) call; /* that other threads' calls may hear, see family_gap.c */
    AU_VEC(au_family_access) access;
    au_map by_access; /* hash: in 'access' */
    au_intern word;
};

/* One recording, retraced. */
typedef struct {
    au_trace *t;
    au_symbolic s;
    bool has_s;
    au_retrace_facts facts;
    au_model *m;
    au_symbolic_map map;
    char **path;      /* by thread of the trace: its name in all runs, NULL */
    bool *open;       /* by variable of the model */
    uint32_t *shared; /* by variable of the trace: in the family's table */
    /* By thread of the model, by step of the model: what the tree wants to know. */
    char **thread;
    au_run_step *step;
    uint32_t *parent; /* by number of a round, from 1: the one around it; 0: none */
    uint8_t *ended;
    uint64_t *length;
    bool *can_go;
    au_step_kind *waits;
    au_waited *waits_for;
} au_family_run;

/* number: of the run in the family, from 1. What it shares, opens and knows goes into the family's
 * tables; f->stale if that concerns runs that were loaded before. */
au_status au_family_run_load(au_family *f, const char *path, uint32_t number, au_family_run *r,
                             au_error *err);
/* thread, step, ended and length of r (family_steps.c). */
au_status au_family_run_describe(au_family_run *r, const char *path, au_error *err);
void au_family_run_release(au_family_run *r);
/* Something that forbids to say that everything was covered; the first one is kept. */
void au_family_note_gap(au_family *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* What the threads of this run may tell each other through calls (family_gap.c). */
void au_family_find_gaps(au_family *f, const au_family_run *r);

/* What the threads do in a run that was stopped while each of them waited or spun for good, malloc'ed; NULL: they
 * do not, as far as is known (family_stuck.c). */
char *au_family_find_stuck(const au_family_run *r);

/* ---- family_pairs.c ---- */

void au_family_accesses_init(au_family *f);
void au_family_accesses_release(au_family *f);
/* Those of a run that brought something new. */
void au_family_note_accesses(au_family *f, const au_family_run *r, uint32_t number);

/* ---- family_turns.c ---- */

typedef struct {
    const au_family *f;
    au_turns *out;
    uint32_t *number; /* by thread of the model; AU_NONE: not made yet */
    uint64_t *done;   /* … hooks so far */
    uint32_t *spot;   /* … where it stands */
    uint32_t next;    /* thread number */
} au_family_teller;

void au_family_teller_init(au_family_teller *k, const au_family *f, au_turns *turns);
void au_family_teller_release(au_family_teller *k);
void au_family_add_turn(au_family_teller *k, uint32_t thread, uint64_t until, au_turn_mark mark);
/* One step of a schedule. */
au_status au_family_go(au_family_teller *k, const au_step *p, au_error *err);
/* How much of a schedule is left without what others did after the last thread's last hook. */
size_t au_family_needed(const au_family *f, const uint32_t *step, size_t n);

#endif
