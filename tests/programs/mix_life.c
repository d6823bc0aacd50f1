/* Threads come and go: detached and joined ones that start others, signals between them,
 * cancellation, once, keys, barriers, polling, clocks.
 *
 * EXIT 0 */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_barrier_t b;
static pthread_key_t key;
static sem_t gone;
static int alive, hits, made, ended, fds[2];
static unsigned sum;

static void init(void) {
    sched_yield();
    made++;
}
static void ends(void *p) {
    __atomic_add_fetch(&ended, 1, __ATOMIC_SEQ_CST);
    free(p);
}
static void on_signal(int sig) {
    (void)sig;
    __atomic_add_fetch(&hits, 1, __ATOMIC_SEQ_CST);
}

static void *leaf(void *depth) {
    pthread_once(&once, init);
    pthread_setspecific(key, malloc(32));
    pthread_mutex_lock(&m);
    sum = sum * 31 + (unsigned)(size_t)depth;
    if (--alive == 0)
        pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    sem_post(&gone);
    return NULL;
}

static void *grows(void *depth) {
    size_t d = (size_t)depth;
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, d > 1 ? grows : leaf, (void *)(d - 1));
    pthread_detach(t[0]);
    pthread_kill(t[1], SIGUSR1);
    pthread_join(t[1], NULL);
    if (d > 1)
        sem_post(&gone);
    return NULL;
}

static void *meets(void *unused) {
    for (int i = 0; i < 5; i++) {
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        __atomic_add_fetch(&sum, (unsigned)t.tv_nsec, __ATOMIC_SEQ_CST);
        pthread_barrier_wait(&b);
    }
    return unused;
}

static void *waits(void *unused) {
    struct pollfd p = {fds[0], POLLIN, 0};
    poll(&p, 1, -1);
    for (;;)
        pause();
    return unused;
}

int main(void) {
    struct sigaction a = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &a, NULL);
    sem_init(&gone, 0, 0);
    pthread_barrier_init(&b, NULL, 3);
    pthread_key_create(&key, ends);
    if (pipe(fds))
        return 1;
    alive = 8; /* leaves of a tree of depth 3 */
    pthread_t t[5];
    pthread_create(&t[0], NULL, grows, (void *)3);
    for (int i = 1; i < 4; i++)
        pthread_create(&t[i], NULL, meets, NULL);
    pthread_create(&t[4], NULL, waits, NULL);
    pthread_mutex_lock(&m);
    while (alive)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < 8; i++)
        sem_wait(&gone);
    void *result = NULL;
    pthread_cancel(t[4]);
    pthread_join(t[4], &result);
    printf("%u %d %d\n", sum, made, result == PTHREAD_CANCELED);
    return made != 1;
}
