/* Two variables that are to be equal are written in two critical sections. */
#include <assert.h>
#include <pthread.h>

static int x, y;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *sets(void *p) {
    pthread_mutex_lock(&m);
    x = 1;
#ifndef RIGHT
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
#endif
    y = 1;
    pthread_mutex_unlock(&m);
    return p;
}

static void *looks(void *p) {
    pthread_mutex_lock(&m);
    int same = x == y;
    pthread_mutex_unlock(&m);
    assert(same);
    return p;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, sets, 0);
    pthread_create(&b, 0, looks, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
