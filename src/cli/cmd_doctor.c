/* cli/cmd_doctor.c: augur doctor: tries what augur needs from the machine.
 *
 * Things are tried, not looked up: what a kernel says it can do and what a
 * container lets through are different questions. */
#include "base/json.h"
#include "base/parts.h"
#include "base/vec.h"
#include "base/worker.h"
#include "cc/driver.h"
#include "cli/cli.h"
#include "cli/doctor.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

static const char *const verdict_name[] = {"ok", "warn", "missing"};

#define GOOD AU_DOCTOR_GOOD
#define WARN AU_DOCTOR_WARN
#define MISSING AU_DOCTOR_MISSING
typedef au_doctor_finding finding;
typedef au_doctor_findings findings;

void au_doctor_add(findings *f, const char *name, au_doctor_verdict v, bool required, char *detail,
                   const char *advice) {
    au_vec_push(f, ((finding){name, v, required, detail, v == GOOD ? "" : advice}));
}
#define add au_doctor_add

enum { OPTIONAL = 0, REQUIRED = 1 };

/* ---- the machine ---- */

static void check_kernel(findings *f) {
    struct utsname u;
    if (uname(&u)) {
        add(f, "kernel", MISSING, REQUIRED, au_strdup("uname failed"), "augur needs Linux");
        return;
    }
    bool right = !strcmp(u.sysname, "Linux") && !strcmp(u.machine, "x86_64");
    add(f, "kernel", right ? GOOD : MISSING, REQUIRED,
        au_sprintf("%s %s on %s", u.sysname, u.release, u.machine),
        "augur is made for Linux on x86_64");
}

static uint64_t meminfo_kib(const char *key) {
    FILE *file = fopen("/proc/meminfo", "r");
    char line[128];
    uint64_t kib = 0;
    size_t n = strlen(key);
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, key, n) && line[n] == ':')
            kib = strtoull(line + n + 1, NULL, 10);
    if (file)
        fclose(file);
    return kib;
}

static void check_size(findings *f) {
    unsigned cores = au_cores();
    add(f, "cores", GOOD, OPTIONAL, au_sprintf("%u usable", cores), "");
    uint64_t total = meminfo_kib("MemTotal"), free_kib = meminfo_kib("MemAvailable");
    if (!total)
        add(f, "memory", WARN, OPTIONAL, au_strdup("/proc/meminfo cannot be read"),
            "mount /proc: augur reads its memory use there");
    else
        add(f, "memory", free_kib < 512 * 1024 ? WARN : GOOD, OPTIONAL,
            au_sprintf("%" PRIu64 " MiB, %" PRIu64 " MiB available", total / 1024, free_kib / 1024),
            "long traces with many names need a few hundred MiB");
}

static void check_directory(findings *f) {
    char name[] = "./.augur-doctor-XXXXXX";
    int fd = mkstemp(name);
    if (fd < 0) {
        add(f, "directory", WARN, OPTIONAL, au_sprintf("cannot write here: %s", strerror(errno)),
            "name outputs in a directory that you may write");
    } else {
        close(fd);
        unlink(name);
        add(f, "directory", GOOD, OPTIONAL, au_strdup("the current directory is writable"), "");
    }
    struct statvfs s;
    if (statvfs(".", &s)) {
        add(f, "disk", WARN, OPTIONAL, au_sprintf("unknown: %s", strerror(errno)),
            "check the free space with df");
        return;
    }
    uint64_t mib = (uint64_t)s.f_bavail * s.f_frsize >> 20;
    add(f, "disk", mib < 1024 ? WARN : GOOD, OPTIONAL, au_sprintf("%" PRIu64 " MiB free", mib),
        "a trace takes a few bytes an event; free some space before long ones");
}

static void check_terminal(findings *f, const au_opts *o) {
    const char *why = !isatty(STDOUT_FILENO) ? "output is not a terminal" : "output is a terminal";
    add(f, "terminal", GOOD, OPTIONAL,
        au_sprintf("%s, colours %s", why, au_cli_color(o, STDOUT_FILENO) ? "on" : "off"), "");
}

/* ---- libraries ---- */

static void check_libraries(findings *f) {
    add(f, "zstd", ZSTD_versionNumber() >= 10400 ? GOOD : WARN, REQUIRED,
        au_sprintf("libzstd %s", ZSTD_versionString()), "install libzstd 1.4 or newer");
    add(f, "zlib", GOOD, REQUIRED, au_sprintf("zlib %s", zlibVersion()), "");
    unsigned v = XXH_versionNumber();
    add(f, "xxhash", v >= 800 ? GOOD : MISSING, REQUIRED,
        au_sprintf("libxxhash %u.%u.%u", v / 10000, v / 100 % 100, v % 100),
        "install libxxhash 0.8 or newer: older ones give other checksums");
}

/* ---- processes ---- */

enum { JOB_ANSWER, JOB_MEMORY, JOB_LATE, JOBS };

static void job(void *ctx, uint32_t index, au_out *out) {
    (void)ctx;
    if (index == JOB_ANSWER) {
        au_out_str(out, "here");
        return;
    }
    /* These two are meant to fail, quietly. */
    if (!freopen("/dev/null", "w", stderr))
        return;
    if (index == JOB_LATE)
        sleep(60);
    size_t want = (size_t)1 << 40;
    volatile char *p = malloc(want);
    if (!p)
        _exit(86);
    for (size_t i = 0; i < want; i += 4096) /* no limit: stop well before it hurts */
        if (i > (size_t)256 << 20)
            break;
        else
            p[i] = 1;
    free((void *)p);
}

static bool job_done(void *ctx, const au_job_result *r) {
    bool *as_wanted = ctx;
    switch (r->index) {
    case JOB_ANSWER:
        as_wanted[r->index] = r->end == AU_JOB_DONE && r->size == 4 && !memcmp(r->data, "here", 4);
        break;
    case JOB_MEMORY:
        as_wanted[r->index] = r->end == AU_JOB_MEMORY || r->end == AU_JOB_DIED;
        break;
    default:
        as_wanted[r->index] = r->end == AU_JOB_TIMEOUT;
        break;
    }
    return true;
}

static void check_workers(findings *f) {
    bool as_wanted[JOBS] = {false};
    au_pool_limits limits = {.jobs = 3, .seconds = 0.5, .memory_bytes = (uint64_t)256 << 20};
    au_error err = AU_ERROR_NONE;
    if (au_pool_run(JOBS, &limits, job, job_done, as_wanted, &err) != AU_OK) {
        add(f, "workers", MISSING, OPTIONAL, au_strdup(err.text),
            "allow more processes (ulimit -u): solvers run in processes of their own");
        return;
    }
    if (as_wanted[JOB_ANSWER] && as_wanted[JOB_MEMORY] && as_wanted[JOB_LATE])
        add(f, "workers", GOOD, OPTIONAL,
            au_strdup("processes start and keep to limits of memory and time"), "");
    else
        add(f, "workers", WARN, OPTIONAL,
            au_sprintf("a worker process %s", !as_wanted[JOB_ANSWER] ? "gave no answer"
                                              : !as_wanted[JOB_MEMORY]
                                                  ? "was not held to its memory limit (RLIMIT_AS)"
                                                  : "was not stopped in time"),
            "solvers run in such processes: check the limits of this container");
}

static void check_personality(findings *f) {
    pid_t pid = fork();
    if (!pid)
        _exit(personality(ADDR_NO_RANDOMIZE) != -1 && personality(0xffffffff) & ADDR_NO_RANDOMIZE
                  ? 0
                  : 1);
    int status = -1;
    if (pid > 0)
        waitpid(pid, &status, 0);
    bool good = pid > 0 && WIFEXITED(status) && !WEXITSTATUS(status);
    add(f, "personality", good ? GOOD : WARN, OPTIONAL,
        au_strdup(good ? "address randomisation can be switched off"
                       : "address randomisation cannot be switched off"),
        "recordings will not have the same addresses each time; in a container allow "
        "personality(2) (docker: --security-opt seccomp=unconfined)");
}

static void check_ptrace(findings *f) {
    pid_t pid = fork();
    if (!pid) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
            _exit(1);
        raise(SIGSTOP);
        _exit(0);
    }
    int status = -1;
    if (pid > 0)
        waitpid(pid, &status, 0);
    bool good = pid > 0 && WIFSTOPPED(status);
    if (good) {
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
    }
    add(f, "ptrace", good ? GOOD : WARN, OPTIONAL, au_strdup(good ? "allowed" : "not allowed"),
        "debuggers will not work; in a container allow it (docker: --cap-add SYS_PTRACE)");
}

/* ---- programs ---- */

/* The first line that 'program --version' prints, or NULL. Caller frees. */
static char *version_of(const char *program) {
    char *command = au_sprintf("%s --version 2>/dev/null", program);
    FILE *pipe = popen(command, "r");
    free(command);
    if (!pipe)
        return NULL;
    char line[200];
    bool got = fgets(line, sizeof line, pipe) != NULL;
    char rest[512];
    while (fgets(rest, sizeof rest, pipe))
        continue;
    if (pclose(pipe) || !got)
        return NULL;
    line[strcspn(line, "\n")] = 0;
    return au_strdup(line);
}

static void check_program(findings *f, const char *name, const char *advice) {
    char *version = version_of(name);
    add(f, name, version ? GOOD : MISSING, OPTIONAL, version ? version : au_strdup("not found"),
        advice);
}

/* ---- the parts of augur that are files of their own ---- */

static void check_clang(findings *f) {
    au_error err = AU_ERROR_NONE;
    char *clang = au_driver_clang(&err), *version = clang ? version_of(clang) : NULL;
    add(f, "clang-19", version ? GOOD : MISSING, OPTIONAL,
        version ? version : au_strdup("not found"),
        "'augur cc' needs it: apt-get install clang-19");
    free(clang);
}

/* Found, and the loader takes it: tried in a child, as it brings all of LLVM with it. */
static void check_module(findings *f) {
    au_error err = AU_ERROR_NONE;
    char *path = au_part_find(AU_PART_LLVM, &err);
    if (!path) {
        add(f, "llvm", MISSING, OPTIONAL, au_sprintf("'%s' not found", AU_PART_LLVM),
            "'augur cc' needs it: build augur with llvm-19-dev installed");
        return;
    }
    int ends[2];
    char text[512] = "";
    bool good = false;
    if (!pipe(ends)) {
        fflush(NULL);
        pid_t pid = fork();
        if (!pid) {
            bool loads = dlopen(path, RTLD_NOW | RTLD_LOCAL) != NULL;
            if (!loads)
                dprintf(ends[1], "%s", dlerror());
            _exit(!loads);
        }
        close(ends[1]);
        int status = -1;
        ssize_t n = read(ends[0], text, sizeof text - 1);
        text[n > 0 ? n : 0] = 0;
        close(ends[0]);
        if (pid > 0)
            waitpid(pid, &status, 0);
        good = pid > 0 && WIFEXITED(status) && !WEXITSTATUS(status);
    }
    add(f, "llvm", good ? GOOD : WARN, OPTIONAL,
        good ? au_sprintf("'%s' loads", path) : au_sprintf("'%s' does not load: %s", path, text),
        "'augur cc' needs it: apt-get install libllvm19");
    free(path);
}

static void check_runtime(findings *f) {
    static const char *const names[] = {AU_PART_RUNTIME, AU_PART_EXPORTS};
    char *path = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        free(path);
        path = au_part_find(names[i], NULL);
        if (!path) {
            add(f, "runtime", MISSING, OPTIONAL, au_sprintf("'%s' not found", names[i]),
                "programs cannot be linked for recording: install augur with 'make install'");
            return;
        }
    }
    char *include = au_part_include();
    add(f, "runtime", include ? GOOD : WARN, OPTIONAL,
        include ? au_sprintf("'%s', augur.h in '%s'", path, include)
                : au_sprintf("'%s', but augur.h is not there", path),
        "install augur with 'make install'");
    free(include);
    free(path);
}

/* ---- the report ---- */

static bool all_there(const findings *f) {
    for (size_t i = 0; i < f->n; i++)
        if (f->at[i].required && f->at[i].verdict == MISSING)
            return false;
    return true;
}

static void print_text(au_out *out, const findings *f, bool color) {
    static const char *const hue[] = {"\033[32m", "\033[33m", "\033[31m"};
    for (size_t i = 0; i < f->n; i++) {
        const finding *x = &f->at[i];
        au_out_printf(out, "%s%-7s%s  %-11s  %s\n", color ? hue[x->verdict] : "",
                      verdict_name[x->verdict], color ? "\033[0m" : "", x->name, x->detail);
        if (*x->advice)
            au_out_printf(out, "%22s%s\n", "", x->advice);
    }
    au_out_str(out,
               all_there(f) ? "everything required is there\n" : "something required is missing\n");
}

static void print_json(au_out *out, const findings *f) {
    au_json j;
    au_json_init(&j, out, true);
    au_json_object(&j);
    au_json_put_string(&j, "tool", "augur");
    au_json_put_string(&j, "version", AU_VERSION);
    au_json_put_bool(&j, "ok", all_there(f));
    au_json_key(&j, "checks");
    au_json_array(&j);
    for (size_t i = 0; i < f->n; i++) {
        const finding *x = &f->at[i];
        au_json_object_inline(&j);
        au_json_put_string(&j, "name", x->name);
        au_json_put_string(&j, "status", verdict_name[x->verdict]);
        au_json_put_bool(&j, "required", x->required);
        au_json_put_string(&j, "detail", x->detail);
        if (*x->advice)
            au_json_put_string(&j, "advice", x->advice);
        au_json_end_object(&j);
    }
    au_json_end_array(&j);
    au_json_end_object(&j);
    au_out_char(out, '\n');
}

int au_cmd_doctor(const au_opts *o) {
    findings f = {0};
    add(&f, "augur", GOOD, REQUIRED, au_strdup(AU_VERSION), "");
    check_kernel(&f);
    check_size(&f);
    check_libraries(&f);
    check_directory(&f);
    check_terminal(&f, o);
    check_workers(&f);
    check_personality(&f);
    check_ptrace(&f);
    au_doctor_container(&f);
    check_program(&f, "gdb", "install it to debug replayed bugs: apt-get install gdb");
    check_clang(&f);
    check_module(&f);
    check_runtime(&f);
    au_error err = AU_ERROR_NONE;
    au_out *out = au_out_fd(STDOUT_FILENO, "<stdout>");
    if (!strcmp(au_opt_str(o, "format"), "json"))
        print_json(out, &f);
    else
        print_text(out, &f, au_cli_color(o, STDOUT_FILENO));
    int status = all_there(&f) ? AU_EXIT_NOTHING : AU_EXIT_INTERNAL;
    for (size_t i = 0; i < f.n; i++)
        free(f.at[i].detail);
    au_vec_release(&f);
    return au_out_commit(out, &err) == AU_OK ? status : au_cli_fail(&err);
}
