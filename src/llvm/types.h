/* llvm/types.h: the tables' types, members and strings, built on demand. */
#ifndef AU_LLVM_TYPES_H
#define AU_LLVM_TYPES_H

#include "base/hash.h"
#include "base/intern.h"
#include "base/vec.h"
#include "wire/embed.h"
#include "llvm/dinfo.h"

typedef struct {
    const au_ir *ir;
    AU_VEC(struct au_tab_type) type;
    AU_VEC(struct au_tab_member) member;
    AU_VEC(char) strings;
    AU_VEC(uint32_t) offset; /* of an interned string in 'strings' */
    au_intern names;
    au_map index; /* type node -> index + 1 */
} au_types;

void au_types_init(au_types *t, const au_ir *ir);
void au_types_release(au_types *t);

/* Offset of the string in 'strings'; "" is 0. */
uint32_t au_types_string(au_types *t, const char *s, size_t len);
/* Index + 1 of a type; 0: unknown. */
uint32_t au_types_add(au_types *t, LLVMMetadataRef type);

#endif
