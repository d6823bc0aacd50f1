/* llvm/asm.h: inline assembler that is understood, as LLVM's own instructions.
 * Part of augur-llvm.so only.
 *
 * Programs older than C11, and libraries such as liburcu, write their atomic operations in assembler. To
 * hooks, decoder and interpreter that is foreign code, and a lock made of it orders nothing. So
 * before the module is cleaned, assembler for x86-64 whose every instruction is known here becomes
 * atomicrmw, cmpxchg, fence, load, store and arithmetic. Anything else stays what it is.
 * docs/instrumentation.md lists what is known. */
#ifndef AU_LLVM_ASM_H
#define AU_LLVM_ASM_H

#include "llvm/ir.h"

/* Before the module is cleaned. */
void au_asm_decode(au_ir *ir);

/* After it. The other half of such an atomic operation is a volatile access (or one beside a compiler
 * barrier) of the same variable, as in 'xchg' to lock and 'l->held = 0' to unlock: it becomes
 * atomic, too. Also takes the marks away that au_asm_decode left. */
void au_asm_pair(au_ir *ir);

/* Memory that a statement names as an operand, or in its text through a register: what stays assembler reads and writes it. Of a structure, which
 * may stand for memory of any size, the first byte counts. */
typedef struct {
    LLVMValueRef pointer;
    unsigned size;
    LLVMValueRef count; /* … times this, of a string instruction with 'rep'; NULL */
    bool reads, writes;
} au_asm_memory;
/* to has room for AU_ASM_OPERANDS; how many there are. */
unsigned au_asm_touches(const au_ir *ir, LLVMValueRef call, au_asm_memory *to);

/* asm_read.c: the text ----------------------------------------------------- */

enum { AU_ASM_OPERANDS = 30, AU_ASM_REGISTERS = 16, AU_ASM_RSP = 4 };

typedef enum {
    AU_ASM_NONE,
    AU_ASM_REGISTER,
    AU_ASM_OPERAND,
    AU_ASM_NUMBER,
    AU_ASM_MEMORY
} au_asm_kind;

/* What an instruction works on. An OPERAND is one of the statement's own ($0, $1 …): a register,
 * a constant or memory, as its constraint says. */
typedef struct {
    au_asm_kind kind;
    unsigned number; /* REGISTER: as the machine counts them; OPERAND: which */
    unsigned size;   /* bytes, as its name says ("%al", "${0:b}", "dword ptr"); 0: unsaid */
    int64_t value;   /* NUMBER; MEMORY and OPERAND: what is added to the address */
    struct au_asm_part {
        au_asm_kind kind; /* NONE, REGISTER, OPERAND */
        unsigned number, scale;
    } part[2]; /* MEMORY: base and index */
} au_asm_arg;

typedef struct {
    char name[16]; /* in lower case, with its suffix */
    bool lock;
    unsigned n;
    au_asm_arg arg[3]; /* the destination first */
} au_asm_insn;

/* Reads the next instruction at *text and moves it on. 1: there was one; 0: the end; -1: not understood. */
int au_asm_read(const char **text, bool intel, au_asm_insn *to);
/* The alternatives "{a|b}" of a text for one of the dialects. to has room for the text; false: bad. */
bool au_asm_choose(const char *text, size_t n, bool intel, char *to);
/* Whether the text does nothing but wait: "pause", "rep; nop", nothing at all. */
bool au_asm_is_idle(const char *text, size_t n, bool intel);
/* Whether the text only computes with registers: "rdtsc", "bswap $0". Its operands may be memory all the same (au_asm_touches). */
bool au_asm_is_plain(const char *text, size_t n, bool intel);
/* A register by its name without '%': its number and size, or -1. */
int au_asm_register(const char *name, size_t n, unsigned *size);

#endif
