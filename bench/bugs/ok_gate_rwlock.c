/* Right: the gate is a read-write lock. Both orders of the two mutexes happen with it held for writing;
 * readers take one mutex only. */
#include <pthread.h>

static pthread_rwlock_t gate = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t names = PTHREAD_MUTEX_INITIALIZER, files = PTHREAD_MUTEX_INITIALIZER;
static int renamed, looked;

static void *rename_file(void *unused) {
    pthread_rwlock_wrlock(&gate);
    pthread_mutex_lock(&names);
    pthread_mutex_lock(&files);
    renamed++;
    pthread_mutex_unlock(&files);
    pthread_mutex_unlock(&names);
    pthread_rwlock_unlock(&gate);
    return unused;
}

static void *compact(void *unused) {
    pthread_rwlock_wrlock(&gate);
    pthread_mutex_lock(&files);
    pthread_mutex_lock(&names);
    renamed++;
    pthread_mutex_unlock(&names);
    pthread_mutex_unlock(&files);
    pthread_rwlock_unlock(&gate);
    return unused;
}

static void *look(void *unused) {
    pthread_rwlock_rdlock(&gate);
    pthread_mutex_lock(&names);
    looked++;
    pthread_mutex_unlock(&names);
    pthread_rwlock_unlock(&gate);
    return unused;
}

int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], NULL, rename_file, NULL);
    pthread_create(&t[1], NULL, compact, NULL);
    pthread_create(&t[2], NULL, look, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return renamed != 2;
}
