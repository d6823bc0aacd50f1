/* explore/tree.h: the ways of the threads of one program, as trees.
 *
 * A *spot* is where a thread stands after some way from its start; an *item* is what it does there:
 * an action (model/action.h). Where runs did different things at one spot, the
 * spot has several items, and a run that comes there later takes the first whose condition
 * holds:
 *
 *     if (c1) what the first run did … else if (c2) what the second did … else: nobody has seen it
 *
 * That is right because a condition of a run is enough for its thread to go on as it did
 * there (model/symbolic.h): c1 and c2 need not exclude each other, but a run may go a new way
 * only where none of the conditions before it holds. That is checked with its own values.
 *
 * A round of a loop that left no trace leads back to the spot where it began: the tree has every way round, and a
 * thread that took one stops there in the model, for another execution has the same thread do without it. It waits, so
 * that threads which spin for good are found in a deadlock. What goes on from the first spot is the way out.
 *
 * Runs are put in along their observed order, so that every run that was added is an execution of the
 * tree. */
#ifndef AU_EXPLORE_TREE_H
#define AU_EXPLORE_TREE_H

#include "base/error.h"
#include "explore/family.h"
#include "model/action.h"
#include "model/model.h"

/* A run's thread ended here; somebody else ended the run; the thread ended the whole program; it is where it was before
 * (a round of a loop that left no trace: au_symbolic.round). */
enum { AU_SPOT_ENDED = 1, AU_SPOT_CUT = 2, AU_SPOT_OVER = 4, AU_SPOT_SPINS = 8 };

typedef struct {
    uint32_t item;   /* the first, AU_NONE: no run went on from here */
    uint32_t thread; /* of the tree */
    uint64_t hooks;  /* that its thread has executed when it comes here … */
    uint64_t length; /* … and, ENDED, altogether; CUT: in a run that it went furthest in, and one
                      * more if that could be */
    uint64_t way;    /* hash of the way to it */
    uint8_t flags;
    /* CUT, no item: what it waited for there in a run; kind AU_STEP_KINDS: nothing is known. */
    au_step_kind waits;
    uint32_t waits_for; /* of the tree */
    uint32_t again;     /* SPINS: in 'again': waiting until another round would go another way */
} au_spot_at;

/* What is known of a step of a run beyond its model. */
typedef struct {
    uint64_t hooks;   /* that its thread has executed when it is done */
    uint64_t hook;    /* of these, the one that it is */
    uint64_t site;    /* hash of the instruction; 0: not known */
    const char *file; /* "" */
    const char *text; /* for a person */
    uint32_t line;
    uint8_t goal;   /* AU_GOAL_*: what the other side would be */
    uint8_t side;   /* of a branch */
    bool tries;     /* an acquisition that would not wait … */
    bool fails;     /* … or that failed: an assumption about obj */
    bool timed;     /* a wait that may end by its time … */
    bool timed_out; /* … and did */
    bool second;    /* pthread_once where another thread had been first */
    uint32_t obj;   /* fails: of the run's model */
    uint32_t tried; /* fails: AU_STEP_ACQ, RDACQ or WRACQ */
    uint32_t round; /* the innermost that it is of; 0: of none */
} au_run_step;

typedef struct {
    au_action does; /* in the tree's words, in its arena; fails: obj is what it tried to get … */
    uint32_t tried; /* … and how, AU_STEP_* */
    bool tries, fails, timed, second;
    bool failed;      /* ASSERT: in some run */
    bool spurious;    /* WAIT: some run was woken by nobody */
    uint32_t next[2]; /* spots; [1]: of a wait that was timed out, AU_NONE: none was */
    uint32_t other;   /* the next item of its spot, AU_NONE */
    uint64_t hooks;   /* WAIT, ARRIVE: of its first half */
    uint64_t hook;
    uint64_t site;
    uint32_t file, text; /* in 'strings' */
    uint32_t line;
    uint8_t goal, side;
    uint32_t run; /* that brought it */
} au_item;

typedef struct {
    uint32_t item;
    uint32_t part;  /* WAKE: 1, spurious or timed out: 2; LEAVE: 1; other side of a try or once: 3;
                     * what it waited for when it was cut off: 4; else 0 */
    uint32_t wakes; /* SIGNAL: thread of the tree, AU_NONE */
} au_taken;

typedef struct {
    au_arena arena;
    au_terms *terms;
    au_intern strings, var_name, thread_name, obj_name;
    AU_VEC(au_var_info) var; /* names are var_name's; SHARED and LOCAL only */
    AU_VEC(struct au_tree_obj {
        au_obj_kind kind;
        int32_t init;
    })
    obj;
    AU_VEC(struct au_tree_thread {
        uint32_t root; /* spot */
        bool forked;
        bool there; /* of a run that is in */
    })
    thread;
    AU_VEC(au_spot_at) spot;
    AU_VEC(au_item) item;
    AU_VEC(au_action) again;
    AU_VEC(au_taken) taken; /* what each run did, in its order: run k from taken_from.at[k] on */
    AU_VEC(size_t) taken_from;
    AU_VEC(char *) run; /* what messages call them */
    uint32_t blocks;
    bool guarded; /* some update is only known under a condition */
} au_tree;

void au_tree_init(au_tree *t);
void au_tree_release(au_tree *t);

/* What a thread waits for: a thread of the run's model, or an object, which need not be there. */
typedef struct {
    uint32_t thread; /* JOIN */
    const char *name;
    au_obj_kind kind;
    int32_t init;
} au_waited;

/* Of a run that is to be added; all borrowed. */
typedef struct {
    const au_model *m;         /* straight lines, locals used once */
    const char *name;          /* of the run, for messages */
    const bool *open;          /* by variable of m: threads may see it differently */
    const char *const *thread; /* by thread of m: its name in the tree */
    const au_run_step *step;   /* by step of m */
    const uint32_t *parent;    /* by round: the one that it is in, 0: none */
    const uint8_t *ended;      /* by thread of m: AU_SPOT_* */
    const au_step_kind *waits; /* by thread of m: what it waited for at the end, AU_STEP_KINDS … */
    const au_waited *waits_for;
    const uint64_t *length; /* by thread of m: hooks altogether */
    const bool *can_go; /* by thread of m: its next hook would not wait for anything but 'waits' */
} au_tree_run;

/* *fresh: some thread went a new way, or further. AU_EUNSUPPORTED: the run does not go together
 * with the others; the tree is as it was. */
au_status au_tree_add(au_tree *t, const au_tree_run *run, bool *fresh, au_error *err);

/* ---- tree_build.c ---- */

typedef struct {
    au_model *m;
    AU_VEC(au_goal) goal; /* texts are in the tree's strings */
    au_taken *of_step;    /* by step of m; item AU_NONE: a way round items */
    uint32_t *thread;     /* by thread of m: of the tree */
    uint32_t *goal_spot;  /* by goal: where its thread stands */
} au_tree_model;
/* only: the ways of this run alone, AU_NONE: of all. Its goals are those of the whole that lie on
 * them, with the same keys.
 * observed: the run that the model has as its own. goals: else threads just stop there. */
void au_tree_build(au_tree *t, uint32_t only, uint32_t observed, bool goals, au_tree_model *into);
void au_tree_model_release(au_tree_model *x);

#endif
