// race: UNKNOWN FALSE
// A relaxed flag orders nothing.
#include <pthread.h>
#include <stdatomic.h>
static atomic_int ready;
static int data;
static void *f(void *p) {
    data = 1;
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return p;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    if (atomic_load_explicit(&ready, memory_order_relaxed))
        data = 2;
    pthread_join(t, 0);
    return 0;
}
