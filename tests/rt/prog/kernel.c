/* Two threads talk through the kernel: a pipe, an event counter, a pair of sockets, poll; and read the clock. What
 * is told goes back and forth, so both have to wait in calls. */
#include "hook.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static int there[2], back[2], fd, sum;

static long now(void) {
    struct timespec t;
    CALL(40, clock_gettime, CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000 + t.tv_nsec;
}

static void *answers(void *a) {
    __augur_enter(&site[0]);
    uint64_t n = 0;
    int v = 0;
    for (int i = 0; i < 3; i++) {
        struct pollfd p = {there[0], POLLIN, 0};
        CALL(1, poll, &p, 1, -1);
        CALL(3, read, there[0], &v, sizeof v);
        v *= 2;
        CALL(5, send, back[1], &v, sizeof v, 0);
    }
    CALL(7, read, fd, &n, sizeof n);
    ST(11, sum, sum + (int)n);
    __augur_leave(&site[12]);
    return a;
}

int main(void) {
    __augur_enter(&site[20]);
    if (pipe(there) || socketpair(AF_UNIX, SOCK_STREAM, 0, back))
        return 1;
    fd = eventfd(0, 0);
    pthread_t t;
    CALL(21, pthread_create, &t, NULL, answers, NULL);
    long before = now();
    for (int i = 1; i <= 3; i++) {
        int v = i;
        CALL(23, write, there[1], &v, sizeof v);
        CALL(25, recv, back[0], &v, sizeof v, 0);
        ST(27, sum, sum + v);
    }
    uint64_t n = 100;
    CALL(28, write, fd, &n, sizeof n);
    if (now() < before)
        return 2;
    CALL(32, pthread_join, t, NULL);
    CALL(34, printf, "%d\n", LD(36, sum));
    __augur_leave(&site[37]);
    return 0;
}
