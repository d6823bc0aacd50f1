//! truth: one assertion failure, told once
#include <assert.h>
#include <pthread.h>
int x;
static void *f(void *a) {
    ++x;
    if (x == 2)
        assert(0);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, f, 0);
    pthread_create(&b, 0, f, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
