/* model/action.h: what a thread does in one statement, apart from where it stands: a plain step, or the
 * group of steps that a primitive consists of (the two halves of a wait, a signal's edges). Whoever puts runs
 * together (model/merge.c, explore/tree.c) reads steps as actions in words that all runs share, compares
 * them, and builds steps of them again. Groups are built anew by sync.c: they depend on who else waits in
 * any of the runs, and on the numbers of threads. */
#ifndef AU_MODEL_ACTION_H
#define AU_MODEL_ACTION_H

#include "base/error.h"
#include "base/hash.h"
#include "model/model.h"

typedef struct {
    au_step_kind kind;   /* WAKE and LEAVE are part of WAIT and ARRIVE */
    au_term guard, cond; /* true if it is a primitive */
    au_update *update;
    au_access *access;
    uint32_t n_updates, n_accesses;
    uint8_t order; /* au_memory_order */
    bool blocking, indivisible, plain;
    uint32_t havoc, obj, obj2, block; /* as in au_step */
    bool timed;
} au_action;

static inline bool au_action_is_sync(const au_action *a) {
    return a->kind >= AU_STEP_ACQ;
}

/* From the words of one model (or tree) to those of another. All borrowed; memo is initialised by the owner
 * and good for these terms and variables. */
typedef struct {
    const au_terms *from;
    au_terms *to;
    const uint32_t *var, *obj, *thread; /* numbers there; AU_NONE: none */
    au_arena *arena;                    /* for updates and accesses */
    au_map *memo;
} au_renaming;

au_term au_rename_term(const au_renaming *r, au_term x);
/* The action of step s of m, renamed; the block stays the run's. That its thread is done is no update of it:
 * au_sync_finish says so where the thread ends then. */
au_action au_action_read(const au_renaming *r, const au_model *m, const au_step *s);
/* Without its guard, condition, updates and accesses. */
au_action au_action_read_kind(const au_renaming *r, const au_step *s);
/* The block stays. */
au_action au_action_rename(const au_renaming *r, const au_action *a);

/* Alike but for the guard, and for which block it is in, if it is in one. */
bool au_action_alike(const au_action *a, const au_action *b);

/* The action, in words of m, as steps from node src to dst. Their block, place and label are the caller's. */
void au_action_build(au_model *m, uint32_t thread, uint32_t src, uint32_t dst, const au_action *a);

/* Is it the same variable in two runs? AU_EUNSUPPORTED: its width or first value differs. run: of 'here'; other: the
 * run before, NULL: not known. */
au_status au_same_variable(const au_var_info *here, const au_var_info *before, const char *run,
                           const char *other, au_error *err);
/* An object is of another kind, or begins with another count, than before. */
au_status au_other_object(const char *name, const char *run, au_error *err);

#endif
