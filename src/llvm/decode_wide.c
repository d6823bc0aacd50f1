/* llvm/decode_wide.c: floating point, vectors and integers of more than 64 bits. */
#include "llvm/decode_priv.h"

#include <string.h>

#define FUNC ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)

typedef struct {
    uint8_t lane;
    uint16_t bits;
    uint32_t lanes;
    bool good; /* one that the interpreter computes with */
} lanes;

static lanes lanes_of(const au_dec *d, LLVMTypeRef type) {
    lanes l = {.lane = AU_LANE_OTHER, .lanes = 1};
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
        l.lanes = LLVMGetVectorSize(type);
        type = LLVMGetElementType(type);
    }
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind: {
        unsigned width = LLVMGetIntTypeWidth(type);
        l.lane = AU_LANE_INT;
        l.bits = (uint16_t)(width > UINT16_MAX ? UINT16_MAX : width);
        l.good = width <= 128;
        break;
    }
    case LLVMPointerTypeKind:
        l.lane = AU_LANE_PTR;
        l.bits = 64;
        l.good = true;
        break;
    case LLVMFloatTypeKind:
        l.lane = AU_LANE_FLOAT;
        l.bits = 32;
        l.good = true;
        break;
    case LLVMDoubleTypeKind:
        l.lane = AU_LANE_DOUBLE;
        l.bits = 64;
        l.good = true;
        break;
    case LLVMX86_FP80TypeKind:
        l.lane = AU_LANE_FP80;
        l.bits = 80;
        l.good = true;
        break;
    default:
        if (LLVMTypeIsSized(type) && LLVMGetTypeKind(type) != LLVMScalableVectorTypeKind)
            l.bits = (uint16_t)LLVMSizeOfTypeInBits(d->ir.layout, type);
    }
    return l;
}

bool au_dec_wide_type(const au_dec *d, LLVMTypeRef type) {
    return au_dec_shape(d, type).width == 0;
}

static const char *opcode_name(const au_dec *d) {
    switch (LLVMGetInstructionOpcode(d->at)) {
    case LLVMCall:
    case LLVMInvoke:
        return au_ir_intrinsic(d->at);
    case LLVMExtractElement:
        return "extractelement";
    case LLVMInsertElement:
        return "insertelement";
    case LLVMShuffleVector:
        return "shufflevector";
    case LLVMSelect:
        return "select of vectors";
    default:
        return "arithmetic of a type that is not modelled";
    }
}

/* The instruction at hand as one of these; the operands' type is that of number 'typed'. NULL: it
 * became UNMODELLED. Borrowed until the next one. */
static struct au_code_wide *add(au_dec *d, au_code_wide_op op, unsigned n, unsigned typed) {
    lanes to = lanes_of(d, LLVMTypeOf(d->at));
    lanes from = lanes_of(d, LLVMTypeOf(LLVMGetOperand(d->at, typed)));
    if (!to.good || !from.good) {
        au_dec_unmodelled(d, opcode_name(d), n);
        return NULL;
    }
    struct au_code_wide w = {.op = (uint8_t)op,
                             .lane = to.lane,
                             .from_lane = from.lane,
                             .bits = to.bits,
                             .from_bits = from.bits,
                             .lanes = to.lanes,
                             .from_lanes = from.lanes,
                             .n_operands = n};
    for (unsigned k = 0; k < n; k++)
        w.operand[k] = au_dec_operand(d, LLVMGetOperand(d->at, k));
    au_vec_push(&d->wide, w);
    au_dec_result(d, AU_C_WIDE)->aux = (uint32_t)d->wide.n - 1;
    return &au_vec_last(&d->wide);
}

void au_dec_wide_int(au_dec *d, au_code_op op, unsigned n) {
    struct au_code_wide *w = add(d, AU_W_INT, n, 0);
    if (w)
        w->pred = (uint8_t)op;
}

void au_dec_wide_icmp(au_dec *d, au_code_op op, bool turned) {
    struct au_code_wide *w = add(d, AU_W_ICMP, 2, 0);
    if (!w)
        return;
    w->pred = (uint8_t)op;
    if (turned) {
        au_operand a = w->operand[0];
        w->operand[0] = w->operand[1];
        w->operand[1] = a;
    }
}

void au_dec_wide_cast(au_dec *d, au_code_op op) {
    struct au_code_wide *w = add(d, AU_W_CAST, 1, 0);
    if (w)
        w->pred = (uint8_t)op;
}

/* Operands: condition, and the two to select from, whose type is the result's. */
void au_dec_wide_select(au_dec *d) {
    add(d, AU_W_SELECT, 3, 0);
}

/* May the compiler compute something else than what stands there (-ffast-math)? */
static bool is_loose(const au_dec *d) {
    enum { HARMLESS = LLVMFastMathNoNaNs | LLVMFastMathNoInfs };
    return LLVMCanValueUseFastMathFlags(d->at) &&
           (LLVMGetFastMathFlags(d->at) & ~(unsigned)HARMLESS);
}
static const char loose[] = "floating point that the compiler may change";

void au_dec_float(au_dec *d, au_code_wide_op op, unsigned n) {
    if (op != AU_W_FCMP && op != AU_W_FNEG && is_loose(d)) {
        au_dec_unmodelled(d, loose, n);
        return;
    }
    struct au_code_wide *w = add(d, op, n, 0);
    if (w && op == AU_W_FCMP)
        w->pred = (uint8_t)LLVMGetFCmpPredicate(d->at);
}

void au_dec_float_math(au_dec *d, const char *name, unsigned n) {
    if (is_loose(d)) {
        au_dec_unmodelled(d, loose, n);
        return;
    }
    uint32_t text = au_dec_text(d, name);
    struct au_code_wide *w = add(d, AU_W_FMATH, n, 0);
    if (w)
        w->name = text;
}

static bool has_fma(const au_dec *d) {
    LLVMAttributeRef a = LLVMGetStringAttributeAtIndex(d->f->function, FUNC, "target-features", 15);
    unsigned n = 0;
    const char *s = a ? LLVMGetStringAttributeValue(a, &n) : NULL;
    for (unsigned i = 0; s && i + 4 <= n; i++)
        if (memcmp(s + i, "+fma", 4) == 0 && (i + 4 == n || s[i + 4] == ',' || s[i + 4] == '4'))
            return true;
    return false;
}

/* What `a * b + c` became: one rounding where the machine can, else two. */
void au_dec_muladd(au_dec *d) {
    if (is_loose(d)) {
        au_dec_unmodelled(d, loose, 3);
        return;
    }
    if (has_fma(d) && lanes_of(d, LLVMTypeOf(d->at)).lane != AU_LANE_FP80) {
        au_dec_float_math(d, "fma", 3);
        return;
    }
    struct au_code_wide *w = add(d, AU_W_FMUL, 2, 0);
    if (!w)
        return;
    struct au_code_wide sum = *w;
    sum.op = AU_W_FADD;
    sum.operand[0] = (au_operand)au_dec_slot(d, d->at);
    sum.operand[1] = au_dec_operand(d, LLVMGetOperand(d->at, 2));
    au_vec_push(&d->wide, sum);
    au_dec_result(d, AU_C_WIDE)->aux = (uint32_t)d->wide.n - 1;
}

void au_dec_reduce(au_dec *d, au_code_op op) {
    struct au_code_wide *w = add(d, AU_W_REDUCE, 1, 0);
    if (w)
        w->pred = (uint8_t)op;
}

void au_dec_sign_mask(au_dec *d) {
    LLVMTypeRef vector = LLVMTypeOf(LLVMGetOperand(d->at, 0));
    lanes from = lanes_of(d, vector);
    struct au_code_wide w = {.op = AU_W_ICMP,
                             .pred = AU_C_SLT,
                             .bits = 1,
                             .from_bits = from.bits,
                             .lanes = from.lanes,
                             .from_lanes = from.lanes,
                             .n_operands = 2};
    w.lane = w.from_lane = AU_LANE_INT;
    w.operand[0] = au_dec_operand(d, LLVMGetOperand(d->at, 0));
    w.operand[1] = ~(au_operand)au_dec_zero(d, au_dec_shape(d, vector).slots);
    au_vec_push(&d->wide, w);
    au_dec_result(d, AU_C_WIDE)->aux = (uint32_t)d->wide.n - 1;
}

/* Elements ---------------------------------------------------------------- */

/* A lane of whole bytes at a known place is taken out and put in like a part of a
 * structure, which keeps what is known of it. */
static bool as_bytes(au_dec *d, bool insert, LLVMValueRef index) {
    LLVMTypeRef vector = LLVMTypeOf(LLVMGetOperand(d->at, 0));
    uint64_t bits = LLVMSizeOfTypeInBits(d->ir.layout, LLVMGetElementType(vector));
    if (!LLVMIsAConstantInt(index) || bits % 8)
        return false;
    uint64_t n = LLVMConstIntGetZExtValue(index), offset = n * (bits / 8);
    au_shape s = au_dec_shape(d, LLVMGetElementType(vector)), whole = au_dec_shape(d, vector);
    if (n >= LLVMGetVectorSize(vector) || offset + s.bytes >= 65536)
        return false;
    LLVMValueRef base = LLVMGetOperand(d->at, 0);
    bool nothing = insert && (LLVMIsUndef(base) || LLVMIsPoison(base));
    au_operand a = nothing ? ~(au_operand)au_dec_zero(d, whole.slots) : au_dec_operand(d, base);
    au_operand b = insert ? au_dec_operand(d, LLVMGetOperand(d->at, 1)) : 0;
    au_code_insn *i = au_dec_result(d, insert ? AU_C_BYTES_PUT : AU_C_BYTES_GET);
    i->a = a;
    if (insert) {
        i->b = b;
        i->c = (au_operand)whole.slots;
    }
    i->width = s.width;
    i->aux = (uint32_t)offset | (s.width ? 0 : (uint32_t)s.bytes << 16);
    return true;
}

static void shuffle(au_dec *d) {
    unsigned n = LLVMGetNumMaskElements(d->at);
    uint32_t first = (uint32_t)d->index.n;
    struct au_code_wide *w = add(d, AU_W_SHUFFLE, 2, 0);
    if (!w)
        return;
    for (unsigned k = 0; k < n; k++) {
        int m = LLVMGetMaskValue(d->at, k);
        au_vec_push(&d->index, m < 0 ? AU_NONE : (uint32_t)m);
    }
    w->mask = first;
    w->n_mask = n;
}

void au_dec_element(au_dec *d) {
    if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(d->at, 0))) != LLVMVectorTypeKind) {
        au_dec_unmodelled(d, opcode_name(d), 2);
        return;
    }
    switch (LLVMGetInstructionOpcode(d->at)) {
    case LLVMExtractElement:
        if (!as_bytes(d, false, LLVMGetOperand(d->at, 1)))
            add(d, AU_W_EXTRACT, 2, 0);
        break;
    case LLVMInsertElement:
        if (!as_bytes(d, true, LLVMGetOperand(d->at, 2)))
            add(d, AU_W_INSERT, 3, 0);
        break;
    default:
        shuffle(d);
    }
}
