/* cli/show_recording.c: what a recording says of its run, for 'show --summary'. */
#include "base/json.h"
#include "base/limits.h"
#include "base/printable.h"
#include "cli/show.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>

static const char *const end_name[] = {
    [AU_END_EXIT] = "exit",         [AU_END_SIGNAL] = "signal", [AU_END_ASSERT] = "assertion",
    [AU_END_DEADLOCK] = "deadlock", [AU_END_LIMIT] = "limit",   [AU_END_EXEC] = "exec",
    [AU_END_DIVERGED] = "diverged"};
static const char *const turn_name[] = {
    [AU_TURN_START] = "start", [AU_TURN_BUDGET] = "budget", [AU_TURN_BLOCKED] = "blocked",
    [AU_TURN_CALL] = "call",   [AU_TURN_STOLEN] = "stolen", [AU_TURN_EXIT] = "exit",
    [AU_TURN_YIELD] = "yield"};

static const char *end_text(const au_recording_facts *f) {
    if (!f->ended)
        return "unknown";
    return f->end < sizeof end_name / sizeof *end_name ? end_name[f->end] : "unknown";
}

static void put_text(au_out *out, const char *s) {
    char text[1024];
    au_out_write(out, text, au_printable(text, sizeof text, s, strlen(s), NULL));
}

static void line(au_out *out, const char *what) {
    au_out_printf(out, "%-10s ", what);
}

static void meta_line(au_out *out, const au_reader *r, const char *what, const char *key) {
    const char *s = au_reader_meta(r, key);
    if (!s || !*s)
        return;
    line(out, what);
    put_text(out, s);
    au_out_char(out, '\n');
}

/* The items of a list (see program/program.h: one a line), with blanks between them. */
static void list_line(au_out *out, const au_reader *r, const char *what, const char *key) {
    const char *s = au_reader_meta(r, key);
    if (!s || !*s)
        return;
    line(out, what);
    for (const char *p = s; *p;) {
        const char *end = strchr(p, '\n');
        size_t n = end ? (size_t)(end - p) : strlen(p);
        char text[512];
        if (p != s)
            au_out_char(out, ' ');
        au_out_write(out, text, au_printable(text, sizeof text, p, n, NULL));
        p += n + (end != NULL);
    }
    au_out_char(out, '\n');
}

static void ended_line(au_out *out, const au_recording_facts *f) {
    line(out, "ended");
    switch (f->ended ? f->end : UINT8_MAX) {
    case AU_END_EXIT:
        au_out_printf(out, "exit status %" PRId64 "\n", f->status);
        return;
    case AU_END_SIGNAL:
        au_out_printf(out, "by signal %" PRId64 " (%s)\n", f->status, strsignal((int)f->status));
        return;
    case AU_END_ASSERT:
        au_out_str(out, "by a failed assertion\n");
        return;
    case AU_END_DEADLOCK:
        au_out_str(out, "in a deadlock\n");
        return;
    case AU_END_LIMIT:
        au_out_str(out, "at the limit of events or time\n");
        return;
    case AU_END_EXEC:
        au_out_str(out, "with the start of another program\n");
        return;
    case AU_END_DIVERGED:
        au_out_str(out, "where the replay left its schedule\n");
        return;
    default:
        au_out_str(out, "unknown\n");
    }
}

/* What the program calls its threads. */
static void names_line(au_out *out, const au_recording_facts *f) {
    const char *before = NULL;
    for (size_t i = 0; i < f->thread.n; i++) {
        if (!f->thread.at[i].name || !*f->thread.at[i].name)
            continue;
        if (!before)
            line(out, "names");
        au_out_printf(out, "%sT%zu %s", before ? before : "", i, f->thread.at[i].name);
        before = ", ";
    }
    if (before)
        au_out_str(out, "\n");
}

static void turns_line(au_out *out, const au_recording_facts *f) {
    line(out, "turns");
    au_out_printf(out, "%" PRIu64, f->turns);
    const char *before = " (";
    for (size_t i = 0; i < sizeof turn_name / sizeof *turn_name; i++)
        if (f->turns_by[i]) {
            au_out_printf(out, "%s%s %" PRIu64, before, turn_name[i], f->turns_by[i]);
            before = ", ";
        }
    au_out_str(out, *before == ',' ? ")\n" : "\n");
}

static double per(uint64_t a, uint64_t b) {
    return b ? (double)a / (double)b : 0;
}

void au_show_recording_text(const au_reader *r, au_out *out) {
    const au_recording_facts *f = au_reader_facts(r);
    if (!f)
        return;
    meta_line(out, r, "program", "exe");
    list_line(out, r, "arguments", "argv");
    meta_line(out, r, "directory", "cwd");
    meta_line(out, r, "schedule", "schedule");
    meta_line(out, r, "seed", "seed");
    ended_line(out, f);
    names_line(out, f);
    turns_line(out, f);
    line(out, "hooks");
    au_out_printf(
        out, "%" PRIu64 " (%.2f bytes each before packing, %" PRIu64 " records of %.1f bytes)\n",
        f->hooks, per(f->bytes, f->hooks), f->records, per(f->bytes, f->records));
    line(out, "inputs");
    au_out_printf(out, "%" PRIu64 " (%" PRIu64 " bytes)\n", f->inputs, f->input_bytes);
    for (size_t i = 0; i < f->module.n && i < AU_LIMIT_SHOWN_MODULES; i++) {
        const struct au_facts_module *m = &f->module.at[i];
        line(out, i ? "" : "modules");
        put_text(out, *m->source ? m->source : m->path);
        au_out_printf(out, " (%" PRIu32 " places, %" PRIu32 " global variables%s)\n", m->sites,
                      m->globals, m->tables ? "" : "; no tables: names are missing");
    }
    if (f->module.n > AU_LIMIT_SHOWN_MODULES)
        au_out_printf(out, "%-10s and %zu more\n", "", f->module.n - AU_LIMIT_SHOWN_MODULES);
    for (size_t i = 0; i < f->note.n && i < AU_LIMIT_SHOWN_NOTES; i++) {
        line(out, "note");
        put_text(out, f->note.at[i]);
        au_out_char(out, '\n');
    }
    if (f->notes > AU_LIMIT_SHOWN_NOTES)
        au_out_printf(out, "%-10s and %" PRIu64 " more\n", "", f->notes - AU_LIMIT_SHOWN_NOTES);
}

void au_show_recording_json(const au_reader *r, au_json *j) {
    static const char *const keys[] = {"exe", "cwd", "schedule", "seed", "randomized", "kernel"};
    const au_recording_facts *f = au_reader_facts(r);
    if (!f)
        return;
    au_json_key(j, "recording");
    au_json_object(j);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (au_reader_meta(r, keys[i]))
            au_json_put_string(j, keys[i], au_reader_meta(r, keys[i]));
    au_json_put_string(j, "end", end_text(f));
    if (f->ended)
        au_json_put_i64(j, "status", f->status);
    au_json_put_u64(j, "hooks", f->hooks);
    au_json_put_u64(j, "records", f->records);
    au_json_put_u64(j, "bytes", f->bytes);
    au_json_put_u64(j, "turns", f->turns);
    au_json_put_u64(j, "inputs", f->inputs);
    au_json_put_u64(j, "input_bytes", f->input_bytes);
    au_json_key(j, "modules");
    au_json_array(j);
    for (size_t i = 0; i < f->module.n; i++) {
        const struct au_facts_module *m = &f->module.at[i];
        au_json_object_inline(j);
        au_json_put_string(j, "path", m->path);
        au_json_put_string(j, "source", m->source);
        au_json_put_u64(j, "sites", m->sites);
        au_json_put_u64(j, "globals", m->globals);
        au_json_put_bool(j, "tables", m->tables);
        au_json_end_object(j);
    }
    au_json_end_array(j);
    au_json_key(j, "threads");
    au_json_array(j);
    for (size_t i = 0; i < f->thread.n; i++) {
        au_json_object_inline(j);
        au_json_put_string(j, "name", f->thread.at[i].name);
        au_json_put_u64(j, "hooks", f->thread.at[i].hooks);
        au_json_end_object(j);
    }
    au_json_end_array(j);
    au_json_key(j, "notes");
    au_json_array(j);
    for (size_t i = 0; i < f->note.n; i++)
        au_json_string(j, f->note.at[i]);
    au_json_end_array(j);
    au_json_end_object(j);
}
