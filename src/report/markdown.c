/* report/markdown.c: a comment for a pull request or the summary of a job: what counts, each with its story.
 *
 * What a program may have chosen (names, values, lines of source) stands inside of fences only, where nothing is markup. */
#include "report/case.h"

enum { MOST = 10 }; /* a comment is read, or it is not; the report has the others */

static bool counts(const au_case *c) {
    return c->standing != AU_IS_REFUTED && !c->known && !c->aside;
}

static void put_story(const au_dossier *d, const au_case *c, au_out *out) {
    static const au_case_look look = {.width = 100};
    au_out_str(out, "\n~~~text");
    au_case_text(d, c, &look, out); /* begins with an empty line; its other lines are indented */
    au_out_str(out, "~~~\n");
}

void au_dossier_markdown(const au_dossier *d, au_out *out) {
    size_t n = 0, known = 0, told = 0;
    for (size_t i = 0; i < d->at.n; i++) {
        n += counts(&d->at.at[i]);
        known += d->at.at[i].known;
    }
    au_out_printf(out, "**augur: %zu finding%s**", n, n == 1 ? "" : "s");
    if (known)
        au_out_printf(out, " (and %zu that %s known)", known, known == 1 ? "is" : "are");
    au_out_char(out, '\n');
    for (size_t i = 0; i < d->at.n && told < MOST; i++)
        if (counts(&d->at.at[i])) {
            put_story(d, &d->at.at[i], out);
            told++;
        }
    if (n > told)
        au_out_printf(out, "\n… and %zu more in the report.\n", n - told);
    if (d->inconclusive.n)
        au_out_printf(out, "\nNot decided: %zu (the report says what).\n", d->inconclusive.n);
}
