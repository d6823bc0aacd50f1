/* lower/build.h: inside the builder of steps (lower/step.c, lower/args.c, lower/build.c, lower/thread.c, lower/value.c, lower/access.c,
 * lower/sync.c).
 *
 * Values of a block are terms over the locals as they were after the last step ('base'). Assignments to
 * locals wait in 'pending' and go along with the next step, all at once. A value that is needed later and
 * mentions a local that the step changes is itself put into a local with the same step. A slot
 * that other blocks use is assigned when it is set. Where control divides in the middle of a block,
 * everything is put into locals first (au_src_settle). */
#ifndef AU_LOWER_BUILD_H
#define AU_LOWER_BUILD_H

#include "lower/source_priv.h"
#include "model/sync.h"

typedef struct {
    uint32_t slot;
    au_term term;
} au_bld_value;

typedef struct {
    uint32_t var;
    au_term term;
} au_bld_pending;

/* The block of a frame that is being translated. */
typedef struct au_bld_block {
    uint32_t frame;
    struct au_bld_block *up; /* the call we are in */
    AU_VEC(au_bld_value) value;
} au_bld_block;

struct au_src_return {
    uint32_t frame, insn; /* the call */
    uint32_t land, on;    /* where it comes back; where the call's block goes on */
    uint32_t unwind;      /* where an exception goes on; AU_NONE */
};

/* Of the thread that is being built. */
typedef struct {
    AU_VEC(uint32_t) todo;            /* shared frames */
    AU_VEC(uint32_t) setjmp, longjmp; /* nodes */
    /* Calls of unknown functions, which may call what they know: one place for all of them. */
    uint32_t hub, hub_loop, hub_var; /* nodes, AU_NONE: not needed; where to go back to */
    AU_VEC(struct au_src_return) hub_back;
    AU_VEC(uint32_t) hub_call; /* in s->call: callbacks, each frame once */
    AU_VEC(uint32_t) hub_from; /* … by which frame */
} au_bld_work;

/* Where this edge is taken, all threads of the call have ended (lower/joins.c). */
typedef struct {
    uint32_t frame, edge, create;
} au_bld_joined;

typedef struct {
    src *s;
    au_model *m;
    au_terms *t;
    uint32_t thread; /* of the source */
    uint32_t mt;     /* of the model */
    uint32_t node;   /* where we are; AU_NONE: nowhere */
    uint32_t insn;   /* of the block's frame */
    au_bld_block *block;
    AU_VEC(au_bld_pending) pending;
    au_exactness how;   /* of the next step */
    au_map stranger_at; /* hash of a name: in au_source.stranger + 1 */
    uint32_t unknown;   /* what follows is what this unknown function may do (au_source); 0: none */
    uint32_t bit;       /* a local for choices, AU_NONE: not yet */
    au_bld_work *work;
    uint32_t n_locals;
    /* sync objects by the loc they lie at: model object + 1 */
    au_map lock, cond, sem, barrier, once, rwlock;
    uint32_t atomic; /* model object of __VERIFIER_atomic_*, AU_NONE */
    au_map names;    /* addresses of functions without code */
    au_map vague;    /* locs of locks that are not modelled */
    au_map recursive;
    au_map count;   /* first counts of semaphores and barriers, by loc */
    unsigned types; /* AU_TYPE_*: of mutexes with attributes */
    bool
        checked; /* some mutex may say no: it checks, or is robust. None of those is in the model */
    bool large;  /* some semaphore may be near to the most that it can hold */
    bool detaches;   /* some thread may be detached: a join of it fails, and does not wait */
    bool cond_waits; /* there are conditions: a mutex may be in use although it is free */
    uint32_t joins;  /* the thread that joins others; AU_NONE: nobody, MANY: several */
    au_map forked;   /* thread -> local + 1, in the thread that forks it */
    au_map joined;   /* joining thread, joined one -> local */
    AU_VEC(au_bld_joined) all_joined;
} bld;

enum { AU_TYPE_PLAIN = 1, AU_TYPE_RECURSIVE = 2, AU_TYPE_CHECKED = 4 };

/* ---- lower/step.c ---- */
/* A new step from here to a new node (or 'to'), with what is pending; then we are there. */
au_step *au_bld_step(bld *b, au_step_kind kind);
au_step *au_bld_step_to(bld *b, au_step_kind kind, uint32_t to);
au_step *au_bld_step_setting(bld *b, au_step_kind kind, uint32_t var);
void au_bld_flush(bld *b);             /* nothing is pending */
void au_bld_settle(bld *b);            /* … and all values of this block are in locals */
void au_bld_goto(bld *b, uint32_t to); /* and we are nowhere */
uint32_t au_bld_node(bld *b);
void au_bld_assign(bld *b, uint32_t var, au_term value); /* local */
au_term au_bld_local(bld *b, uint32_t var);              /* its value here */
uint32_t au_bld_new_local(bld *b, const char *name, unsigned width);
/* Sets place and exactness of steps from 'first' on (of au_sync_*). */
void au_bld_mark(bld *b, uint32_t first);
void au_bld_havoc(bld *b, uint32_t local, au_exactness how);
/* Divides here: the way on if cond holds, *other: if not. Settled, cond is a term over locals. */
void au_bld_branch(bld *b, au_term cond, uint32_t *other);
/* The same on a choice that is open. */
void au_bld_choose(bld *b, uint32_t *other, au_exactness how);

void au_bld_stop(bld *b); /* for good */

/* ---- lower/value.c ---- */
uint32_t au_bld_slot_var(bld *b, uint32_t frame, uint32_t slot);
au_term au_bld_value_of(bld *b, au_operand o, unsigned width); /* of the current frame */
void au_bld_set(bld *b, uint32_t slot, au_term value);
void au_bld_set_any(bld *b, uint32_t slot, au_exactness how);
bool au_bld_compute(bld *b, const au_code_insn *i); /* false: not an instruction on values */
bool au_bld_points(bld *b, au_operand o);

/* ---- lower/access.c ---- */
void au_bld_memory(bld *b, const au_code_insn *i);
void au_bld_store_at(bld *b, au_operand pointer, au_term value); /* 8 bytes */
/* Reads and writes without values: of library functions. maybe: may also not happen. */
/* how: far values that are written are to be believed. */
void au_bld_touch(bld *b, const au_src_touch *t, bool maybe, au_exactness how);
void au_bld_copy(bld *b, au_src_touches *from,
                 au_src_touches *to); /* whole objects, where that is exact */

/* ---- lower/kinds.c ---- */
void au_bld_sync_find(bld *b);
/* One piece of memory that is there once. */
bool au_bld_is_place(const src *s, uint32_t loc);
unsigned au_bld_static_type(const src *s,
                            uint32_t loc); /* of a mutex: 1 recursive, from 4 on it may say no */

/* ---- lower/sync.c ---- */
/* Whatever lock the argument of this frame's is, it is an object of the model. */
bool au_bld_lock_known(bld *b, uint32_t frame, au_operand o);
void au_bld_sync(bld *b, const au_code_insn *i, const struct au_code_call *c, const au_libc *l);
/* Before an edge is left: threads that have ended there (all_joined). */
void au_bld_join_all(bld *b, uint32_t frame, uint32_t edge);

/* ---- lower/errors.c ---- */
/* The result is not known to be 0. */
bool au_bld_may_fail(bld *b, const struct au_code_call *c, const au_libc *l);
/* Of a call that divides: the result is put into its slot's local on each way. var AU_NONE: nobody wants it. */
typedef struct {
    uint32_t var;
    unsigned width;
    bool cross;
} au_bld_result;
void au_bld_result_begin(bld *b, const au_code_insn *i, const struct au_code_call *c,
                         au_bld_result *r);
void au_bld_result_is(bld *b, const au_bld_result *r, uint64_t value);
void au_bld_result_any(bld *b, const au_bld_result *r, bool error); /* error: but not 0 */
void au_bld_result_end(bld *b, const au_code_insn *i, const au_bld_result *r);
/* On the way where a try of the object (AU_NONE: not in the model) fails. */
void au_bld_try_fails(bld *b, const au_libc *l, uint32_t obj, const au_bld_result *r);
/* A local of the current thread: it has joined that one. */
uint32_t au_bld_joined_flag(bld *b, uint32_t thread);

/* ---- lower/path.c ---- */
/* What guards accesses, into s->guard_at. */
void au_bld_paths(bld *b);

/* ---- lower/own.c ---- */
/* Which accesses are of elements that are one thread's own: into s->guard_at, beside the locks. */
void au_bld_owners(bld *b);

/* ---- lower/roots.c ---- */
/* Which accesses are of what the thread made itself, or of one global: into s->guard_at, beside all of that. */
void au_bld_roots(bld *b);
/* The guards of an instruction's reads and writes, with these roots; 0: as they are. */
void au_bld_guard_root(src *s, uint32_t frame, uint32_t insn, uint32_t reads, uint32_t writes);
/* The pointers through which an instruction reads, or writes; plain: the operand itself is the pointer. False: it may
 * touch other memory, too, or none. */
typedef void au_src_pointer_fn(void *ctx, au_operand o, bool plain);
bool au_src_each_pointer(const src *s, uint32_t frame, const au_code_insn *i, bool write,
                         au_src_pointer_fn *visit, void *ctx);
/* What is stated of the function that is called, if its code is not there; NULL. */
const au_libc *au_src_call_library(const src *s, uint32_t frame, const struct au_code_call *k);

/* ---- lower/private.c ---- */
/* Which accesses are of objects that no other thread ever gets a pointer to: into s->guard_at, beside all of that. */
void au_bld_private(bld *b);

/* ---- lower/typed.c ---- */
/* By which types memory that is not told from other memory is accessed: into s->guard_at, beside all of that. */
void au_bld_types(bld *b);

/* ---- lower/joins.c ---- */
void au_bld_joins(bld *b); /* requires: kinds; fills: all_joined */

/* ---- lower/args.c ---- */
/* Of a call of the current frame into r's; any: what it gets is not known. */
void au_bld_pass_arguments(bld *b, const au_src_call *r, const struct au_code_call *c, bool any);
void au_bld_copy_byval(bld *b, const au_src_call *r, const struct au_code_call *c);

/* ---- lower/build.c ---- */
void au_bld_frame(bld *b, uint32_t frame); /* from here; leaves through the frame's 'back' */
void au_bld_call_outside(bld *b, const au_code_insn *i, const au_src_call *r);
void au_bld_call_frame(bld *b, const au_code_insn *i, const au_src_call *r);

#endif
