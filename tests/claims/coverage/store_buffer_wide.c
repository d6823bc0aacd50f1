//! fails: weak memory, by functions of the compiler: both may read 0
#include <assert.h>
#include <pthread.h>
typedef struct {
    long v[3];
} wide;
static wide p, q;
static long r, s;
static const wide one = {{1, 1, 1}};
static long get(wide *x) {
    wide w;
    __atomic_load(x, &w, __ATOMIC_RELAXED);
    return w.v[0];
}
static void *A(void *x) {
    __atomic_store(&p, &one, __ATOMIC_RELAXED);
    r = get(&q);
    return x;
}
static void *B(void *x) {
    __atomic_store(&q, &one, __ATOMIC_RELAXED);
    s = get(&p);
    return x;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, A, NULL);
    pthread_create(&b, NULL, B, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(r || s);
    return 0;
}
