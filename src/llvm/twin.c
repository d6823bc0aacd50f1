#include "llvm/twin.h"

#include "base/alloc.h"

#include <llvm-c/Comdat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* twin_clone.cc */
bool au_twin_possible(LLVMValueRef function);
LLVMValueRef au_twin_clone(LLVMValueRef function, const char *name);
LLVMValueRef au_twin_door(LLVMValueRef recorded, LLVMValueRef plain, LLVMValueRef on);

static char *name_with(LLVMValueRef f, const char *suffix) {
    size_t n;
    const char *name = LLVMGetValueName2(f, &n);
    size_t size = n + strlen(suffix) + 1;
    char *s = au_alloc(size);
    snprintf(s, size, "%.*s%s", (int)n, name, suffix);
    return s;
}

/* Which bodies LLVM may take from another module's object or leave out. */
static bool is_shared(LLVMValueRef f) {
    LLVMLinkage l = LLVMGetLinkage(f);
    return l == LLVMLinkOnceODRLinkage || l == LLVMWeakODRLinkage;
}

static bool has_labels(LLVMValueRef f) {
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        if (LLVMIsAIndirectBrInst(end) || LLVMIsACallBrInst(end))
            return true;
        for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(b)); u; u = LLVMGetNextUse(u))
            if (LLVMIsABlockAddress(LLVMGetUser(u)))
                return true;
    }
    return false;
}

void au_twins_copy(au_twins *t, const au_hook_plan *p) {
    *t = (au_twins){0};
    for (size_t i = 0; i < p->function.n; i++) {
        const au_plan_function *f = &p->function.at[i];
        if (f->first == f->end || LLVMGetLinkage(f->function) == LLVMAvailableExternallyLinkage ||
            has_labels(f->function) || !au_twin_possible(f->function))
            continue;
        char *name = name_with(f->function, ".plain");
        *au_map_put(&t->index, (uint64_t)(uintptr_t)f->function, NULL) = t->plain.n;
        au_vec_push(&t->recorded, f->function);
        au_vec_push(&t->plain, au_twin_clone(f->function, name));
        free(name);
    }
}

/* A call and the body that it shall enter. */
typedef struct {
    LLVMValueRef call, to;
} direct_call;
typedef AU_VEC(direct_call) direct_calls;

static void find_calls(const au_twins *t, const au_hook_plan *p, size_t which, bool plain,
                       direct_calls *out) {
    uint32_t n = 0;
    LLVMValueRef f = plain ? t->plain.at[which] : t->recorded.at[which];
    for (au_ir_walk w = au_ir_first(f, &n); w.insn; au_ir_next(&w)) {
        if (!au_ir_is_call(w.insn) || !au_plan_direct(p, w.insn))
            continue;
        uint64_t *at = au_map_find(&t->index, (uint64_t)(uintptr_t)LLVMGetCalledValue(w.insn));
        if (at)
            au_vec_push(out,
                        ((direct_call){w.insn, plain ? t->plain.at[*at] : t->recorded.at[*at]}));
    }
}

/* A body that several objects have is one of them at last, as f is. */
static void set_linkage(LLVMModuleRef m, LLVMValueRef body, bool shared) {
    size_t n;
    LLVMSetVisibility(body, LLVMDefaultVisibility);
    if (shared) {
        LLVMSetLinkage(body, LLVMLinkOnceODRLinkage);
        LLVMSetVisibility(body, LLVMHiddenVisibility);
        LLVMSetComdat(body, LLVMGetOrInsertComdat(m, LLVMGetValueName2(body, &n)));
    } else {
        LLVMSetComdat(body, NULL);
        LLVMSetLinkage(body, LLVMInternalLinkage);
    }
}

static void part(const au_ir *ir, LLVMValueRef recorded, LLVMValueRef plain, LLVMValueRef on) {
    size_t n;
    bool shared = is_shared(recorded);
    LLVMValueRef door = au_twin_door(recorded, plain, on);
    LLVMReplaceAllUsesWith(recorded, door);
    /* The jump to the body is no use that leads to the door. */
    LLVMValueRef jump =
        LLVMGetFirstInstruction(LLVMGetNextBasicBlock(LLVMGetEntryBasicBlock(door)));
    LLVMSetOperand(jump, (unsigned)LLVMGetNumOperands(jump) - 1, recorded);
    char *name = au_strdup(LLVMGetValueName2(recorded, &n)),
         *own = name_with(recorded, ".recorded");
    LLVMSetValueName2(recorded, own, strlen(own));
    LLVMSetValueName2(door, name, strlen(name));
    free(own);
    free(name);
    set_linkage(ir->module, recorded, shared);
    set_linkage(ir->module, plain, shared);
}

void au_twins_part(au_twins *t, const au_hook_plan *p) {
    const au_ir *ir = p->ir;
    direct_calls calls = {0};
    for (size_t i = 0; i < t->plain.n; i++) {
        find_calls(t, p, i, false, &calls);
        find_calls(t, p, i, true, &calls);
    }
    LLVMValueRef on = NULL;
    if (t->plain.n)
        on = LLVMAddGlobal(ir->module, LLVMInt32TypeInContext(ir->ctx), "__augur_on");
    for (size_t i = 0; i < t->plain.n; i++)
        part(ir, t->recorded.at[i], t->plain.at[i], on);
    for (size_t i = 0; i < calls.n; i++) {
        LLVMValueRef c = calls.at[i].call;
        LLVMSetOperand(c, (unsigned)LLVMGetNumOperands(c) - 1, calls.at[i].to);
    }
    au_vec_release(&calls);
    au_vec_release(&t->recorded);
    au_vec_release(&t->plain);
    au_map_release(&t->index);
}
