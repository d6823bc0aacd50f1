/* Right: both orders of two locks, but the second thread is made after the first one has been
 * joined. */
#include <pthread.h>

static pthread_mutex_t users = PTHREAD_MUTEX_INITIALIZER, groups = PTHREAD_MUTEX_INITIALIZER;
static int members;

static void *load(void *unused) {
    pthread_mutex_lock(&users);
    pthread_mutex_lock(&groups);
    members = 3;
    pthread_mutex_unlock(&groups);
    pthread_mutex_unlock(&users);
    return unused;
}

static void *check(void *unused) {
    pthread_mutex_lock(&groups);
    pthread_mutex_lock(&users);
    members++;
    pthread_mutex_unlock(&users);
    pthread_mutex_unlock(&groups);
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, load, NULL);
    pthread_join(t, NULL);
    pthread_create(&t, NULL, check, NULL);
    pthread_join(t, NULL);
    return members != 4;
}
