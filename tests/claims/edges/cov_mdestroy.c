//! truth: assertion: pthread_mutex_destroy gives EBUSY while held
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
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *A(void *a) {
    LOCK;
    UNLOCK;
    return 0;
}
void *B(void *a) {
    int r = pthread_mutex_destroy(&m);
    if (r == EBUSY)
        abort();
    pthread_mutex_init(&m, 0);
    return 0;
}
int main() {
    TWO return 0;
}
