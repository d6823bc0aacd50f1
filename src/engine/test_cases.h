/* engine/test_cases.h: the cases of a test program, as its framework lists them. */
#ifndef AU_ENGINE_TEST_CASES_H
#define AU_ENGINE_TEST_CASES_H

#include "base/vec.h"

/* What runs one case: an argument, "--gtest_filter=Queue.Full", or variables, "CK_RUN_CASE=Core". NULL: none. */
typedef struct {
    char *arg;
    char *env[2];
} au_test_case;
typedef AU_VEC(au_test_case) au_test_cases;

/* GoogleTest, Catch2, Criterion, Check and cmocka, told by texts in the file; none: another framework, or none at all.
 * The program is run without being recorded: the first three list their cases then, Check and cmocka execute
 * them once and report. */
void au_test_cases_of(const char *path, au_test_cases *into);
void au_test_cases_release(au_test_cases *c);

#endif
