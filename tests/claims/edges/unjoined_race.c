//! truth: race on *y (main reads it without the lock)
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
int *x, *y;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *f(void *a) {
    pthread_mutex_lock(&m);
    *x = 3;
    *y = 8;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t id;
    x = malloc(sizeof *x);
    y = malloc(sizeof *y);
    pthread_create(&id, 0, f, 0);
#ifdef NOPRINT
    pthread_mutex_lock(&m);
    volatile int k = *x;
    pthread_mutex_unlock(&m);
    k = *y;
#else
    pthread_mutex_lock(&m);
    printf("%d\n", *x);
    pthread_mutex_unlock(&m);
    printf("%d\n", *y);
#endif
#ifdef JOIN
    pthread_join(id, 0);
#endif
    return 0;
}
