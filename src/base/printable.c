#include "base/printable.h"

#include <string.h>

/* Bytes of the UTF-8 character at s, 0 if it is none or a control character. */
static size_t printable(const unsigned char *s, size_t n) {
    if (s[0] < 0x80)
        return (s[0] >= 0x20 && s[0] != 0x7f) || s[0] == '\n';
    size_t len = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4 || n < len)
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if (s[0] == 0xc2 && s[1] < 0xa0)
        return 0; /* C1 controls */
    if (s[0] == 0xe2 && ((s[1] == 0x80 && s[2] >= 0xaa && s[2] <= 0xae) ||
                         (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9)))
        return 0; /* would turn the direction of what follows */
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0; /* too long, surrogate, too large */
    return len;
}

size_t au_printable(char *to, size_t cap, const char *from, size_t n, size_t *width) {
    static const char hex[] = "0123456789abcdef";
    const unsigned char *s = (const unsigned char *)from;
    size_t len = 0, shown = 0;
    for (size_t i = 0; i < n;) {
        size_t k = printable(s + i, n - i), need = k ? k : 4;
        /* The dots need room as well, unless this is the end. */
        if (len + need + (i + (k ? k : 1) < n ? 3 : 0) > cap - 1) {
            memcpy(to + len, "...", 3);
            len += 3, shown += 3;
            break;
        }
        if (k) {
            memcpy(to + len, s + i, k);
            shown++;
        } else {
            char escape[4] = {'\\', 'x', hex[s[i] >> 4], hex[s[i] & 15]};
            memcpy(to + len, escape, 4);
            shown += 4;
        }
        len += need;
        i += k ? k : 1;
    }
    to[len] = 0;
    if (width)
        *width = shown;
    return len;
}
