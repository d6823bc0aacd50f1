//! fails: a mutex cannot be destroyed while it is held
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *A(void *x) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return x;
}
static void *B(void *x) {
    if (pthread_mutex_destroy(&m) == EBUSY)
        abort();
    pthread_mutex_init(&m, NULL);
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
