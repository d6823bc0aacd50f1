/* llvm/asm_priv.h: executing the assembler of one statement on LLVM's values. */
#ifndef AU_LLVM_ASM_PRIV_H
#define AU_LLVM_ASM_PRIV_H

#include "llvm/asm.h"

#define AU_ASM_MARK "augur.asm"

/* A register, or an operand in a register that the compiler chooses. */
typedef struct {
    LLVMValueRef v; /* 64 bits; NULL: nothing was put into it */
    unsigned bytes; /* of them are defined */
} au_asm_place;

/* One operand of the statement. */
typedef struct {
    bool memory, constant;
    LLVMValueRef pointer; /* memory: its address */
    LLVMValueRef value;   /* constant */
    unsigned size;        /* bytes of its type; 0: none of 1, 2, 4, 8 */
    au_asm_place *at;     /* otherwise: where it is */
    char flag[4];         /* an output that is a flag: "e" of {@cce} */
    bool output;
    LLVMTypeRef type;
} au_asm_operand;

typedef struct {
    au_ir *ir;
    LLVMBuilderRef b;
    LLVMValueRef call;
    unsigned mark;
    LLVMTypeRef i1, i8, i64;
    unsigned n;
    au_asm_operand op[AU_ASM_OPERANDS];
    au_asm_place own[AU_ASM_OPERANDS], reg[AU_ASM_REGISTERS];
    LLVMValueRef zf, cf, sf, of; /* i1; NULL: not known */
    bool touched;                /* memory, or ordered accesses of it */
} au_asm_machine;

/* Builds what one instruction does; false: not known. */
bool au_asm_execute(au_asm_machine *m, const au_asm_insn *i);
/* The condition that a name such as "ne" stands for; NULL: not known. */
LLVMValueRef au_asm_condition(au_asm_machine *m, const char *name);

#endif
