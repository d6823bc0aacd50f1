//! truth: deadlock: recursive read lock with writer preference
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
pthread_rwlock_t l;
int c;
void *A(void *a) {
    pthread_rwlock_rdlock(&l);
    pthread_rwlock_rdlock(&l);
    c;
    pthread_rwlock_unlock(&l);
    pthread_rwlock_unlock(&l);
    return 0;
}
void *B(void *a) {
    pthread_rwlock_wrlock(&l);
    c++;
    pthread_rwlock_unlock(&l);
    return 0;
}
int main() {
    pthread_rwlockattr_t t;
    pthread_rwlockattr_init(&t);
    pthread_rwlockattr_setkind_np(&t, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&l, &t);
    TWO return 0;
}
