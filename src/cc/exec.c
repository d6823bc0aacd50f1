/* cc/exec.c: processes of the compiler driver.
 *
 * Everything temporary lies in one directory of our own, so that parallel builds do
 * not meet and one removal is enough. A signal that asks us to stop is handed to the child
 * that runs; when that has ended we clean up and the caller dies of the same signal. */
#include "base/deadline.h"
#include "base/out.h"
#include "base/parts.h"
#include "base/temporary.h"
#include "cc/driver_priv.h"
#include "llvm/api.h"
#include "llvm/load.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t stopped;
static volatile pid_t child;

static const int stop_signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { N_STOP = sizeof stop_signals / sizeof *stop_signals };
static struct sigaction before[N_STOP];

static void on_stop(int sig) {
    stopped = sig;
    if (au_deadline_listens() && sig != SIGHUP) /* 'augur scan' has something to report */
        au_deadline_hear(sig);
    if (child > 0)
        kill(child, sig);
}

int au_exec_stopped(void) {
    return stopped;
}

au_status au_exec_begin(au_exec *x, bool verbose, au_error *err) {
    *x = (au_exec){.verbose = verbose};
    au_arena_init(&x->arena);
    stopped = 0;
    /* The handlers first: from the moment the directory exists it will be removed. */
    for (size_t i = 0; i < N_STOP; i++) {
        struct sigaction now = {.sa_handler = on_stop};
        sigemptyset(&now.sa_mask);
        sigaction(stop_signals[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            sigaction(stop_signals[i], &now, NULL);
    }
    x->tmp = au_temporary_directory("augur-cc-", err);
    return x->tmp ? AU_OK : AU_EIO;
}

void au_exec_end(au_exec *x) {
    au_temporary_remove(x->tmp);
    free(x->tmp);
    au_arena_release(&x->arena);
    for (size_t i = 0; i < N_STOP; i++)
        sigaction(stop_signals[i], &before[i], NULL);
}

char *au_exec_name(au_exec *x, const char *suffix) {
    char *name = au_sprintf("%s/%u%s", x->tmp, ++x->n_tmp, suffix);
    char *kept = au_arena_strndup(&x->arena, name, strlen(name));
    free(name);
    return kept;
}

/* ---- running ---- */

/* In the child: signals as a shell would have them. */
static void become_plain(void) {
    for (size_t i = 0; i < N_STOP; i++)
        if (before[i].sa_handler != SIG_IGN)
            signal(stop_signals[i], SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
}

static void print_command(const au_args *arg) {
    au_out *out = au_out_memory();
    size_t n;
    for (size_t i = 0; i < arg->n; i++) {
        au_out_str(out, i ? " " : "augur: ");
        au_out_shell(out, arg->at[i]);
    }
    fprintf(stderr, "%s\n", au_out_memory_data(out, &n));
    au_out_abandon(out);
}

/* A command line as a file that clang and the linkers read behind '@': arguments in
 * double quotes, '"' and '\' behind a backslash. */
static au_status write_response(au_exec *x, const au_args *arg, size_t from, char **name,
                                au_error *err) {
    *name = au_exec_name(x, ".rsp");
    FILE *f = fopen(*name, "w");
    if (!f)
        return au_error_errno(err, "cannot write '%s'", *name);
    for (size_t i = from; i < arg->n; i++) {
        putc('"', f);
        for (const char *s = arg->at[i]; *s; s++) {
            if (*s == '"' || *s == '\\')
                putc('\\', f);
            putc(*s, f);
        }
        fputs("\"\n", f);
    }
    bool bad = ferror(f);
    if (fclose(f) || bad)
        return au_error_errno(err, "cannot write '%s'", *name);
    return AU_OK;
}

/* Is this too much for execve? It limits one argument to 128 KiB and all of them with the
 * environment to a quarter of the stack's limit; half of 2 MiB is safe by default. */
static bool too_long(const au_args *arg) {
    size_t total = 0;
    for (size_t i = 0; i < arg->n; i++) {
        size_t n = strlen(arg->at[i]) + 1 + sizeof(char *);
        total += n;
        if (n >= 128 * 1024)
            return true;
    }
    return total > 1024 * 1024;
}

/* Reads all of fd; the child may write after we were told to stop. What is read before an error is kept, but
 * is not all: half a plan of clang's would be carried out as if it were the whole. */
static au_status read_all(int fd, au_exec_result *r, const char *whose, au_error *err) {
    AU_VEC(char) text = {0};
    au_status st = AU_OK;
    for (;;) {
        au_vec_reserve(&text, text.n + 65536);
        ssize_t k = read(fd, text.at + text.n, 65536);
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0)
            st = au_error_errno(err, "cannot read the messages of '%s'", whose);
        if (k <= 0)
            break;
        text.n += (size_t)k;
    }
    au_vec_push(&text, 0);
    r->text = text.at;
    r->n = text.n - 1;
    return st;
}

/* Forks with the stop signals blocked, so that none gets lost between the fork and
 * 'child' being known. */
static pid_t start_child(void) {
    sigset_t all, old;
    sigemptyset(&all);
    for (size_t i = 0; i < N_STOP; i++)
        sigaddset(&all, stop_signals[i]);
    sigprocmask(SIG_BLOCK, &all, &old);
    pid_t pid = stopped ? -1 : fork();
    if (!pid)
        become_plain();
    else
        child = pid;
    sigprocmask(SIG_SETMASK, &old, NULL);
    if (pid < 0 && stopped)
        errno = EINTR;
    return pid;
}

/* A command with a budget does not wait longer than that: what is compiled for it is not needed then. */
static void wait_in_time(pid_t pid) {
    siginfo_t ended;
    while (au_deadline_left() < AU_FOREVER) {
        ended.si_pid = 0;
        if (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT) < 0 || ended.si_pid)
            return;
        if (au_deadline_over()) {
            stopped = SIGTERM;
            kill(pid, SIGTERM);
            return;
        }
        usleep(5000);
    }
}

static int wait_child(pid_t pid) {
    int status;
    wait_in_time(pid);
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -SIGKILL;
    child = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

enum { CANNOT_START = 127 };

au_status au_exec_run(au_exec *x, const au_args *arg, au_exec_how how, au_exec_result *r,
                      au_error *err) {
    *r = (au_exec_result){0};
    if (x->verbose)
        print_command(arg);
    au_args line = {0};
    if (too_long(arg)) {
        /* clang wants -cc1 before the file */
        size_t keep = arg->n > 1 && !strncmp(arg->at[1], "-cc1", 4) ? 2 : 1;
        char *file;
        au_status st = write_response(x, arg, keep, &file, err);
        if (st != AU_OK)
            return st;
        au_vec_append(&line, arg->at, keep);
        char *at = au_sprintf("@%s", file);
        au_vec_push(&line, au_arena_strndup(&x->arena, at, strlen(at)));
        free(at);
    } else {
        au_vec_append(&line, arg->at, arg->n);
    }
    au_vec_push(&line, NULL);

    int ends[2] = {-1, -1};
    if (how.capture && pipe2(ends, O_CLOEXEC)) {
        au_vec_release(&line);
        return au_error_errno(err, "cannot make a pipe");
    }
    fflush(NULL);
    pid_t pid = start_child();
    if (!pid) {
        if (how.capture)
            dup2(ends[1], STDERR_FILENO);
        int null = how.quiet_input || how.quiet_output ? open("/dev/null", O_RDWR) : -1;
        if (how.quiet_input)
            dup2(null, STDIN_FILENO);
        if (how.quiet_output)
            dup2(null, STDOUT_FILENO);
        if (how.in_tmp)
            setenv("TMPDIR", x->tmp, 1);
        execv(line.at[0], line.at);
        fprintf(stderr, "augur: cannot run '%s': %s\n", line.at[0], strerror(errno));
        _exit(CANNOT_START);
    }
    int failure = errno;
    au_vec_release(&line);
    if (how.capture)
        close(ends[1]);
    if (pid < 0) {
        if (how.capture)
            close(ends[0]);
        errno = failure;
        return au_error_errno(err, "cannot start '%s'", arg->at[0]);
    }
    au_status st = AU_OK;
    if (how.capture) {
        st = read_all(ends[0], r, arg->at[0], err);
        close(ends[0]);
    }
    r->status = wait_child(pid);
    if (st != AU_OK) {
        free(r->text);
        r->text = NULL;
    }
    return st;
}

/* ---- the LLVM module ---- */

/* Its end if the code is not to blame; the out-of-memory handler has another one. */
enum { NOT_BEGUN = 2 };

/* In a child of its own. Writes what went wrong to fd. */
static int instrument(const char *module, const char *in, const char *out, bool no_asm, int fd) {
    void *dl = au_llvm_load(module);
    if (!dl) {
        dprintf(fd, "%s", dlerror());
        return NOT_BEGUN;
    }
    /* ISO C has no conversion from object to function pointers; POSIX wants this one. */
    au_llvm_api_fn *api;
    au_llvm_instrument_fn *run;
    *(void **)&api = dlsym(dl, "au_llvm_api");
    *(void **)&run = dlsym(dl, "au_llvm_instrument");
    if (!api || !run || api() != AU_LLVM_API) {
        dprintf(fd, "'%s' belongs to another version of augur", module);
        return NOT_BEGUN;
    }
    struct au_llvm_options options = {.api = AU_LLVM_API, .flags = no_asm ? AU_LLVM_NO_ASM : 0};
    char *message = NULL;
    int status = run(in, out, &options, &message);
    if (status != AU_LLVM_OK)
        dprintf(fd, "%s", message ? message : "no reason given");
    return status != AU_LLVM_OK;
}

au_status au_exec_instrument(au_exec *x, const char *module, const char *in, const char *out,
                             bool no_asm, char **message, au_error *err) {
    *message = NULL;
    if (x->verbose)
        fprintf(stderr, "augur: instrument %s %s\n", in, out);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return au_error_errno(err, "cannot make a pipe");
    fflush(NULL);
    pid_t pid = start_child();
    if (!pid) {
        close(ends[0]);
        _exit(instrument(module, in, out, no_asm, ends[1]));
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return au_error_errno(err, "cannot start a process");
    }
    au_exec_result r;
    au_status st = read_all(ends[0], &r, AU_PART_LLVM, err);
    close(ends[0]);
    r.status = wait_child(pid);
    if (st != AU_OK) {
        free(r.text);
        return st;
    }
    if (r.status == -SIGKILL && !au_exec_stopped()) {
        st = au_error_set(err, AU_EINTERNAL, "the instrumentation was killed");
    } else if (r.status >= NOT_BEGUN) {
        st = au_error_set(err, AU_EINTERNAL, "the instrumentation failed%s%s", r.n ? ": " : "",
                          r.text);
    } else if (r.status < 0) {
        char *text = au_sprintf("the instrumentation died of signal %d", -r.status);
        *message = au_arena_strndup(&x->arena, text, strlen(text));
        free(text);
    } else if (r.status) {
        *message = au_arena_strndup(&x->arena, r.text, r.n);
    }
    free(r.text);
    return st;
}
