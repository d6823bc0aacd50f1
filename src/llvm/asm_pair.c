/* llvm/asm_pair.c: accesses that are the other half of an atomic operation in assembler. */
#include "llvm/asm_priv.h"

#include "base/vec.h"

#include <string.h>

/* Which variable an address stands for, as far as one function shows it. */
typedef struct {
    LLVMValueRef root; /* a variable; NULL: a pointer from elsewhere */
    int64_t offset;    /* in it */
    bool whole;        /* … which is not known */
    LLVMTypeRef type;  /* the structure whose member it is; NULL: none */
    int64_t member;    /* offset in it */
    uint64_t size;
} target;

typedef AU_VEC(target) targets;

/* The constant part of an address computation; false: an index is a variable. */
static bool offset_of(const au_ir *ir, LLVMValueRef gep, int64_t *offset) {
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    *offset = 0;
    for (unsigned k = 1, n = (unsigned)LLVMGetNumOperands(gep); k < n; k++) {
        LLVMValueRef index = LLVMGetOperand(gep, k);
        if (!LLVMIsAConstantInt(index))
            return false;
        int64_t i = LLVMConstIntGetSExtValue(index);
        if (k > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            *offset += (int64_t)LLVMOffsetOfElement(ir->layout, type, (unsigned)i);
            type = LLVMStructGetTypeAtIndex(type, (unsigned)i);
            continue;
        }
        if (k > 1)
            type = LLVMGetElementType(type);
        *offset += i * (int64_t)LLVMABISizeOfType(ir->layout, type);
    }
    return true;
}

static bool is_gep(LLVMValueRef v) {
    return LLVMIsAGetElementPtrInst(v) ||
           (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMGetElementPtr);
}

static target target_of(const au_ir *ir, LLVMValueRef p, uint64_t size) {
    target t = {.size = size};
    for (; is_gep(p); p = LLVMGetOperand(p, 0)) {
        int64_t offset;
        bool known = offset_of(ir, p, &offset);
        LLVMTypeRef type = LLVMGetGEPSourceElementType(p);
        if (known && !t.type && !t.offset && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            t.type = type;
            t.member = offset;
        }
        t.whole |= !known;
        t.offset += known ? offset : 0;
    }
    if (LLVMIsAGlobalVariable(p) || LLVMIsAAllocaInst(p))
        t.root = p;
    return t;
}

/* Whether an access may be of what assembler updates; a volatile one also of what lies in the same
 * structure, as the two counters of a ticket lock. */
static bool alike(const target *a, const target *b, bool is_volatile) {
    if (is_volatile && ((a->root && a->root == b->root) || (a->type && a->type == b->type)))
        return true;
    if (a->size != b->size)
        return false;
    if (a->root && b->root)
        return a->root == b->root && (a->whole || b->whole || a->offset == b->offset);
    if (a->type && b->type)
        return a->type == b->type && a->member == b->member;
    /* One of them is only a pointer: 'void unlock(volatile int *l)'. */
    return !(a->root || a->type) || !(b->root || b->type);
}

static LLVMValueRef pointer_of(LLVMValueRef i, LLVMTypeRef *type) {
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        *type = LLVMTypeOf(i);
        return LLVMGetOperand(i, 0);
    case LLVMStore:
        *type = LLVMTypeOf(LLVMGetOperand(i, 0));
        return LLVMGetOperand(i, 1);
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        *type = LLVMTypeOf(LLVMGetOperand(i, 1));
        return LLVMGetOperand(i, 0);
    default:
        return NULL;
    }
}

/* asm("" ::: "memory"), or a barrier of the machine. */
static bool is_barrier(LLVMValueRef i) {
    if (!i || LLVMIsAFenceInst(i))
        return i;
    if (!LLVMIsACallInst(i) || !LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
        return false;
    size_t n, len;
    const char *s = LLVMGetInlineAsmAsmString(LLVMGetCalledValue(i), &n);
    const char *c = LLVMGetInlineAsmConstraintString(LLVMGetCalledValue(i), &len);
    return n == 0 && s && memmem(c, len, "~{memory}", 9);
}

static LLVMValueRef beside(LLVMValueRef i, bool before) {
    do
        i = before ? LLVMGetPreviousInstruction(i) : LLVMGetNextInstruction(i);
    while (i && au_ir_is_debug(i));
    return i;
}

/* Whether the compiler neither divides the access nor moves it. */
static bool stays(LLVMValueRef i) {
    return LLVMGetVolatile(i) || is_barrier(beside(i, LLVMIsAStoreInst(i)));
}

static void pair(const au_ir *ir, LLVMValueRef i, const targets *found) {
    bool is_store = LLVMIsAStoreInst(i);
    LLVMTypeRef type;
    LLVMValueRef p = pointer_of(i, &type);
    if (!p || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic || !stays(i) ||
        !au_ir_is_plain_pointer(LLVMTypeOf(p)))
        return;
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind != LLVMIntegerTypeKind && kind != LLVMPointerTypeKind)
        return;
    uint64_t size = au_ir_size(ir, type);
    if (size > 8 || (size & (size - 1)) || LLVMSizeOfTypeInBits(ir->layout, type) != size * 8 ||
        LLVMGetAlignment(i) < size)
        return;
    target t = target_of(ir, p, size);
    for (size_t k = 0; k < found->n; k++)
        if (alike(&t, &found->at[k], LLVMGetVolatile(i))) {
            LLVMSetOrdering(i, is_store ? LLVMAtomicOrderingRelease : LLVMAtomicOrderingAcquire);
            return;
        }
}

void au_asm_pair(au_ir *ir) {
    unsigned mark = LLVMGetMDKindIDInContext(ir->ctx, AU_ASM_MARK, sizeof AU_ASM_MARK - 1);
    targets found = {0};
    for (int round = 0; round < 2 && (round == 0 || found.n); round++)
        for (LLVMValueRef f = LLVMGetFirstFunction(ir->module); f; f = LLVMGetNextFunction(f))
            for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
                for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
                     i = LLVMGetNextInstruction(i)) {
                    LLVMTypeRef type;
                    if (round == 1 && (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)))
                        pair(ir, i, &found);
                    if (round == 1 || !LLVMHasMetadata(i) || !LLVMGetMetadata(i, mark))
                        continue;
                    LLVMSetMetadata(i, mark, NULL);
                    LLVMValueRef p = pointer_of(i, &type);
                    if (p)
                        au_vec_push(&found, target_of(ir, p, au_ir_size(ir, type)));
                }
    au_vec_release(&found);
}
