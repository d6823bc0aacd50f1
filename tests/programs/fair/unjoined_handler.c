#include <pthread.h>
#include <stdlib.h>
static int late;
static void *f(void *a) {
    late = 1;
    return 0;
}
static void handler(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
}
int main(void) {
    atexit(handler);
    return 0;
}
