// svcomp assert: TRUE
// abort() and malloc as SV-COMP has them.
#include <pthread.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
void reach_error(void) {
}
static void assume_abort_if_not(int c) {
    if (!c)
        abort();
}
static void __VERIFIER_assert(int c) {
    if (!c) {
        reach_error();
        abort();
    }
}
static int *x;
static void *f(void *p) {
    *x = 1;
    return p;
}
int main(void) {
    pthread_t t;
    int n = __VERIFIER_nondet_int();
    assume_abort_if_not(n > 3 && n < 100);
    x = malloc(sizeof *x);
    __VERIFIER_assert(x != 0);
    *x = 0;
    pthread_create(&t, 0, f, 0);
    pthread_join(t, 0);
    __VERIFIER_assert(*x + n > 4);
    return 0;
}
