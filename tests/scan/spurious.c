/* 'if' instead of 'while': wrong if somebody wakes up for nothing. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;
#ifdef RIGHT
#define WAIT while
#else
#define WAIT if
#endif

static void *waits(void *p) {
    pthread_mutex_lock(&m);
    WAIT(!ready)
    pthread_cond_wait(&c, &m);
    assert(ready);
    pthread_mutex_unlock(&m);
    return p;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, waits, 0);
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_join(a, 0);
    return 0;
}
