// race: FALSE
// An access outside of every section races with one in a section.
#include <pthread.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
static int x;
static void *f(void *p) {
    __VERIFIER_atomic_begin();
    x = 1;
    __VERIFIER_atomic_end();
    return p;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    x = 2;
    pthread_join(t, 0);
    return 0;
}
