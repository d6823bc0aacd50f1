//! fails: try to read, fail to write, unlock, write
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int failed, wrote;
static void *A(void *x) {
    if (!pthread_rwlock_tryrdlock(&l))
        pthread_rwlock_unlock(&l);
    return x;
}
static void *B(void *x) {
    if (pthread_rwlock_trywrlock(&l))
        failed = 1;
    else
        pthread_rwlock_unlock(&l);
    if (!pthread_rwlock_trywrlock(&l)) {
        wrote = 1;
        pthread_rwlock_unlock(&l);
    }
    return x;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, A, NULL);
    pthread_create(&b, NULL, B, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(!(failed && wrote));
    return 0;
}
