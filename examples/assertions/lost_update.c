/* Lost update: two threads increase a counter without a lock. */
#include <assert.h>
#include <pthread.h>

static int counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *unused) {
#ifdef RIGHT
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
#else
    (void)lock;
    counter++;
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
