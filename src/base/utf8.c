#include "base/utf8.h"

size_t au_utf8_length(const unsigned char *s, size_t n) {
    static const struct {
        unsigned char first_low, first_high, second_low, second_high, length;
    } form[] = {
        {0x00, 0x7f, 0x00, 0x00, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    for (size_t i = 0; i < sizeof form / sizeof *form; i++) {
        if (s[0] < form[i].first_low || s[0] > form[i].first_high)
            continue;
        size_t len = form[i].length;
        if (len > n || (len > 1 && (s[1] < form[i].second_low || s[1] > form[i].second_high)))
            return 0;
        for (size_t k = 2; k < len; k++)
            if ((s[k] & 0xc0) != 0x80)
                return 0;
        return len;
    }
    return 0;
}
