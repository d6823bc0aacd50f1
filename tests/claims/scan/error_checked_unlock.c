// assert: UNKNOWN FALSE
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m;
static void *f(void *p) {
    assert(pthread_mutex_unlock(&m) == 0);
    return p;
}
int main(void) {
    pthread_t t;
    pthread_mutexattr_t a;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&m, &a);
    pthread_mutex_lock(&m);
    pthread_create(&t, 0, f, 0);
    pthread_join(t, 0);
    return 0;
}
