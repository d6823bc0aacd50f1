/* A home-made try-lock that reads the flag and sets it in two steps; two threads are inside. The counter
 * that it protects is atomic, so there is no data race. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_bool taken;
static atomic_int inside;

static void *visit(void *unused) {
    if (atomic_load(&taken)) // bug
        return unused;
    atomic_store(&taken, 1); // bug
    assert(atomic_fetch_add(&inside, 1) == 0);
    atomic_fetch_sub(&inside, 1);
    atomic_store(&taken, 0);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, visit, NULL);
    pthread_create(&b, NULL, visit, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
