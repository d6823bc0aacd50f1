/* SPDX-License-Identifier: MIT
 *
 * rt/hooks.h: what instrumented code calls. src/llvm inserts these calls by name, so
 * a change here is a change of AU_HOOKS_VERSION in wire/stream.h (a module of another version is refused
 * at start with a message).
 *
 * Every hook that is an event stands BEFORE the instruction it tells of and is a
 * scheduling point: the token may move before the event, never between the hook and
 * its instruction. Every module has one array of sites; a site belongs to one instruction. */
#ifndef AUGUR_RT_HOOKS_H
#define AUGUR_RT_HOOKS_H

#include "wire/stream.h"

/* One a module, built by the instrumentation; registered by a constructor of
 * priority 0 that calls __augur_module. */
struct __augur_module {
    uint32_t version; /* AU_HOOKS_VERSION */
    uint32_t n_sites;
    uint64_t id;
    struct au_site *site;
    uint32_t n_globals;
    uint32_t zero;
    const void *const *global; /* addresses, in the order of the tables record */
    const void *embed;         /* its tables record (also keeps the section alive) */
};
void __augur_module(const struct __augur_module *m);

/* Not 0: this process is recorded. Set before anything of the program runs; functions with hooks then run their body
 * with hooks, else the one without (src/llvm/twin.h). */
extern uint32_t __augur_on;

/* Loads and stores of 1, 2, 4, 8 bytes; the value's bits zero-extended. */
void __augur_ld1(const void *p, struct au_site *s);
void __augur_ld2(const void *p, struct au_site *s);
void __augur_ld4(const void *p, struct au_site *s);
void __augur_ld8(const void *p, struct au_site *s);
void __augur_st1(void *p, struct au_site *s, uint64_t v);
void __augur_st2(void *p, struct au_site *s, uint64_t v);
void __augur_st4(void *p, struct au_site *s, uint64_t v);
void __augur_st8(void *p, struct au_site *s, uint64_t v);
/* Any other size: 'from' holds the bytes about to be stored. */
void __augur_ldn(const void *p, struct au_site *s, uint64_t n);
void __augur_stn(void *p, struct au_site *s, const void *from, uint64_t n);
/* memcpy and memmove (two events: read, then write), memset. n may be 0: no event. */
void __augur_copy(void *to, const void *from, uint64_t n, struct au_site *r, struct au_site *w);
void __augur_set(void *p, int byte, uint64_t n, struct au_site *s);

/* C11 atomics. A read-modify-write is a begin (scheduling point, no event) and an end
 * (the event, after the instruction; 'wrote' 0: a compare that failed, an atomic read). */
void __augur_ald(const void *p, struct au_site *s, uint64_t size);
void __augur_ast(void *p, struct au_site *s, uint64_t size, uint64_t v);
void __augur_rmw_begin(const void *p, struct au_site *s);
void __augur_rmw_end(const void *p, struct au_site *s, uint64_t size, int wrote);
void __augur_fence(struct au_site *s);

/* Functions with hooks: the depth that enter returns goes to land where an exception or a
 * longjmp arrives in this frame. */
uint64_t __augur_enter(struct au_site *s);
void __augur_leave(struct au_site *s);
void __augur_land(struct au_site *s, uint64_t depth);
void __augur_frame(void *p, uint64_t size, struct au_site *s);

/* Around every call of a function that is not defined in this module (and indirect
 * calls), intrinsics excepted. fn: the target. */
void __augur_xcall(struct au_site *s, const void *fn);
void __augur_xret(struct au_site *s, uint64_t result);

/* Memory that inline assembler names as an operand, between its xcall and its xret: before it (what it reads
 * is an atomic read) and, where it may write, after it (an atomic update; none if it was read
 * and is what it was). */
void __augur_asm_begin(const void *p, uint64_t size, int reads);
void __augur_asm_end(const void *p, uint64_t size, int reads);

/* Not events. A branch outcome that the next event does not tell; a loop without hooks. */
void __augur_branch(int taken);
void __augur_switch(uint64_t which, uint64_t bits); /* case number in 'bits' bits */
void __augur_loop(void);

/* augur.h: annotations. */
void __augur_atomic_begin(const char *name);
void __augur_atomic_end(void);
void __augur_assert(int holds, const char *what, const char *file, int line);
void __augur_ignore_begin(void);
void __augur_ignore_end(void);
void __augur_happens_before(const volatile void *object);
void __augur_happens_after(const volatile void *object);

#endif
