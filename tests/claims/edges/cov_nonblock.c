//! truth: assertion: write to a full nonblocking pipe
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
int p[2];
char b[65536];
long a1, b1;
void *A(void *a) {
    a1 = write(p[1], b, 65536);
    return 0;
}
void *B(void *a) {
    b1 = write(p[1], b, 65536);
    return 0;
}
int main() {
    pipe2(p, O_NONBLOCK);
    TWO if (a1 != 65536) abort();
    return 0;
}
