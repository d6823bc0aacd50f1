/* The first thread sets the mode and then reports itself under the lock; the second one asks under the
 * lock how many are there, and reads the mode whatever the answer is. A data race on the mode unless
 * the first one has reported. */
#include <pthread.h>

static int started, mode;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *leader(void *unused) {
    mode = 2; // bug
    pthread_mutex_lock(&lock);
    started++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *follower(void *seen) {
    pthread_mutex_lock(&lock);
    int alone = started == 0;
    started++;
    pthread_mutex_unlock(&lock);
    *(int *)seen = alone ? -mode : mode; // bug
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int seen;
    pthread_create(&a, NULL, leader, NULL);
    pthread_create(&b, NULL, follower, &seen);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
