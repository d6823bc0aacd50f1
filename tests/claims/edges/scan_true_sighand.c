//! truth: F race with a signal handler's thread / assertion by handler
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#define TWO                                                                                        \
    pthread_t t1, t2;                                                                              \
    pthread_create(&t1, 0, A, 0);                                                                  \
    pthread_create(&t2, 0, B, 0);                                                                  \
    pthread_join(t1, 0);                                                                           \
    pthread_join(t2, 0);
#define LOCK pthread_mutex_lock(&m)
#define UNLOCK pthread_mutex_unlock(&m)
volatile int g;
void h(int s) {
    g = 1;
}
void *A(void *q) {
    assert(g == 0);
    return 0;
}
void *B(void *q) {
    return 0;
}
int main() {
    signal(SIGUSR1, h);
    pthread_t t;
    pthread_create(&t, 0, A, 0);
    kill(getpid(), SIGUSR1);
    pthread_join(t, 0);
    return 0;
}
