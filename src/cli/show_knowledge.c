/* cli/show_knowledge.c: what augur makes of a recording: its model as .ctp text or as a transaction sequence
 * graph, a slice of it, and where values were pinned. */
#include "base/json.h"
#include "base/printable.h"
#include "cli/show.h"
#include "engine/check_options.h"
#include "engine/inputs.h"
#include "model/ctp.h"
#include "model/from_trace.h"
#include "report/common.h"
#include "trace/place.h"
#include "trace/recording.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

bool au_show_wants_knowledge(const au_opts *o) {
    return au_opt_flag(o, "as-ctp") || au_opt_flag(o, "pinned") || au_opt_given(o, "slice") ||
           au_opt_flag(o, "tsg");
}

static au_status usage(const au_opts *o, au_error *err) {
    static const char *const not_with[] = {"summary", "thread", "range", "var",
                                           "lock",    "op",     "lint"};
    const char *slice = au_opt_str(o, "slice");
    if (au_show_tsg_usage(o, err) != AU_OK)
        return err->status;
    for (size_t i = 0; i < sizeof not_with / sizeof *not_with; i++)
        if (au_opt_given(o, not_with[i]))
            return au_error_set(
                err, AU_EUSAGE,
                "'--%s' selects events: it conflicts with '--as-ctp', '--slice', '--pinned' and "
                "'--tsg'",
                not_with[i]);
    if (au_opt_flag(o, "pinned") && (au_opt_flag(o, "as-ctp") || slice || au_opt_flag(o, "tsg")))
        return au_error_set(err, AU_EUSAGE, "'--pinned' conflicts with '--as-ctp' and '--tsg'");
    if (au_opt_flag(o, "tsg") && au_opt_flag(o, "as-ctp"))
        return au_error_set(err, AU_EUSAGE, "'--tsg' conflicts with '--as-ctp'");
    if (!au_opt_flag(o, "pinned") && !au_opt_flag(o, "tsg") &&
        !strcmp(au_opt_str(o, "format"), "json"))
        return au_error_set(err, AU_EUSAGE, "a model is printed as text");
    if (slice && !au_is_place(slice))
        return au_error_set(err, AU_EUSAGE, "'--slice %s' is not FILE:LINE", slice);
    return AU_OK;
}

/* --- --slice -------------------------------------------------------------------------------- */

static bool event_is_at(const au_trace *t, size_t e, const char *place) {
    char loc[4096];
    size_t file;
    uint64_t line;
    return *au_report_loc(&t->names, t->events.loc[e], loc, sizeof loc) &&
           au_report_split_loc(loc, &file, &line) && au_at_place(loc, file, line, place);
}

static au_model *slice(const au_knowledge *k, const au_trace *t, const char *place, au_error *err) {
    au_bitset facts, events;
    size_t found = 0;
    au_bitset_init(&facts, k->s.fact.n + 1);
    au_bitset_init(&events, t->events.n + 1);
    for (size_t e = 0; e < t->events.n; e++)
        if (event_is_at(t, e, place)) {
            au_bitset_add(&events, e);
            found++;
        }
    for (size_t i = 0; i < k->s.fact.n; i++) {
        const au_fact *f = &k->s.fact.at[i];
        const char *file = au_intern_str(&k->s.strings, f->file);
        if (au_at_place(file, strlen(file), f->line, place)) {
            au_bitset_add(&facts, i);
            found++;
        }
    }
    au_model *m = NULL;
    if (found)
        m = au_model_slice(&k->s, &facts, &events, NULL, err);
    else
        au_error_set(err, AU_EUSAGE, "no event or branch at '%s' depends on other threads", place);
    au_bitset_release(&facts);
    au_bitset_release(&events);
    return m;
}

/* --- --pinned ------------------------------------------------------------------------------- */

static int by_times(const void *a, const void *b) {
    const au_pinned *x = a, *y = b;
    if (x->times != y->times)
        return x->times < y->times ? 1 : -1;
    return x->file != y->file   ? (x->file < y->file ? -1 : 1)
           : x->line != y->line ? (x->line < y->line ? -1 : 1)
                                : (x->why > y->why) - (x->why < y->why);
}

static void put_pinned(const au_knowledge *k, bool json, au_out *out) {
    const au_symbolic *s = &k->s;
    size_t n = k->there ? s->pinned.n : 0;
    uint64_t times = 0;
    au_json j;
    if (n)
        qsort(s->pinned.at, n, sizeof *s->pinned.at, by_times);
    for (size_t i = 0; i < n; i++)
        times += s->pinned.at[i].times;
    if (json) {
        au_json_init(&j, out, true);
        au_json_object(&j);
        au_json_put_u64(&j, "symbolic_reads", k->facts.symbolic_reads);
        au_json_put_u64(&j, "facts", k->facts.facts);
        au_json_put_u64(&j, "times", times);
        au_json_key(&j, "pinned");
        au_json_array(&j);
    } else {
        au_out_printf(out,
                      "%" PRIu64 " reads may see other values; values were pinned %" PRIu64
                      " times at %zu places\n",
                      k->facts.symbolic_reads, times, n);
    }
    for (size_t i = 0; i < n; i++) {
        const au_pinned *p = &s->pinned.at[i];
        const char *file = au_intern_str(&s->strings, p->file),
                   *why = au_intern_str(&s->strings, p->why);
        if (json) {
            au_json_object_inline(&j);
            au_json_put_string(&j, "file", file);
            au_json_put_u64(&j, "line", p->line);
            au_json_put_u64(&j, "times", p->times);
            au_json_put_string(&j, "why", why);
            au_json_end_object(&j);
        } else {
            char safe[1024];
            au_printable(safe, sizeof safe, file, strlen(file), NULL);
            au_out_printf(out, "%10" PRIu64 "  %s:%" PRIu32 "  %s\n", p->times, safe, p->line, why);
        }
    }
    if (json) {
        au_json_end_array(&j);
        au_json_end_object(&j);
        au_out_char(out, '\n');
    }
}

/* --- the command ------------------------------------------------------------------------------ */

static au_status show(const au_opts *o, au_knowledge *k, const au_trace *t, au_out *out,
                      au_error *err) {
    const char *place = au_opt_str(o, "slice");
    if (k->note)
        au_cli_note(o, "%s", k->note);
    if (k->bug)
        au_cli_note(o, "a bug of augur: retracing the run did not give what was recorded: %s",
                    k->bug);
    if (au_opt_flag(o, "pinned")) {
        put_pinned(k, !strcmp(au_opt_str(o, "format"), "json"), out);
        return AU_OK;
    }
    if (place && !k->there)
        return au_error_set(err, AU_EUNSUPPORTED, "a slice needs the program's code");
    au_model *m = place      ? slice(k, t, place, err)
                  : k->there ? au_knowledge_model(k, NULL, err)
                             : NULL;
    if (!m && !place && !k->bug) {
        au_cli_note(o, "reads keep their recorded values");
        m = au_model_from_trace_open(t, NULL, err);
    }
    au_status st = !m                      ? err->status
                   : au_opt_flag(o, "tsg") ? au_show_tsg(o, m, out, err)
                                           : au_ctp_print(m, out, err);
    au_model_free(m);
    return st;
}

/* A trace that is no recording has values at best: its graph is that of what they allow. */
static int show_trace_graph(const au_opts *o, const au_trace *t) {
    au_error err = AU_ERROR_NONE;
    au_model *m = au_model_from_trace_open(t, NULL, &err);
    if (!m)
        return au_cli_fail(&err);
    au_cli_note(o, "reads keep their recorded values");
    au_out *out = au_out_fd(STDOUT_FILENO, "<stdout>");
    au_status st = au_show_tsg(o, m, out, &err);
    au_model_free(m);
    if (st != AU_OK)
        au_out_abandon(out);
    else
        st = au_out_commit(out, &err);
    return st == AU_OK ? AU_EXIT_NOTHING : au_cli_fail(&err);
}

int au_show_knowledge(const au_opts *o) {
    au_error err = AU_ERROR_NONE;
    au_read_options how;
    if (usage(o, &err) != AU_OK || au_input_options(o, &how, &err) != AU_OK)
        return au_cli_fail(&err);
    how.fold = true;
    au_reader *r = au_reader_open(au_operand(o, 0), &how, &err);
    au_trace *t = r ? au_trace_load_from(r, &err) : NULL;
    if (t && !au_reader_facts(r) && au_opt_flag(o, "tsg") && !au_opt_given(o, "slice")) {
        int end = show_trace_graph(o, t);
        au_trace_free(t);
        au_reader_free(r);
        return end;
    }
    if (t && !au_reader_facts(r)) {
        au_error_set(&err, AU_EUSAGE, "'%s' is not a recording of a program", au_operand(o, 0));
        au_trace_free(t);
        t = NULL;
    }
    if (!t) {
        au_reader_free(r);
        return au_cli_fail(&err);
    }
    au_knowledge_source source;
    au_knowledge k;
    au_knowledge_options(&source, o, r, &how);
    au_knowledge_make(&k, &source, t);
    au_out *out = au_out_fd(STDOUT_FILENO, "<stdout>");
    au_status st = show(o, &k, t, out, &err);
    if (st != AU_OK)
        au_out_abandon(out);
    else
        st = au_out_commit(out, &err);
    au_knowledge_release(&k);
    au_trace_free(t);
    au_reader_free(r);
    return st == AU_OK ? AU_EXIT_NOTHING : au_cli_fail(&err);
}
