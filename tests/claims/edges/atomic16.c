//! truth: none: 16-byte _Atomic struct with compare-exchange, default flags
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
typedef struct {
    long a, b;
} P;
static _Atomic P p;
static void *F(void *x) {
    P o = atomic_load(&p), n;
    do {
        n = o;
        n.a++;
        n.b++;
    } while (!atomic_compare_exchange_strong(&p, &o, n));
    return 0;
}
int main() {
    pthread_t t, u;
    pthread_create(&t, 0, F, 0);
    pthread_create(&u, 0, F, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    P r = atomic_load(&p);
    assert(r.a == 2 && r.b == 2);
    return 0;
}
