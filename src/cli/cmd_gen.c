/* cli/cmd_gen.c: augur gen. */
#include "base/progress.h"
#include "cli/cli.h"
#include "trace/gen.h"
#include "trace/writer.h"

#include <string.h>

static uint32_t number(const au_opts *o, const char *name) {
    return au_opt_given(o, name) ? (uint32_t)au_opt_int(o, name) : AU_GEN_DEFAULT;
}

/* Only what was given: a shape refuses what it fixes itself. */
static au_gen_options options(const au_opts *o) {
    au_gen_options g;
    au_gen_options_init(&g);
    g.shape = au_opt_str(o, "shape");
    if (au_opt_given(o, "events"))
        g.events = (uint64_t)au_opt_int(o, "events");
    g.threads = number(o, "threads");
    g.locks = number(o, "locks");
    g.vars = number(o, "vars");
    g.depth = number(o, "nesting");
    if (au_opt_given(o, "shared-fraction"))
        g.shared = au_opt_number(o, "shared-fraction");
    g.atomic = au_opt_flag(o, "with-blocks");
    g.values = au_opt_flag(o, "with-values");
    g.seed = (uint64_t)au_opt_int(o, "seed");
    return g;
}

static au_status output_format(const au_opts *o, au_format *format, au_error *err) {
    const char *to = au_opt_str(o, "to"), *path = au_opt_str(o, "output");
    if (to)
        *format = au_format_by_name(to);
    else if (!strcmp(path, "-"))
        *format = AU_FORMAT_STD;
    else
        *format = au_format_by_path(path);
    AU_BUG_IF(to && *format == AU_FORMAT_AUTO);
    if (*format == AU_FORMAT_AUTO)
        return au_error_set(err, AU_EUSAGE,
                            "no known format has the suffix of '%s': give '--to FORMAT'", path);
    return AU_OK;
}

static au_status write_events(au_gen *g, au_writer *w, au_error *err) {
    for (;;) {
        au_block b;
        au_gen_next(g, &b);
        if (!b.n)
            return AU_OK;
        au_status st = au_writer_put(w, &b, err);
        if (st != AU_OK)
            return st;
        au_progress("events", b.first + b.n, au_gen_events(g));
    }
}

static au_status generate(const au_opts *o, au_error *err) {
    au_write_options how = {.pack = au_opt_flag(o, "pack"), .title = "augur gen"};
    au_status st = output_format(o, &how.format, err);
    if (st != AU_OK)
        return st;
    au_gen_options options_ = options(o);
    au_gen *g = au_gen_new(&options_, err);
    if (!g)
        return err->status;
    au_writer *w = au_writer_open(au_opt_str(o, "output"), &how, au_gen_names(g), err);
    if (!w) {
        st = err->status;
    } else {
        st = write_events(g, w, err);
        if (st == AU_OK)
            st = au_writer_close(w, err);
        else
            au_writer_abandon(w);
    }
    au_gen_free(g);
    return st;
}

int au_cmd_gen(const au_opts *o) {
    au_error err = AU_ERROR_NONE;
    return generate(o, &err) == AU_OK ? AU_EXIT_NOTHING : au_cli_fail(&err);
}
