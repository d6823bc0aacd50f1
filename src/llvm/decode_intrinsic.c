/* llvm/decode_intrinsic.c: calls of llvm.*. */
#include "llvm/decode_priv.h"

#include <string.h>

static LLVMValueRef arg(const au_dec *d, unsigned k) {
    return LLVMGetOperand(d->at, k);
}

/* Numbers ----------------------------------------------------------------- */

/* Functions of one to three integers. */
static const struct {
    const char *name;
    uint8_t op, operands;
} integer[] = {
    {"llvm.smin", AU_C_SMIN, 2},         {"llvm.smax", AU_C_SMAX, 2},
    {"llvm.umin", AU_C_UMIN, 2},         {"llvm.umax", AU_C_UMAX, 2},
    {"llvm.abs", AU_C_ABS, 1},           {"llvm.ctpop", AU_C_CTPOP, 1},
    {"llvm.ctlz", AU_C_CTLZ, 1},         {"llvm.cttz", AU_C_CTTZ, 1},
    {"llvm.bswap", AU_C_BSWAP, 1},       {"llvm.bitreverse", AU_C_BITREVERSE, 1},
    {"llvm.fshl", AU_C_FSHL, 3},         {"llvm.fshr", AU_C_FSHR, 3},
    {"llvm.usub.sat", AU_C_USUB_SAT, 2}, {"llvm.uadd.sat", AU_C_UADD_SAT, 2},
    {"llvm.ssub.sat", AU_C_SSUB_SAT, 2}, {"llvm.sadd.sat", AU_C_SADD_SAT, 2},
    {"llvm.ptrmask", AU_C_AND, 2},
};

static bool integers(au_dec *d, const char *name) {
    for (size_t k = 0; k < sizeof integer / sizeof *integer; k++) {
        if (!au_ir_is(name, integer[k].name))
            continue;
        if (au_dec_wide_type(d, LLVMTypeOf(d->at))) {
            au_dec_wide_int(d, integer[k].op, integer[k].operands);
            return true;
        }
        au_operand o[3] = {0};
        for (unsigned j = 0; j < integer[k].operands; j++)
            o[j] = au_dec_operand(d, arg(d, j));
        au_code_insn *i = au_dec_result(d, integer[k].op);
        i->a = o[0];
        i->b = o[1];
        i->c = o[2];
        return true;
    }
    return false;
}

static bool overflow(au_dec *d, const char *name) {
    static const struct {
        const char *name;
        uint8_t op;
        bool is_signed;
    } known[] = {
        {"llvm.sadd.with.overflow", AU_C_ADD, true}, {"llvm.uadd.with.overflow", AU_C_ADD, false},
        {"llvm.ssub.with.overflow", AU_C_SUB, true}, {"llvm.usub.with.overflow", AU_C_SUB, false},
        {"llvm.smul.with.overflow", AU_C_MUL, true}, {"llvm.umul.with.overflow", AU_C_MUL, false},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        if (!au_ir_is(name, known[k].name))
            continue;
        LLVMTypeRef type = LLVMTypeOf(arg(d, 0));
        if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) > 128) {
            au_dec_unmodelled(d, name, 2);
            return true;
        }
        au_operand a = au_dec_operand(d, arg(d, 0)), b = au_dec_operand(d, arg(d, 1));
        au_code_insn *i = au_dec_result(d, AU_C_OVERFLOW);
        i->a = a;
        i->b = b;
        i->width = (uint8_t)LLVMGetIntTypeWidth(type);
        i->from = known[k].op;
        i->flags = known[k].is_signed ? AU_CF_SIGNED : 0;
        i->aux = (uint32_t)LLVMOffsetOfElement(d->ir.layout, LLVMTypeOf(d->at), 1);
        return true;
    }
    return false;
}

/* Functions of floating-point numbers that the C library has, under its names. */
static const struct {
    const char *name, *c;
    uint8_t operands;
} math[] = {
    {"llvm.fabs", "fabs", 1},
    {"llvm.sqrt", "sqrt", 1},
    {"llvm.floor", "floor", 1},
    {"llvm.ceil", "ceil", 1},
    {"llvm.trunc", "trunc", 1},
    {"llvm.rint", "rint", 1},
    {"llvm.nearbyint", "nearbyint", 1},
    {"llvm.round", "round", 1},
    {"llvm.roundeven", "roundeven", 1},
    {"llvm.sin", "sin", 1},
    {"llvm.cos", "cos", 1},
    {"llvm.tan", "tan", 1},
    {"llvm.exp", "exp", 1},
    {"llvm.exp2", "exp2", 1},
    {"llvm.exp10", "exp10", 1},
    {"llvm.log", "log", 1},
    {"llvm.log2", "log2", 1},
    {"llvm.log10", "log10", 1},
    {"llvm.pow", "pow", 2},
    {"llvm.copysign", "copysign", 2},
    {"llvm.minnum", "fmin", 2},
    {"llvm.maxnum", "fmax", 2},
    {"llvm.fma", "fma", 3},
};

static bool floats(au_dec *d, const char *name) {
    for (size_t k = 0; k < sizeof math / sizeof *math; k++)
        if (au_ir_is(name, math[k].name)) {
            au_dec_float_math(d, math[k].c, math[k].operands);
            return true;
        }
    if (!au_ir_is(name, "llvm.fmuladd"))
        return false;
    au_dec_muladd(d);
    return true;
}

static bool reductions(au_dec *d, const char *name) {
    static const struct {
        const char *name;
        uint8_t op;
    } known[] = {
        {"llvm.vector.reduce.add", AU_C_ADD},   {"llvm.vector.reduce.mul", AU_C_MUL},
        {"llvm.vector.reduce.and", AU_C_AND},   {"llvm.vector.reduce.or", AU_C_OR},
        {"llvm.vector.reduce.xor", AU_C_XOR},   {"llvm.vector.reduce.smax", AU_C_SMAX},
        {"llvm.vector.reduce.smin", AU_C_SMIN}, {"llvm.vector.reduce.umax", AU_C_UMAX},
        {"llvm.vector.reduce.umin", AU_C_UMIN},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (au_ir_is(name, known[k].name)) {
            au_dec_reduce(d, known[k].op);
            return true;
        }
    return false;
}

/* The sign bits of the lanes as a number: the bits of a comparison with 0. */
static bool sign_mask(au_dec *d, const char *name) {
    if (!au_ir_is(name, "llvm.x86.sse2.pmovmskb.128") &&
        !au_ir_is(name, "llvm.x86.sse.movmsk.ps") && !au_ir_is(name, "llvm.x86.sse2.movmsk.pd") &&
        !au_ir_is(name, "llvm.x86.avx2.pmovmskb") &&
        !au_ir_is(name, "llvm.x86.avx.movmsk.ps.256") &&
        !au_ir_is(name, "llvm.x86.avx.movmsk.pd.256"))
        return false;
    au_dec_sign_mask(d);
    return true;
}

/* Memory ------------------------------------------------------------------ */

static bool memory(au_dec *d, const char *name) {
    bool set = au_ir_is(name, "llvm.memset");
    if (!set && !au_ir_is(name, "llvm.memcpy") && !au_ir_is(name, "llvm.memmove"))
        return false;
    if (strstr(name, ".element.")) {
        au_dec_unmodelled(d, name, LLVMGetNumArgOperands(d->at));
        return true;
    }
    LLVMValueRef n = arg(d, 2);
    if (LLVMIsAConstantInt(n) && LLVMIsNull(n))
        return true;
    if (!au_ir_is_plain_pointer(LLVMTypeOf(arg(d, 0))) ||
        (!set && !au_ir_is_plain_pointer(LLVMTypeOf(arg(d, 1))))) {
        au_dec_unmodelled(d, "copy into or out of a segment", LLVMGetNumArgOperands(d->at));
        return true;
    }
    const au_hook *h = au_dec_hook(d, set ? AU_HOOK_SET : AU_HOOK_COPY);
    au_operand a = au_dec_operand(d, arg(d, 0)), b = au_dec_operand(d, arg(d, 1)),
               c = au_dec_operand(d, n);
    au_code_insn *i = au_dec_add(d, set ? AU_C_SET : AU_C_COPY);
    i->a = a;
    i->b = b;
    i->c = c;
    i->width = au_dec_shape(d, LLVMTypeOf(n)).width;
    i->flags = !h && !d->f->left_out ? AU_CF_PRIVATE : 0;
    if (h)
        i->site = h->site[0];
    if (!set)
        i->aux = h ? h->site[1] : AU_NONE;
    if (LLVMIsAConstantInt(arg(d, 3)) && !LLVMIsNull(arg(d, 3)))
        i->flags |= AU_CF_VOLATILE;
    return true;
}

enum { VA_LIST = 24 }; /* bytes, on x86-64 */

static bool arguments(au_dec *d, const char *name) {
    if (au_ir_is(name, "llvm.va_end"))
        return true;
    if (au_ir_is(name, "llvm.va_start")) {
        au_operand a = au_dec_operand(d, arg(d, 0));
        au_code_insn *i = au_dec_add(d, AU_C_FORGET);
        i->a = a;
        i->aux = VA_LIST;
        return true;
    }
    if (!au_ir_is(name, "llvm.va_copy"))
        return false;
    au_operand a = au_dec_operand(d, arg(d, 0)), b = au_dec_operand(d, arg(d, 1));
    au_operand c = ~(au_operand)au_dec_number(d, VA_LIST);
    au_code_insn *i = au_dec_add(d, AU_C_COPY);
    i->a = a;
    i->b = b;
    i->c = c;
    i->width = 64;
    i->flags = AU_CF_PRIVATE;
    i->aux = AU_NONE;
    return true;
}

/* The rest ---------------------------------------------------------------- */

/* One of these names? */
static bool is_in(const char *name, const char *const *list) {
    for (; *list; list++)
        if (au_ir_is(name, *list))
            return true;
    return false;
}

/* Whose result is their first argument. */
static const char *const views[] = {"llvm.expect",
                                    "llvm.launder.invariant.group",
                                    "llvm.strip.invariant.group",
                                    "llvm.threadlocal.address",
                                    "llvm.ptr.annotation",
                                    "llvm.annotation",
                                    "llvm.ssa.copy",
                                    "llvm.arithmetic.fence",
                                    "llvm.preserve.array.access.index",
                                    NULL};
/* That do nothing here. */
static const char *const idle[] = {"llvm.lifetime",
                                   "llvm.assume",
                                   "llvm.invariant",
                                   "llvm.prefetch",
                                   "llvm.donothing",
                                   "llvm.sideeffect",
                                   "llvm.experimental.noalias.scope.decl",
                                   "llvm.stackrestore",
                                   "llvm.var.annotation",
                                   "llvm.codeview.annotation",
                                   "llvm.debugtrap",
                                   "llvm.pcmarker",
                                   "llvm.clear_cache",
                                   "llvm.instrprof",
                                   "llvm.pseudoprobe",
                                   "llvm.dbg",
                                   "llvm.x86.sse.sfence",
                                   "llvm.x86.sse2.pause",
                                   "llvm.x86.sse2.lfence",
                                   "llvm.x86.sse2.mfence",
                                   NULL};
/* Whose result does not depend on the values of their arguments but on the compiler or the machine. */
static const char *const given[] = {"llvm.is.constant",
                                    "llvm.objectsize",
                                    "llvm.stacksave",
                                    "llvm.frameaddress",
                                    "llvm.returnaddress",
                                    "llvm.addressofreturnaddress",
                                    "llvm.sponentry",
                                    "llvm.eh.typeid.for",
                                    "llvm.readcyclecounter",
                                    "llvm.readsteadycounter",
                                    "llvm.thread.pointer",
                                    "llvm.eh.sjlj",
                                    "llvm.get.rounding",
                                    "llvm.allow.runtime.check",
                                    "llvm.allow.ubsan.check",
                                    "llvm.invariant.start",
                                    NULL};
static const char *const traps[] = {"llvm.trap", "llvm.ubsantrap", NULL};

void au_dec_intrinsic(au_dec *d, const char *name) {
    if (is_in(name, idle) && LLVMGetTypeKind(LLVMTypeOf(d->at)) == LLVMVoidTypeKind)
        return;
    if (is_in(name, traps)) {
        struct au_code_call c = {.kind = AU_CALL_SILENT,
                                 .noreturn = true,
                                 .fails = true,
                                 .callee = AU_NONE,
                                 .name = au_dec_text(d, name),
                                 .xcall = AU_NONE,
                                 .land = AU_NONE,
                                 .xret = AU_NONE,
                                 .normal = AU_NONE,
                                 .unwind = AU_NONE};
        au_vec_push(&d->call, c);
        au_dec_add(d, AU_C_CALL)->aux = (uint32_t)d->call.n - 1;
        return;
    }
    if (is_in(name, views)) {
        uint32_t slots = au_dec_shape(d, LLVMTypeOf(d->at)).slots;
        au_operand a = au_dec_operand(d, arg(d, 0));
        au_code_insn *i = au_dec_result(d, AU_C_MOVE);
        i->a = a;
        i->aux = slots;
        return;
    }
    if (memory(d, name) || arguments(d, name) || overflow(d, name) || integers(d, name) ||
        floats(d, name) || reductions(d, name) || sign_mask(d, name))
        return;
    au_dec_unmodelled(d, name, is_in(name, given) ? 0 : LLVMGetNumArgOperands(d->at));
}
