/* tests/soak/command.c: see command.h. */
#include "command.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/kcmp.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What an orphan is given to end by itself: the kernel tells it that its parent died, but a busy machine
 * may not let it run at once. */
static const double grace = 60;

/* Shared with the process that is about to become the command. */
typedef struct {
    int listener; /* number of its descriptor; -1: not yet, -2: there is none */
    int taken;
} meeting;

static meeting *shared;

void soak_command_prepare(void) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        abort();
}

/* --- in the child ------------------------------------------------------------------------------ */

/* Every call of this number is asked about. Only calls and returns here: the child is a copy. */
static int listen_to(int call) {
    struct sock_filter text[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, 2),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
    };
    struct sock_fprog program = {sizeof text / sizeof *text, text};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
                        &program);
}

static bool asks(const soak_fault *f) {
    return f && soak_is_call(f);
}

static void point_at(const char *dir, const char *name, int fd) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    int got = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (got < 0 || dup2(got, fd) < 0)
        _exit(126);
}

static _Noreturn void become(const soak_start *s) {
    const soak_fault *f = s->fault;
    char number[40];
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null < 0 || dup2(null, 0) < 0)
        _exit(126);
    point_at(s->dir, "out", 1);
    point_at(s->dir, "err", 2);
    setenv("TMPDIR", s->tmp, 1);
    if (chdir(s->dir))
        _exit(126);
    if (f && f->how == BY_NULL) {
        snprintf(number, sizeof number, "%s:%llu%s", s->tool, (unsigned long long)f->n,
                 f->onwards ? "+" : "");
        setenv("SOAK_MALLOC", number, 1);
        setenv("LD_PRELOAD", s->preload, 1);
    }
    if (f && f->how == BY_MEMORY) {
        struct rlimit most = {f->n << 20, f->n << 20};
        setrlimit(RLIMIT_AS, &most);
    }
    if (asks(f)) {
        int listener = listen_to(f->call);
        __atomic_store_n(&shared->listener, listener < 0 ? -2 : listener, __ATOMIC_SEQ_CST);
        while (!__atomic_load_n(&shared->taken, __ATOMIC_SEQ_CST))
            sched_yield();
    }
    execv(s->argv[0], s->argv);
    _exit(126);
}

/* --- answering ---------------------------------------------------------------------------------- */

typedef struct {
    const soak_start *s;
    soak_end *e;
    pid_t pid; /* the first process */
    int listener;
    uint64_t counted;
} watch;

static pid_t group_of(pid_t thread) {
    char path[64], line[128];
    pid_t found = thread;
    snprintf(path, sizeof path, "/proc/%d/status", thread);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "Tgid: %d", &found) == 1)
            break;
    if (f)
        fclose(f);
    return found;
}

static soak_who who_is(const watch *w, pid_t thread) {
    char path[64], exe[600];
    snprintf(path, sizeof path, "/proc/%d/exe", thread);
    ssize_t n = readlink(path, exe, sizeof exe - 1);
    exe[n > 0 ? n : 0] = 0;
    const char *name = strrchr(exe, '/');
    if (!name || !strncmp(name + 1, "soak", 4)) /* not yet what it is to be */
        return WHO_ALL;
    if (strcmp(name + 1, w->s->tool))
        return WHO_PROGRAM;
    pid_t group = group_of(thread);
    if (group == w->pid)
        return WHO_TOOL;
    /* One that has the tool's own memory: a sanitizer's, which looks for leaks while the tool waits for it. */
    return syscall(SYS_kcmp, group, w->pid, KCMP_VM, 0, 0) == 0 ? WHO_ALL : WHO_WORKER;
}

/* Writes half of it in the caller's place; what the call gives back, or -errno. */
static int64_t write_half(const struct seccomp_notif *q) {
    size_t n = q->data.args[2] / 2;
    char *copy = malloc(n ? n : 1);
    int pidfd = (int)syscall(SYS_pidfd_open, group_of((pid_t)q->pid), 0);
    int fd = (int)syscall(SYS_pidfd_getfd, pidfd, (int)q->data.args[0], 0);
    struct iovec to = {copy, n}, from = {(void *)(uintptr_t)q->data.args[1], n};
    ssize_t got = copy ? process_vm_readv((pid_t)q->pid, &to, 1, &from, 1, 0) : -1;
    int64_t done = -EIO;
    if (fd >= 0 && got == (ssize_t)n) {
        ssize_t k = q->data.nr == SYS_write ? write(fd, copy, n)
                                            : pwrite(fd, copy, n, (off_t)q->data.args[3]);
        done = k < 0 ? -errno : k;
    }
    if (fd >= 0)
        close(fd);
    if (pidfd >= 0)
        close(pidfd);
    free(copy);
    return done;
}

/* Is this call one that the fault speaks of? What is said to the user must come through, and futex is
 * interrupted only where it waits. */
static bool concerns(const watch *w, const struct seccomp_notif *q) {
    const soak_fault *f = w->s->fault;
    if (q->data.nr == SYS_write && (int)q->data.args[0] == 2 && f->how != BY_KILL)
        return false;
    if (f->how == BY_SHORT && q->data.args[2] < 2)
        return false;
    if (q->data.nr == SYS_futex && f->how == BY_ERRNO) {
        int op = (int)q->data.args[1] & 0x7f;
        return op == 0 || op == 9;
    }
    if (q->data.nr == SYS_clone && f->how == BY_ERRNO && f->who == WHO_PROGRAM)
        return false;
    return true;
}

static void answer(watch *w) {
    struct seccomp_notif q;
    memset(&q, 0, sizeof q);
    if (ioctl(w->listener, SECCOMP_IOCTL_NOTIF_RECV, &q))
        return;
    struct seccomp_notif_resp a = {.id = q.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    const soak_fault *f = w->s->fault;
    soak_who who = who_is(w, (pid_t)q.pid);
    if (who < WHO_ALL && concerns(w, &q)) {
        w->e->seen[who]++;
        if (who == f->who && (++w->counted == f->n || (f->onwards && w->counted > f->n))) {
            w->e->fired = true;
            if (f->how == BY_ERRNO) {
                a.flags = 0;
                a.error = -f->error;
            } else if (f->how == BY_SHORT) {
                int64_t k = write_half(&q);
                a.flags = 0;
                a.error = k < 0 ? (int)k : 0;
                a.val = k < 0 ? 0 : k;
            } else {
                pid_t whom = group_of((pid_t)q.pid);
                w->e->we_killed |= whom == w->pid;
                kill(whom, SIGKILL);
            }
        }
    }
    ioctl(w->listener, SECCOMP_IOCTL_NOTIF_SEND, &a);
}

/* --- watching ------------------------------------------------------------------------------------ */

static void pause_ms(long ms) {
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

/* What else of ours has ended; false: nobody is left. */
static bool anybody(void) {
    pid_t got;
    while ((got = waitpid(-1, NULL, WNOHANG)) > 0)
        continue;
    return got == 0;
}

static void take_listener(watch *w) {
    int number;
    while ((number = __atomic_load_n(&shared->listener, __ATOMIC_SEQ_CST)) == -1)
        sched_yield();
    if (number >= 0) {
        int pidfd = (int)syscall(SYS_pidfd_open, w->pid, 0);
        w->listener = (int)syscall(SYS_pidfd_getfd, pidfd, number, 0);
        close(pidfd);
    }
    __atomic_store_n(&shared->taken, 1, __ATOMIC_SEQ_CST);
}

/* One look at whoever wants something; at most so long. */
static void serve(watch *w, int ms) {
    struct pollfd p = {.fd = w->listener, .events = POLLIN};
    if (w->listener < 0)
        pause_ms(ms);
    else if (poll(&p, 1, ms) > 0 && p.revents & POLLIN)
        answer(w);
    else if (p.revents)
        pause_ms(1); /* nobody is left who could ask */
}

static void stop_and_go(const watch *w) {
    kill(-w->pid, SIGSTOP);
    pause_ms(1);
    kill(-w->pid, SIGCONT);
    w->e->fired = true;
}

/* Does it have a handler for this signal? */
static bool hears(pid_t pid, int sig) {
    char path[64], line[128];
    unsigned long long caught = 0;
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "SigCgt: %llx", &caught) == 1)
            break;
    if (f)
        fclose(f);
    return caught >> (sig - 1) & 1;
}

static void until_end(watch *w) {
    const soak_fault *f = w->s->fault;
    bool stops = f && f->how == BY_STOP, ends = f && f->how == BY_TERM;
    double begun = au_now(), heard = 0;
    int status;
    pid_t got;
    while ((got = waitpid(w->pid, &status, WNOHANG)) == 0) {
        serve(w, stops ? (int)f->n : w->listener < 0 ? 1 : 5);
        if (stops)
            stop_and_go(w);
        if (ends && !heard && hears(w->pid, SIGTERM))
            heard = au_now();
        if (ends && heard > 0 && !w->e->fired && au_now() - heard >= (double)f->n / 1000) {
            w->e->fired = true;
            kill(w->pid, SIGTERM);
        }
        if (au_now() - begun > w->s->seconds && !w->e->late) {
            w->e->late = true;
            kill(-w->pid, SIGKILL);
        }
    }
    w->e->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    w->e->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    /* Its descendants are ours now. */
    begun = au_now();
    while (anybody()) {
        serve(w, 2);
        if (au_now() - begun > grace) {
            w->e->left++;
            kill(-w->pid, SIGKILL);
            while (anybody() && au_now() - begun < grace + 5)
                serve(w, 2);
            break;
        }
    }
}

bool soak_run(const soak_start *s, soak_end *e) {
    watch w = {.s = s, .e = e, .listener = -1};
    *e = (soak_end){0};
    *shared = (meeting){.listener = -1};
    fflush(NULL);
    w.pid = fork();
    if (w.pid < 0) {
        perror("soak: fork");
        return false;
    }
    if (!w.pid)
        become(s);
    setpgid(w.pid, w.pid);
    if (asks(s->fault))
        take_listener(&w);
    else
        e->fired = s->fault && s->fault->how != BY_TERM;
    until_end(&w);
    if (w.listener >= 0)
        close(w.listener);
    if (e->status == 126) {
        fprintf(stderr, "soak: cannot start '%s'\n", s->argv[0]);
        return false;
    }
    return true;
}

bool soak_can_fail_calls(void) {
    pid_t pid = fork();
    if (!pid)
        _exit(listen_to(SYS_getppid) < 0);
    int status;
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status);
}
