/* llvm/decode_insn.c: arithmetic, addresses and memory. */
#include "llvm/decode_priv.h"

static LLVMValueRef op(const au_dec *d, unsigned k) {
    return LLVMGetOperand(d->at, k);
}

/* Arithmetic -------------------------------------------------------------- */

static void binary(au_dec *d, au_code_op code) {
    if (au_dec_wide_type(d, LLVMTypeOf(d->at))) {
        au_dec_wide_int(d, code, 2);
        return;
    }
    au_operand a = au_dec_operand(d, op(d, 0)), b = au_dec_operand(d, op(d, 1));
    au_code_insn *i = au_dec_result(d, code);
    i->a = a;
    i->b = b;
}

static void icmp(au_dec *d) {
    static const struct {
        uint8_t code;
        bool turned;
    } by[] = {
        [LLVMIntEQ] = {AU_C_EQ, false},   [LLVMIntNE] = {AU_C_NE, false},
        [LLVMIntUGT] = {AU_C_ULT, true},  [LLVMIntUGE] = {AU_C_ULE, true},
        [LLVMIntULT] = {AU_C_ULT, false}, [LLVMIntULE] = {AU_C_ULE, false},
        [LLVMIntSGT] = {AU_C_SLT, true},  [LLVMIntSGE] = {AU_C_SLE, true},
        [LLVMIntSLT] = {AU_C_SLT, false}, [LLVMIntSLE] = {AU_C_SLE, false},
    };
    LLVMIntPredicate p = LLVMGetICmpPredicate(d->at);
    LLVMTypeRef type = LLVMTypeOf(op(d, 0));
    if (au_dec_wide_type(d, type)) {
        au_dec_wide_icmp(d, by[p].code, by[p].turned);
        return;
    }
    au_operand a = au_dec_operand(d, op(d, by[p].turned));
    au_operand b = au_dec_operand(d, op(d, !by[p].turned));
    au_code_insn *i = au_dec_result(d, by[p].code);
    i->a = a;
    i->b = b;
    i->width = au_dec_shape(d, type).width;
}

/* Copies a value, whatever its type. */
static void move(au_dec *d, LLVMValueRef from) {
    au_shape s = au_dec_shape(d, LLVMTypeOf(d->at));
    au_operand a = au_dec_operand(d, from);
    au_code_insn *i = au_dec_result(d, AU_C_MOVE);
    i->a = a;
    i->aux = s.slots;
}

/* trunc, zext, sext, and the two between pointers and integers. */
static void cast(au_dec *d, au_code_op code) {
    LLVMTypeRef from = LLVMTypeOf(op(d, 0)), to = LLVMTypeOf(d->at);
    if (au_dec_wide_type(d, from) || au_dec_wide_type(d, to)) {
        au_dec_wide_cast(d, code);
        return;
    }
    au_operand a = au_dec_operand(d, op(d, 0));
    au_code_insn *i = au_dec_result(d, code);
    i->a = a;
    i->from = au_dec_shape(d, from).width;
}

static void pointer_cast(au_dec *d) {
    LLVMTypeRef from = LLVMTypeOf(op(d, 0)), to = LLVMTypeOf(d->at);
    uint64_t before = LLVMSizeOfTypeInBits(d->ir.layout, from);
    uint64_t after = LLVMSizeOfTypeInBits(d->ir.layout, to);
    if (before == after)
        move(d, op(d, 0));
    else
        cast(d, before > after ? AU_C_TRUNC : AU_C_ZEXT);
}

static void choose(au_dec *d) {
    if (LLVMGetTypeKind(LLVMTypeOf(op(d, 0))) == LLVMVectorTypeKind) {
        au_dec_wide_select(d);
        return;
    }
    au_operand a = au_dec_operand(d, op(d, 0)), b = au_dec_operand(d, op(d, 1)),
               c = au_dec_operand(d, op(d, 2));
    uint32_t slots = au_dec_shape(d, LLVMTypeOf(d->at)).slots;
    au_code_insn *i = au_dec_result(d, AU_C_SELECT);
    i->a = a;
    i->b = b;
    i->c = c;
    i->aux = slots;
}

/* Aggregates -------------------------------------------------------------- */

static bool part(au_dec *d, LLVMTypeRef type, uint64_t *offset, LLVMTypeRef *element) {
    *offset = 0;
    const unsigned *index = LLVMGetIndices(d->at);
    for (unsigned k = 0, n = LLVMGetNumIndices(d->at); k < n; k++)
        *offset += au_dec_step(d, type, index[k], &type);
    *element = type;
    return *offset + au_dec_shape(d, type).bytes < 65536;
}

static void extract_value(au_dec *d) {
    uint64_t offset;
    LLVMTypeRef type;
    if (!part(d, LLVMTypeOf(op(d, 0)), &offset, &type)) {
        au_dec_unmodelled(d, "extractvalue of a large aggregate", 0);
        return;
    }
    au_shape s = au_dec_shape(d, type);
    au_operand a = au_dec_operand(d, op(d, 0));
    au_code_insn *i = au_dec_result(d, AU_C_BYTES_GET);
    i->a = a;
    i->aux = (uint32_t)offset | (s.width ? 0 : (uint32_t)s.bytes << 16);
}

static void insert_value(au_dec *d) {
    uint64_t offset;
    LLVMTypeRef type;
    if (!part(d, LLVMTypeOf(d->at), &offset, &type)) {
        au_dec_unmodelled(d, "insertvalue into a large aggregate", 2);
        return;
    }
    au_shape whole = au_dec_shape(d, LLVMTypeOf(d->at)), s = au_dec_shape(d, type);
    /* Built up from nothing, part by part: unknown parts would hide the known ones beside them. */
    au_operand a = LLVMIsUndef(op(d, 0)) || LLVMIsPoison(op(d, 0))
                       ? ~(au_operand)au_dec_zero(d, whole.slots)
                       : au_dec_operand(d, op(d, 0));
    au_operand b = au_dec_operand(d, op(d, 1));
    au_code_insn *i = au_dec_result(d, AU_C_BYTES_PUT);
    i->a = a;
    i->b = b;
    i->c = (au_operand)whole.slots;
    i->width = s.width;
    i->aux = (uint32_t)offset | (s.width ? 0 : (uint32_t)s.bytes << 16);
}

/* Addresses --------------------------------------------------------------- */

static void add_offset(au_dec *d, au_operand base, uint64_t offset, uint64_t room) {
    au_operand b = ~(au_operand)au_dec_number(d, offset);
    au_code_insn *i = au_dec_result(d, AU_C_ADD);
    i->a = base;
    i->b = b;
    i->aux = room <= INT32_MAX ? (uint32_t)room : 0;
}

/* Of a GEP: how much of the array is left that its result points into. Arrays at the end of a structure may be longer than they
 * say, and one of them may be all that is said of a heap object. */
static uint64_t room_of(au_dec *d) {
    unsigned n = (unsigned)LLVMGetNumOperands(d->at);
    LLVMTypeRef type = LLVMGetGEPSourceElementType(d->at);
    bool inner = false;
    uint64_t room = 0;
    for (unsigned k = 2; k < n; k++) {
        LLVMValueRef index = op(d, k);
        room = 0;
        if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned at = (unsigned)LLVMConstIntGetZExtValue(index);
            inner |= at + 1 < LLVMCountStructElementTypes(type);
            type = LLVMStructGetTypeAtIndex(type, at);
            continue;
        }
        if (LLVMGetTypeKind(type) != LLVMArrayTypeKind)
            return 0;
        uint64_t length = LLVMGetArrayLength2(type);
        type = LLVMGetElementType(type);
        if (LLVMIsAConstantInt(index) && LLVMConstIntGetZExtValue(index) < length)
            room =
                (length - LLVMConstIntGetZExtValue(index)) * LLVMABISizeOfType(d->ir.layout, type);
    }
    if (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
        room = LLVMABISizeOfType(d->ir.layout, type);
    return inner && room > 1 ? room : 0;
}

/* Variable indexes first, each on the result so far, then all that is constant at once. */
static void gep(au_dec *d) {
    unsigned n = (unsigned)LLVMGetNumOperands(d->at);
    bool plain = LLVMGetTypeKind(LLVMTypeOf(d->at)) == LLVMPointerTypeKind;
    for (unsigned k = 1; k < n && plain; k++)
        plain = au_dec_shape(d, LLVMTypeOf(op(d, k))).width != 0;
    if (!plain) {
        au_dec_unmodelled(d, "address computation on vectors", n);
        return;
    }
    LLVMTypeRef type = LLVMGetGEPSourceElementType(d->at);
    au_operand base = au_dec_operand(d, op(d, 0));
    uint64_t offset = 0;
    bool any = false;
    for (unsigned k = 1; k < n; k++) {
        LLVMValueRef index = op(d, k);
        uint64_t scale;
        if (k > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            offset += au_dec_step(d, type, LLVMConstIntGetZExtValue(index), &type);
            continue;
        }
        uint64_t elements = 0;
        if (k > 1) {
            if (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
                elements = LLVMGetArrayLength2(type);
            type = LLVMGetElementType(type);
        }
        scale = LLVMABISizeOfType(d->ir.layout, type);
        if (LLVMIsAConstantInt(index)) {
            offset += (uint64_t)LLVMConstIntGetSExtValue(index) * scale;
            continue;
        }
        au_operand b = au_dec_operand(d, index);
        au_vec_push(&d->immediate, scale);
        au_vec_push(&d->immediate, elements);
        au_code_insn *i = au_dec_result(d, AU_C_SCALE);
        i->a = base;
        i->b = b;
        i->from = au_dec_shape(d, LLVMTypeOf(index)).width;
        i->aux = (uint32_t)d->immediate.n - 2;
        base = (au_operand)i->dst;
        any = true;
    }
    if (offset || !any)
        add_offset(d, base, offset, room_of(d));
}

/* Memory ------------------------------------------------------------------ */

void au_dec_alloca(au_dec *d, LLVMValueRef alloca) {
    au_operand count = au_dec_operand(d, LLVMGetOperand(alloca, 0));
    au_vec_push(&d->immediate, LLVMABISizeOfType(d->ir.layout, LLVMGetAllocatedType(alloca)));
    au_code_insn *i = au_dec_add(d, AU_C_ALLOCA);
    i->dst = au_dec_slot(d, alloca);
    i->width = 64;
    i->b = count;
    i->aux = (uint32_t)d->immediate.n - 1;
}

/* What the lack of a hook says. */
static uint8_t private_flags(au_dec *d, LLVMValueRef pointer) {
    switch (au_escape_class(&d->plan.escape, pointer)) {
    case AU_MEM_PRIVATE:
        return AU_CF_PRIVATE;
    case AU_MEM_CONST:
        return AU_CF_CONST;
    default:
        return 0; /* a function that is left out */
    }
}

static uint32_t any_site(const au_dec *d) {
    for (size_t k = 0; k < d->n_hooks; k++)
        switch (d->hook[k].kind) {
        case AU_HOOK_LOAD:
        case AU_HOOK_STORE:
        case AU_HOOK_ATOMIC_LOAD:
        case AU_HOOK_ATOMIC_STORE:
        case AU_HOOK_RMW:
        case AU_HOOK_FENCE:
            return d->hook[k].site[0];
        default:
            break;
        }
    return AU_NONE;
}

/* Weaker than seq_cst. What the compiler makes of a variable that is initialised once is left out: the runtime of
 * C++ orders it (its guard is named so by the ABI). */
static bool is_weak(LLVMValueRef at, LLVMValueRef pointer) {
    size_t n;
    if (!strncmp(LLVMGetValueName2(pointer, &n), "_ZGV", 4))
        return false;
    LLVMAtomicOrdering o =
        LLVMIsAAtomicCmpXchgInst(at) ? LLVMGetCmpXchgSuccessOrdering(at) : LLVMGetOrdering(at);
    return o != LLVMAtomicOrderingSequentiallyConsistent ||
           (LLVMIsAAtomicCmpXchgInst(at) &&
            LLVMGetCmpXchgFailureOrdering(at) != LLVMAtomicOrderingSequentiallyConsistent);
}

/* load, store, atomicrmw and cmpxchg: what they have in common. */
static void touch(au_dec *d, au_code_op code, LLVMValueRef pointer, LLVMTypeRef type,
                  const char *what) {
    au_shape s = au_dec_shape(d, type);
    if (!au_ir_is_plain_pointer(LLVMTypeOf(pointer)) || !s.sized) {
        au_dec_unmodelled(d, what, (unsigned)LLVMGetNumOperands(d->at));
        return;
    }
    if (s.bytes == 0) { /* of nothing: {} */
        if (code == AU_C_LOAD) {
            au_operand zero = ~(au_operand)au_dec_zero(d, s.slots);
            au_code_insn *i = au_dec_result(d, AU_C_MOVE);
            i->a = zero;
            i->aux = s.slots;
        }
        return;
    }
    au_operand a = au_dec_operand(d, pointer), b = 0, c = 0;
    if (code == AU_C_STORE)
        b = au_dec_operand(d, op(d, 0));
    else if (code != AU_C_LOAD)
        b = au_dec_operand(d, op(d, 1));
    if (code == AU_C_CMPXCHG)
        c = au_dec_operand(d, op(d, 2));
    uint8_t flags = 0;
    uint32_t site = any_site(d);
    if (site == AU_NONE)
        flags |= private_flags(d, pointer);
    if (code == AU_C_RMW || code == AU_C_CMPXCHG ||
        LLVMGetOrdering(d->at) != LLVMAtomicOrderingNotAtomic)
        flags |= AU_CF_ATOMIC | (is_weak(d->at, pointer) ? AU_CF_WEAK : 0);
    if (LLVMGetVolatile(d->at))
        flags |= AU_CF_VOLATILE;
    au_code_insn *i = au_dec_add(d, code);
    if (code != AU_C_STORE)
        i->dst = au_dec_slot(d, d->at);
    i->a = a;
    i->b = b;
    i->c = c;
    i->width = s.width;
    i->aux = s.width ? 0 : (uint32_t)s.bytes;
    i->flags = flags;
    i->site = site;
    uint32_t alias = code == AU_C_LOAD || code == AU_C_STORE ? au_dec_alias(d, d->at) : 0;
    au_vec_last(&d->alias_at) = alias;
}

static void rmw(au_dec *d) {
    static const uint8_t by[] = {
        [LLVMAtomicRMWBinOpXchg] = AU_RMW_XCHG, [LLVMAtomicRMWBinOpAdd] = AU_RMW_ADD,
        [LLVMAtomicRMWBinOpSub] = AU_RMW_SUB,   [LLVMAtomicRMWBinOpAnd] = AU_RMW_AND,
        [LLVMAtomicRMWBinOpNand] = AU_RMW_NAND, [LLVMAtomicRMWBinOpOr] = AU_RMW_OR,
        [LLVMAtomicRMWBinOpXor] = AU_RMW_XOR,   [LLVMAtomicRMWBinOpMax] = AU_RMW_MAX,
        [LLVMAtomicRMWBinOpMin] = AU_RMW_MIN,   [LLVMAtomicRMWBinOpUMax] = AU_RMW_UMAX,
        [LLVMAtomicRMWBinOpUMin] = AU_RMW_UMIN,
    };
    LLVMAtomicRMWBinOp kind = LLVMGetAtomicRMWBinOp(d->at);
    touch(d, AU_C_RMW, op(d, 0), LLVMTypeOf(op(d, 1)), "atomic read-modify-write of a segment");
    au_code_insn *i = &au_vec_last(&d->insn);
    if (i->op == AU_C_RMW)
        i->from = (unsigned)kind < sizeof by ? by[kind] : AU_RMW_OTHER;
}

/* ------------------------------------------------------------------------- */

void au_dec_instruction(au_dec *d) {
    switch (LLVMGetInstructionOpcode(d->at)) {
#define BINARY(llvm, ours)                                                                         \
    case LLVM##llvm:                                                                               \
        binary(d, AU_C_##ours);                                                                    \
        return;
        BINARY(Add, ADD)
        BINARY(Sub, SUB)
        BINARY(Mul, MUL)
        BINARY(UDiv, UDIV)
        BINARY(SDiv, SDIV)
        BINARY(URem, UREM)
        BINARY(SRem, SREM)
        BINARY(Shl, SHL)
        BINARY(LShr, LSHR)
        BINARY(AShr, ASHR)
        BINARY(And, AND)
        BINARY(Or, OR)
        BINARY(Xor, XOR)
#undef BINARY
#define FLOAT(llvm, ours, n)                                                                       \
    case LLVM##llvm:                                                                               \
        au_dec_float(d, AU_W_##ours, n);                                                           \
        return;
        FLOAT(FAdd, FADD, 2)
        FLOAT(FSub, FSUB, 2)
        FLOAT(FMul, FMUL, 2)
        FLOAT(FDiv, FDIV, 2)
        FLOAT(FRem, FREM, 2)
        FLOAT(FNeg, FNEG, 1)
        FLOAT(FCmp, FCMP, 2)
        FLOAT(FPTrunc, FPTRUNC, 1)
        FLOAT(FPExt, FPEXT, 1)
        FLOAT(FPToSI, FPTOSI, 1)
        FLOAT(FPToUI, FPTOUI, 1)
        FLOAT(SIToFP, SITOFP, 1)
        FLOAT(UIToFP, UITOFP, 1)
#undef FLOAT
    case LLVMICmp:
        icmp(d);
        return;
    case LLVMTrunc:
        cast(d, AU_C_TRUNC);
        return;
    case LLVMZExt:
        cast(d, AU_C_ZEXT);
        return;
    case LLVMSExt:
        cast(d, AU_C_SEXT);
        return;
    case LLVMPtrToInt:
    case LLVMIntToPtr:
        pointer_cast(d);
        return;
    case LLVMBitCast:
    case LLVMFreeze:
        move(d, op(d, 0));
        return;
    case LLVMSelect:
        choose(d);
        return;
    case LLVMGetElementPtr:
        gep(d);
        return;
    case LLVMExtractValue:
        extract_value(d);
        return;
    case LLVMInsertValue:
        insert_value(d);
        return;
    case LLVMExtractElement:
    case LLVMInsertElement:
    case LLVMShuffleVector:
        au_dec_element(d);
        return;
    case LLVMAlloca:
        if (LLVMGetInstructionParent(d->at) != LLVMGetEntryBasicBlock(d->f->function) ||
            !LLVMIsAConstantInt(op(d, 0)))
            au_dec_alloca(d, d->at);
        return; /* the others stand at the function's beginning */
    case LLVMLoad:
        touch(d, AU_C_LOAD, op(d, 0), LLVMTypeOf(d->at), "load from a segment");
        return;
    case LLVMStore:
        touch(d, AU_C_STORE, op(d, 1), LLVMTypeOf(op(d, 0)), "store to a segment");
        return;
    case LLVMAtomicRMW:
        rmw(d);
        return;
    case LLVMAtomicCmpXchg:
        touch(d, AU_C_CMPXCHG, op(d, 0), LLVMTypeOf(op(d, 1)), "compare and exchange in a segment");
        return;
    case LLVMFence: {
        uint32_t site = any_site(d);
        if (site != AU_NONE)
            au_dec_add(d, AU_C_FENCE)->site = site;
        return;
    }
    case LLVMPHI:
        return; /* on the edges */
    case LLVMCall:
    case LLVMInvoke:
    case LLVMCallBr:
        au_dec_call(d);
        return;
    case LLVMLandingPad: {
        uint32_t slots = au_dec_shape(d, LLVMTypeOf(d->at)).slots;
        au_dec_result(d, AU_C_LANDINGPAD)->aux = slots;
        return;
    }
    case LLVMBr:
        au_dec_br(d);
        return;
    case LLVMSwitch:
        au_dec_switch(d);
        return;
    case LLVMIndirectBr:
        au_dec_indirect(d, au_dec_hook(d, AU_HOOK_SWITCH) != NULL);
        return;
    case LLVMRet: {
        au_operand a = 0;
        uint32_t slots = 0;
        if (LLVMGetNumOperands(d->at) > 0) {
            au_shape s = au_dec_shape(d, LLVMTypeOf(op(d, 0)));
            a = au_dec_operand(d, op(d, 0));
            slots = s.slots;
        }
        au_code_insn *i = au_dec_add(d, AU_C_RET);
        i->a = a;
        i->aux = slots;
        return;
    }
    case LLVMResume:
        au_dec_add(d, AU_C_RESUME);
        return;
    case LLVMUnreachable:
        au_dec_add(d, AU_C_UNREACHABLE);
        return;
    case LLVMVAArg: {
        /* It moves the list on. */
        au_operand list = au_dec_operand(d, op(d, 0));
        au_dec_unmodelled(d, "va_arg", 0);
        au_code_insn *i = au_dec_add(d, AU_C_FORGET);
        i->a = list;
        i->aux = 24;
        return;
    }
    default:
        au_dec_unmodelled(d,
                          LLVMIsATerminatorInst(d->at) ? "end of a block of another system"
                                                       : "instruction of another system",
                          0);
        if (LLVMIsATerminatorInst(d->at))
            au_dec_add(d, AU_C_UNREACHABLE);
    }
}
