//! fails: who reads the clock first has the earlier time
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
static long t[2];
static long now(void) {
    struct timespec s;
    clock_gettime(CLOCK_MONOTONIC, &s);
    return s.tv_sec * 1000000000 + s.tv_nsec;
}
static void *A(void *x) {
    t[0] = now();
    return x;
}
static void *B(void *x) {
    t[1] = now();
    return x;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, A, NULL);
    pthread_create(&b, NULL, B, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(t[0] <= t[1]);
    return 0;
}
