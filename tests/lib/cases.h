/* tests/lib/cases.h: the arguments of random tests, and the seed of a case that ended the program. */
#ifndef CASES_H
#define CASES_H

#include <stdint.h>

typedef struct {
    uint64_t count; /* cases to try */
    uint64_t seed;  /* of the first case, or of the whole run: as the test says */
    uint64_t most;  /* failures to go on to; 0: the test has no such option */
    uint64_t one;   /* the seed of the only case; 0: none */
} cases;

/* An argument that only one test has: --NAME NUMBER. */
typedef struct {
    const char *name;
    uint64_t *value;
} cases_option;

/* --count, --seed, --failures, --one, and `more` (ends with a name of NULL; may be NULL itself). Whatever
 * else is given ends the program with a message and status 2. With --one, count is 1 and seed that one. */
void au_cases_options(cases *c, int argc, char **argv, const cases_option *more);

/* The seed of case i: that of --one, or one of a million that belong to --seed. */
uint64_t au_cases_seed(const cases *c, uint64_t i);

/* The case that runs now: its seed is told if the program dies of a signal. */
void au_cases_enter(uint64_t seed);

#endif
