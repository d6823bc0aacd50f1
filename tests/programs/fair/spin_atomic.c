#include <pthread.h>
#include <stdatomic.h>
static atomic_int go;
static int ready(void) {
    return atomic_load(&go);
}
static void *f(void *a) {
    for (volatile int i = 0; i < 3; i++)
        ;
    atomic_store(&go, 1);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    while (!ready())
        ;
    pthread_join(t, 0);
    return 0;
}
