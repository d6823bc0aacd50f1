// assert: TRUE
// race: TRUE
#include <assert.h>
#include <pthread.h>
static int x;
static void *f(void *p) {
    x = 1;
    return p;
}
static void *g(void *p) {
    return p;
}
int main(void) {
    pthread_t t, u;
    assert(pthread_create(&t, 0, f, 0) == 0);
    assert(pthread_create(&u, 0, g, 0) == 0);
    assert(pthread_join(t, 0) == 0);
    assert(pthread_join(u, 0) == 0);
    assert(x == 1);
    return 0;
}
