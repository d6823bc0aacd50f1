/* Right: a reader that wants to write gives the read lock back and tries for the write lock; if it
 * gets it, it looks again. */
#include <assert.h>
#include <pthread.h>

static int made, tried;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *need(void *arg) {
    pthread_rwlock_rdlock(&lock);
    int there = made;
    pthread_rwlock_unlock(&lock);
    if (there)
        return NULL;
    if (pthread_rwlock_trywrlock(&lock) == 0) {
        if (!made)
            made = 1;
        assert(made == 1);
        pthread_rwlock_unlock(&lock);
    } else {
        *(int *)arg = 1;
    }
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int busy[2] = {0, 0};
    pthread_create(&a, NULL, need, &busy[0]);
    pthread_create(&b, NULL, need, &busy[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    tried = busy[0] + busy[1];
    return tried > 1;
}
