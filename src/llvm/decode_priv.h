/* llvm/decode_priv.h: what the files decode*.c share while one module is decoded
 * (ir/code.h). Arrays of the result grow here and are handed over at the end. */
#ifndef AU_LLVM_DECODE_PRIV_H
#define AU_LLVM_DECODE_PRIV_H

#include "base/intern.h"
#include "ir/code.h"
#include "llvm/plan.h"

/* How a value of some type lies in a frame. */
typedef struct {
    uint8_t width;  /* bits of a scalar, 0: wide */
    uint32_t slots; /* at least 1 */
    uint64_t bytes; /* of memory */
    bool sized;     /* false: nothing that lies anywhere (token, metadata) or of no fixed size */
} au_shape;

/* A set of bits of an integer. */
__extension__ typedef unsigned __int128 au_wide_mask;

typedef struct {
    au_ir ir;
    au_hook_plan plan;
    AU_VEC(au_code_insn) insn;
    AU_VEC(uint32_t) line;
    AU_VEC(uint32_t) file;
    AU_VEC(uint32_t) around;
    AU_VEC(uint32_t) block;
    AU_VEC(uint32_t) function_of;
    AU_VEC(au_code_function) function;
    AU_VEC(struct au_code_edge) edge;
    AU_VEC(LLVMBasicBlockRef) edge_to; /* of each edge; targets are set when a function is done */
    AU_VEC(struct au_code_copy) copy;
    AU_VEC(struct au_code_switch) sw;
    AU_VEC(struct au_code_case) kase;
    AU_VEC(struct au_code_call) call;
    AU_VEC(struct au_code_arg) arg;
    AU_VEC(struct au_code_wide) wide;
    AU_VEC(struct au_code_const) pool;
    AU_VEC(struct au_code_global) global;
    AU_VEC(struct au_code_reloc) reloc;
    AU_VEC(struct au_code_inlined) inlined;
    AU_VEC(struct au_code_alias) alias;
    AU_VEC(uint32_t) alias_at; /* of each instruction: into alias */
    AU_VEC(uint64_t) immediate;
    AU_VEC(uint32_t) index;
    AU_VEC(au_operand) operand;
    AU_VEC(uint8_t) bytes;
    AU_VEC(char) string;

    au_intern strings;
    AU_VEC(uint32_t) string_at; /* of each interned string */
    au_map constant;            /* constant -> place in pool */
    au_map number;              /* value of one slot -> place in pool */
    au_map global_at;           /* global variable -> place in global */
    au_map value;               /* parameter or instruction -> first slot */
    au_map block_at;            /* basic block -> its first instruction (of the function at hand) */
    au_map alias_known;         /* TBAA tag -> place in alias + 1 */
    unsigned tbaa;              /* kind of metadata */
    au_map inlined_at;          /* place of an inlined call -> place in inlined */
    au_map partial;             /* instruction -> place in undef_bits (of the function at hand) */
    AU_VEC(au_wide_mask) undef_bits;
    uint32_t unknown; /* place in pool of one unknown slot; AU_NONE: not yet */

    bool unrolled; /* numbers are those from before (au_ir_was) */

    /* The function and the instruction at hand. */
    uint32_t here; /* place in function */
    const au_plan_function *f;
    LLVMValueRef at;
    LLVMBasicBlockRef in;
    uint32_t n_at, n_line, n_file, n_block; /* number, line, file, first instruction of the block */
    uint32_t n_around;                      /* in this inlined call */
    uint32_t slots, temp;                   /* slots given out; temp: for phis that go in circles */
    uint32_t temp_slots;
    const au_hook *hook; /* of this instruction: n_hooks in a row */
    size_t n_hooks;
    bool joining;               /* the instruction is one of decode_undef.c: undef is 0 to it */
    LLVMMetadataRef last_place; /* whose line, file and call are n_line, n_file, n_around */
    LLVMMetadataRef last_file;  /* whose name is last_path */
    uint32_t last_path;
} au_dec;

/* ---- decode.c ---- */
uint32_t au_dec_string(au_dec *d, const char *s, size_t len);
uint32_t au_dec_text(au_dec *d, const char *s);
uint32_t au_dec_name(au_dec *d, LLVMValueRef v); /* the name of a global value */
au_shape au_dec_shape(const au_dec *d, LLVMTypeRef type);
/* ---- decode_alias.c ---- */
/* By which type a load or store reaches its memory: place in alias, 0: not known. */
uint32_t au_dec_alias(au_dec *d, LLVMValueRef insn);

/* A new instruction with everything that is the same for all; valid until the next one. */
au_code_insn *au_dec_add(au_dec *d, au_code_op op);
/* The same, whose result is the LLVM instruction at hand: dst and width are set. */
au_code_insn *au_dec_result(au_dec *d, au_code_op op);
uint32_t au_dec_slot(const au_dec *d, LLVMValueRef v);
au_operand au_dec_operand(au_dec *d, LLVMValueRef v);
/* UNMODELLED, with the first n operands of the instruction at hand. */
void au_dec_unmodelled(au_dec *d, const char *what, unsigned n_operands);
/* The hook of this kind at the instruction at hand, or NULL. */
const au_hook *au_dec_hook(const au_dec *d, au_hook_kind kind);

/* ---- decode_const.c ---- */
void au_dec_globals(au_dec *d);
uint32_t au_dec_number(au_dec *d, uint64_t value);              /* place in pool */
uint32_t au_dec_constant(au_dec *d, LLVMValueRef v);            /* place in pool */
uint32_t au_dec_zero(au_dec *d, uint32_t slots);                /* place in pool */
uint32_t au_dec_unknown(au_dec *d, uint32_t slots);             /* place in pool */
uint64_t au_dec_int_word(LLVMValueRef constant, unsigned word); /* of a constant integer */
/* Bytes from the beginning of 'type' to the element that this index leads to, which *element is. */
uint64_t au_dec_step(const au_dec *d, LLVMTypeRef type, uint64_t index, LLVMTypeRef *element);

/* ---- decode_undef.c ---- */
void au_dec_find_undef(au_dec *d);
/* Whether the instruction may put an integer together from parts. */
bool au_dec_joins_parts(LLVMValueRef insn);
/* The bits of an integer that come from undef. */
au_wide_mask au_dec_undef_bits(const au_dec *d, LLVMValueRef v);

/* ---- decode_insn.c ---- */
void au_dec_instruction(au_dec *d);
void au_dec_alloca(au_dec *d, LLVMValueRef alloca);

/* ---- decode_flow.c ---- */
void au_dec_br(au_dec *d);
void au_dec_switch(au_dec *d);
void au_dec_indirect(au_dec *d, bool told); /* indirectbr, callbr, switch on wide integers */
uint32_t au_dec_edge(au_dec *d, LLVMBasicBlockRef to); /* from the block at hand */
void au_dec_set_targets(au_dec *d, size_t first_edge);

/* ---- decode_call.c ---- */
void au_dec_call(au_dec *d);
/* ---- decode_intrinsic.c ---- */
void au_dec_intrinsic(au_dec *d, const char *name);

/* ---- decode_wide.c: false: not of this file ---- */
bool au_dec_wide_type(const au_dec *d, LLVMTypeRef type); /* vector or integer above 64 bits */
void au_dec_wide_int(au_dec *d, au_code_op op, unsigned n_operands);
void au_dec_wide_icmp(au_dec *d, au_code_op op, bool turned);
void au_dec_wide_cast(au_dec *d, au_code_op op);
void au_dec_wide_select(au_dec *d);
void au_dec_float(au_dec *d, au_code_wide_op op, unsigned n_operands);
void au_dec_float_math(au_dec *d, const char *name, unsigned n_operands);
void au_dec_muladd(au_dec *d);
void au_dec_element(au_dec *d); /* extractelement, insertelement, shufflevector */
void au_dec_sign_mask(au_dec *d);
void au_dec_reduce(au_dec *d, au_code_op op);

/* ---- decode_fails.c ---- */
bool au_dec_is_failure(const char *name);
void au_dec_mark_fails(au_dec *d);

#endif
