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

unsigned au_asm_touches(const au_ir *ir, LLVMValueRef call, au_asm_memory *to) {
    unsigned found = 0, arg = 0, kind = LLVMGetEnumAttributeKindForName("elementtype", 11);
    size_t len;
    const char *c = LLVMGetInlineAsmConstraintString(LLVMGetCalledValue(call), &len),
               *end = c + len;
    for (; c < end && arg < LLVMGetNumArgOperands(call); c++) {
        const char *comma = memchr(c, ',', (size_t)(end - c));
        size_t n = (size_t)((comma ? comma : end) - c);
        bool output = memchr(c, '=', n), indirect = memchr(c, '*', n);
        LLVMValueRef p = NULL;
        if (*c != '~' && (indirect || !output))
            p = LLVMGetOperand(call, arg++);
        c += n;
        if (!p || !indirect || !au_ir_is_plain_pointer(LLVMTypeOf(p)))
            continue;
        unsigned k = 0;
        while (k < found && to[k].pointer != p)
            k++;
        if (k == AU_ASM_OPERANDS)
            break;
        if (k == found) {
            LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(call, arg, kind);
            LLVMTypeRef type = a ? LLVMGetTypeAttributeValue(a) : NULL;
            uint64_t size = 1;
            if (type && LLVMGetTypeKind(type) != LLVMStructTypeKind)
                size = au_ir_size(ir, type);
            bool word = size == 2 || size == 4 || size == 8;
            to[found++] = (au_asm_memory){.pointer = p, .size = word ? (unsigned)size : 1};
        }
        to[k].reads |= !output;
        to[k].writes |= output;
    }
    return found;
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

/* What stayed assembler counts as well where it writes. */
static void note_statement(const au_ir *ir, LLVMValueRef i, targets *found) {
    if (!LLVMIsACallInst(i) || !LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
        return;
    size_t len;
    const char *text = LLVMGetInlineAsmAsmString(LLVMGetCalledValue(i), &len);
    au_asm_memory m[AU_ASM_OPERANDS];
    unsigned n = len && text ? au_asm_touches(ir, i, m) : 0;
    for (unsigned k = 0; k < n; k++)
        if (m[k].writes)
            au_vec_push(found, target_of(ir, m[k].pointer, m[k].size));
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
                    if (round == 0)
                        note_statement(ir, i, &found);
                    if (round == 1 || !LLVMHasMetadata(i) || !LLVMGetMetadata(i, mark))
                        continue;
                    LLVMSetMetadata(i, mark, NULL);
                    LLVMValueRef p = pointer_of(i, &type);
                    if (p)
                        au_vec_push(&found, target_of(ir, p, au_ir_size(ir, type)));
                }
    au_vec_release(&found);
}
