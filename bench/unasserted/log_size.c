/* The size of a log, without a lock, in a structure. Right: under the lock. */
#include <pthread.h>
#include <stdio.h>

static struct {
    long size;
    pthread_mutex_t lock;
} journal = {100, PTHREAD_MUTEX_INITIALIZER};

static void *append(void *n) {
#ifdef RIGHT
    pthread_mutex_lock(&journal.lock);
#endif
    journal.size += *(int *)n; // bug
#ifdef RIGHT
    pthread_mutex_unlock(&journal.lock);
#endif
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int x = 24, y = 80;
    pthread_create(&a, NULL, append, &x);
    pthread_create(&b, NULL, append, &y);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%ld bytes\n", journal.size);
    return 0;
}
