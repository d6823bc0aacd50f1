/* base/base64.h: bytes as text that JSON can hold (RFC 4648, with padding). */
#ifndef AU_BASE_BASE64_H
#define AU_BASE_BASE64_H

#include "base/out.h"

void au_base64_put(au_out *out, const void *p, size_t n);
/* What was written, strictly: no blanks, nothing after the padding. The caller frees it; NULL if it
 * is no such text. */
char *au_base64_get(const char *text, size_t n, size_t *size);

#endif
