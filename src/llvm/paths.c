#include "llvm/paths_priv.h"

#include <string.h>

/* Events as keys of the map: hooks by place, calls of functions of ours by function. */
#define EVENT_CALL UINT64_C(0x100000000)
#define EVENT_RETURN UINT64_C(0x200000000)
#define EVENT_UNWIND UINT64_C(0x300000000)

static void add_event(au_paths *x, au_path_node *b, uint64_t key) {
    bool fresh;
    uint64_t *n = au_map_put(&x->event, key, &fresh);
    if (fresh)
        *n = x->event.n - 1;
    au_vec_push(&b->own, (uint32_t)*n);
}

/* Blocks with their own first events. */
static void build(au_paths *x) {
    uint32_t k = x->f->first, number = x->f->first_number - 1;
    au_path_node *b = NULL;
    for (au_ir_walk w = au_ir_first(x->f->function, &number); w.insn; au_ir_next(&w)) {
        if (!b || w.block != b->block) {
            *au_map_put(&x->index, (uint64_t)(uintptr_t)w.block, NULL) = x->node.n;
            b = au_vec_add(&x->node);
            *b = (au_path_node){.block = w.block};
        }
        b->last = w.insn;
        b->last_number = w.number;
        for (; k < x->f->end && x->p->hook.at[k].number == w.number; k++) {
            if (!b->sure) {
                add_event(x, b, k);
                b->sure = !au_hook_unsure(&x->p->hook.at[k]);
            }
        }
        if (!b->sure && au_ir_is_call(w.insn)) {
            const au_plan_function *to = au_plan_direct(x->p, w.insn);
            if (to && to->hooked) {
                add_event(x, b, EVENT_CALL + (uint64_t)(to - x->p->function.at));
                b->sure = true;
            }
        }
        if (!b->sure && LLVMIsAReturnInst(w.insn))
            add_event(x, b, EVENT_RETURN);
        if (!b->sure && LLVMIsAResumeInst(w.insn))
            add_event(x, b, EVENT_UNWIND);
    }
}

static void find_first(au_paths *x) {
    for (size_t i = 0; i < x->node.n; i++) {
        au_path_node *b = &x->node.at[i];
        au_bitset_init(&b->first, x->event.n);
        for (size_t k = 0; k < b->own.n; k++)
            au_bitset_add(&b->first, b->own.at[k]);
    }
    for (bool grew = true; grew;) {
        grew = false;
        for (size_t i = x->node.n; i-- > 0;) {
            au_path_node *b = &x->node.at[i];
            if (b->sure)
                continue;
            for (unsigned k = 0, n = LLVMGetNumSuccessors(b->last); k < n; k++)
                grew |= au_bitset_join(&b->first,
                                       &au_path_node_of(x, LLVMGetSuccessor(b->last, k))->first);
        }
    }
}

/* Told values ------------------------------------------------------------- */

static bool is_untold(const au_paths *x, LLVMValueRef v) {
    if (LLVMIsAConstantInt(v) || LLVMIsAConstantFP(v) || LLVMIsAConstantPointerNull(v))
        return false;
    if (!LLVMIsAInstruction(v))
        return true;
    return au_map_find(&x->untold, (uint64_t)(uintptr_t)v) != NULL;
}

static bool is_scalar(LLVMTypeRef t) {
    LLVMTypeKind k = LLVMGetTypeKind(t);
    return k == LLVMIntegerTypeKind || k == LLVMPointerTypeKind || k == LLVMFloatTypeKind ||
           k == LLVMDoubleTypeKind;
}

static bool is_integer_intrinsic(const char *name) {
    static const char *const known[] = {
        "llvm.smax",  "llvm.smin",       "llvm.umax", "llvm.umin", "llvm.abs",   "llvm.ctpop",
        "llvm.bswap", "llvm.bitreverse", "llvm.fshl", "llvm.fshr", "llvm.sadd",  "llvm.uadd",
        "llvm.ssub",  "llvm.usub",       "llvm.smul", "llvm.umul", "llvm.expect"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (au_ir_is(name, known[i]))
            return true;
    return false;
}

/* The hook of this kind at an instruction, or NULL. */
static const au_hook *hook_at(const au_paths *x, uint32_t number, au_hook_kind kind) {
    uint32_t lo = x->f->first, hi = x->f->end;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (x->p->hook.at[mid].number < number)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (; lo < x->f->end && x->p->hook.at[lo].number == number; lo++)
        if (x->p->hook.at[lo].kind == kind)
            return &x->p->hook.at[lo];
    return NULL;
}

static bool any_untold(const au_paths *x, LLVMValueRef i, unsigned operands) {
    for (unsigned k = 0; k < operands; k++)
        if (is_untold(x, LLVMGetOperand(i, k)))
            return true;
    return false;
}

/* Memory whose contents stand in this module: nobody writes it, nobody replaces it. */
static bool is_known_constant(const au_paths *x, LLVMValueRef pointer) {
    if (au_escape_class(&x->p->escape, pointer) != AU_MEM_CONST)
        return false;
    while (LLVMIsAGetElementPtrInst(pointer) ||
           (LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr))
        pointer = LLVMGetOperand(pointer, 0);
    if (!LLVMIsAGlobalVariable(pointer) || !LLVMGetInitializer(pointer))
        return false;
    LLVMLinkage l = LLVMGetLinkage(pointer);
    return l != LLVMWeakAnyLinkage && l != LLVMLinkOnceAnyLinkage && l != LLVMCommonLinkage;
}

static bool makes_untold(au_paths *x, LLVMValueRef i, uint32_t number) {
    LLVMTypeRef type = LLVMTypeOf(i);
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMBitCast:
    case LLVMICmp:
    case LLVMFCmp:
    case LLVMSelect:
    case LLVMFreeze:
    case LLVMGetElementPtr:
        return !is_scalar(type) || any_untold(x, i, (unsigned)LLVMGetNumOperands(i));
    case LLVMExtractValue:
        return !is_scalar(type) || any_untold(x, i, 1);
    case LLVMPHI:
        if (!is_scalar(type))
            return true;
        for (unsigned k = 0, n = LLVMCountIncoming(i); k < n; k++)
            if (is_untold(x, LLVMGetIncomingValue(i, k)))
                return true;
        return false;
    case LLVMLoad:
        if (!is_scalar(type))
            return true;
        return !hook_at(x, number, AU_HOOK_LOAD) && !hook_at(x, number, AU_HOOK_ATOMIC_LOAD) &&
               (LLVMGetTypeKind(type) == LLVMPointerTypeKind ||
                !is_known_constant(x, LLVMGetOperand(i, 0)));
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return !hook_at(x, number, AU_HOOK_RMW);
    case LLVMCall:
    case LLVMInvoke: {
        const char *name = au_ir_intrinsic(i);
        if (name)
            return !is_integer_intrinsic(name) || any_untold(x, i, LLVMGetNumArgOperands(i));
        const au_hook *h = hook_at(x, number, AU_HOOK_XCALL);
        return !h || h->site[2] == AU_NONE || !is_scalar(type) || au_ir_size(x->p->ir, type) > 8;
    }
    default:
        return true;
    }
}

/* Everything is told until something says otherwise: phis of loops need that. */
static void find_told(au_paths *x) {
    x->know_told = true;
    for (bool grew = true; grew;) {
        grew = false;
        uint32_t number = x->f->first_number - 1;
        for (au_ir_walk w = au_ir_first(x->f->function, &number); w.insn; au_ir_next(&w)) {
            if (LLVMGetTypeKind(LLVMTypeOf(w.insn)) == LLVMVoidTypeKind || is_untold(x, w.insn) ||
                !makes_untold(x, w.insn, w.number))
                continue;
            au_map_put(&x->untold, (uint64_t)(uintptr_t)w.insn, NULL);
            grew = true;
        }
    }
}

static bool is_told(au_paths *x, LLVMValueRef condition) {
    if (!x->know_told)
        find_told(x);
    return !is_untold(x, condition);
}

/* Branches ---------------------------------------------------------------- */

/* Whether the next event tells which way it went. */
static bool next_event_tells(const au_paths *x, const au_path_node *b) {
    if (x->node.n > AU_PATHS_BLOCKS)
        return false;
    /* Join the sets one by one: an overlap is one that is already there. */
    au_bitset seen;
    au_bitset_init(&seen, x->event.n);
    bool tells = true;
    unsigned n = LLVMGetNumSuccessors(b->last);
    for (unsigned k = 0; k < n && tells; k++) {
        LLVMBasicBlockRef to = LLVMGetSuccessor(b->last, k);
        bool again = false;
        for (unsigned j = 0; j < k && !again; j++)
            again = LLVMGetSuccessor(b->last, j) == to;
        if (again)
            continue;
        const au_path_node *s = au_path_node_of(x, to);
        tells = !au_bitset_meets(&seen, &s->first);
        au_bitset_join(&seen, &s->first);
    }
    au_bitset_release(&seen);
    return tells;
}

static bool has_choice(LLVMValueRef terminator) {
    for (unsigned k = 1, n = LLVMGetNumSuccessors(terminator); k < n; k++)
        if (LLVMGetSuccessor(terminator, k) != LLVMGetSuccessor(terminator, 0))
            return true;
    return false;
}

static void add_hook(au_hook_vec *into, const au_path_node *b, au_hook_kind kind) {
    au_vec_push(into, ((au_hook){.insn = b->last,
                                 .number = b->last_number,
                                 .kind = kind,
                                 .site = {AU_NONE, AU_NONE, AU_NONE}}));
}

static void add_outcome(au_paths *x, const au_path_node *b, au_hook_vec *into) {
    LLVMOpcode op = LLVMGetInstructionOpcode(b->last);
    if ((op != LLVMBr && op != LLVMSwitch && op != LLVMIndirectBr) || !has_choice(b->last) ||
        next_event_tells(x, b))
        return;
    if (op != LLVMIndirectBr &&
        is_told(x, op == LLVMBr ? LLVMGetCondition(b->last) : LLVMGetOperand(b->last, 0)))
        return;
    add_hook(into, b, op == LLVMBr ? AU_HOOK_BRANCH : AU_HOOK_SWITCH);
}

void au_paths_add(au_hook_plan *p, const au_plan_function *f, au_hook_vec *into) {
    if (f->left_out)
        return;
    au_paths x = {.p = p, .f = f};
    au_map_init(&x.index);
    au_map_init(&x.event);
    au_map_init(&x.untold);
    build(&x);
    if (x.node.n > 1) {
        if (x.node.n <= AU_PATHS_BLOCKS)
            find_first(&x);
        au_bitset closes;
        au_bitset_init(&closes, x.node.n);
        au_paths_loops(&x, &closes);
        for (size_t i = 0; i < x.node.n; i++) {
            if (au_bitset_has(&closes, i))
                add_hook(into, &x.node.at[i], AU_HOOK_LOOP);
            add_outcome(&x, &x.node.at[i], into);
        }
        au_bitset_release(&closes);
    }
    for (size_t i = 0; i < x.node.n; i++) {
        au_vec_release(&x.node.at[i].own);
        au_bitset_release(&x.node.at[i].first);
    }
    au_vec_release(&x.node);
    au_map_release(&x.index);
    au_map_release(&x.event);
    au_map_release(&x.untold);
}
