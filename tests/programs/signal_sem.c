/* A handler posts the semaphore that its own thread waits for, and ends a sleep and a
 * pause early.
 *
 * EXIT 0
 * OUT 4 posts */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

static sem_t s;
static volatile int posts;

static void on_alarm(int sig) {
    (void)sig;
    posts++;
    sem_post(&s);
}

static void alarm_in_ms(long ms) {
    struct itimerval t = {{0, 0}, {0, ms * 1000}};
    setitimer(ITIMER_REAL, &t, NULL);
}

int main(void) {
    struct sigaction a = {.sa_handler = on_alarm};
    sem_init(&s, 0, 0);
    sigaction(SIGALRM, &a, NULL);
    alarm_in_ms(5);
    if (sem_wait(&s) == 0 || errno != EINTR || sem_trywait(&s))
        return 1;
    a.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &a, NULL);
    alarm_in_ms(5);
    if (sem_wait(&s))
        return 4;
    alarm_in_ms(5);
    if (sleep(1000) == 0)
        return 2;
    alarm_in_ms(5);
    if (pause() != -1 || errno != EINTR)
        return 3;
    printf("%d posts\n", posts);
    return 0;
}
