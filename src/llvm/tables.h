/* llvm/tables.h: the tables record of a module (wire/embed.h): where every site stands in the
 * source, the variables and their types. All of it comes from debug information. */
#ifndef AU_LLVM_TABLES_H
#define AU_LLVM_TABLES_H

#include "llvm/plan.h"

typedef struct {
    void *bytes; /* payload of the record */
    size_t n;
    AU_VEC(LLVMValueRef) global; /* in the order of the record */
} au_tables_made;

/* Before the hooks are put in. */
void au_tables_make(au_hook_plan *p, au_tables_made *out);
void au_tables_release(au_tables_made *t);

/* Whether this global variable is in the table: one defined here whose address can stand in a
 * constant of this object. The table has them in the order of the module. */
bool au_tables_lists(const au_ir *ir, LLVMValueRef global);

#endif
