/* Any text as a dossier. What is read is written again, and then reading and writing must agree; every
 * other form is made of it, too. Stories are made anew from what was read, where bytes that are not UTF-8 have become
 * U+FFFD: of such a text the second writing and the third must agree. */
#include "base/utf8.h"
#include "report/case.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static const char *json(const au_dossier *d, au_out *out, size_t *n) {
    au_dossier_json(d, out);
    return au_out_memory_data(out, n);
}

static void forms(const au_dossier *d) {
    au_out *out = au_out_memory();
    au_dossier_sarif(d, out);
    au_dossier_junit(d, out);
    au_dossier_github(d, out);
    au_dossier_html(d, out);
    au_dossier_text(d, &(au_case_look){0}, out);
    for (size_t i = 0; i < d->at.n; i++)
        au_case_perfetto(&d->at.at[i], out);
    au_out_abandon(out);
}

static bool is_utf8(const uint8_t *p, size_t n) {
    size_t length = 1;
    for (size_t i = 0; i < n && length; i += length)
        length = au_utf8_length(p + i, n - i);
    return length;
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    au_dossier d, again, all;
    au_error err = AU_ERROR_NONE;
    au_dossier_init(&d);
    if (au_dossier_read(&d, (const char *)p, n, "f", &err) == AU_OK) {
        au_out *first = au_out_memory(), *second = au_out_memory();
        size_t length, length2;
        const char *text = json(&d, first, &length);
        au_dossier_init(&again);
        AU_BUG_IF(au_dossier_read(&again, text, length, "f", &err) != AU_OK);
        const char *text2 = json(&again, second, &length2);
        if (!is_utf8(p, n)) {
            au_dossier_release(&again);
            au_dossier_init(&again);
            AU_BUG_IF(au_dossier_read(&again, text2, length2, "f", &err) != AU_OK);
            au_out_abandon(first);
            first = au_out_memory();
            text = json(&again, first, &length);
        }
        AU_BUG_IF(length != length2 || memcmp(text, text2, length) != 0);
        forms(&d);
        au_dossier_init(&all);
        au_dossier_join(&all, &d);
        au_dossier_join(&all, &again);
        for (size_t i = 0; i < all.at.n; i++)
            au_case_mark(&all, &all.at.at[i]);
        au_dossier_release(&all);
        au_dossier_release(&again);
        au_out_abandon(first);
        au_out_abandon(second);
    } else {
        AU_BUG_IF(!*err.text);
    }
    au_dossier_release(&d);
    return 0;
}
