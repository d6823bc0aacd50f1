/* References are dropped with an atomic load and an atomic store: one is dropped too few, and nobody frees. Right: one atomic
 * subtraction. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int references = 3;

static void *drop(void *unused) {
#ifdef RIGHT
    atomic_fetch_sub(&references, 1);
#else
    int n = atomic_load(&references);
    atomic_store(&references, n - 1); // bug
#endif
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, drop, NULL);
    pthread_create(&b, NULL, drop, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d left\n", atomic_load(&references));
    return 0;
}
