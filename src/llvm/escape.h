/* llvm/escape.h: which memory no other thread can see.
 *
 * Private is what can be reached only by the code in front of us: local variables (and
 * by-value parameters) whose address goes nowhere but into loads, stores and address
 * arithmetic of their function, internal thread-local variables used the same way, and
 * constants. An access is private if every object its pointer may point to is. */
#ifndef AU_LLVM_ESCAPE_H
#define AU_LLVM_ESCAPE_H

#include "base/hash.h"
#include "llvm/ir.h"

typedef struct {
    const au_ir *ir;
    au_map object; /* alloca, parameter or global -> AU_OBJ_* */
} au_escape;

void au_escape_init(au_escape *e, const au_ir *ir);
void au_escape_release(au_escape *e);

typedef enum {
    AU_MEM_SHARED,  /* others may see it */
    AU_MEM_PRIVATE, /* nobody else sees it */
    AU_MEM_CONST    /* nobody writes it */
} au_mem;

/* What a pointer may point to: SHARED if anything of it is. */
au_mem au_escape_class(au_escape *e, LLVMValueRef pointer);
/* Whether the address of this alloca, by-value parameter or global goes elsewhere. */
bool au_escape_object(au_escape *e, LLVMValueRef object);
/* A parameter that is a copy on this function's own stack. */
bool au_escape_is_byval(const au_ir *ir, LLVMValueRef parameter);

#endif
