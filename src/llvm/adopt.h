/* llvm/adopt.h: code of the C++ library that becomes the program's own, so that it has hooks.
 * Part of augur-llvm.so only. */
#ifndef AU_LLVM_ADOPT_H
#define AU_LLVM_ADOPT_H

#include "llvm/ir.h"

/* Before the module is cleaned. std::string and its allocators: bodies that clang gives for inlining only
 * become definitions. Trees, lists and tables (std::map, std::set, std::list, std::unordered_map): where the module calls the
 * library's functions, it gets definitions of them (rt/cxx/containers.c). What is adopted is hidden: the
 * library goes on using its own. */
au_status au_ir_adopt(au_ir *ir, au_error *err);

/* rt/cxx/containers.c as LLVM's text, with a null behind it. */
extern const char au_containers[];
extern const unsigned long au_containers_size;

#endif
