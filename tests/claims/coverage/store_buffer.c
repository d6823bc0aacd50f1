//! fails: weak memory: both may read 0
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int p, q;
static int r, s;
static void *A(void *x) {
    atomic_store_explicit(&p, 1, memory_order_release);
    r = atomic_load_explicit(&q, memory_order_acquire);
    return x;
}
static void *B(void *x) {
    atomic_store_explicit(&q, 1, memory_order_release);
    s = atomic_load_explicit(&p, memory_order_acquire);
    return x;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, A, NULL);
    pthread_create(&b, NULL, B, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(r || s);
    return 0;
}
