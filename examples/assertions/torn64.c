/* A 64-bit number kept in two halves is read while it is written. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static uint32_t low = UINT32_MAX, high;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *tick(void *unused) {
    pthread_mutex_lock(&lock);
    if (++low == 0)
        high++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *look(void *unused) {
#ifdef RIGHT
    pthread_mutex_lock(&lock);
#endif
    uint64_t now = (uint64_t)high << 32 | low;
#ifdef RIGHT
    pthread_mutex_unlock(&lock);
#endif
    assert(now >= UINT32_MAX);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, tick, NULL);
    pthread_create(&b, NULL, look, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
