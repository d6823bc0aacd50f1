//! truth: assertion: code without hooks (compile -DLIB with gcc, link) reads what a thread with hooks writes
#ifdef LIB
extern int g;
int peek2(void) {
    return g;
}
#else
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
int g;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int peek2(void);
void *A(void *a) {
    LOCK;
    int v = peek2();
    UNLOCK;
    if (v)
        abort();
    return 0;
}
void *B(void *a) {
    LOCK;
    g = 1;
    UNLOCK;
    return 0;
}
int main() {
    TWO return 0;
}
#endif
