/* confirm/outcome.h: what an execution told the world, and whether another one told it something else.
 *
 * The world sees how the program ended, what it wrote to standard output and standard error, and what is in the files
 * that it made. Lines are compared as a set with repetitions, so that the same lines in another order are the same
 * content (AU_COMPARE_CONTENT), or byte by byte (AU_COMPARE_ORDER). Besides, an outcome holds the memory that threads shared, as the
 * execution left it. */
#ifndef AU_CONFIRM_OUTCOME_H
#define AU_CONFIRM_OUTCOME_H

#include "record/record.h"

typedef enum { AU_COMPARE_CONTENT, AU_COMPARE_ORDER, AU_COMPARE_NONE } au_compare;

/* A stream or a file. */
typedef struct {
    char *name; /* "standard output", "standard error", or the file's */
    char *at;   /* its first n bytes … */
    size_t n;
    uint64_t size; /* … of so many */
} au_said;

/* Memory that several threads accessed and nobody freed: the last value written. */
typedef struct {
    uint64_t address, value;
    uint8_t size;
} au_left_cell;

typedef struct {
    uint8_t end;    /* AU_END_* … */
    int64_t status; /* … and its status */
    bool late;      /* it did not end in time */
    bool diverged;  /* it did not follow its schedule: its outcome is none of it */
    AU_VEC(au_said) said;
    AU_VEC(au_left_cell) cell; /* by address */
} au_outcome;

/* Of an execution with keep_output; takes what was kept out of r. recording: of it; NULL: no memory is read. */
au_status au_outcome_take(au_outcome *o, au_run_result *r, bool late, const char *recording,
                          au_error *err);
void au_outcome_release(au_outcome *o);

/* A failed assertion, a crash, a deadlock. */
bool au_outcome_fails(const au_outcome *o);
/* In words: "an assertion fails", "the program deadlocks", … In text. */
const char *au_outcome_end(const au_outcome *o, char *text, size_t size);

/* The first thing that 'now' told otherwise than 'was', in words: "standard output has 'visits 1' instead of 'visits 2'".
 * *where (may be NULL): which stream or file, "exit status". NULL: nothing. The caller frees both. Of executions
 * that fail or do not end, nothing is compared: what they wrote is cut. */
char *au_outcome_told_otherwise(const au_outcome *was, const au_outcome *now, au_compare how,
                                char **where);
/* The same about memory: "'visits' ends as 1 instead of 2". name: of the variable at this address. */
char *au_outcome_left_otherwise(const au_outcome *was, const au_outcome *now, uint64_t address,
                                const char *name);

#endif
