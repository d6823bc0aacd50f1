/* A try that fails, a wait that times out, a semaphore and a read-write lock: each a branch. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t s;
static int missed, timed_out, ready, empty;

static void *one(void *unused) {
    (void)unused;
    if (pthread_mutex_trylock(&a))
        missed = 1;
    else
        pthread_mutex_unlock(&a);
    if (sem_trywait(&s))
        empty = 1;
    pthread_mutex_lock(&b);
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1000;
    while (!ready && !timed_out)
        if (pthread_cond_timedwait(&c, &b, &until) == ETIMEDOUT)
            timed_out = 1;
    pthread_mutex_unlock(&b);
    return 0;
}

static void *two(void *unused) {
    (void)unused;
    pthread_mutex_lock(&a);
    sem_post(&s);
    pthread_mutex_unlock(&a);
    pthread_mutex_lock(&b);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&b);
    return 0;
}

int main(void) {
    pthread_t t, u;
    sem_init(&s, 0, 0);
    pthread_create(&t, 0, one, 0);
    pthread_create(&u, 0, two, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
