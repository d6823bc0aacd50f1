/* engine/test_seen.h: which recordings of suites were analysed, and in which run of the store: 'STORE/suite.seen', a line
 * each. What is analysed depends on nothing else than the recording's bytes, the program's included by its hash. */
#ifndef AU_ENGINE_TEST_SEEN_H
#define AU_ENGINE_TEST_SEEN_H

#include "base/hash.h"

typedef struct {
    char *path;
    au_map run; /* hash -> number */
} au_test_seen;

/* A file that is not there, or not ours, is empty. */
void au_test_seen_read(au_test_seen *s, const char *store);
uint64_t au_test_seen_run(const au_test_seen *s, uint64_t hash); /* 0: it was not */
/* In the file at once: a suite that is killed has it. */
void au_test_seen_add(au_test_seen *s, uint64_t hash, uint64_t run);
void au_test_seen_release(au_test_seen *s);

#endif
