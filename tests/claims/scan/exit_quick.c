// assert: UNKNOWN FALSE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static int x;
static void h(void) {
    assert(x == 0);
}
static void *f(void *p) {
    x = 1;
    return p;
}
int main(void) {
    pthread_t t;
    at_quick_exit(h);
    pthread_create(&t, 0, f, 0);
    pthread_join(t, 0);
    quick_exit(0);
}
