/* llvm/dinfo.h: reading debug information. LLVM-C has getters for little of it; the rest is
 * in the operands of the nodes, whose places are facts about LLVM 19 (checked by
 * tests/code). Strings are borrowed from the context. */
#ifndef AU_LLVM_DINFO_H
#define AU_LLVM_DINFO_H

#include "llvm/ir.h"

/* Operands by node. */
enum {
    AU_DI_FILE = 0, /* scopes and types */
    AU_DI_SCOPE = 1,
    AU_DI_NAME = 2,                /* types, subprograms, namespaces */
    AU_DI_BASE = 3,                /* derived and composite types */
    AU_DI_ELEMENTS = 4,            /* composite types */
    AU_DI_TEMPLATE_PARAMETERS = 6, /* composite types: C++ only */
    AU_DI_IDENTIFIER = 7,          /* … */
    AU_DI_PARAMETER_TYPE = 1,      /* parameters of templates */
    AU_DI_SUBPROGRAM_TYPE = 4,
    AU_DI_VARIABLE_NAME = 1, /* local and global variables */
    AU_DI_VARIABLE_TYPE = 3
};

/* Tags of DWARF. */
enum {
    AU_TAG_ARRAY = 0x01,
    AU_TAG_CLASS = 0x02,
    AU_TAG_ENUM = 0x04,
    AU_TAG_MEMBER = 0x0d,
    AU_TAG_POINTER = 0x0f,
    AU_TAG_REFERENCE = 0x10,
    AU_TAG_STRUCT = 0x13,
    AU_TAG_SUBROUTINE = 0x15,
    AU_TAG_TYPEDEF = 0x16,
    AU_TAG_UNION = 0x17,
    AU_TAG_INHERITANCE = 0x1c,
    AU_TAG_BASE = 0x24,
    AU_TAG_CONST = 0x26,
    AU_TAG_VOLATILE = 0x35,
    AU_TAG_RESTRICT = 0x37,
    AU_TAG_NAMESPACE = 0x39,
    AU_TAG_RVALUE_REFERENCE = 0x42,
    AU_TAG_ATOMIC = 0x47
};

/* NULL where there is none. */
LLVMMetadataRef au_di_operand(const au_ir *ir, LLVMMetadataRef node, unsigned i);
unsigned au_di_operands(const au_ir *ir, LLVMMetadataRef node);
/* "" where there is none. */
const char *au_di_string(const au_ir *ir, LLVMMetadataRef node, unsigned i, size_t *len);
/* The value of an operand that is a constant integer; 'otherwise' if it is none. */
int64_t au_di_number(const au_ir *ir, LLVMMetadataRef node, unsigned i, int64_t otherwise);
bool au_di_is_type(LLVMMetadataRef node);

/* Looks through typedefs and qualifiers; *alias (may be NULL) is the outermost typedef. */
LLVMMetadataRef au_di_strip(const au_ir *ir, LLVMMetadataRef type, LLVMMetadataRef *alias);
/* The subprogram that a scope lies in, or NULL. */
LLVMMetadataRef au_di_subprogram(const au_ir *ir, LLVMMetadataRef scope);
/* "ns::class::name" into buf, always terminated; returns its length. */
size_t au_di_qualified(const au_ir *ir, LLVMMetadataRef node, char *buf, size_t cap);
/* The variable of a global, or NULL. */
LLVMMetadataRef au_di_global(const au_ir *ir, LLVMValueRef global);
/* For a call of llvm.dbg.declare or llvm.dbg.value: the value and the variable. False: it
 * has no value. */
bool au_di_binding(const au_ir *ir, LLVMValueRef call, LLVMValueRef *value,
                   LLVMMetadataRef *variable);
/* A file as the compiler was told of it, or, if that cannot be seen, its absolute path, without the
 * directory that the compiler ran in (clang cuts an absolute path in two where the two part). Into
 * buf, always terminated; returns its length. */
size_t au_di_path(const au_ir *ir, LLVMMetadataRef file, char *buf, size_t cap);
/* Whether a location lies in a system header. */
bool au_di_is_system(LLVMMetadataRef where);
/* The place that says something to the user: where a function of a system header (std::mutex,
 * std::atomic …) was inlined, the call of it. */
LLVMMetadataRef au_di_users_place(LLVMMetadataRef where);

#endif
