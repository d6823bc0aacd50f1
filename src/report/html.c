/* report/html.c: the HTML report: a page that is the same for all of them, and the dossier's JSON in
 * its middle, which the page's script shows. */
#include "report/case.h"
#include "report/page.h"

#include <string.h>

/* JSON inside a <script> element: no '<' may be left, since "</script" and "<!--" mean something there
 * even within a string. The two line ends that only JavaScript knows are escaped for those who
 * paste it into a script. Layout is dropped: reports can be large. */
static void put_data(au_out *out, const char *json, size_t n) {
    bool in_string = false;
    size_t from = 0; /* what stands from here on is written as it is */
    for (size_t i = 0; i < n; i++) {
        const char *escape = NULL;
        size_t used = 1;
        if (in_string && json[i] == '\\' && i + 1 < n) {
            i++; /* an escaped quote does not end the string */
            continue;
        }
        if (json[i] == '"') {
            in_string = !in_string;
        } else if (json[i] == '<') {
            escape = "\\u003c";
        } else if (json[i] == '\xe2' && n - i > 2 && !memcmp(json + i, "\xe2\x80\xa8", 3)) {
            escape = "\\u2028";
            used = 3;
        } else if (json[i] == '\xe2' && n - i > 2 && !memcmp(json + i, "\xe2\x80\xa9", 3)) {
            escape = "\\u2029";
            used = 3;
        } else if (!in_string && (json[i] == ' ' || json[i] == '\n')) {
            escape = "";
        }
        if (escape) {
            au_out_write(out, json + from, i - from);
            au_out_str(out, escape);
            i += used - 1;
            from = i + 1;
        }
    }
    au_out_write(out, json + from, n - from);
}

void au_dossier_html(const au_dossier *d, au_out *out) {
    au_out *json = au_out_memory();
    size_t n;
    au_dossier_json(d, json);
    const char *text = au_out_memory_data(json, &n);
    au_out_str(out, au_page_before);
    put_data(out, text, n);
    au_out_str(out, au_page_after);
    au_out_abandon(json);
}
