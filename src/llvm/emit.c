#include "llvm/emit.h"
#include "llvm/asm.h"

#include "wire/stream.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

#define FUNC ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)

/* Name, whether it returns the depth, types of the parameters: p pointer, i 32 bits, l 64 bits. */
#define HOOKS(X)                                                                                   \
    X(LD1, "__augur_ld1", "pp")                                                                    \
    X(LD2, "__augur_ld2", "pp")                                                                    \
    X(LD4, "__augur_ld4", "pp")                                                                    \
    X(LD8, "__augur_ld8", "pp")                                                                    \
    X(ST1, "__augur_st1", "ppl")                                                                   \
    X(ST2, "__augur_st2", "ppl")                                                                   \
    X(ST4, "__augur_st4", "ppl")                                                                   \
    X(ST8, "__augur_st8", "ppl")                                                                   \
    X(LDN, "__augur_ldn", "ppl")                                                                   \
    X(STN, "__augur_stn", "pppl")                                                                  \
    X(COPY, "__augur_copy", "pplpp")                                                               \
    X(SET, "__augur_set", "pilp")                                                                  \
    X(ALD, "__augur_ald", "ppl")                                                                   \
    X(AST, "__augur_ast", "ppll")                                                                  \
    X(RMW_BEGIN, "__augur_rmw_begin", "pp")                                                        \
    X(RMW_END, "__augur_rmw_end", "ppli")                                                          \
    X(FENCE, "__augur_fence", "p")                                                                 \
    X(ENTER, "__augur_enter", "p")                                                                 \
    X(LEAVE, "__augur_leave", "p")                                                                 \
    X(LAND, "__augur_land", "pl")                                                                  \
    X(FRAME, "__augur_frame", "plp")                                                               \
    X(XCALL, "__augur_xcall", "pp")                                                                \
    X(XRET, "__augur_xret", "pl")                                                                  \
    X(ASM_BEGIN, "__augur_asm_begin", "pli")                                                       \
    X(ASM_END, "__augur_asm_end", "pli")                                                           \
    X(BRANCH, "__augur_branch", "i")                                                               \
    X(SWITCH, "__augur_switch", "ll")                                                              \
    X(LOOP, "__augur_loop", "")

#define HOOK_ENUM(id, name, params) FN_##id,
enum { HOOKS(HOOK_ENUM) FNS };
#undef HOOK_ENUM
static const struct {
    const char *name, *params;
} hooks[] = {
#define HOOK_ROW(id, name, params) {name, params},
    HOOKS(HOOK_ROW)
#undef HOOK_ROW
};

typedef struct {
    const au_hook_plan *p;
    const au_ir *ir;
    LLVMBuilderRef b;
    LLVMTypeRef i8, i32, i64, ptr, none, sites_type;
    LLVMValueRef sites;
    LLVMValueRef fn[FNS];
    LLVMTypeRef fn_type[FNS];
    /* the function at hand */
    LLVMValueRef f;
    LLVMValueRef depth; /* variable that holds what ENTER returned; NULL: nobody asks for it */
    LLVMValueRef entry; /* hooks of the function's beginning go before this */
    AU_VEC(LLVMValueRef) temp; /* one variable a type, for values that go by address */
} emitter;

/* Making calls ------------------------------------------------------------ */

static LLVMValueRef hook_function(emitter *e, unsigned id) {
    if (e->fn[id])
        return e->fn[id];
    LLVMTypeRef param[8];
    unsigned n = 0;
    for (const char *s = hooks[id].params; *s; s++)
        param[n++] = *s == 'p' ? e->ptr : *s == 'i' ? e->i32 : e->i64;
    e->fn_type[id] = LLVMFunctionType(id == FN_ENTER ? e->i64 : e->none, param, n, false);
    LLVMValueRef f = LLVMGetNamedFunction(e->ir->module, hooks[id].name);
    if (!f)
        f = LLVMAddFunction(e->ir->module, hooks[id].name, e->fn_type[id]);
    unsigned nounwind = LLVMGetEnumAttributeKindForName("nounwind", 8);
    LLVMAddAttributeAtIndex(f, FUNC, LLVMCreateEnumAttribute(e->ir->ctx, nounwind, 0));
    return e->fn[id] = f;
}

static LLVMValueRef call(emitter *e, unsigned id, LLVMValueRef *args) {
    LLVMValueRef f = hook_function(e, id);
    return LLVMBuildCall2(e->b, e->fn_type[id], f, args, (unsigned)strlen(hooks[id].params), "");
}
#define CALL(e, id, ...) call((e), FN_##id, (LLVMValueRef[]){__VA_ARGS__})

static LLVMValueRef site(emitter *e, uint32_t n) {
    LLVMValueRef at[] = {LLVMConstInt(e->i64, 0, false), LLVMConstInt(e->i64, n, false)};
    return LLVMConstInBoundsGEP2(e->sites_type, e->sites, at, 2);
}

static LLVMValueRef number(emitter *e, uint64_t n) {
    return LLVMConstInt(e->i64, n, false);
}

/* Code that tells of an instruction stands in its line; where it has none, in line 0. */
static void set_location(emitter *e, LLVMValueRef insn) {
    LLVMMetadataRef where = LLVMInstructionGetDebugLoc(insn), sp;
    if (!where && (sp = LLVMGetSubprogram(e->f)))
        where = LLVMDIBuilderCreateDebugLocation(e->ir->ctx, 0, 0, sp, NULL);
    LLVMSetCurrentDebugLocation2(e->b, where);
}

static void before(emitter *e, LLVMValueRef insn) {
    LLVMPositionBuilderBefore(e->b, insn);
    set_location(e, insn);
}

/* After an instruction; for an invoke where it returns (no other edge leads there: the
 * clean module has no critical edges). */
static void after(emitter *e, LLVMValueRef insn) {
    LLVMValueRef next = LLVMIsAInvokeInst(insn) ? au_ir_first_insertion(LLVMGetNormalDest(insn))
                                                : LLVMGetNextInstruction(insn);
    LLVMPositionBuilderBefore(e->b, next);
    set_location(e, insn);
}

/* Values ------------------------------------------------------------------ */

/* The first 8 bytes of a value as a number, 0 where that has no sense. */
static LLVMValueRef as_number(emitter *e, LLVMValueRef v) {
    LLVMTypeRef t = LLVMTypeOf(v);
    switch (LLVMGetTypeKind(t)) {
    case LLVMIntegerTypeKind: {
        unsigned width = LLVMGetIntTypeWidth(t);
        if (width < 64)
            return LLVMBuildZExt(e->b, v, e->i64, "");
        return width > 64 ? LLVMBuildTrunc(e->b, v, e->i64, "") : v;
    }
    case LLVMPointerTypeKind:
        return LLVMBuildPtrToInt(e->b, v, e->i64, "");
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
    case LLVMVectorTypeKind: {
        uint64_t bits = LLVMSizeOfTypeInBits(e->ir->layout, t);
        if (bits > 64 || (LLVMGetTypeKind(t) == LLVMVectorTypeKind &&
                          LLVMGetTypeKind(LLVMGetElementType(t)) == LLVMPointerTypeKind))
            return number(e, 0);
        v = LLVMBuildBitCast(e->b, v, LLVMIntTypeInContext(e->ir->ctx, (unsigned)bits), "");
        return bits < 64 ? LLVMBuildZExt(e->b, v, e->i64, "") : v;
    }
    case LLVMStructTypeKind:
        if (LLVMCountStructElementTypes(t) == 0)
            return number(e, 0);
        return as_number(e, LLVMBuildExtractValue(e->b, v, 0, ""));
    case LLVMArrayTypeKind:
        if (LLVMGetArrayLength2(t) == 0)
            return number(e, 0);
        return as_number(e, LLVMBuildExtractValue(e->b, v, 0, ""));
    default:
        return number(e, 0);
    }
}

/* Whether as_number tells all of a value of this type. */
static bool is_number(const au_ir *ir, LLVMTypeRef t, uint64_t size) {
    LLVMTypeKind k = LLVMGetTypeKind(t);
    if (size != 1 && size != 2 && size != 4 && size != 8)
        return false;
    if (k == LLVMVectorTypeKind)
        return LLVMGetTypeKind(LLVMGetElementType(t)) != LLVMPointerTypeKind &&
               LLVMSizeOfTypeInBits(ir->layout, t) <= 64;
    return k != LLVMStructTypeKind && k != LLVMArrayTypeKind;
}

/* A variable of the whole function. */
static LLVMValueRef add_variable(emitter *e, LLVMTypeRef type) {
    LLVMBuilderRef top = LLVMCreateBuilderInContext(e->ir->ctx);
    LLVMPositionBuilderBefore(top, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(e->f)));
    LLVMValueRef v = LLVMBuildAlloca(top, type, "");
    LLVMDisposeBuilder(top);
    return v;
}

/* The address of a copy of v on the stack. */
static LLVMValueRef by_address(emitter *e, LLVMValueRef v) {
    LLVMValueRef temp = NULL;
    for (size_t i = 0; i < e->temp.n && !temp; i++)
        if (LLVMGetAllocatedType(e->temp.at[i]) == LLVMTypeOf(v))
            temp = e->temp.at[i];
    if (!temp) {
        temp = add_variable(e, LLVMTypeOf(v));
        au_vec_push(&e->temp, temp);
    }
    LLVMBuildStore(e->b, v, temp);
    return temp;
}

/* The depth goes through memory: without optimisation LLVM 19 reloads a value that lives across an
 * invoke in front of the landing pad's label, where nobody comes by. */
static LLVMValueRef depth_now(emitter *e) {
    return e->depth ? LLVMBuildLoad2(e->b, e->i64, e->depth, "") : number(e, 0);
}

/* Hooks ------------------------------------------------------------------- */

static void emit_load(emitter *e, const au_hook *h) {
    LLVMValueRef p = LLVMGetOperand(h->insn, 0), s = site(e, h->site[0]);
    before(e, h->insn);
    switch (h->size) {
    case 1:
        CALL(e, LD1, p, s);
        break;
    case 2:
        CALL(e, LD2, p, s);
        break;
    case 4:
        CALL(e, LD4, p, s);
        break;
    case 8:
        CALL(e, LD8, p, s);
        break;
    default:
        CALL(e, LDN, p, s, number(e, h->size));
    }
}

static void emit_store(emitter *e, const au_hook *h) {
    LLVMValueRef v = LLVMGetOperand(h->insn, 0), p = LLVMGetOperand(h->insn, 1);
    LLVMValueRef s = site(e, h->site[0]);
    before(e, h->insn);
    if (!is_number(e->ir, LLVMTypeOf(v), h->size)) {
        CALL(e, STN, p, s, by_address(e, v), number(e, h->size));
        return;
    }
    v = as_number(e, v);
    switch (h->size) {
    case 1:
        CALL(e, ST1, p, s, v);
        break;
    case 2:
        CALL(e, ST2, p, s, v);
        break;
    case 4:
        CALL(e, ST4, p, s, v);
        break;
    default:
        CALL(e, ST8, p, s, v);
    }
}

/* Lengths may be 32 bits wide. */
static LLVMValueRef length(emitter *e, LLVMValueRef n) {
    return LLVMBuildIntCast2(e->b, n, e->i64, false, "");
}

static void emit_copy(emitter *e, const au_hook *h) {
    LLVMValueRef to = LLVMGetOperand(h->insn, 0), from = LLVMGetOperand(h->insn, 1);
    before(e, h->insn);
    LLVMValueRef n = length(e, LLVMGetOperand(h->insn, 2));
    if (h->site[0] == AU_NONE)
        CALL(e, STN, to, site(e, h->site[1]), from, n);
    else if (h->site[1] == AU_NONE)
        CALL(e, LDN, from, site(e, h->site[0]), n);
    else
        CALL(e, COPY, to, from, n, site(e, h->site[0]), site(e, h->site[1]));
}

static void emit_set(emitter *e, const au_hook *h) {
    before(e, h->insn);
    LLVMValueRef n = length(e, LLVMGetOperand(h->insn, 2));
    LLVMValueRef byte = LLVMBuildZExt(e->b, LLVMGetOperand(h->insn, 1), e->i32, "");
    CALL(e, SET, LLVMGetOperand(h->insn, 0), byte, n, site(e, h->site[0]));
}

static void emit_rmw(emitter *e, const au_hook *h) {
    LLVMValueRef p = LLVMGetOperand(h->insn, LLVMIsAStoreInst(h->insn) != NULL);
    LLVMValueRef s = site(e, h->site[0]), wrote = LLVMConstInt(e->i32, 1, false);
    before(e, h->insn);
    CALL(e, RMW_BEGIN, p, s);
    after(e, h->insn);
    if (LLVMIsAAtomicCmpXchgInst(h->insn))
        wrote = LLVMBuildZExt(e->b, LLVMBuildExtractValue(e->b, h->insn, 1, ""), e->i32, "");
    CALL(e, RMW_END, p, s, number(e, h->size), wrote);
}

static void emit_frame(emitter *e, const au_hook *h) {
    LLVMValueRef size = number(e, h->size);
    if (h->at_entry) {
        LLVMPositionBuilderBefore(e->b, e->entry);
        set_location(e, e->entry);
    } else {
        after(e, h->insn);
        if (h->size == 0) {
            LLVMTypeRef t = LLVMGetAllocatedType(h->what);
            size = LLVMBuildMul(e->b, length(e, LLVMGetOperand(h->what, 0)),
                                number(e, LLVMABISizeOfType(e->ir->layout, t)), "");
        }
    }
    CALL(e, FRAME, h->what, size, site(e, h->site[0]));
}

/* The optimiser knows what strcpy and its kin do and would put stores in their place that no
 * hook tells: calls that are handed memory stay calls, and the runtime tells what they do. */
static void keep_call(emitter *e, LLVMValueRef call) {
    static const char no[] = "nobuiltin", yes[] = "builtin";
    if (LLVMGetCallSiteEnumAttribute(call, FUNC,
                                     LLVMGetEnumAttributeKindForName(yes, sizeof yes - 1)))
        return;
    for (unsigned k = 0, n = LLVMGetNumArgOperands(call); k < n; k++)
        if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, k))) == LLVMPointerTypeKind) {
            unsigned kind = LLVMGetEnumAttributeKindForName(no, sizeof no - 1);
            LLVMAddCallSiteAttribute(call, FUNC, LLVMCreateEnumAttribute(e->ir->ctx, kind, 0));
            return;
        }
}

/* The memory that assembler names as operands. */
static void emit_asm(emitter *e, LLVMValueRef insn) {
    au_asm_memory m[AU_ASM_OPERANDS];
    unsigned n = au_asm_touches(e->ir, insn, m);
    for (unsigned k = 0; k < n; k++) {
        before(e, insn);
        LLVMValueRef size = number(e, m[k].size);
        if (m[k].count)
            size = LLVMBuildMul(e->b, length(e, m[k].count), size, "");
        LLVMValueRef reads = LLVMConstInt(e->i32, m[k].reads, false);
        CALL(e, ASM_BEGIN, m[k].pointer, size, reads);
        if (!m[k].writes)
            continue;
        after(e, insn);
        CALL(e, ASM_END, m[k].pointer, size, reads);
    }
}

static void emit_xcall(emitter *e, const au_hook *h) {
    LLVMValueRef called = LLVMGetCalledValue(h->insn);
    if (LLVMIsAFunction(called))
        keep_call(e, h->insn);
    before(e, h->insn);
    if (LLVMIsAInlineAsm(called))
        called = LLVMConstNull(e->ptr);
    CALL(e, XCALL, site(e, h->site[0]), called);
    if (h->site[1] != AU_NONE || h->site[2] != AU_NONE)
        after(e, h->insn);
    if (h->site[1] != AU_NONE)
        CALL(e, LAND, site(e, h->site[1]), depth_now(e));
    if (h->site[2] != AU_NONE) {
        bool none = LLVMGetTypeKind(LLVMTypeOf(h->insn)) == LLVMVoidTypeKind;
        CALL(e, XRET, site(e, h->site[2]), none ? number(e, 0) : as_number(e, h->insn));
    }
    if (LLVMIsAInlineAsm(LLVMGetCalledValue(h->insn)))
        emit_asm(e, h->insn);
}

/* Outcomes ---------------------------------------------------------------- */

static bool only_from(LLVMBasicBlockRef block, LLVMValueRef terminator) {
    for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (LLVMIsAInstruction(user) && LLVMIsATerminatorInst(user) && user != terminator)
            return false;
    }
    return true;
}

static void emit_switch(emitter *e, const au_hook *h) {
    AU_VEC(LLVMBasicBlockRef) to = {0};
    bool alone = true;
    for (unsigned k = 0, n = LLVMGetNumSuccessors(h->insn); k < n; k++) {
        LLVMBasicBlockRef s = LLVMGetSuccessor(h->insn, k);
        bool again = false;
        for (size_t j = 0; j < to.n && !again; j++)
            again = to.at[j] == s;
        if (again)
            continue;
        au_vec_push(&to, s);
        alone = alone && only_from(s, h->insn);
    }
    unsigned bits = 1;
    while (to.n > UINT64_C(1) << bits)
        bits++;
    if (alone) {
        for (size_t k = 0; k < to.n; k++) {
            LLVMPositionBuilderBefore(e->b, au_ir_first_insertion(to.at[k]));
            set_location(e, h->insn);
            CALL(e, SWITCH, number(e, k), number(e, bits));
        }
    } else {
        /* indirectbr: its edges cannot carry code, so the address is looked up. */
        before(e, h->insn);
        LLVMValueRef which = number(e, 0);
        for (size_t k = 1; k < to.n; k++) {
            LLVMValueRef here = LLVMBuildICmp(e->b, LLVMIntEQ, LLVMGetOperand(h->insn, 0),
                                              LLVMBlockAddress(e->f, to.at[k]), "");
            which = LLVMBuildSelect(e->b, here, number(e, k), which, "");
        }
        CALL(e, SWITCH, which, number(e, bits));
    }
    au_vec_release(&to);
}

static void emit_hook(emitter *e, const au_hook *h) {
    switch (h->kind) {
    case AU_HOOK_ENTER: {
        LLVMMetadataRef sp = LLVMGetSubprogram(e->f);
        LLVMPositionBuilderBefore(e->b, e->entry);
        LLVMSetCurrentDebugLocation2(
            e->b, sp ? LLVMDIBuilderCreateDebugLocation(e->ir->ctx, LLVMDISubprogramGetLine(sp), 0,
                                                        sp, NULL)
                     : NULL);
        LLVMValueRef depth = CALL(e, ENTER, site(e, h->site[0]));
        if (e->depth)
            LLVMBuildStore(e->b, depth, e->depth);
        break;
    }
    case AU_HOOK_FRAME:
        emit_frame(e, h);
        break;
    case AU_HOOK_LOAD:
        emit_load(e, h);
        break;
    case AU_HOOK_STORE:
        emit_store(e, h);
        break;
    case AU_HOOK_COPY:
        emit_copy(e, h);
        break;
    case AU_HOOK_SET:
        emit_set(e, h);
        break;
    case AU_HOOK_ATOMIC_LOAD:
        before(e, h->insn);
        CALL(e, ALD, LLVMGetOperand(h->insn, 0), site(e, h->site[0]), number(e, h->size));
        break;
    case AU_HOOK_ATOMIC_STORE:
        before(e, h->insn);
        CALL(e, AST, LLVMGetOperand(h->insn, 1), site(e, h->site[0]), number(e, h->size),
             as_number(e, LLVMGetOperand(h->insn, 0)));
        break;
    case AU_HOOK_RMW:
        emit_rmw(e, h);
        break;
    case AU_HOOK_FENCE:
        before(e, h->insn);
        CALL(e, FENCE, site(e, h->site[0]));
        break;
    case AU_HOOK_BYVAL:
        before(e, h->insn);
        CALL(e, LDN, h->what, site(e, h->site[0]), number(e, h->size));
        break;
    case AU_HOOK_XCALL:
        emit_xcall(e, h);
        break;
    case AU_HOOK_LAND:
        after(e, h->insn);
        CALL(e, LAND, site(e, h->site[0]), depth_now(e));
        break;
    case AU_HOOK_LEAVE:
        before(e, h->insn);
        CALL(e, LEAVE, site(e, h->site[0]));
        break;
    case AU_HOOK_BRANCH:
        before(e, h->insn);
        CALL(e, BRANCH, LLVMBuildZExt(e->b, LLVMGetCondition(h->insn), e->i32, ""));
        break;
    case AU_HOOK_SWITCH:
        emit_switch(e, h);
        break;
    case AU_HOOK_LOOP:
        before(e, h->insn);
        call(e, FN_LOOP, NULL);
        break;
    }
}

/* Functions --------------------------------------------------------------- */

/* Variables of the whole function come first, so that all of them can be told at its
 * beginning. Returns the first instruction after them. */
static LLVMValueRef gather_allocas(emitter *e, LLVMValueRef f) {
    LLVMBasicBlockRef block = LLVMGetEntryBasicBlock(f);
    LLVMValueRef first = LLVMGetFirstInstruction(block);
    while (LLVMIsAAllocaInst(first) || au_ir_is_debug(first))
        first = LLVMGetNextInstruction(first);
    for (LLVMValueRef i = first, next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        if (!LLVMIsAAllocaInst(i) || !LLVMIsAConstantInt(LLVMGetOperand(i, 0)))
            continue;
        LLVMInstructionRemoveFromParent(i);
        LLVMPositionBuilderBefore(e->b, first);
        LLVMInsertIntoBuilder(e->b, i);
    }
    return first;
}

static void emit_function(emitter *e, const au_plan_function *f) {
    /* So that the runtime knows what it is if it is called from elsewhere (rt/code.c). */
    if (!f->left_out && !LLVMHasPrefixData(f->function))
        LLVMSetPrefixData(f->function, LLVMConstInt(e->i64, AU_CODE_MARK, false));
    if (f->first == f->end)
        return;
    e->f = f->function;
    e->depth = NULL;
    LLVMSetCurrentDebugLocation2(e->b, NULL);
    e->entry = gather_allocas(e, f->function);
    for (uint32_t i = f->first; i < f->end && f->hooked && !e->depth; i++) {
        const au_hook *h = &e->p->hook.at[i];
        if (h->kind == AU_HOOK_LAND || (h->kind == AU_HOOK_XCALL && h->site[1] != AU_NONE))
            e->depth = add_variable(e, e->i64);
    }
    au_vec_clear(&e->temp);
    for (uint32_t i = f->first; i < f->end; i++)
        emit_hook(e, &e->p->hook.at[i]);
}

/* What clang promised about memory no longer holds for functions with hooks, and functions of
 * other modules may have hooks, too: a call that could be left out would leave its
 * events without their function. */
static void drop_promises(const au_ir *ir) {
    static const char *const names[] = {"memory",     "nosync",       "nofree",
                                        "willreturn", "speculatable", "nocallback"};
    enum { N = sizeof names / sizeof *names };
    unsigned kind[N];
    for (unsigned k = 0; k < N; k++)
        kind[k] = LLVMGetEnumAttributeKindForName(names[k], strlen(names[k]));
    for (LLVMValueRef f = LLVMGetFirstFunction(ir->module); f; f = LLVMGetNextFunction(f)) {
        size_t len;
        if (strncmp(LLVMGetValueName2(f, &len), "llvm.", 5) == 0)
            continue;
        for (unsigned k = 0; k < N; k++)
            LLVMRemoveEnumAttributeAtIndex(f, FUNC, kind[k]);
        uint32_t n = 0;
        for (au_ir_walk w = au_ir_first(f, &n); w.insn; au_ir_next(&w))
            if (au_ir_is_call(w.insn) && !au_ir_intrinsic(w.insn))
                for (unsigned k = 0; k < N; k++)
                    LLVMRemoveCallSiteEnumAttribute(w.insn, FUNC, kind[k]);
    }
}

LLVMValueRef au_emit_hooks(const au_hook_plan *p) {
    const au_ir *ir = p->ir;
    emitter e = {.p = p,
                 .ir = ir,
                 .b = LLVMCreateBuilderInContext(ir->ctx),
                 .i8 = LLVMInt8TypeInContext(ir->ctx),
                 .i32 = LLVMInt32TypeInContext(ir->ctx),
                 .i64 = LLVMInt64TypeInContext(ir->ctx),
                 .ptr = LLVMPointerTypeInContext(ir->ctx, 0),
                 .none = LLVMVoidTypeInContext(ir->ctx)};
    drop_promises(ir);
    if (p->site.n > 0) {
        LLVMTypeRef one = LLVMArrayType2(e.i8, sizeof(struct au_site));
        e.sites_type = LLVMArrayType2(one, p->site.n);
        e.sites = LLVMAddGlobal(ir->module, e.sites_type, "augur.sites");
        LLVMSetInitializer(e.sites, LLVMConstNull(e.sites_type));
        LLVMSetLinkage(e.sites, LLVMInternalLinkage);
        LLVMSetAlignment(e.sites, sizeof(struct au_site));
    }
    for (size_t i = 0; i < p->function.n; i++)
        emit_function(&e, &p->function.at[i]);
    au_vec_release(&e.temp);
    LLVMDisposeBuilder(e.b);
    return e.sites;
}
