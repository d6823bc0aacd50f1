// race: FALSE
// assert: FALSE
// Any value may come.
#include <assert.h>
#include <pthread.h>
int __VERIFIER_nondet_int(void);
_Bool __VERIFIER_nondet_bool(void);
static int x;
static void *f(void *p) {
    if (__VERIFIER_nondet_int() == 1234567)
        x = 1;
    return p;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    if (__VERIFIER_nondet_bool())
        x = 2;
    pthread_join(t, 0);
    assert(x != 1);
    return 0;
}
