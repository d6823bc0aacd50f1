#include "odd_model.h"

#include "base/hash.h"
#include "base/rng.h"
#include "gen_model.h"
#include "model/ctp.h"

#include <string.h>

/* A line that is one statement: "    t3: rel m0". */
static bool is_plain(const char *line) {
    const char *end = strchr(line, '\n'), *colon = strchr(line, ':');
    return end && colon && colon < end && !memchr(line, '{', (size_t)(end - line)) &&
           !memchr(line, '}', (size_t)(end - line));
}

/* Exchanges a statement, or a fork if there is one and it is asked for, with the next
 * one: orders that the generator's idioms never have. */
static void disturb(char *text, au_rng *r, bool forks) {
    char *at[64];
    unsigned n = 0;
    for (char *p = text; (p = strchr(p, '\n')) && n < 64;) {
        char *next = strchr(++p, '\n');
        if (!next || !is_plain(p) || !is_plain(next + 1))
            continue;
        const char *fork = strstr(p, ": fork ");
        if (!forks || (fork && fork < next))
            at[n++] = p;
    }
    if (!n)
        return;
    char *a = at[au_rng_below(r, n)], *b = strchr(a, '\n') + 1, *end = strchr(b, '\n') + 1;
    char *first = au_strndup(a, (size_t)(b - a));
    size_t second = (size_t)(end - b);
    memmove(a, b, second);
    memcpy(a + second, first, strlen(first));
    free(first);
}

static bool is_data(const char *line) {
    const char *end = strchr(line, '\n'), *text = strchr(line, ':') + 2;
    return is_plain(line) && *text != '[' &&
           (memmem(text, (size_t)(end - text), ":=", 2) || !strncmp(text, "assert", 6) ||
            !strncmp(text, "assume", 6));
}

/* Makes one indivisible statement of two that stand together: several accesses and
 * writes in a step. Returns a new text, or NULL where there are no two. */
static char *join(const char *text, au_rng *r) {
    const char *at[64];
    unsigned n = 0;
    for (const char *p = text; (p = strchr(p, '\n')) && n < 64;) {
        const char *next = strchr(++p, '\n');
        if (next && is_plain(p) && is_plain(next + 1) && is_data(p) && is_data(next + 1))
            at[n++] = p;
    }
    if (!n)
        return NULL;
    const char *a = at[au_rng_below(r, n)], *b = strchr(a, '\n') + 1, *end = strchr(b, '\n');
    const char *first = strchr(a, ':') + 2, *second = strchr(b, ':') + 2;
    return au_sprintf("%.*s[%.*s; %.*s]%s", (int)(first - text), text, (int)(b - 1 - first), first,
                      (int)(end - second), second, end);
}

/* Takes the place of *text if it is a model. */
static void try_text(char **text, char *other) {
    au_error err = AU_ERROR_NONE;
    au_ctp_options o = {.unroll = 2};
    au_model *m = other ? au_ctp_read(other, strlen(other), "model", &o, &err) : NULL;
    char **worse = m ? text : &other;
    free(*worse);
    if (m) {
        *text = other;
        au_model_free(m);
    }
}

char *au_odd_ctp(uint64_t seed) {
    au_rng r;
    au_rng_init(&r, au_hash_join(seed, 77));
    au_gen_ctp_options o = au_gen_ctp_defaults(1);
    o.threads = au_rng_below(&r, 4) ? 2 : 3;
    o.statements = o.threads == 3 ? 3 : 4 + au_rng_below(&r, 3);
    o.vars = 1 + au_rng_below(&r, 2);
    o.arithmetic = au_rng_below(&r, 3);
    o.misuse = au_rng_below(&r, 4) == 0;
    o.tries = au_rng_below(&r, 4) == 0;
    o.branches = au_rng_below(&r, 3) != 0;
    o.blocks = au_rng_below(&r, 2);
    o.forks = au_rng_below(&r, 2);
    /* few kinds at a time, so that the threads meet at them */
    unsigned kinds = au_rng_below(&r, 64);
    o.conds = kinds & 1;
    o.barriers = kinds >> 1 & 1;
    o.rwlocks = kinds >> 2 & 1;
    o.sems = kinds >> 3 & 1;
    o.rlocks = kinds >> 4 & 1;
    o.locks = kinds >> 5 & 1 ? 2 : 1;
    o.widths = au_hash_join(seed, 99) % 5 == 0;
    char *text = au_gen_ctp(seed, &o);
    if (au_rng_below(&r, 4) == 0) {
        char *other = au_strdup(text);
        for (uint32_t i = 1 + au_rng_below(&r, 4); i > 0; i--)
            disturb(other, &r, au_rng_below(&r, 2));
        try_text(&text, other);
    }
    if (o.indivisible && au_rng_below(&r, 5) == 0)
        try_text(&text, join(text, &r));
    const char *lock = strstr(text, "\nlock m0\n");
    if (lock && au_rng_below(&r, 8) == 0) /* acq, rel and wait go through a semaphore, too */
        try_text(&text, au_sprintf("%.*s\nsem m0 = 1\n%s", (int)(lock - text), text, lock + 9));
    return text;
}
