//! right
// Whoever gets the mutex after its owner ended is told so; in another order nobody is.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t m;
static int x;

static void *dies(void *a) {
    pthread_mutex_lock(&m);
    x = 1;
    return a;
}
static void *heir(void *a) {
    if (pthread_mutex_lock(&m) == EOWNERDEAD) {
        assert(x == 1);
        pthread_mutex_consistent(&m);
    } else {
        assert(x == 0);
    }
    pthread_mutex_unlock(&m);
    return a;
}

int main(void) {
    pthread_mutexattr_t how;
    pthread_t a, b;
    pthread_mutexattr_init(&how);
    pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &how);
    pthread_create(&a, 0, dies, 0);
    pthread_create(&b, 0, heir, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
