/* base/base64.c: see base64.h. */
#include "base/base64.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void au_base64_put(au_out *out, const void *p, size_t n) {
    const unsigned char *b = p;
    for (size_t i = 0; i < n; i += 3) {
        size_t k = n - i < 3 ? n - i : 3;
        unsigned v = (unsigned)b[i] << 16 | (k > 1 ? (unsigned)b[i + 1] << 8 : 0) |
                     (k > 2 ? (unsigned)b[i + 2] : 0);
        const char four[4] = {digit[v >> 18], digit[v >> 12 & 63], k > 1 ? digit[v >> 6 & 63] : '=',
                              k > 2 ? digit[v & 63] : '='};
        au_out_write(out, four, 4);
    }
}

/* 64: none. */
static unsigned value_of(char c) {
    const char *at = c ? strchr(digit, c) : NULL;
    return at ? (unsigned)(at - digit) : 64;
}

char *au_base64_get(const char *text, size_t n, size_t *size) {
    if (n % 4)
        return NULL;
    size_t pad = n && text[n - 1] == '=' ? 1 + (text[n - 2] == '=') : 0, used = 0;
    char *b = au_alloc(n / 4 * 3 + 1);
    for (size_t i = 0; i < n; i += 4) {
        unsigned v = 0;
        size_t k = i + 4 == n ? 3 - pad : 3; /* bytes of these four */
        for (size_t j = 0; j < 4; j++) {
            unsigned d = j > k ? 0 : value_of(text[i + j]);
            if (d > 63) {
                free(b);
                return NULL;
            }
            v = v << 6 | d;
        }
        /* What padding cuts off is zero: one text for the same bytes. */
        if ((k < 3 && v & 0xff) || (k < 2 && v & 0xffff)) {
            free(b);
            return NULL;
        }
        for (size_t j = 0; j < k; j++)
            b[used++] = (char)(v >> (16 - 8 * j));
    }
    *size = used;
    return b;
}
