/* llvm/twin.h: two bodies of every function with hooks. A program that was built by `augur cc` is mostly run without
 * augur, by its users and its tests, and shall not be slower then. So a function f with hooks becomes three:
 *
 *   f            the door, with the name, the address and all properties of f: asks whether the runtime records
 *                (__augur_on of rt/hooks.h, set before anything of the program runs) and goes on as one of
 *   f.recorded   the body with hooks; what it surely calls of this module are bodies with hooks
 *   f.plain      the body as it was; what it surely calls of this module are such bodies, too
 *
 * So the question is asked once where code without hooks, a pointer or another module calls, and never in
 * between. A function whose blocks' addresses are taken (computed goto) keeps its one body, with hooks: a table of
 * labels outside of it could not belong to both. */
#ifndef AU_LLVM_TWIN_H
#define AU_LLVM_TWIN_H

#include "llvm/plan.h"

typedef struct {
    AU_VEC(LLVMValueRef) recorded, plain; /* the same place: bodies of one function */
    au_map index;                         /* function -> place */
} au_twins;

/* Copies the functions with hooks, before the hooks are there. */
void au_twins_copy(au_twins *t, const au_hook_plan *p);
/* With the hooks in place: doors, and who calls whom. Releases t. The plan's functions are f.recorded then. */
void au_twins_part(au_twins *t, const au_hook_plan *p);

#endif
