//! truth: none: CLOCK_MONOTONIC never goes back; who reads the stamp under the lock asks the clock after it was taken
#include <assert.h>
#include <pthread.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long stamp;
static long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}
static void *A(void *a) {
    pthread_mutex_lock(&m);
    long s = stamp, n = now();
    pthread_mutex_unlock(&m);
    assert(n >= s);
    return 0;
}
static void *B(void *a) {
    pthread_mutex_lock(&m);
    stamp = now();
    pthread_mutex_unlock(&m);
    return 0;
}
int main() {
    pthread_t t, u;
    pthread_create(&t, 0, A, 0);
    pthread_create(&u, 0, B, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
