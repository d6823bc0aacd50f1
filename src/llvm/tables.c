#include "llvm/tables.h"

#include "wire/embed.h"
#include "wire/stream.h"
#include "wire/wire.h"
#include "llvm/dinfo.h"
#include "llvm/types.h"

#include <llvm-c/Comdat.h>
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    au_hook_plan *p;
    au_types types;
    au_map variable;  /* alloca, parameter or other value -> DILocalVariable */
    au_map composite; /* id of a type's name in names -> its node */
    au_map seen;      /* type nodes already looked at for 'composite' */
    au_intern names;
    au_map function; /* subprogram -> string */
    AU_VEC(struct au_tab_site) site;
    AU_VEC(struct au_tab_global) global;
} tables;

static uint32_t file_string(tables *x, LLVMMetadataRef file) {
    if (!file)
        return 0;
    char path[4096];
    size_t len = au_di_path(x->p->ir, file, path, sizeof path);
    return len ? au_types_string(&x->types, path, len) : 0;
}

static uint32_t function_string(tables *x, LLVMMetadataRef subprogram) {
    bool fresh;
    uint64_t *known = au_map_put(&x->function, (uint64_t)(uintptr_t)subprogram, &fresh);
    if (fresh) {
        char buf[512];
        size_t n = au_di_qualified(x->p->ir, subprogram, buf, sizeof buf);
        *known = au_types_string(&x->types, buf, n);
    }
    return (uint32_t)*known;
}

static uint32_t value_name(tables *x, LLVMValueRef v) {
    size_t len;
    const char *s = LLVMGetValueName2(v, &len);
    return au_types_string(&x->types, s, len);
}

/* Types by name ----------------------------------------------------------- */

/* IR names types too ("struct.account"): that says what an address computation walks through
 * even where no variable is at hand. Only types that debug information reaches from
 * variables and functions are known. */
static void know_type(tables *x, LLVMMetadataRef type) {
    const au_ir *ir = x->p->ir;
    AU_VEC(LLVMMetadataRef) todo = {0};
    au_vec_push(&todo, type);
    while (todo.n) {
        LLVMMetadataRef t = au_di_strip(ir, au_vec_pop(&todo), NULL);
        if (!t || !au_di_is_type(t) || LLVMGetMetadataKind(t) == LLVMDIBasicTypeMetadataKind)
            continue;
        bool fresh;
        au_map_put(&x->seen, (uint64_t)(uintptr_t)t, &fresh);
        if (!fresh)
            continue;
        LLVMMetadataRef base = au_di_operand(ir, t, AU_DI_BASE);
        if (base)
            au_vec_push(&todo, base);
        if (LLVMGetMetadataKind(t) != LLVMDICompositeTypeMetadataKind)
            continue;
        unsigned tag = LLVMGetDINodeTag(t);
        if (tag != AU_TAG_STRUCT && tag != AU_TAG_CLASS && tag != AU_TAG_UNION)
            continue;
        char buf[512];
        size_t len = au_di_qualified(ir, t, buf, sizeof buf);
        LLVMMetadataRef list = au_di_operand(ir, t, AU_DI_ELEMENTS);
        if (len > 0 && LLVMDITypeGetSizeInBits(t) > 0) {
            uint64_t *at = au_map_put(&x->composite, au_intern_add(&x->names, buf, len), NULL);
            *at = (uint64_t)(uintptr_t)t;
        }
        for (unsigned i = 0, n = list ? au_di_operands(ir, list) : 0; i < n; i++) {
            LLVMMetadataRef m = au_di_operand(ir, list, i);
            if (m && LLVMGetMetadataKind(m) == LLVMDIDerivedTypeMetadataKind)
                au_vec_push(&todo, m); /* a member: its base is its type */
        }
    }
    au_vec_release(&todo);
}

static void know_variable(tables *x, LLVMMetadataRef variable) {
    LLVMMetadataRef type = au_di_operand(x->p->ir, variable, AU_DI_VARIABLE_TYPE);
    if (type)
        know_type(x, type);
}

static void know_function(tables *x, LLVMValueRef f) {
    const au_ir *ir = x->p->ir;
    LLVMMetadataRef sp = LLVMGetSubprogram(f);
    if (!sp)
        return;
    LLVMMetadataRef type = au_di_operand(ir, sp, AU_DI_SUBPROGRAM_TYPE);
    LLVMMetadataRef list = type ? au_di_operand(ir, type, 3) : NULL;
    for (unsigned i = 0, n = list ? au_di_operands(ir, list) : 0; i < n; i++) {
        LLVMMetadataRef m = au_di_operand(ir, list, i);
        if (m)
            know_type(x, m);
    }
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef v;
            LLVMMetadataRef variable;
            if (!au_di_binding(ir, i, &v, &variable))
                continue;
            know_variable(x, variable);
            /* llvm.dbg.value of a variable's address is about a pointer to it. */
            if (LLVMIsAAllocaInst(v) != NULL && au_ir_is(au_ir_intrinsic(i), "llvm.dbg.value"))
                continue;
            *au_map_put(&x->variable, (uint64_t)(uintptr_t)v, NULL) = (uint64_t)(uintptr_t)variable;
        }
}

/* Sites ------------------------------------------------------------------- */

static LLVMMetadataRef variable_of(const tables *x, LLVMValueRef v) {
    uint64_t *at = au_map_find(&x->variable, (uint64_t)(uintptr_t)v);
    return at ? (LLVMMetadataRef)(uintptr_t)*at : NULL;
}

/* "struct.ns::account.12" -> the node of ns::account. */
static LLVMMetadataRef type_by_name(const tables *x, LLVMTypeRef type) {
    while (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
        type = LLVMGetElementType(type);
    if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
        return NULL;
    const char *name = LLVMGetStructName(type), *dot = name ? strchr(name, '.') : NULL;
    if (!dot)
        return NULL;
    dot++;
    size_t len = strlen(dot);
    uint32_t id = au_intern_find(&x->names, dot, len);
    /* LLVM makes names unique with a number. */
    while (id == AU_NONE && len > 0 && dot[len - 1] >= '0' && dot[len - 1] <= '9')
        len--;
    if (id == AU_NONE && len > 1 && dot[len - 1] == '.')
        id = au_intern_find(&x->names, dot, len - 1);
    uint64_t *at = id == AU_NONE ? NULL : au_map_find(&x->composite, id);
    return at ? (LLVMMetadataRef)(uintptr_t)*at : NULL;
}

/* The type of the object that an access through this pointer is in; 0: unknown. */
static uint32_t object_type(tables *x, LLVMValueRef pointer) {
    LLVMMetadataRef outer = NULL;
    while (LLVMIsAGetElementPtrInst(pointer) || LLVMIsABitCastInst(pointer)) {
        if (LLVMIsAGetElementPtrInst(pointer)) {
            LLVMMetadataRef t = type_by_name(x, LLVMGetGEPSourceElementType(pointer));
            if (t)
                outer = t;
        }
        pointer = LLVMGetOperand(pointer, 0);
    }
    if (LLVMIsAAllocaInst(pointer) || LLVMIsAConstant(pointer))
        return 0; /* has a name and a type of its own */
    LLVMMetadataRef variable = variable_of(x, pointer), type = NULL;
    if (variable)
        type = au_di_strip(x->p->ir, au_di_operand(x->p->ir, variable, AU_DI_VARIABLE_TYPE), NULL);
    if (type && LLVMGetMetadataKind(type) == LLVMDIDerivedTypeMetadataKind) {
        unsigned tag = LLVMGetDINodeTag(type);
        if (tag == AU_TAG_POINTER || tag == AU_TAG_REFERENCE || tag == AU_TAG_RVALUE_REFERENCE)
            return au_types_add(&x->types, au_di_operand(x->p->ir, type, AU_DI_BASE));
    }
    return outer ? au_types_add(&x->types, outer) : 0;
}

/* Where an access of this site goes; NULL: it is none. */
static LLVMValueRef pointer_of(LLVMValueRef insn, uint8_t op) {
    if (op == AU_OP_CALL || op == AU_OP_RET || op == AU_SOP_FRAME || op == AU_SOP_LAND)
        return NULL;
    switch (LLVMGetInstructionOpcode(insn)) {
    case LLVMLoad:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return LLVMGetOperand(insn, 0);
    case LLVMStore:
        return LLVMGetOperand(insn, 1);
    case LLVMCall:
        if (au_ir_is(au_ir_intrinsic(insn), "llvm.memset"))
            return LLVMGetOperand(insn, 0);
        if (au_ir_is(au_ir_intrinsic(insn), "llvm.memcpy") ||
            au_ir_is(au_ir_intrinsic(insn), "llvm.memmove"))
            return LLVMGetOperand(insn, op == AU_SOP_RREAD);
        return NULL;
    default:
        return NULL;
    }
}

/* The calls that were inlined around a place, from the inside out, those in system headers left
 * out; "" for none. */
static uint32_t via_string(tables *x, LLVMMetadataRef where) {
    char text[512];
    size_t at = 0;
    for (where = LLVMDILocationGetInlinedAt(where); where && at < sizeof text - 1;
         where = LLVMDILocationGetInlinedAt(where)) {
        if (au_di_is_system(where))
            continue;
        LLVMMetadataRef scope = LLVMDILocationGetScope(where);
        LLVMMetadataRef f = au_di_subprogram(x->p->ir, scope), file = LLVMDIScopeGetFile(scope);
        char name[512] = "?";
        char path[400] = "?";
        if (file)
            au_di_path(x->p->ir, file, path, sizeof path);
        if (f)
            au_di_qualified(x->p->ir, f, name, sizeof name);
        int n = snprintf(text + at, sizeof text - at, "%s%s (%s:%u)", at ? ", " : "", name, path,
                         LLVMDILocationGetLine(where));
        at = n < 0 || (size_t)n >= sizeof text - at ? sizeof text - 1 : at + (size_t)n;
    }
    return au_types_string(&x->types, text, at);
}

static void add_site(tables *x, const au_plan_site *s, LLVMValueRef f) {
    const au_ir *ir = x->p->ir;
    struct au_tab_site row = {.insn = s->insn, .op = s->op, .size = s->size};
    LLVMMetadataRef sp = LLVMGetSubprogram(f), where = LLVMInstructionGetDebugLoc(s->at);
    LLVMMetadataRef variable = s->what ? variable_of(x, s->what) : NULL;
    bool entry = s->op == AU_OP_CALL;
    if (where && !entry) {
        where = au_di_users_place(where);
        LLVMMetadataRef scope = LLVMDILocationGetScope(where);
        LLVMMetadataRef inner = au_di_subprogram(ir, scope);
        row.func = inner ? function_string(x, inner) : 0;
        row.file = file_string(x, LLVMDIScopeGetFile(scope));
        row.line = LLVMDILocationGetLine(where);
        unsigned col = LLVMDILocationGetColumn(where);
        row.col = (uint16_t)(col > UINT16_MAX ? 0 : col);
        row.via = via_string(x, where);
    }
    if (s->op == AU_SOP_FRAME && variable) {
        size_t len;
        const char *name = au_di_string(ir, variable, AU_DI_VARIABLE_NAME, &len);
        row.name = au_types_string(&x->types, name, len);
        row.type = au_types_add(&x->types, au_di_operand(ir, variable, AU_DI_VARIABLE_TYPE));
        if (LLVMDIVariableGetFile(variable)) {
            row.file = file_string(x, LLVMDIVariableGetFile(variable));
            row.line = LLVMDIVariableGetLine(variable);
            row.col = 0;
        }
    } else if (s->op == AU_OP_XCALL || s->op == AU_OP_XRET) {
        LLVMValueRef called = LLVMGetCalledValue(s->at);
        if (LLVMIsAInlineAsm(called))
            row.name = au_types_string(&x->types, "asm", 3);
        else if (LLVMIsAFunction(called) || LLVMIsAGlobalAlias(called) ||
                 LLVMIsAGlobalIFunc(called))
            row.name = value_name(x, called);
    } else {
        LLVMValueRef pointer =
            s->what && s->op != AU_SOP_FRAME ? s->what : pointer_of(s->at, s->op);
        if (pointer)
            row.type = object_type(x, pointer);
    }
    if (!row.func)
        row.func = sp ? function_string(x, sp) : value_name(x, f);
    if (!row.file && sp) {
        row.file = file_string(x, LLVMDIScopeGetFile(sp));
        row.line = LLVMDISubprogramGetLine(sp);
    }
    au_vec_push(&x->site, row);
}

/* Globals ----------------------------------------------------------------- */

bool au_tables_lists(const au_ir *ir, LLVMValueRef g) {
    if (LLVMIsDeclaration(g) || LLVMIsThreadLocal(g))
        return false;
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) != 0)
        return false;
    size_t len;
    const char *name = LLVMGetValueName2(g, &len);
    if (strncmp(name, "llvm.", 5) == 0 || strncmp(name, "augur.", 6) == 0)
        return false;
    LLVMLinkage l = LLVMGetLinkage(g);
    bool local = l == LLVMInternalLinkage || l == LLVMPrivateLinkage;
    if (l == LLVMAvailableExternallyLinkage || l == LLVMAppendingLinkage ||
        (local && LLVMGetComdat(g))) /* its section may be thrown away by the linker */
        return false;
    if (!LLVMIsGlobalConstant(g) && l != LLVMPrivateLinkage)
        return true;
    /* String literals have a variable without a name. */
    LLVMMetadataRef variable = au_di_global(ir, g);
    if (variable)
        au_di_string(ir, variable, AU_DI_VARIABLE_NAME, &len);
    return variable && len > 0;
}

static void add_global(tables *x, LLVMValueRef g) {
    const au_ir *ir = x->p->ir;
    struct au_tab_global row = {.size = LLVMABISizeOfType(ir->layout, LLVMGlobalGetValueType(g))};
    LLVMMetadataRef variable = au_di_global(ir, g);
    if (variable) {
        size_t len;
        const char *name = au_di_string(ir, variable, AU_DI_VARIABLE_NAME, &len);
        row.name = au_types_string(&x->types, name, len);
        row.type = au_types_add(&x->types, au_di_operand(ir, variable, AU_DI_VARIABLE_TYPE));
        row.file = file_string(x, LLVMDIVariableGetFile(variable));
        row.line = LLVMDIVariableGetLine(variable);
        know_variable(x, variable);
    }
    if (!row.name)
        row.name = value_name(x, g);
    au_vec_push(&x->global, row);
}

/* All together ------------------------------------------------------------ */

static void *put(void *at, const void *rows, size_t bytes) {
    if (bytes > 0)
        memcpy(at, rows, bytes);
    return (char *)at + bytes;
}

static void lay_out(tables *x, au_tables_made *out) {
    size_t len;
    const char *name = LLVMGetSourceFileName(x->p->ir->module, &len);
    struct au_tables head = {.version = 1,
                             .n_sites = (uint32_t)x->site.n,
                             .n_globals = (uint32_t)x->global.n,
                             .n_types = (uint32_t)x->types.type.n,
                             .n_members = (uint32_t)x->types.member.n,
                             .source = au_types_string(&x->types, name, len)};
    head.string_bytes = (uint32_t)x->types.strings.n;
    size_t sites = x->site.n * sizeof *x->site.at, globals = x->global.n * sizeof *x->global.at;
    size_t types = x->types.type.n * sizeof *x->types.type.at;
    size_t members = x->types.member.n * sizeof *x->types.member.at;
    out->n = sizeof head + sites + globals + types + members + head.string_bytes;
    out->bytes = au_alloc(out->n);
    void *at = put(out->bytes, &head, sizeof head);
    at = put(at, x->site.at, sites);
    at = put(at, x->global.at, globals);
    at = put(at, x->types.type.at, types);
    at = put(at, x->types.member.at, members);
    put(at, x->types.strings.at, head.string_bytes);
}

void au_tables_make(au_hook_plan *p, au_tables_made *out) {
    *out = (au_tables_made){0};
    tables x = {.p = p};
    au_types_init(&x.types, p->ir);
    au_map_init(&x.variable);
    au_map_init(&x.composite);
    au_map_init(&x.seen);
    au_map_init(&x.function);
    au_intern_init(&x.names);
    for (LLVMValueRef g = LLVMGetFirstGlobal(p->ir->module); g; g = LLVMGetNextGlobal(g))
        if (au_tables_lists(p->ir, g)) {
            add_global(&x, g);
            au_vec_push(&out->global, g);
        }
    for (size_t i = 0; i < p->function.n; i++)
        if (!p->function.at[i].left_out)
            know_function(&x, p->function.at[i].function);
    for (size_t i = 0; i < p->site.n; i++) {
        const au_plan_site *s = &p->site.at[i];
        add_site(&x, s, LLVMGetBasicBlockParent(LLVMGetInstructionParent(s->at)));
    }
    lay_out(&x, out);
    au_types_release(&x.types);
    au_map_release(&x.variable);
    au_map_release(&x.composite);
    au_map_release(&x.seen);
    au_map_release(&x.function);
    au_intern_release(&x.names);
    au_vec_release(&x.site);
    au_vec_release(&x.global);
}

void au_tables_release(au_tables_made *t) {
    free(t->bytes);
    au_vec_release(&t->global);
    *t = (au_tables_made){0};
}
