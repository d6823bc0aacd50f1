/* llvm/load.h: opening augur-llvm.so. */
#ifndef AU_LLVM_LOAD_H
#define AU_LLVM_LOAD_H

/* As dlopen, NULL and dlerror() on failure. It stays loaded: libLLVM does not like to be closed and opened again.
 * Where LLVM has no memory, au_out_of_memory is called. */
void *au_llvm_load(const char *path);

#endif
