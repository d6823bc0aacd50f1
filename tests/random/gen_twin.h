/* tests/random/gen_twin.h: one random program, written down twice.
 *
 * A program is a small tree of statements, each with at most one access of something that threads
 * share. One printer writes it as C (pthreads), the other one as a model in .ctp: the same
 * threads, accesses and branches, made without any help of the stages that are tested. So what an
 * exploration of the C program finds can be compared with what the oracle finds in the model.
 *
 * It ends in every interleaving unless it deadlocks, or a thread spins for good. Every side of an 'if' writes to way[thread] which
 * way the thread went, so that a final state also says how it came about. */
#ifndef GEN_TWIN_H
#define GEN_TWIN_H

#include "base/arena.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    TWIN_THREADS = 4, /* at most, the main thread among them */
    TWIN_SHARED = 3,  /* plain integers, at most */
    TWIN_LOCALS = 3,
    TWIN_ASSERTS = 32 /* at most */
};

typedef AU_VEC(char) twin_text;

typedef struct {
    uint64_t seed;
    uint32_t size;       /* statements of a block at most, from 1 */
    const uint8_t *drop; /* by statement: leave it out; may be NULL (shrinking) */
    uint32_t n_drop;
} twin_plan;

typedef struct twin_statement twin_statement;
typedef struct {
    au_arena arena;
    uint32_t threads; /* the main thread is number 0 */
    uint32_t shared;  /* plain integers */
    bool atomic, lock[2], try_lock, sem;
    bool spins; /* loops that wait for the atomic integer: in the model one step, that waits */
    bool looks; /* the main thread looks at way[] while the others run: these are shared then */
    int32_t initial[TWIN_SHARED + 1]; /* the last one: of the atomic integer */
    uint32_t count;                   /* of the semaphore, at the start */
    twin_statement *body[TWIN_THREADS];
    uint32_t statements, asserts;
    uint32_t line[TWIN_ASSERTS]; /* of each assertion in the C file, once that is printed */
} twin;

twin *twin_make(const twin_plan *p);
void twin_free(twin *t);

/* What a C file begins with, with its line number so far; then programs; then main, which runs the
 * program whose number is its first argument. */
void twin_c_head(twin_text *out, uint32_t *line);
void twin_c(twin *t, uint32_t number, twin_text *out, uint32_t *line);
void twin_c_main(twin_text *out, uint32_t n);

/* Assertion k is labelled a<k>, in every round of a loop a<k>_<round>…. Variables: g0 …, a, way0 …;
 * threads: T0, T1 ….*/
void twin_ctp(const twin *t, twin_text *out);

#endif
