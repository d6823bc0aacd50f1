/* Two bits of one atomic word, each set by loading and storing the word. Right: an atomic or. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_uint state;

static void set(unsigned bit) {
#ifdef RIGHT
    atomic_fetch_or(&state, bit);
#else
    atomic_store(&state, atomic_load(&state) | bit); // bug
#endif
}

static void *loader(void *unused) {
    set(1);
    return unused;
}

static void *checker(void *unused) {
    set(4);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, loader, NULL);
    pthread_create(&b, NULL, checker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("state %u\n", atomic_load(&state));
    return 0;
}
