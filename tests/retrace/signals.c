// Handlers that run at any place, a fault that is jumped out of, fork, exit handlers.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

volatile sig_atomic_t got;
int work, ended;
static sigjmp_buf back;
int *volatile nowhere;

static void handler(int sig) {
    got += sig;
}
static void fault(int sig) {
    work++;
    siglongjmp(back, sig);
}
static void at_end(void) {
    ended = work;
    printf("%d %d\n", (int)(got != 0), ended > 0);
}

static void *worker(void *p) {
    for (int i = 0; i < 50; i++) {
        work += i;
        if (i == 20)
            raise(SIGUSR1);
        if (i == 30)
            pthread_kill(pthread_self(), SIGUSR2);
    }
    return p;
}

int main(void) {
    struct sigaction a = {.sa_handler = handler};
    sigaction(SIGUSR1, &a, NULL);
    signal(SIGUSR2, handler);
    a.sa_handler = fault;
    a.sa_flags = SA_NODEFER;
    sigaction(SIGSEGV, &a, NULL);
    atexit(at_end);
    pthread_t t;
    pthread_create(&t, NULL, worker, &work);
    for (int i = 0; i < 30; i++)
        work -= 1;
    int how = sigsetjmp(back, 1);
    if (!how)
        *nowhere = 1;
    work += how;
    if (!fork())
        _exit(3);
    int status;
    wait(&status);
    pthread_join(t, NULL);
    exit(WEXITSTATUS(status) != 3);
}
