// assert: TRUE UNKNOWN
#include <assert.h>
#include <pthread.h>
static int x, y;
static void __VERIFIER_atomic_both(int v) {
    x = v;
    y = v;
}
static void *f(void *p) {
    __VERIFIER_atomic_both(1);
    return p;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    int b = y, a = x; /* y first: if it is 1, x is */
    assert(a == 1 || b == 0);
    if (x == 1)
        assert(y == 1);
    pthread_join(t, 0);
    return 0;
}
