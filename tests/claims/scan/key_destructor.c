// race: UNKNOWN FALSE
// Both destructors write without a lock.
#include <pthread.h>
static pthread_key_t k;
static int x;
static void d(void *p) {
    x += p != 0;
}
static void *f(void *p) {
    pthread_setspecific(k, &x);
    return p;
}
int main(void) {
    pthread_t a, b;
    pthread_key_create(&k, d);
    pthread_create(&a, 0, f, 0);
    pthread_create(&b, 0, f, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
