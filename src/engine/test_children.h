/* engine/test_children.h: the children of fork of a process of a suite, each recorded in an execution of its own: there the
 * process goes on as its child (AU_CHILD_VARIABLE, rt/process.c). */
#ifndef AU_ENGINE_TEST_CHILDREN_H
#define AU_ENGINE_TEST_CHILDREN_H

#include "engine/suite.h"

/* What is known of the children of one process. */
typedef struct {
    au_suite_cases at;
    au_suite_names trouble; /* "hits [child 2]: why it has no recording" */
} au_test_children;

/* Those of these processes, 'jobs' processes at a time; into out[0..n). A child that became another program is none: if that
 * was built with augur cc, the suite has recorded it. */
void au_test_children_record(const au_suite *s, au_suite_case *const *parent, size_t n,
                             unsigned jobs, au_test_children *out);
void au_test_children_release(au_test_children *c);

#endif
