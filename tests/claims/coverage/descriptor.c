//! fails: descriptors are numbered as they come
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static int d[2];
static void *A(void *x) {
    d[0] = dup(0);
    return x;
}
static void *B(void *x) {
    d[1] = dup(0);
    return x;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, A, NULL);
    pthread_create(&b, NULL, B, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(d[0] < d[1]);
    return 0;
}
