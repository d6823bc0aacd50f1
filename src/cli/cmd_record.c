/* cli/cmd_record.c: augur record. */
#include "base/vec.h"
#include "cli/run.h"
#include "engine/ended.h"
#include "engine/program_options.h"
#include "engine/recorder.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* -o -: somebody reads the recording while the program runs. */
static bool into_pipe(const au_opts *o) {
    const char *output = au_opt_str(o, "output");
    return output && !strcmp(output, "-");
}

static au_status make_program(const au_opts *o, au_recorder *r, au_error *err) {
    au_program *p = &r->program;
    au_status st = au_program_options(o, p, err);
    if (st == AU_OK && into_pipe(o)) {
        p->terminal[1] = p->terminal[2]; /* see run_once */
        signal(SIGPIPE, SIG_IGN);        /* who reads may go away: the write says so */
        if (au_opt_int(o, "runs") > 1)
            st = au_error_set(err, AU_EUSAGE,
                              "--runs: several runs do not go into one stream; name a file");
    }
    p->plan.policy = (uint32_t)au_policy_by_name(au_opt_str(o, "policy"));
    /* Several runs under the same schedule would be the same trace several times. */
    if (!au_opt_given(o, "policy") && au_opt_int(o, "runs") > 1)
        p->plan.policy = AU_POLICY_RANDOM;
    au_recorder_plan(r, o);
    return st;
}

static char *make_output(const au_opts *o, const au_program *p) {
    const char *given = au_opt_str(o, "output");
    if (given)
        return au_strdup(given);
    return au_sprintf("%s.trace", au_program_name(p));
}

/* ---- the report ---- */

static void size_text(char *to, size_t cap, uint64_t bytes) {
    if (bytes < 10000)
        snprintf(to, cap, "%" PRIu64 " bytes", bytes);
    else if (bytes < (uint64_t)10 << 20)
        snprintf(to, cap, "%.1f KiB", (double)bytes / 1024);
    else
        snprintf(to, cap, "%.1f MiB", (double)bytes / (1 << 20));
}

static void tell_sum(const au_opts *o, const char *output, const au_run_result *r, double native,
                     const char *what) {
    const struct au_control *c = &r->launch.last;
    char size[40], slow[120] = "";
    size_text(size, sizeof size, r->file_bytes);
    output = strcmp(output, "-") ? output : "<stdout>";
    if (native > 0)
        snprintf(slow, sizeof slow, ", %.1f times the %.3f s of %s", r->launch.seconds / native,
                 native, what);
    au_cli_note(o, "%" PRIu32 " thread%s, %" PRIu64 " events in %.3f s%s", c->threads,
                c->threads == 1 ? "" : "s", c->events, r->launch.seconds, slow);
    char records[80] = "";
    if (c->logged && c->bytes)
        snprintf(records, sizeof records, " (%" PRIu64 " records of %.1f bytes before packing)",
                 c->logged, (double)c->bytes / (double)c->logged);
    if (c->events)
        au_cli_note(o, "'%s': %s, %.3f bytes a hook%s", output, size,
                    (double)r->stream_bytes / (double)c->events, records);
    else
        au_cli_note(o, "'%s': %s", output, size);
}

/* ---- the runs ---- */

struct session {
    const au_opts *o;
    au_recorder r;
};

static int run_once(struct session *s, const char *output, bool more, au_error *err) {
    const au_opts *o = s->o;
    const bool measure = au_opt_flag(o, "measure") || au_opt_given(o, "native");
    au_run_result r;
    /* Standard output is the recording's: what the program prints goes to standard error. */
    au_recorder_run how = {
        .output = output, .more = more || measure, .aside = into_pipe(o), .live = into_pipe(o)};
    if (au_recorder_record(&s->r, &how, &r, err) != AU_OK)
        return au_cli_fail(err);
    int status = AU_EXIT_NOTHING;
    au_run_tell(o, &s->r.program, &r, output);
    au_program_end end = au_program_ended(&r.launch);
    if (end == AU_PROGRAM_NO_HOOKS) {
        au_error_set(err, AU_EUNSUPPORTED,
                     "nothing of '%s' was recorded: the runtime in it did not start",
                     s->r.program.path);
        status = au_cli_fail(err);
        if (r.write_status == AU_OK && !into_pipe(o))
            unlink(output);
    } else {
        double native = 0;
        if (measure) {
            native = au_run_natively(&s->r.program, au_opt_str(o, "native"), &s->r.feed, err);
            if (native < 0)
                status = au_cli_fail(err);
        }
        tell_sum(o, output, &r, native,
                 au_opt_given(o, "native") ? au_opt_str(o, "native") : "a run without recording");
        if (end == AU_PROGRAM_FAILED)
            status = AU_EXIT_FOUND;
        if (r.launch.broken)
            status = AU_EXIT_INTERNAL;
        if (r.write_status != AU_OK || end == AU_PROGRAM_STOPPED)
            status = AU_EXIT_USAGE;
    }
    if (r.signal)
        status |= 0x100; /* no further runs */
    au_run_release(&r);
    return status;
}

static int run_all(struct session *s, const char *output, au_error *err) {
    int64_t runs = au_opt_int(s->o, "runs"), worst = AU_EXIT_NOTHING;
    for (int64_t i = 1; i <= runs; i++) {
        s->r.program.plan.seed = (uint64_t)au_opt_int(s->o, "seed") + (uint64_t)i - 1;
        char *name = runs > 1 ? au_sprintf("%s.%" PRId64, output, i) : au_strdup(output);
        int status = run_once(s, name, runs > 1, err);
        free(name);
        if ((status & 0xff) > worst)
            worst = status & 0xff;
        if (status & 0x100 || (status & 0xff) >= AU_EXIT_USAGE)
            break;
    }
    return (int)worst;
}

int au_cmd_record(const au_opts *o) {
    au_error err = AU_ERROR_NONE;
    struct session s = {.o = o};
    int status;
    if (au_opt_given(o, "suite"))
        return au_cli_record_suite(o, au_opt_str(o, "suite"));
    if (make_program(o, &s.r, &err) != AU_OK) {
        status = au_cli_fail(&err);
    } else {
        char *output = make_output(o, &s.r.program);
        status = run_all(&s, output, &err);
        free(output);
    }
    au_recorder_release(&s.r);
    return status;
}
