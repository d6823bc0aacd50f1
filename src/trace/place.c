/* trace/place.c: see place.h. */
#include "trace/place.h"

#include <stdlib.h>
#include <string.h>

bool au_is_place(const char *text) {
    const char *colon = strrchr(text, ':');
    return colon && colon[1] && strspn(colon + 1, "0123456789") == strlen(colon + 1);
}

bool au_at_place(const char *file, size_t length, uint64_t line, const char *place) {
    const char *colon = strrchr(place, ':');
    size_t n = (size_t)(colon - place);
    if (strtoull(colon + 1, NULL, 10) != line || n > length)
        return false;
    return !memcmp(file + length - n, place, n) && (length == n || file[length - n - 1] == '/');
}
