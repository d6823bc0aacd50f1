/* A sequence lock whose writer increases the sequence only once, at the end: a reader that runs entirely
 * within the write sees half of it, and the same sequence twice. No data race: all is atomic. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint sequence;
static atomic_int low, high;

static void *writer(void *unused) {
    atomic_store(&low, 1);  // bug
    atomic_store(&high, 1); // bug
    atomic_fetch_add(&sequence, 2);
    return unused;
}

static void *reader(void *unused) {
    unsigned before = atomic_load(&sequence);
    int l = atomic_load(&low), h = atomic_load(&high); // bug
    if (atomic_load(&sequence) == before)
        assert(l == h);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
