//! fails: who takes a robust mutex of a dead owner hears of it
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m;
static int dead;
static void *A(void *x) {
    pthread_mutex_lock(&m);
    return x;
}
static void *B(void *x) {
    if (pthread_mutex_lock(&m) == EOWNERDEAD)
        dead = 1;
    pthread_mutex_unlock(&m);
    return x;
}
int main(void) {
    pthread_t a, b;
    pthread_mutexattr_t t;
    pthread_mutexattr_init(&t);
    pthread_mutexattr_setrobust(&t, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &t);
    pthread_create(&a, NULL, A, NULL);
    pthread_create(&b, NULL, B, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(dead);
    return 0;
}
