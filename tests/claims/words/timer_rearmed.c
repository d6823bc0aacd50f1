//! right
// A timer is set again before another one is set: the clock follows the other one, too.
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
static void *wait_for(void *_) {
    int f = timerfd_create(CLOCK_MONOTONIC, 0), g = timerfd_create(CLOCK_MONOTONIC, 0);
    struct itimerspec hour = {{0, 0}, {3600, 0}}, span = {{0, 0}, {0, 2000000}};
    struct timespec p, q;
    struct pollfd polled = {g, POLLIN, 0};
    for (int i = 0; i < 3; i++)
        timerfd_settime(f, 0, &hour, 0);
    clock_gettime(CLOCK_MONOTONIC, &p);
    timerfd_settime(g, 0, &span, 0);
    assert(poll(&polled, 1, -1) == 1);
    clock_gettime(CLOCK_MONOTONIC, &q);
    assert((q.tv_sec - p.tv_sec) * 1000000000L + q.tv_nsec - p.tv_nsec >= 2000000);
    close(f);
    close(g);
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
