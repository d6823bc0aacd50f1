//! finds assertion
// The clock is asked before the lock is taken: another thread may take it first, with a later stamp.
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long long last;

static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}
static void *right(void *a) {
    pthread_mutex_lock(&m);
    long long t = now();
    assert(t >= last);
    last = t;
    pthread_mutex_unlock(&m);
    return a;
}
static void *early(void *a) {
    long long t = now();
    pthread_mutex_lock(&m);
    assert(t >= last);
    last = t;
    pthread_mutex_unlock(&m);
    return a;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, right, 0);
    pthread_create(&b, 0, early, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
