/* llvm/asm_pair.c: accesses that are the other half of an atomic operation in assembler. */
#include "llvm/asm_priv.h"

#include "base/alloc.h"
#include "base/vec.h"

#include <stdlib.h>
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

/* What statements that stay touch --------------------------------------------- */

typedef struct {
    const char *at;
    size_t n;
    LLVMValueRef value; /* the argument; NULL: only a result */
    unsigned arg;
} constraint;

static unsigned read_constraints(LLVMValueRef call, constraint *to) {
    size_t len;
    const char *c = LLVMGetInlineAsmConstraintString(LLVMGetCalledValue(call), &len),
               *end = c + len;
    unsigned n = 0, arg = 0;
    for (; c < end && n < AU_ASM_OPERANDS && *c != '~'; n++) {
        const char *comma = memchr(c, ',', (size_t)(end - c));
        to[n] = (constraint){.at = c, .n = (size_t)((comma ? comma : end) - c)};
        if ((!memchr(c, '=', to[n].n) || memchr(c, '*', to[n].n)) &&
            arg < LLVMGetNumArgOperands(call)) {
            to[n].arg = arg;
            to[n].value = LLVMGetOperand(call, arg++);
        }
        c += to[n].n + 1;
    }
    return n;
}

static au_asm_memory *touch(au_asm_memory *to, unsigned *n, LLVMValueRef p, unsigned size) {
    for (unsigned k = 0; k < *n; k++)
        if (to[k].pointer == p)
            return &to[k];
    if (*n == AU_ASM_OPERANDS || !au_ir_is_plain_pointer(LLVMTypeOf(p)))
        return NULL;
    to[*n] = (au_asm_memory){.pointer = p, .size = size};
    return &to[(*n)++];
}

static unsigned operand_size(const au_ir *ir, LLVMValueRef call, unsigned arg) {
    unsigned kind = LLVMGetEnumAttributeKindForName("elementtype", 11);
    LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(call, arg + 1, kind);
    LLVMTypeRef type = a ? LLVMGetTypeAttributeValue(a) : NULL;
    uint64_t size = 1;
    if (type && LLVMGetTypeKind(type) != LLVMStructTypeKind)
        size = au_ir_size(ir, type);
    return size == 2 || size == 4 || size == 8 ? (unsigned)size : 1;
}

/* The argument that is in a register such as "{di}" when the statement begins. */
static LLVMValueRef in_register(const constraint *c, unsigned n, const char *name) {
    for (unsigned k = 0; k < n; k++) {
        const constraint *own = &c[k];
        if (c[k].n && *c[k].at >= '0' && *c[k].at <= '9') /* that of an output */
            own = &c[strtoul(c[k].at, NULL, 10) % n];
        if (c[k].value && memmem(own->at, own->n, name, strlen(name)))
            return c[k].value;
    }
    return NULL;
}

/* 'rep movsb' and its kin: from rsi, to rdi, rcx times. */
static void touch_string(const char *text, const constraint *c, unsigned n, au_asm_memory *to,
                         unsigned *found) {
    static const char *const names[] = {"movs", "stos", "cmps", "scas", "lods"};
    const char *at = strstr(text, "rep");
    for (unsigned k = 0; at && k < sizeof names / sizeof *names; k++) {
        const char *s = strstr(at, names[k]);
        if (!s)
            continue;
        unsigned size = s[4] == 'b' ? 1 : s[4] == 'w' ? 2 : s[4] == 'q' ? 8 : 4;
        LLVMValueRef count = in_register(c, n, "{cx}"), di = in_register(c, n, "{di}"),
                     si = in_register(c, n, "{si}");
        if (!count || LLVMGetTypeKind(LLVMTypeOf(count)) != LLVMIntegerTypeKind)
            return;
        au_asm_memory *from = si && k != 1 && k != 3 ? touch(to, found, si, size) : NULL;
        if (from)
            from->count = count, from->reads = true;
        au_asm_memory *into = di && k != 4 ? touch(to, found, di, size) : NULL;
        if (into) {
            into->count = count;
            into->writes |= k < 2;
            into->reads |= k >= 2;
        }
        return;
    }
}

/* "($1)", "8($1)", "[$1]": through a pointer in a register. It may be written if memory is clobbered. */
static void touch_through(const char *text, const constraint *c, unsigned n, bool clobbers,
                          au_asm_memory *to, unsigned *found) {
    for (const char *s = text; (s = strpbrk(s, "([")); s++) {
        if (s[1] != '$' || s[2] < '0' || s[2] > '9')
            continue;
        unsigned k = (unsigned)strtoul(s + 2, NULL, 10);
        LLVMValueRef p = k < n ? c[k].value : NULL;
        au_asm_memory *m = p && !memchr(c[k].at, '*', c[k].n) ? touch(to, found, p, 1) : NULL;
        if (m) {
            m->reads = true;
            m->writes |= clobbers;
        }
    }
}

unsigned au_asm_touches(const au_ir *ir, LLVMValueRef call, au_asm_memory *to) {
    constraint c[AU_ASM_OPERANDS];
    unsigned n = read_constraints(call, c), found = 0;
    for (unsigned k = 0; k < n; k++) {
        if (!c[k].value || !memchr(c[k].at, '*', c[k].n))
            continue;
        bool output = memchr(c[k].at, '=', c[k].n);
        au_asm_memory *m = touch(to, &found, c[k].value, operand_size(ir, call, c[k].arg));
        if (m) {
            m->reads |= !output;
            m->writes |= output;
        }
    }
    size_t len, all;
    const char *raw = LLVMGetInlineAsmAsmString(LLVMGetCalledValue(call), &len);
    const char *every = LLVMGetInlineAsmConstraintString(LLVMGetCalledValue(call), &all);
    char *text = au_sprintf("%.*s", (int)len, raw);
    touch_string(text, c, n, to, &found);
    touch_through(text, c, n, memmem(every, all, "~{memory}", 9), to, &found);
    free(text);
    return found;
}

/* The other half -------------------------------------------------------------- */

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
