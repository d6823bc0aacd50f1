#include "llvm/embed.h"

#include "base/alloc.h"
#include "base/vec.h"
#include "wire/embed.h"
#include "wire/stream.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

typedef AU_VEC(LLVMValueRef) values;

/* Adds an element to one of LLVM's appending arrays (llvm.used, llvm.global_ctors), which
 * have to be made anew to grow. */
static void append(au_ir *ir, const char *name, LLVMTypeRef type, LLVMValueRef v) {
    values all = {0};
    LLVMValueRef old = LLVMGetNamedGlobal(ir->module, name);
    if (old) {
        LLVMValueRef init = LLVMGetInitializer(old);
        for (unsigned i = 0; i < LLVMGetArrayLength2(LLVMGlobalGetValueType(old)); i++)
            au_vec_push(&all, LLVMGetAggregateElement(init, i));
        LLVMDeleteGlobal(old);
    }
    au_vec_push(&all, v);
    LLVMValueRef g = LLVMAddGlobal(ir->module, LLVMArrayType2(type, all.n), name);
    LLVMSetInitializer(g, LLVMConstArray2(type, all.at, all.n));
    LLVMSetLinkage(g, LLVMAppendingLinkage);
    if (strcmp(name, "llvm.used") == 0)
        LLVMSetSection(g, "llvm.metadata");
    au_vec_release(&all);
}

LLVMValueRef au_embed_record(au_ir *ir, const char *magic, uint64_t module, const void *payload,
                             size_t n, bool pack) {
    size_t room = pack ? ZSTD_compressBound(n) : n;
    if (room < n)
        room = n;
    size_t total = sizeof(struct au_embed) + room + 16;
    unsigned char *bytes = au_alloc_array(total, 1);
    unsigned char *body = bytes + sizeof(struct au_embed);
    size_t length = n;
    if (pack) {
        length = ZSTD_compress(body, room, payload, n, 6);
        /* Equal lengths mean 'not packed' to readers. */
        if (ZSTD_isError(length) || length >= n)
            length = n;
    }
    if (length == n)
        memcpy(body, payload, n);
    total = (sizeof(struct au_embed) + length + 15) & ~(size_t)15;
    memset(body + length, 0, total - sizeof(struct au_embed) - length);
    struct au_embed head = {.total = total,
                            .length = length,
                            .raw = n,
                            .hash = XXH3_64bits(body, length),
                            .module = module};
    memcpy(head.magic, magic, sizeof head.magic);
    memcpy(bytes, &head, sizeof head);

    LLVMValueRef data = LLVMConstStringInContext2(ir->ctx, (const char *)bytes, total, true);
    LLVMValueRef g = LLVMAddGlobal(ir->module, LLVMTypeOf(data), "augur.record");
    LLVMSetInitializer(g, data);
    LLVMSetLinkage(g, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(g, true);
    LLVMSetSection(g, AU_EMBED_SECTION);
    LLVMSetAlignment(g, 16);
    free(bytes);
    append(ir, "llvm.used", LLVMPointerTypeInContext(ir->ctx, 0), g);
    return g;
}

void au_embed_register(au_ir *ir, uint64_t module, LLVMValueRef sites, uint32_t n_sites,
                       LLVMValueRef *globals, uint32_t n_globals, LLVMValueRef tables) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(ir->ctx), i64 = LLVMInt64TypeInContext(ir->ctx);
    LLVMTypeRef ptr = LLVMPointerTypeInContext(ir->ctx, 0);
    LLVMValueRef null = LLVMConstNull(ptr), list = null;
    if (n_globals > 0) {
        LLVMTypeRef t = LLVMArrayType2(ptr, n_globals);
        list = LLVMAddGlobal(ir->module, t, "augur.globals");
        LLVMSetInitializer(list, LLVMConstArray2(ptr, globals, n_globals));
        LLVMSetLinkage(list, LLVMPrivateLinkage);
        LLVMSetGlobalConstant(list, true);
    }
    LLVMValueRef field[] = {LLVMConstInt(i32, AU_HOOKS_VERSION, false),
                            LLVMConstInt(i32, n_sites, false),
                            LLVMConstInt(i64, module, false),
                            sites ? sites : null,
                            LLVMConstInt(i32, n_globals, false),
                            LLVMConstInt(i32, 0, false),
                            list,
                            tables};
    LLVMValueRef init =
        LLVMConstStructInContext(ir->ctx, field, sizeof field / sizeof *field, false);
    LLVMValueRef m = LLVMAddGlobal(ir->module, LLVMTypeOf(init), "augur.module");
    LLVMSetInitializer(m, init);
    LLVMSetLinkage(m, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(m, true);

    LLVMTypeRef void_type = LLVMVoidTypeInContext(ir->ctx);
    LLVMTypeRef reg_type = LLVMFunctionType(void_type, &ptr, 1, false);
    LLVMTypeRef ctor_type = LLVMFunctionType(void_type, NULL, 0, false);
    LLVMValueRef reg = LLVMGetNamedFunction(ir->module, "__augur_module");
    if (!reg)
        reg = LLVMAddFunction(ir->module, "__augur_module", reg_type);
    LLVMValueRef ctor = LLVMAddFunction(ir->module, "augur.register", ctor_type);
    LLVMSetLinkage(ctor, LLVMInternalLinkage);
    unsigned nounwind = LLVMGetEnumAttributeKindForName("nounwind", 8);
    LLVMAddAttributeAtIndex(ctor, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(ir->ctx, nounwind, 0));
    LLVMBuilderRef b = LLVMCreateBuilderInContext(ir->ctx);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(ir->ctx, ctor, ""));
    LLVMBuildCall2(b, reg_type, reg, &m, 1, "");
    LLVMBuildRetVoid(b);
    LLVMDisposeBuilder(b);
    LLVMValueRef entry[] = {LLVMConstInt(i32, 0, false), ctor, null};
    LLVMValueRef row = LLVMConstStructInContext(ir->ctx, entry, 3, false);
    append(ir, "llvm.global_ctors", LLVMTypeOf(row), row);
}
