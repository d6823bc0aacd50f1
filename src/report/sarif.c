/* report/sarif.c: SARIF 2.1.0, for code scanning.
 *
 * A result is a finding: its first decisive event is its location, the others are related
 * locations; the witness is a code flow with one thread flow a thread, and the execution order
 * tells how they interleave. Steps without a place in a file are left out of the flow: viewers have
 * nothing to show for them. What people said of a finding is a suppression; what is known from a
 * baseline has its state. */
#include "report/case_words.h"

#include "base/hash.h"
#include "base/json.h"
#include "report/case_kinds.h"
#include "report/root.h"

#include <stdlib.h>

#define SCHEMA                                                                                     \
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
#define ROOT "SRCROOT"

typedef struct {
    au_json j;
    const au_dossier *d;
    char *root;         /* of the sources (root.h) */
    bool baseline;      /* some finding is known */
    au_map times;       /* fingerprint -> how many results had it so far */
    int rule[AU_KINDS]; /* its place in the list, -1: not listed */
} writer;

static void put_text(au_json *j, const char *key, const char *text) {
    au_json_key(j, key);
    au_json_object_inline(j);
    au_json_put_string(j, "text", text);
    au_json_end_object(j);
}

/* In messages braces are placeholders and [a](b) is a link, unless they are escaped. */
static void put_message(au_json *j, const char *key, const char *text) {
    if (!strpbrk(text, "{}") && !strstr(text, "](")) {
        put_text(j, key, text);
        return;
    }
    bool links = strstr(text, "](");
    au_out *out = au_out_memory();
    size_t n;
    for (const char *s = text; *s; s++) {
        if (*s == '{' || *s == '}')
            au_out_char(out, *s);
        else if (links && (*s == '[' || *s == ']'))
            au_out_char(out, '\\');
        au_out_char(out, *s);
    }
    put_text(j, key, au_out_memory_data(out, &n));
    au_out_abandon(out);
}

/* ---- places -------------------------------------------------------------------------------- */

static void put_encoded(au_out *out, const char *s) {
    static const char hex[] = "0123456789ABCDEF";
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     strchr("/-._~", c);
        if (plain) {
            au_out_char(out, (char)c);
        } else {
            au_out_char(out, '%');
            au_out_char(out, hex[c >> 4]);
            au_out_char(out, hex[c & 15]);
        }
    }
}

/* A file of the program as a URI: relative to the root if it is below it. */
static bool put_uri(au_out *out, const writer *w, const char *file) {
    char *name = au_root_name(w->d, w->root, file);
    bool relative = *name != '/';
    if (!relative)
        au_out_str(out, "file://");
    put_encoded(out, name);
    free(name);
    return relative;
}

static void put_artifact(writer *w, const char *key, const char *file) {
    au_out *out = au_out_memory();
    size_t n;
    bool relative = put_uri(out, w, file);
    const char *uri = au_out_memory_data(out, &n);
    if (key)
        au_json_key(&w->j, key);
    au_json_object_inline(&w->j);
    au_json_key(&w->j, "uri");
    au_json_string_n(&w->j, uri, n);
    if (relative && *w->d->cwd)
        au_json_put_string(&w->j, "uriBaseId", ROOT);
    au_json_end_object(&w->j);
    au_out_abandon(out);
}

static void put_region(writer *w, const au_case_event *e) {
    if (!e->line)
        return;
    au_json_key(&w->j, "region");
    au_json_object_inline(&w->j);
    au_json_put_u64(&w->j, "startLine", e->line);
    if (*e->text)
        put_text(&w->j, "snippet", e->text);
    au_json_end_object(&w->j);
}

/* What is in a location object, without its braces. message may be NULL. */
static void put_place(writer *w, const au_case_event *e, const char *message) {
    const char *file = *e->file ? e->file : w->d->input.n ? w->d->input.at[0] : "";
    if (*file && strcmp(file, "-")) {
        au_json_key(&w->j, "physicalLocation");
        au_json_object(&w->j);
        put_artifact(w, "artifactLocation", file);
        if (*e->file)
            put_region(w, e);
        au_json_end_object(&w->j);
    }
    if (*e->function) {
        au_json_key(&w->j, "logicalLocations");
        au_json_array(&w->j);
        au_json_object_inline(&w->j);
        au_json_put_string(&w->j, "fullyQualifiedName", e->function);
        au_json_put_string(&w->j, "kind", "function");
        au_json_end_object(&w->j);
        au_json_end_array(&w->j);
    }
    if (message)
        put_message(&w->j, "message", message);
}

/* The caller frees it. */
static char *told(const au_case_event *e) {
    au_out *out = au_out_memory();
    size_t n;
    au_case_tell_event(e, out);
    const char *text = au_out_memory_data(out, &n);
    char *copy = au_strndup(text, n);
    au_out_abandon(out);
    return copy;
}

static void put_location(writer *w, const au_case_event *e, size_t id) {
    char *text = told(e);
    au_json_object(&w->j);
    if (id)
        au_json_put_u64(&w->j, "id", id);
    put_place(w, e, text);
    au_json_end_object(&w->j);
    free(text);
}

/* ---- results ------------------------------------------------------------------------------- */

static void put_state(writer *w, const au_case_event *e) {
    char value[24];
    if (!e->has_value || !*e->object)
        return;
    snprintf(value, sizeof value, "%" PRId64, e->value);
    au_json_key(&w->j, "state");
    au_json_object_inline(&w->j);
    put_message(&w->j, e->object, value);
    au_json_end_object(&w->j);
}

static void put_flow_step(writer *w, const au_case_event *e, size_t order) {
    char *text = told(e);
    au_json_object(&w->j);
    au_json_key(&w->j, "location");
    au_json_object(&w->j);
    put_place(w, e, text);
    au_json_end_object(&w->j);
    au_json_put_u64(&w->j, "executionOrder", order);
    au_json_put_string(&w->j, "importance", e->decisive ? "essential" : "important");
    put_state(w, e);
    au_json_end_object(&w->j);
    free(text);
}

static bool has_place(const au_case_event *e) {
    return *e->file && e->line;
}

/* All of this thread; nothing if it was told before, or has no place. */
static void put_thread(writer *w, const au_case_events *v, size_t first) {
    const char *thread = v->at[first].thread;
    for (size_t i = 0; i < first; i++)
        if (has_place(&v->at[i]) && !strcmp(v->at[i].thread, thread))
            return;
    au_json_object(&w->j);
    char who[120];
    au_case_thread(thread, v->at[first].called, who, sizeof who);
    au_json_put_string(&w->j, "id", who);
    au_json_key(&w->j, "locations");
    au_json_array(&w->j);
    for (size_t i = first; i < v->n; i++)
        if (has_place(&v->at[i]) && !strcmp(v->at[i].thread, thread))
            put_flow_step(w, &v->at[i], i + 1);
    au_json_end_array(&w->j);
    au_json_end_object(&w->j);
}

/* The calls that each decisive event is in; the event itself is the first frame, as viewers expect. */
static void put_stacks(writer *w, const au_case *c) {
    bool any = false;
    for (size_t i = 0; i < c->event.n; i++)
        any |= c->event.at[i].n_callers > 0;
    if (!any)
        return;
    au_json_key(&w->j, "stacks");
    au_json_array(&w->j);
    for (size_t i = 0; i < c->event.n; i++) {
        const au_case_event *e = &c->event.at[i];
        char *text = told(e);
        au_json_object(&w->j);
        put_message(&w->j, "message", text);
        au_json_key(&w->j, "frames");
        au_json_array(&w->j);
        for (uint32_t k = 0; k <= e->n_callers; k++) {
            au_case_event at = au_case_event_none();
            at.file = k ? e->caller[k - 1].file : e->file;
            at.line = k ? e->caller[k - 1].line : e->line;
            at.function = k ? e->caller[k - 1].function : e->function;
            au_json_object(&w->j);
            au_json_key(&w->j, "location");
            au_json_object(&w->j);
            put_place(w, &at, NULL);
            au_json_end_object(&w->j);
            au_json_end_object(&w->j);
        }
        au_json_end_array(&w->j);
        au_json_end_object(&w->j);
        free(text);
    }
    au_json_end_array(&w->j);
}

static void put_flows(writer *w, const au_case *c) {
    const au_case_events *v = c->witness.n ? &c->witness : &c->event;
    bool any = false;
    for (size_t i = 0; i < v->n; i++)
        any |= has_place(&v->at[i]);
    if (!any)
        return;
    au_json_key(&w->j, "codeFlows");
    au_json_array(&w->j);
    au_json_object(&w->j);
    put_message(&w->j, "message",
                c->replay == AU_REPLAY_CONFIRMED ? "the order in which it happened when replayed"
                                                 : "an order in which it happens");
    au_json_key(&w->j, "threadFlows");
    au_json_array(&w->j);
    for (size_t i = 0; i < v->n; i++)
        if (has_place(&v->at[i]))
            put_thread(w, v, i);
    au_json_end_array(&w->j);
    au_json_end_object(&w->j);
    au_json_end_array(&w->j);
}

/* Two results may have the same fingerprint; code scanning wants to tell them apart. */
static void put_fingerprints(writer *w, const au_case *c) {
    if (!*c->fingerprint)
        return;
    uint64_t *n =
        au_map_put(&w->times, au_hash_bytes(c->fingerprint, strlen(c->fingerprint)), NULL);
    char text[64];
    snprintf(text, sizeof text, "%.32s:%" PRIu64, c->fingerprint, ++*n);
    au_json_key(&w->j, "partialFingerprints");
    au_json_object_inline(&w->j);
    au_json_put_string(&w->j, "primaryLocationLineHash", text);
    au_json_put_string(&w->j, "augur/v1", *c->earlier ? c->earlier : c->fingerprint);
    if (*c->earlier)
        au_json_put_string(&w->j, "augur/v2", c->fingerprint);
    au_json_end_object(&w->j);
}

static void put_suppression(writer *w, const au_case *c) {
    if (strcmp(c->triage, "false-positive") && strcmp(c->triage, "wontfix"))
        return;
    au_json_key(&w->j, "suppressions");
    au_json_array(&w->j);
    au_json_object_inline(&w->j);
    au_json_put_string(&w->j, "kind", "external");
    au_json_put_string(&w->j, "status", "accepted");
    au_json_put_string(&w->j, "justification", *c->note ? c->note : c->triage);
    au_json_end_object(&w->j);
    au_json_end_array(&w->j);
}

static void put_properties(writer *w, const au_case *c) {
    au_json_key(&w->j, "properties");
    au_json_object(&w->j);
    au_json_put_string(&w->j, "id", c->id);
    au_json_put_string(&w->j, "status", au_standing_name(c->standing));
    if (*c->why)
        au_json_put_string(&w->j, "reason", c->why);
    if (*c->replay_command)
        au_json_put_string(&w->j, "replay", c->replay_command);
    au_json_end_object(&w->j);
}

static void put_summary(writer *w, const au_case *c) {
    char *text = au_sprintf("%s (%s%s%s)", c->message, au_standing_name(c->standing),
                            *c->why ? ": " : "", c->why);
    put_message(&w->j, "message", text);
    free(text);
}

static void put_result(writer *w, const au_case *c) {
    static const char *const level[] = {[AU_IS_CONFIRMED] = "error",
                                        [AU_IS_PROVED] = "error",
                                        [AU_IS_POSSIBLE] = "warning",
                                        [AU_IS_REFUTED] = "none"};
    au_json_object(&w->j);
    au_json_put_string(&w->j, "ruleId", au_kind_name(c->kind));
    au_json_put_u64(&w->j, "ruleIndex", (uint64_t)w->rule[c->kind]);
    au_json_put_string(&w->j, "kind", c->standing == AU_IS_REFUTED ? "pass" : "fail");
    au_json_put_string(&w->j, "level", level[c->standing]);
    put_summary(w, c);
    au_json_key(&w->j, "locations");
    au_json_array(&w->j);
    if (c->event.n)
        put_location(w, &c->event.at[0], 0);
    au_json_end_array(&w->j);
    if (c->event.n > 1) {
        au_json_key(&w->j, "relatedLocations");
        au_json_array(&w->j);
        for (size_t i = 0; i < c->event.n; i++)
            put_location(w, &c->event.at[i], i + 1);
        au_json_end_array(&w->j);
    }
    put_flows(w, c);
    put_stacks(w, c);
    put_fingerprints(w, c);
    if (w->baseline)
        au_json_put_string(&w->j, "baselineState", c->known ? "unchanged" : "new");
    put_suppression(w, c);
    put_properties(w, c);
    au_json_end_object(&w->j);
}

/* ---- the tool ------------------------------------------------------------------------------ */

static void put_rule(writer *w, au_kind k) {
    const au_kind_words *words = au_kind_words_of(k);
    au_json_object(&w->j);
    au_json_put_string(&w->j, "id", au_kind_name(k));
    au_json_put_string(&w->j, "name", words->name);
    put_message(&w->j, "shortDescription", words->title);
    put_message(&w->j, "fullDescription", words->meaning);
    put_message(&w->j, "help", words->help);
    au_json_key(&w->j, "defaultConfiguration");
    au_json_object_inline(&w->j);
    au_json_put_string(&w->j, "level", "error");
    au_json_end_object(&w->j);
    au_json_key(&w->j, "properties");
    au_json_object_inline(&w->j);
    au_json_key(&w->j, "tags");
    au_json_array(&w->j);
    au_json_string(&w->j, "concurrency");
    au_json_string(&w->j, "correctness");
    au_json_end_array(&w->j);
    au_json_put_string(&w->j, "precision", "very-high");
    au_json_put_string(&w->j, "problem.severity", "error");
    au_json_end_object(&w->j);
    au_json_end_object(&w->j);
}

static void put_tool(writer *w) {
    int n = 0;
    au_json_key(&w->j, "tool");
    au_json_object(&w->j);
    au_json_key(&w->j, "driver");
    au_json_object(&w->j);
    au_json_put_string(&w->j, "name", "augur");
    au_json_put_string(&w->j, "version", AU_VERSION);
    au_json_put_string(&w->j, "semanticVersion", AU_VERSION);
    au_json_key(&w->j, "rules");
    au_json_array(&w->j);
    for (int k = 0; k < AU_KINDS; k++) {
        w->rule[k] = n++;
        put_rule(w, (au_kind)k);
    }
    au_json_end_array(&w->j);
    au_json_end_object(&w->j);
    au_json_end_object(&w->j);
}

static void put_notifications(writer *w) {
    const au_dossier *d = w->d;
    if (!d->inconclusive.n && !d->note.n)
        return;
    au_json_key(&w->j, "toolExecutionNotifications");
    au_json_array(&w->j);
    for (size_t i = 0; i < d->inconclusive.n + d->note.n; i++) {
        bool open = i < d->inconclusive.n;
        au_json_object_inline(&w->j);
        au_json_put_string(&w->j, "level", open ? "warning" : "note");
        put_message(&w->j, "message",
                    open ? d->inconclusive.at[i] : d->note.at[i - d->inconclusive.n]);
        au_json_end_object(&w->j);
    }
    au_json_end_array(&w->j);
}

static void put_invocation(writer *w) {
    au_json_key(&w->j, "invocations");
    au_json_array(&w->j);
    au_json_object(&w->j);
    au_json_put_bool(&w->j, "executionSuccessful", true);
    put_notifications(w);
    au_json_end_object(&w->j);
    au_json_end_array(&w->j);
}

static void put_root(writer *w) {
    if (*w->root != '/')
        return;
    au_out *out = au_out_memory();
    size_t n;
    au_out_str(out, "file://");
    put_encoded(out, w->root);
    if (w->root[1])
        au_out_char(out, '/');
    const char *uri = au_out_memory_data(out, &n);
    au_json_key(&w->j, "originalUriBaseIds");
    au_json_object_inline(&w->j);
    au_json_key(&w->j, ROOT);
    au_json_object(&w->j);
    au_json_key(&w->j, "uri");
    au_json_string_n(&w->j, uri, n);
    au_json_end_object(&w->j);
    au_json_end_object(&w->j);
    au_out_abandon(out);
}

void au_dossier_sarif(const au_dossier *d, au_out *out) {
    writer w = {.d = d, .root = au_root_of(d)};
    au_map_init(&w.times);
    for (size_t i = 0; i < d->at.n; i++)
        w.baseline |= d->at.at[i].known;
    au_json_init(&w.j, out, true);
    au_json_object(&w.j);
    au_json_put_string(&w.j, "$schema", SCHEMA);
    au_json_put_string(&w.j, "version", "2.1.0");
    au_json_key(&w.j, "runs");
    au_json_array(&w.j);
    au_json_object(&w.j);
    put_tool(&w);
    put_invocation(&w);
    put_root(&w);
    au_json_put_string(&w.j, "columnKind", "utf16CodeUnits");
    au_json_key(&w.j, "results");
    au_json_array(&w.j);
    for (size_t i = 0; i < d->at.n; i++)
        put_result(&w, &d->at.at[i]);
    au_json_end_array(&w.j);
    au_json_end_object(&w.j);
    au_json_end_array(&w.j);
    au_json_end_object(&w.j);
    au_out_char(out, '\n');
    au_map_release(&w.times);
    free(w.root);
}
