/* base/printable.h: text from outside, made safe to print. */
#ifndef AU_BASE_PRINTABLE_H
#define AU_BASE_PRINTABLE_H

#include <stddef.h>

/* Names come from the traced program and messages quote them, but neither may
 * play tricks on a terminal: control characters (except new lines) and bytes that
 * are not UTF-8 become \xNN. Writes at most cap - 1 bytes and a NUL to 'to' (what
 * does not fit ends in "..."); returns how many, and in *width (may be NULL) how many
 * characters that is. cap >= 8. */
size_t au_printable(char *to, size_t cap, const char *s, size_t n, size_t *width);

#endif
