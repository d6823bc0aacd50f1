/* Right: both orders of two locks, but one side waits for the second one for a limited time only, and gives
 * up then. */
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mail = PTHREAD_MUTEX_INITIALIZER, folder = PTHREAD_MUTEX_INITIALIZER;
static int moved, late;

static void *deliver(void *unused) {
    pthread_mutex_lock(&mail);
    pthread_mutex_lock(&folder);
    moved++;
    pthread_mutex_unlock(&folder);
    pthread_mutex_unlock(&mail);
    return unused;
}

static void *clean(void *unused) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 2;
    pthread_mutex_lock(&folder);
    if (pthread_mutex_timedlock(&mail, &until) == 0) {
        moved++;
        pthread_mutex_unlock(&mail);
    } else {
        late++;
    }
    pthread_mutex_unlock(&folder);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, deliver, NULL);
    pthread_create(&b, NULL, clean, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return moved + late != 2;
}
