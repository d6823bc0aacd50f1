/* A timer strikes a thread that joins others, now and then just when the other one ends.
 *
 * EXIT 0
 * OUT struck */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static volatile int strikes, sum;

static void strike(int sig) {
    (void)sig;
    strikes++;
}

static void *adds(void *unused) {
    for (int i = 0; i < 20000; i++)
        sum++;
    return unused;
}

int main(void) {
    struct sigaction action = {.sa_handler = strike};
    struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 40 || strikes < 5; i++) {
        pthread_t t;
        if (pthread_create(&t, NULL, adds, NULL) != 0)
            return 1;
        pthread_join(t, NULL);
    }
    setitimer(ITIMER_REAL, &never, NULL);
    puts("struck");
    return 0;
}
