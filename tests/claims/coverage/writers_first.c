//! fails: a second read lock waits behind a writer (the lock is made without a call)
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static pthread_rwlock_t l = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static int n;
static void *A(void *x) {
    pthread_rwlock_rdlock(&l);
    pthread_rwlock_rdlock(&l);
    pthread_rwlock_unlock(&l);
    pthread_rwlock_unlock(&l);
    return x;
}
static void *B(void *x) {
    pthread_rwlock_wrlock(&l);
    n++;
    pthread_rwlock_unlock(&l);
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
