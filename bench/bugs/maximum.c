/* A maximum kept in an atomic without compare-and-exchange: the smaller value is written over the
 * larger one that came between. No data race. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int longest = 1;

static void *measure(void *arg) {
    int took = *(int *)arg;
    if (took > atomic_load(&longest)) // bug
        atomic_store(&longest, took); // bug
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int took[2] = {3, 8};
    pthread_create(&a, NULL, measure, &took[0]);
    pthread_create(&b, NULL, measure, &took[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(longest == 8);
    return 0;
}
