//! fails: a thread that is cut off by the end of main races with it
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static int *v;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int w;
static void *A(void *x) {
    pthread_mutex_lock(&m);
    w = 3;
    *v = 8;
    pthread_mutex_unlock(&m);
    return x;
}
int main(void) {
    pthread_t a;
    v = malloc(sizeof *v);
    pthread_create(&a, NULL, A, NULL);
    pthread_mutex_lock(&m);
    int k = w;
    pthread_mutex_unlock(&m);
    return k + *v > 100;
}
