//! finds race
// with RIGHT: silent
/* A timer's thread (SIGEV_THREAD), which the C library starts by itself: it is awaited, and comes after the arming. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>
static int n;
static sem_t s;
static void ring(union sigval v) {
#ifdef RIGHT
    n += v.sival_int;
    sem_post(&s);
#else
    sem_post(&s);
    n += v.sival_int;
#endif
}
int main(void) {
    timer_t t;
    struct sigevent e = {
        .sigev_notify = SIGEV_THREAD, .sigev_notify_function = ring, .sigev_value.sival_int = 4};
    struct itimerspec soon = {.it_value.tv_nsec = 1000000};
    sem_init(&s, 0, 0);
    if (timer_create(CLOCK_MONOTONIC, &e, &t))
        return 1;
    n = 1;
    timer_settime(t, 0, &soon, NULL);
    sem_wait(&s);
    return n == 0;
}
