//! right
// with RIGHT: right
// A timer that is a descriptor has gone off: so much time has passed by the program's clock, too.
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
static void *wait_for(void *_) {
    int f = timerfd_create(CLOCK_MONOTONIC, 0);
    struct itimerspec span = {{0, 0}, {0, 2000000}};
    struct timespec p, q;
    uint64_t times = 0;
    clock_gettime(CLOCK_MONOTONIC, &p);
    timerfd_settime(f, 0, &span, 0);
#ifdef RIGHT
    struct pollfd polled = {f, POLLIN, 0};
    times = (uint64_t)poll(&polled, 1, -1);
#else
    read(f, &times, sizeof times);
#endif
    clock_gettime(CLOCK_MONOTONIC, &q);
    assert(times);
    assert((q.tv_sec - p.tv_sec) * 1000000000L + q.tv_nsec - p.tv_nsec >= 2000000);
    close(f);
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
