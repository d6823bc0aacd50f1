/* Workers take jobs from a queue. The main thread waits until all are done, but no longer than some
 * seconds; then it tells them to stop, and what is left is thrown away by each worker, without the
 * lock: two of them throw the same job away. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { JOBS = 2, WORKERS = 2 };
static int left = JOBS, done;
static int stop;
static atomic_int thrown[JOBS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_done = PTHREAD_COND_INITIALIZER;

static void throw_rest(void) {
#ifdef RIGHT
    pthread_mutex_lock(&lock);
#endif
    while (left > 0) {
        int job = left - 1;
        left = job;
        assert(atomic_fetch_add(&thrown[job], 1) == 0);
    }
#ifdef RIGHT
    pthread_mutex_unlock(&lock);
#endif
}

static void *worker(void *unused) {
    for (;;) {
        pthread_mutex_lock(&lock);
        int stopped = stop, job = stopped || left == 0 ? -1 : --left;
        pthread_mutex_unlock(&lock);
        if (stopped)
            throw_rest();
        if (job < 0)
            return unused;
        pthread_mutex_lock(&lock);
        if (++done == JOBS)
            pthread_cond_signal(&all_done);
        pthread_mutex_unlock(&lock);
    }
}

int main(void) {
    pthread_t t[WORKERS];
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 5;
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    while (done < JOBS)
        if (pthread_cond_timedwait(&all_done, &lock, &until)) {
            stop = 1;
            break;
        }
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(t[i], NULL);
    return 0;
}
