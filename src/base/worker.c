/* base/worker.c: a pool of forked children, each with a batch of jobs.
 *
 * The parent polls the pipes. A child's life: fork, limits; for each job a frame
 * (head, result) when it is done; _exit(0). One that prepares itself gets its batches over a socket, one
 * after the other; forks of it do them and write the frames, the last one it does itself. A frame that did not arrive whole
 * counts as a death in its job. Children die with the parent (PR_SET_PDEATHSIG),
 * so a killed augur leaves nothing running. */
#include "base/worker_priv.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/deadline.h"
#include "base/limits.h"
#include "base/vec.h"

#include <ctype.h>
#include <dirent.h>
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
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_MEMORY = 86 };

/* Before each result. */
typedef struct {
    uint64_t size;
    uint64_t peak_kib;
    uint64_t limits[AU_LIMIT_WORDS]; /* that bit */
} frame;

typedef struct {
    uint32_t from, to;
} range;

/* To a child that lives on. */
typedef struct {
    range todo; /* may be empty */
    bool last;
} meal;

typedef struct {
    pid_t pid; /* 0: free slot */
    int fd;
    int feed;   /* where it gets more batches; -1: it has its last one */
    range todo; /* its first is the job it is at */
    double begun;
    bool late;
    uint32_t late_at; /* job; if its result still came, nobody is late */
    AU_VEC(char) data;
} child;

typedef struct {
    const au_pool_limits *limits;
    au_job_fn *job;
    au_job_done_fn *done;
    void *ctx;
    child *c;
    unsigned slots, running;
    AU_VEC(range) waiting; /* the next one last */
    bool stop;
    bool over; /* … because the command's time is */
} pool;

unsigned au_cores(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set))
        return 1;
    int n = CPU_COUNT(&set);
    return n > 0 ? (unsigned)n : 1;
}

_Noreturn void au_job_no_memory(void) {
    _exit(EXIT_MEMORY);
}

static void child_out_of_memory(size_t bytes) {
    (void)bytes;
    au_job_no_memory();
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

static void die_with(pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
}

/* What a terminal sends to all of us is the parent's to hear; a program that is executed here does not inherit
 * this, as it would inherit a signal that is ignored. */
static void not_mine(int sig) {
    (void)sig;
}

static bool in_child;

bool au_is_worker(void) {
    return in_child;
}

static void child_limits(const au_pool_limits *limits, pid_t parent) {
    in_child = true;
    die_with(parent);
    au_alloc_on_oom(child_out_of_memory);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, au_deadline_listens() ? not_mine : SIG_DFL);
    signal(SIGTERM, au_deadline_listens() ? not_mine : SIG_DFL);
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    if (limits->memory_bytes) {
        rlim_t top = (rlim_t)(mapped_bytes() + limits->memory_bytes);
        struct rlimit r = {top, top};
        setrlimit(RLIMIT_AS, &r);
    }
}

void au_child_begin(const au_pool_limits *limits, pid_t parent) {
    child_limits(limits, parent);
    au_limits_forget(); /* the parent knows of those */
}

/* Descriptors are replaced, not closed: what the caller's streams have in their buffers would be
 * written, by the fflush before a fork, into whatever got the number next. */
static void forget_descriptors(int keep, int keep_too) {
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    DIR *d = null < 0 ? NULL : opendir("/proc/self/fd");
    if (!d)
        _exit(1);
    for (struct dirent *e; (e = readdir(d));) {
        int fd = isdigit((unsigned char)*e->d_name) ? atoi(e->d_name) : -1;
        if (fd >= 0 && fd != keep && fd != keep_too && fd != null && fd != dirfd(d))
            dup3(null, fd, fd > 2 ? O_CLOEXEC : 0);
    }
    closedir(d);
    for (int fd = 0; fd <= 2; fd++) /* those that the caller had closed */
        if (fcntl(fd, F_GETFD) < 0)
            dup2(null, fd);
    close(null);
}

static void forget_signals(void) {
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigset_t none;
    for (int sig = 1; sig < NSIG; sig++)
        sigaction(sig, &standard, NULL); /* refused for some: those have no handler */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void do_jobs(const pool *p, int fd, range todo) {
    for (uint32_t i = todo.from; i < todo.to; i++) {
        au_out *result = au_out_memory();
        p->job(p->ctx, i, result);
        frame f;
        size_t size;
        const char *data = au_out_memory_data(result, &size);
        struct rusage u = {0};
        getrusage(RUSAGE_SELF, &u);
        f = (frame){.size = size, .peak_kib = (uint64_t)u.ru_maxrss};
        au_limits_take(f.limits);
        au_out *out = au_out_fd(fd, "<result>");
        au_out_write(out, &f, sizeof f);
        au_out_write(out, data, size);
        if (au_out_commit(out, NULL) != AU_OK)
            _exit(1);
        au_out_abandon(result);
    }
}

/* The child's end is that of the fork which did a part for it. */
static _Noreturn void end_likewise(int status) {
    if (WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        kill(getpid(), WTERMSIG(status));
    }
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

static void do_apart(const pool *p, int fd, range todo) {
    pid_t self = getpid(), pid = fork();
    if (!pid) {
        die_with(self);
        do_jobs(p, fd, todo);
        _exit(0);
    }
    if (pid < 0) { /* an answer that depends on others is better than none */
        do_jobs(p, fd, todo);
        return;
    }
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (status)
        end_likewise(status);
}

static meal fed(int feed) {
    meal next = {.last = true};
    while (recv(feed, &next, sizeof next, 0) < 0 && errno == EINTR)
        ;
    return next;
}

static _Noreturn void child_main(const pool *p, int fd, int feed, range todo, pid_t parent) {
    meal now = {todo, feed < 0};
    if (p->limits->foreign) {
        forget_signals();
        forget_descriptors(fd, feed);
    }
    au_child_begin(p->limits, parent);
    if (p->limits->prepare)
        p->limits->prepare(p->ctx);
    for (; !now.last; now = fed(feed))
        do_apart(p, fd, now.todo);
    do_jobs(p, fd, now.todo);
    _exit(0);
}

pid_t au_fork_flushed(void) {
    fflush(NULL); /* or the child writes our buffers a second time */
    return fork();
}

/* foreign: no handler of the caller's runs in the child, which forgets them before it takes signals. */
static pid_t fork_quietly(bool foreign) {
    sigset_t all, old;
    if (!foreign)
        return au_fork_flushed();
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pid_t pid = fork();
    int saved = errno;
    if (pid)
        pthread_sigmask(SIG_SETMASK, &old, NULL);
    errno = saved;
    return pid;
}

static bool make_ends(bool feeds, int fd[2], int feed[2], au_error *err) {
    feed[0] = feed[1] = -1;
    if (pipe2(fd, O_CLOEXEC)) {
        au_error_errno(err, "cannot make a pipe for a worker");
        return false;
    }
    /* Where poll fails (no memory), all are read in turn, and must not wait. */
    if (fcntl(fd[0], F_SETFL, O_NONBLOCK) ||
        (feeds && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, feed))) {
        au_error_errno(err, "cannot make a socket for a worker");
        close(fd[0]);
        close(fd[1]);
        return false;
    }
    return true;
}

static void close_end(int fd) {
    if (fd >= 0)
        close(fd);
}

static bool start_child(pool *p, child *c, range todo, au_error *err) {
    int fd[2], feed[2];
    if (!make_ends(p->limits->prepare && p->waiting.n > 1, fd, feed, err))
        return false;
    pid_t parent = getpid();
    pid_t pid = fork_quietly(p->limits->foreign);
    if (pid < 0)
        au_error_errno(err, "cannot start a worker");
    if (!pid) {
        close(fd[0]);
        close_end(feed[1]);
        child_main(p, fd[1], feed[0], todo, parent);
    }
    close(fd[1]);
    close_end(feed[0]);
    if (pid < 0) {
        close(fd[0]);
        close_end(feed[1]);
        return false;
    }
    *c = (child){.pid = pid, .fd = fd[0], .feed = feed[1], .todo = todo, .begun = au_now()};
    p->running++;
    return true;
}

/* The next batch for a child that has done its own. One that cannot be reached would wait for ever: its
 * siblings hold our end, too. */
static void feed_child(pool *p, child *c) {
    meal next = {.last = true};
    if (p->waiting.n && !p->stop) {
        next.todo = au_vec_pop(&p->waiting);
        next.last = !p->waiting.n;
    }
    bool sent = send(c->feed, &next, sizeof next, MSG_NOSIGNAL) == sizeof next;
    if (sent) {
        c->todo = next.todo;
    } else {
        kill(c->pid, SIGKILL);
        if (next.todo.from < next.todo.to)
            au_vec_push(&p->waiting, next.todo);
    }
    if (!sent || next.last) {
        close(c->feed);
        c->feed = -1;
    }
}

static void tell_all(pool *p, range r, au_job_end end, const char *why) {
    for (uint32_t i = r.from; i < r.to; i++)
        p->done(p->ctx, &(au_job_result){.index = i, .end = end, .detail = why});
}

/* Whoever calls it goes on to look at every child. */
static void stop_all(pool *p) {
    p->stop = true;
    for (unsigned i = 0; i < p->slots; i++)
        if (p->c[i].pid)
            kill(p->c[i].pid, SIGKILL);
}

/* The results that are whole. */
static void take_frames(pool *p, child *c) {
    size_t at = 0;
    frame f;
    while (c->data.n - at >= sizeof f && c->todo.from < c->todo.to) {
        memcpy(&f, c->data.at + at, sizeof f);
        if (c->data.n - at - sizeof f < f.size)
            break;
        double now = au_now();
        au_job_result r = {.index = c->todo.from++,
                           .end = AU_JOB_DONE,
                           .data = c->data.at + at + sizeof f,
                           .size = f.size,
                           .seconds = now - c->begun,
                           .peak_kib = f.peak_kib,
                           .detail = ""};
        c->begun = now;
        at += sizeof f + f.size;
        au_limits_add(f.limits);
        if (!p->done(p->ctx, &r) && !p->stop)
            stop_all(p);
    }
    memmove(c->data.at, c->data.at + at, c->data.n - at);
    c->data.n -= at;
    if (c->feed >= 0 && c->todo.from == c->todo.to)
        feed_child(p, c);
}

/* Reads what is there; true at the end of the pipe. */
static bool drain(pool *p, child *c) {
    char buf[65536];
    ssize_t k = read(c->fd, buf, sizeof buf);
    if (k < 0)
        return errno != EINTR && errno != EAGAIN;
    au_vec_append(&c->data, buf, (size_t)k);
    if (k)
        take_frames(p, c);
    return k == 0;
}

/* A child ended before its batch did: why. */
static void tell_death(pool *p, const child *c, int status, uint64_t peak_kib) {
    char detail[128];
    au_job_result r = {.index = c->todo.from,
                       .end = AU_JOB_DIED,
                       .seconds = au_now() - c->begun,
                       .peak_kib = peak_kib,
                       .detail = detail};
    if (p->stop) {
        r.end = AU_JOB_CANCELLED;
        snprintf(detail, sizeof detail, "%s", p->over ? au_deadline_why() : "stopped");
    } else if (c->late) {
        r.end = AU_JOB_TIMEOUT;
        snprintf(detail, sizeof detail, "no answer after %.3g s", r.seconds);
    } else if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_MEMORY) {
        r.end = AU_JOB_MEMORY;
        snprintf(detail, sizeof detail, "out of memory");
    } else if (WIFSIGNALED(status)) {
        snprintf(detail, sizeof detail, "killed by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    } else if (WEXITSTATUS(status)) {
        snprintf(detail, sizeof detail, "exit status %d", WEXITSTATUS(status));
    } else {
        snprintf(detail, sizeof detail, "its result is incomplete");
    }
    if (!p->done(p->ctx, &r) && !p->stop)
        stop_all(p);
}

static void reap(pool *p, child *c) {
    int status = 0;
    struct rusage u = {0};
    close(c->fd);
    close_end(c->feed);
    while (wait4(c->pid, &status, 0, &u) < 0 && errno == EINTR)
        ;
    c->pid = 0;
    p->running--;
    if (c->todo.from < c->todo.to && !(c->late && c->late_at != c->todo.from)) {
        tell_death(p, c, status, (uint64_t)u.ru_maxrss);
        c->todo.from++;
    }
    if (c->todo.from < c->todo.to)
        au_vec_push(&p->waiting, c->todo);
    au_vec_release(&c->data);
}

/* Milliseconds until the next child is late, or all are; -1 if none can be. Whoever listens for signals looks
 * now and then: one may come just before the wait begins. */
static int next_deadline(const pool *p) {
    double limit = p->limits->seconds, left = au_deadline_left();
    double now = au_now(), best = au_deadline_listens() ? 0.25 : 3600;
    if (limit <= 0 && left >= AU_FOREVER && !au_deadline_listens())
        return -1;
    for (unsigned i = 0; i < p->slots && limit > 0; i++)
        if (p->c[i].pid && p->c[i].begun + limit - now < best)
            best = p->c[i].begun + limit - now;
    best = left < best ? left : best;
    return best <= 0 ? 0 : (int)(best * 1000) + 1;
}

/* As many children as there may be; what cannot be started at all is told as dead. */
static au_status start_some(pool *p, au_error *err) {
    for (unsigned i = 0; i < p->slots && p->waiting.n && !p->stop; i++) {
        if (p->c[i].pid)
            continue;
        au_error why = AU_ERROR_NONE;
        if (start_child(p, &p->c[i], au_vec_last(&p->waiting), &why)) {
            p->waiting.n--;
        } else if (p->running) {
            return AU_OK; /* too many processes: try again when one has ended */
        } else {
            while (p->waiting.n)
                tell_all(p, au_vec_pop(&p->waiting), AU_JOB_DIED, why.text);
            return au_error_set(err, AU_EINTERNAL, "%s", why.text);
        }
    }
    return AU_OK;
}

static void wait_for_some(pool *p, struct pollfd *pfd) {
    for (unsigned i = 0; i < p->slots; i++)
        pfd[i] = (struct pollfd){p->c[i].pid ? p->c[i].fd : -1, POLLIN, 0};
    int k = poll(pfd, p->slots, next_deadline(p));
    bool all = k < 0 && errno != EINTR;
    if (all)
        nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
    for (unsigned i = 0; i < p->slots; i++) {
        child *c = &p->c[i];
        if (!c->pid)
            continue;
        if ((all || (k > 0 && pfd[i].revents)) && drain(p, c)) {
            reap(p, c);
            continue;
        }
        if (p->limits->seconds > 0 && au_now() - c->begun >= p->limits->seconds && !c->late) {
            c->late = true;
            c->late_at = c->todo.from;
            kill(c->pid, SIGKILL);
        }
    }
}

au_status au_pool_run(uint32_t n, const au_pool_limits *limits, au_job_fn *job,
                      au_job_done_fn *done, void *ctx, au_error *err) {
    pool p = {.limits = limits,
              .job = job,
              .done = done,
              .ctx = ctx,
              .slots = limits->jobs ? limits->jobs : au_cores()};
    uint32_t batch = limits->batch ? limits->batch : 1;
    for (uint32_t end = n; end;) { /* the first one last: it is taken from there */
        uint32_t from = (end - 1) / batch * batch;
        au_vec_push(&p.waiting, ((range){from, end}));
        end = from;
    }
    p.c = au_alloc_array(p.slots, sizeof *p.c);
    struct pollfd *pfd = au_alloc_array(p.slots, sizeof *pfd);
    au_status st = AU_OK;
    while (p.running || (p.waiting.n && !p.stop)) {
        if (!p.stop && au_deadline_over()) {
            p.over = true;
            stop_all(&p);
        }
        st = start_some(&p, err);
        if (p.running)
            wait_for_some(&p, pfd);
    }
    while (p.waiting.n)
        tell_all(&p, au_vec_pop(&p.waiting), AU_JOB_CANCELLED,
                 p.over ? au_deadline_why() : "stopped before it began");
    au_vec_release(&p.waiting);
    free(pfd);
    free(p.c);
    return st;
}
