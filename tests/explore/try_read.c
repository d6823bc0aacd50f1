/* A read lock that is only tried. */
#include <assert.h>
#include <pthread.h>
static pthread_rwlock_t m = PTHREAD_RWLOCK_INITIALIZER;
static void *tries(void *unused) {
    int e = pthread_rwlock_tryrdlock(&m);
    assert(e == 0);
    pthread_rwlock_unlock(&m);
    return unused;
}
static void *holds(void *unused) {
    pthread_rwlock_wrlock(&m);
    pthread_rwlock_unlock(&m);
    return unused;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, tries, NULL);
    pthread_create(&b, NULL, holds, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
