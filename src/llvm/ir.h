/* llvm/ir.h: the clean module, its instruction numbers, and small questions that LLVM-C
 * does not answer in one call. Part of augur-llvm.so only.
 *
 * The clean module. What clang wrote (-O1 -disable-llvm-passes) after au_ir_clean. Every
 * later stage, and the interpreter that reads the module back from an executable, sees
 * this module. Two properties matter:
 *   - it does what the source does: no access of memory is moved, merged, added or
 *     taken away, except accesses of local variables that nobody else can see; small functions
 *     are inlined;
 *   - no critical edges (but out of indirectbr and callbr), so that code can be put on
 *     any edge.
 *
 * Instruction numbers. Functions with a body in the order of the module, in them blocks in
 * order, in them instructions in order, counted from 1 over the whole module; calls of
 * llvm.dbg.* are passed over, since they exist or not depending on how LLVM holds
 * debug information. Bitcode keeps all of these orders, so whoever reads
 * the embedded module numbers it the same way. Number 0 is no instruction. */
#ifndef AU_LLVM_IR_H
#define AU_LLVM_IR_H

#include "base/error.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stdint.h>

/* A module with what is asked of it all the time. Borrowed: module. */
typedef struct {
    LLVMContextRef ctx;
    LLVMModuleRef module;
    LLVMTargetDataRef layout;
    unsigned a_noreturn, a_returns_twice, a_byval, a_naked, a_sanitize_thread;
} au_ir;

void au_ir_init(au_ir *ir, LLVMModuleRef module);

/* Makes the clean module. */
au_status au_ir_clean(au_ir *ir, au_error *err);

/* Unrolls small loops of constant length in a clean module: for the static half only. Instructions
 * and their copies remember the number that the instruction had before. */
au_status au_ir_unroll(au_ir *ir, au_error *err);
/* That number; 0: it was not there before. */
uint32_t au_ir_was(const au_ir *ir, LLVMValueRef insn);

/* LLVM would print what it has to say; as a context's handler this keeps the last complaint in an au_error. */
void au_ir_on_diagnostic(LLVMDiagnosticInfoRef info, void *err);

/* The verifier's word; always run on what we made. */
au_status au_ir_verify(au_ir *ir, const char *what, au_error *err);

/* Walks instructions in the order of their numbers:
 *     for (au_ir_walk w = au_ir_first(f, &n); w.insn; au_ir_next(&w)) … w.number …
 * from *n + 1 on; *n is the last number given. */
typedef struct {
    LLVMValueRef insn;
    LLVMBasicBlockRef block;
    uint32_t number, *last;
} au_ir_walk;
au_ir_walk au_ir_first(LLVMValueRef function, uint32_t *last);
void au_ir_next(au_ir_walk *w);
/* Instructions that have a number. */
uint32_t au_ir_count(LLVMValueRef function);

/* Calls. ------------------------------------------------------------------ */

bool au_ir_is_call(LLVMValueRef insn); /* call, invoke or callbr */
/* The function called, through aliases; NULL: indirect or inline assembler. */
LLVMValueRef au_ir_callee(LLVMValueRef call);
/* "llvm.memcpy" for llvm.memcpy.p0.p0.i64 …; NULL if this is no call of an intrinsic. */
const char *au_ir_intrinsic(LLVMValueRef insn);
bool au_ir_is(const char *intrinsic, const char *name); /* name or name.suffix; NULL: no */
/* An attribute of the call or of the function called. */
bool au_ir_call_has(LLVMValueRef call, unsigned attribute);
bool au_ir_is_debug(LLVMValueRef insn);

/* Bytes that a load or store of this type touches. */
static inline uint64_t au_ir_size(const au_ir *ir, LLVMTypeRef type) {
    return LLVMStoreSizeOfType(ir->layout, type);
}
/* Whether the type is a pointer in the usual address space. */
bool au_ir_is_plain_pointer(LLVMTypeRef type);
/* Where code may be put in a block: after phis and a landing pad. */
LLVMValueRef au_ir_first_insertion(LLVMBasicBlockRef block);

#endif
