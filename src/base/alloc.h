/* base/alloc.h: memory from malloc that is never NULL.
 *
 * Running out of memory is not an error value here: every size that comes from
 * an input is checked against the input's own size before it is allocated, so
 * a failed malloc means that the machine (or the worker's RLIMIT_AS) is at its
 * end. The handler then decides; it must not return. The command line installs
 * one that removes unfinished output files and exits 3 (C++ libraries call it as well); in a worker process the
 * default (abort) is right: the death is an inconclusive result. */
#ifndef AU_BASE_ALLOC_H
#define AU_BASE_ALLOC_H

#include <stddef.h>

void *au_alloc(size_t bytes);
void *au_alloc_array(size_t n, size_t size); /* zeroed; checks n * size */
void *au_realloc_array(void *p, size_t n, size_t size);
char *au_strdup(const char *s);
char *au_strndup(const char *s, size_t n);
char *au_sprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The memory comes from malloc: free with free(). */

/* Gives what was freed back to the system: between the parts of a command that need much, each other memory. Costs
 * little. */
void au_alloc_trim(void);

#define AU_NEW(T) ((T *)au_alloc_array(1, sizeof(T)))

/* What to do when a library has no memory: as if malloc had failed here. */
_Noreturn void au_out_of_memory(size_t bytes);

typedef void au_oom_fn(size_t bytes);
void au_alloc_on_oom(au_oom_fn *handler);

#endif
