//! fails: a thread is detached once
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static int r[2];
static pthread_t third;
static void *C(void *x) {
    return x;
}
static void *A(void *x) {
    r[0] = pthread_detach(third);
    return x;
}
static void *B(void *x) {
    r[1] = pthread_detach(third);
    return x;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&third, NULL, C, NULL);
    pthread_create(&a, NULL, A, NULL);
    pthread_create(&b, NULL, B, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(!r[0]);
    return 0;
}
