/* llvm/paths.h: which branches must be told, and which loops need a hook of their own.
 *
 * FIRST(b): the events that may be the next one when block b is entered: its own first event, and
 * those of its successors if it has none for sure. The ENTER of a hooked function
 * stands for its call; 'return' and 'unwinds' of a function that is not hooked, and
 * 'unwinds' of one that is, count as one event each.
 *
 * The outcome of a br, switch or indirectbr with different successors is told, unless
 *   (1) the sets FIRST of its different successors are pairwise disjoint: the next event tells; or
 *   (2) its condition is a told value: the one who follows the thread can compute it. Told are
 *       integer, floating-point and null constants; the results of loads that have a hook or
 *       read numbers from constants of this module, of atomic read-modify-writes and of XCALLs
 *       that return a scalar of at most 8 bytes; and what is made of told values by
 *       integer arithmetic, comparisons, conversions between integers, selects, phis, freeze,
 *       address arithmetic, extractvalue and the integer intrinsics listed in paths.c.
 *       Not told: parameters, results of functions of this module, loads of private memory,
 *       floating-point arithmetic, addresses of variables and functions, vectors.
 * In a function with more than AU_PATHS_BLOCKS blocks (1) is not tried. callbr is never told.
 *
 * A circle of blocks without a sure event gets a LOOP hook on the edge that closes it, unless it
 * is an innermost one that counts between constants and ends after at most AU_PATHS_ROUNDS
 * rounds.
 *
 * Calls of annotations (__augur_assert and its kin) are passed over here, though the runtime
 * makes events of them: who follows a thread passes over those events as well. */
#ifndef AU_LLVM_PATHS_H
#define AU_LLVM_PATHS_H

#include "llvm/plan.h"

#define AU_PATHS_BLOCKS 20000
#define AU_PATHS_ROUNDS 4096

/* Adds BRANCH, SWITCH and LOOP hooks of one function, whose events are hooks
 * [first, end) of the plan, to the vector (in the order of the blocks). */
typedef AU_VEC(au_hook) au_hook_vec;
void au_paths_add(au_hook_plan *p, const au_plan_function *f, au_hook_vec *into);

#endif
