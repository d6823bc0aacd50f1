/* llvm/decode_undef.c: integers put together from parts.
 *
 * Where clang passes a structure in registers, or an __int128, LLVM's sroa leaves
 *     %lo = and i64 undef, -4294967296
 *     %a = or i64 %lo, %x            ; the low half is x
 *     %hi = and i64 %a, 4294967295
 *     %b = or i64 %hi, %y            ; now all of it is known
 * Taken as it stands, everything made from undef is unknown. So for each integer made by and, or,
 * shifts, zext and trunc the bits that come from undef are found; inside of such chains
 * undef is 0, and a value that still has such bits where anything else uses it is unknown. */
#include "llvm/decode_priv.h"

static unsigned width_of(LLVMValueRef v) {
    LLVMTypeRef type = LLVMTypeOf(v);
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
}

static au_wide_mask low_bits(unsigned n) {
    return n >= 128 ? ~(au_wide_mask)0 : ((au_wide_mask)1 << n) - 1;
}

static au_wide_mask number(LLVMValueRef constant) {
    return au_dec_int_word(constant, 0) | (au_wide_mask)au_dec_int_word(constant, 1) << 64;
}

bool au_dec_joins_parts(LLVMValueRef i) {
    unsigned width = width_of(i);
    if (width == 0 || width > 128)
        return false;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMAnd:
    case LLVMOr:
    case LLVMZExt:
        return true;
    case LLVMTrunc:
        return width_of(LLVMGetOperand(i, 0)) <= 128;
    case LLVMShl:
    case LLVMLShr:
        return LLVMIsAConstantInt(LLVMGetOperand(i, 1)) && number(LLVMGetOperand(i, 1)) < width;
    default:
        return false;
    }
}

au_wide_mask au_dec_undef_bits(const au_dec *d, LLVMValueRef v) {
    if (LLVMIsUndef(v) || LLVMIsPoison(v))
        return low_bits(width_of(v));
    uint64_t *at = au_map_find(&d->partial, (uint64_t)(uintptr_t)v);
    return at ? d->undef_bits.at[*at] : 0;
}

static au_wide_mask bits_of(const au_dec *d, LLVMValueRef i) {
    LLVMValueRef a = LLVMGetOperand(i, 0), b = NULL;
    au_wide_mask m = au_dec_undef_bits(d, a);
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMAnd:
        b = LLVMGetOperand(i, 1);
        if (LLVMIsAConstantInt(b))
            return m & number(b);
        if (LLVMIsAConstantInt(a))
            return au_dec_undef_bits(d, b) & number(a);
        return m | au_dec_undef_bits(d, b);
    case LLVMOr:
        return m | au_dec_undef_bits(d, LLVMGetOperand(i, 1));
    case LLVMShl:
        return m << number(LLVMGetOperand(i, 1)) & low_bits(width_of(i));
    case LLVMLShr:
        return m >> number(LLVMGetOperand(i, 1));
    case LLVMTrunc:
        return m & low_bits(width_of(i));
    default:
        return m;
    }
}

void au_dec_find_undef(au_dec *d) {
    au_map_clear(&d->partial);
    au_vec_clear(&d->undef_bits);
    LLVMValueRef f = d->f->function;
    for (bool grew = true; grew;) {
        grew = false;
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
                if (!au_dec_joins_parts(i))
                    continue;
                au_wide_mask m = bits_of(d, i);
                if (m == 0 || m == au_dec_undef_bits(d, i))
                    continue;
                bool fresh;
                uint64_t *at = au_map_put(&d->partial, (uint64_t)(uintptr_t)i, &fresh);
                if (fresh) {
                    *at = d->undef_bits.n;
                    au_vec_push(&d->undef_bits, m);
                }
                d->undef_bits.at[*at] = m;
                grew = true;
            }
    }
}
