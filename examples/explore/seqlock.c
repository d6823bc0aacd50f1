/* Two numbers that belong together, read without a lock: if a writer came in between, read again. After
 * two such failures the reader takes what it has. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint sequence;
static atomic_int left, right;

static void *writer(void *unused) {
    for (int i = 1; i <= 3; i++) {
        atomic_fetch_add(&sequence, 1);
        left = i;
        right = i;
        atomic_fetch_add(&sequence, 1);
    }
    return unused;
}

static void *reader(void *unused) {
    int l = 0, r = 0;
    for (int tries = 0; tries < 2; tries++) {
        unsigned before = sequence;
        if (before & 1)
            continue;
        l = left;
        r = right;
        if (sequence == before)
            break;
#ifdef RIGHT
        l = r;
#endif
    }
    assert(l == r);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, reader, NULL);
    pthread_create(&b, NULL, writer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
