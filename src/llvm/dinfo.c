#include "llvm/dinfo.h"

#include "base/alloc.h"
#include "base/vec.h"

#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPERANDS 32 /* of nodes that are looked at by place */

unsigned au_di_operands(const au_ir *ir, LLVMMetadataRef node) {
    return LLVMGetMDNodeNumOperands(LLVMMetadataAsValue(ir->ctx, node));
}

static LLVMValueRef operand_value(const au_ir *ir, LLVMMetadataRef node, unsigned i) {
    LLVMValueRef v = LLVMMetadataAsValue(ir->ctx, node), few[OPERANDS];
    unsigned n = LLVMGetMDNodeNumOperands(v);
    if (i >= n)
        return NULL;
    if (n <= OPERANDS) {
        LLVMGetMDNodeOperands(v, few);
        return few[i];
    }
    LLVMValueRef *many = au_alloc_array(n, sizeof *many);
    LLVMGetMDNodeOperands(v, many);
    v = many[i];
    free(many);
    return v;
}

LLVMMetadataRef au_di_operand(const au_ir *ir, LLVMMetadataRef node, unsigned i) {
    LLVMValueRef v = operand_value(ir, node, i);
    return v ? LLVMValueAsMetadata(v) : NULL;
}

const char *au_di_string(const au_ir *ir, LLVMMetadataRef node, unsigned i, size_t *len) {
    LLVMValueRef v = operand_value(ir, node, i);
    unsigned n = 0;
    const char *s = v ? LLVMGetMDString(v, &n) : NULL;
    *len = s ? n : 0;
    return s ? s : "";
}

int64_t au_di_number(const au_ir *ir, LLVMMetadataRef node, unsigned i, int64_t otherwise) {
    LLVMValueRef v = operand_value(ir, node, i);
    return v && LLVMIsAConstantInt(v) ? LLVMConstIntGetSExtValue(v) : otherwise;
}

bool au_di_is_type(LLVMMetadataRef node) {
    switch (LLVMGetMetadataKind(node)) {
    case LLVMDIBasicTypeMetadataKind:
    case LLVMDIDerivedTypeMetadataKind:
    case LLVMDICompositeTypeMetadataKind:
        return true;
    default:
        return false;
    }
}

LLVMMetadataRef au_di_strip(const au_ir *ir, LLVMMetadataRef type, LLVMMetadataRef *alias) {
    LLVMMetadataRef outer = NULL;
    while (type && LLVMGetMetadataKind(type) == LLVMDIDerivedTypeMetadataKind) {
        unsigned tag = LLVMGetDINodeTag(type);
        if (tag == AU_TAG_TYPEDEF) {
            if (!outer)
                outer = type;
        } else if (tag != AU_TAG_CONST && tag != AU_TAG_VOLATILE && tag != AU_TAG_RESTRICT &&
                   tag != AU_TAG_ATOMIC) {
            break;
        }
        type = au_di_operand(ir, type, AU_DI_BASE);
    }
    if (alias)
        *alias = outer;
    return type;
}

LLVMMetadataRef au_di_subprogram(const au_ir *ir, LLVMMetadataRef scope) {
    for (; scope; scope = au_di_operand(ir, scope, AU_DI_SCOPE)) {
        switch (LLVMGetMetadataKind(scope)) {
        case LLVMDISubprogramMetadataKind:
            return scope;
        case LLVMDILexicalBlockMetadataKind:
        case LLVMDILexicalBlockFileMetadataKind:
            break;
        default:
            return NULL;
        }
    }
    return NULL;
}

size_t au_di_qualified(const au_ir *ir, LLVMMetadataRef node, char *buf, size_t cap) {
    size_t at = 0, len;
    LLVMMetadataRef scope = au_di_operand(ir, node, AU_DI_SCOPE);
    if (scope && (LLVMGetMetadataKind(scope) == LLVMDICompositeTypeMetadataKind ||
                  LLVMGetMetadataKind(scope) == LLVMDINamespaceMetadataKind)) {
        at = au_di_qualified(ir, scope, buf, cap);
        if (at > 0)
            at += (size_t)snprintf(buf + at, cap - at, "::");
    }
    if (at >= cap)
        return cap - 1;
    const char *name = au_di_string(ir, node, AU_DI_NAME, &len);
    if (len > cap - 1 - at)
        len = cap - 1 - at;
    memcpy(buf + at, name, len);
    buf[at + len] = 0;
    return at + len;
}

LLVMMetadataRef au_di_global(const au_ir *ir, LLVMValueRef global) {
    size_t n = 0;
    LLVMMetadataRef found = NULL;
    LLVMValueMetadataEntry *all = LLVMGlobalCopyAllMetadata(global, &n);
    unsigned dbg = LLVMGetMDKindIDInContext(ir->ctx, "dbg", 3);
    for (unsigned i = 0; i < n && !found; i++) {
        LLVMMetadataRef m = LLVMValueMetadataEntriesGetMetadata(all, i);
        if (LLVMValueMetadataEntriesGetKind(all, i) == dbg &&
            LLVMGetMetadataKind(m) == LLVMDIGlobalVariableExpressionMetadataKind)
            found = LLVMDIGlobalVariableExpressionGetVariable(m);
    }
    LLVMDisposeValueMetadataEntries(all);
    return found;
}

bool au_di_binding(const au_ir *ir, LLVMValueRef call, LLVMValueRef *value,
                   LLVMMetadataRef *variable) {
    (void)ir;
    const char *name = au_ir_intrinsic(call);
    if (!au_ir_is(name, "llvm.dbg.declare") && !au_ir_is(name, "llvm.dbg.value"))
        return false;
    LLVMMetadataRef m = LLVMValueAsMetadata(LLVMGetOperand(call, 0));
    LLVMMetadataKind k = LLVMGetMetadataKind(m);
    if (k != LLVMLocalAsMetadataMetadataKind)
        return false;
    LLVMGetMDNodeOperands(LLVMGetOperand(call, 0), value);
    *variable = LLVMValueAsMetadata(LLVMGetOperand(call, 1));
    return LLVMGetMetadataKind(*variable) == LLVMDILocalVariableMetadataKind;
}

/* Where the compiler ran; "" if the module does not say. */
static const char *directory(const au_ir *ir, size_t *len) {
    *len = 0;
    if (!LLVMGetNamedMetadataNumOperands(ir->module, "llvm.dbg.cu"))
        return "";
    AU_VEC(LLVMValueRef) unit = {0};
    for (unsigned n = LLVMGetNamedMetadataNumOperands(ir->module, "llvm.dbg.cu"); n; n--)
        au_vec_push(&unit, NULL);
    LLVMGetNamedMetadataOperands(ir->module, "llvm.dbg.cu", unit.at);
    LLVMMetadataRef file = LLVMDIScopeGetFile(LLVMValueAsMetadata(unit.at[0]));
    au_vec_release(&unit);
    unsigned n = 0;
    const char *s = file ? LLVMDIFileGetDirectory(file, &n) : NULL;
    *len = s ? n : 0;
    return s ? s : "";
}

/* The compiler finds headers of the system as "/usr/lib/gcc/…/12/../../../../include/c++/12/map". Elsewhere a
 * directory may be a symbolic link, and ".." is not what it looks like. */
static size_t without_dots(char *path, size_t len) {
    char *dots;
    if (strncmp(path, "/usr/", 5))
        return len;
    while ((dots = strstr(path, "/../"))) {
        char *from = dots;
        while (from > path && *--from != '/')
            ;
        if (from - path < 4)
            break; /* "/usr" stays */
        memmove(from, dots + 3, len + 1 - (size_t)(dots + 3 - path));
        len -= (size_t)(dots + 3 - from);
    }
    return len;
}

size_t au_di_path(const au_ir *ir, LLVMMetadataRef file, char *buf, size_t cap) {
    unsigned dlen = 0, flen = 0;
    size_t clen = 0;
    const char *name = file ? LLVMDIFileGetFilename(file, &flen) : NULL;
    const char *dir = file ? LLVMDIFileGetDirectory(file, &dlen) : NULL;
    const char *cwd = directory(ir, &clen);
    if (!name)
        flen = 0, name = "";
    if (!dir)
        dlen = 0, dir = "";
    bool cut = flen && name[0] != '/' && dlen && !(dlen == clen && !memcmp(dir, cwd, clen));
    int n = cut ? snprintf(buf, cap, "%.*s%s%.*s", (int)dlen, dir, dir[dlen - 1] == '/' ? "" : "/",
                           (int)flen, name)
                : snprintf(buf, cap, "%.*s", (int)flen, name);
    size_t len = n < 0 ? 0 : (size_t)n < cap ? (size_t)n : cap - 1;
    if (cut && clen && len > clen + 1 && !memcmp(buf, cwd, clen) && buf[clen] == '/') {
        len -= clen + 1;
        memmove(buf, buf + clen + 1, len + 1);
    }
    return without_dots(buf, len);
}

bool au_di_is_system(LLVMMetadataRef where) {
    LLVMMetadataRef file = LLVMDIScopeGetFile(LLVMDILocationGetScope(where));
    unsigned len = 0;
    const char *path = file ? LLVMDIFileGetFilename(file, &len) : "";
    if (len > 5 && strncmp(path, "/usr/", 5) == 0)
        return true;
    const char *dir = file ? LLVMDIFileGetDirectory(file, &len) : "";
    return len == 7 && memcmp(dir, "<augur>", 7) == 0; /* adopt.h */
}

LLVMMetadataRef au_di_users_place(LLVMMetadataRef where) {
    for (LLVMMetadataRef at = where; at; at = LLVMDILocationGetInlinedAt(at))
        if (!au_di_is_system(at))
            return at;
    return where;
}
