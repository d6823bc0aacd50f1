/* report/coverage.c: is there anything left to ask about this input? The last line of 'augur run' and 'augur
 * explore', and "exhaustive" and "open" of the JSON. */
#include "report/case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Misuse of a lock was seen in the run itself: it is not undecided, whatever its standing. */
static bool is_undecided(const au_case *c) {
    return c->standing == AU_IS_POSSIBLE && !c->known && c->kind != AU_KIND_MISUSE;
}

bool au_dossier_is_exhaustive(const au_dossier *d) {
    bool open = *d->claim ? !d->covered : !d->complete;
    open |= d->inconclusive.n > 0;
    for (size_t i = 0; i < d->at.n; i++) {
        open |= is_undecided(&d->at.at[i]);
        for (size_t k = 0; k < d->at.at[i].variant.n; k++)
            open |= is_undecided(&d->at.at[i].variant.at[k]);
    }
    return !open;
}

static bool is_listed(const au_dossier *d, const char *text) {
    for (size_t i = 0; i < d->open.n; i++)
        if (!strcmp(d->open.at[i], text))
            return true;
    return false;
}

static void say_possible(const au_dossier *d, const au_case *c, const char *id, const char *before,
                         void (*each)(void *ctx, const char *text), void *ctx) {
    if (!is_undecided(c))
        return;
    char *text = au_sprintf("%s%s is only possible%s%s", before, id, *c->why ? ": " : "", c->why);
    if (!is_listed(d, text))
        each(ctx, text);
    free(text);
}

void au_dossier_each_open(const au_dossier *d, void (*each)(void *ctx, const char *text),
                          void *ctx) {
    for (size_t i = 0; i < d->open.n; i++)
        each(ctx, d->open.at[i]);
    for (size_t i = 0; i < d->inconclusive.n; i++)
        if (!is_listed(d, d->inconclusive.at[i]))
            each(ctx, d->inconclusive.at[i]);
    for (size_t i = 0; i < d->at.n; i++) {
        const au_case *c = &d->at.at[i];
        say_possible(d, c, c->id, "", each, ctx);
        for (size_t k = 0; k < c->variant.n; k++)
            say_possible(d, &c->variant.at[k], c->id, "a variant of ", each, ctx);
    }
    const char *beyond = *d->beyond ? d->beyond : "not everything was asked";
    if (!*d->claim && !d->complete && !is_listed(d, beyond))
        each(ctx, beyond);
}

struct counted {
    size_t n;
    char *first;
};

static void count(void *ctx, const char *text) {
    struct counted *x = ctx;
    if (!x->n++)
        x->first = au_strdup(text);
}

char *au_dossier_coverage(const au_dossier *d) {
    struct counted x = {0};
    if (!d->covered || au_dossier_is_exhaustive(d))
        return au_strdup(d->claim);
    au_dossier_each_open(d, count, &x);
    char *text = au_sprintf("Not every interleaving of this input was covered: %zu question%s "
                            "undecided, among them: %s.",
                            x.n, x.n == 1 ? "" : "s", x.n ? x.first : "?");
    free(x.first);
    return text;
}

const char *au_dossier_hint(const au_dossier *d) {
    for (size_t i = 0; i < d->inconclusive.n; i++) {
        const char *text = d->inconclusive.at[i];
        if (strstr(text, "interrupted"))
            return "it again";
        if (strstr(text, "--budget"))
            return "a larger --budget";
        if (strstr(text, "time limit reached") || strstr(text, "no answer after"))
            return "a larger --timeout";
        if (strstr(text, "out of memory"))
            return "a larger --memory";
        if (strstr(text, "--window"))
            return "a smaller input, or a larger --window";
    }
    return "'augur help' and docs/nothing-found.md";
}

void au_dossier_not_covered(au_dossier *d, const char *why, const char *try_this) {
    char *text = au_sprintf("Not every interleaving of this input was covered: %s.%s%s%s", why,
                            *try_this ? " Try " : "", try_this, *try_this ? "." : "");
    d->claim = au_dossier_text_copy(d, text);
    d->covered = false;
    au_vec_clear(&d->open);
    au_vec_push(&d->open, au_dossier_text_copy(d, why));
    free(text);
}
