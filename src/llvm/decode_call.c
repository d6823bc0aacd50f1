/* llvm/decode_call.c: calls. */
#include "llvm/asm.h"
#include "llvm/decode_priv.h"

#include <string.h>

/* How many bits at the beginning of a result the XRET event tells (as_number in emit.c). */
static uint8_t told_width(const au_dec *d, LLVMTypeRef type) {
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind: {
        unsigned width = LLVMGetIntTypeWidth(type);
        return (uint8_t)(width > 64 ? 64 : width);
    }
    case LLVMPointerTypeKind:
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
        return au_dec_shape(d, type).width;
    case LLVMVectorTypeKind: {
        uint64_t bits = LLVMSizeOfTypeInBits(d->ir.layout, type);
        bool pointers = LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMPointerTypeKind;
        return (uint8_t)(bits > 64 || pointers ? 0 : bits);
    }
    case LLVMStructTypeKind:
        return LLVMCountStructElementTypes(type) == 0
                   ? 0
                   : told_width(d, LLVMStructGetTypeAtIndex(type, 0));
    case LLVMArrayTypeKind:
        return LLVMGetArrayLength2(type) == 0 ? 0 : told_width(d, LLVMGetElementType(type));
    default:
        return 0;
    }
}

static void add_arguments(au_dec *d, struct au_code_call *c) {
    unsigned n = LLVMGetNumArgOperands(d->at);
    c->arg = (uint32_t)d->arg.n;
    c->n_args = n;
    for (unsigned k = 0; k < n; k++) {
        LLVMValueRef v = LLVMGetOperand(d->at, k);
        au_shape s = au_dec_shape(d, LLVMTypeOf(v));
        LLVMAttributeRef byval = LLVMGetCallSiteEnumAttribute(d->at, k + 1, d->ir.a_byval);
        struct au_code_arg a = {.at = au_dec_operand(d, v), .slots = s.slots, .width = s.width};
        if (byval)
            a.byval = (uint32_t)LLVMABISizeOfType(d->ir.layout, LLVMGetTypeAttributeValue(byval));
        au_vec_push(&d->arg, a);
    }
}

static bool is_zero(LLVMValueRef v) {
    return LLVMIsAConstantInt(v) && LLVMIsNull(v);
}

/* Who is called, if it has a name. */
static LLVMValueRef named(LLVMValueRef called) {
    return LLVMIsAFunction(called) || LLVMIsAGlobalAlias(called) || LLVMIsAGlobalIFunc(called)
               ? called
               : NULL;
}

/* Inline assembler that only computes with registers. */
static bool is_plain(const au_dec *d, LLVMValueRef called) {
    au_asm_memory memory[AU_ASM_OPERANDS];
    size_t n;
    const char *text = LLVMGetInlineAsmAsmString(called, &n);
    return au_asm_is_plain(text, n, LLVMGetInlineAsmDialect(called) == LLVMInlineAsmDialectIntel) &&
           !au_asm_touches(&d->ir, d->at, memory);
}

static void fill(au_dec *d, struct au_code_call *c, bool *annotation) {
    LLVMValueRef called = LLVMGetCalledValue(d->at), by_name = named(called);
    const au_hook *h = au_dec_hook(d, AU_HOOK_XCALL);
    const au_plan_function *direct = au_plan_direct(&d->plan, d->at);
    c->xcall = h ? h->site[0] : AU_NONE;
    c->land = h ? h->site[1] : AU_NONE;
    c->xret = h ? h->site[2] : AU_NONE;
    c->callee = c->normal = c->unwind = AU_NONE;
    c->noreturn = au_ir_call_has(d->at, d->ir.a_noreturn);
    c->varargs = LLVMIsFunctionVarArg(LLVMGetCalledFunctionType(d->at));
    c->result_used = LLVMGetFirstUse(d->at) != NULL;
    *annotation = false;
    if (LLVMIsAInlineAsm(called)) {
        c->kind = h ? AU_CALL_ASM : AU_CALL_SILENT;
        c->name = au_dec_text(d, is_plain(d, called) ? "__augur_plain_asm" : "asm");
    } else if (direct) {
        c->kind = AU_CALL_DIRECT;
        c->callee = (uint32_t)(direct - d->plan.function.at);
        c->name = au_dec_name(d, direct->function);
    } else if (by_name) {
        c->name = au_dec_name(d, by_name);
        const char *name = d->string.at + c->name;
        *annotation = !h && strncmp(name, "__augur_", 8) == 0;
        c->kind = h || *annotation ? AU_CALL_FOREIGN : AU_CALL_SILENT;
        c->fails = au_dec_is_failure(name);
        if (strcmp(name, "__augur_assert") == 0 && c->n_args > 0)
            c->fails = is_zero(LLVMGetOperand(d->at, 0));
    } else {
        c->kind = h ? AU_CALL_INDIRECT : AU_CALL_SILENT;
        c->target = au_dec_operand(d, called);
    }
    LLVMTypeRef type = LLVMTypeOf(d->at);
    if (LLVMGetTypeKind(type) != LLVMVoidTypeKind) {
        au_shape s = au_dec_shape(d, type);
        c->result_slots = s.slots;
        c->result_width = s.width;
        if (c->xret != AU_NONE)
            c->told_width = told_width(d, type);
    }
}

/* Inline assembler that does nothing (plan.c) has no hook and no result. */
static bool does_nothing(const au_dec *d) {
    return LLVMIsAInlineAsm(LLVMGetCalledValue(d->at)) && !d->f->left_out &&
           !au_dec_hook(d, AU_HOOK_XCALL) &&
           LLVMGetTypeKind(LLVMTypeOf(d->at)) == LLVMVoidTypeKind &&
           LLVMGetInstructionOpcode(d->at) != LLVMCallBr;
}

static void go_on(au_dec *d) {
    if (!LLVMIsAInvokeInst(d->at))
        return;
    uint32_t e = au_dec_edge(d, LLVMGetNormalDest(d->at));
    au_dec_add(d, AU_C_BR)->a = (au_operand)e;
}

void au_dec_call(au_dec *d) {
    const char *name = au_ir_intrinsic(d->at);
    if (name || does_nothing(d)) {
        if (name)
            au_dec_intrinsic(d, name);
        go_on(d);
        return;
    }
    if (LLVMGetInstructionOpcode(d->at) == LLVMCallBr) {
        au_dec_unmodelled(d, "asm goto", LLVMGetNumArgOperands(d->at));
        au_dec_indirect(d, false);
        return;
    }
    struct au_code_call c = {0};
    bool annotation;
    add_arguments(d, &c);
    fill(d, &c, &annotation);
    if (LLVMIsAInvokeInst(d->at) && !annotation) {
        c.invoke = true;
        c.normal = au_dec_edge(d, LLVMGetNormalDest(d->at));
        c.unwind = au_dec_edge(d, LLVMGetUnwindDest(d->at));
    }
    au_vec_push(&d->call, c);
    au_code_insn *i = au_dec_result(d, annotation ? AU_C_ANNOTATE : AU_C_CALL);
    i->site = c.xcall;
    i->aux = (uint32_t)d->call.n - 1;
    if (annotation)
        go_on(d);
}
