/* 'Stop' is said before the last item is queued; a consumer that looks between leaves it there. No data
 * race. */
#include <assert.h>
#include <pthread.h>

static int queued, stop;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *producer(void *unused) {
    pthread_mutex_lock(&lock);
    stop = 1; // bug
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    queued++; // bug
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *consumer(void *unused) {
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!queued && !stop)
            pthread_cond_wait(&changed, &lock);
        if (!queued) // bug
            break;
        queued--;
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, producer, NULL);
    pthread_create(&b, NULL, consumer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(queued == 0);
    return 0;
}
