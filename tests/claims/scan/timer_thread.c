// race: UNKNOWN FALSE
// The timer's thread and main both write.
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>
static int x;
static void tick(union sigval v) {
    x = v.sival_int;
}
int main(void) {
    timer_t t;
    struct sigevent e = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = tick};
    struct itimerspec s = {.it_value = {.tv_nsec = 1000000}};
    timer_create(CLOCK_MONOTONIC, &e, &t);
    timer_settime(t, 0, &s, 0);
    x = 1;
    sleep(1);
    return 0;
}
