/* Right: a job queue; who takes a job under the lock owns it, and works on it without one. */
#include <assert.h>
#include <pthread.h>

enum { JOBS = 3 };
static int job[JOBS], result[JOBS], next;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused) {
    for (;;) {
        pthread_mutex_lock(&lock);
        int mine = next < JOBS ? next++ : -1;
        pthread_mutex_unlock(&lock);
        if (mine < 0)
            return unused;
        result[mine] = job[mine] * job[mine];
    }
}

int main(void) {
    pthread_t a, b;
    for (int i = 0; i < JOBS; i++)
        job[i] = i + 1;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(result[0] + result[1] + result[2] == 14);
    return 0;
}
