/* llvm/asm_insn.c: what one instruction of x86-64 does. Flags are values, made by whoever sets them. */
#include "llvm/asm_priv.h"

#include <string.h>

static LLVMTypeRef int_type(const au_asm_machine *m, unsigned bytes) {
    return LLVMIntTypeInContext(m->ir->ctx, bytes * 8);
}

static LLVMValueRef constant(const au_asm_machine *m, unsigned bytes, int64_t v) {
    return LLVMConstInt(int_type(m, bytes), (uint64_t)v, true);
}

/* Registers and memory ------------------------------------------------------- */

static au_asm_place *place_of(au_asm_machine *m, const au_asm_arg *a) {
    if (a->kind == AU_ASM_REGISTER)
        return a->number == AU_ASM_RSP ? NULL : &m->reg[a->number];
    if (a->kind != AU_ASM_OPERAND || a->number >= m->n || a->value || m->op[a->number].flag[0])
        return NULL;
    return m->op[a->number].at;
}

static bool is_memory(const au_asm_machine *m, const au_asm_arg *a) {
    return a->kind == AU_ASM_MEMORY ||
           (a->kind == AU_ASM_OPERAND && a->number < m->n && m->op[a->number].memory);
}

static LLVMValueRef cut(au_asm_machine *m, LLVMValueRef v, unsigned bytes) {
    return bytes == 8 ? v : LLVMBuildTrunc(m->b, v, int_type(m, bytes), "");
}

/* What a register or constant holds; NULL: nothing that is defined. */
static LLVMValueRef get(au_asm_machine *m, const au_asm_arg *a, unsigned bytes) {
    if (a->kind == AU_ASM_NUMBER)
        return constant(m, bytes, a->value);
    if (a->kind == AU_ASM_OPERAND && a->number < m->n && m->op[a->number].constant &&
        LLVMIsAConstantInt(m->op[a->number].value))
        return constant(m, bytes, LLVMConstIntGetSExtValue(m->op[a->number].value));
    au_asm_place *p = place_of(m, a);
    return p && p->v && p->bytes >= bytes ? cut(m, p->v, bytes) : NULL;
}

static bool put_place(au_asm_machine *m, au_asm_place *p, LLVMValueRef v, unsigned bytes) {
    if (!p)
        return false;
    LLVMValueRef wide = bytes == 8 ? v : LLVMBuildZExt(m->b, v, m->i64, "");
    if (bytes >= 4 || !p->v) {
        p->v = wide;
        p->bytes = bytes >= 4 ? 8 : bytes;
        return true;
    }
    LLVMValueRef rest = LLVMConstInt(m->i64, bytes == 1 ? ~0xffull : ~0xffffull, false);
    p->v = LLVMBuildOr(m->b, LLVMBuildAnd(m->b, p->v, rest, ""), wide, "");
    if (p->bytes < bytes)
        p->bytes = bytes;
    return true;
}

static bool put(au_asm_machine *m, const au_asm_arg *a, LLVMValueRef v, unsigned bytes) {
    if (a->kind == AU_ASM_OPERAND && a->number < m->n && m->op[a->number].constant)
        return false;
    return put_place(m, place_of(m, a), v, bytes);
}

/* The address of memory; NULL: of the stack, or not defined. */
static LLVMValueRef address(au_asm_machine *m, const au_asm_arg *a) {
    LLVMTypeRef ptr = LLVMPointerTypeInContext(m->ir->ctx, 0);
    LLVMValueRef at;
    if (a->kind == AU_ASM_OPERAND) {
        at = m->op[a->number].pointer;
    } else {
        if (a->part[0].kind == AU_ASM_NONE)
            return NULL;
        au_asm_arg base = {.kind = a->part[0].kind, .number = a->part[0].number};
        if (a->part[0].scale != 1)
            return NULL;
        LLVMValueRef v = get(m, &base, 8);
        if (!v)
            return NULL;
        /* A pointer stays one: the escape analysis follows it. */
        at = LLVMIsAPtrToIntInst(v) ? LLVMGetOperand(v, 0) : LLVMBuildIntToPtr(m->b, v, ptr, "");
        if (a->part[1].kind != AU_ASM_NONE) {
            au_asm_arg index = {.kind = a->part[1].kind, .number = a->part[1].number};
            LLVMValueRef i = get(m, &index, 8);
            if (!i)
                return NULL;
            i = LLVMBuildMul(m->b, i, LLVMConstInt(m->i64, a->part[1].scale, false), "");
            at = LLVMBuildGEP2(m->b, m->i8, at, &i, 1, "");
        }
    }
    if (a->value) {
        LLVMValueRef by = LLVMConstInt(m->i64, (uint64_t)a->value, true);
        at = LLVMBuildGEP2(m->b, m->i8, at, &by, 1, "");
    }
    return at;
}

static void set_mark(au_asm_machine *m, LLVMValueRef insn) {
    m->touched = true;
    LLVMSetMetadata(insn, m->mark,
                    LLVMMetadataAsValue(m->ir->ctx, LLVMMDNodeInContext2(m->ir->ctx, NULL, 0)));
}

/* A mov: the machine's loads acquire and its stores release, and the compiler neither divides nor moves them. */
static LLVMValueRef load(au_asm_machine *m, LLVMValueRef at, unsigned bytes, bool locked) {
    LLVMValueRef v = LLVMBuildLoad2(m->b, int_type(m, bytes), at, "");
    LLVMSetAlignment(v, bytes);
    LLVMSetVolatile(v, true);
    m->touched = true;
    if (locked) {
        LLVMSetOrdering(v, LLVMAtomicOrderingAcquire);
        set_mark(m, v);
    }
    return v;
}

static void store(au_asm_machine *m, LLVMValueRef at, LLVMValueRef v, unsigned bytes, bool locked) {
    LLVMValueRef s = LLVMBuildStore(m->b, v, at);
    LLVMSetAlignment(s, bytes);
    LLVMSetVolatile(s, true);
    m->touched = true;
    if (locked) {
        LLVMSetOrdering(s, LLVMAtomicOrderingRelease);
        set_mark(m, s);
    }
}

static LLVMValueRef update(au_asm_machine *m, LLVMAtomicRMWBinOp op, LLVMValueRef at,
                           LLVMValueRef v) {
    LLVMValueRef old =
        LLVMBuildAtomicRMW(m->b, op, at, v, LLVMAtomicOrderingSequentiallyConsistent, false);
    set_mark(m, old);
    return old;
}

/* Flags --------------------------------------------------------------------- */

static LLVMValueRef negative(au_asm_machine *m, LLVMValueRef v) {
    return LLVMBuildICmp(m->b, LLVMIntSLT, v, LLVMConstNull(LLVMTypeOf(v)), "");
}

static void set_flags(au_asm_machine *m, LLVMValueRef result, LLVMValueRef cf, LLVMValueRef of) {
    m->zf = LLVMBuildICmp(m->b, LLVMIntEQ, result, LLVMConstNull(LLVMTypeOf(result)), "");
    m->sf = negative(m, result);
    m->cf = cf;
    m->of = of;
}

static void set_flags_add(au_asm_machine *m, LLVMValueRef a, LLVMValueRef b, LLVMValueRef r) {
    LLVMValueRef of =
        LLVMBuildAnd(m->b, LLVMBuildXor(m->b, a, r, ""), LLVMBuildXor(m->b, b, r, ""), "");
    set_flags(m, r, LLVMBuildICmp(m->b, LLVMIntULT, r, a, ""), negative(m, of));
}

static void set_flags_sub(au_asm_machine *m, LLVMValueRef a, LLVMValueRef b, LLVMValueRef r) {
    LLVMValueRef of =
        LLVMBuildAnd(m->b, LLVMBuildXor(m->b, a, b, ""), LLVMBuildXor(m->b, a, r, ""), "");
    set_flags(m, r, LLVMBuildICmp(m->b, LLVMIntULT, a, b, ""), negative(m, of));
}

static void forget_flags(au_asm_machine *m) {
    m->zf = m->cf = m->sf = m->of = NULL;
}

LLVMValueRef au_asm_condition(au_asm_machine *m, const char *name) {
    static const struct {
        const char *names;
        char what;
        bool not ;
    } by[] = {
        {" e z ", 'z', false},     {" ne nz ", 'z', true},  {" c b nae ", 'c', false},
        {" nc nb ae ", 'c', true}, {" s ", 's', false},     {" ns ", 's', true},
        {" o ", 'o', false},       {" no ", 'o', true},     {" be na ", 'b', false},
        {" a nbe ", 'b', true},    {" l nge ", 'l', false}, {" ge nl ", 'l', true},
        {" le ng ", 'g', false},   {" g nle ", 'g', true},
    };
    char key[8];
    if (strlen(name) > 4 || !*name)
        return NULL;
    key[0] = ' ';
    strcpy(key + 1, name);
    strcat(key, " ");
    for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
        if (!strstr(by[i].names, key))
            continue;
        LLVMValueRef less = m->sf && m->of ? LLVMBuildXor(m->b, m->sf, m->of, "") : NULL, v;
        switch (by[i].what) {
        case 'z':
            v = m->zf;
            break;
        case 'c':
            v = m->cf;
            break;
        case 's':
            v = m->sf;
            break;
        case 'o':
            v = m->of;
            break;
        case 'b':
            v = m->cf && m->zf ? LLVMBuildOr(m->b, m->cf, m->zf, "") : NULL;
            break;
        case 'l':
            v = less;
            break;
        default:
            v = less && m->zf ? LLVMBuildOr(m->b, less, m->zf, "") : NULL;
            break;
        }
        return v && by[i].not ? LLVMBuildNot(m->b, v, "") : v;
    }
    return NULL;
}

/* Instructions ---------------------------------------------------------------- */

/* Bytes that an instruction works on; 0: its text does not say. */
static unsigned size_of(const au_asm_machine *m, const au_asm_insn *i, char suffix) {
    unsigned size = suffix == 'b'   ? 1
                    : suffix == 'w' ? 2
                    : suffix == 'l' ? 4
                    : suffix == 'q' ? 8
                                    : 0;
    for (unsigned pass = 0; pass < 2 && !size; pass++)
        for (unsigned k = i->n; k-- > 0 && !size;) {
            const au_asm_arg *a = &i->arg[k];
            bool memory = is_memory(m, a);
            if (a->size)
                size = a->size;
            else if (a->kind == AU_ASM_OPERAND && a->number < m->n && memory == (pass == 1) &&
                     !m->op[a->number].constant)
                size = m->op[a->number].size;
        }
    return size <= 8 ? size : 0;
}

typedef enum { ADD, SUB, AND, OR, XOR, INC, DEC, NOT, NEG } arithmetic;

static LLVMValueRef compute(au_asm_machine *m, arithmetic op, LLVMValueRef a, LLVMValueRef b) {
    switch (op) {
    case ADD:
    case INC:
        return LLVMBuildAdd(m->b, a, b, "");
    case SUB:
    case DEC:
        return LLVMBuildSub(m->b, a, b, "");
    case NEG:
        return LLVMBuildSub(m->b, b, a, "");
    case AND:
        return LLVMBuildAnd(m->b, a, b, "");
    case OR:
        return LLVMBuildOr(m->b, a, b, "");
    default:
        return LLVMBuildXor(m->b, a, b, "");
    }
}

static void set_flags_of(au_asm_machine *m, arithmetic op, LLVMValueRef a, LLVMValueRef b,
                         LLVMValueRef r) {
    LLVMValueRef carry = m->cf, no = LLVMConstNull(m->i1);
    switch (op) {
    case ADD:
    case INC:
        set_flags_add(m, a, b, r);
        break;
    case SUB:
    case DEC:
        set_flags_sub(m, a, b, r);
        break;
    case NEG:
        set_flags_sub(m, b, a, r);
        break;
    case NOT:
        break; /* sets none */
    default:
        set_flags(m, r, no, no);
        break;
    }
    if (op == INC || op == DEC)
        m->cf = carry;
}

/* add, sub, and, or, xor, inc, dec, not, neg: to memory at once if locked, otherwise in two steps. */
static bool calculate(au_asm_machine *m, const au_asm_insn *i, arithmetic op, unsigned size) {
    static const LLVMAtomicRMWBinOp by[] = {
        [ADD] = LLVMAtomicRMWBinOpAdd, [INC] = LLVMAtomicRMWBinOpAdd, [SUB] = LLVMAtomicRMWBinOpSub,
        [DEC] = LLVMAtomicRMWBinOpSub, [AND] = LLVMAtomicRMWBinOpAnd, [OR] = LLVMAtomicRMWBinOpOr,
        [XOR] = LLVMAtomicRMWBinOpXor, [NOT] = LLVMAtomicRMWBinOpXor,
    };
    bool one = op == INC || op == DEC || op == NOT || op == NEG;
    if (i->n != (one ? 1u : 2u))
        return false;
    const au_asm_arg *to = &i->arg[0];
    bool memory = is_memory(m, to);
    au_asm_place *p = memory ? NULL : place_of(m, to);
    if (p && (op == XOR || op == SUB) && p == place_of(m, &i->arg[1]) && size && !i->lock) {
        LLVMValueRef no = LLVMConstNull(m->i1);
        set_flags(m, constant(m, size, 0), no, no);
        return put(m, to, constant(m, size, 0), size);
    }
    if (i->lock && memory && to->kind == AU_ASM_MEMORY && to->part[0].kind == AU_ASM_REGISTER &&
        to->part[0].number == AU_ASM_RSP && (op == ADD || op == OR) &&
        i->arg[1].kind == AU_ASM_NUMBER && i->arg[1].value == 0) {
        /* Of the stack's end, where nothing is: a full barrier. */
        LLVMBuildFence(m->b, LLVMAtomicOrderingSequentiallyConsistent, false, "");
        m->touched = true;
        forget_flags(m);
        return true;
    }
    if (!size || (i->lock && !memory) || (!one && is_memory(m, &i->arg[1]) && memory))
        return false;
    LLVMValueRef b = op == NOT                  ? constant(m, size, -1)
                     : op == NEG                ? constant(m, size, 0)
                     : one                      ? constant(m, size, 1)
                     : is_memory(m, &i->arg[1]) ? NULL
                                                : get(m, &i->arg[1], size);
    LLVMValueRef at = NULL, a;
    if (!b && !one && is_memory(m, &i->arg[1])) {
        LLVMValueRef from = address(m, &i->arg[1]);
        b = from ? load(m, from, size, true) : NULL;
    }
    if (!b || (memory && !(at = address(m, to))))
        return false;
    if (memory && i->lock) {
        if (op == NEG)
            return false;
        a = update(m, by[op], at, b);
    } else {
        a = memory ? load(m, at, size, false) : get(m, to, size);
        if (!a)
            return false;
    }
    LLVMValueRef r = compute(m, op, a, b);
    set_flags_of(m, op, a, b, r);
    if (!memory)
        return put(m, to, r, size);
    if (!i->lock)
        store(m, at, r, size, false);
    return true;
}

/* xchg and xadd. One side is a register. */
static bool exchange(au_asm_machine *m, const au_asm_insn *i, bool adds, unsigned size) {
    if (i->n != 2 || !size)
        return false;
    bool turned = !is_memory(m, &i->arg[0]); /* xchg has no order */
    const au_asm_arg *memory = &i->arg[turned], *reg = &i->arg[!turned];
    if (!is_memory(m, memory) || (adds && (turned || !i->lock)))
        return false;
    LLVMValueRef v = get(m, reg, size), at = address(m, memory);
    if (!v || !at)
        return false;
    LLVMValueRef old = update(m, adds ? LLVMAtomicRMWBinOpAdd : LLVMAtomicRMWBinOpXchg, at, v);
    if (adds)
        set_flags_add(m, old, v, LLVMBuildAdd(m->b, old, v, ""));
    return put(m, reg, old, size);
}

static LLVMValueRef swap(au_asm_machine *m, LLVMValueRef at, LLVMValueRef expected,
                         LLVMValueRef desired, unsigned bytes, LLVMValueRef *old) {
    LLVMValueRef x = LLVMBuildAtomicCmpXchg(m->b, at, expected, desired,
                                            LLVMAtomicOrderingSequentiallyConsistent,
                                            LLVMAtomicOrderingSequentiallyConsistent, false);
    LLVMSetAlignment(x, bytes);
    set_mark(m, x);
    *old = LLVMBuildExtractValue(m->b, x, 0, "");
    return LLVMBuildExtractValue(m->b, x, 1, "");
}

static bool compare_exchange(au_asm_machine *m, const au_asm_insn *i, unsigned size) {
    if (i->n != 2 || !size || !i->lock || !is_memory(m, &i->arg[0]))
        return false;
    au_asm_arg ax = {.kind = AU_ASM_REGISTER, .number = 0};
    LLVMValueRef v = get(m, &i->arg[1], size), expected = get(m, &ax, size),
                 at = address(m, &i->arg[0]), old;
    if (!v || !expected || !at)
        return false;
    LLVMValueRef done = swap(m, at, expected, v, size, &old);
    set_flags_sub(m, expected, old, LLVMBuildSub(m->b, expected, old, ""));
    m->zf = done;
    return put(m, &ax, old, size);
}

/* cmpxchg8b, cmpxchg16b: edx:eax against memory, ecx:ebx into it. */
static bool compare_exchange_pair(au_asm_machine *m, const au_asm_insn *i, unsigned half) {
    if (i->n != 1 || !i->lock || !is_memory(m, &i->arg[0]))
        return false;
    LLVMTypeRef type = int_type(m, 2 * half);
    LLVMValueRef part[4], shift = LLVMConstInt(type, half * 8, false);
    static const unsigned reg[4] = {0, 2, 3, 1}; /* ax dx bx cx */
    for (unsigned k = 0; k < 4; k++) {
        au_asm_arg a = {.kind = AU_ASM_REGISTER, .number = reg[k]};
        part[k] = get(m, &a, half);
        if (!part[k])
            return false;
        part[k] = LLVMBuildZExt(m->b, part[k], type, "");
    }
    LLVMValueRef at = address(m, &i->arg[0]), old;
    if (!at)
        return false;
    LLVMValueRef expected = LLVMBuildOr(m->b, part[0], LLVMBuildShl(m->b, part[1], shift, ""), "");
    LLVMValueRef desired = LLVMBuildOr(m->b, part[2], LLVMBuildShl(m->b, part[3], shift, ""), "");
    LLVMValueRef done = swap(m, at, expected, desired, 2 * half, &old);
    forget_flags(m);
    m->zf = done;
    /* Unchanged where it succeeds, which is the same. */
    return put_place(m, &m->reg[0], LLVMBuildTrunc(m->b, old, int_type(m, half), ""), half) &&
           put_place(
               m, &m->reg[2],
               LLVMBuildTrunc(m->b, LLVMBuildLShr(m->b, old, shift, ""), int_type(m, half), ""),
               half);
}

/* bts, btr, btc: a bit of memory, whose number may go beyond the word if it is in a register. */
static bool change_bit(au_asm_machine *m, const au_asm_insn *i, char what, unsigned size) {
    if (i->n != 2 || size < 2 || !i->lock || !is_memory(m, &i->arg[0]))
        return false;
    LLVMValueRef at = address(m, &i->arg[0]), n = get(m, &i->arg[1], size);
    if (!at || !n)
        return false;
    LLVMTypeRef type = int_type(m, size);
    if (!LLVMIsAConstantInt(n)) {
        LLVMValueRef words = LLVMBuildAShr(m->b, n,
                                           LLVMConstInt(type,
                                                        size == 8   ? 6
                                                        : size == 4 ? 5
                                                                    : 4,
                                                        false),
                                           "");
        words = LLVMBuildSExtOrBitCast(m->b, words, m->i64, "");
        at = LLVMBuildGEP2(m->b, type, at, &words, 1, "");
    }
    n = LLVMBuildAnd(m->b, n, LLVMConstInt(type, size * 8 - 1, false), "");
    LLVMValueRef bit = LLVMBuildShl(m->b, LLVMConstInt(type, 1, false), n, "");
    LLVMValueRef old = what == 's' ? update(m, LLVMAtomicRMWBinOpOr, at, bit)
                       : what == 'c'
                           ? update(m, LLVMAtomicRMWBinOpXor, at, bit)
                           : update(m, LLVMAtomicRMWBinOpAnd, at, LLVMBuildNot(m->b, bit, ""));
    forget_flags(m);
    m->cf =
        LLVMBuildICmp(m->b, LLVMIntNE, LLVMBuildAnd(m->b, old, bit, ""), LLVMConstNull(type), "");
    return true;
}

static bool move(au_asm_machine *m, const au_asm_insn *i, unsigned size) {
    if (i->n != 2 || i->lock || !size)
        return false;
    bool to = is_memory(m, &i->arg[0]), from = is_memory(m, &i->arg[1]);
    LLVMValueRef at = to ? address(m, &i->arg[0]) : from ? address(m, &i->arg[1]) : NULL;
    if ((to && from) || ((to || from) && !at))
        return false;
    LLVMValueRef v = from ? load(m, at, size, true) : get(m, &i->arg[1], size);
    if (!v)
        return false;
    if (to)
        store(m, at, v, size, true);
    return to || put(m, &i->arg[0], v, size);
}

static bool compare(au_asm_machine *m, const au_asm_insn *i, bool tests, unsigned size) {
    if (i->n != 2 || i->lock || !size)
        return false;
    LLVMValueRef v[2];
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef at = is_memory(m, &i->arg[k]) ? address(m, &i->arg[k]) : NULL;
        v[k] = at                         ? load(m, at, size, true)
               : is_memory(m, &i->arg[k]) ? NULL
                                          : get(m, &i->arg[k], size);
        if (!v[k])
            return false;
    }
    LLVMValueRef no = LLVMConstNull(m->i1);
    if (tests)
        set_flags(m, LLVMBuildAnd(m->b, v[0], v[1], ""), no, no);
    else
        set_flags_sub(m, v[0], v[1], LLVMBuildSub(m->b, v[0], v[1], ""));
    return true;
}

/* sete and the like: a byte. */
static bool set_byte(au_asm_machine *m, const au_asm_insn *i) {
    LLVMValueRef c = au_asm_condition(m, i->name + 3);
    if (!c || i->n != 1 || i->lock)
        return false;
    LLVMValueRef v = LLVMBuildZExt(m->b, c, m->i8, "");
    if (!is_memory(m, &i->arg[0]))
        return put(m, &i->arg[0], v, 1);
    LLVMValueRef at = address(m, &i->arg[0]);
    if (at) /* a result of the statement that lies in memory */
        LLVMBuildStore(m->b, v, at);
    return at;
}

/* sbb of a register from itself: all bits are the carry. */
static bool spread_carry(au_asm_machine *m, const au_asm_insn *i, unsigned size) {
    au_asm_place *p = i->n == 2 ? place_of(m, &i->arg[0]) : NULL;
    if (!p || p != place_of(m, &i->arg[1]) || !m->cf || !size || i->lock)
        return false;
    return put_place(m, p, LLVMBuildSExt(m->b, m->cf, int_type(m, size), ""), size);
}

static bool fence(au_asm_machine *m, const au_asm_insn *i, LLVMAtomicOrdering order) {
    LLVMBuildFence(m->b, order, false, "");
    m->touched = true;
    return i->n == 0 && !i->lock;
}

typedef enum { I_ARITHMETIC, I_XCHG, I_XADD, I_CMPXCHG, I_BIT, I_MOV, I_CMP, I_TEST, I_SBB } group;

static const struct {
    const char *name;
    group group;
    int which;
} sized[] = {
    {"add", I_ARITHMETIC, ADD}, {"sub", I_ARITHMETIC, SUB}, {"and", I_ARITHMETIC, AND},
    {"or", I_ARITHMETIC, OR},   {"xor", I_ARITHMETIC, XOR}, {"inc", I_ARITHMETIC, INC},
    {"dec", I_ARITHMETIC, DEC}, {"not", I_ARITHMETIC, NOT}, {"neg", I_ARITHMETIC, NEG},
    {"xchg", I_XCHG, 0},        {"xadd", I_XADD, 0},        {"cmpxchg", I_CMPXCHG, 0},
    {"bts", I_BIT, 's'},        {"btr", I_BIT, 'r'},        {"btc", I_BIT, 'c'},
    {"mov", I_MOV, 0},          {"cmp", I_CMP, 0},          {"test", I_TEST, 0},
    {"sbb", I_SBB, 0},
};

static bool execute_sized(au_asm_machine *m, const au_asm_insn *i) {
    size_t n = strlen(i->name);
    for (size_t k = 0; k < sizeof sized / sizeof *sized; k++) {
        size_t len = strlen(sized[k].name);
        if (strncmp(i->name, sized[k].name, len) != 0 || n > len + 1 ||
            (n == len + 1 && !strchr("bwlq", i->name[len])))
            continue;
        unsigned size = size_of(m, i, i->name[len]);
        switch (sized[k].group) {
        case I_ARITHMETIC:
            return calculate(m, i, (arithmetic)sized[k].which, size);
        case I_XCHG:
            return exchange(m, i, false, size);
        case I_XADD:
            return exchange(m, i, true, size);
        case I_CMPXCHG:
            return compare_exchange(m, i, size);
        case I_BIT:
            return change_bit(m, i, (char)sized[k].which, size);
        case I_MOV:
            return move(m, i, size);
        case I_CMP:
            return compare(m, i, false, size);
        case I_TEST:
            return compare(m, i, true, size);
        case I_SBB:
            return spread_carry(m, i, size);
        }
    }
    return false;
}

bool au_asm_execute(au_asm_machine *m, const au_asm_insn *i) {
    const char *s = i->name;
    if (strcmp(s, "pause") == 0 || strcmp(s, "nop") == 0)
        return i->n == 0 && !i->lock;
    if (strcmp(s, "mfence") == 0)
        return fence(m, i, LLVMAtomicOrderingSequentiallyConsistent);
    if (strcmp(s, "lfence") == 0)
        return fence(m, i, LLVMAtomicOrderingAcquire);
    if (strcmp(s, "sfence") == 0)
        return fence(m, i, LLVMAtomicOrderingRelease);
    if (strcmp(s, "cmpxchg8b") == 0)
        return compare_exchange_pair(m, i, 4);
    if (strcmp(s, "cmpxchg16b") == 0)
        return compare_exchange_pair(m, i, 8);
    if (strncmp(s, "set", 3) == 0)
        return set_byte(m, i);
    return execute_sized(m, i);
}
