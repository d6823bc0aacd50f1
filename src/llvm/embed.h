/* llvm/embed.h: what goes into the object beside the hooks: the records of wire/embed.h in
 * section .augurbc, and the constructor that registers the module with the runtime. */
#ifndef AU_LLVM_EMBED_H
#define AU_LLVM_EMBED_H

#include "llvm/ir.h"

#include <stddef.h>

/* Adds a record with this payload as a private variable, kept alive by llvm.used. pack: compress
 * it if that helps. Returns the variable. */
LLVMValueRef au_embed_record(au_ir *ir, const char *magic, uint64_t module, const void *payload,
                             size_t n, bool pack);

/* Adds struct __augur_module and a constructor of priority 0 that registers it. sites may be
 * NULL (then n_sites is 0); globals are constant pointers. */
void au_embed_register(au_ir *ir, uint64_t module, LLVMValueRef sites, uint32_t n_sites,
                       LLVMValueRef *globals, uint32_t n_globals, LLVMValueRef tables);

#endif
