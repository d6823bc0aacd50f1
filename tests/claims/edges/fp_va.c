//! truth: none. A writes y only if it saw x==5, which B stores (under the lock) after its own write of y: ordered by the lock
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
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
int x, y;
int first(int n, ...) {
    va_list v;
    va_start(v, n);
    int s = va_arg(v, int);
    va_end(v);
    return s;
}
void *B(void *a) {
    y++;
    LOCK;
    x = 5;
    UNLOCK;
    return 0;
}
void *A(void *a) {
    LOCK;
    int s = first(1, x);
    UNLOCK;
    if (s == 5)
        y++;
    return 0;
}
int main() {
    pthread_t t1, t2;
    pthread_create(&t2, 0, B, 0);
    pthread_create(&t1, 0, A, 0);
    pthread_join(t2, 0);
    pthread_join(t1, 0);
    return 0;
}
