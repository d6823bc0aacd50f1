/* Three parts of a server, each calls the next one with its own lock held. Deadlock: each of the
 * three threads holds the first of its two locks. No two of them alone can do it. */
#include <pthread.h>

static pthread_mutex_t cache = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t journal = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t index_lock = PTHREAD_MUTEX_INITIALIZER;
static int cached, written, indexed;

static void *evict(void *unused) {
    pthread_mutex_lock(&cache);
    cached--;
    pthread_mutex_lock(&journal); // bug
    written++;
    pthread_mutex_unlock(&journal);
    pthread_mutex_unlock(&cache);
    return unused;
}

static void *flush(void *unused) {
    pthread_mutex_lock(&journal);
    written = 0;
    pthread_mutex_lock(&index_lock); // bug
    indexed++;
    pthread_mutex_unlock(&index_lock);
    pthread_mutex_unlock(&journal);
    return unused;
}

static void *lookup(void *unused) {
    pthread_mutex_lock(&index_lock);
    indexed++;
    pthread_mutex_lock(&cache); // bug
    cached++;
    pthread_mutex_unlock(&cache);
    pthread_mutex_unlock(&index_lock);
    return unused;
}

int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], NULL, evict, NULL);
    pthread_create(&t[1], NULL, flush, NULL);
    pthread_create(&t[2], NULL, lookup, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
