/* base/big.h: arrays of many megabytes.
 *
 * From 1 MiB on they are page mappings: they grow by moving pages, not bytes,
 * cost memory only where they were written, and go back to the system when
 * freed (malloc keeps them, and copies them, once it has seen a few). */
#ifndef AU_BASE_BIG_H
#define AU_BASE_BIG_H

#include <stddef.h>

/* Makes room for n elements; old is the number it had room for, 0 with p NULL.
 * Never NULL. New elements are all zeroes. */
void *au_big_grow(void *p, size_t old, size_t n, size_t size);
void au_big_free(void *p, size_t n, size_t size);
/* Brings the pages of a range in at once, which costs half of the faults on
 * each of them. A hint. */
void au_big_touch(void *p, size_t bytes);

#endif
