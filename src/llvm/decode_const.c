/* llvm/decode_const.c: constants and global variables of a module. */
#include "llvm/decode_priv.h"
#include "llvm/tables.h"

#include <string.h>

/* The pool ---------------------------------------------------------------- */

static uint32_t push(au_dec *d, struct au_code_const c) {
    au_vec_push(&d->pool, c);
    return (uint32_t)d->pool.n - 1;
}

uint32_t au_dec_number(au_dec *d, uint64_t value) {
    bool fresh;
    uint64_t *at = au_map_put(&d->number, value, &fresh);
    if (fresh)
        *at = push(d, (struct au_code_const){.value = value, .kind = AU_CONST_NUMBER});
    return (uint32_t)*at;
}

uint32_t au_dec_zero(au_dec *d, uint32_t slots) {
    if (slots == 1)
        return au_dec_number(d, 0);
    uint32_t first = (uint32_t)d->pool.n;
    for (uint32_t i = 0; i < slots; i++)
        push(d, (struct au_code_const){.kind = AU_CONST_NUMBER});
    return first;
}

uint32_t au_dec_unknown(au_dec *d, uint32_t slots) {
    struct au_code_const u = {.kind = AU_CONST_UNKNOWN};
    if (slots == 1) {
        if (d->unknown == AU_NONE)
            d->unknown = push(d, u);
        return d->unknown;
    }
    uint32_t first = (uint32_t)d->pool.n;
    for (uint32_t i = 0; i < slots; i++)
        push(d, u);
    return first;
}

/* Numbers ----------------------------------------------------------------- */

/* LLVM-C hands out 64 bits; wider integers are read from their text: "i128 -170…". */
uint64_t au_dec_int_word(LLVMValueRef v, unsigned word) {
    unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(v));
    if (width <= 64)
        return word == 0 ? LLVMConstIntGetZExtValue(v) : 0;
    char *text = LLVMPrintValueToString(v);
    const char *s = strchr(text, ' ');
    s = s ? s + 1 : text;
    bool negative = *s == '-';
    s += negative;
    enum { WORDS = 256 };
    uint32_t number[WORDS] = {0}; /* 32 bits each; more than 8192 bits are cut off */
    for (; *s >= '0' && *s <= '9'; s++) {
        uint64_t carry = (uint64_t)(*s - '0');
        for (unsigned i = 0; i < WORDS; i++) {
            carry += (uint64_t)number[i] * 10;
            number[i] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    LLVMDisposeMessage(text);
    if (negative) {
        uint64_t carry = 1;
        for (unsigned i = 0; i < WORDS; i++) {
            carry += (uint32_t)~number[i];
            number[i] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    uint64_t value = 0;
    if (word * 2 + 1 < WORDS)
        value = number[word * 2] | (uint64_t)number[word * 2 + 1] << 32;
    unsigned from = word * 64;
    if (from >= width)
        return 0;
    return width - from < 64 ? value & ((UINT64_C(1) << (width - from)) - 1) : value;
}

/* The constant integer with the bits of a constant floating-point number. */
static LLVMValueRef float_bits(const au_dec *d, LLVMValueRef v) {
    unsigned bits = (unsigned)LLVMSizeOfTypeInBits(d->ir.layout, LLVMTypeOf(v));
    return LLVMConstBitCast(v, LLVMIntTypeInContext(d->ir.ctx, bits));
}

/* Addresses --------------------------------------------------------------- */

uint64_t au_dec_step(const au_dec *d, LLVMTypeRef type, uint64_t index, LLVMTypeRef *element) {
    if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
        *element = LLVMStructGetTypeAtIndex(type, (unsigned)index);
        return LLVMOffsetOfElement(d->ir.layout, type, (unsigned)index);
    }
    *element = LLVMGetElementType(type);
    return index * LLVMABISizeOfType(d->ir.layout, *element);
}

/* One slot of a constant that is an address or made of one. */
static struct au_code_const address_of(au_dec *d, LLVMValueRef v) {
    static const struct au_code_const no = {.kind = AU_CONST_UNKNOWN};
    struct au_code_const c = no;
    switch (LLVMGetValueKind(v)) {
    case LLVMConstantIntValueKind:
        return (struct au_code_const){.value = au_dec_int_word(v, 0), .kind = AU_CONST_NUMBER};
    case LLVMConstantPointerNullValueKind:
        return (struct au_code_const){.kind = AU_CONST_NUMBER};
    case LLVMGlobalVariableValueKind: {
        uint64_t *at = au_map_find(&d->global_at, (uint64_t)(uintptr_t)v);
        if (!at)
            return no;
        return (struct au_code_const){.index = (uint32_t)*at, .kind = AU_CONST_GLOBAL};
    }
    case LLVMFunctionValueKind:
    case LLVMGlobalIFuncValueKind:
        return (struct au_code_const){.index = au_dec_name(d, v), .kind = AU_CONST_FUNCTION};
    case LLVMGlobalAliasValueKind:
        return address_of(d, LLVMAliasGetAliasee(v));
    case LLVMConstantExprValueKind:
        break;
    default:
        return no;
    }
    switch (LLVMGetConstOpcode(v)) {
    case LLVMGetElementPtr: {
        c = address_of(d, LLVMGetOperand(v, 0));
        LLVMTypeRef type = LLVMGetGEPSourceElementType(v);
        for (int k = 1, n = LLVMGetNumOperands(v); k < n; k++) {
            LLVMValueRef index = LLVMGetOperand(v, (unsigned)k);
            if (!LLVMIsAConstantInt(index))
                return no;
            uint64_t i = (uint64_t)LLVMConstIntGetSExtValue(index);
            c.value +=
                k == 1 ? i * LLVMABISizeOfType(d->ir.layout, type) : au_dec_step(d, type, i, &type);
        }
        return c;
    }
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMBitCast:
        if (LLVMSizeOfTypeInBits(d->ir.layout, LLVMTypeOf(v)) != 64 ||
            LLVMSizeOfTypeInBits(d->ir.layout, LLVMTypeOf(LLVMGetOperand(v, 0))) != 64)
            return no;
        return address_of(d, LLVMGetOperand(v, 0));
    case LLVMAdd:
    case LLVMSub: {
        bool add = LLVMGetConstOpcode(v) == LLVMAdd;
        struct au_code_const more = address_of(d, LLVMGetOperand(v, 1));
        c = address_of(d, LLVMGetOperand(v, 0));
        if (LLVMSizeOfTypeInBits(d->ir.layout, LLVMTypeOf(v)) != 64)
            return no;
        if (more.kind != AU_CONST_NUMBER && add) {
            struct au_code_const t = c;
            c = more;
            more = t;
        }
        if (more.kind != AU_CONST_NUMBER)
            return no;
        c.value += add ? more.value : -more.value;
        return c;
    }
    default:
        return no;
    }
}

/* Bytes ------------------------------------------------------------------- */

typedef AU_VEC(struct au_code_reloc) relocs;

static void put_bits(uint8_t *at, uint64_t from, uint64_t value, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        if (value >> i & 1)
            at[(from + i) / 8] |= (uint8_t)(1u << ((from + i) % 8));
}

static void lay(au_dec *d, LLVMValueRef v, uint8_t *bytes, uint64_t at, relocs *r);

static void lay_elements(au_dec *d, LLVMValueRef v, uint8_t *bytes, uint64_t at, relocs *r) {
    LLVMTypeRef type = LLVMTypeOf(v), element;
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    uint64_t n = kind == LLVMStructTypeKind  ? LLVMCountStructElementTypes(type)
                 : kind == LLVMArrayTypeKind ? LLVMGetArrayLength2(type)
                                             : LLVMGetVectorSize(type);
    if (kind == LLVMVectorTypeKind) {
        uint64_t bits = LLVMSizeOfTypeInBits(d->ir.layout, LLVMGetElementType(type));
        for (uint64_t i = 0; i < n; i++) {
            LLVMValueRef e = LLVMGetAggregateElement(v, (unsigned)i);
            if (bits % 8 == 0)
                lay(d, e, bytes, at + i * bits / 8, r);
            else if (LLVMIsAConstantInt(e))
                for (unsigned k = 0; k * 64 < bits; k++)
                    put_bits(bytes + at, i * bits + k * 64, au_dec_int_word(e, k),
                             (unsigned)(bits - k * 64 < 64 ? bits - k * 64 : 64));
        }
        return;
    }
    for (uint64_t i = 0; i < n; i++) {
        uint64_t offset = au_dec_step(d, type, i, &element);
        lay(d, LLVMGetAggregateElement(v, (unsigned)i), bytes, at + offset, r);
    }
}

/* Puts the value of v at bytes[at …), which are zero; addresses become relocations. */
static void lay(au_dec *d, LLVMValueRef v, uint8_t *bytes, uint64_t at, relocs *r) {
    if (!v || LLVMIsNull(v) || LLVMIsUndef(v) || LLVMIsPoison(v))
        return;
    LLVMTypeRef type = LLVMTypeOf(v);
    uint64_t size = LLVMStoreSizeOfType(d->ir.layout, type);
    switch (LLVMGetValueKind(v)) {
    case LLVMConstantFPValueKind:
        v = float_bits(d, v);
        if (!LLVMIsAConstantInt(v))
            return;
        /* fall through */
    case LLVMConstantIntValueKind:
        for (uint64_t k = 0; k < size; k += 8) {
            uint64_t word = au_dec_int_word(v, (unsigned)(k / 8));
            memcpy(bytes + at + k, &word, size - k < 8 ? size - k : 8);
        }
        return;
    case LLVMConstantDataArrayValueKind: {
        size_t n;
        if (LLVMIsConstantString(v)) {
            const char *s = LLVMGetAsString(v, &n);
            memcpy(bytes + at, s, n < size ? n : size);
            return;
        }
        lay_elements(d, v, bytes, at, r);
        return;
    }
    case LLVMConstantArrayValueKind:
    case LLVMConstantStructValueKind:
    case LLVMConstantVectorValueKind:
    case LLVMConstantDataVectorValueKind:
        lay_elements(d, v, bytes, at, r);
        return;
    default: {
        struct au_code_const c = {.kind = AU_CONST_UNKNOWN};
        if (size == 8)
            c = address_of(d, v);
        struct au_code_reloc one = {.offset = at, .size = (uint8_t)(size < 8 ? size : 8)};
        if (c.kind == AU_CONST_NUMBER) {
            memcpy(bytes + at, &c.value, 8);
            return;
        }
        for (uint64_t k = 0; k < size; k += 8) {
            one.offset = at + k;
            one.constant = c.kind == AU_CONST_UNKNOWN ? au_dec_unknown(d, 1) : push(d, c);
            au_vec_push(r, one);
        }
    }
    }
}

/* A wide constant as it lies in memory, slot by slot. */
static uint32_t wide_constant(au_dec *d, LLVMValueRef v, const au_shape *s) {
    uint8_t *bytes = au_alloc_array((size_t)s->slots * 8, 1);
    relocs r = {0};
    lay(d, v, bytes, 0, &r);
    uint32_t first = (uint32_t)d->pool.n;
    for (uint32_t i = 0; i < s->slots; i++) {
        struct au_code_const c = {.kind = AU_CONST_NUMBER};
        memcpy(&c.value, bytes + (size_t)i * 8, 8);
        push(d, c);
    }
    for (size_t k = 0; k < r.n; k++) {
        struct au_code_const c = d->pool.at[r.at[k].constant];
        uint32_t i = first + (uint32_t)(r.at[k].offset / 8);
        if (r.at[k].offset % 8 == 0 && r.at[k].size == 8) {
            d->pool.at[i] = c;
            continue;
        }
        d->pool.at[i].kind = AU_CONST_UNKNOWN;
        if (r.at[k].offset % 8 + r.at[k].size > 8)
            d->pool.at[i + 1].kind = AU_CONST_UNKNOWN;
    }
    au_vec_release(&r);
    free(bytes);
    return first;
}

uint32_t au_dec_constant(au_dec *d, LLVMValueRef v) {
    LLVMTypeRef type = LLVMTypeOf(v);
    if (!LLVMIsConstant(v))
        return au_dec_unknown(d, 1); /* metadata, labels, inline assembler */
    if (LLVMIsAConstantInt(v) && LLVMGetIntTypeWidth(type) <= 64)
        return au_dec_number(d, LLVMConstIntGetZExtValue(v));
    uint64_t *known = au_map_find(&d->constant, (uint64_t)(uintptr_t)v);
    if (known)
        return (uint32_t)*known;
    au_shape s = au_dec_shape(d, type);
    uint32_t at;
    if (LLVMIsUndef(v) || LLVMIsPoison(v)) {
        struct au_code_const c = {.kind = AU_CONST_UNKNOWN, .value = AU_CONST_UNSET};
        at = push(d, c);
        for (uint32_t i = 1; i < s.slots; i++)
            push(d, c);
    } else if (!s.sized) {
        at = au_dec_unknown(d, s.slots);
    } else if (LLVMIsNull(v)) {
        at = au_dec_zero(d, s.slots);
    } else if (!s.width) {
        at = wide_constant(d, v, &s);
    } else if (LLVMIsAConstantFP(v)) {
        LLVMValueRef bits = float_bits(d, v);
        at = LLVMIsAConstantInt(bits) ? au_dec_number(d, LLVMConstIntGetZExtValue(bits))
                                      : au_dec_unknown(d, 1);
    } else {
        struct au_code_const c = {.kind = AU_CONST_UNKNOWN};
        if (s.width == 64)
            c = address_of(d, v);
        at = c.kind == AU_CONST_UNKNOWN  ? au_dec_unknown(d, 1)
             : c.kind == AU_CONST_NUMBER ? au_dec_number(d, c.value)
                                         : push(d, c);
    }
    *au_map_put(&d->constant, (uint64_t)(uintptr_t)v, NULL) = at;
    return at;
}

/* Initial values of variables larger than this are not kept: unknown, as what code without hooks wrote. Reads of
 * them keep the values they saw; nothing is found wrongly. */
#define MOST_DATA (UINT64_C(1) << 28)

/* Globals ----------------------------------------------------------------- */

static void lay_global(au_dec *d, LLVMValueRef g, struct au_code_global *row) {
    LLVMValueRef init = LLVMGetInitializer(g);
    row->zero = LLVMIsNull(init) || LLVMIsUndef(init) || LLVMIsPoison(init) || row->size == 0;
    if (row->zero)
        return;
    row->data = d->bytes.n;
    uint8_t *bytes = au_alloc_array(row->size, 1);
    relocs r = {0};
    lay(d, init, bytes, 0, &r);
    au_vec_append(&d->bytes, bytes, row->size);
    free(bytes);
    row->reloc = (uint32_t)d->reloc.n;
    row->n_relocs = (uint32_t)r.n;
    au_vec_append(&d->reloc, r.at, r.n);
    au_vec_release(&r);
}

void au_dec_globals(au_dec *d) {
    uint32_t table = 0;
    /* All get their places first: initial values name others. */
    for (LLVMValueRef g = LLVMGetFirstGlobal(d->ir.module); g; g = LLVMGetNextGlobal(g)) {
        struct au_code_global row = {.name = au_dec_name(d, g),
                                     .table = au_tables_lists(&d->ir, g) ? table++ : AU_NONE,
                                     .constant = LLVMIsGlobalConstant(g),
                                     .tls = LLVMIsThreadLocal(g),
                                     .internal = LLVMGetLinkage(g) == LLVMInternalLinkage ||
                                                 LLVMGetLinkage(g) == LLVMPrivateLinkage,
                                     .is_private =
                                         au_escape_class(&d->plan.escape, g) != AU_MEM_SHARED};
        LLVMTypeRef type = LLVMGlobalGetValueType(g);
        if (LLVMTypeIsSized(type))
            row.size = LLVMABISizeOfType(d->ir.layout, type);
        *au_map_put(&d->global_at, (uint64_t)(uintptr_t)g, NULL) = d->global.n;
        au_vec_push(&d->global, row);
    }
    size_t i = 0;
    for (LLVMValueRef g = LLVMGetFirstGlobal(d->ir.module); g; g = LLVMGetNextGlobal(g), i++) {
        size_t len;
        const char *name = LLVMGetValueName2(g, &len);
        /* llvm.used and its kin are for the compiler; who runs before main is of use. */
        if (LLVMIsDeclaration(g) || !LLVMGetInitializer(g) ||
            (strncmp(name, "llvm.", 5) == 0 && strcmp(name, "llvm.global_ctors") != 0 &&
             strcmp(name, "llvm.global_dtors") != 0))
            continue;
        struct au_code_global row = d->global.at[i];
        if (row.size > MOST_DATA && !LLVMIsNull(LLVMGetInitializer(g)))
            continue;
        row.defined = true;
        lay_global(d, g, &row);
        d->global.at[i] = row;
    }
}
