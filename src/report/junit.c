/* report/junit.c: JUnit XML, for dashboards of CI systems.
 *
 * A test case is a finding, named by what stays the same from run to run, or a kind of bug that was
 * looked for and not found. Findings fail; those that are known are skipped; an answer that is missing
 * is skipped as well, with its reason. Of a suite each of its cases is a test case, too, which fails if a finding
 * that fails is shown by it. Everything from outside is escaped, and what XML 1.0 cannot hold
 * (control characters, bytes that are no UTF-8) becomes U+FFFD. */
#include "report/case_words.h"

#include "base/hash.h"
#include "base/utf8.h"
#include "report/case_kinds.h"

typedef struct {
    au_out *out;
    const au_dossier *d;
    au_map times; /* fingerprint -> how many test cases had it so far */
} writer;

/* XML has no place for these two, either. */
static bool is_noncharacter(const unsigned char *s, size_t n) {
    return n == 3 && s[0] == 0xef && s[1] == 0xbf && s[2] >= 0xbe;
}

static void put_escaped(au_out *out, const char *text) {
    const unsigned char *s = (const unsigned char *)text;
    size_t n = strlen(text);
    for (size_t i = 0; i < n;) {
        unsigned char c = s[i];
        size_t length = au_utf8_length(s + i, n - i);
        if (c == '<')
            au_out_str(out, "&lt;");
        else if (c == '>')
            au_out_str(out, "&gt;");
        else if (c == '&')
            au_out_str(out, "&amp;");
        else if (c == '"')
            au_out_str(out, "&quot;");
        else if (c == '\n' || c == '\t' || c == '\r')
            au_out_printf(out, "&#%u;", c);
        else if (c < 0x20 || !length || is_noncharacter(s + i, length))
            au_out_str(out, "\xef\xbf\xbd");
        else
            au_out_write(out, s + i, length);
        i += length ? length : 1;
    }
}

static void put_attribute(au_out *out, const char *name, const char *value) {
    au_out_printf(out, " %s=\"", name);
    put_escaped(out, value);
    au_out_char(out, '"');
}

static void put_count(au_out *out, const char *name, size_t n) {
    au_out_printf(out, " %s=\"%zu\"", name, n);
}

static const char *property(const au_case *c) {
    return au_kind_prop_name(c->kind);
}

/* "data race on 'account.visits' in deposit [f3845fe1ea479e26]" */
static void put_name(writer *w, const au_case *c) {
    const char *function = c->event.n ? c->event.at[0].function : "";
    au_out_str(w->out, " name=\"");
    put_escaped(w->out, au_kind_words_of(c->kind)->title);
    if (*c->var) {
        au_out_str(w->out, " on '");
        put_escaped(w->out, c->var);
        au_out_char(w->out, '\'');
    }
    if (*function) {
        au_out_str(w->out, " in ");
        put_escaped(w->out, function);
    }
    const char *mark = *c->fingerprint ? c->fingerprint : c->id;
    uint64_t *n = au_map_put(&w->times, au_hash_bytes(mark, strlen(mark)), NULL);
    au_out_str(w->out, " [");
    put_escaped(w->out, mark);
    if (++*n > 1) /* names of test cases are to be different */
        au_out_printf(w->out, ":%" PRIu64, *n);
    au_out_str(w->out, "]\"");
}

static void put_line(au_out *out, const char *before, const char *text) {
    if (!*text)
        return;
    au_out_str(out, before);
    put_escaped(out, text);
    au_out_char(out, '\n');
}

static void put_details(writer *w, const au_case *c) {
    au_out_printf(w->out, "%s\n", au_standing_name(c->standing));
    put_line(w->out, "", c->message);
    put_line(w->out, "", c->why);
    for (size_t i = 0; i < c->event.n; i++) {
        const au_case_event *e = &c->event.at[i];
        au_out *one = au_out_memory();
        size_t n;
        au_case_tell_event(e, one);
        put_line(w->out, "  ", au_out_memory_data(one, &n));
        au_out_abandon(one);
        put_line(w->out, "    ", e->location);
        put_line(w->out, "    ", e->text);
    }
    put_line(w->out, "replay: ", c->replay_command);
}

/* What does not count for the exit status of `augur run`. */
static bool is_skipped(const au_case *c) {
    return c->known || c->aside || au_case_is_contradicted(c);
}

static void put_case(writer *w, const au_case *c) {
    au_out *out = w->out;
    au_out_printf(out, "    <testcase classname=\"augur.%s\"", property(c));
    put_name(w, c);
    if (c->event.n && *c->event.at[0].file) {
        put_attribute(out, "file", c->event.at[0].file);
        put_count(out, "line", c->event.at[0].line);
    }
    au_out_str(out, " time=\"0\"");
    if (c->standing == AU_IS_REFUTED) {
        au_out_str(out, "/>\n");
        return;
    }
    if (is_skipped(c)) {
        au_out_str(out, ">\n      <skipped message=\"");
        if (c->known)
            au_out_str(out, "known: ");
        put_escaped(out, !c->known ? c->why : *c->triage ? c->triage : "in the baseline");
        au_out_str(out, "\"/>\n    </testcase>\n");
        return;
    }
    au_out_printf(out, ">\n      <failure type=\"%s\"", au_kind_name(c->kind));
    put_attribute(out, "message", c->message);
    au_out_char(out, '>');
    put_details(w, c);
    au_out_str(out, "</failure>\n    </testcase>\n");
}

static bool is_kind(const au_case *c, const char *prop) {
    return c->standing != AU_IS_REFUTED && !strcmp(property(c), prop);
}

/* Did something of this kind come out, were it as a variant? */
static bool has_kind(const au_dossier *d, const char *prop) {
    for (size_t i = 0; i < d->at.n; i++) {
        const au_case *c = &d->at.at[i];
        bool any = is_kind(c, prop);
        for (size_t k = 0; k < c->variant.n; k++)
            any |= is_kind(&c->variant.at[k], prop);
        if (any)
            return true;
    }
    return false;
}

static bool is_failure(const au_case *c) {
    return c->standing != AU_IS_REFUTED && !is_skipped(c);
}

/* Findings that fail and are shown by this case of the suite. */
static size_t shown_by(const au_dossier *d, const char *test) {
    size_t n = 0;
    for (size_t i = 0; i < d->at.n; i++) {
        const au_case *c = &d->at.at[i];
        bool it = false;
        for (size_t k = 0; k < c->test.n && is_failure(c); k++)
            it |= !strcmp(c->test.at[k], test);
        n += it;
    }
    return n;
}

static void put_test(const writer *w, size_t number) {
    const au_dossier *d = w->d;
    const char *test = d->suite.at[number];
    size_t before = 0;
    for (size_t i = 0; i < number; i++)
        before += !strcmp(d->suite.at[i], test);
    au_out_str(w->out, "    <testcase classname=\"augur.test\" name=\"");
    put_escaped(w->out, test);
    if (before)
        au_out_printf(w->out, " (%zu)", before + 1);
    au_out_str(w->out, "\" time=\"0\"");
    if (!shown_by(d, test)) {
        au_out_str(w->out, "/>\n");
        return;
    }
    au_out_str(w->out, ">\n      <failure message=\"shows ");
    for (size_t i = 0, n = 0; i < d->at.n; i++) {
        const au_case *c = &d->at.at[i];
        bool it = false;
        for (size_t k = 0; k < c->test.n && is_failure(c); k++)
            it |= !strcmp(c->test.at[k], test);
        if (it) {
            au_out_str(w->out, n++ ? ", " : "");
            put_escaped(w->out, c->id);
        }
    }
    au_out_str(w->out, "\"/>\n    </testcase>\n");
}

void au_dossier_junit(const au_dossier *d, au_out *out) {
    writer w = {.out = out, .d = d};
    size_t clean = 0, failures = 0, skipped = d->inconclusive.n;
    for (size_t i = 0; i < d->funnel.n; i++)
        clean += !has_kind(d, d->funnel.at[i].kind);
    for (size_t i = 0; i < d->at.n; i++) {
        failures += d->at.at[i].standing != AU_IS_REFUTED && !is_skipped(&d->at.at[i]);
        skipped += d->at.at[i].standing != AU_IS_REFUTED && is_skipped(&d->at.at[i]);
    }
    for (size_t i = 0; i < d->suite.n; i++)
        failures += shown_by(d, d->suite.at[i]) > 0;
    au_map_init(&w.times);
    au_out_str(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    for (int level = 0; level < 2; level++) {
        au_out_printf(out, level ? "  <testsuite name=\"" : "<testsuites name=\"");
        au_out_str(out, "augur");
        for (size_t i = 0; level && i < d->input.n; i++) {
            au_out_char(out, ' ');
            put_escaped(out, d->input.at[i]);
        }
        au_out_char(out, '"');
        put_count(out, "tests", clean + d->at.n + d->inconclusive.n + d->suite.n);
        put_count(out, "failures", failures);
        put_count(out, "errors", 0);
        if (level)
            put_count(out, "skipped", skipped);
        if (level && *d->when)
            put_attribute(out, "timestamp", d->when);
        if (!d->timeless)
            au_out_printf(out, " time=\"%.3f\"", d->seconds);
        au_out_str(out, ">\n");
    }
    for (size_t i = 0; i < d->funnel.n; i++)
        if (!has_kind(d, d->funnel.at[i].kind)) {
            au_out_str(out, "    <testcase");
            au_out_str(out, " classname=\"augur.");
            put_escaped(out, d->funnel.at[i].kind);
            au_out_str(out, "\" name=\"nothing found\" time=\"0\"/>\n");
        }
    for (size_t i = 0; i < d->suite.n; i++)
        put_test(&w, i);
    for (size_t i = 0; i < d->at.n; i++)
        put_case(&w, &d->at.at[i]);
    for (size_t i = 0; i < d->inconclusive.n; i++) {
        au_out_printf(out,
                      "    <testcase classname=\"augur.inconclusive\" name=\"%zu\" time=\"0\">\n",
                      i + 1);
        au_out_str(out, "      <skipped");
        put_attribute(out, "message", d->inconclusive.at[i]);
        au_out_str(out, "/>\n    </testcase>\n");
    }
    au_out_str(out, "  </testsuite>\n</testsuites>\n");
    au_map_release(&w.times);
}
