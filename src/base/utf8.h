/* base/utf8.h: what is a character. */
#ifndef AU_BASE_UTF8_H
#define AU_BASE_UTF8_H

#include <stddef.h>

/* Length of the UTF-8 sequence at s (n > 0 bytes there), 0 if it is not one: cut short, too
 * long for what it says, a surrogate, past U+10FFFF. */
size_t au_utf8_length(const unsigned char *s, size_t n);

#endif
