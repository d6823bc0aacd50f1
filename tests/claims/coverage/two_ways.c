//! fails: each thread must go a way that it goes only if the other one is late
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static int p, q, n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t k = PTHREAD_MUTEX_INITIALIZER;
static void *A(void *x) {
    pthread_mutex_lock(&m);
    int late = q;
    p = 1;
    pthread_mutex_unlock(&m);
    if (late) {
        pthread_mutex_lock(&l);
        n++;
        pthread_mutex_unlock(&l);
    }
    return x;
}
static void *B(void *x) {
    pthread_mutex_lock(&m);
    q = 1;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    int late = p;
    pthread_mutex_unlock(&m);
    if (late) {
        pthread_mutex_lock(&k);
        n++;
        pthread_mutex_unlock(&k);
    }
    return x;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, A, NULL);
    pthread_create(&b, NULL, B, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
