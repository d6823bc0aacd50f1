/* A thread sends the process a signal that another one waits for, and that is deadly afterwards. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile sig_atomic_t got;

static void handler(int s) {
    got = s;
}

static void *sender(void *a) {
    kill(getpid(), SIGUSR2);
    return a;
}

int main(void) {
    sigset_t block, old;
    sigemptyset(&block);
    sigaddset(&block, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &block, &old);
    struct sigaction sa = {.sa_handler = handler};
    pthread_t t;
#ifdef SIGWAIT
    int sig = 0;
    pthread_create(&t, 0, sender, 0);
    sigwait(&block, &sig);
    got = sig;
#else
    sigaction(SIGUSR2, &sa, 0);
    pthread_create(&t, 0, sender, 0);
    sigsuspend(&old);
#endif
    pthread_join(t, 0);
    sa.sa_handler = SIG_DFL;
    sigaction(SIGUSR2, &sa, 0);
    pthread_sigmask(SIG_UNBLOCK, &block, 0);
    printf("got %d\n", got);
    return 0;
}
