/* tests/lib/whole.c: see whole.h. */
#include "whole.h"

#include "base/vec.h"

#include <stdio.h>

char *au_test_whole(const char *directory, const char *name) {
    char path[600], part[4096];
    AU_VEC(char) text = {0};
    size_t n;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *f = fopen(path, "r");
    while (f && (n = fread(part, 1, sizeof part, f)) > 0)
        au_vec_append(&text, part, n);
    if (f)
        fclose(f);
    au_vec_push(&text, 0);
    return text.at;
}
