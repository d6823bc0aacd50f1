/* Work goes through a queue with a condition, but the number of jobs is kept beside it without the lock,
 * by the giver before he gives. The queue orders the first look of the worker; its second look comes after
 * the giver may have gone on: a data race in every order but the usual one. */
#include <pthread.h>

static int queued, jobs_given;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *giver(void *unused) {
    for (int i = 0; i < 2; i++) {
        jobs_given++; // bug
        pthread_mutex_lock(&lock);
        queued++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *worker(void *progress) {
    pthread_mutex_lock(&lock);
    int got = queued;
    queued = 0;
    pthread_mutex_unlock(&lock);
    *(int *)progress = jobs_given - got; // bug
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int progress;
    pthread_create(&a, NULL, giver, NULL);
    pthread_create(&b, NULL, worker, &progress);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
