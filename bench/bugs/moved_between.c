/* A job moves from the waiting to the running list, each with its own lock. Who counts both, waiting
 * first, between the two steps finds no job at all. No data race. */
#include <assert.h>
#include <pthread.h>

static int waiting = 1, running;
static pthread_mutex_t waiting_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t running_lock = PTHREAD_MUTEX_INITIALIZER;

static void *start(void *unused) {
    pthread_mutex_lock(&waiting_lock);
    waiting--; // bug
    pthread_mutex_unlock(&waiting_lock);
    pthread_mutex_lock(&running_lock);
    running++; // bug
    pthread_mutex_unlock(&running_lock);
    return unused;
}

static void *monitor(void *unused) {
    pthread_mutex_lock(&waiting_lock);
    int jobs = waiting; // bug
    pthread_mutex_unlock(&waiting_lock);
    pthread_mutex_lock(&running_lock);
    jobs += running; // bug
    pthread_mutex_unlock(&running_lock);
    assert(jobs > 0);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, start, NULL);
    pthread_create(&b, NULL, monitor, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
