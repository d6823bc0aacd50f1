/* llvm/asm.c: statements of inline assembler for x86-64: their operands and results. Registers hold
 * values, and what each instruction does is built before the statement (asm_insn.c). If one is
 * not known, all that was built goes again. */
#include "llvm/asm_priv.h"

#include "base/alloc.h"
#include "base/vec.h"

#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

/* Operands ------------------------------------------------------------------ */

static unsigned word_size(const au_asm_machine *m, LLVMTypeRef type) {
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMPointerTypeKind)
        return au_ir_is_plain_pointer(type) ? 8 : 0;
    if (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 1)
        return 1;
    if (kind != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) % 8)
        return 0;
    uint64_t n = au_ir_size(m->ir, type);
    return n == 1 || n == 2 || n == 4 || n == 8 ? (unsigned)n : 0;
}

static LLVMValueRef as_number(au_asm_machine *m, LLVMValueRef v) {
    if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind)
        return LLVMBuildPtrToInt(m->b, v, m->i64, "");
    return LLVMBuildZExtOrBitCast(m->b, v, m->i64, "");
}

/* "{ax}", "{@cce}" or letters; where the operand lives. false: another kind of register. */
static bool find_place(au_asm_machine *m, au_asm_operand *o, unsigned k, const char *code,
                       size_t n) {
    o->at = &m->own[k];
    if (n > 2 && code[0] == '{') {
        if (n > 5 && memcmp(code, "{@cc", 4) == 0) {
            if (n - 5 >= sizeof o->flag)
                return false;
            memcpy(o->flag, code + 4, n - 5);
            return o->output;
        }
        unsigned size;
        int reg = au_asm_register(code + 1, n - 2, &size);
        if (reg < 0)
            return false;
        o->at = &m->reg[reg];
        return true;
    }
    for (size_t i = 0; i < n; i++)
        if (!strchr("rqQRlgmiInNeZKXoVsEFMJLOWGyk", code[i]))
            return false;
    return n > 0;
}

/* Reads one constraint; *arg is the next argument of the call, *result the next output in a register. */
static bool read_constraint(au_asm_machine *m, const char *c, size_t n, unsigned *arg,
                            unsigned *result) {
    au_asm_operand *o = &m->op[m->n];
    unsigned k = m->n++;
    size_t i = 0;
    bool indirect = false;
    for (; i < n && strchr("=&%*", c[i]); i++) {
        o->output |= c[i] == '=';
        indirect |= c[i] == '*';
    }
    for (size_t j = i; j < n; j++)
        if (c[j] == '|' || c[j] == '^')
            return false;
    if (indirect) {
        o->memory = true;
        o->pointer = LLVMGetOperand(m->call, *arg);
        unsigned kind = LLVMGetEnumAttributeKindForName("elementtype", 11);
        LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(m->call, *arg + 1, kind);
        if (a)
            o->size = word_size(m, LLVMGetTypeAttributeValue(a));
        ++*arg;
        return au_ir_is_plain_pointer(LLVMTypeOf(o->pointer));
    }
    if (o->output) {
        LLVMTypeRef all = LLVMTypeOf(m->call);
        o->type = LLVMGetTypeKind(all) == LLVMStructTypeKind
                      ? LLVMStructGetTypeAtIndex(all, *result)
                      : all;
        ++*result;
        o->size = word_size(m, o->type);
        return o->size && find_place(m, o, k, c + i, n - i);
    }
    LLVMValueRef v = LLVMGetOperand(m->call, *arg);
    ++*arg;
    o->size = word_size(m, LLVMTypeOf(v));
    if (!o->size)
        return false;
    if (i < n && c[i] >= '0' && c[i] <= '9') {
        unsigned tied = (unsigned)strtoul(c + i, NULL, 10);
        if (tied >= k || m->op[tied].memory || !m->op[tied].at)
            return false;
        o->at = m->op[tied].at;
    } else if (!find_place(m, o, k, c + i, n - i)) {
        return false;
    }
    if (LLVMIsConstant(v) && o->at == &m->own[k]) {
        o->constant = true;
        o->value = v;
    }
    o->at->v = as_number(m, v);
    o->at->bytes = o->size;
    return true;
}

static bool read_constraints(au_asm_machine *m) {
    size_t n;
    const char *c = LLVMGetInlineAsmConstraintString(LLVMGetCalledValue(m->call), &n), *end = c + n;
    unsigned arg = 0, result = 0;
    while (c < end) {
        const char *comma = memchr(c, ',', (size_t)(end - c));
        size_t len = (size_t)((comma ? comma : end) - c);
        if (*c != '~' && (m->n == AU_ASM_OPERANDS || !read_constraint(m, c, len, &arg, &result)))
            return false;
        c += len + 1;
    }
    return true;
}

/* Statements ------------------------------------------------------------------ */

/* The outputs in registers, as the call would give them. NULL: one of them is not defined. */
static LLVMValueRef results(au_asm_machine *m) {
    LLVMTypeRef all = LLVMTypeOf(m->call);
    bool structure = LLVMGetTypeKind(all) == LLVMStructTypeKind;
    LLVMValueRef made = structure ? LLVMGetPoison(all) : NULL;
    unsigned result = 0;
    for (unsigned k = 0; k < m->n; k++) {
        au_asm_operand *o = &m->op[k];
        if (!o->output || o->memory)
            continue;
        LLVMValueRef v;
        if (o->flag[0]) {
            v = au_asm_condition(m, o->flag);
            v = v ? LLVMBuildZExtOrBitCast(m->b, v, o->type, "") : NULL;
        } else {
            v = o->at->v && o->at->bytes >= o->size ? o->at->v : NULL;
            if (v && LLVMGetTypeKind(o->type) == LLVMPointerTypeKind)
                v = LLVMBuildIntToPtr(m->b, v, o->type, "");
            else if (v)
                v = LLVMBuildTruncOrBitCast(m->b, v, o->type, "");
        }
        if (!v)
            return NULL;
        made = structure ? LLVMBuildInsertValue(m->b, made, v, result++, "") : v;
    }
    return made;
}

static void drop_since(LLVMValueRef last, LLVMValueRef call) {
    for (LLVMValueRef i; (i = LLVMGetPreviousInstruction(call)) && i != last;)
        LLVMInstructionEraseFromParent(i);
}

/* Makes instructions of a statement, if all of it is known. */
static void decode_one(au_ir *ir, LLVMBuilderRef b, LLVMValueRef call) {
    LLVMValueRef callee = LLVMGetCalledValue(call);
    bool intel = LLVMGetInlineAsmDialect(callee) == LLVMInlineAsmDialectIntel;
    size_t n;
    const char *raw = LLVMGetInlineAsmAsmString(callee, &n);
    char *text = au_alloc_array(n + 1, 1);
    bool good = !memchr(raw, 0, n) && au_asm_choose(raw, n, intel, text);
    au_asm_machine *m = AU_NEW(au_asm_machine);
    *m = (au_asm_machine){
        .ir = ir,
        .b = b,
        .call = call,
        .mark = LLVMGetMDKindIDInContext(ir->ctx, AU_ASM_MARK, sizeof AU_ASM_MARK - 1),
        .i1 = LLVMInt1TypeInContext(ir->ctx),
        .i8 = LLVMInt8TypeInContext(ir->ctx),
        .i64 = LLVMInt64TypeInContext(ir->ctx)};
    LLVMValueRef before = LLVMGetPreviousInstruction(call);
    LLVMPositionBuilderBefore(b, call);
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(call));
    good = good && read_constraints(m);
    au_asm_insn i;
    const char *at = text;
    for (int got = 1; good && (got = au_asm_read(&at, intel, &i)) != 0;)
        good = got > 0 && au_asm_execute(m, &i);
    LLVMValueRef made = NULL;
    bool result = LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMVoidTypeKind;
    if (good && result)
        good = (made = results(m)) != NULL;
    /* What only waits, or only keeps the compiler from something, stays for the compiler. */
    good = good && (m->touched || result);
    if (good) {
        if (result)
            LLVMReplaceAllUsesWith(call, made);
        LLVMInstructionEraseFromParent(call);
    } else {
        drop_since(before, call);
    }
    free(m);
    free(text);
}

static bool is_x86_64(const au_ir *ir) {
    return strncmp(LLVMGetTarget(ir->module), "x86_64", 6) == 0;
}

void au_asm_decode(au_ir *ir) {
    if (!is_x86_64(ir))
        return;
    AU_VEC(LLVMValueRef) calls = {0};
    for (LLVMValueRef f = LLVMGetFirstFunction(ir->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                if (LLVMIsACallInst(i) && LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
                    au_vec_push(&calls, i);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(ir->ctx);
    for (size_t i = 0; i < calls.n; i++)
        decode_one(ir, b, calls.at[i]);
    LLVMDisposeBuilder(b);
    au_vec_release(&calls);
}
