/* A compare-and-exchange that is tried once, and a store when it fails. Right: tried until it succeeds. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int hits;

static void *hit(void *unused) {
    int seen = atomic_load(&hits);
#ifdef RIGHT
    while (!atomic_compare_exchange_weak(&hits, &seen, seen + 1))
        ;
#else
    int expected = seen;
    if (!atomic_compare_exchange_strong(&hits, &expected, seen + 1))
        atomic_store(&hits, seen + 1); // bug
#endif
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, hit, NULL);
    pthread_create(&b, NULL, hit, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d hits\n", atomic_load(&hits));
    return 0;
}
