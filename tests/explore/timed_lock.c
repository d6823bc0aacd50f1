/* A lock that does not come in time. */
#include <assert.h>
#include <pthread.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *tries(void *unused) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += 5;
    int e = pthread_mutex_timedlock(&m, &t);
    assert(e == 0);
    pthread_mutex_unlock(&m);
    return unused;
}
static void *holds(void *unused) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return unused;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, tries, NULL);
    pthread_create(&b, NULL, holds, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
