/* Two threads take turns through two semaphores; tries and timed waits.
 *
 * EXIT 0
 * T0 init ping, init pong, fork T1, fork T2, join T1, join T2, down ping=1, tryfail ping, tryfail ping, tryfail ping, up ping, down ping=1, up ping, down ping=1, destroy ping
 * T1 (down ping, up pong, ){5}exit
 * T2 (down pong, up ping, ){5}exit
 * OUT 0101010101 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

static sem_t ping, pong;
static char text[11];
static int n;

static void *first(void *unused) {
    for (int i = 0; i < 5; i++) {
        sem_wait(&ping);
        text[n++] = '0';
        sem_post(&pong);
    }
    return unused;
}

static void *second(void *unused) {
    for (int i = 0; i < 5; i++) {
        sem_wait(&pong);
        text[n++] = '1';
        sem_post(&ping);
    }
    return unused;
}

int main(void) {
    pthread_t t[2];
    sem_init(&ping, 0, 1);
    sem_init(&pong, 0, 0);
    pthread_create(&t[0], NULL, first, NULL);
    pthread_create(&t[1], NULL, second, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    struct timespec past = {1, 0}, now;
    if (sem_trywait(&ping) || sem_trywait(&ping) == 0 || errno != EAGAIN)
        return 1;
    if (sem_timedwait(&ping, &past) == 0 || errno != ETIMEDOUT)
        return 2;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (sem_clockwait(&ping, CLOCK_MONOTONIC, &now) == 0 || errno != ETIMEDOUT)
        return 3;
    past.tv_nsec = -1;
    if (sem_timedwait(&ping, &past) == 0 || errno != EINVAL)
        return 4;
    now.tv_sec += 3600;
    sem_post(&ping);
    if (sem_clockwait(&ping, CLOCK_MONOTONIC, &now))
        return 5;
    sem_post(&ping);
    if (sem_trywait(&ping))
        return 6;
    puts(text);
    return sem_destroy(&ping);
}
