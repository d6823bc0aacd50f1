#include "llvm/ir.h"

#include "base/alloc.h"
#include "llvm/adopt.h"
#include "llvm/asm.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/Support.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>
#include <string.h>

#define FUNC ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)
#define MARK "augur-marked"
#define INLINE_COST "225" /* what clang -O2 takes */

static unsigned kind_of(const char *name) {
    return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

void au_ir_on_diagnostic(LLVMDiagnosticInfoRef info, void *err) {
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
        return;
    char *text = LLVMGetDiagInfoDescription(info);
    au_error_set(err, AU_EFORMAT, "%s", text);
    LLVMDisposeMessage(text);
}

void au_ir_init(au_ir *ir, LLVMModuleRef module) {
    *ir = (au_ir){
        .ctx = LLVMGetModuleContext(module),
        .module = module,
        .layout = LLVMGetModuleDataLayout(module),
        .a_noreturn = kind_of("noreturn"),
        .a_returns_twice = kind_of("returns_twice"),
        .a_byval = kind_of("byval"),
        .a_naked = kind_of("naked"),
        .a_sanitize_thread = kind_of("sanitize_thread"),
    };
}

/* Cleaning ---------------------------------------------------------------- */

/* simplifycfg on its own would merge and hoist conditional stores, and execute loads that
 * the source only executes on one side of a branch: such an access would be a race that the
 * program does not have. */
static void set_options_once(void) {
    static bool done;
    if (done)
        return;
    done = true;
    static const char *const args[] = {
        "augur",
        "-simplifycfg-merge-cond-stores=false",
        "-simplifycfg-hoist-cond-stores=false",
        "-simplifycfg-merge-compatible-invokes=false",
        "-inline-threshold=" INLINE_COST,
        "-inlinehint-threshold=" INLINE_COST,
    };
    LLVMParseCommandLineOptions(sizeof args / sizeof *args, args, "");
}

/* always-inline first: such functions have no call to tell of, and some have no other body.
 * elim-avail-extern: a body that is only there for inlining is not this module's code.
 * coro-*: a coroutine becomes ordinary functions that begin, resume and destroy it, and what it keeps
 * becomes memory like any other, before there are hooks.
 * Then small functions (accessors, operators, the methods of std::atomic) go into their
 * callers: they would cost more events for entering and leaving, and for locals whose
 * address they take, than for what they do. The mark keeps functions that are left out of
 * instrumentation from being mixed with others. */
#define SIMPLIFY                                                                                   \
    "sroa,mem2reg,simplifycfg<no-speculate-blocks;no-hoist-common-insts;no-sink-common-insts;"     \
    "no-switch-to-lookup;no-switch-range-to-icmp;keep-loops>"
#define CLEAN_PASSES                                                                               \
    "always-inline,elim-avail-extern,coro-early,cgscc(coro-split),coro-cleanup,"                   \
    "function(" SIMPLIFY "),cgscc(inline),"                                                        \
    "function(" SIMPLIFY ",break-crit-edges)"

static au_status run_passes(au_ir *ir, const char *passes, au_error *err) {
    set_options_once();
    /* The mark of ThreadSanitizer keeps every pass from making accesses up; it is taken
     * off again where the user's compilation did not set it. */
    LLVMAttributeRef mark = LLVMCreateEnumAttribute(ir->ctx, ir->a_sanitize_thread, 0);
    LLVMAttributeRef ours = LLVMCreateStringAttribute(ir->ctx, MARK, strlen(MARK), "", 0);
    for (LLVMValueRef f = LLVMGetFirstFunction(ir->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && !LLVMGetEnumAttributeAtIndex(f, FUNC, ir->a_sanitize_thread)) {
            LLVMAddAttributeAtIndex(f, FUNC, mark);
            LLVMAddAttributeAtIndex(f, FUNC, ours);
        }
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef failed = LLVMRunPasses(ir->module, passes, NULL, options);
    LLVMDisposePassBuilderOptions(options);
    for (LLVMValueRef f = LLVMGetFirstFunction(ir->module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMGetStringAttributeAtIndex(f, FUNC, MARK, strlen(MARK))) {
            LLVMRemoveStringAttributeAtIndex(f, FUNC, MARK, strlen(MARK));
            LLVMRemoveEnumAttributeAtIndex(f, FUNC, ir->a_sanitize_thread);
        }
    }
    if (failed) {
        char *text = LLVMGetErrorMessage(failed);
        au_error_set(err, AU_EINTERNAL, "cleaning failed: %s", text);
        LLVMDisposeErrorMessage(text);
        return AU_EINTERNAL;
    }
    /* LLVM-C 19 cannot walk debug records, but it can read calls of llvm.dbg.*. */
    LLVMSetIsNewDbgInfoFormat(ir->module, false);
    return AU_OK;
}

static bool is_wide(const au_ir *ir, LLVMValueRef i) {
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        return LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic &&
               au_ir_size(ir, LLVMTypeOf(i)) == 16;
    case LLVMStore:
        return LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic &&
               au_ir_size(ir, LLVMTypeOf(LLVMGetOperand(i, 0))) == 16;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return au_ir_size(ir, LLVMTypeOf(LLVMGetOperand(i, 1))) == 16;
    default:
        return false;
    }
}

static bool any_wide(const au_ir *ir) {
    for (LLVMValueRef f = LLVMGetFirstFunction(ir->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                if (is_wide(ir, i))
                    return true;
    return false;
}

/* Atomics of 16 bytes are calls of libatomic unless the machine is said to have cmpxchg16b: calls
 * that the compiler makes after the hooks are there, of functions that the runtime records, too. So
 * it is said; every machine that libatomic's own are lock-free on has it. To all functions: one that
 * has less may not be inlined into another. */
static void allow_wide(au_ir *ir) {
    static const char key[] = "target-features";
    if (strncmp(LLVMGetTarget(ir->module), "x86_64", 6) != 0 || !any_wide(ir))
        return;
    for (LLVMValueRef f = LLVMGetFirstFunction(ir->module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f))
            continue;
        LLVMAttributeRef old = LLVMGetStringAttributeAtIndex(f, FUNC, key, sizeof key - 1);
        unsigned n = 0;
        const char *was = old ? LLVMGetStringAttributeValue(old, &n) : "";
        char *now = au_sprintf("%.*s%s+cx16", (int)n, was, n ? "," : "");
        LLVMAttributeRef more =
            LLVMCreateStringAttribute(ir->ctx, key, sizeof key - 1, now, (unsigned)strlen(now));
        LLVMAddAttributeAtIndex(f, FUNC, more);
        free(now);
    }
}

/* Functions that mean something by their names (SV-COMP's) must stay calls. */
static void keep_named(au_ir *ir) {
    static const char *const name[] = {"__VERIFIER_atomic_", "__VERIFIER_error", "reach_error"};
    unsigned always = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
    unsigned never = LLVMGetEnumAttributeKindForName("noinline", 8);
    for (LLVMValueRef f = LLVMGetFirstFunction(ir->module); f; f = LLVMGetNextFunction(f)) {
        size_t n;
        const char *own = LLVMGetValueName2(f, &n);
        for (size_t k = 0; k < sizeof name / sizeof *name; k++)
            if (!strncmp(own, name[k], strlen(name[k]))) {
                LLVMRemoveEnumAttributeAtIndex(f, FUNC, always);
                LLVMAddAttributeAtIndex(f, FUNC, LLVMCreateEnumAttribute(ir->ctx, never, 0));
            }
    }
}

au_status au_ir_clean(au_ir *ir, au_error *err) {
    au_asm_decode(ir);
    allow_wide(ir);
    au_status st = au_ir_adopt(ir, err);
    keep_named(ir);
    if (st == AU_OK)
        st = run_passes(ir, CLEAN_PASSES, err);
    if (st == AU_OK)
        au_asm_pair(ir);
    return st;
}

#define UNROLL_PASSES                                                                              \
    "function(loop-simplify,lcssa,loop(loop-rotate<header-duplication>,loop-unroll-full),sccp,"    \
    "simplifycfg<no-speculate-blocks;no-hoist-common-insts;no-sink-common-insts;"                  \
    "no-switch-to-lookup;no-switch-range-to-icmp;keep-loops>)"
#define UNROLLED_PASSES "function(sroa,mem2reg,break-crit-edges)"

/* Loads whose value nobody uses are accesses all the same: nobody may take them away. */
static void keep_loads(au_ir *ir, unsigned kind, bool begin) {
    LLVMMetadataRef empty = LLVMMDNodeInContext2(ir->ctx, NULL, 0);
    LLVMValueRef mark = LLVMMetadataAsValue(ir->ctx, empty);
    for (LLVMValueRef f = LLVMGetFirstFunction(ir->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
                if (!LLVMIsALoadInst(i) || (begin ? LLVMGetVolatile(i) : !LLVMGetMetadata(i, kind)))
                    continue;
                LLVMSetVolatile(i, begin);
                LLVMSetMetadata(i, kind, begin ? mark : NULL);
            }
}

static unsigned number_kind(const au_ir *ir) {
    return LLVMGetMDKindIDInContext(ir->ctx, "augur.number", 12);
}

/* In the order of au_plan_init. */
static void keep_numbers(au_ir *ir) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(ir->ctx);
    unsigned kind = number_kind(ir);
    uint32_t n = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(ir->module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f))
            continue;
        for (au_ir_walk w = au_ir_first(f, &n); w.insn; au_ir_next(&w)) {
            LLVMMetadataRef number = LLVMValueAsMetadata(LLVMConstInt(i32, w.number, false));
            LLVMSetMetadata(
                w.insn, kind,
                LLVMMetadataAsValue(ir->ctx, LLVMMDNodeInContext2(ir->ctx, &number, 1)));
        }
    }
}

uint32_t au_ir_was(const au_ir *ir, LLVMValueRef insn) {
    LLVMValueRef node = LLVMGetMetadata(insn, number_kind(ir)), number;
    if (!node || LLVMGetMDNodeNumOperands(node) != 1)
        return 0;
    LLVMGetMDNodeOperands(node, &number);
    return LLVMIsAConstantInt(number) ? (uint32_t)LLVMConstIntGetZExtValue(number) : 0;
}

au_status au_ir_unroll(au_ir *ir, au_error *err) {
    keep_numbers(ir);
    /* At -O1 clang marks every loop as not to be unrolled. */
    unsigned loop = LLVMGetMDKindIDInContext(ir->ctx, "llvm.loop", 9);
    for (LLVMValueRef f = LLVMGetFirstFunction(ir->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            if (LLVMGetMetadata(LLVMGetBasicBlockTerminator(b), loop))
                LLVMSetMetadata(LLVMGetBasicBlockTerminator(b), loop, NULL);
    unsigned kept = LLVMGetMDKindIDInContext(ir->ctx, "augur.kept", 10);
    keep_loads(ir, kept, true);
    au_status st = run_passes(ir, UNROLL_PASSES, err);
    keep_loads(ir, kept, false);
    return st == AU_OK ? run_passes(ir, UNROLLED_PASSES, err) : st;
}

au_status au_ir_verify(au_ir *ir, const char *what, au_error *err) {
    char *text = NULL;
    if (LLVMVerifyModule(ir->module, LLVMReturnStatusAction, &text)) {
        char *nl = text ? strchr(text, '\n') : NULL;
        if (nl)
            *nl = 0;
        au_error_set(err, AU_EINTERNAL, "%s is not valid IR: %s", what, text ? text : "?");
        LLVMDisposeMessage(text);
        return AU_EINTERNAL;
    }
    LLVMDisposeMessage(text);
    return AU_OK;
}

/* Numbers ----------------------------------------------------------------- */

/* The first instruction with a number from here on, in this block or a later one. */
static void settle(au_ir_walk *w) {
    for (;;) {
        while (w->insn && au_ir_is_debug(w->insn))
            w->insn = LLVMGetNextInstruction(w->insn);
        if (w->insn)
            break;
        w->block = LLVMGetNextBasicBlock(w->block);
        if (!w->block)
            return;
        w->insn = LLVMGetFirstInstruction(w->block);
    }
    w->number = ++*w->last;
}

au_ir_walk au_ir_first(LLVMValueRef function, uint32_t *last) {
    au_ir_walk w = {.block = LLVMGetFirstBasicBlock(function), .last = last};
    if (w.block) {
        w.insn = LLVMGetFirstInstruction(w.block);
        settle(&w);
    }
    return w;
}

void au_ir_next(au_ir_walk *w) {
    w->insn = LLVMGetNextInstruction(w->insn);
    settle(w);
}

uint32_t au_ir_count(LLVMValueRef function) {
    uint32_t n = 0;
    for (au_ir_walk w = au_ir_first(function, &n); w.insn; au_ir_next(&w)) {
    }
    return n;
}

/* Calls ------------------------------------------------------------------- */

bool au_ir_is_call(LLVMValueRef insn) {
    switch (LLVMGetInstructionOpcode(insn)) {
    case LLVMCall:
    case LLVMInvoke:
    case LLVMCallBr:
        return true;
    default:
        return false;
    }
}

LLVMValueRef au_ir_callee(LLVMValueRef call) {
    LLVMValueRef f = LLVMGetCalledValue(call);
    while (LLVMIsAGlobalAlias(f))
        f = LLVMAliasGetAliasee(f);
    return LLVMIsAFunction(f) ? f : NULL;
}

const char *au_ir_intrinsic(LLVMValueRef insn) {
    if (!au_ir_is_call(insn))
        return NULL;
    LLVMValueRef f = LLVMGetCalledValue(insn);
    if (!LLVMIsAFunction(f))
        return NULL;
    size_t len;
    const char *name = LLVMGetValueName2(f, &len);
    return strncmp(name, "llvm.", 5) == 0 ? name : NULL;
}

bool au_ir_is(const char *intrinsic, const char *name) {
    if (!intrinsic)
        return false;
    size_t n = strlen(name);
    return strncmp(intrinsic, name, n) == 0 && (intrinsic[n] == 0 || intrinsic[n] == '.');
}

bool au_ir_is_debug(LLVMValueRef insn) {
    return au_ir_is(au_ir_intrinsic(insn), "llvm.dbg");
}

bool au_ir_call_has(LLVMValueRef call, unsigned attribute) {
    if (LLVMGetCallSiteEnumAttribute(call, FUNC, attribute))
        return true;
    LLVMValueRef f = au_ir_callee(call);
    return f && LLVMGetEnumAttributeAtIndex(f, FUNC, attribute);
}

bool au_ir_is_plain_pointer(LLVMTypeRef type) {
    return LLVMGetTypeKind(type) == LLVMPointerTypeKind && LLVMGetPointerAddressSpace(type) == 0;
}

LLVMValueRef au_ir_first_insertion(LLVMBasicBlockRef block) {
    LLVMValueRef i = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(i) || LLVMIsALandingPadInst(i) || au_ir_is_debug(i))
        i = LLVMGetNextInstruction(i);
    return i;
}
