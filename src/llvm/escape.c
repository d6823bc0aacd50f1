#include "llvm/escape.h"

#include "base/vec.h"

enum { OBJ_UNKNOWN = 0, OBJ_STAYS = 1, OBJ_ESCAPES = 2 };

typedef AU_VEC(LLVMValueRef) values;

void au_escape_init(au_escape *e, const au_ir *ir) {
    e->ir = ir;
    au_map_init(&e->object);
}

void au_escape_release(au_escape *e) {
    au_map_release(&e->object);
}

/* Adds a value once. */
static void visit(values *todo, au_map *seen, LLVMValueRef v) {
    bool fresh;
    au_map_put(seen, (uint64_t)(uintptr_t)v, &fresh);
    if (fresh)
        au_vec_push(todo, v);
}

/* Intrinsics that look at memory or at a pointer but keep neither. */
static bool keeps_nothing(const char *name) {
    static const char *const known[] = {
        "llvm.lifetime", "llvm.dbg",      "llvm.memcpy",     "llvm.memmove",   "llvm.memset",
        "llvm.va_start", "llvm.va_end",   "llvm.va_copy",    "llvm.invariant", "llvm.objectsize",
        "llvm.assume",   "llvm.prefetch", "llvm.is.constant"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (au_ir_is(name, known[i]))
            return true;
    return false;
}

/* Intrinsics whose result is (a view of) their first argument. */
static bool passes_on(const char *name) {
    return au_ir_is(name, "llvm.launder.invariant.group") ||
           au_ir_is(name, "llvm.strip.invariant.group") || au_ir_is(name, "llvm.ptrmask") ||
           au_ir_is(name, "llvm.ptr.annotation") || au_ir_is(name, "llvm.threadlocal.address");
}

bool au_escape_is_byval(const au_ir *ir, LLVMValueRef parameter) {
    if (!LLVMIsAArgument(parameter))
        return false;
    LLVMValueRef f = LLVMGetParamParent(parameter);
    for (unsigned i = 0, n = LLVMCountParams(f); i < n; i++)
        if (LLVMGetParam(f, i) == parameter)
            return LLVMGetEnumAttributeAtIndex(f, i + 1, ir->a_byval) != NULL;
    return false;
}

/* Whether passing v to this call hands over only a copy of what it points to. */
static bool only_by_value(const au_ir *ir, LLVMValueRef call, LLVMValueRef v) {
    unsigned n = LLVMGetNumArgOperands(call);
    /* Past the arguments there are bundles and the callee. */
    for (unsigned i = 0, all = (unsigned)LLVMGetNumOperands(call); i < all; i++)
        if (LLVMGetOperand(call, i) == v &&
            (i >= n || !LLVMGetCallSiteEnumAttribute(call, i + 1, ir->a_byval)))
            return false;
    return true;
}

/* Whether this use of the pointer v lets it go; uses that make another pointer of it are
 * added to 'todo'. */
static bool lets_go(const au_ir *ir, LLVMValueRef user, LLVMValueRef v, values *todo,
                    au_map *seen) {
    if (LLVMIsAConstantExpr(user)) {
        if (LLVMGetConstOpcode(user) != LLVMGetElementPtr)
            return true;
        visit(todo, seen, user);
        return false;
    }
    if (!LLVMIsAInstruction(user))
        return true; /* an initialiser, an alias, metadata that is not debug information */
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMLoad:
    case LLVMICmp:
        return false;
    case LLVMStore:
        return LLVMGetOperand(user, 0) == v;
    case LLVMAtomicRMW:
        return LLVMGetOperand(user, 1) == v;
    case LLVMAtomicCmpXchg:
        return LLVMGetOperand(user, 1) == v || LLVMGetOperand(user, 2) == v;
    case LLVMGetElementPtr:
    case LLVMBitCast:
    case LLVMPHI:
    case LLVMSelect:
    case LLVMFreeze:
        if (LLVMGetTypeKind(LLVMTypeOf(user)) != LLVMPointerTypeKind)
            return true; /* vectors of pointers */
        visit(todo, seen, user);
        return false;
    case LLVMCall:
    case LLVMInvoke: {
        const char *name = au_ir_intrinsic(user);
        if (!name)
            return !only_by_value(ir, user, v);
        if (passes_on(name))
            visit(todo, seen, user);
        return !passes_on(name) && !keeps_nothing(name);
    }
    default:
        return true;
    }
}

static bool escapes(const au_ir *ir, LLVMValueRef object) {
    values todo = {0};
    au_map seen;
    au_map_init(&seen);
    visit(&todo, &seen, object);
    bool out = false;
    while (todo.n && !out) {
        LLVMValueRef v = au_vec_pop(&todo);
        for (LLVMUseRef u = LLVMGetFirstUse(v); u && !out; u = LLVMGetNextUse(u))
            out = lets_go(ir, LLVMGetUser(u), v, &todo, &seen);
    }
    au_vec_release(&todo);
    au_map_release(&seen);
    return out;
}

bool au_escape_object(au_escape *e, LLVMValueRef object) {
    bool fresh;
    uint64_t *known = au_map_put(&e->object, (uint64_t)(uintptr_t)object, &fresh);
    if (fresh)
        *known = escapes(e->ir, object) ? OBJ_ESCAPES : OBJ_STAYS;
    return *known == OBJ_ESCAPES;
}

/* The class of one object that a pointer comes from. */
static au_mem class_of(au_escape *e, LLVMValueRef v) {
    if (LLVMIsAAllocaInst(v) || au_escape_is_byval(e->ir, v))
        return au_escape_object(e, v) ? AU_MEM_SHARED : AU_MEM_PRIVATE;
    if (LLVMIsAGlobalVariable(v)) {
        if (LLVMIsGlobalConstant(v))
            return AU_MEM_CONST;
        LLVMLinkage l = LLVMGetLinkage(v);
        if (LLVMIsThreadLocal(v) && (l == LLVMInternalLinkage || l == LLVMPrivateLinkage))
            return au_escape_object(e, v) ? AU_MEM_SHARED : AU_MEM_PRIVATE;
        return AU_MEM_SHARED;
    }
    if (LLVMIsAFunction(v))
        return AU_MEM_CONST;
    if (LLVMIsUndef(v) || LLVMIsPoison(v))
        return AU_MEM_PRIVATE;
    return AU_MEM_SHARED;
}

au_mem au_escape_class(au_escape *e, LLVMValueRef pointer) {
    if (!au_ir_is_plain_pointer(LLVMTypeOf(pointer)))
        return AU_MEM_PRIVATE; /* segment-relative and the like: no address to tell */
    values todo = {0};
    au_map seen;
    au_map_init(&seen);
    visit(&todo, &seen, pointer);
    bool constant = true, shared = false;
    while (todo.n && !shared) {
        LLVMValueRef v = au_vec_pop(&todo);
        const char *name;
        if (LLVMIsAGetElementPtrInst(v) || LLVMIsABitCastInst(v) || LLVMIsAFreezeInst(v) ||
            (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMGetElementPtr)) {
            visit(&todo, &seen, LLVMGetOperand(v, 0));
        } else if (LLVMIsAPHINode(v)) {
            for (unsigned i = 0, n = LLVMCountIncoming(v); i < n; i++)
                visit(&todo, &seen, LLVMGetIncomingValue(v, i));
        } else if (LLVMIsASelectInst(v)) {
            visit(&todo, &seen, LLVMGetOperand(v, 1));
            visit(&todo, &seen, LLVMGetOperand(v, 2));
        } else if (LLVMIsACallInst(v) && (name = au_ir_intrinsic(v)) && passes_on(name)) {
            visit(&todo, &seen, LLVMGetOperand(v, 0));
        } else {
            au_mem m = class_of(e, v);
            shared = m == AU_MEM_SHARED;
            constant = constant && m == AU_MEM_CONST;
        }
    }
    au_vec_release(&todo);
    au_map_release(&seen);
    return shared ? AU_MEM_SHARED : constant ? AU_MEM_CONST : AU_MEM_PRIVATE;
}
