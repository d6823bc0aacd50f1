//! truth: none; A writes y only if it saw x==5, which B stores after its own write of y (goto)
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
int x, y;
static int conv(int v) {
    static void *L[2] = {&&a, &&b};
    int s;
    goto *L[v == 5];
a:
    s = 0;
    goto c;
b:
    s = 5;
c:;
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
    int v = x;
    UNLOCK;
    if (conv(v) == 5)
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
