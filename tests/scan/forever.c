/* Neither thread ever ends. */
#include <pthread.h>

static volatile int stop;
static int n;

static void *counts(void *p) {
    while (!stop)
        n++;
    return p;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, counts, 0);
    n = 5;
    while (n >= 0)
        ;
    pthread_join(a, 0);
    return 0;
}
