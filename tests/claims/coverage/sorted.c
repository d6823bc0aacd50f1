//! fails: libc sorts what another thread writes
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static int v[3] = {1, 2, 3};
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int order(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}
static void *A(void *x) {
    pthread_mutex_lock(&m);
    qsort(v, 3, sizeof *v, order);
    pthread_mutex_unlock(&m);
    return x;
}
static void *B(void *x) {
    pthread_mutex_lock(&m);
    v[2] = 0;
    pthread_mutex_unlock(&m);
    return x;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, A, NULL);
    pthread_create(&b, NULL, B, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    if (v[0] != 1)
        abort();
    return 0;
}
