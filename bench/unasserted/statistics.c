/* Right on purpose: the shared counters are atomic, the cache is filled twice with the same value. Wrong: one of the counters is
 * loaded and stored. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int served, cached;

static int square(void) {
    int x = atomic_load(&cached);
    if (!x)
        atomic_store(&cached, x = 49);
    return x;
}

static void *serve(void *unused) {
    int x = square();
#ifdef RIGHT
    atomic_fetch_add(&served, x);
#else
    atomic_store(&served, atomic_load(&served) + x); // bug
#endif
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, serve, NULL);
    pthread_create(&b, NULL, serve, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", atomic_load(&served));
    return 0;
}
