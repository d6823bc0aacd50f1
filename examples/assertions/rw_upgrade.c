/* A read lock is given up to get the write lock: what was read may be old by then. */
#include <assert.h>
#include <pthread.h>

static unsigned short counter;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *count(void *unused) {
#ifdef RIGHT
    pthread_rwlock_wrlock(&lock);
    unsigned short n = counter;
#else
    pthread_rwlock_rdlock(&lock);
    unsigned short n = counter;
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_wrlock(&lock);
#endif
    counter = n + 1;
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2);
    return 0;
}
