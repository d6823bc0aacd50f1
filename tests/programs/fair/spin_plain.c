#include <pthread.h>
static volatile int go;
static void *f(void *a) {
    for (volatile int i = 0; i < 3; i++)
        ;
    go = 1;
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    while (!go)
        ;
    pthread_join(t, 0);
    return 0;
}
