/* bench/measure.c: runs a command several times and prints the best wall-clock
 * and processor times in seconds and the largest resident memory in KiB.
 *
 *     measure REPEAT COMMAND [ARGUMENT...]
 *
 * The command's standard output goes to /dev/null. Any failure of it is ours. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double seconds(struct timeval t) {
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

static void child(char **argv) {
    int null = open("/dev/null", O_WRONLY);
    if (null < 0 || dup2(null, 1) < 0)
        _exit(127);
    execvp(argv[0], argv);
    fprintf(stderr, "measure: cannot run '%s': %s\n", argv[0], strerror(errno));
    _exit(127);
}

int main(int argc, char **argv) {
    int repeat = argc > 2 ? atoi(argv[1]) : 0;
    if (repeat < 1) {
        fprintf(stderr, "usage: measure REPEAT COMMAND [ARGUMENT...]\n");
        return 2;
    }
    double best = 0, best_cpu = 0;
    long peak = 0;
    for (int i = 0; i < repeat; i++) {
        double start = now();
        pid_t pid = fork();
        if (pid < 0) {
            perror("measure: fork");
            return 1;
        }
        if (pid == 0)
            child(argv + 2);
        int status;
        struct rusage use;
        if (wait4(pid, &status, 0, &use) != pid || !WIFEXITED(status) || WEXITSTATUS(status)) {
            fprintf(stderr, "measure: '%s' failed\n", argv[2]);
            return 1;
        }
        double took = now() - start;
        if (i == 0 || took < best)
            best = took;
        double cpu = seconds(use.ru_utime) + seconds(use.ru_stime);
        if (i == 0 || cpu < best_cpu)
            best_cpu = cpu;
        if (use.ru_maxrss > peak)
            peak = use.ru_maxrss;
    }
    printf("%.5f %.5f %ld\n", best, best_cpu, peak);
    return 0;
}
