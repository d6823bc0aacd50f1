/* llvm/adopt.c: see adopt.h. */
#include "llvm/adopt.h"

#include <llvm-c/Comdat.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Linker.h>
#include <string.h>

/* The library has instantiated these templates already. Not so the streams: threads may share std::cout
 * without a lock, and what goes on inside is not the program's business. */
static bool is_string_code(const char *name) {
    static const char *const begins[] = {
        "_ZNSt7__cxx1112basic_string",
        "_ZNKSt7__cxx1112basic_string",
        "_ZNSt3__112basic_string",
        "_ZNKSt3__112basic_string",
        "_ZNSaIcE",
        "_ZNSaIwE",
    };
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (!strncmp(name, begins[i], strlen(begins[i])))
            return true;
    return false;
}

static void make_own(LLVMModuleRef m, LLVMValueRef f, const char *name) {
    LLVMSetLinkage(f, LLVMLinkOnceODRLinkage);
    LLVMSetVisibility(f, LLVMHiddenVisibility);
    LLVMSetComdat(f, LLVMGetOrInsertComdat(m, name));
}

static void adopt_strings(LLVMModuleRef m) {
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
        size_t n;
        const char *name = LLVMGetValueName2(f, &n);
        if (!LLVMIsDeclaration(f) && LLVMGetLinkage(f) == LLVMAvailableExternallyLinkage &&
            is_string_code(name))
            make_own(m, f, name);
    }
}

/* ---- trees and lists ---- */

/* Does the module call a function whose name looks like one of ours? Most do not, and are spared the
 * reading of what we have. */
static bool calls_containers(LLVMModuleRef m) {
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
        size_t n;
        const char *name = LLVMGetValueName2(f, &n);
        if (LLVMIsDeclaration(f) && LLVMGetFirstUse(f) &&
            (!strncmp(name, "_ZSt18_Rb_tree_", 15) || !strncmp(name, "_ZSt28_Rb_tree_", 15) ||
             !strncmp(name, "_ZSt29_Rb_tree_", 15) ||
             !strncmp(name, "_ZNSt8__detail15_List_node_base", 31) ||
             !strncmp(name, "_ZNKSt8__detail20_Prime_rehash_policy", 37)))
            return true;
    }
    return false;
}

/* Linking takes of the functions those that the module calls. */
static au_status adopt_containers(au_ir *ir, au_error *err) {
    LLVMMemoryBufferRef text = LLVMCreateMemoryBufferWithMemoryRange(
        au_containers, au_containers_size, "containers", /*RequiresNullTerminator*/ 1);
    LLVMModuleRef ours = NULL;
    char *why = NULL;
    if (LLVMParseIRInContext(ir->ctx, text, &ours, &why)) { /* takes the buffer */
        au_error_set(err, AU_EINTERNAL, "augur's containers cannot be read: %s", why ? why : "?");
        LLVMDisposeMessage(why);
        return AU_EINTERNAL;
    }
    LLVMSetTarget(ours, LLVMGetTarget(ir->module));
    LLVMSetDataLayout(ours, LLVMGetDataLayoutStr(ir->module));
    for (LLVMValueRef f = LLVMGetFirstFunction(ours); f; f = LLVMGetNextFunction(f)) {
        size_t n;
        if (!LLVMIsDeclaration(f) && LLVMGetLinkage(f) == LLVMExternalLinkage)
            make_own(ours, f, LLVMGetValueName2(f, &n));
    }
    if (LLVMLinkModules2(ir->module, ours)) /* takes the module */
        return au_error_set(err, AU_EINTERNAL, "augur's containers cannot be linked");
    return AU_OK;
}

au_status au_ir_adopt(au_ir *ir, au_error *err) {
    adopt_strings(ir->module);
    return calls_containers(ir->module) ? adopt_containers(ir, err) : AU_OK;
}
