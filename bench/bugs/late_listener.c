/* A listener registers for "finished". If it comes after that has been said, nobody ever calls it. No data
 * race. */
#include <assert.h>
#include <pthread.h>

static int registered, finished, called;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *listener(void *unused) {
    pthread_mutex_lock(&lock);
    registered = 1; // bug
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *job(void *unused) {
    pthread_mutex_lock(&lock);
    finished = 1;
    if (registered) // bug
        called = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, listener, NULL);
    pthread_create(&b, NULL, job, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(finished && called);
    return 0;
}
