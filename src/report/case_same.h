/* report/case_same.h: does a finding of a program say again what another one says? For case_fold.c. */
#ifndef AU_REPORT_CASE_SAME_H
#define AU_REPORT_CASE_SAME_H

#include "report/case.h"

/* The event of a race that frees the memory; NULL: none does. */
const au_case_event *au_case_free_in(const au_case *c);
/* Race c is on the block of the use after free u, or on memory that goes with it. */
bool au_case_is_of_free(const au_case *c, const au_case *u);
/* Crash c came of the use after free u. */
bool au_case_is_crash_of(const au_case *c, const au_case *u);
/* An error of memory (case_narrow.c) is the use after free u: its block was allocated at the same place. */
bool au_case_is_use_of(const au_case *c, const au_case *u);
/* Are both names, 'node(list.c:12)#2.next', of one block? */
bool au_case_is_one_block(const char *a, const char *b);
/* What breaks the block, or loses the update, of c is the free of u. */
bool au_case_is_broken_by_free(const au_case *c, const au_case *u);

/* Texts that are equal for one cause; NULL: it is no such race. The caller frees them. 'side' is 0 or 1, of a race's events.
 * A race on a member of a library's type, or by code of a library: the field and the user's line on that side, … */
char *au_case_container_at(const au_case *c, size_t side);
/* … the line alone, … */
char *au_case_call_at(const au_case *c, size_t side);
/* … which is the same for a race on memory that the library allocated, and for an error of memory, … */
char *au_case_memory_at(const au_case *c, size_t side);
/* … and if there is none, the type in that memory and both lines. */
char *au_case_memory(const au_case *c);

/* Threads of the run that ended as c stand in the cycle r, the others behind it. */
bool au_case_is_stuck_behind(const au_case *c, const au_case *r);

#endif
