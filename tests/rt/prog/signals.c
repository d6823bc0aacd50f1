/* An interval timer strikes a busy thread; its handler writes what the thread reads. */
#include "hook.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static int ticks;

static void tick(int sig) {
    __augur_enter(&site[0]);
    int now = LD(2, ticks);
    ST(1, ticks, now + (sig == SIGALRM));
    __augur_leave(&site[3]);
}

static void *waits(void *a) {
    __augur_enter(&site[10]);
    long rounds = 0;
    while (LD(11, ticks) < 5)
        rounds++;
    __augur_leave(&site[12]);
    return a ? a : (void *)(rounds >= 0 ? 1L : 0L);
}

int main(void) {
    __augur_enter(&site[20]);
    struct sigaction a = {.sa_handler = tick};
    CALL(21, sigaction, SIGALRM, &a, NULL);
    pthread_t t;
    CALL(23, pthread_create, &t, NULL, waits, NULL);
    struct itimerval every = {{0, 3000}, {0, 3000}};
    CALL(25, setitimer, ITIMER_REAL, &every, NULL);
    CALL(27, pthread_join, t, NULL);
    struct itimerval never = {{0, 0}, {0, 0}};
    CALL(29, setitimer, ITIMER_REAL, &never, NULL);
    CALL(31, printf, "done\n");
    __augur_leave(&site[33]);
    return 0;
}
