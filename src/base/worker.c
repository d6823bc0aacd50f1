/* base/worker.c: a pool of forked children, each with one job.
 *
 * The parent polls the pipes. A child's life: fork, limits, job, write all of
 * the result, a final mark byte, _exit(0). A result without the mark did not
 * arrive whole and counts as a death. Children die with the parent
 * (PR_SET_PDEATHSIG), so a killed augur leaves nothing running. */
#include "base/worker.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_MEMORY = 86, MARK = 0x5a };

typedef struct {
    pid_t pid; /* 0: free slot */
    int fd;
    uint32_t index;
    double begun;
    bool late;
    AU_VEC(char) data;
} child;

unsigned au_cores(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set))
        return 1;
    int n = CPU_COUNT(&set);
    return n > 0 ? (unsigned)n : 1;
}

static void child_out_of_memory(size_t bytes) {
    (void)bytes;
    _exit(EXIT_MEMORY);
}

/* What the parent maps already does not count against the child's limit. */
static uint64_t mapped_bytes(void) {
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f) {
        if (fscanf(f, "%lu", &pages) != 1)
            pages = 0;
        fclose(f);
    }
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static _Noreturn void child_main(int fd, const au_pool_limits *limits, au_job_fn *job, void *ctx,
                                 uint32_t index, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    au_alloc_on_oom(child_out_of_memory);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    if (limits->memory_bytes) {
        rlim_t top = (rlim_t)(mapped_bytes() + limits->memory_bytes);
        struct rlimit r = {top, top};
        setrlimit(RLIMIT_AS, &r);
    }
    au_out *out = au_out_fd(fd, "<result>");
    job(ctx, index, out);
    au_out_char(out, MARK);
    _exit(au_out_commit(out, NULL) == AU_OK ? 0 : 1);
}

static bool start_child(child *c, uint32_t index, const au_pool_limits *limits, au_job_fn *job,
                        void *ctx, au_error *err) {
    int p[2];
    if (pipe2(p, O_CLOEXEC)) {
        au_error_errno(err, "cannot make a pipe for a worker");
        return false;
    }
    fflush(NULL); /* or the child writes our buffers a second time */
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid < 0) {
        au_error_errno(err, "cannot start a worker");
        close(p[0]);
        close(p[1]);
        return false;
    }
    if (!pid) {
        close(p[0]);
        child_main(p[1], limits, job, ctx, index, parent);
    }
    close(p[1]);
    *c = (child){.pid = pid, .fd = p[0], .index = index, .begun = au_now()};
    return true;
}

/* Reads what is there; true at the end of the pipe. */
static bool drain(child *c) {
    char buf[65536];
    ssize_t k = read(c->fd, buf, sizeof buf);
    if (k < 0)
        return errno != EINTR;
    au_vec_append(&c->data, buf, (size_t)k);
    return k == 0;
}

static void reap(child *c, au_job_result *r, char *detail, size_t size) {
    int status = 0;
    struct rusage u = {0};
    close(c->fd);
    while (wait4(c->pid, &status, 0, &u) < 0 && errno == EINTR)
        ;
    *r = (au_job_result){.index = c->index,
                         .end = AU_JOB_DIED,
                         .seconds = au_now() - c->begun,
                         .peak_kib = (uint64_t)u.ru_maxrss,
                         .detail = detail};
    detail[0] = 0;
    if (c->late) {
        r->end = AU_JOB_TIMEOUT;
        snprintf(detail, size, "no answer after %.3g s", r->seconds);
    } else if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_MEMORY) {
        r->end = AU_JOB_MEMORY;
        snprintf(detail, size, "out of memory");
    } else if (WIFSIGNALED(status)) {
        snprintf(detail, size, "killed by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    } else if (WEXITSTATUS(status)) {
        snprintf(detail, size, "exit status %d", WEXITSTATUS(status));
    } else if (!c->data.n || (unsigned char)au_vec_last(&c->data) != MARK) {
        snprintf(detail, size, "its result did not arrive whole");
    } else {
        r->end = AU_JOB_DONE;
        r->data = c->data.at;
        r->size = c->data.n - 1;
    }
}

static void report_unstarted(uint32_t index, au_job_end end, const char *why, au_job_done_fn *done,
                             void *ctx) {
    done(ctx, &(au_job_result){.index = index, .end = end, .detail = why});
}

/* Milliseconds until the next child is late, -1 if none can be. */
static int next_deadline(const child *c, unsigned n, double limit) {
    if (limit <= 0)
        return -1;
    double now = au_now(), best = 3600;
    for (unsigned i = 0; i < n; i++)
        if (c[i].pid && c[i].begun + limit - now < best)
            best = c[i].begun + limit - now;
    return best <= 0 ? 0 : (int)(best * 1000) + 1;
}

au_status au_pool_run(uint32_t n, const au_pool_limits *limits, au_job_fn *job,
                      au_job_done_fn *done, void *ctx, au_error *err) {
    unsigned slots = limits->jobs ? limits->jobs : au_cores();
    child *c = au_alloc_array(slots, sizeof *c);
    struct pollfd *pfd = au_alloc_array(slots, sizeof *pfd);
    uint32_t next = 0, running = 0;
    bool stop = false;
    au_status st = AU_OK;
    while (running || (next < n && !stop)) {
        for (unsigned i = 0; i < slots && next < n && !stop; i++) {
            if (c[i].pid)
                continue;
            au_error why = AU_ERROR_NONE;
            if (start_child(&c[i], next, limits, job, ctx, &why)) {
                next++;
                running++;
            } else if (!running) {
                /* Not even one: give up with what is left unanswered. */
                st = au_error_set(err, AU_EINTERNAL, "%s", why.text);
                while (next < n)
                    report_unstarted(next++, AU_JOB_DIED, why.text, done, ctx);
            } else {
                break; /* too many processes: try again when one has ended */
            }
        }
        for (unsigned i = 0; i < slots; i++)
            pfd[i] = (struct pollfd){c[i].pid ? c[i].fd : -1, POLLIN, 0};
        if (!running)
            continue;
        int k = poll(pfd, slots, next_deadline(c, slots, limits->seconds));
        double now = au_now();
        for (unsigned i = 0; i < slots; i++) {
            if (!c[i].pid)
                continue;
            if (limits->seconds > 0 && now - c[i].begun >= limits->seconds && !c[i].late) {
                c[i].late = true;
                kill(c[i].pid, SIGKILL);
            }
            if (k <= 0 || !pfd[i].revents || !drain(&c[i]))
                continue;
            au_job_result r;
            char detail[128];
            reap(&c[i], &r, detail, sizeof detail);
            if (stop && r.end != AU_JOB_DONE)
                r.end = AU_JOB_CANCELLED;
            bool go_on = done(ctx, &r);
            au_vec_release(&c[i].data);
            c[i].pid = 0;
            running--;
            if (!go_on && !stop) {
                stop = true;
                for (unsigned j = 0; j < slots; j++)
                    if (c[j].pid)
                        kill(c[j].pid, SIGKILL);
            }
        }
    }
    while (next < n)
        report_unstarted(next++, AU_JOB_CANCELLED, "stopped before it began", done, ctx);
    free(pfd);
    free(c);
    return st;
}
