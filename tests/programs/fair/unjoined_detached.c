#include <pthread.h>
static int count;
static void *f(void *a) {
    count++;
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_attr_t a;
    pthread_attr_init(&a);
    pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
    pthread_create(&t, &a, f, 0);
    count++;
    return 0;
}
