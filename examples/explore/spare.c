/* A pool of one buffer, with a semaphore. Who does not get it in time takes the spare one, if
 * nobody has it: two can look before either has taken it. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

enum { THREADS = 3 };
static sem_t free_buffers;
static atomic_int spare_taken;
static atomic_int inside;

static void use_spare(void) {
#ifdef RIGHT
    if (atomic_exchange(&spare_taken, 1))
        return;
#else
    if (spare_taken)
        return;
    spare_taken = 1;
#endif
    assert(atomic_fetch_add(&inside, 1) == 0);
    atomic_fetch_sub(&inside, 1);
    spare_taken = 0;
}

static void *use(void *unused) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 5;
    if (sem_timedwait(&free_buffers, &until) == 0)
        sem_post(&free_buffers);
    else
        use_spare();
    return unused;
}

int main(void) {
    pthread_t t[THREADS];
    sem_init(&free_buffers, 0, 1);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, use, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    return 0;
}
