/* retrace/sym_priv.h: between the files of sym.h.
 *
 *   sym.c            beginning and end, terms and their values
 *   sym_fact.c       facts, pins, branches
 *   sym_value.c      arithmetic, comparisons, casts, bytes of wide values
 *   sym_intrinsic.c  minimum, saturation, counting of bits, overflow …
 *   sym_keep.c       updates that write what they read
 *   sym_memory.c     tints of bytes
 *   sym_address.c    pointers that are terms: checks, case splits, pins
 *   sym_access.c     reads, writes, read-modify-writes
 *   sym_range.c      copies, fills, wide values
 *   sym_freed.c      uses of freed memory */
#ifndef AU_RETRACE_SYM_PRIV_H
#define AU_RETRACE_SYM_PRIV_H

#include "base/bits.h"
#include "base/error.h"
#include "base/hash.h"
#include "retrace/sym.h"
#include "trace/mapped.h"

/* Bytes of memory that several threads touch and that hold a term of one of them. */
#define AU_SHARED_TINT UINT32_MAX

typedef struct {
    uint16_t owner; /* the thread whose reads it mentions, AU_NONE16 */
    uint8_t flags;
} au_sym_term;
enum {
    AU_SYM_HOLDS = 1, /* a truth value that a fact says is true */
    AU_SYM_FIXED = 2  /* facts say that it equals its value: counts as known */
};

/* One byte: byte k of a term whose width is a multiple of 8. */
typedef struct {
    au_tint m;
    uint8_t k;
} au_sym_byte;

typedef struct {
    au_tint m[8];
    uint8_t k[8];
} au_sym_word;

typedef struct {
    au_map index; /* address / 8 -> place + 1, 0: none */
    AU_VEC(au_sym_word) word;
    AU_VEC(uint32_t) spare;
    uint64_t *gate; /* 65536 bits by address / 256: set if anything there was ever tinted */
} au_sym_memory;

/* A run of bytes of a range that was read and is not known. */
typedef struct {
    uint64_t offset;
    uint32_t n;
    au_tint m;
    uint8_t k;
} au_sym_piece;

/* What a read may have been, given what was written into its variable. */
typedef AU_VEC(uint64_t) au_sym_values;

typedef struct {
    uint32_t event, file, line, bytes;
} au_sym_place;

/* What lies where: au_watch_*, or a test's. */
typedef struct {
    const void *of;
    size_t (*parts)(const void *of, uint64_t at, uint64_t n, au_part *into, size_t room);
    bool (*object)(const void *of, uint64_t at, uint64_t *start, uint64_t *size, bool *freed);
} au_sym_world;

/* Beyond so many terms (a gigabyte) reads keep their values, but for those that must not: what
 * another thread put a term into, and accesses through pointers that may point elsewhere. */

struct au_sym {
    au_symbolic *into;
    au_terms *t;
    au_bitset open; /* variables; grows by what case splits write */
    unsigned checks, split;
    au_sym_world world;
    const au_spot *at;
    uint8_t side;             /* of the branch at hand */
    uint32_t behind;          /* facts stand behind this event at least: the access that is made */
    AU_VEC(uint64_t) value;   /* by term */
    AU_VEC(au_sym_term) term; /* by term */
    char *wrong;
    au_map file; /* code and string -> string of 'into' */
    au_map pin;  /* file, line, why -> place in into->pinned */
    au_map base; /* term of an address -> the known pointer it was reckoned from */
    au_sym_memory memory;
    au_mappings mapped;
    struct {
        bool is;
        uint64_t from, n;
        AU_VEC(au_sym_piece) piece;
    } range;                  /* what au_sym_read_range left */
    AU_VEC(au_sym_byte) work; /* of wide values */
    /* For case splits, made when the first is tried. */
    uint32_t *writes;     /* events that write, by variable */
    uint32_t *first_of;   /* variable: its first in 'writes' */
    uint32_t *born, *end; /* variable: its first and last event, AU_NONE */
    au_map may_be;        /* read -> place + 1 in 'values' */
    AU_VEC(au_sym_values) values;
    /* For AU_CHECK_UAF. */
    AU_VEC(au_sym_place) read;
    au_map free; /* variable -> event that frees it, + 1 */
};

/* ---- sym_access.c ---- */
/* What is written to memory that has, or may have, another address: as a value, which stays the recorded one. */
bool au_sym_is_mapped(const au_sym *s, uint64_t at, uint64_t n);
extern const char au_sym_why_mapped[];

/* ---- sym.c ---- */
void au_sym_fail(au_sym *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* After terms were made: their values. */
void au_sym_settle(au_sym *s);
/* The variable of a read that saw these bits. */
au_term au_sym_var(au_sym *s, uint32_t event, unsigned width, uint64_t bits);

/* Does it depend on reads as far as the thread knows by now? */
static inline bool au_sym_is(const au_sym *s, au_val v) {
    return v.m > AU_UNKNOWN && !(s->term.at[v.m - 2].flags & AU_SYM_FIXED);
}
/* The value, which is not unknown, as a term of this width. */
au_term au_sym_term_of(au_sym *s, au_val v, unsigned width);
static inline au_tint au_sym_tint(const au_sym *s, au_term x) {
    return au_term_is_const(s->t, x) ? (au_tint)AU_KNOWN : x.n + 2;
}
/* The tint of x, whose value must be this one. */
au_tint au_sym_result(au_sym *s, au_term x, uint64_t value, const char *what);
static inline au_val au_sym_known(uint64_t v) {
    return (au_val){v, AU_KNOWN};
}

/* ---- sym_fact.c ---- */
/* True in the run, unless it is an ASSERT that failed. False: it held already. */
bool au_sym_fact(au_sym *s, au_fact_kind kind, au_term cond, const char *text);
/* x equals what it was. False: it was known already. */
bool au_sym_fix(au_sym *s, au_term x, const char *why);
void au_sym_count_pin(au_sym *s, const char *why);

/* ---- sym_memory.c ---- */
/* The tints of n <= 8 bytes; whether any is not known. */
bool au_sym_bytes_at(au_sym *s, uint64_t at, unsigned n, au_sym_byte *into);
void au_sym_put_byte(au_sym *s, uint64_t at, au_sym_byte b);
/* n <= 8 bytes as a scalar of width <= 8 * n bits. bits: its value. */
au_tint au_sym_join(au_sym *s, const au_sym_byte *b, unsigned n, unsigned width, uint64_t bits);
/* A term of another thread: it stays what it was, and the thread that it is of says so. Only for
 * memory that comes to another thread without an event, which nothing that instrumented code does
 * leads to. */
void au_sym_pin_foreign(au_sym *s, au_tint m, const char *why);
/* Pieces of [at, at + n) that are terms or unknown, offsets from 'offset' on. */
void au_sym_gather(au_sym *s, uint64_t at, uint64_t n, uint64_t offset);

/* Where the thread stands; strings of 'into'. */
uint32_t au_sym_file(au_sym *s, uint32_t *line);

/* ---- sym_address.c ---- */
/* Events that write, by variable: s->writes, first_of, born, end. */
void au_sym_index(au_sym *s);
/* Before an access of n bytes. True: there are case splits, so that the access may go
 * elsewhere (and a read is symbolic). */
bool au_sym_address(au_sym *s, au_val address, uint64_t n, const au_part *part, size_t n_parts,
                    bool write);

/* ---- sym_access.c ---- */
/* The term of what the event saw, AU_NO_TERM if that is a constant. */
au_term au_sym_read_part(au_sym *s, const au_part *p, uint64_t bits, bool force);
/* The event writes this (AU_NO_TERM: the trace's constant). */
void au_sym_write_part(au_sym *s, const au_part *p, au_term x);
bool au_sym_trace_bits(const au_sym *s, const au_part *p, uint64_t *bits);

#endif
