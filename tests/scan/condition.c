/* The racing accesses come after a wait: one thread must have been woken by the other. */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready, seen;

static void *waits(void *p) {
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_wait(&c, &m);
#ifdef RIGHT
    seen = 1;
    pthread_mutex_unlock(&m);
#else
    pthread_mutex_unlock(&m);
    seen = 1;
#endif
    return p;
}

static void *wakes(void *p) {
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
#ifdef RIGHT
    seen = 2;
    pthread_mutex_unlock(&m);
#else
    pthread_mutex_unlock(&m);
    seen = 2;
#endif
    return p;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, waits, 0);
    pthread_create(&b, 0, wakes, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
