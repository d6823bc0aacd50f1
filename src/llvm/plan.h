/* llvm/plan.h: which hooks a clean module gets, and where. The instrumentation
 * (emit.h) carries the plan out; an interpreter that reads the clean module back from an
 * executable makes the same plan again and so knows at which instruction every event of
 * a thread stands, which site it has, and which branches were told. The plan is a
 * function of the clean module alone.
 *
 * Events, in the order of the instructions:
 *   ENTER   where a function begins that is hooked (below); value: the depth
 *   FRAME   an escaping local variable begins to live: after its last llvm.lifetime.start if it
 *           has one, else at the function's beginning; of variable size: after the alloca;
 *           by-value parameters: at the beginning. At the beginning they
 *           follow ENTER in this order: parameters, allocas as they stand
 *   LOAD, STORE, COPY, SET, ATOMIC_LOAD, ATOMIC_STORE, RMW, FENCE   before (RMW: around) their instruction,
 *           if the memory may be shared (escape.h)
 *   BYVAL   before a call that copies shared memory onto the callee's stack: a read of it
 *   XCALL   around a call of code without hooks: an undefined or replaceable function, an indirect
 *           call, a function that is left out, inline assembler that does something.
 *           Sites: XCALL, then LAND (after it returned) if it returns twice, then XRET if
 *           it returns. A musttail call of such a function has no event
 *   LAND    after a landing pad
 *   LEAVE   before ret (before the musttail call in front of it)
 *
 * A function is hooked if it has an event other than ENTER, LAND and LEAVE; or if without
 * these it would have a hook that is no event and code outside the module may call it; or if it calls,
 * directly, a hooked function of this module. Left out entirely: naked functions, resolvers of
 * ifuncs, functions marked disable_sanitizer_instrumentation, names that begin with __augur_.
 *
 * Not events:
 *   BRANCH  tells the outcome of a conditional br (1: its first successor), SWITCH that of a switch
 *           or indirectbr: the number of the block among its different successors, in the
 *           order of the operands, in as many bits as the largest number needs (paths.h
 *           says which are told);
 *   LOOP    on an edge that closes a circle of blocks without any sure event, so that a
 *           thread that spins there can be preempted. */
#ifndef AU_LLVM_PLAN_H
#define AU_LLVM_PLAN_H

#include "base/none.h"
#include "base/vec.h"
#include "llvm/escape.h"
#include "llvm/ir.h"

typedef enum {
    AU_HOOK_ENTER,
    AU_HOOK_FRAME,
    AU_HOOK_LOAD,
    AU_HOOK_STORE,
    AU_HOOK_COPY, /* memcpy, memmove: sites READ, WRITE; a side that is private has none */
    AU_HOOK_SET,
    AU_HOOK_ATOMIC_LOAD,
    AU_HOOK_ATOMIC_STORE,
    AU_HOOK_RMW, /* also compare and exchange, and atomic stores of more than 8 bytes */
    AU_HOOK_FENCE,
    AU_HOOK_BYVAL,
    AU_HOOK_XCALL,
    AU_HOOK_LAND,
    AU_HOOK_LEAVE,
    AU_HOOK_BRANCH,
    AU_HOOK_SWITCH,
    AU_HOOK_LOOP
} au_hook_kind;

typedef struct {
    LLVMValueRef insn; /* ENTER, FRAME of a parameter: the function's first instruction */
    LLVMValueRef what; /* FRAME: the alloca or parameter; BYVAL: the pointer; else NULL */
    uint32_t number;   /* of insn */
    au_hook_kind kind;
    bool at_entry;    /* FRAME: at the function's beginning */
    uint32_t site[3]; /* AU_NONE where there is none. XCALL: xcall, land, xret; COPY: read, write */
    uint64_t size;    /* bytes; 0: only known at run time */
} au_hook;

typedef struct {
    uint32_t insn; /* instruction number */
    uint8_t op;    /* AU_OP_* or AU_SOP_*: what it usually logs */
    uint8_t size;
    LLVMValueRef at, what; /* as in the hook */
} au_plan_site;

typedef struct {
    LLVMValueRef function;
    uint32_t first_number; /* of its first instruction */
    uint32_t first, end;   /* its hooks */
    bool left_out;         /* no hooks at all: calling it is calling foreign code */
    bool hooked;           /* has ENTER and LEAVE */
} au_plan_function;

typedef struct {
    au_ir *ir;
    au_escape escape;
    AU_VEC(au_hook) hook; /* by function, in the order above */
    AU_VEC(au_plan_site) site;
    AU_VEC(au_plan_function) function; /* with a body */
    au_map index;                      /* function -> place in 'function' */
    uint32_t instructions;
} au_hook_plan;

/* The module stays borrowed and must not change while the plan is used to find places. */
void au_plan_init(au_hook_plan *p, au_ir *ir);
void au_plan_release(au_hook_plan *p);

/* For paths.c. */
/* The function that a call surely enters, if it is one of ours with a plan; else NULL. */
const au_plan_function *au_plan_direct(const au_hook_plan *p, LLVMValueRef call);
/* Whether the hook's event may fail to happen (a copy of 0 bytes). */
static inline bool au_hook_unsure(const au_hook *h) {
    return (h->kind == AU_HOOK_COPY || h->kind == AU_HOOK_SET) && h->size == 0;
}
static inline bool au_hook_is_event(const au_hook *h) {
    return h->kind < AU_HOOK_BRANCH;
}

#endif
