// race: UNKNOWN FALSE
#include <pthread.h>
#include <stdatomic.h>
static atomic_flag l = ATOMIC_FLAG_INIT;
static int x;
static void *f(void *p) {
    while (atomic_flag_test_and_set_explicit(&l, memory_order_relaxed))
        ;
    x++;
    atomic_flag_clear_explicit(&l, memory_order_relaxed);
    return p;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    f(0);
    pthread_join(t, 0);
    return 0;
}
