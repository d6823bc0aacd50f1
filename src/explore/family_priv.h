/* explore/family_priv.h: between the files of a family of runs only.
 *
 *   family.c        runs come in; the model, goals and counts go out
 *   family_run.c    a recording becomes a model of its own, and what its steps are
 *   family_turns.c  schedules of the model as turns of the program
 *   tree.c, tree_build.c  the ways of all runs (tree.h) */
#ifndef AU_EXPLORE_FAMILY_PRIV_H
#define AU_EXPLORE_FAMILY_PRIV_H

#include "explore/family.h"
#include "explore/tree.h"

struct au_family {
    au_family_options o;
    au_codes *codes;
    AU_VEC(char *) path;
    au_tree tree;
    au_tree_model built;
    char *gap;
};

/* One recording, retraced. */
typedef struct {
    au_trace *t;
    au_symbolic s;
    bool has_s;
    au_retrace_facts facts;
    au_model *m;
    au_symbolic_map map;
    /* By thread of the model, by step of the model: what the tree wants to know. */
    char **thread;
    au_run_step *step;
    bool *ended;
    uint64_t *length;
} au_family_run;

au_status au_family_run_load(au_family *f, const char *path, au_family_run *r, au_error *err);
void au_family_run_release(au_family_run *r);
/* Something that forbids to say that everything was covered; the first one is kept. */
void au_family_note_gap(au_family *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
