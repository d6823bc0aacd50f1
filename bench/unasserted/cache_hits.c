/* Hits of a cache are counted with an atomic load and an atomic store. Right: one atomic addition. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_long hits;

static void *look_up(void *unused) {
#ifdef RIGHT
    atomic_fetch_add(&hits, 1);
#else
    atomic_store(&hits, atomic_load(&hits) + 1); // bug
#endif
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, look_up, NULL);
    pthread_create(&b, NULL, look_up, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%ld hits\n", atomic_load(&hits));
    return 0;
}
