/* base/limits.c: see limits.h. */
#include "base/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const au_limit_row row[] = {
#define GROUP(title)
#define LIMIT(name, value, unit, told, lost, words)                                                \
    {#name, (value), unit, AU_TOLD_##told, lost, words},
#include "base/limits.def"
#undef LIMIT
#undef GROUP
};
_Static_assert(sizeof row / sizeof *row == AU_LIMITS, "a row each");

static uint64_t instead[AU_LIMITS]; /* of its value, 0: none; for tests */
static uint64_t reached[AU_LIMITS];

const au_limit_row *au_limit_of(au_limit l) {
    return &row[l];
}

uint64_t au_limit_value(au_limit l) {
    return instead[l] ? instead[l] : row[l].value;
}

void au_limit_set_for_test(au_limit l, uint64_t value) {
    instead[l] = value;
}

const char *au_limit_say_at(au_limit l, const char *at, uint64_t n, uint64_t of,
                            char buf[AU_LIMIT_TEXT]) {
    char number[3][24];
    const struct {
        const char *name, *text;
    } field[] = {{"{n}", number[0]}, {"{of}", number[1]}, {"{most}", number[2]}, {"{at}", at}};
    const uint64_t value[] = {n, of, au_limit_value(l)};
    for (int i = 0; i < 3; i++)
        snprintf(number[i], sizeof number[i], "%" PRIu64, value[i]);
    size_t k = 0, i;
    for (const char *p = row[l].words; *p && k + 1 < AU_LIMIT_TEXT;) {
        for (i = 0; i < 4 && strncmp(p, field[i].name, strlen(field[i].name)); i++)
            ;
        if (i == 4) {
            buf[k++] = *p++;
            continue;
        }
        for (const char *q = field[i].text; *q && k + 1 < AU_LIMIT_TEXT; q++)
            buf[k++] = *q;
        p += strlen(field[i].name);
    }
    buf[k] = 0;
    return buf;
}

const char *au_limit_say(au_limit l, uint64_t n, uint64_t of, char buf[AU_LIMIT_TEXT]) {
    return au_limit_say_at(l, "", n, of, buf);
}

void au_limit_reached(au_limit l, uint64_t n) {
    reached[l] += n;
}

uint64_t au_limit_taken(au_limit l) {
    uint64_t n = reached[l];
    reached[l] = 0;
    return n;
}

void au_limits_forget(void) {
    memset(reached, 0, sizeof reached);
}

void au_limits_take(uint64_t bits[AU_LIMIT_WORDS]) {
    memset(bits, 0, AU_LIMIT_WORDS * sizeof *bits);
    for (unsigned l = 0; l < AU_LIMITS; l++)
        if (reached[l])
            bits[l / 64] |= UINT64_C(1) << l % 64;
    au_limits_forget();
}

void au_limits_add(const uint64_t bits[AU_LIMIT_WORDS]) {
    for (unsigned l = 0; l < AU_LIMITS; l++)
        reached[l] += bits[l / 64] >> l % 64 & 1;
}
