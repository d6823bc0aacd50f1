/* examples/papers/barrier.c: a barrier made of a lock, a counter and a condition variable.
 *
 * The bug: the counter is increased outside the lock, so that two threads can both believe
 * that they are not the last, and all wait for ever; or one can pass although the other
 * has not arrived. With -DRIGHT it is increased under the lock. */
#include <assert.h>
#include <pthread.h>

enum { N = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;
static int arrived;
static int ready[N];

static void barrier(void) {
#ifdef RIGHT
    pthread_mutex_lock(&lock);
    arrived++;
#else
    arrived++;
    pthread_mutex_lock(&lock);
#endif
    if (arrived == N)
        pthread_cond_broadcast(&all_here);
    while (arrived < N)
        pthread_cond_wait(&all_here, &lock);
    pthread_mutex_unlock(&lock);
}

static void *work(void *arg) {
    int me = *(int *)arg;
    ready[me] = 1;
    barrier();
    assert(ready[1 - me]);
    return NULL;
}

int main(void) {
    pthread_t t[N];
    int number[N];
    for (int i = 0; i < N; i++) {
        number[i] = i;
        pthread_create(&t[i], NULL, work, &number[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return 0;
}
