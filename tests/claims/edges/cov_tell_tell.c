//! truth: assertion: order of two writes to a pipe, read by main after join
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
void *A(void *a) {
    write(p[1], "A", 1);
    return 0;
}
void *B(void *a) {
    write(p[1], "B", 1);
    return 0;
}
int main() {
    pipe(p);
    TWO char c = 0;
    read(p[0], &c, 1);
    assert(c == 'A');
    return 0;
}
