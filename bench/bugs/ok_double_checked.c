/* Right: double-checked locking with an atomic pointer: released after the object is complete, acquired
 * by the look without the lock. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int *_Atomic table;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int *get(void) {
    int *t = atomic_load_explicit(&table, memory_order_acquire);
    if (!t) {
        pthread_mutex_lock(&lock);
        t = atomic_load_explicit(&table, memory_order_relaxed);
        if (!t) {
            t = calloc(1, sizeof *t);
            *t = 9;
            atomic_store_explicit(&table, t, memory_order_release);
        }
        pthread_mutex_unlock(&lock);
    }
    return t;
}

static void *use(void *unused) {
    assert(*get() == 9);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, use, NULL);
    pthread_create(&b, NULL, use, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(table);
    return 0;
}
