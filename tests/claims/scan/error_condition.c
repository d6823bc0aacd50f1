// race: TRUE
// assert: TRUE
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int r, x;
static void *f(void *p) {
    pthread_mutex_lock(&m);
    x = 5;
    r = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return p;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    pthread_mutex_lock(&m);
    while (!r)
        assert(pthread_cond_wait(&c, &m) == 0);
    assert(x == 5);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    return 0;
}
