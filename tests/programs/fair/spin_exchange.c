#include <pthread.h>
#include <stdatomic.h>
static atomic_int held = 1;
static void *f(void *a) {
    for (volatile int i = 0; i < 3; i++)
        ;
    atomic_store(&held, 0);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    while (atomic_exchange(&held, 1))
        ;
    pthread_join(t, 0);
    return 0;
}
