/* The producer signals only when the queue was empty. Lost wake-up: both consumers wait, both items
 * are put before the first of them is awake, and the second one sleeps for ever. */
#include <pthread.h>

static int queued, taken;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;

static void *consumer(void *unused) {
    pthread_mutex_lock(&lock);
    while (queued == 0)
        pthread_cond_wait(&not_empty, &lock); // bug
    queued--;
    taken++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *producer(void *unused) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        if (queued++ == 0)
            pthread_cond_signal(&not_empty); // bug
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], NULL, consumer, NULL);
    pthread_create(&t[1], NULL, producer, NULL);
    pthread_create(&t[2], NULL, consumer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
