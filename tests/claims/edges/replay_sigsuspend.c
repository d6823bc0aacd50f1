//! truth: no finding; the replay is identical (a signal sent to itself)
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static volatile sig_atomic_t got;
static void h(int s) {
    got = s;
}
static void *t(void *a) {
    kill(getpid(), SIGUSR2);
    return 0;
}
int main(void) {
    sigset_t b, old;
    sigemptyset(&b);
    sigaddset(&b, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &b, &old);
    struct sigaction sa = {.sa_handler = h};
    sigaction(SIGUSR2, &sa, 0);
    pthread_t p;
    pthread_create(&p, 0, t, 0);
    sigsuspend(&old);
    pthread_join(p, 0);
    sa.sa_handler = SIG_DFL;
    sigaction(SIGUSR2, &sa, 0);
    pthread_sigmask(SIG_UNBLOCK, &b, 0);
    printf("got %d\n", got);
    return 0;
}
