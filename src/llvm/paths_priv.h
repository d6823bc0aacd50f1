/* llvm/paths_priv.h: the control flow of one function as paths.c and loops.c see it. */
#ifndef AU_LLVM_PATHS_PRIV_H
#define AU_LLVM_PATHS_PRIV_H

#include "base/bitset.h"
#include "llvm/paths.h"

typedef struct {
    LLVMBasicBlockRef block;
    LLVMValueRef last;    /* its terminator */
    uint32_t last_number; /* … and number */
    bool sure;            /* has an event that always happens */
    AU_VEC(uint32_t) own; /* events that may be first in it */
    au_bitset first;      /* FIRST; not built if there are too many blocks */
} au_path_node;

typedef struct {
    au_hook_plan *p;
    const au_plan_function *f;
    AU_VEC(au_path_node) node;
    au_map index;  /* block -> node */
    au_map event;  /* event -> small number */
    au_map untold; /* values that cannot be computed */
    bool know_told;
} au_paths;

static inline au_path_node *au_path_node_of(const au_paths *x, LLVMBasicBlockRef b) {
    return &x->node.at[*au_map_find(&x->index, (uint64_t)(uintptr_t)b)];
}

/* Adds the blocks whose edge back closes a circle without a sure event that may go on for
 * long to 'closes' (as many bits as blocks). */
void au_paths_loops(const au_paths *x, au_bitset *closes);

#endif
