/* tests/random/gen_c.h: random multithreaded C programs, named by a seed.
 *
 * A program is a set of functions and variables that all begin with p<number>_, so that many
 * of them fit one file. It ends in every interleaving unless it deadlocks, has no undefined
 * behaviour but races (compile it with -fwrapv), and holds assertions that may or
 * may not fail. */
#ifndef GEN_C_H
#define GEN_C_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

typedef AU_VEC(char) gen_text;

typedef struct {
    uint64_t seed;
    uint32_t size;       /* statements a thread at most, from 1 */
    bool wide;           /* also the heap, barriers, spin locks, once, threads of threads */
    bool cxx;            /* with wide: C++23, with what it has of its own */
    const uint8_t *drop; /* by statement: leave it out; may be NULL (shrinking) */
    uint32_t n_drop;
} gen_c_plan;

/* What every file begins with, C or C++; then programs 0 … n - 1; then main, which runs the program
 * whose number is its first argument. */
void gen_c_head(gen_text *out);
/* Gives back how many statements it has, left out or not. */
uint32_t gen_c_program(gen_text *out, uint32_t number, const gen_c_plan *p);
void gen_c_main(gen_text *out, uint32_t n);

#endif
