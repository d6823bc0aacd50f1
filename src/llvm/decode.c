#include "llvm/api.h"
#include "llvm/decode_priv.h"
#include "llvm/dinfo.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/DebugInfo.h>
#include <string.h>

/* Small things ------------------------------------------------------------ */

uint32_t au_dec_string(au_dec *d, const char *s, size_t len) {
    const char *nul = memchr(s, 0, len);
    if (nul)
        len = (size_t)(nul - s);
    uint32_t id = au_intern_add(&d->strings, s, len);
    if (id == d->string_at.n) {
        au_vec_push(&d->string_at, (uint32_t)d->string.n);
        au_vec_append(&d->string, s, len);
        au_vec_push(&d->string, '\0');
    }
    return d->string_at.at[id];
}

uint32_t au_dec_text(au_dec *d, const char *s) {
    return au_dec_string(d, s, strlen(s));
}

uint32_t au_dec_name(au_dec *d, LLVMValueRef v) {
    size_t len;
    const char *s = LLVMGetValueName2(v, &len);
    if (len > 0 && s[0] == '\1') { /* asm labels: nothing is put before the name */
        s++;
        len--;
    }
    return au_dec_string(d, s, len);
}

au_shape au_dec_shape(const au_dec *d, LLVMTypeRef type) {
    au_shape s = {.slots = 1, .sized = true};
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind: {
        unsigned width = LLVMGetIntTypeWidth(type);
        s.bytes = (width + 7) / 8;
        if (width <= 64)
            s.width = (uint8_t)width;
        break;
    }
    case LLVMPointerTypeKind:
    case LLVMDoubleTypeKind:
        s.width = 64;
        s.bytes = 8;
        break;
    case LLVMFloatTypeKind:
        s.width = 32;
        s.bytes = 4;
        break;
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
        s.width = 16;
        s.bytes = 2;
        break;
    case LLVMScalableVectorTypeKind:
    case LLVMTargetExtTypeKind:
        s.sized = false;
        break;
    default:
        s.sized = LLVMTypeIsSized(type);
        if (s.sized)
            s.bytes = LLVMStoreSizeOfType(d->ir.layout, type);
    }
    if (s.bytes > 8)
        s.slots = (uint32_t)((s.bytes + 7) / 8);
    return s;
}

uint32_t au_dec_slot(const au_dec *d, LLVMValueRef v) {
    uint64_t *at = au_map_find(&d->value, (uint64_t)(uintptr_t)v);
    return at ? (uint32_t)*at : AU_NONE;
}

au_operand au_dec_operand(au_dec *d, LLVMValueRef v) {
    uint32_t slot = au_dec_slot(d, v);
    if (d->joining && (LLVMIsUndef(v) || LLVMIsPoison(v)))
        return ~(au_operand)au_dec_zero(d, au_dec_shape(d, LLVMTypeOf(v)).slots);
    if (slot == AU_NONE)
        return ~(au_operand)au_dec_constant(d, v);
    if (d->partial.n && !d->joining && au_dec_undef_bits(d, v))
        return ~(au_operand)au_dec_unknown(d, au_dec_shape(d, LLVMTypeOf(v)).slots);
    return (au_operand)slot;
}

const au_hook *au_dec_hook(const au_dec *d, au_hook_kind kind) {
    for (size_t i = 0; i < d->n_hooks; i++)
        if (d->hook[i].kind == kind)
            return &d->hook[i];
    return NULL;
}

/* Instructions ------------------------------------------------------------ */

static uint32_t file_string(au_dec *d, LLVMMetadataRef file) {
    if (file == d->last_file)
        return d->last_path;
    char path[4096];
    size_t len = file ? au_di_path(&d->ir, file, path, sizeof path) : 0;
    d->last_file = file;
    d->last_path = len ? au_dec_string(d, path, len) : 0;
    return d->last_path;
}

/* The inlined call that a place is in; 0: none. The chain is as deep as calls were inlined. */
static uint32_t inlined_around(au_dec *d, LLVMMetadataRef where) {
    LLVMMetadataRef call = LLVMDILocationGetInlinedAt(where);
    if (!call)
        return 0;
    if (!d->inlined.n)
        au_vec_push(&d->inlined, ((struct au_code_inlined){0})); /* 0 is none */
    const uint64_t *known = au_map_find(&d->inlined_at, (uintptr_t)call);
    if (known)
        return (uint32_t)*known;
    char name[512] = "?";
    LLVMMetadataRef callee = au_di_subprogram(&d->ir, LLVMDILocationGetScope(where));
    if (callee)
        au_di_qualified(&d->ir, callee, name, sizeof name);
    struct au_code_inlined row = {
        .callee = au_dec_text(d, name),
        .file = file_string(d, LLVMDIScopeGetFile(LLVMDILocationGetScope(call))),
        .line = LLVMDILocationGetLine(call),
        .around = inlined_around(d, call)};
    au_vec_push(&d->inlined, row);
    *au_map_put(&d->inlined_at, (uintptr_t)call, NULL) = d->inlined.n - 1;
    return (uint32_t)d->inlined.n - 1;
}

static void find_place(au_dec *d) {
    LLVMMetadataRef where = LLVMInstructionGetDebugLoc(d->at);
    if (!where || where == d->last_place)
        return; /* what has no place is told to be where the one before it is */
    d->last_place = where;
    where = au_di_users_place(where);
    d->n_line = LLVMDILocationGetLine(where);
    LLVMMetadataRef file = LLVMDIScopeGetFile(LLVMDILocationGetScope(where));
    d->n_file = file_string(d, file);
    d->n_around = inlined_around(d, where);
}

au_code_insn *au_dec_add(au_dec *d, au_code_op op) {
    au_vec_push(&d->line, d->n_line);
    au_vec_push(&d->file, d->n_file);
    au_vec_push(&d->around, d->n_around);
    au_vec_push(&d->alias_at, 0);
    au_vec_push(&d->block, d->n_block);
    au_vec_push(&d->function_of, d->here);
    au_code_insn *i = au_vec_add(&d->insn);
    *i = (au_code_insn){.op = (uint8_t)op, .dst = AU_NONE, .site = AU_NONE, .number = d->n_at};
    return i;
}

au_code_insn *au_dec_result(au_dec *d, au_code_op op) {
    au_code_insn *i = au_dec_add(d, op);
    i->dst = au_dec_slot(d, d->at);
    i->width = au_dec_shape(d, LLVMTypeOf(d->at)).width;
    return i;
}

void au_dec_unmodelled(au_dec *d, const char *what, unsigned n) {
    uint32_t first = (uint32_t)d->operand.n;
    for (unsigned k = 0; k < n; k++) {
        LLVMValueRef v = LLVMGetOperand(d->at, k);
        au_operand at = au_dec_operand(d, v);
        if (at < 0)
            continue; /* constants need no pin */
        au_shape s = au_dec_shape(d, LLVMTypeOf(v));
        for (uint32_t j = 0; j < s.slots; j++)
            au_vec_push(&d->operand, at + (au_operand)j);
    }
    uint32_t text = au_dec_text(d, what);
    au_code_insn *i = au_dec_result(d, AU_C_UNMODELLED);
    i->a = (au_operand)first;
    i->b = (au_operand)(d->operand.n - first);
    i->aux = text;
    if (i->dst != AU_NONE)
        i->c = (au_operand)au_dec_shape(d, LLVMTypeOf(d->at)).slots;
}

/* Functions --------------------------------------------------------------- */

static void give_slots(au_dec *d, LLVMValueRef v) {
    au_shape s = au_dec_shape(d, LLVMTypeOf(v));
    *au_map_put(&d->value, (uint64_t)(uintptr_t)v, NULL) = d->slots;
    d->slots += s.slots;
}

static void begin_function(au_dec *d, au_code_function *f) {
    LLVMValueRef v = d->f->function;
    d->slots = d->temp_slots = 0;
    f->param = (uint32_t)d->arg.n;
    f->n_params = LLVMCountParams(v);
    for (unsigned k = 0; k < f->n_params; k++) {
        LLVMValueRef p = LLVMGetParam(v, k);
        au_shape s = au_dec_shape(d, LLVMTypeOf(p));
        LLVMAttributeRef byval = LLVMGetEnumAttributeAtIndex(v, k + 1, d->ir.a_byval);
        struct au_code_arg a = {.at = (au_operand)d->slots, .slots = s.slots, .width = s.width};
        if (byval)
            a.byval = (uint32_t)LLVMABISizeOfType(d->ir.layout, LLVMGetTypeAttributeValue(byval));
        au_vec_push(&d->arg, a);
        give_slots(d, p);
    }
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(v); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind)
                give_slots(d, i);
    d->temp = d->slots;
    au_shape result = au_dec_shape(d, LLVMGetReturnType(LLVMGlobalGetValueType(v)));
    if (result.sized &&
        LLVMGetTypeKind(LLVMGetReturnType(LLVMGlobalGetValueType(v))) != LLVMVoidTypeKind)
        f->result_slots = result.slots;
    LLVMLinkage l = LLVMGetLinkage(v);
    f->name = au_dec_name(d, v);
    f->first = (uint32_t)d->insn.n;
    f->hooked = d->f->hooked;
    f->left_out = d->f->left_out;
    f->varargs = LLVMIsFunctionVarArg(LLVMGlobalGetValueType(v));
    f->internal = l == LLVMInternalLinkage || l == LLVMPrivateLinkage;
    f->enter_site = AU_NONE;
    LLVMMetadataRef sp = LLVMGetSubprogram(v);
    d->last_place = NULL;
    d->n_around = 0;
    d->n_line = sp ? LLVMDISubprogramGetLine(sp) : 0;
    d->n_file = file_string(d, sp ? LLVMDIScopeGetFile(sp) : NULL);
}

static void add_frame(au_dec *d, const au_hook *h) {
    au_code_insn *i = au_dec_add(d, AU_C_EV_FRAME);
    i->a = (au_operand)au_dec_slot(d, h->what);
    i->aux = h->size > UINT32_MAX ? 0 : (uint32_t)h->size;
    i->site = h->site[0];
}

/* What stands before the first instruction: variables of the whole function, then events. */
static void add_entry(au_dec *d, au_code_function *f) {
    d->n_block = (uint32_t)d->insn.n;
    d->n_at = d->f->first_number;
    for (LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(d->f->function)); i;
         i = LLVMGetNextInstruction(i))
        if (LLVMIsAAllocaInst(i) && LLVMIsAConstantInt(LLVMGetOperand(i, 0)))
            au_dec_alloca(d, i);
    for (uint32_t k = d->f->first; k < d->f->end; k++) {
        const au_hook *h = &d->plan.hook.at[k];
        if (h->number != d->f->first_number)
            break;
        if (h->kind == AU_HOOK_ENTER) {
            f->enter_site = h->site[0];
            au_dec_add(d, AU_C_EV_ENTER)->site = h->site[0];
        } else if (h->kind == AU_HOOK_FRAME && h->at_entry) {
            add_frame(d, h);
        }
    }
}

/* Events that stand before the instruction, then it, then those behind it. */
static void add_with_events(au_dec *d) {
    for (size_t k = 0; k < d->n_hooks; k++) {
        const au_hook *h = &d->hook[k];
        if (h->kind == AU_HOOK_BYVAL) {
            au_operand a = au_dec_operand(d, h->what);
            au_code_insn *i = au_dec_add(d, AU_C_EV_BYVAL);
            i->a = a;
            i->aux = (uint32_t)h->size;
            i->site = h->site[0];
        } else if (h->kind == AU_HOOK_LEAVE) {
            au_dec_add(d, AU_C_EV_LEAVE)->site = h->site[0];
        }
    }
    au_dec_instruction(d);
    for (size_t k = 0; k < d->n_hooks; k++) {
        const au_hook *h = &d->hook[k];
        if (h->kind == AU_HOOK_LAND)
            au_dec_add(d, AU_C_EV_LAND)->site = h->site[0];
        else if (h->kind == AU_HOOK_FRAME && !h->at_entry)
            add_frame(d, h);
    }
}

static void add_function(au_dec *d, uint32_t place) {
    d->here = place;
    d->f = &d->plan.function.at[place];
    au_code_function f = {0};
    begin_function(d, &f);
    au_dec_find_undef(d);
    size_t first_edge = d->edge.n;
    uint32_t number = d->f->first_number - 1, k = d->f->first;
    LLVMBasicBlockRef in = NULL;
    for (au_ir_walk w = au_ir_first(d->f->function, &number); w.insn; au_ir_next(&w)) {
        d->at = w.insn;
        d->in = w.block;
        if (!in)
            add_entry(d, &f);
        if (w.block != in) {
            if (in)
                d->n_block = (uint32_t)d->insn.n;
            *au_map_put(&d->block_at, (uint64_t)(uintptr_t)w.block, NULL) = d->n_block;
            in = w.block;
        }
        d->n_at = d->unrolled ? au_ir_was(&d->ir, w.insn) : w.number;
        d->hook = d->plan.hook.n ? d->plan.hook.at + k : NULL;
        d->n_hooks = 0;
        for (; k < d->f->end && d->plan.hook.at[k].number == w.number; k++)
            d->n_hooks++;
        find_place(d);
        d->joining = au_dec_joins_parts(d->at);
        add_with_events(d);
    }
    au_dec_set_targets(d, first_edge);
    au_map_clear(&d->block_at);
    f.n = (uint32_t)d->insn.n - f.first;
    f.slots = d->slots + d->temp_slots;
    au_vec_push(&d->function, f);
}

/* All together ------------------------------------------------------------ */

static void index_sites(const au_dec *d, au_code *c) {
    c->n_sites = (uint32_t)d->plan.site.n;
    c->site_insn = au_alloc_array(c->n_sites + 1u, sizeof *c->site_insn);
    c->site_part = au_alloc_array(c->n_sites + 1u, sizeof *c->site_part);
    for (uint32_t s = 0; s < c->n_sites; s++)
        c->site_insn[s] = AU_NONE;
    for (uint32_t i = 0; i < c->n_insns; i++) {
        const au_code_insn *x = &c->insn[i];
        uint32_t part[3] = {x->site, AU_NONE, AU_NONE};
        if (x->op == AU_C_COPY) {
            part[1] = x->aux;
        } else if (x->op == AU_C_CALL) {
            part[1] = c->call[x->aux].land;
            part[2] = c->call[x->aux].xret;
        }
        for (uint8_t k = 0; k < 3; k++)
            if (part[k] != AU_NONE) {
                c->site_insn[part[k]] = i;
                c->site_part[part[k]] = k;
            }
    }
}

#define HAND_OVER(field, count)                                                                    \
    do {                                                                                           \
        AU_BUG_IF(d->field.n > UINT32_MAX - 1);                                                    \
        c->field = d->field.at;                                                                    \
        c->count = (uint32_t)d->field.n;                                                           \
    } while (0)

static au_code *hand_over(au_dec *d, uint64_t module) {
    au_code *c = AU_NEW(au_code);
    c->module = module;
    HAND_OVER(insn, n_insns);
    c->line = d->line.at;
    c->file = d->file.at;
    c->around = d->around.at;
    c->alias_at = d->alias_at.at;
    c->block = d->block.at;
    c->function_of = d->function_of.at;
    HAND_OVER(function, n_functions);
    HAND_OVER(edge, n_edges);
    HAND_OVER(copy, n_copies);
    HAND_OVER(sw, n_switches);
    HAND_OVER(kase, n_cases);
    HAND_OVER(call, n_calls);
    HAND_OVER(arg, n_args);
    HAND_OVER(wide, n_wides);
    HAND_OVER(pool, n_consts);
    HAND_OVER(global, n_globals);
    HAND_OVER(alias, n_aliases);
    HAND_OVER(reloc, n_relocs);
    HAND_OVER(inlined, n_inlined);
    HAND_OVER(immediate, n_immediates);
    HAND_OVER(index, n_indexes);
    HAND_OVER(operand, n_operands);
    HAND_OVER(string, n_strings);
    c->bytes = d->bytes.at;
    c->n_bytes = d->bytes.n;
    index_sites(d, c);
    return c;
}

static au_code *decode(LLVMModuleRef m, uint64_t module, bool unrolled) {
    au_dec *d = AU_NEW(au_dec);
    d->unrolled = unrolled;
    d->unknown = AU_NONE;
    au_ir_init(&d->ir, m);
    au_plan_init(&d->plan, &d->ir);
    au_intern_init(&d->strings);
    au_map *maps[] = {&d->constant, &d->number,  &d->global_at,  &d->value,
                      &d->block_at, &d->partial, &d->inlined_at, &d->alias_known};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        au_map_init(maps[i]);
    d->tbaa = LLVMGetMDKindIDInContext(d->ir.ctx, "tbaa", 4);
    au_dec_text(d, "");
    au_dec_globals(d);
    for (uint32_t i = 0; i < d->plan.function.n; i++)
        add_function(d, i);
    au_dec_mark_fails(d);
    au_code *c = hand_over(d, module);
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        au_map_release(maps[i]);
    au_vec_release(&d->edge_to);
    au_vec_release(&d->undef_bits);
    au_vec_release(&d->string_at);
    au_intern_release(&d->strings);
    au_plan_release(&d->plan);
    free(d);
    return c;
}

static int read_and_decode(const void *bitcode, uint64_t n, uint64_t module, bool unroll,
                           struct au_code **code, char **message) {
    LLVMContextRef ctx = LLVMContextCreate();
    LLVMMemoryBufferRef b =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(bitcode, (size_t)n, "clean module");
    LLVMModuleRef m = NULL;
    au_error said = AU_ERROR_NONE;
    LLVMContextSetDiagnosticHandler(ctx, au_ir_on_diagnostic, &said);
    bool failed = LLVMParseBitcodeInContext2(ctx, b, &m);
    LLVMDisposeMemoryBuffer(b);
    if (failed) {
        *message = au_sprintf("not bitcode of LLVM 19%s%s", said.status ? ": " : "",
                              said.status ? said.text : "");
    } else {
        au_ir ir;
        au_ir_init(&ir, m);
        if (unroll && au_ir_unroll(&ir, &said) != AU_OK) {
            *message = au_strdup(said.text);
            failed = true;
        } else {
            *code = decode(m, module, unroll);
        }
        LLVMDisposeModule(m);
    }
    LLVMContextDispose(ctx);
    return failed ? AU_LLVM_EINPUT : AU_LLVM_OK;
}

int au_llvm_decode(const void *bitcode, uint64_t n, uint64_t module, struct au_code **code,
                   char **message) {
    return read_and_decode(bitcode, n, module, false, code, message);
}

int au_llvm_decode_unrolled(const void *bitcode, uint64_t n, uint64_t module, struct au_code **code,
                            char **message) {
    return read_and_decode(bitcode, n, module, true, code, message);
}

void au_llvm_code_free(struct au_code *c) {
    if (!c)
        return;
    void *all[] = {c->insn,      c->line,        c->file,      c->block,
                   c->function,  c->function_of, c->edge,      c->copy,
                   c->sw,        c->kase,        c->call,      c->arg,
                   c->wide,      c->pool,        c->global,    c->reloc,
                   c->immediate, c->index,       c->operand,   c->bytes,
                   c->string,    c->site_insn,   c->site_part, c->around,
                   c->inlined,   c->alias,       c->alias_at,  c};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}
