/* A cache that is full is flushed with its lock held, and the flush takes that lock again. Deadlock of one thread
 * alone, but only if the first entry comes between the flush and the entry of the other thread. */
#include <pthread.h>

static int entries, flushed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void flush(void) {
    pthread_mutex_lock(&lock); // bug
    flushed += entries;
    entries = 0;
    pthread_mutex_unlock(&lock);
}

static void add(void) {
    pthread_mutex_lock(&lock);
    entries++;
    if (entries > 1)
        flush();
    pthread_mutex_unlock(&lock);
}

static void *first(void *unused) {
    add();
    return unused;
}

static void *second(void *unused) {
    flush();
    add();
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
