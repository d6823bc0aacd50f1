/* cli/cmd_show.c: augur show. */
#include "base/json.h"
#include "base/printable.h"
#include "base/progress.h"
#include "cli/show.h"
#include "engine/inputs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool wants_json(const au_opts *o) {
    return !strcmp(au_opt_str(o, "format"), "json");
}

static au_status stream(au_reader *r, au_viewer *v, const char *path, au_error *err) {
    au_block b;
    for (;;) {
        au_status st = au_reader_next(r, &b, err);
        if (st != AU_OK)
            return st;
        if (!b.n)
            break;
        const au_names *names = au_reader_names(r);
        au_filter_grow(v->filter, names);
        v->block(v, &b, names);
        if (au_out_failed(v->out))
            return AU_OK; /* the commit will tell */
        if (b.first + b.n > v->filter->last) {
            v->end(v, r); /* nothing further is wanted, and the rest may be long */
            return AU_OK;
        }
        au_progress("events read", b.first + b.n, 0);
    }
    au_progress_end();
    au_status st = au_filter_check(v->filter, au_reader_names(r), path, err);
    if (st == AU_OK)
        v->end(v, r);
    return st;
}

static int show_trace(const au_opts *o) {
    const char *path = au_operand(o, 0);
    au_error err = AU_ERROR_NONE;
    au_read_options opts;
    au_filter filter;
    au_reader *r = NULL;
    au_status st = au_filter_init(&filter, o, &err);
    if (st == AU_OK)
        st = au_input_options(o, &opts, &err);
    if (st == AU_OK && !(r = au_reader_open(path, &opts, &err)))
        st = err.status;
    if (st == AU_OK) {
        au_viewer *v = au_opt_flag(o, "summary") ? au_view_summary(o)
                       : wants_json(o)           ? au_view_events_json()
                                                 : au_view_events_text(o);
        v->hooks = au_reader_hooks(r);
        v->filter = &filter;
        v->out = au_out_fd(STDOUT_FILENO, "<stdout>");
        st = stream(r, v, path, &err);
        /* A bad trace gives a message and, unless it is long, nothing else. */
        if (st == AU_OK)
            st = au_out_commit(v->out, &err);
        else
            au_out_abandon(v->out);
        v->free(v);
        if (st == AU_OK && au_reader_incomplete(r))
            au_cli_note(o, "'%s' is incomplete: the recording was cut off", path);
        if (st == AU_OK)
            au_cli_repairs(o, au_reader_repairs(r), path);
    }
    au_reader_free(r);
    au_filter_release(&filter);
    return st == AU_OK ? AU_EXIT_NOTHING : au_cli_fail(&err);
}

/* ---- --lint ---- */

typedef struct {
    uint64_t where;
    char *text;
} problem;

typedef struct {
    AU_VEC(problem) found; /* of the block being read */
    uint64_t total;
    au_out *out;
    const char *file;
    bool text_format, json;
} lint;

static bool on_problem(void *ctx, uint64_t where, const char *text) {
    lint *l = ctx;
    au_vec_push(&l->found, ((problem){where, au_strdup(text)}));
    l->total++;
    return true;
}

static int by_place(const void *a, const void *b) {
    const problem *x = a, *y = b;
    return x->where < y->where ? -1 : x->where > y->where;
}

static void print_problem(lint *l, uint64_t where, const char *raw) {
    char text[4096];
    au_printable(text, sizeof text, raw, strlen(raw), NULL);
    if (l->json) {
        au_json j;
        au_json_init(&j, l->out, false);
        au_json_object(&j);
        au_json_put_string(&j, "file", l->file);
        if (where)
            au_json_put_u64(&j, l->text_format ? "line" : "event", where);
        au_json_put_string(&j, "text", text);
        au_json_end_object(&j);
        au_out_char(l->out, '\n');
    } else if (where) {
        au_out_printf(l->out,
                      l->text_format ? "%s:%" PRIu64 ": %s\n" : "%s: event %" PRIu64 ": %s\n",
                      l->file, where, text);
    } else {
        au_out_printf(l->out, "%s\n", text);
    }
}

/* A block's malformed lines are known before its impossible events: put them
 * back into the order of the file. */
static void print_problems(lint *l) {
    if (l->found.n)
        qsort(l->found.at, l->found.n, sizeof *l->found.at, by_place);
    for (size_t i = 0; i < l->found.n; i++) {
        print_problem(l, l->found.at[i].where, l->found.at[i].text);
        free(l->found.at[i].text);
    }
    au_vec_clear(&l->found);
}

static au_status lint_usage(const au_opts *o, au_error *err) {
    static const char *const not_with[] = {"summary", "thread", "range",  "var",
                                           "lock",    "op",     "lenient"};
    for (size_t i = 0; i < sizeof not_with / sizeof *not_with; i++)
        if (au_opt_given(o, not_with[i]))
            return au_error_set(err, AU_EUSAGE,
                                "'--lint' checks the whole input: it conflicts with '--%s'",
                                not_with[i]);
    return AU_OK;
}

static int show_lint(const au_opts *o) {
    const char *path = au_operand(o, 0);
    au_error err = AU_ERROR_NONE;
    au_read_options opts;
    if (lint_usage(o, &err) != AU_OK || au_input_options(o, &opts, &err) != AU_OK)
        return au_cli_fail(&err);
    lint l = {.file = strcmp(path, "-") ? path : "<stdin>", .json = wants_json(o)};
    opts.lint = on_problem;
    opts.lint_ctx = &l;
    au_reader *r = au_reader_open(path, &opts, &err);
    if (!r && err.status != AU_EFORMAT)
        return au_cli_fail(&err);
    l.out = au_out_fd(STDOUT_FILENO, "<stdout>");
    uint64_t events = 0;
    if (r) {
        au_format f = au_reader_format(r);
        l.text_format = f == AU_FORMAT_STD || f == AU_FORMAT_VALUES;
        au_block b;
        do {
            if (au_reader_next(r, &b, &err) != AU_OK)
                break;
            events += b.n;
            print_problems(&l);
            au_progress("events read", events, 0);
        } while (b.n);
        au_progress_end();
        print_problems(&l);
    }
    au_reader_free(r);
    au_vec_release(&l.found);
    if (err.status == AU_EFORMAT) { /* a problem like the others, only the last one */
        print_problem(&l, 0, err.text);
        l.total++;
        err = (au_error)AU_ERROR_NONE;
    }
    if (!l.total && !l.json && !err.status)
        au_out_printf(l.out, "no problems in %" PRIu64 " events\n", events);
    au_error out_err = AU_ERROR_NONE;
    if (au_out_commit(l.out, &out_err) != AU_OK && !err.status)
        err = out_err;
    if (err.status)
        return au_cli_fail(&err);
    if (l.total)
        au_cli_note(o, "%" PRIu64 " problem%s, %" PRIu64 " good events", l.total,
                    l.total == 1 ? "" : "s", events);
    return l.total ? AU_EXIT_USAGE : AU_EXIT_NOTHING;
}

int au_cmd_show(const au_opts *o) {
    if (au_input_is_model(o, au_operand(o, 0)))
        return au_show_model(o);
    if (au_opt_given(o, "unroll")) {
        au_error err = AU_ERROR_NONE;
        au_error_set(&err, AU_EUSAGE, "'--unroll' is for models, and '%s' is a trace",
                     au_operand(o, 0));
        return au_cli_fail(&err);
    }
    if (au_show_wants_knowledge(o))
        return au_show_knowledge(o);
    au_error err = AU_ERROR_NONE;
    if (au_show_tsg_usage(o, &err) != AU_OK)
        return au_cli_fail(&err);
    return au_opt_flag(o, "lint") ? show_lint(o) : show_trace(o);
}
