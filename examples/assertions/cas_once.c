/* Compare and exchange without trying again: an increment is lost when the exchange fails. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void *count(void *unused) {
    int seen = counter;
#ifdef RIGHT
    while (!atomic_compare_exchange_strong(&counter, &seen, seen + 1))
        ;
#else
    atomic_compare_exchange_strong(&counter, &seen, seen + 1);
#endif
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2);
    return 0;
}
