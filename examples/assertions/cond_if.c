/* A condition variable waited for with 'if': by the time the consumer is awake, another one
 * may have taken what it was woken for. */
#include <assert.h>
#include <pthread.h>

static int items;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;

static void *consumer(void *unused) {
    pthread_mutex_lock(&lock);
#ifdef RIGHT
    while (items == 0)
#else
    if (items == 0)
#endif
        pthread_cond_wait(&more, &lock);
    items--;
    assert(items >= 0);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *producer(void *unused) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        items++;
        pthread_cond_signal(&more);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, NULL, consumer, NULL);
    pthread_create(&b, NULL, producer, NULL);
    pthread_create(&c, NULL, consumer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
