/* cli/cmd_convert.c: augur convert.
 *
 * Trace to trace is streamed; a model is made from the whole trace. The output
 * is opened after the input, so that a missing input costs nothing, and gets its
 * name at the very end (base/out.h). */
#include "base/progress.h"
#include "cli/cli.h"
#include "engine/inputs.h"
#include "model/ctp.h"
#include "model/from_trace.h"
#include "trace/recording.h"
#include "trace/trace.h"
#include "trace/writer.h"

#include <string.h>

typedef struct {
    const char *from, *to;
    bool from_model, to_model;
    au_format format; /* of a trace that is written */
} plan;

static au_status make_plan(const au_opts *o, plan *p, au_error *err) {
    *p = (plan){.from = au_operand(o, 0), .to = au_opt_str(o, "output")};
    const char *to = au_opt_str(o, "to");
    if (!p->to)
        return au_error_set(err, AU_EUSAGE, "no output: give '-o FILE'");
    if (!to && !strcmp(p->to, "-"))
        return au_error_set(err, AU_EUSAGE, "no format for standard output: give '--to FORMAT'");
    p->from_model = au_input_is_model(o, p->from);
    p->to_model = to ? !strcmp(to, "ctp") : au_input_names_model(p->to);
    if (!p->to_model) {
        p->format = to ? au_format_by_name(to) : au_format_by_path(p->to);
        AU_BUG_IF(to && p->format == AU_FORMAT_AUTO);
        if (p->format == AU_FORMAT_AUTO)
            return au_error_set(err, AU_EUSAGE,
                                "no known format has the suffix of '%s': give '--to FORMAT'",
                                p->to);
    }
    if (p->from_model && !p->to_model)
        return au_error_set(err, AU_EUSAGE, "'%s' is a model and can be written as .ctp only",
                            p->from);
    static const char *const for_traces[] = {"partial", "lenient"};
    for (size_t i = 0; i < sizeof for_traces / sizeof *for_traces; i++)
        if (p->from_model && au_opt_given(o, for_traces[i]))
            return au_error_set(err, AU_EUSAGE, "'--%s' is for traces, and '%s' is a model",
                                for_traces[i], p->from);
    if (!p->from_model && au_opt_given(o, "unroll"))
        return au_error_set(err, AU_EUSAGE, "'--unroll' is for models, and '%s' is a trace",
                            p->from);
    return AU_OK;
}

static au_status copy_events(au_reader *r, au_writer *w, au_error *err) {
    au_block b;
    for (;;) {
        au_status st = au_reader_next(r, &b, err);
        if (st != AU_OK || !b.n)
            return st;
        st = au_writer_put(w, &b, err);
        if (st != AU_OK)
            return st;
        au_progress("events", b.first + b.n, 0);
    }
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static au_status trace_to_trace(const au_opts *o, const plan *p, au_error *err) {
    au_read_options opts;
    au_status st = au_input_options(o, &opts, err);
    if (st != AU_OK)
        return st;
    au_reader *r = au_reader_open(p->from, &opts, err);
    if (!r)
        return err->status;
    au_write_options how = {.format = p->format,
                            .pack = au_opt_flag(o, "pack"),
                            .title = base_name(p->from),
                            .hooks = au_reader_hooks(r)};
    au_writer *w = au_writer_open(p->to, &how, au_reader_names(r), err);
    if (!w) {
        st = err->status;
    } else {
        st = copy_events(r, w, err);
        if (st == AU_OK)
            st = au_writer_close(w, err);
        else
            au_writer_abandon(w);
    }
    if (st == AU_OK && au_reader_incomplete(r))
        au_cli_note(o, "'%s' is incomplete: the recording was cut off", p->from);
    if (st == AU_OK)
        au_cli_repairs(o, au_reader_repairs(r), p->from);
    au_reader_free(r);
    return st;
}

static au_model *load_model(const au_opts *o, const plan *p, au_error *err) {
    if (p->from_model) {
        /* As it is written unless asked otherwise. */
        au_ctp_options opts = {.unroll = AU_NONE};
        if (au_opt_given(o, "unroll"))
            opts.unroll = (uint32_t)au_opt_int(o, "unroll");
        return au_ctp_load(p->from, &opts, err);
    }
    au_read_options opts;
    if (au_input_options(o, &opts, err) != AU_OK)
        return NULL;
    au_trace *t = au_trace_load(p->from, &opts, err);
    if (!t)
        return NULL;
    au_model *m = au_model_from_trace(t, NULL, err);
    if (!m)
        au_error_note(err, "cannot make a model of '%s'", p->from);
    else
        au_cli_repairs(o, t->repairs, p->from);
    au_trace_free(t);
    return m;
}

static au_status to_model(const au_opts *o, const plan *p, au_error *err) {
    au_model *m = load_model(o, p, err);
    if (!m)
        return err->status;
    au_out *out = au_out_open(p->to, err);
    au_status st = out ? au_ctp_print(m, out, err) : err->status;
    if (out && st == AU_OK)
        st = au_out_commit(out, err);
    else
        au_out_abandon(out);
    au_model_free(m);
    return st;
}

int au_cmd_convert(const au_opts *o) {
    au_error err = AU_ERROR_NONE;
    plan p;
    au_status st = make_plan(o, &p, &err);
    if (st == AU_OK)
        st = p.to_model ? to_model(o, &p, &err) : trace_to_trace(o, &p, &err);
    return st == AU_OK ? AU_EXIT_NOTHING : au_cli_fail(&err);
}
