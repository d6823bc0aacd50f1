//! fails: two threads draw from one generator
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static int r[2];
static void *A(void *x) {
    r[0] = rand();
    return x;
}
static void *B(void *x) {
    r[1] = rand();
    return x;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, A, NULL);
    pthread_create(&b, NULL, B, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(r[0] == 1804289383);
    return 0;
}
