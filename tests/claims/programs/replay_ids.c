/* The process asks the kernel about itself by number. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

int main(void) {
    cpu_set_t set;
    struct sched_param param;
    pid_t pid = getpid(), tid = gettid();
    int a = sched_getaffinity(pid, sizeof set, &set), b = sched_getscheduler(tid);
    int c = sched_getparam(pid, &param), d = getpgid(pid) > 0, e = getsid(pid) >= 0;
    int f = getpriority(PRIO_PROCESS, (id_t)tid), g = kill(pid, 0),
        h = prlimit(pid, RLIMIT_CORE, 0, 0);
    printf("%d %d %d %d %d %d %d %d\n", a, b, c, d, e, f, g, h);
    return 0;
}
