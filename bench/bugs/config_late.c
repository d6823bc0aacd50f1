/* The worker is started before its settings are made. It works as long as the main thread is faster
 * than a new thread. No data race: the settings have a lock. */
#include <assert.h>
#include <pthread.h>

static int chunk;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *pieces) {
    pthread_mutex_lock(&lock);
    int n = chunk; // bug
    pthread_mutex_unlock(&lock);
    assert(n != 0);
    *(int *)pieces = 1024 / n;
    return NULL;
}

int main(void) {
    pthread_t t;
    int pieces;
    pthread_create(&t, NULL, worker, &pieces);
    pthread_mutex_lock(&lock);
    chunk = 128; // bug
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return pieces != 8;
}
