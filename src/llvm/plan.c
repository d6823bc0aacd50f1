#include "llvm/plan.h"
#include "llvm/asm.h"

#include "wire/stream.h"
#include "wire/wire.h"
#include "llvm/paths.h"

#include <string.h>

#define FUNC ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)

typedef struct {
    uint32_t caller, callee; /* places in plan.function */
} edge;

/* What is known while one module is planned. */
typedef struct {
    au_hook_plan *p;
    au_hook_vec found; /* events of all functions, ENTER and LEAVE as if all were hooked */
    AU_VEC(edge) call;
} planner;

/* Functions --------------------------------------------------------------- */

static bool is_marked_out(const au_ir *ir, LLVMValueRef f) {
    static const char off[] = "disable_sanitizer_instrumentation";
    unsigned kind = LLVMGetEnumAttributeKindForName(off, strlen(off));
    if (LLVMGetEnumAttributeAtIndex(f, FUNC, ir->a_naked) ||
        (kind && LLVMGetEnumAttributeAtIndex(f, FUNC, kind)))
        return true;
    size_t len;
    return strncmp(LLVMGetValueName2(f, &len), "__augur_", 8) == 0;
}

static void list_functions(au_hook_plan *p) {
    for (LLVMValueRef f = LLVMGetFirstFunction(p->ir->module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f))
            continue;
        *au_map_put(&p->index, (uint64_t)(uintptr_t)f, NULL) = p->function.n;
        au_vec_push(&p->function,
                    ((au_plan_function){.function = f, .left_out = is_marked_out(p->ir, f)}));
    }
    /* Resolvers run while the program is being relocated, before anything of ours. */
    for (LLVMValueRef i = LLVMGetFirstGlobalIFunc(p->ir->module); i;
         i = LLVMGetNextGlobalIFunc(i)) {
        uint64_t *at = au_map_find(&p->index, (uint64_t)(uintptr_t)LLVMGetGlobalIFuncResolver(i));
        if (at)
            p->function.at[*at].left_out = true;
    }
}

static bool is_replaceable(LLVMValueRef f) {
    switch (LLVMGetLinkage(f)) {
    case LLVMWeakAnyLinkage:
    case LLVMLinkOnceAnyLinkage:
    case LLVMExternalWeakLinkage:
        return true;
    default:
        return false;
    }
}

const au_plan_function *au_plan_direct(const au_hook_plan *p, LLVMValueRef call) {
    LLVMValueRef f = au_ir_callee(call);
    uint64_t *at = f ? au_map_find(&p->index, (uint64_t)(uintptr_t)f) : NULL;
    if (!at || is_replaceable(f) || p->function.at[*at].left_out)
        return NULL;
    return &p->function.at[*at];
}

/* Instructions ------------------------------------------------------------ */

static au_hook *add(planner *x, const au_ir_walk *w, au_hook_kind kind, uint64_t size) {
    au_hook *h = au_vec_add(&x->found);
    *h = (au_hook){.insn = w->insn,
                   .number = w->number,
                   .kind = kind,
                   .site = {AU_NONE, AU_NONE, AU_NONE},
                   .size = size};
    return h;
}

static bool is_shared(planner *x, LLVMValueRef pointer) {
    return au_escape_class(&x->p->escape, pointer) == AU_MEM_SHARED;
}

static void plan_access(planner *x, const au_ir_walk *w, bool is_store) {
    LLVMValueRef i = w->insn;
    LLVMTypeRef type = LLVMTypeOf(is_store ? LLVMGetOperand(i, 0) : i);
    uint64_t size = au_ir_size(x->p->ir, type);
    if (size == 0 || !is_shared(x, LLVMGetOperand(i, is_store)))
        return;
    bool atomic = LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic;
    if (!atomic)
        add(x, w, is_store ? AU_HOOK_STORE : AU_HOOK_LOAD, size);
    else if (!is_store)
        add(x, w, AU_HOOK_ATOMIC_LOAD, size);
    else
        add(x, w, size <= 8 ? AU_HOOK_ATOMIC_STORE : AU_HOOK_RMW, size);
}

static bool has_lifetime(LLVMValueRef alloca) {
    for (LLVMUseRef u = LLVMGetFirstUse(alloca); u; u = LLVMGetNextUse(u))
        if (LLVMIsAInstruction(LLVMGetUser(u)) &&
            au_ir_is(au_ir_intrinsic(LLVMGetUser(u)), "llvm.lifetime.start"))
            return true;
    return false;
}

/* 0: of variable size. */
static uint64_t alloca_size(const au_ir *ir, LLVMValueRef alloca) {
    LLVMValueRef count = LLVMGetOperand(alloca, 0);
    if (!LLVMIsAConstantInt(count))
        return 0;
    return LLVMABISizeOfType(ir->layout, LLVMGetAllocatedType(alloca)) *
           LLVMConstIntGetZExtValue(count);
}

static bool is_static_alloca(const au_ir *ir, LLVMValueRef alloca) {
    LLVMBasicBlockRef b = LLVMGetInstructionParent(alloca);
    return b == LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(b)) && alloca_size(ir, alloca) > 0;
}

static bool is_trivial_asm(LLVMValueRef call) {
    if (LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMVoidTypeKind)
        return false;
    LLVMValueRef statement = LLVMGetCalledValue(call);
    size_t n;
    const char *s = LLVMGetInlineAsmAsmString(statement, &n);
    return au_asm_is_idle(s, n, LLVMGetInlineAsmDialect(statement) == LLVMInlineAsmDialectIntel);
}

static uint64_t constant_length(LLVMValueRef n) {
    return LLVMIsAConstantInt(n) ? LLVMConstIntGetZExtValue(n) : 0;
}

static void plan_intrinsic(planner *x, const au_ir_walk *w, const char *name) {
    LLVMValueRef i = w->insn;
    bool set = au_ir_is(name, "llvm.memset");
    if (set || au_ir_is(name, "llvm.memcpy") || au_ir_is(name, "llvm.memmove")) {
        if (strstr(name, ".element."))
            return;
        LLVMValueRef n = LLVMGetOperand(i, 2);
        if (LLVMIsAConstantInt(n) && LLVMConstIntGetZExtValue(n) == 0)
            return;
        bool to = is_shared(x, LLVMGetOperand(i, 0));
        bool from = !set && is_shared(x, LLVMGetOperand(i, 1));
        if (!to && !from)
            return;
        au_hook *h = add(x, w, set ? AU_HOOK_SET : AU_HOOK_COPY, constant_length(n));
        /* Sites are given out later; 0 stands for 'wanted'. */
        if (from)
            h->site[0] = 0;
        if (to)
            h->site[1] = 0;
    } else if (au_ir_is(name, "llvm.lifetime.start")) {
        LLVMValueRef v = LLVMGetOperand(i, 1);
        if (LLVMIsAAllocaInst(v) && is_static_alloca(x->p->ir, v) &&
            au_escape_object(&x->p->escape, v))
            add(x, w, AU_HOOK_FRAME, alloca_size(x->p->ir, v))->what = v;
    } else if (au_ir_is(name, "llvm.eh.sjlj.setjmp")) {
        add(x, w, AU_HOOK_LAND, 0);
    }
}

static bool is_musttail(LLVMValueRef call) {
    return LLVMGetInstructionOpcode(call) == LLVMCall &&
           LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail;
}

static void plan_call(planner *x, const au_ir_walk *w, uint32_t caller) {
    LLVMValueRef i = w->insn;
    const au_ir *ir = x->p->ir;
    const char *name = au_ir_intrinsic(i);
    if (name) {
        plan_intrinsic(x, w, name);
        return;
    }
    for (unsigned k = 0, n = LLVMGetNumArgOperands(i); k < n; k++) {
        LLVMAttributeRef byval = LLVMGetCallSiteEnumAttribute(i, k + 1, ir->a_byval);
        if (!byval || !is_shared(x, LLVMGetOperand(i, k)))
            continue;
        uint64_t size = LLVMABISizeOfType(ir->layout, LLVMGetTypeAttributeValue(byval));
        if (size)
            add(x, w, AU_HOOK_BYVAL, size)->what = LLVMGetOperand(i, k);
    }
    bool tail = is_musttail(i);
    if (tail)
        add(x, w, AU_HOOK_LEAVE, 0);
    const au_plan_function *direct = au_plan_direct(x->p, i);
    if (direct) {
        au_vec_push(&x->call, ((edge){caller, (uint32_t)(direct - x->p->function.at)}));
        return;
    }
    if (LLVMGetInstructionOpcode(i) == LLVMCallBr)
        return;
    LLVMValueRef called = LLVMGetCalledValue(i);
    size_t len;
    if (tail || (LLVMIsAInlineAsm(called) && is_trivial_asm(i)) ||
        (LLVMIsAFunction(called) && strncmp(LLVMGetValueName2(called, &len), "__augur_", 8) == 0))
        return;
    au_hook *h = add(x, w, AU_HOOK_XCALL, 0);
    h->site[0] = 0;
    if (au_ir_call_has(i, ir->a_returns_twice))
        h->site[1] = 0;
    if (!au_ir_call_has(i, ir->a_noreturn))
        h->site[2] = 0;
}

static void plan_insn(planner *x, const au_ir_walk *w, uint32_t function) {
    LLVMValueRef i = w->insn;
    const au_ir *ir = x->p->ir;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        plan_access(x, w, false);
        break;
    case LLVMStore:
        plan_access(x, w, true);
        break;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        if (is_shared(x, LLVMGetOperand(i, 0)))
            add(x, w, AU_HOOK_RMW, au_ir_size(ir, LLVMTypeOf(LLVMGetOperand(i, 1))));
        break;
    case LLVMFence:
        if (!LLVMIsAtomicSingleThread(i)) /* against one's own signal handler */
            add(x, w, AU_HOOK_FENCE, 0);
        break;
    case LLVMAlloca:
        if (!is_static_alloca(ir, i) && au_escape_object(&x->p->escape, i))
            add(x, w, AU_HOOK_FRAME, alloca_size(ir, i))->what = i;
        break;
    case LLVMCall:
    case LLVMInvoke:
    case LLVMCallBr:
        plan_call(x, w, function);
        break;
    case LLVMLandingPad:
        add(x, w, AU_HOOK_LAND, 0);
        break;
    case LLVMRet: {
        LLVMValueRef before = LLVMGetPreviousInstruction(i);
        while (before && (au_ir_is_debug(before) || LLVMIsABitCastInst(before)))
            before = LLVMGetPreviousInstruction(before);
        if (!before || !LLVMIsACallInst(before) || !is_musttail(before))
            add(x, w, AU_HOOK_LEAVE, 0);
        break;
    }
    default:
        break;
    }
}

static void add_entry_frame(planner *x, const au_ir_walk *w, LLVMValueRef what, uint64_t size) {
    au_hook *h = add(x, w, AU_HOOK_FRAME, size);
    h->what = what;
    h->at_entry = true;
}

/* Escaping variables that live from the function's beginning. */
static void plan_entry(planner *x, const au_ir_walk *w, LLVMValueRef f) {
    const au_ir *ir = x->p->ir;
    add(x, w, AU_HOOK_ENTER, 0);
    for (unsigned k = 0, n = LLVMCountParams(f); k < n; k++) {
        LLVMAttributeRef byval = LLVMGetEnumAttributeAtIndex(f, k + 1, ir->a_byval);
        if (byval && au_escape_object(&x->p->escape, LLVMGetParam(f, k)))
            add_entry_frame(x, w, LLVMGetParam(f, k),
                            LLVMABISizeOfType(ir->layout, LLVMGetTypeAttributeValue(byval)));
    }
    for (LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f)); i;
         i = LLVMGetNextInstruction(i))
        if (LLVMIsAAllocaInst(i) && is_static_alloca(ir, i) && au_escape_object(&x->p->escape, i) &&
            !has_lifetime(i))
            add_entry_frame(x, w, i, alloca_size(ir, i));
}

/* Sites ------------------------------------------------------------------- */

static uint32_t give_site(au_hook_plan *p, const au_hook *h, uint8_t op, uint64_t size) {
    au_plan_site s = {
        .insn = h->number, .op = op, .at = h->insn, .what = h->what, .size = (uint8_t)size};
    au_vec_push(&p->site, s);
    return (uint32_t)p->site.n - 1;
}

static bool is_word(uint64_t size) {
    return size == 1 || size == 2 || size == 4 || size == 8;
}

static void give_sites(au_hook_plan *p, au_hook *h) {
    uint64_t size = is_word(h->size) ? h->size : 0;
    switch (h->kind) {
    case AU_HOOK_ENTER:
        h->site[0] = give_site(p, h, AU_OP_CALL, 0);
        break;
    case AU_HOOK_LEAVE:
        h->site[0] = give_site(p, h, AU_OP_RET, 0);
        break;
    case AU_HOOK_FRAME:
        h->site[0] = give_site(p, h, AU_SOP_FRAME, 0);
        break;
    case AU_HOOK_LOAD:
    case AU_HOOK_BYVAL:
        h->site[0] = size && h->kind == AU_HOOK_LOAD ? give_site(p, h, AU_OP_READ, size)
                                                     : give_site(p, h, AU_SOP_RREAD, 0);
        break;
    case AU_HOOK_STORE:
        h->site[0] = give_site(p, h, size ? AU_OP_WRITE : AU_SOP_RWRITE, size);
        break;
    case AU_HOOK_COPY:
        if (h->site[0] != AU_NONE)
            h->site[0] = give_site(p, h, AU_SOP_RREAD, 0);
        if (h->site[1] != AU_NONE)
            h->site[1] = give_site(p, h, h->site[0] != AU_NONE ? AU_SOP_RCOPY : AU_SOP_RWRITE, 0);
        break;
    case AU_HOOK_SET:
        h->site[1] = AU_NONE;
        h->site[0] = give_site(p, h, AU_SOP_RSET, 0);
        break;
    case AU_HOOK_ATOMIC_LOAD:
        h->site[0] = give_site(p, h, AU_OP_AREAD, h->size);
        break;
    case AU_HOOK_ATOMIC_STORE:
        h->site[0] = give_site(p, h, AU_OP_AWRITE, h->size);
        break;
    case AU_HOOK_RMW:
        h->site[0] = give_site(p, h, AU_OP_RMW, h->size);
        break;
    case AU_HOOK_FENCE:
        h->site[0] = give_site(p, h, AU_OP_FENCE, 0);
        break;
    case AU_HOOK_XCALL:
        h->site[0] = give_site(p, h, AU_OP_XCALL, 0);
        if (h->site[1] != AU_NONE)
            h->site[1] = give_site(p, h, AU_SOP_LAND, 0);
        if (h->site[2] != AU_NONE)
            h->site[2] = give_site(p, h, AU_OP_XRET, 0);
        break;
    case AU_HOOK_LAND:
        h->site[0] = give_site(p, h, AU_SOP_LAND, 0);
        break;
    case AU_HOOK_BRANCH:
    case AU_HOOK_SWITCH:
    case AU_HOOK_LOOP:
        break;
    }
}

/* All together ------------------------------------------------------------ */

/* Hooked are functions with events of their own, and whoever calls them. */
static void close_hooked(planner *x) {
    au_hook_plan *p = x->p;
    for (bool grew = true; grew;) {
        grew = false;
        for (size_t i = 0; i < x->call.n; i++) {
            au_plan_function *from = &p->function.at[x->call.at[i].caller];
            if (p->function.at[x->call.at[i].callee].hooked && !from->hooked)
                grew = from->hooked = true;
        }
    }
}

/* Whether only calls in this module can enter the function. */
static bool is_inner(LLVMValueRef f) {
    LLVMLinkage l = LLVMGetLinkage(f);
    if (l != LLVMInternalLinkage && l != LLVMPrivateLinkage)
        return false;
    for (LLVMUseRef u = LLVMGetFirstUse(f); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!LLVMIsAInstruction(user) || !au_ir_is_call(user) || LLVMGetCalledValue(user) != f)
            return false;
        for (unsigned k = 0, n = LLVMGetNumArgOperands(user); k < n; k++)
            if (LLVMGetOperand(user, k) == f)
                return false;
    }
    return true;
}

/* Hooks that are no events look at the runtime's state, too: a function that foreign code can
 * call must announce itself first. */
static void hook_the_enterable(planner *x) {
    au_hook_plan *p = x->p;
    for (size_t i = 0; i < p->function.n; i++) {
        au_plan_function *f = &p->function.at[i], bare = *f;
        if (f->hooked || f->left_out || is_inner(f->function))
            continue;
        bare.first = bare.end = 0;
        au_hook_vec found = {0};
        au_paths_add(p, &bare, &found);
        f->hooked = found.n > 0;
        au_vec_release(&found);
    }
}

/* Puts the hooks of one function into the plan: events and what paths.c adds, by number. */
static void put_function(planner *x, au_plan_function *f) {
    au_hook_plan *p = x->p;
    uint32_t first = (uint32_t)p->hook.n;
    for (uint32_t i = f->first; i < f->end; i++) {
        const au_hook *h = &x->found.at[i];
        if (f->hooked ||
            (h->kind != AU_HOOK_ENTER && h->kind != AU_HOOK_LEAVE && h->kind != AU_HOOK_LAND))
            au_vec_push(&p->hook, *h);
    }
    f->first = first;
    f->end = (uint32_t)p->hook.n;
    au_hook_vec more = {0};
    au_paths_add(p, f, &more);
    /* Merge from the end; both are in the order of numbers. */
    if (more.n > 0) {
        size_t events = f->end - first, k = more.n, to = events + k;
        au_vec_reserve(&p->hook, first + to);
        p->hook.n = first + to;
        au_hook *at = p->hook.at + first;
        while (k > 0) {
            if (events > 0 && at[events - 1].number > more.at[k - 1].number)
                at[--to] = at[--events];
            else
                at[--to] = more.at[--k];
        }
    }
    au_vec_release(&more);
    f->end = (uint32_t)p->hook.n;
    for (uint32_t i = first; i < f->end; i++)
        give_sites(p, &p->hook.at[i]);
}

void au_plan_init(au_hook_plan *p, au_ir *ir) {
    *p = (au_hook_plan){.ir = ir};
    au_escape_init(&p->escape, ir);
    au_map_init(&p->index);
    list_functions(p);
    planner x = {.p = p};
    for (uint32_t i = 0; i < p->function.n; i++) {
        au_plan_function *f = &p->function.at[i];
        f->first_number = p->instructions + 1;
        f->first = (uint32_t)x.found.n;
        bool entry = true;
        for (au_ir_walk w = au_ir_first(f->function, &p->instructions); w.insn; au_ir_next(&w)) {
            if (f->left_out)
                continue;
            if (entry)
                plan_entry(&x, &w, f->function);
            entry = false;
            plan_insn(&x, &w, i);
        }
        f->end = (uint32_t)x.found.n;
        for (uint32_t k = f->first; k < f->end; k++) {
            au_hook_kind kind = x.found.at[k].kind;
            f->hooked |= kind != AU_HOOK_ENTER && kind != AU_HOOK_LEAVE && kind != AU_HOOK_LAND;
        }
    }
    close_hooked(&x);
    hook_the_enterable(&x);
    close_hooked(&x);
    for (uint32_t i = 0; i < p->function.n; i++)
        put_function(&x, &p->function.at[i]);
    au_vec_release(&x.found);
    au_vec_release(&x.call);
}

void au_plan_release(au_hook_plan *p) {
    au_escape_release(&p->escape);
    au_map_release(&p->index);
    au_vec_release(&p->hook);
    au_vec_release(&p->site);
    au_vec_release(&p->function);
}
