// race: TRUE
// The counter is relaxed; nothing depends on it.
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int n;
static int x;
static void *f(void *p) {
    atomic_fetch_add_explicit(&n, 1, memory_order_relaxed);
    pthread_mutex_lock(&m);
    x++;
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
