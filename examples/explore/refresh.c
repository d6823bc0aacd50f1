/* A read-write lock cannot be upgraded, so the table is looked at again under the write lock. If
 * somebody else has refreshed it meanwhile there is nothing to do, and nobody unlocks. */
#include <pthread.h>

static int age = 3, loads;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static int load(void) {
    int row[8], sum = 0;
    for (int i = 0; i < 8; i++)
        row[i] = i * i;
    for (int i = 0; i < 8; i++)
        sum += row[i];
    return sum;
}

static void *lookup(void *unused) {
    pthread_rwlock_rdlock(&lock);
    int old = age > 2;
    pthread_rwlock_unlock(&lock);
    if (!old)
        return unused;
    pthread_rwlock_wrlock(&lock);
    if (age <= 2) {
#ifdef RIGHT
        pthread_rwlock_unlock(&lock);
#endif
        return unused;
    }
    loads += load() > 0;
    age = 0;
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, lookup, NULL);
    pthread_create(&b, NULL, lookup, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_rwlock_wrlock(&lock);
    age++;
    pthread_rwlock_unlock(&lock);
    return 0;
}
