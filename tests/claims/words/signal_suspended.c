//! finds race
// with RIGHT: right
// A handler comes after the signal was sent.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
static int y;
static pthread_t t;
static volatile sig_atomic_t came;
static void handler(int _) {
    came = _;
}
static void *hear(void *_) {
    sigset_t none;
    sigemptyset(&none);
    while (!came)
        sigsuspend(&none);
    y = 2;
    return _;
}
int main(void) {
    sigset_t usr;
    signal(SIGUSR1, handler);
    sigemptyset(&usr);
    sigaddset(&usr, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &usr, 0);
    pthread_create(&t, 0, hear, 0);
#ifdef RIGHT
    y = 1;
#endif
    pthread_kill(t, SIGUSR1);
#ifndef RIGHT
    y = 1;
#endif
    pthread_join(t, 0);
    return 0;
}
