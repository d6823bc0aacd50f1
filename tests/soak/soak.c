/* tests/soak/soak.c: random programs, for as long as one likes, while everything goes wrong that can.
 *
 *     soak [--seconds 600] [--seed 1] [--jobs 2] [--faults 8] [--keep DIR] [--log FILE]
 *     soak --rounds 3 …                            so many rounds instead of a time
 *     soak --round SEED [--program N] [--fault F]… one round again, with these faults; '-': none
 *
 * $AUGUR is the program (default: ../../augur as seen from this one), $SANITIZED not empty if it was built
 * with sanitizers. What is tested and what counts as a failure: round.c; the faults: fault.h. The last line is
 *     programs N, findings N, confirmed N, faults N (ENOSPC N, …), divergences N, lost N
 * and the exit status 0 only if the last two are 0. Failures are kept in DIR, each with the command that
 * repeats it. */
#include "round.h"

#include "base/clock.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_JOBS = 64, MOST_FAULTS = 64 };

typedef struct {
    double seconds;
    uint64_t seed, jobs, rounds;
    bool one_round;
    char keep[400], top[400];
    soak_how_to how;
    soak_fault fault[MOST_FAULTS];
} settings;

static char augur[500], self[500], preload[600];
static pid_t worker[MOST_JOBS];
static volatile sig_atomic_t stopped;

static void on_stop(int sig) {
    stopped = sig;
}

static void usage(const char *what) {
    fprintf(stderr, "soak: %s; the head of tests/soak/soak.c explains the options\n", what);
    exit(2);
}

static void options(settings *o, int argc, char **argv) {
    soak_how_to *h = &o->how;
    for (int i = 1; i < argc; i += 2) {
        const char *name = argv[i], *value = argv[i + 1];
        if (!value)
            usage("a value is missing");
        if (!strcmp(name, "--seconds"))
            o->seconds = strtod(value, NULL);
        else if (!strcmp(name, "--seed"))
            o->seed = strtoull(value, NULL, 10);
        else if (!strcmp(name, "--jobs"))
            o->jobs = strtoull(value, NULL, 10);
        else if (!strcmp(name, "--faults"))
            h->faults = (uint32_t)strtoul(value, NULL, 10);
        else if (!strcmp(name, "--rounds"))
            o->rounds = strtoull(value, NULL, 10);
        else if (!strcmp(name, "--keep"))
            snprintf(o->keep, sizeof o->keep, "%s", value);
        else if (!strcmp(name, "--log"))
            h->log = value;
        else if (!strcmp(name, "--round"))
            o->one_round = true, o->seed = strtoull(value, NULL, 10), o->rounds = o->jobs = 1;
        else if (!strcmp(name, "--program"))
            h->only_program = (int32_t)strtol(value, NULL, 10);
        else if (!strcmp(name, "--fault")) {
            h->faults = 0;
            h->only = o->fault;
            if (h->n_only == MOST_FAULTS)
                usage("too many faults");
            if (strcmp(value, "-") && !soak_fault_parse(value, &o->fault[h->n_only++]))
                usage("no such fault");
        } else
            usage("unknown option");
    }
    if (!o->jobs || o->jobs > MOST_JOBS)
        usage("so many jobs cannot be");
}

static void find_programs(settings *o) {
    const char *given = getenv("AUGUR"), *sanitized = getenv("SANITIZED");
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = 0;
    char top[500];
    snprintf(top, sizeof top, "%s", self);
    *strrchr(top, '/') = 0;
    snprintf(preload, sizeof preload, "%s/no_malloc.so", top);
    if (given && *given) {
        char *full = realpath(given, NULL);
        snprintf(augur, sizeof augur, "%.400s", full ? full : given);
        free(full);
    } else {
        *strrchr(top, '/') = 0;
        *strrchr(top, '/') = 0;
        snprintf(augur, sizeof augur, "%.400s/augur", top);
    }
    o->how.augur = augur;
    o->how.self = self;
    o->how.preload = preload;
    o->how.sanitized = sanitized && *sanitized;
}

/* A mount of our own is seen by nobody else. */
static bool own_mounts(const char *dir) {
    char path[600];
    snprintf(path, sizeof path, "%s/try", dir);
    if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mkdir(path, 0777) || mount("none", path, "tmpfs", 0, "size=64k"))
        return false;
    umount2(path, MNT_DETACH);
    rmdir(path);
    return true;
}

static _Noreturn void work(settings *o, uint64_t k) {
    char dir[500];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    snprintf(dir, sizeof dir, "%s/%llu", o->top, (unsigned long long)k);
    mkdir(dir, 0777);
    soak_command_prepare();
    o->how.can = (soak_can){
        .calls = soak_can_fail_calls(), .mounts = own_mounts(dir), .memory = !o->how.sanitized};
    if (!k && !o->how.can.calls)
        fprintf(stderr, "soak: no seccomp here: system calls are not failed\n");
    if (!k && !o->how.can.mounts)
        fprintf(stderr, "soak: no mounts here: no full file systems\n");
    double begun = au_now();
    o->how.until = o->rounds ? 0 : begun + o->seconds;
    for (uint64_t i = k;; i += o->jobs) {
        if (o->rounds ? i >= o->rounds : au_now() > o->how.until)
            break;
        soak_round(&o->how, dir, o->seed + i);
    }
    exit(0);
}

static void tell(const soak_sums *s, FILE *to) {
    fprintf(to, "programs %llu, findings %llu, confirmed %llu, faults %llu (",
            (unsigned long long)s->programs, (unsigned long long)s->findings,
            (unsigned long long)s->confirmed, (unsigned long long)s->faults);
    bool first = true;
    for (int i = 0; soak_kinds[i]; i++)
        if (s->kind[i]) {
            fprintf(to, "%s%s %llu", first ? "" : ", ", soak_kinds[i],
                    (unsigned long long)s->kind[i]);
            first = false;
        }
    fprintf(to, "), divergences %llu, lost %llu", (unsigned long long)s->divergences,
            (unsigned long long)s->lost);
}

/* Until all workers have ended; false if one did not end well. */
static bool watch(const settings *o, const soak_sums *sums) {
    bool terminal = isatty(2), good = true;
    double begun = au_now(), told = begun;
    uint64_t left = o->jobs;
    while (left && !stopped) {
        nanosleep(&(struct timespec){0, 200 * 1000 * 1000}, NULL);
        for (uint64_t k = 0; k < o->jobs; k++) {
            int status;
            if (!worker[k] || waitpid(worker[k], &status, WNOHANG) != worker[k])
                continue;
            worker[k] = 0;
            left--;
            good &= WIFEXITED(status) && !WEXITSTATUS(status);
        }
        double now = au_now();
        if (!o->one_round && now - told >= (terminal ? 1 : 60)) {
            told = now;
            fprintf(stderr, terminal ? "\r%.0f s: " : "%.0f s: ", now - begun);
            tell(sums, stderr);
            fputs(terminal ? "\033[K" : "\n", stderr);
        }
    }
    if (terminal)
        fputs("\r\033[K", stderr);
    for (uint64_t k = 0; k < o->jobs; k++)
        if (worker[k]) {
            kill(worker[k], SIGKILL);
            waitpid(worker[k], NULL, 0);
        }
    return good;
}

int main(int argc, char **argv) {
    static settings o = {
        .seconds = 600, .seed = 1, .jobs = 2, .how = {.faults = 8, .only_program = -1}};
    options(&o, argc, argv);
    find_programs(&o);
    const char *tmp = getenv("TMPDIR");
    if (!*o.keep)
        snprintf(o.keep, sizeof o.keep, "soak-failures");
    mkdir(o.keep, 0777);
    char *keep = realpath(o.keep, NULL);
    snprintf(o.top, sizeof o.top, "%.300s/soak-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!keep || !mkdtemp(o.top)) {
        fprintf(stderr, "soak: cannot make '%s': %s\n", keep ? o.top : o.keep, strerror(errno));
        return 2;
    }
    o.how.keep = keep;
    soak_sums *sums =
        mmap(NULL, sizeof *sums, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (sums == MAP_FAILED)
        return 2;
    o.how.sums = sums;
    setenv("ASAN_OPTIONS", "abort_on_error=0:detect_leaks=1:allocator_may_return_null=1", 0);
    setenv("LC_ALL", "C.UTF-8", 1);
    signal(SIGINT, on_stop);
    signal(SIGTERM, on_stop);
    for (uint64_t k = 0; k < o.jobs; k++) {
        fflush(NULL);
        worker[k] = fork();
        if (!worker[k])
            work(&o, k);
    }
    bool good = watch(&o, sums);
    char line[600];
    snprintf(line, sizeof line, "rm -rf '%s'", o.top);
    if (system(line))
        fprintf(stderr, "soak: cannot remove '%s'\n", o.top);
    rmdir(keep); /* if nothing is in it */
    free(keep);
    tell(sums, stdout);
    putchar('\n');
    if (!good)
        fprintf(stderr, "soak: a worker did not end well\n");
    return good && !sums->divergences && !sums->lost && (sums->programs || stopped) ? 0 : 1;
}
