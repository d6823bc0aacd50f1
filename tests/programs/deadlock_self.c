/* A normal mutex locked twice by one thread: told as a misuse, then a deadlock.
 *
 * ONLY recorded
 * ENDS deadlock
 * EXIT 1
 * T0 fork T1
 * T1 acq m, lockerr m=1 */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused) {
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
