/* A counter with a lock that is only tried: who finds it busy counts somewhere else, and there
 * is no lock at all. It takes one who holds it, and two that find it busy. */
#include <assert.h>
#include <pthread.h>

enum { THREADS = 3 };
static int counted, aside;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#ifdef RIGHT
static pthread_mutex_t aside_lock = PTHREAD_MUTEX_INITIALIZER;
#endif

static void *count(void *unused) {
    if (pthread_mutex_trylock(&lock) == 0) {
        counted++;
        pthread_mutex_unlock(&lock);
        return unused;
    }
#ifdef RIGHT
    pthread_mutex_lock(&aside_lock);
#endif
    aside++;
#ifdef RIGHT
    pthread_mutex_unlock(&aside_lock);
#endif
    return unused;
}

int main(void) {
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, count, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    assert(counted + aside == THREADS);
    return 0;
}
