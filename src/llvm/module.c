#include "llvm/api.h"

#include "base/alloc.h"
#include "wire/embed.h"
#include "llvm/embed.h"
#include "llvm/emit.h"
#include "llvm/ir.h"
#include "llvm/plan.h"
#include "llvm/tables.h"
#include "llvm/twin.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <xxhash.h>

void au_llvm_on_oom(void (*handler)(size_t bytes)) {
    au_alloc_on_oom(handler);
}

uint32_t au_llvm_api(void) {
    return AU_LLVM_API;
}

void au_llvm_free(char *message) {
    free(message);
}

static LLVMModuleRef read_module(LLVMContextRef ctx, const char *path, au_error *err) {
    LLVMMemoryBufferRef file;
    char *text = NULL;
    if (LLVMCreateMemoryBufferWithContentsOfFile(path, &file, &text)) {
        au_error_set(err, AU_EIO, "cannot read '%s': %s", path, text ? text : "?");
        LLVMDisposeMessage(text);
        return NULL;
    }
    LLVMModuleRef m = NULL;
    au_error said = AU_ERROR_NONE;
    LLVMContextSetDiagnosticHandler(ctx, au_ir_on_diagnostic, &said);
    bool failed = LLVMParseBitcodeInContext2(ctx, file, &m);
    LLVMContextSetDiagnosticHandler(ctx, NULL, NULL);
    LLVMDisposeMemoryBuffer(file);
    if (failed) {
        au_error_set(err, AU_EFORMAT, "'%s' is not bitcode of LLVM 19%s%s", path,
                     said.status ? ": " : "", said.status ? said.text : "");
        return NULL;
    }
    return m;
}

/* Empty modules stay as they are: nothing to record, nothing to register. */
static bool is_empty(LLVMModuleRef m) {
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            return false;
    for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g))
        if (!LLVMIsDeclaration(g))
            return false;
    return true;
}

static void add_hooks(au_ir *ir, LLVMMemoryBufferRef clean) {
    uint64_t id = XXH3_64bits(LLVMGetBufferStart(clean), LLVMGetBufferSize(clean));
    au_hook_plan plan;
    au_tables_made tables;
    au_twins twins;
    au_plan_init(&plan, ir);
    au_tables_make(&plan, &tables);
    au_twins_copy(&twins, &plan);
    LLVMValueRef sites = au_emit_hooks(&plan);
    au_twins_part(&twins, &plan);
    LLVMValueRef record = au_embed_record(ir, AU_EMBED_TABLES, id, tables.bytes, tables.n, false);
    au_embed_record(ir, AU_EMBED_BITCODE, id, LLVMGetBufferStart(clean), LLVMGetBufferSize(clean),
                    true);
    au_embed_register(ir, id, sites, (uint32_t)plan.site.n, tables.global.at,
                      (uint32_t)tables.global.n, record);
    au_tables_release(&tables);
    au_plan_release(&plan);
}

static au_status write_file(const char *path, LLVMMemoryBufferRef b, au_error *err) {
    FILE *f = fopen(path, "wb");
    if (!f)
        return au_error_errno(err, "cannot create '%s'", path);
    size_t n = LLVMGetBufferSize(b);
    bool good = fwrite(LLVMGetBufferStart(b), 1, n, f) == n;
    good = fclose(f) == 0 && good;
    if (!good) {
        au_error_errno(err, "cannot write '%s'", path);
        unlink(path);
        return AU_EIO;
    }
    return AU_OK;
}

/* Assembler of another machine would keep the output from being compiled. */
static void drop_asm(LLVMModuleRef m) {
    LLVMSetModuleInlineAsm2(m, "", 0);
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
                if (!LLVMIsACallInst(i) || !LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
                    continue;
                LLVMValueRef was = LLVMGetCalledValue(i);
                size_t n;
                const char *text = LLVMGetInlineAsmConstraintString(was, &n);
                char *own = au_strndup(text, n);
                LLVMValueRef none = LLVMGetInlineAsm(
                    LLVMGetCalledFunctionType(i), "", 0, own, n,
                    LLVMGetInlineAsmHasSideEffects(was), LLVMGetInlineAsmNeedsAlignedStack(was),
                    LLVMGetInlineAsmDialect(was), LLVMGetInlineAsmCanUnwind(was));
                LLVMSetOperand(i, (unsigned)LLVMGetNumOperands(i) - 1, none);
                free(own);
            }
}

static au_status instrument(LLVMContextRef ctx, LLVMModuleRef m, const char *out,
                            const struct au_llvm_options *o, au_error *err) {
    (void)ctx;
    au_ir ir;
    au_ir_init(&ir, m);
    au_status st = au_ir_clean(&ir, err);
    if (st == AU_OK)
        st = au_ir_verify(&ir, "the clean module", err);
    if (st != AU_OK)
        return st;
    LLVMMemoryBufferRef clean = LLVMWriteBitcodeToMemoryBuffer(m);
    if (o->clean)
        st = write_file(o->clean, clean, err);
    if (st == AU_OK && !(o->flags & AU_LLVM_NO_HOOKS) && !is_empty(m)) {
        add_hooks(&ir, clean);
        st = au_ir_verify(&ir, "the instrumented module", err);
    }
    LLVMDisposeMemoryBuffer(clean);
    if (st != AU_OK)
        return st;
    if (o->flags & AU_LLVM_NO_ASM)
        drop_asm(m);
    if (o->flags & AU_LLVM_DROP_DEBUG)
        LLVMStripModuleDebugInfo(m);
    LLVMMemoryBufferRef made = LLVMWriteBitcodeToMemoryBuffer(m);
    st = write_file(out, made, err);
    LLVMDisposeMemoryBuffer(made);
    return st;
}

int au_llvm_instrument(const char *in_bc, const char *out_bc, const struct au_llvm_options *options,
                       char **message) {
    au_error err = AU_ERROR_NONE;
    au_status st = AU_OK;
    if (options->api != AU_LLVM_API) {
        st = au_error_set(&err, AU_EINTERNAL, "'%s' has interface version %u, its caller %u",
                          AU_LLVM_MODULE, AU_LLVM_API, options->api);
    } else {
        LLVMContextRef ctx = LLVMContextCreate();
        LLVMModuleRef m = read_module(ctx, in_bc, &err);
        st = err.status;
        if (m) {
            st = instrument(ctx, m, out_bc, options, &err);
            LLVMDisposeModule(m);
        }
        LLVMContextDispose(ctx);
    }
    if (st == AU_OK)
        return AU_LLVM_OK;
    *message = au_strdup(err.text);
    return st == AU_EINTERNAL ? AU_LLVM_EINTERNAL : AU_LLVM_EINPUT;
}
