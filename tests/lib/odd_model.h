/* tests/lib/odd_model.h: tiny random models of every kind, now and then disturbed: statements
 * exchanged, two made one indivisible step, a semaphore for a lock. */
#ifndef AU_TESTS_ODD_MODEL_H
#define AU_TESTS_ODD_MODEL_H

#include <stdint.h>

/* The text of a model that can be read with unroll 2; free it. */
char *au_odd_ctp(uint64_t seed);

#endif
