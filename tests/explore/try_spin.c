/* A try-lock in a loop. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *tries(void *unused) {
    int n = 0;
    while (pthread_mutex_trylock(&m)) {
        n++;
        sched_yield();
    }
    pthread_mutex_unlock(&m);
    assert(n != 2);
    return unused;
}
static void *holds(void *unused) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
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
