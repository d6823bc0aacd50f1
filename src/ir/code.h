/* ir/code.h: a clean module (llvm/ir.h) decoded once: what the interpreter of
 * recorded runs (retrace.h) executes and what the static half reads. Made by augur-llvm.so
 * (au_llvm_decode), plain memory without any LLVM type, immutable.
 *
 * Values. A frame is an array of 8-byte slots. A scalar of at most 64 bits (integer, pointer,
 * float, double) is one slot, zero-extended. Everything wider (i128, x86_fp80, vectors, first-class
 * structures and arrays) lies in ceil(store size / 8) slots as it would lie in memory; bytes
 * beyond its size are zero; lanes of vectors lie packed, bit after bit from the lowest (<8 x i1> is
 * one byte). half and bfloat are scalars of 16 bits. An operand is a slot (>= 0) or a constant of the module's pool (~n).
 *
 * Instructions are in the order of the module, in each block in order; what LLVM does in one
 * instruction may be several here (they have the same number), and hooks that are events
 * but belong to no instruction stand as instructions of their own (EV_*), so that the
 * events of a thread are exactly the instructions with a site that it executes, in order. Critical
 * edges are gone; the copies that phis make are lists on edges, put into an order in which
 * they can be done one after the other. ALLOCAs of constant size in a function's first
 * block stand at its very beginning (before EV_ENTER), as the instrumentation puts them, so that
 * EV_FRAME comes after its ALLOCA.
 * Fields of an instruction that are not mentioned with its operation are 0 (dst: AU_NONE).
 *
 * Sites are numbered as in the plan (llvm/plan.h) and the tables, AU_NONE: no event. */
#ifndef AU_IR_CODE_H
#define AU_IR_CODE_H

#include "base/error.h"
#include "base/none.h"

#include <stdbool.h>
#include <stdint.h>

typedef int32_t au_operand;

typedef enum {
    /* Integers of 1 to 64 bits: dst = a op b, 'width' bits. ADD of a GEP: aux, if not 0, is how many bytes from dst on the
     * array has that dst points into, a member of fixed length with other members behind it. */
    AU_C_ADD,
    AU_C_SUB,
    AU_C_MUL,
    AU_C_UDIV,
    AU_C_SDIV,
    AU_C_UREM,
    AU_C_SREM,
    AU_C_SHL,
    AU_C_LSHR,
    AU_C_ASHR,
    AU_C_AND,
    AU_C_OR,
    AU_C_XOR,
    /* dst = 1 bit; width: of the operands. Greater than is less than, turned round. */
    AU_C_EQ,
    AU_C_NE,
    AU_C_ULT,
    AU_C_ULE,
    AU_C_SLT,
    AU_C_SLE,
    AU_C_MOVE,  /* dst[0 … aux) = a[0 … aux): bitcasts, inttoptr, ptrtoint of 64, freeze;
                  width if dst is a scalar, else 0 */
    AU_C_TRUNC, /* to width */
    AU_C_ZEXT,  /* from 'from' bits to width */
    AU_C_SEXT,
    AU_C_SELECT, /* dst[0 … aux) = a (1 bit) ? b : c; width if scalar, 0 if wider */
    AU_C_SCALE,  /* dst = a + sext64(b, from) * (int64_t)immediate[aux]: one index of a GEP;
                    immediate[aux + 1]: elements of the array it is an index of, 0: not of an array */
    /* Integer intrinsics: dst = f(a, b) at width. */
    AU_C_SMIN,
    AU_C_SMAX,
    AU_C_UMIN,
    AU_C_UMAX,
    AU_C_ABS,
    AU_C_CTPOP,
    AU_C_CTLZ,
    AU_C_CTTZ,
    AU_C_BSWAP,
    AU_C_BITREVERSE,
    AU_C_FSHL,
    AU_C_FSHR, /* c: the count */
    AU_C_USUB_SAT,
    AU_C_UADD_SAT,
    AU_C_SSUB_SAT,
    AU_C_SADD_SAT,
    /* {result, overflow bit} laid out as the structure: 'from' says AU_C_ADD, SUB or MUL, flags
     * AU_CF_SIGNED; width: up to 128 (a, b wide above 64); aux: byte in which the overflow bit is */
    AU_C_OVERFLOW,
    /* Bytes of wide values. */
    /* dst = bytes of a from offset aux & 0xffff on: width bits of a scalar, or width 0 and
     * aux >> 16 bytes of a wide value. Offsets and sizes are below 65536. */
    AU_C_BYTES_GET,
    /* dst = a with the bytes of b at offset aux & 0xffff: width bits of a scalar (bits above it in its last
     * byte are zero), or width 0 and aux >> 16 bytes; 'c' is the number of slots of dst,
     * not an operand. */
    AU_C_BYTES_PUT,
    /* Floating point and everything wide: done by code[aux] = struct au_code_wide below. */
    AU_C_WIDE,
    /* Result not known, inputs pinned: operands [a, a+b) of operand[]; aux: string, what it is.
     * dst may be AU_NONE; width if it is a scalar, 'c' is its number of slots, not an operand. */
    AU_C_UNMODELLED,

    /* Memory. width: bits of a scalar value, or 0 and aux: bytes (a wide value). */
    AU_C_ALLOCA, /* dst = address; aux: place in 'immediate' of the bytes of an element; b: how many.
                   * Private: any address will do; escaping: its EV_FRAME tells */
    AU_C_LOAD,   /* dst = *a */
    AU_C_STORE,  /* *a = b (atomic and of more than 8 bytes: its event is a read-modify-write) */
    AU_C_COPY,   /* memcpy, memmove: a to, b from, c bytes; site: of the read, aux: of the write
                    (each AU_NONE if that side is private or constant); width: bits of c */
    AU_C_SET,    /* memset: a to, b byte, c bytes; width: bits of c */
    AU_C_FORGET,  /* aux bytes at a become unknown (llvm.va_start); no event */
    AU_C_RMW,     /* dst = old *a; *a = old op b; from: AU_RMW_* */
    AU_C_CMPXCHG, /* dst = {old, success} as the structure lies, success in the byte after old;
                     a address, b expected, c new */
    AU_C_FENCE,
    /* Hooks without an instruction. */
    AU_C_EV_ENTER,
    AU_C_EV_LEAVE,
    AU_C_EV_LAND,
    AU_C_EV_FRAME, /* a: slot of the alloca or parameter whose address the event tells; aux: bytes, 0 unknown.
                      The interpreter sets the slot to the event's address */
    AU_C_EV_BYVAL, /* a: pointer, aux: bytes read */
    /* Control. */
    AU_C_BR,         /* edge a */
    AU_C_CONDBR,     /* a ? edge b : edge c (b, c are edges, not operands) */
    AU_C_SWITCH,     /* a; aux: into 'sw' */
    AU_C_INDIRECTBR, /* a; aux: into 'sw' (values unknown, no 'otherwise'); also asm goto: then a is
                        unknown and nothing is told */
    AU_C_RET,        /* value a, aux slots (0: none) */
    AU_C_CALL, /* aux: into 'call'; site: its xcall. An invoke goes on at an edge, others at the next */
    AU_C_LANDINGPAD, /* dst, aux slots: unknown */
    AU_C_RESUME,
    AU_C_UNREACHABLE,
    AU_C_ANNOTATE, /* a call that the runtime makes events of without hooks around it: aux into 'call'
                      (kind FOREIGN without sites) */
    AU_C_OPS
} au_code_op;

/* Groups of operations that are done alike, for switches: case AU_C_COMPARES: */
/* clang-format off */
#define AU_C_ARITHMETIC \
    AU_C_MUL: case AU_C_UDIV: case AU_C_SDIV: case AU_C_UREM: case AU_C_SREM: case AU_C_SHL: \
    case AU_C_LSHR: case AU_C_ASHR: case AU_C_AND: case AU_C_OR: case AU_C_XOR
#define AU_C_COMPARES \
    AU_C_EQ: case AU_C_NE: case AU_C_ULT: case AU_C_ULE: case AU_C_SLT: case AU_C_SLE
#define AU_C_CASTS \
    AU_C_TRUNC: case AU_C_ZEXT: case AU_C_SEXT
#define AU_C_INTRINSICS \
    AU_C_CTPOP: case AU_C_CTLZ: case AU_C_CTTZ: case AU_C_BSWAP: case AU_C_BITREVERSE: \
    case AU_C_FSHL: case AU_C_FSHR: case AU_C_USUB_SAT: case AU_C_UADD_SAT: \
    case AU_C_SSUB_SAT: case AU_C_SADD_SAT
#define AU_C_HOOKS \
    AU_C_EV_ENTER: case AU_C_EV_LEAVE: case AU_C_EV_LAND: case AU_C_EV_FRAME: \
    case AU_C_EV_BYVAL
/* clang-format on */

enum { /* of AU_C_RMW, as LLVM has them */
       AU_RMW_XCHG,
       AU_RMW_ADD,
       AU_RMW_SUB,
       AU_RMW_AND,
       AU_RMW_NAND,
       AU_RMW_OR,
       AU_RMW_XOR,
       AU_RMW_MAX,
       AU_RMW_MIN,
       AU_RMW_UMAX,
       AU_RMW_UMIN,
       AU_RMW_OTHER
};

enum {                         /* flags */
       AU_CF_ATOMIC = 1,       /* LOAD, STORE, RMW, CMPXCHG */
       AU_CF_PRIVATE = 2,      /* LOAD, STORE, COPY, SET: memory that nobody else sees (no site) */
       AU_CF_CONST = 4,        /* LOAD: memory that nobody writes (no site) */
       AU_CF_TOLD = 8,         /* CONDBR, SWITCH, INDIRECTBR: the outcome is in the BITS */
       AU_CF_WEAK = 8,         /* LOAD, STORE, RMW, CMPXCHG: atomic, and weaker than seq_cst */
       AU_CF_FAIL_FIRST = 16,  /* CONDBR: whoever takes edge b only fails (fails, below) */
       AU_CF_FAIL_SECOND = 32, /* … edge c */
       AU_CF_SIGNED = 64,      /* OVERFLOW */
       AU_CF_VOLATILE = 128
};
/* A block only fails if every way from it ends in a call of a function that reports a failed
 * check and does not come back (__assert_fail and kin, abort, llvm.trap, ubsantrap, reach_error,
 * __VERIFIER_error, __augur_assert of a constant 0), without returning or a loop. */

typedef struct {
    uint8_t op, width, flags, from;
    uint32_t dst; /* slot, AU_NONE */
    au_operand a, b, c;
    uint32_t aux;
    uint32_t site;   /* AU_NONE */
    uint32_t number; /* of the instruction in the clean module; 0: not known (unrolled) */
} au_code_insn;
_Static_assert(sizeof(au_code_insn) == 32, "two to a cache line");

/* Floating-point and wide operations, concretely executed; inputs that are terms get pinned. */
typedef enum {
    AU_W_FADD,
    AU_W_FSUB,
    AU_W_FMUL,
    AU_W_FDIV,
    AU_W_FREM,
    AU_W_FNEG,
    AU_W_FCMP /* pred */,
    AU_W_FPTRUNC,
    AU_W_FPEXT,
    AU_W_FPTOSI,
    AU_W_FPTOUI,
    AU_W_SITOFP,
    AU_W_UITOFP,
    AU_W_FMATH /* name: an llvm.* intrinsic on floats that the C library has: fabs, sqrt, fma … */,
    AU_W_INT /* integer op (au_code_op in pred) on lanes or on i65…i128 */,
    AU_W_ICMP,
    AU_W_CAST /* trunc, zext, sext of lanes or wide integers: AU_C_* in pred */,
    AU_W_SELECT,
    AU_W_EXTRACT,
    AU_W_INSERT,
    AU_W_SHUFFLE,
    AU_W_REDUCE,
    AU_W_OTHER
} au_code_wide_op;
enum { AU_LANE_INT, AU_LANE_FLOAT, AU_LANE_DOUBLE, AU_LANE_FP80, AU_LANE_PTR, AU_LANE_OTHER };
struct au_code_wide {
    uint8_t op, pred;           /* FCMP: LLVMRealPredicate; ICMP: AU_C_EQ …; AU_C_* */
    uint8_t lane, from_lane;    /* AU_LANE_* of the result, of the operands */
    uint16_t bits, from_bits;   /* of a lane; integers up to 128 */
    uint32_t lanes, from_lanes; /* 1: a scalar */
    uint32_t name;              /* string */
    uint32_t n_operands;
    au_operand operand[4];
    uint32_t mask, n_mask; /* SHUFFLE: into 'index'; AU_NONE: undefined lane */
};

struct au_code_copy { /* dst[0 … n) = src[0 … n) */
    uint32_t dst;
    au_operand src;
    uint32_t n;
    uint8_t width; /* of a scalar, 0: wide */
};
struct au_code_edge {
    uint32_t target; /* instruction, in its function's module */
    uint32_t copy, n_copies;
};
struct au_code_switch {
    uint32_t first, n;   /* cases: into 'kase' */
    uint32_t otherwise;  /* edge */
    uint8_t width, bits; /* width: of the operand, at most 64; bits: of the told outcome (plan.h) */
    uint32_t succ, n_succ; /* into 'index': edges in the order of told outcomes */
};
struct au_code_case {
    uint64_t value;
    uint32_t edge;
};

typedef enum {
    AU_CALL_DIRECT,   /* of a function of this module that we interpret, 'callee' */
    AU_CALL_FOREIGN,  /* XCALL around: a function by name */
    AU_CALL_INDIRECT, /* XCALL around: operand 'target' */
    AU_CALL_ASM,
    AU_CALL_SILENT /* no event: a foreign musttail, llvm.trap (result unknown); target if indirect */
} au_code_call_kind;
struct au_code_call {
    uint8_t kind;
    bool noreturn, varargs, fails; /* fails: reports a failed check (see above) */
    bool invoke;
    uint32_t callee;      /* DIRECT: function index; its parameters may be fewer, more or others
                                   than the arguments (C without prototypes) */
    uint32_t name;        /* string: as called, 0: none */
    au_operand target;    /* INDIRECT */
    uint32_t arg, n_args; /* into 'arg' */
    uint32_t xcall, land, xret; /* sites, AU_NONE */
    uint32_t result_slots;
    uint8_t result_width; /* bits of a scalar, 0: none or wide */
    uint8_t told_width; /* XRET's value is this many bits at the beginning of the result, 0: none */
    bool result_used;
    uint32_t normal, unwind; /* INVOKE: edges */
};
struct au_code_arg {
    au_operand at;
    uint32_t slots;
    uint8_t width;  /* of a scalar, 0: wide */
    uint32_t byval; /* bytes copied for the callee from the pointer 'at'; 0: none */
};

typedef struct {
    uint32_t name;            /* string: the linker's name */
    uint32_t first, n;        /* instructions */
    uint32_t slots;           /* of a frame */
    uint32_t param, n_params; /* into 'arg': their slots ('at' >= 0); byval: bytes of the copy that
                                 the parameter points to */
    bool hooked, left_out, varargs, internal;
    uint32_t enter_site; /* AU_NONE */
    uint32_t result_slots;
} au_code_function;

/* Constants: one or more slots in a row. */
enum {
    AU_CONST_NUMBER,   /* value */
    AU_CONST_GLOBAL,   /* address of global[index] + value */
    AU_CONST_FUNCTION, /* address of a function, string 'index': not known + value */
    AU_CONST_UNKNOWN   /* undef, poison, address of a label … */
};
enum {
    AU_CONST_UNSET = 1
}; /* value of an UNKNOWN: undef or poison, so nobody has set it; else 0 */
struct au_code_const {
    uint64_t value;
    uint32_t index;
    uint8_t kind;
};
struct au_code_global {
    uint32_t name;  /* string */
    uint32_t table; /* its place in the tables and in MODULE records; AU_NONE */
    uint64_t size;
    bool constant, tls, defined; /* defined: its initial value is known */
    bool is_private;             /* accesses of it have no hooks */
    bool internal;               /* other modules cannot name it */
    uint64_t data;               /* into 'bytes': its initial value; meaningful if defined */
    bool zero;                   /* all zero: no bytes */
    uint32_t reloc, n_relocs;
};
struct au_code_reloc { /* 8 bytes of an initial value that are an address (they are 0 in 'bytes') */
    uint64_t offset;
    uint8_t size;      /* 8; less: UNKNOWN */
    uint32_t constant; /* GLOBAL, FUNCTION or UNKNOWN in the pool */
};

/* The way down to what a load or store accesses, from the object that its type says it is in: pairs of a type (a hash) and an
 * offset in it, so many, in 'immediate'. Two accesses of known types may be of one piece of memory only if
 * the first pair of one is among those of the other (C's rule of effective types), or their roots differ (C and C++). */
struct au_code_alias {
    uint32_t first, n; /* n: pairs; 0: nothing is known */
    uint64_t root;
};

struct au_code_inlined { /* a call whose callee's code stands in its place */
    uint32_t callee;     /* string: the function, as people write it */
    uint32_t file, line; /* of the call; string */
    uint32_t around;     /* the inlined call that this one is in; 0: none */
};

typedef struct au_code {
    uint64_t module; /* id */
    au_code_insn *insn;
    uint32_t *line, *file; /* of each instruction; 0, string */
    uint32_t *
        around; /* of each instruction: the inlined call that it is of; 0: none. NULL: none at all */
    uint32_t *
        alias_at; /* of each instruction: into 'alias', 0: it may be of any memory. NULL: all may */
    uint32_t *block; /* of each instruction: first instruction of its block */
    uint32_t n_insns;
    au_code_function *function;
    uint32_t n_functions;
    uint32_t *function_of; /* of each instruction */
    struct au_code_edge *edge;
    struct au_code_copy *copy;
    struct au_code_switch *sw;
    struct au_code_case *kase;
    struct au_code_call *call;
    struct au_code_arg *arg;
    struct au_code_wide *wide;
    struct au_code_const *pool;
    struct au_code_global *global;
    struct au_code_reloc *reloc;
    struct au_code_inlined *inlined; /* from 1 */
    struct au_code_alias *alias;     /* from 1 */
    uint64_t *immediate;
    uint32_t *index;
    au_operand *operand;
    uint8_t *bytes;
    char *string; /* 0: "" */
    uint32_t n_edges, n_copies, n_switches, n_cases, n_calls, n_args, n_wides, n_consts, n_globals,
        n_relocs, n_inlined, n_aliases, n_immediates, n_indexes, n_operands, n_strings;
    uint64_t n_bytes;
    uint32_t n_sites;
    /* Of each site: its instruction, and for calls which of its sites it is (0 xcall, 1 land, 2 xret;
     * COPY: 0 read, 1 write). */
    uint32_t *site_insn;
    uint8_t *site_part;
} au_code;

static inline const char *au_code_text(const au_code *c, uint32_t string) {
    return c->string + string;
}

/* ---- check.c ---- */

/* "ADD", …; "?" if there is no such operation. */
const char *au_code_op_name(unsigned op);
const char *au_code_wide_name(unsigned op);
/* Every number that leads somewhere leads to something that is there, frames hold what
 * their instructions use, edges lead to beginnings of blocks, blocks end with control, each site
 * belongs to one instruction. AU_EINTERNAL and where it is not so. */
au_status au_code_check(const au_code *c, au_error *err);

#endif
