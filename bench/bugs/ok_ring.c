/* Right: a ring for one producer and one consumer, with atomic positions and plain cells. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { SIZE = 2, ITEMS = 3 };
static int cell[SIZE];
static atomic_uint head, tail;

static void *producer(void *unused) {
    for (int i = 1; i <= ITEMS; i++) {
        unsigned t = atomic_load_explicit(&tail, memory_order_relaxed);
        while (t - atomic_load_explicit(&head, memory_order_acquire) == SIZE)
            sched_yield();
        cell[t % SIZE] = i;
        atomic_store_explicit(&tail, t + 1, memory_order_release);
    }
    return unused;
}

static void *consumer(void *unused) {
    for (int i = 1; i <= ITEMS; i++) {
        unsigned h = atomic_load_explicit(&head, memory_order_relaxed);
        while (atomic_load_explicit(&tail, memory_order_acquire) == h)
            sched_yield();
        assert(cell[h % SIZE] == i);
        atomic_store_explicit(&head, h + 1, memory_order_release);
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, producer, NULL);
    pthread_create(&b, NULL, consumer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
