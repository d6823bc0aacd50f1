// assert: UNKNOWN FALSE
#include <assert.h>
#include <pthread.h>
static void *f(void *p) {
    return p;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    assert(pthread_join(t, 0) == 0);
    assert(pthread_join(t, 0) == 0);
    return 0;
}
