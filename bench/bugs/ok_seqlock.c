/* Right: a sequence lock; a reader that was disturbed gives up, one that was not has a whole pair. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint sequence;
static atomic_int left, right;

static void *writer(void *unused) {
    for (int i = 1; i <= 2; i++) {
        atomic_fetch_add(&sequence, 1);
        atomic_store(&left, i);
        atomic_store(&right, i);
        atomic_fetch_add(&sequence, 1);
    }
    return unused;
}

static void *reader(void *unused) {
    unsigned before = atomic_load(&sequence);
    int l = atomic_load(&left), r = atomic_load(&right);
    if (before % 2 == 0 && atomic_load(&sequence) == before)
        assert(l == r);
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
