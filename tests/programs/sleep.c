/* Sleeping lets others run; a replay does not wait.
 *
 * EXIT 0
 * OUT 3 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static int n;

static void *work(void *unused) {
    usleep(2000);
    __atomic_add_fetch(&n, 1, __ATOMIC_SEQ_CST);
    struct timespec ms = {0, 1000000}, bad = {0, -1}, left;
    if (nanosleep(&ms, &left) || nanosleep(&bad, NULL) != -1 || errno != EINVAL)
        n += 100;
    if (clock_nanosleep(CLOCK_MONOTONIC, 0, &ms, NULL) ||
        clock_nanosleep(CLOCK_MONOTONIC, 0, &bad, NULL) != EINVAL)
        n += 1000;
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &at, NULL);
    sched_yield();
    sleep(0);
    return unused;
}

int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", n);
    return n != 3;
}
