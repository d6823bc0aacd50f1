/* engine/test_cases.h: the cases of a test program, by its framework's own list. */
#ifndef AU_ENGINE_TEST_CASES_H
#define AU_ENGINE_TEST_CASES_H

#include "base/vec.h"

/* The argument that runs one case: "--gtest_filter=Queue.Full"; a name, for Catch2. */
typedef AU_VEC(char *) au_test_cases;

/* GoogleTest and Catch2 (version 2), told by texts in the file; none: another framework, or none at all. The program
 * is run, without being recorded, and asked. */
void au_test_cases_of(const char *path, au_test_cases *into);
void au_test_cases_release(au_test_cases *c);

#endif
