#include "llvm/types.h"

#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <string.h>

#define FLAG_STATIC (1u << 12)
#define FLAG_VIRTUAL (1u << 5)

void au_types_init(au_types *t, const au_ir *ir) {
    *t = (au_types){.ir = ir};
    au_intern_init(&t->names);
    au_map_init(&t->index);
    au_types_string(t, "", 0);
}

void au_types_release(au_types *t) {
    au_vec_release(&t->type);
    au_vec_release(&t->member);
    au_vec_release(&t->strings);
    au_vec_release(&t->offset);
    au_intern_release(&t->names);
    au_map_release(&t->index);
}

uint32_t au_types_string(au_types *t, const char *s, size_t len) {
    const char *nul = memchr(s, 0, len);
    if (nul)
        len = (size_t)(nul - s);
    uint32_t id = au_intern_add(&t->names, s, len);
    if (id == t->offset.n) {
        au_vec_push(&t->offset, (uint32_t)t->strings.n);
        au_vec_append(&t->strings, s, len);
        au_vec_push(&t->strings, '\0');
    }
    return t->offset.at[id];
}

/* C says "struct account", C++ (its types have an identifier) "account". */
static uint32_t type_name(au_types *t, LLVMMetadataRef type, LLVMMetadataRef alias) {
    char buf[512];
    size_t len;
    const char *name = au_di_string(t->ir, type, AU_DI_NAME, &len), *prefix = "";
    if (len == 0 && alias) {
        name = au_di_string(t->ir, alias, AU_DI_NAME, &len);
    } else if (LLVMGetMetadataKind(type) == LLVMDICompositeTypeMetadataKind && len > 0) {
        size_t n;
        au_di_string(t->ir, type, AU_DI_IDENTIFIER, &n);
        unsigned tag = LLVMGetDINodeTag(type);
        if (n > 0) {
            n = au_di_qualified(t->ir, type, buf, sizeof buf);
            return au_types_string(t, buf, n);
        }
        prefix = tag == AU_TAG_UNION ? "union " : tag == AU_TAG_ENUM ? "enum " : "struct ";
    }
    int n = snprintf(buf, sizeof buf, "%s%.*s", prefix, (int)len, name);
    if (n < 0)
        n = 0;
    return au_types_string(t, buf, (size_t)n < sizeof buf ? (size_t)n : sizeof buf - 1);
}

/* What a buffer of the C++ library is for: of __gnu_cxx::__aligned_membuf<T>, in nodes of containers, and
 * __aligned_buffer<T>, in what std::make_shared allocates, T. NULL: it is none. */
static LLVMMetadataRef held_in(const au_types *t, LLVMMetadataRef type) {
    static const char *const buffer[] = {"__aligned_membuf<", "__aligned_buffer<"};
    if (!type || LLVMGetMetadataKind(type) != LLVMDICompositeTypeMetadataKind)
        return NULL;
    size_t len;
    const char *name = au_di_string(t->ir, type, AU_DI_NAME, &len);
    for (size_t i = 0; i < sizeof buffer / sizeof *buffer; i++) {
        size_t n = strlen(buffer[i]);
        LLVMMetadataRef list = au_di_operand(t->ir, type, AU_DI_TEMPLATE_PARAMETERS);
        if (len < n || strncmp(name, buffer[i], n) || !list || !au_di_operands(t->ir, list))
            continue;
        LLVMMetadataRef of = au_di_operand(t->ir, list, 0);
        return of ? au_di_operand(t->ir, of, AU_DI_PARAMETER_TYPE) : NULL;
    }
    return NULL;
}

typedef AU_VEC(struct au_tab_member) members;

/* Members of a struct, with those of its bases and unnamed members put in their places. */
static void collect(au_types *t, LLVMMetadataRef type, uint64_t base, members *into,
                    unsigned depth) {
    LLVMMetadataRef list = au_di_operand(t->ir, type, AU_DI_ELEMENTS);
    if (!list || depth > 16)
        return;
    for (unsigned i = 0, n = au_di_operands(t->ir, list); i < n; i++) {
        LLVMMetadataRef m = au_di_operand(t->ir, list, i);
        if (!m || LLVMGetMetadataKind(m) != LLVMDIDerivedTypeMetadataKind)
            continue;
        unsigned tag = LLVMGetDINodeTag(m), flags = (unsigned)LLVMDITypeGetFlags(m);
        if ((tag != AU_TAG_MEMBER && tag != AU_TAG_INHERITANCE) || (flags & FLAG_STATIC) ||
            (tag == AU_TAG_INHERITANCE && (flags & FLAG_VIRTUAL)))
            continue;
        uint64_t at = base + LLVMDITypeGetOffsetInBits(m) / 8;
        LLVMMetadataRef of = au_di_operand(t->ir, m, AU_DI_BASE);
        size_t len;
        const char *name = au_di_string(t->ir, m, AU_DI_NAME, &len);
        LLVMMetadataRef inner = au_di_strip(t->ir, of, NULL);
        if ((tag == AU_TAG_INHERITANCE || len == 0) && inner &&
            LLVMGetMetadataKind(inner) == LLVMDICompositeTypeMetadataKind) {
            collect(t, inner, at, into, depth + 1);
            continue;
        }
        if (held_in(t, inner)) { /* its members are the user's, and the path to it is nobody's */
            of = held_in(t, inner);
            len = 0;
        }
        if (len > 5 && !strncmp(name, "_vptr", 5)) { /* the compiler's, of which no source speaks */
            name = "vtable";
            len = strlen(name);
        }
        struct au_tab_member row = {
            .name = au_types_string(t, name, len), .type = au_types_add(t, of), .offset = at};
        au_vec_push(into, row);
    }
}

/* The array types of dimensions i … n-1; 'index' is the first one's place. */
static void fill_array(au_types *t, uint32_t index, LLVMMetadataRef type) {
    LLVMMetadataRef dims = au_di_operand(t->ir, type, AU_DI_ELEMENTS);
    uint32_t elem = au_types_add(t, au_di_operand(t->ir, type, AU_DI_BASE));
    unsigned n = dims ? au_di_operands(t->ir, dims) : 0;
    for (unsigned i = n; i-- > 0;) {
        LLVMMetadataRef range = au_di_operand(t->ir, dims, i);
        int64_t count = range ? au_di_number(t->ir, range, 0, 0) : 0;
        if (count < 0)
            count = 0;
        uint64_t size = elem ? t->type.at[elem - 1].size * (uint64_t)count : 0;
        struct au_tab_type row = {
            .kind = AU_TYPE_ARRAY, .size = size, .elem = elem, .count = (uint64_t)count};
        if (i == 0) {
            if (row.size == 0)
                row.size = LLVMDITypeGetSizeInBits(type) / 8;
            t->type.at[index] = row;
        } else {
            au_vec_push(&t->type, row);
            elem = (uint32_t)t->type.n;
        }
    }
}

uint32_t au_types_add(au_types *t, LLVMMetadataRef type) {
    LLVMMetadataRef alias;
    type = au_di_strip(t->ir, type, &alias);
    if (!type || !au_di_is_type(type))
        return 0;
    bool fresh;
    uint64_t *known = au_map_put(&t->index, (uint64_t)(uintptr_t)type, &fresh);
    if (!fresh)
        return (uint32_t)*known;
    uint32_t index = (uint32_t)t->type.n;
    *known = index + 1;
    struct au_tab_type row = {.name = type_name(t, type, alias),
                              .kind = AU_TYPE_SCALAR,
                              .size = LLVMDITypeGetSizeInBits(type) / 8};
    au_vec_push(&t->type, row);
    switch (LLVMGetDINodeTag(type)) {
    case AU_TAG_POINTER:
    case AU_TAG_REFERENCE:
    case AU_TAG_RVALUE_REFERENCE:
        row.kind = AU_TYPE_POINTER;
        row.elem = au_types_add(t, au_di_operand(t->ir, type, AU_DI_BASE));
        t->type.at[index] = row;
        break;
    case AU_TAG_ARRAY:
        fill_array(t, index, type);
        break;
    case AU_TAG_STRUCT:
    case AU_TAG_CLASS:
    case AU_TAG_UNION: {
        members list = {0};
        row.kind = LLVMGetDINodeTag(type) == AU_TAG_UNION ? AU_TYPE_UNION : AU_TYPE_STRUCT;
        t->type.at[index].kind = row.kind;
        collect(t, type, 0, &list, 0);
        row.first = (uint32_t)t->member.n;
        row.n_members = (uint32_t)list.n;
        au_vec_append(&t->member, list.at, list.n);
        au_vec_release(&list);
        t->type.at[index] = row;
        break;
    }
    default:
        break;
    }
    return index + 1;
}
