/* Two threads take a bit each of a map of free blocks, by atomic load and store. Right: one atomic operation. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_uint taken = 1;

static void take(unsigned bit) {
#ifdef RIGHT
    atomic_fetch_or(&taken, 1u << bit);
#else
    atomic_store(&taken, atomic_load(&taken) | 1u << bit); // bug
#endif
}

static void *third(void *unused) {
    take(3);
    return unused;
}

static void *fifth(void *unused) {
    take(5);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, third, NULL);
    pthread_create(&b, NULL, fifth, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%x\n", atomic_load(&taken));
    return 0;
}
