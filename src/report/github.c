/* report/github.c: commands that GitHub's runners read in the output of a step: an annotation a finding, at its line.
 *
 * An error is confirmed or proved, a warning is possible, a notice does not count. What a name or a message has of the
 * commands' own letters is written as %XX. */
#include "report/case_kinds.h"
#include "report/case_words.h"
#include "report/root.h"

#include <stdlib.h>

static void put(au_out *out, const char *text, const char *escaped) {
    for (const char *s = text; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '%' || c < 0x20 || c == 0x7f || strchr(escaped, c))
            au_out_printf(out, "%%%02X", c);
        else
            au_out_char(out, *s);
    }
}

static void put_property(au_out *out, const char *name, const char *text) {
    au_out_printf(out, "%s=", name);
    put(out, text, ":,");
}

static const char *level(const au_case *c) {
    if (c->known || c->aside || au_case_is_contradicted(c))
        return "notice";
    return c->standing == AU_IS_POSSIBLE ? "warning" : "error";
}

/* The first event whose line the user wrote. */
static bool find_place(const au_case *c, const char **file, uint32_t *line) {
    for (size_t i = 0; i < c->event.n; i++) {
        const au_case_event *e = &c->event.at[i];
        const au_case_frame *user = au_case_user_frame(e);
        *file = user ? user->file : e->file;
        *line = user ? user->line : e->line;
        if (**file && *line && !au_case_is_foreign(*file))
            return true;
    }
    return false;
}

static void put_case(const au_dossier *d, const char *root, const au_case *c, au_out *out) {
    const char *file;
    uint32_t line;
    au_out_printf(out, "::%s ", level(c));
    if (find_place(c, &file, &line)) {
        char *name = au_root_name(d, root, file);
        put_property(out, "file", name);
        au_out_printf(out, ",line=%" PRIu32 ",", line);
        free(name);
    }
    char *title = au_sprintf("augur %s: %s", c->id, au_standing_name(c->standing));
    put_property(out, "title", title);
    free(title);
    au_out_str(out, "::");
    put(out, c->message, "");
    if (c->variant.n)
        au_out_printf(out, " (%zu variant%s)", c->variant.n, c->variant.n == 1 ? "" : "s");
    const char *more[] = {c->why, au_case_advice(c), c->replay_command};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (*more[i]) {
            au_out_str(out, "%0A");
            put(out, more[i], "");
        }
    au_out_char(out, '\n');
}

void au_dossier_github(const au_dossier *d, au_out *out) {
    char *root = au_root_of(d);
    for (size_t i = 0; i < d->at.n; i++)
        if (d->at.at[i].standing != AU_IS_REFUTED)
            put_case(d, root, &d->at.at[i], out);
    for (size_t i = 0; i < d->inconclusive.n; i++) {
        au_out_str(out, "::warning title=augur%3A inconclusive::");
        put(out, d->inconclusive.at[i], "");
        au_out_char(out, '\n');
    }
    free(root);
}
