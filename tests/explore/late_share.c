/* What is shared only behind a branch: 'stop' is written in no run in which the wait ends in time. */
#include <assert.h>
#include <pthread.h>
#include <time.h>
static int done, stop;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *works(void *unused) {
    pthread_mutex_lock(&m);
    assert(!stop);
    done = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return unused;
}
int main(void) {
    pthread_t a;
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += 5;
    pthread_create(&a, NULL, works, NULL);
    pthread_mutex_lock(&m);
    while (!done)
        if (pthread_cond_timedwait(&c, &m, &t)) {
            stop = 1;
            break;
        }
    pthread_mutex_unlock(&m);
    pthread_join(a, NULL);
    return 0;
}
