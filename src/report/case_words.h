/* report/case_words.h: words that writers and readers of cases share. */
#ifndef AU_REPORT_CASE_WORDS_H
#define AU_REPORT_CASE_WORDS_H

#include "report/case.h"

#include <inttypes.h>
#include <stdio.h>

/* Beyond this a number does not survive as a double. */
#define AU_CASE_EXACT (INT64_C(1) << 53)

/* "confirmed", "not shown", "diverged", "not tried". */
const char *au_case_replay_name(au_case_replay r);

/* Is its object a lock? */
static inline bool au_case_is_about_lock(const au_case *c) {
    return c->kind == AU_KIND_MISUSE || c->kind == AU_KIND_DEADLOCK;
}

#endif
