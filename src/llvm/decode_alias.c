/* llvm/decode_alias.c: the type by which a load or store reaches its memory, from clang's TBAA metadata.
 *
 * A tag is (type of the object, type of the access, offset). It is kept as its way down: the object's type and the offset in
 * it, the member that lies there and the offset in that, … to the scalar and its ancestors, but without 'char', which
 * anything may be accessed as (ir/code.h has the rule). Types are kept as hashes of their names, so that they are the
 * same in all modules; those without a name as hashes of their members. Equal hashes of different types only say less. */
#include "llvm/decode_priv.h"
#include "llvm/dinfo.h"

#include "base/hash.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

enum { DEEP = 64 };

static bool is_node(LLVMMetadataRef node) {
    return node && LLVMGetMetadataKind(node) == LLVMMDTupleMetadataKind;
}

static bool is_char(const au_dec *d, LLVMMetadataRef type) {
    size_t n;
    const char *name = au_di_string(&d->ir, type, 0, &n);
    static const char any[] = "omnipotent char";
    return n == sizeof any - 1 && !memcmp(name, any, n);
}

static uint64_t hash_type(const au_dec *d, LLVMMetadataRef type, unsigned depth) {
    size_t n;
    const char *name = au_di_string(&d->ir, type, 0, &n);
    uint64_t h = au_hash_bytes(name, n);
    unsigned all = au_di_operands(&d->ir, type);
    for (unsigned k = 1; !n && k + 1 < all && depth < DEEP; k += 2) {
        LLVMMetadataRef member = au_di_operand(&d->ir, type, k);
        h = au_hash_join(h, (uint64_t)au_di_number(&d->ir, type, k + 1, 0));
        h = au_hash_join(h, is_node(member) ? hash_type(d, member, depth + 1) : 0);
    }
    return h;
}

/* The member at the offset, which becomes the one in it; NULL: there is none. */
static LLVMMetadataRef member_at(const au_dec *d, LLVMMetadataRef type, uint64_t *offset) {
    unsigned all = au_di_operands(&d->ir, type);
    LLVMMetadataRef found = NULL;
    uint64_t from = 0;
    for (unsigned k = 1; k + 1 < all; k += 2) {
        uint64_t at = (uint64_t)au_di_number(&d->ir, type, k + 1, 0);
        if (at > *offset)
            break;
        found = au_di_operand(&d->ir, type, k);
        from = at;
    }
    if (!is_node(found))
        return NULL;
    *offset -= from;
    return found;
}

/* A type whose members would be too many, or a way that does not end: 0, nothing is known. */
static uint32_t way_down(au_dec *d, LLVMMetadataRef type, uint64_t offset) {
    struct au_code_alias a = {.first = (uint32_t)d->immediate.n};
    while (is_node(type) && !is_char(d, type) && a.n < DEEP) {
        LLVMMetadataRef below = member_at(d, type, &(uint64_t){offset});
        if (!below)
            break; /* the root of all types */
        au_vec_push(&d->immediate, hash_type(d, type, 0));
        au_vec_push(&d->immediate, offset);
        a.n++;
        type = member_at(d, type, &offset);
    }
    size_t n = 0;
    if (is_node(type) && is_char(d, type)) { /* whose parent is the root: C's types, or C++'s */
        LLVMMetadataRef root = au_di_operand(&d->ir, type, 1);
        const char *name = is_node(root) ? au_di_string(&d->ir, root, 0, &n) : "";
        a.root = au_hash_bytes(name, n);
    }
    if (!n || !a.n) {
        d->immediate.n = a.first;
        return 0;
    }
    au_vec_push(&d->alias, a);
    return (uint32_t)d->alias.n - 1;
}

uint32_t au_dec_alias(au_dec *d, LLVMValueRef insn) {
    if (!d->alias.n)
        au_vec_push(&d->alias, ((struct au_code_alias){0})); /* 0 is none */
    LLVMValueRef value = LLVMGetMetadata(insn, d->tbaa);
    LLVMMetadataRef tag = value ? LLVMValueAsMetadata(value) : NULL;
    if (!is_node(tag) || au_di_operands(&d->ir, tag) < 3)
        return 0;
    LLVMMetadataRef access = au_di_operand(&d->ir, tag, 1);
    if (!is_node(access) ||
        is_char(d, access)) /* a member that is a char, too: any object may be accessed as char */
        return 0;
    uint64_t *known = au_map_put(&d->alias_known, (uintptr_t)tag, NULL);
    if (!*known) {
        LLVMMetadataRef base = au_di_operand(&d->ir, tag, 0);
        int64_t offset = au_di_number(&d->ir, tag, 2, -1);
        uint32_t is = is_node(base) && offset >= 0 ? way_down(d, base, (uint64_t)offset) : 0;
        *au_map_put(&d->alias_known, (uintptr_t)tag, NULL) = is + UINT64_C(1);
        return is;
    }
    return (uint32_t)(*known - 1);
}
