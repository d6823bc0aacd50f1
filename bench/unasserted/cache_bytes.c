/* The size of a cache is read by the code that makes room, and stored after the entry is in: another entry is forgotten.
 * Right: counted where the entry goes in. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static long bytes = 100;
static int entries;

static long room_for(long n) {
    pthread_mutex_lock(&lock);
    long after = bytes + n;
    pthread_mutex_unlock(&lock);
    return after;
}

static void *store(void *unused) {
    long n = 40;
#ifdef RIGHT
    pthread_mutex_lock(&lock);
    entries++;
    bytes += n;
    pthread_mutex_unlock(&lock);
#else
    long after = room_for(n);
    pthread_mutex_lock(&lock);
    entries++;
    bytes = after; // bug
    pthread_mutex_unlock(&lock);
#endif
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, store, NULL);
    pthread_create(&b, NULL, store, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d entries, %ld bytes\n", entries, bytes);
    return 0;
}
