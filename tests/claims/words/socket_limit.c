//! right
// A socket waits no longer than it was told to, and that long.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static void *wait_for(void *_) {
    struct timeval limit = {0, 3000};
    struct timespec a, b;
    int p[2];
    char c;
    socketpair(AF_UNIX, SOCK_STREAM, 0, p);
    setsockopt(p[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    clock_gettime(CLOCK_MONOTONIC, &a);
    assert(recv(p[0], &c, 1, 0) < 0 && errno == EAGAIN);
    clock_gettime(CLOCK_MONOTONIC, &b);
    assert((b.tv_sec - a.tv_sec) * 1000000000L + b.tv_nsec - a.tv_nsec >= 2000000);
    return _;
}
int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, wait_for, 0);
    pthread_create(&u, 0, wait_for, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
