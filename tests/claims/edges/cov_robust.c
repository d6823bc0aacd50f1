//! truth: assertion: EOWNERDEAD seen only if the owner died first
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
pthread_mutex_t m;
int dead;
void *A(void *a) {
    pthread_mutex_lock(&m);
    return 0;
}
void *B(void *a) {
    int r = pthread_mutex_lock(&m);
    if (r == EOWNERDEAD) {
        pthread_mutex_consistent(&m);
        dead = 1;
    }
    pthread_mutex_unlock(&m);
    return 0;
}
int main() {
    pthread_mutexattr_t t;
    pthread_mutexattr_init(&t);
    pthread_mutexattr_setrobust(&t, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &t);
    TWO assert(dead == 1);
    return 0;
}
