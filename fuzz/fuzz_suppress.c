/* Any text as suppressions; and a pattern and a text, matched by somebody slower as well. */
#include "store/suppress.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static bool matches_here(const char *p, const char *t) {
    if (!*p)
        return true;
    if (*p == '$')
        return !*t && !p[1];
    if (*p != '*')
        return *t == *p && matches_here(p + 1, t + 1);
    for (;; t++) {
        if (matches_here(p + 1, t))
            return true;
        if (!*t)
            return false;
    }
}

static bool matches(const char *p, const char *t) {
    if (*p == '^')
        return matches_here(p + 1, t);
    for (;; t++) {
        if (matches_here(p, t))
            return true;
        if (!*t)
            return false;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    au_suppressions s = {0};
    au_error err = AU_ERROR_NONE;
    if (au_suppressions_parse(&s, "f", (const char *)p, n, &err) != AU_OK)
        AU_BUG_IF(!*err.text);
    for (size_t i = 0; i < s.at.n; i++)
        AU_BUG_IF(!*s.at.at[i].pattern || !s.at.at[i].line);
    au_suppressions_release(&s);
    const uint8_t *line = n ? memchr(p, '\n', n) : NULL;
    unsigned stars = 0;
    for (const uint8_t *c = p; line && c < line; c++)
        stars += *c == '*';
    if (!line || line - p > 24 || n > 64 || stars > 4) /* the slow one is very slow */
        return 0;
    char *pattern = au_strndup((const char *)p, (size_t)(line - p));
    char *text = au_strndup((const char *)line + 1, n - (size_t)(line - p) - 1);
    AU_BUG_IF(matches(pattern, text) != au_suppression_matches(pattern, text));
    free(pattern);
    free(text);
    return 0;
}
