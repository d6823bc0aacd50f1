#define _GNU_SOURCE
#include <pthread.h>
static int x;
static void *f(void *a) {
    x++;
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_setname_np(pthread_self(), "boss");
    pthread_create(&t, 0, f, 0);
    pthread_setname_np(t, "worker");
    pthread_setname_np(t, "a name that the kernel refuses");
    x++;
    pthread_join(t, 0);
    return 0;
}
