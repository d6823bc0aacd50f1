/* One thread makes the settings, the next one uses them, and nothing makes it wait for that. It works as long as
 * threads run in the order in which they are started. No data race: the settings have a lock. */
#include <assert.h>
#include <pthread.h>

static int chunk;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *configure(void *unused) {
    pthread_mutex_lock(&lock);
    chunk = 128; // bug
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *worker(void *pieces) {
    pthread_mutex_lock(&lock);
    int n = chunk; // bug
    pthread_mutex_unlock(&lock);
    assert(n != 0);
    *(int *)pieces = 1024 / n;
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int pieces;
    pthread_create(&a, NULL, configure, NULL);
    pthread_create(&b, NULL, worker, &pieces);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return pieces != 8;
}
