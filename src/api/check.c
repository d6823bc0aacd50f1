/* api/check.c: checks: inputs and options, and the child that does the work.
 *
 * The child is a worker (base/worker.h) that runs what the command runs (engine/check.h) and writes
 * one byte, then the dossier as JSON, or the error. */
#include "engine/check.h"
#include "api/api_priv.h"
#include "base/vec.h"
#include "base/worker.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    char *name, *arg; /* "timeout", "--timeout=10" */
} setting;

struct au_api_check {
    AU_VEC(char *) input;
    AU_VEC(setting) set;
    double limit;
    au_api_status status;
    char error[sizeof((au_error *)0)->text];
};

const char *au_api_version(void) {
    return AU_VERSION;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void au_api_lock(void) {
    pthread_mutex_lock(&lock);
}

void au_api_unlock(void) {
    pthread_mutex_unlock(&lock);
}

au_api_status au_api_status_of(au_status st) {
    switch (st) {
    case AU_OK:
        return AU_API_OK;
    case AU_EIO:
        return AU_API_EIO;
    case AU_EFORMAT:
        return AU_API_EFORMAT;
    case AU_EUSAGE:
        return AU_API_EUSAGE;
    case AU_EUNSUPPORTED:
        return AU_API_EUNSUPPORTED;
    case AU_EINTERNAL:
        break;
    }
    return AU_API_EINTERNAL;
}

/* Keeps what the call came to. */
static au_api_status ends(au_api_check *c, au_api_status status, const char *text) {
    size_t n = strlen(text);
    n = n < sizeof c->error ? n : sizeof c->error - 1;
    memmove(c->error, text, n);
    c->error[n] = 0;
    c->status = status;
    return status;
}

static au_api_status fails(au_api_check *c, const au_error *err) {
    return ends(c, au_api_status_of(err->status), err->text);
}

au_api_check *au_api_check_new(void) {
    return AU_NEW(au_api_check);
}

static void unset(au_api_check *c, const char *name) {
    for (size_t i = 0; i < c->set.n; i++)
        if (!strcmp(c->set.at[i].name, name)) {
            free(c->set.at[i].name);
            free(c->set.at[i].arg);
            c->set.at[i] = au_vec_pop(&c->set);
            return;
        }
}

void au_api_check_free(au_api_check *c) {
    if (!c)
        return;
    while (c->set.n)
        unset(c, c->set.at[0].name);
    for (size_t i = 0; i < c->input.n; i++)
        free(c->input.at[i]);
    au_vec_release(&c->set);
    au_vec_release(&c->input);
    free(c);
}

au_api_status au_api_check_status(const au_api_check *c) {
    return c->status;
}

const char *au_api_check_error(const au_api_check *c) {
    return c->error;
}

/* ---- inputs and options ------------------------------------------------------------------ */

au_api_status au_api_check_add(au_api_check *c, const char *path) {
    au_error err = AU_ERROR_NONE;
    struct stat st;
    if (!path || !strcmp(path, "-"))
        return ends(c, AU_API_EUSAGE, "an input must be a file, not standard input");
    if (access(path, R_OK) || stat(path, &st)) {
        au_error_errno(&err, "cannot open '%s'", path);
        return fails(c, &err);
    }
    if (S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        au_error_errno(&err, "cannot open '%s'", path);
        return fails(c, &err);
    }
    au_vec_push(&c->input, au_strdup(path));
    return ends(c, AU_API_OK, "");
}

static const au_command *check_command(void) {
    const au_command *c = au_command_by_name("check");
    AU_BUG_IF(!c);
    return c;
}

/* The row of an option; NULL if there is none, or none for programs. */
static const au_option *find(const char *name) {
    /* Printing, and shards: those are made and merged by commands. */
    static const char *const not_here[] = {"output",   "format",     "most",         "stats",
                                           "shard",    "on",         "nodes",        "retries",
                                           "work-dir", "node-augur", "slurm-options"};
    for (size_t i = 0; i < sizeof not_here / sizeof *not_here; i++)
        if (!strcmp(name, not_here[i]))
            return NULL;
    const au_command *c = check_command();
    for (size_t i = 0; i < au_command_n_options(c); i++) {
        const au_option *p = au_command_option(c, i);
        if (au_option_is_called(p, name) && !p->hidden)
            return p;
    }
    return NULL;
}

/* As it would be typed, to be freed; NULL: not at all, the flag is off. */
static char *argument(const au_option *p, const char *value, bool *bad) {
    bool yes = !strcmp(value, "yes"), no = !strcmp(value, "no");
    *bad = false;
    if (p->type != AU_OPT_FLAG && p->type != AU_OPT_SWITCH)
        return au_sprintf("--%s=%s", p->name, value);
    *bad = !yes && !no;
    if (no)
        return p->type == AU_OPT_SWITCH ? au_sprintf("--no-%s", p->name) : NULL;
    return au_sprintf("--%s", p->name);
}

au_api_status au_api_check_set(au_api_check *c, const char *option, const char *value) {
    au_error err = AU_ERROR_NONE;
    const au_option *p = option ? find(option) : NULL;
    if (!p) {
        au_error_set(&err, AU_EUSAGE, "'%s' is not an option of checks", option ? option : "");
        return fails(c, &err);
    }
    if (!value) {
        unset(c, p->name);
        return ends(c, AU_API_OK, "");
    }
    bool bad;
    char *arg = argument(p, value, &bad), operand[] = "-";
    char *argv[] = {operand, arg, NULL};
    au_opts *o = bad ? NULL : au_opts_parse(check_command(), arg ? 2 : 1, argv, &err);
    if (bad)
        au_error_set(&err, AU_EUSAGE, "'%s' is 'yes' or 'no', not '%s'", p->name, value);
    if (!o) {
        free(arg);
        return fails(c, &err);
    }
    au_opts_free(o);
    unset(c, p->name);
    if (arg)
        au_vec_push(&c->set, ((setting){au_strdup(p->name), arg}));
    return ends(c, AU_API_OK, "");
}

au_api_status au_api_check_limit(au_api_check *c, double seconds) {
    if (!(seconds >= 0 && seconds <= 1e9))
        return ends(c, AU_API_EUSAGE, "a limit is a number of seconds, 0 or more");
    c->limit = seconds;
    return ends(c, AU_API_OK, "");
}

/* ---- running ----------------------------------------------------------------------------- */

typedef struct {
    const au_opts *o;
    /* in the caller */
    au_api_result *result;
    au_api_status status;
    au_error err;
} running;

static au_status examine(const au_opts *o, au_dossier *d, au_error *err) {
    au_engine_check u;
    au_status st = au_engine_check_open(&u, o, err);
    if (st != AU_OK)
        return st;
    st = au_engine_check_run(&u, err);
    if (st == AU_OK && au_engine_check_outcome(&u)->disagreed)
        st = au_error_set(err, AU_EINTERNAL, "the backends of the exact stage disagree");
    if (st == AU_OK)
        au_engine_check_dossier(&u, false, d);
    au_engine_check_release(&u);
    return st;
}

/* In the child. */
static void work(void *ctx, uint32_t index, au_out *out) {
    const running *r = ctx;
    au_error err = AU_ERROR_NONE;
    au_dossier d;
    (void)index;
    au_dossier_init(&d);
    au_status st = examine(r->o, &d, &err);
    au_out_char(out, (char)st);
    if (st == AU_OK)
        au_dossier_json(&d, out);
    else
        au_out_str(out, err.text);
    au_dossier_release(&d);
}

static bool take(void *ctx, const au_job_result *job) {
    running *r = ctx;
    if (job->end == AU_JOB_TIMEOUT) {
        r->status = AU_API_ETIMEOUT;
        au_error_set(&r->err, AU_EINTERNAL, "the check took longer than its limit");
    } else if (job->end != AU_JOB_DONE || !job->size) {
        r->status = AU_API_EINTERNAL;
        au_error_set(&r->err, AU_EINTERNAL, "the process of the check ended early: %s",
                     job->detail);
    } else if (job->data[0] != AU_OK) {
        r->status = au_api_status_of((au_status)job->data[0]);
        au_error_set(&r->err, (au_status)job->data[0], "%.*s", (int)(job->size - 1), job->data + 1);
    } else {
        au_api_lock();
        r->result = au_api_result_read(job->data + 1, job->size - 1, &r->err);
        au_api_unlock();
        r->status = r->result ? AU_API_OK : AU_API_EINTERNAL;
    }
    return true;
}

au_api_result *au_api_check_run(au_api_check *c) {
    if (!c->input.n) {
        ends(c, AU_API_EUSAGE, "a check needs an input");
        return NULL;
    }
    size_t n = 0;
    char **argv = au_alloc_array(c->set.n + c->input.n + 2, sizeof *argv), dashes[] = "--";
    for (size_t i = 0; i < c->set.n; i++)
        argv[n++] = c->set.at[i].arg;
    argv[n++] = dashes;
    for (size_t i = 0; i < c->input.n; i++)
        argv[n++] = c->input.at[i];
    running r = {.status = AU_API_EINTERNAL, .err = AU_ERROR_NONE};
    au_error none = AU_ERROR_NONE; /* no child at all: 'take' hears of it, too */
    au_pool_limits limits = {.jobs = 1, .seconds = c->limit, .foreign = true};
    au_opts *o = au_opts_parse(check_command(), (int)n, argv, &r.err);
    r.o = o;
    if (o)
        au_pool_run(1, &limits, work, take, &r, &none);
    else
        r.status = AU_API_EUSAGE;
    au_opts_free(o);
    free(argv);
    ends(c, r.status, r.status == AU_API_OK ? "" : r.err.text);
    return r.result;
}
