/* retrace/sym.h: values that depend on symbolic reads, while a run is retraced.
 *
 * The interpreter computes every value concretely; beside it stands a *tint*: known, unknown,
 * or a term. An operation all of whose operands are known never comes here (that is the fast
 * path); any other asks the functions below for the tint of its result. Every term
 * made has a value of its own under the reads' values (kept in a column by term), and each
 * function is given the concrete result: a difference is an error of augur (au_sym_wrong).
 *
 * A term mentions reads of one thread only, and only that thread meets it: registers are a
 * thread's own, and so is memory that nobody else touches. Memory that several threads touch keeps no
 * terms: what is read from it is either what it was in the run, or a new variable.
 *
 * What a fact pins (the term equals what it was in the run) counts as known from there on. */
#ifndef AU_RETRACE_SYM_H
#define AU_RETRACE_SYM_H

#include "ir/code.h"
#include "retrace/retrace.h"
#include "trace/watch.h"

typedef uint32_t au_tint;
enum { AU_KNOWN = 0, AU_UNKNOWN = 1 }; /* from 2 on: term number + 2 */

typedef struct {
    uint64_t v; /* meaningless if unknown */
    au_tint m;
} au_val;

/* Where the thread stands, for facts and pins. The caller keeps it up to date. While one of the
 * access functions is called, 'after' is the thread's last event before that access. */
typedef struct {
    uint16_t thread;
    uint32_t after;      /* its last event in the trace, AU_NONE */
    const au_code *code; /* and which instruction it executes: for file and line; may be NULL */
    uint32_t insn;
} au_spot;

typedef struct au_sym au_sym;

/* watch: to ask what lies at another address (case splits, bounds); NULL: no splits, no bounds. */
au_sym *au_sym_new(au_symbolic *into, const au_bitset *open, unsigned checks, unsigned split,
                   const au_watch *watch);
void au_sym_free(au_sym *s);
void au_sym_stand(au_sym *s, const au_spot *at); /* borrowed while the run goes on */
/* Memory is freed: events [first, first + n) are what that writes. */
void au_sym_freed(au_sym *s, uint32_t first, uint32_t n);
/* At the end: facts that only the whole run tells.
 *
 * AU_CHECK_UAF: every symbolic read through which memory was seen that another thread frees is
 * asserted not to see what the free leaves there ("use after free"). So a read that may come after the
 * free in another interleaving is found, also under a common lock, where there is no race.
 * Not found: writes to freed memory and reads by code without hooks, reads of less than 4
 * bytes, frees by the same thread, and a second free. */
void au_sym_finish(au_sym *s);
/* How many terms there are. */
size_t au_sym_terms(const au_sym *s);
/* NULL, or what went wrong first (a term whose value is not the program's). */
const char *au_sym_wrong(const au_sym *s);

/* Results of instructions; 'result' is the concrete one if all operands are known or terms.
 * Division by a term: an assumption (with AU_CHECK_DIV a check) says that it is not 0, shifts by a
 * term that it is less than the width: what LLVM leaves undefined is no run of the model. */
au_tint au_sym_binary(au_sym *s, au_code_op op, unsigned width, au_val a, au_val b,
                      uint64_t result);
au_tint au_sym_compare(au_sym *s, au_code_op op, unsigned width, au_val a, au_val b, bool result);
au_tint au_sym_cast(au_sym *s, au_code_op op, unsigned from, unsigned to, au_val a,
                    uint64_t result);
/* Of a wide value: slot by slot, with width 64. */
au_tint au_sym_select(au_sym *s, au_val cond, unsigned width, au_val a, au_val b, uint64_t result);
/* dst = a + sext(b, from) * scale */
au_tint au_sym_scale(au_sym *s, unsigned from, uint64_t scale, au_val a, au_val b, uint64_t result);
/* SMIN … SADD_SAT; pinned if they cannot be said in a few terms. CTLZ and CTTZ: of a term that was not
 * 0, an assumption says so, since mostly 0 gives no result. FSHL, FSHR: c is the count. */
au_tint au_sym_intrinsic(au_sym *s, au_code_op op, unsigned width, au_val a, au_val b, au_val c,
                         uint64_t result);
/* The overflow bit of ADD, SUB, MUL at a width. */
au_tint au_sym_overflow(au_sym *s, au_code_op op, bool is_signed, unsigned width, au_val a,
                        au_val b, bool result);
/* Bytes [offset, offset + n) of a row of slots of a wide value as a scalar of 8 * n bits (or of
 * width bits if that is less), and the other way round: slot i of 'slots' has its value already,
 * its tint is set. A slot's term has 64 bits, or less: then the rest is 0. */
au_tint au_sym_bytes_get(au_sym *s, const au_val *slots, unsigned offset, unsigned width,
                         uint64_t result);
void au_sym_bytes_put(au_sym *s, au_val *slots, unsigned offset, unsigned width, au_val v);

/* Does this event write nothing, or what it reads? If that depends on what it reads, a fact says which. */
bool au_sym_keeps(au_sym *s, uint32_t event);

/* The value keeps what it was in the run. Nothing if it is no term. */
void au_sym_pin(au_sym *s, au_val v, unsigned width, const char *why);
/* Everything that the thread read: nobody knows what depends on it from here on. */
void au_sym_pin_all(au_sym *s, const char *why);
/* Code without hooks gets this pointer and may read what it points to: what the object there
 * holds of this thread's terms keeps what it was. (What lies behind pointers in that object, and memory that
 * several threads use, is not looked at: the recording does not tell of such reads.) */
/* A NOTE_MAPPED: what is written there may be read at another address, and stays what it was. */
void au_sym_mapped(au_sym *s, const uint8_t *data, size_t n);
void au_sym_pin_object(au_sym *s, au_val pointer, const char *why);
/* A conditional branch went this way (cond's value). fails: which side only fails. what: the text
 * of the check, NULL: "assertion failed". */
typedef enum {
    AU_FAILS_NOT,   /* none of them */
    AU_FAILS_OTHER, /* the one that was not taken */
    AU_FAILS_HERE   /* the one that was taken: the run itself failed */
} au_fails;
/* What is true since, a term; AU_NO_TERM: that depends on nothing, or something fails. */
au_term au_sym_branch(au_sym *s, au_val cond, au_fails fails, const char *what);
/* A switch went to a target that these n values of the operand lead to; n == 0: to the
 * default, which the values of all cases do not. */
void au_sym_switch(au_sym *s, au_val v, unsigned width, const uint64_t *value, size_t n,
                   const uint64_t *all, size_t n_all);
/* An assertion the program states: assert(cond), __VERIFIER_assert, __augur_assert. */
void au_sym_assert(au_sym *s, au_val cond, unsigned width, const char *what);
void au_sym_assume(au_sym *s, au_val cond, unsigned width);

/* Memory. Private memory and memory that only one thread uses keeps tints by byte; what
 * was never stored is known. 'bits' are the concrete value. width: bits of the scalar (1 is stored as
 * a byte), 8 * n >= width. n is at most 8. */
au_tint au_sym_load(au_sym *s, uint64_t at, unsigned n, unsigned width, uint64_t bits);
void au_sym_store(au_sym *s, uint64_t at, unsigned n, unsigned width, au_val v);
void au_sym_copy(au_sym *s, uint64_t to, uint64_t from, uint64_t n);
void au_sym_forget(au_sym *s, uint64_t at,
                   uint64_t n); /* known again: written from outside, freed */
void au_sym_unknown(au_sym *s, uint64_t at, uint64_t n);

/* May any byte of [at, at + n), n <= 8, not be known? If not, loads give AU_KNOWN and stores of
 * what is known change nothing: neither need be told. gate: au_sym_gate, stays the same. */
const uint64_t *au_sym_gate(const au_sym *s);
static inline bool au_sym_tinted(const uint64_t *gate, uint64_t at, unsigned n) {
    uint64_t a = at >> 8, b = (at + n - 1) >> 8;
    return (gate[a >> 6 & 1023] >> (a & 63) & 1) || (gate[b >> 6 & 1023] >> (b & 63) & 1);
}

/* Accesses under a hook. parts: the events of the trace that it is, in the order of addresses
 * (none: nobody shares it). address: of the pointer, for pins, case splits and checks.
 * Read: cells that are open, or that somebody stored a term into, are symbolic. n <= 8. */
au_tint au_sym_read(au_sym *s, au_val address, unsigned n, unsigned width, uint64_t bits,
                    const au_part *part, size_t n_parts);
void au_sym_write(au_sym *s, au_val address, unsigned n, unsigned width, au_val v,
                  const au_part *part, size_t n_parts);
/* Wide values: ceil(n / 8) slots. Read: their values are there, their tints are set. */
void au_sym_read_wide(au_sym *s, au_val address, unsigned n, au_val *slots, const au_part *part,
                      size_t n_parts);
void au_sym_write_wide(au_sym *s, au_val address, unsigned n, const au_val *slots,
                       const au_part *part, size_t n_parts);
/* Ranges: what was read is kept until the write that goes with it (au_sym_write_copy or, to private
 * memory, au_sym_copy, from the same place), or dropped by au_sym_ignore_range (what was
 * read only went out of the program), or else pinned by the next access or au_sym_end_range. A copy from
 * private memory has no au_sym_read_range. */
void au_sym_read_range(au_sym *s, au_val address, uint64_t n, const au_part *part, size_t n_parts);
void au_sym_ignore_range(au_sym *s);
void au_sym_end_range(au_sym *s);
void au_sym_write_copy(au_sym *s, au_val to, uint64_t from, uint64_t n, const au_part *part,
                       size_t n_parts);
void au_sym_write_range(au_sym *s, au_val to, uint64_t n, const au_part *part, size_t n_parts);
void au_sym_set_range(au_sym *s, au_val to, au_val byte, uint64_t n, const au_part *part,
                      size_t n_parts);
/* One event that reads and writes: the old value's tint in *old; new value: of RMW by op (from:
 * AU_RMW_*), of a compare-and-exchange (expected, desired) with success in *ok. More than 8
 * bytes, or several cells: pinned. */
void au_sym_rmw(au_sym *s, au_val address, unsigned n, unsigned rmw, au_val operand,
                uint64_t old_bits, const au_part *part, size_t n_parts, au_tint *old);
void au_sym_cmpxchg(au_sym *s, au_val address, unsigned n, au_val expected, au_val desired,
                    uint64_t old_bits, const au_part *part, size_t n_parts, au_tint *old,
                    au_tint *ok);

#endif
