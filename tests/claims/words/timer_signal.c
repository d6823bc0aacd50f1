//! reports race
// with RIGHT: right
// A timer sends its signal when it has been set.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <time.h>
static int y;
static pthread_t t;
static void *hear(void *_) {
    sigset_t set;
    int got;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigwait(&set, &got);
    y = 2;
    return _;
}
int main(void) {
    timer_t timer;
    sigset_t set;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec span = {{0, 0}, {0, 1000000}};
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    pthread_create(&t, 0, hear, 0);
#ifdef RIGHT
    y = 1;
#endif
    timer_settime(timer, 0, &span, 0);
#ifndef RIGHT
    y = 1;
#endif
    pthread_join(t, 0);
    return 0;
}
