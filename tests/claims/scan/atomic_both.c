// race: TRUE
// assert: TRUE
#include <assert.h>
#include <pthread.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
static int x;
static void *f(void *p) {
    __VERIFIER_atomic_begin();
    x = 1;
    x = 0;
    __VERIFIER_atomic_end();
    return p;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    __VERIFIER_atomic_begin();
    assert(x == 0);
    __VERIFIER_atomic_end();
    pthread_join(t, 0);
    return 0;
}
