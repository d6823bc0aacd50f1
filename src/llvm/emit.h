/* llvm/emit.h: carries a plan out: puts calls of rt/hooks.h into the module, and makes the
 * module's array of sites. */
#ifndef AU_LLVM_EMIT_H
#define AU_LLVM_EMIT_H

#include "llvm/plan.h"

/* The array of sites, a zero-initialised private variable; NULL if there are none. */
LLVMValueRef au_emit_hooks(const au_hook_plan *p);

#endif
