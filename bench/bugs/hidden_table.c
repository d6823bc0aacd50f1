/* A table under a read-write lock; a flag "dirty" is written before a change, and by the saver after
 * his. The lock orders them by accident. In the other order: a data race on the flag. */
#include <pthread.h>

static int table[4], dirty;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *change(void *unused) {
    dirty = 1; // bug
    pthread_rwlock_wrlock(&lock);
    table[0]++;
    pthread_rwlock_unlock(&lock);
    return unused;
}

static void *save(void *sum) {
    pthread_rwlock_wrlock(&lock);
    for (int i = 0; i < 4; i++)
        *(int *)sum += table[i];
    pthread_rwlock_unlock(&lock);
    dirty = 0; // bug
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int sum = 0;
    pthread_create(&a, NULL, change, NULL);
    pthread_create(&b, NULL, save, &sum);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
