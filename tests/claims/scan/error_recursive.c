// race: TRUE
// assert: TRUE
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int x;
static void *f(void *p) {
    assert(!pthread_mutex_lock(&m));
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    x--;
    assert(x == 0);
    pthread_mutex_unlock(&m);
    return p;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    f(0);
    pthread_join(t, 0);
    return 0;
}
