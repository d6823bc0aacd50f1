/* The main thread waits for its worker with the lock held. It works as long as the worker is through with the
 * lock by then: a second one has been started and joined meanwhile. Deadlock: the main thread takes the lock
 * first. */
#include <pthread.h>

static int done, warmed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused) {
    pthread_mutex_lock(&lock); // bug
    done++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *warm_up(void *unused) {
    warmed = 1;
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, warm_up, NULL);
    pthread_join(b, NULL);
    pthread_mutex_lock(&lock);
    pthread_join(a, NULL); // bug
    int sure = done == 1 && warmed;
    pthread_mutex_unlock(&lock);
    return !sure;
}
