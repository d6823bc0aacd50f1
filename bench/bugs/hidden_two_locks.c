/* A total that two threads change under different locks. Both also use the queue's lock, which orders them by
 * accident. In the other order: a data race on the total. */
#include <pthread.h>

static long total;
static int queued;
static pthread_mutex_t in_lock = PTHREAD_MUTEX_INITIALIZER, out_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;

static void *receive(void *unused) {
    pthread_mutex_lock(&in_lock);
    total += 100; // bug
    pthread_mutex_unlock(&in_lock);
    pthread_mutex_lock(&queue_lock);
    queued++;
    pthread_mutex_unlock(&queue_lock);
    return unused;
}

static void *transmit(void *unused) {
    pthread_mutex_lock(&queue_lock);
    queued += 2;
    pthread_mutex_unlock(&queue_lock);
    pthread_mutex_lock(&out_lock);
    total += 10; // bug
    pthread_mutex_unlock(&out_lock);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, receive, NULL);
    pthread_create(&b, NULL, transmit, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
