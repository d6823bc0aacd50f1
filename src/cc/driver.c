/* cc/driver.c: asks clang for its plan and carries it out. */
#include "cc/driver.h"

#include "base/parts.h"
#include "cc/driver_priv.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    const au_driver_options *o;
    au_exec exec;
    au_cc_plan plan;
    char *clang, *include;            /* include: where augur.h is, or NULL */
    char *module, *runtime, *exports; /* found when first needed */
    bool color, explain;              /* explain: -v was given */
    au_args failed;                   /* outputs of jobs that failed or were left out */
    int status;                       /* of the first job that failed */
    bool again_plainly;               /* let clang itself tell about its crash */
} driver;

char *au_driver_clang(au_error *err) {
    static const char fixed[] = "/usr/lib/llvm-19/bin/clang";
    const char *path = getenv("PATH");
    for (const char *s = path ? path : "/usr/bin:/bin"; s;) {
        size_t n = strcspn(s, ":");
        char *file = au_sprintf("%.*s%sclang-19", (int)n, s, n ? "/" : "");
        struct stat st;
        if (!access(file, X_OK) && !stat(file, &st) && S_ISREG(st.st_mode))
            return file;
        free(file);
        s = s[n] ? s + n + 1 : NULL;
    }
    if (!access(fixed, X_OK))
        return au_strdup(fixed);
    au_error_set(err, AU_EIO, "cannot find 'clang-19': install it (apt-get install clang-19)");
    return NULL;
}

/* ---- the command line for clang ---- */

static bool starts_with(const char *s, const char *start) {
    return !strncmp(s, start, strlen(start));
}

/* Options that clang refuses without link-time optimisation. */
static bool needs_lto(const char *s) {
    return starts_with(s, "-fwhole-program-vtables") || starts_with(s, "-fsplit-lto-unit") ||
           starts_with(s, "-fvirtual-function-elimination");
}

static void user_line(au_arg_list *l, const driver *d, bool no_lto) {
    if (d->o->cxx)
        au_line_add(l, "--driver-mode=g++");
    bool ended = false;
    for (size_t i = 0; i < d->o->n; i++) {
        const char *s = d->o->arg[i];
        if (no_lto && !ended && !strcmp(s, "--")) {
            au_line_add(l, "-fno-lto");
            ended = true;
        }
        if (!no_lto || ended || !needs_lto(s))
            au_line_add(l, s);
    }
    if (no_lto && !ended)
        au_line_add(l, "-fno-lto");
}

static au_status ask_for_plan(driver *d, bool no_lto, au_error *err) {
    au_arg_list l = {.arena = &d->exec.arena};
    au_line_add(&l, d->clang);
    au_line_add(&l, "-###");
    /* clang looks whether its standard error is a terminal; ours may be one. */
    struct winsize size;
    if (d->color)
        au_line_add(&l, "-fcolor-diagnostics");
    if (isatty(STDERR_FILENO) && !ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col) {
        char *width = au_sprintf("-fmessage-length=%u", size.ws_col);
        au_line_add(&l, au_arena_strndup(l.arena, width, strlen(width)));
        free(width);
    }
    user_line(&l, d, no_lto);
    au_exec_how how = {.capture = true, .quiet_input = true, .in_tmp = true, .quiet_output = true};
    au_exec_result r;
    au_status st = au_exec_run(&d->exec, &l.arg, how, &r, err);
    au_vec_release(&l.arg);
    if (st != AU_OK)
        return st;
    if (r.status < 0 && !au_exec_stopped()) {
        free(r.text);
        return au_error_set(err, AU_EINTERNAL, "'%s' was killed by signal %d (%s)", d->clang,
                            -r.status, strsignal(-r.status));
    }
    au_plan_parse(&d->plan, r.text, r.n);
    d->plan.status = r.status;
    free(r.text);
    return AU_OK;
}

static bool plans_lto(const au_cc_plan *p) {
    for (size_t i = 0; i < p->job.n; i++) {
        const au_job *j = &p->job.at[i];
        for (size_t k = 1; k < j->arg.n; k++)
            if (starts_with(j->arg.at[k], "-flto") || starts_with(j->arg.at[k], "-plugin-opt="))
                return true;
    }
    return false;
}

/* What to run in our place, where there is nothing for us to do. */
static char **plain_command(const driver *d) {
    au_arg_list l = {0};
    au_line_add(&l, d->clang);
    user_line(&l, d, false);
    char **exec = au_alloc_array(l.arg.n + 1, sizeof *exec);
    for (size_t i = 0; i < l.arg.n; i++)
        exec[i] = au_strdup(l.arg.at[i]);
    au_vec_release(&l.arg);
    return exec;
}

/* ---- refusals ---- */

/* Sanitizers with a runtime that stands where ours has to stand. */
static const char *const rivals[] = {"address",   "kernel-address", "hwaddress",  "memory",
                                     "thread",    "leak",           "safe-stack", "dataflow",
                                     "numerical", "type",           "realtime",   NULL};

static const char *rival_in_list(const char *list) {
    for (; *list; list += strcspn(list, ","), list += *list == ',') {
        size_t n = strcspn(list, ",");
        for (size_t i = 0; rivals[i]; i++)
            if (strlen(rivals[i]) == n && !memcmp(list, rivals[i], n))
                return rivals[i];
    }
    return NULL;
}

/* Their libraries in a link. */
static const char *rival_library(const char *arg) {
    static const struct {
        const char *library, *name;
    } rows[] = {
        {"libclang_rt.asan", "address"},         {"libclang_rt.tsan", "thread"},
        {"libclang_rt.msan", "memory"},          {"libclang_rt.lsan", "leak"},
        {"libclang_rt.hwasan", "hwaddress"},     {"libclang_rt.dfsan", "dataflow"},
        {"libclang_rt.safestack", "safe-stack"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strstr(arg, rows[i].library))
            return rows[i].name;
    return NULL;
}

static bool good_triple(const char *t) {
    return starts_with(t, "x86_64") && strstr(t, "linux") && !strstr(t, "x32");
}

static au_status refuse(const driver *d, au_error *err) {
    for (size_t i = 0; i < d->plan.job.n; i++) {
        const au_job *j = &d->plan.job.at[i];
        au_cc1 c = au_cc1_understand(j);
        bool link = au_link_understand(j) != AU_LINK_NONE;
        if (c.kind == AU_CC1_CODEGEN && !good_triple(c.triple))
            return au_error_set(err, AU_EUNSUPPORTED,
                                "cannot compile for '%s': only programs for x86_64 Linux (64 bits) "
                                "can be recorded",
                                c.triple);
        const char *why = link ? au_link_refusal(j) : NULL;
        if (why)
            return au_error_set(err, AU_EUNSUPPORTED, "cannot link '%s': %s",
                                au_job_output(j) ? au_job_output(j) : "a.out", why);
        for (size_t k = 1; k < j->arg.n && (link || c.kind == AU_CC1_CODEGEN); k++) {
            const char *s = j->arg.at[k];
            const char *rival = link                            ? rival_library(s)
                                : starts_with(s, "-fsanitize=") ? rival_in_list(s + 11)
                                                                : NULL;
            if (rival)
                return au_error_set(
                    err, AU_EUNSUPPORTED,
                    "'-fsanitize=%s' conflicts with the runtime of augur: leave it out", rival);
        }
    }
    return AU_OK;
}

/* ---- jobs ---- */

static au_status part(char **path, const char *name, au_error *err) {
    if (!*path)
        *path = au_part_find(name, err);
    return *path ? AU_OK : AU_EIO;
}

/* As clang's driver writes its own messages. */
static void complain(const driver *d, const char *what) {
    const char *slash = strrchr(d->clang, '/'), *name = slash ? slash + 1 : d->clang;
    if (d->color)
        fprintf(stderr, "%s: \033[0;1;31merror: \033[0m\033[1m%s\033[0m\n", name, what);
    else
        fprintf(stderr, "%s: error: %s\n", name, what);
}

static void failed(driver *d, const au_job *j, int status) {
    const char *out = au_job_output(j);
    if (out)
        au_vec_push(&d->failed, (char *)out);
    if (!d->status)
        d->status = status < 0 ? 254 : status;
}

/* Runs a job; its messages are the user's. */
static au_status run(driver *d, const au_args *arg, int *status, au_error *err) {
    au_exec_result r;
    au_status st = au_exec_run(&d->exec, arg, (au_exec_how){0}, &r, err);
    *status = r.status;
    return st;
}

/* Do the bytes of the file hold this name? Symbol names are plain bytes in bitcode. */
static au_status file_holds(const char *path, const char *name, bool *found, au_error *err) {
    FILE *f = fopen(path, "rb");
    struct stat st;
    if (!f || fstat(fileno(f), &st)) {
        au_error_errno(err, "cannot read '%s'", path);
        if (f)
            fclose(f);
        return AU_EIO;
    }
    char *text = au_alloc((size_t)st.st_size + 1);
    size_t n = fread(text, 1, (size_t)st.st_size, f);
    au_status status = ferror(f) ? au_error_errno(err, "cannot read '%s'", path) : AU_OK;
    *found = memmem(text, n, name, strlen(name));
    free(text);
    fclose(f);
    return status;
}

/* Somebody killed clang, perhaps for want of memory: that says nothing about the code. */
static au_status killed(const au_job *j, const au_cc1 *c, au_error *err) {
    return au_error_set(err, AU_EINTERNAL, "clang was killed at '%s'",
                        c->input ? j->arg.at[c->input] : j->arg.at[0]);
}

/* The instrumented code did not get through clang. If the user's own code does not either, the
 * messages are the user's; else it is compiled without hooks, and we say so. */
static au_status without_hooks(driver *d, const au_job *j, const au_cc1 *c, const char *why,
                               au_error *err) {
    const char *input = j->arg.at[c->input];
    int status;
    if (!strcmp(input, "-"))
        return au_error_set(err, AU_EINTERNAL, "cannot instrument the standard input: %s", why);
    au_status st = run(d, &j->arg, &status, err);
    if (st == AU_OK && status)
        failed(d, j, status);
    else if (st == AU_OK)
        fprintf(stderr, "augur: '%s' is compiled without hooks: %s\n", input, why);
    return st;
}

static au_status code_step(driver *d, const au_job *j, const au_cc1 *c, const char *bitcode,
                           au_error *err) {
    au_arg_list l = {.arena = &d->exec.arena};
    au_cc1_code(&l, j, c, bitcode);
    au_exec_result r;
    au_status st = au_exec_run(&d->exec, &l.arg, (au_exec_how){.capture = true}, &r, err);
    au_vec_release(&l.arg);
    if (st != AU_OK)
        return st;
    if (r.status == -SIGKILL && !au_exec_stopped()) {
        st = killed(j, c, err);
    } else if (r.status && !au_exec_stopped()) {
        r.text[strcspn(r.text, "\n")] = 0;
        st =
            without_hooks(d, j, c, *r.text ? r.text : "clang failed on the instrumented code", err);
    } else {
        fwrite(r.text, 1, r.n, stderr);
    }
    free(r.text);
    return st;
}

static au_status compile(driver *d, const au_job *j, const au_cc1 *c, au_error *err) {
    au_status st = part(&d->module, AU_PART_LLVM, err);
    if (st != AU_OK)
        return st;
    const char *plain = au_exec_name(&d->exec, ".bc");
    const char *hooked = au_exec_name(&d->exec, ".bc");
    au_arg_list l = {.arena = &d->exec.arena};
    au_cc1_bitcode(&l, j, c, d->include, plain);
    int status;
    st = run(d, &l.arg, &status, err);
    au_vec_release(&l.arg);
    if (st != AU_OK || au_exec_stopped())
        return st;
    if (status == -SIGKILL)
        return killed(j, c, err);
    if (status) {
        d->again_plainly |= status < 0;
        failed(d, j, status);
        return AU_OK;
    }
    if (access(plain, R_OK)) {
        if (errno != ENOENT)
            return au_error_errno(err, "cannot read '%s'", plain);
        return AU_OK; /* some -Xclang option asked for something else than code */
    }
    char *message = NULL;
    bool ours = false; /* bitcode that we made */
    if (!strcmp(j->arg.at[c->lang], "ir"))
        st = file_holds(plain, "__augur_module", &ours, err);
    if (ours)
        hooked = plain;
    else if (st == AU_OK)
        st = au_exec_instrument(&d->exec, d->module, plain, hooked, d->o->no_asm, &message, err);
    if (st != AU_OK)
        return au_error_note(err, "'%s'", j->arg.at[c->input]);
    if (au_exec_stopped())
        return st;
    st = message ? without_hooks(d, j, c, message, err) : code_step(d, j, c, hooked, err);
    unlink(plain);
    unlink(hooked);
    return st;
}

static au_status link_job(driver *d, const au_job *j, au_link_kind kind, au_error *err) {
    au_arg_list l = {.arena = &d->exec.arena}, trial = {.arena = &d->exec.arena};
    au_status st = AU_OK;
    int status = 0;
    bool runtime = kind == AU_LINK_PROGRAM && au_link_has_libc(j);
    bool insists = kind == AU_LINK_SHARED && au_link_insists(j);
    if (runtime)
        st = part(&d->runtime, AU_PART_RUNTIME, err);
    if (st == AU_OK && (runtime || insists))
        st = part(&d->exports, AU_PART_EXPORTS, err);
    if (st == AU_OK && insists) {
        st = au_link_trial(&trial, j, d->exports, au_exec_name(&d->exec, ".so"), err);
        if (st == AU_OK)
            st = run(d, &trial.arg, &status, err);
    }
    if (st == AU_OK && !status && !au_exec_stopped()) {
        if (runtime)
            au_link_program(&l, j, d->runtime, d->exports);
        else if (kind == AU_LINK_SHARED)
            au_link_shared(&l, j);
        else
            au_vec_append(&l.arg, j->arg.at, j->arg.n);
        st = run(d, &l.arg, &status, err);
    }
    au_vec_release(&l.arg);
    au_vec_release(&trial.arg);
    if (st != AU_OK || !status || au_exec_stopped())
        return st;
    char text[96];
    if (status < 0)
        snprintf(text, sizeof text,
                 "linker command failed due to signal (use -v to see invocation)");
    else
        snprintf(text, sizeof text,
                 "linker command failed with exit code %d (use -v to see invocation)", status);
    complain(d, text);
    if (kind == AU_LINK_PROGRAM && !runtime)
        fprintf(
            stderr,
            "augur: the runtime was not added: it needs the C library (this link has -nostdlib)\n");
    failed(d, j, status);
    return AU_OK;
}

static bool made_by_us(const driver *d, size_t job, const char *file) {
    for (size_t i = 0; i < job; i++) {
        const char *out = au_job_output(&d->plan.job.at[i]);
        if (out && !strcmp(out, file))
            return true;
    }
    return false;
}

static bool needs_failed(const driver *d, const au_job *j) {
    size_t output = au_job_option(j, "-o");
    for (size_t i = 1; i < j->arg.n; i++)
        for (size_t k = 0; k < d->failed.n; k++)
            if (i != output && !strcmp(j->arg.at[i], d->failed.at[k]))
                return true;
    return false;
}

/* As -v prints it. */
static void print_job(const au_job *j) {
    for (size_t i = 0; i < j->arg.n; i++) {
        const char *s = j->arg.at[i];
        putc(' ', stderr);
        if (i && !strpbrk(s, " \"\\$")) {
            fputs(s, stderr);
            continue;
        }
        putc('"', stderr);
        for (; *s; s++) {
            if (strchr("\"\\$", *s))
                putc('\\', stderr);
            putc(*s, stderr);
        }
        putc('"', stderr);
    }
    putc('\n', stderr);
}

static au_status other(driver *d, const au_job *j, const au_cc1 *c, au_error *err) {
    au_arg_list l = {.arena = &d->exec.arena};
    if (c->kind == AU_CC1_NONE || c->kind == AU_CC1_CODEGEN)
        au_vec_append(&l.arg, j->arg.at, j->arg.n);
    else
        au_cc1_front(&l, j, c, d->include);
    int status;
    au_status st = run(d, &l.arg, &status, err);
    au_vec_release(&l.arg);
    if (st != AU_OK || !status)
        return st;
    if (status == -SIGKILL && !au_exec_stopped())
        return killed(j, c, err);
    if (strncmp(j->arg.n > 1 ? j->arg.at[1] : "", "-cc1", 4)) {
        const char *slash = strrchr(j->arg.at[0], '/');
        char *text = au_sprintf(
            "%s command failed with exit code %d (use -v to see invocation)",
            !strcmp(slash ? slash + 1 : j->arg.at[0], "as") ? "assembler" : "tool", status);
        complain(d, text);
        free(text);
    }
    d->again_plainly |= status < 0;
    failed(d, j, status);
    return AU_OK;
}

static au_status carry_out(driver *d, au_error *err) {
    for (size_t i = 0; i < d->plan.job.n && !au_exec_stopped(); i++) {
        const au_job *j = &d->plan.job.at[i];
        if (needs_failed(d, j)) {
            const char *out = au_job_output(j);
            if (out)
                au_vec_push(&d->failed, (char *)out);
            continue;
        }
        if (d->explain)
            print_job(j);
        au_cc1 c = au_cc1_understand(j);
        au_link_kind link = au_link_understand(j);
        au_status st;
        if (c.kind == AU_CC1_CODEGEN &&
            !(!strcmp(j->arg.at[c.lang], "ir") && made_by_us(d, i, j->arg.at[c.input])))
            st = compile(d, j, &c, err);
        else if (link == AU_LINK_PROGRAM || link == AU_LINK_SHARED)
            st = link_job(d, j, link, err);
        else if (link == AU_LINK_UNTOUCHED)
            st = link_job(d, j, link, err);
        else
            st = other(d, j, &c, err);
        if (st != AU_OK)
            return st;
    }
    return AU_OK;
}

/* ---- all of it ---- */

static bool wants_color(void) {
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(STDERR_FILENO) && !(no && *no) && term && strcmp(term, "dumb");
}

static bool given(const au_driver_options *o, const char *arg) {
    for (size_t i = 0; i < o->n; i++)
        if (!strcmp(o->arg[i], arg))
            return true;
    return false;
}

/* What clang makes then has no hooks. */
static const char crashed[] =
    "augur: clang crashed; running it again without augur for its crash report\n";

/* It has no plan, and says why when it is run: nothing to run it on, an option it does not know. Should it
 * succeed now, it had failed for another reason, and what it made is no program of ours. */
static au_driver_result told_by_clang(driver *d, au_error *err) {
    au_driver_result r = {.end = AU_DRIVER_FAILED};
    au_arg_list l = {0};
    au_exec_result x;
    au_line_add(&l, d->clang);
    user_line(&l, d, false);
    au_status st = au_exec_run(&d->exec, &l.arg, (au_exec_how){0}, &x, err);
    au_vec_release(&l.arg);
    if (st != AU_OK)
        return r;
    free(x.text);
    if (!x.status) {
        au_error_set(err, AU_EINTERNAL,
                     "'%s -###' failed, but '%s' did not: its output has no hooks", d->clang,
                     d->clang);
        return r;
    }
    return (au_driver_result){.end = AU_DRIVER_DONE, .status = x.status < 0 ? 1 : x.status};
}

static au_driver_result drive(driver *d, au_error *err) {
    au_driver_result r = {.end = AU_DRIVER_FAILED};
    /* Not for us: clang's inner commands, and the question we ask ourselves. */
    bool plainly = given(d->o, "-###") || (d->o->n && starts_with(d->o->arg[0], "-cc1"));
    if (!plainly && ask_for_plan(d, false, err) != AU_OK)
        return r;
    bool lto = !plainly && !d->plan.status && plans_lto(&d->plan);
    if (lto) {
        au_plan_release(&d->plan);
        if (ask_for_plan(d, true, err) != AU_OK)
            return r;
    }
    if (d->plan.status)
        return told_by_clang(d, err);
    /* Nothing to run (-print-…, --version): clang tells it best. */
    if (plainly || !d->plan.job.n) {
        r.end = AU_DRIVER_EXEC;
        return r;
    }
    if (refuse(d, err) != AU_OK)
        return r;
    d->explain = given(d->o, "-v") || strstr(d->plan.heading, "Found candidate GCC");
    if (d->explain)
        fputs(d->plan.heading, stderr);
    fputs(d->plan.diagnostics, stderr);
    if (lto)
        fputs("augur: link-time optimisation is off: hooks go in before optimisation\n", stderr);
    if (carry_out(d, err) != AU_OK)
        return r;
    if (d->again_plainly)
        fputs(crashed, stderr);
    r.end = d->again_plainly ? AU_DRIVER_EXEC : AU_DRIVER_DONE;
    r.status = d->status;
    return r;
}

au_driver_result au_driver_run(const au_driver_options *o, au_error *err) {
    driver d = {.o = o, .color = wants_color()};
    au_driver_result r = {.end = AU_DRIVER_FAILED};
    d.clang = au_driver_clang(err);
    if (!d.clang)
        return r;
    d.include = au_part_include();
    if (au_exec_begin(&d.exec, o->verbose, err) == AU_OK)
        r = drive(&d, err);
    int signal = au_exec_stopped();
    if (signal)
        r = (au_driver_result){.end = AU_DRIVER_SIGNAL, .status = signal};
    if (r.end == AU_DRIVER_EXEC)
        r.exec = plain_command(&d);
    au_vec_release(&d.failed);
    if (d.plan.heading)
        au_plan_release(&d.plan);
    au_exec_end(&d.exec);
    free(d.clang);
    free(d.include);
    free(d.module);
    free(d.runtime);
    free(d.exports);
    return r;
}
