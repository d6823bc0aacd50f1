// WITH: queue_without_hooks.c
// The order of the calls is kept, but a thread that would wait for it is in no deadlock.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
void q_put(void *p);
void *q_get(void);
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *a(void *x) {
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
    q_put(x);
    return 0;
}
static void *b(void *x) {
    pthread_mutex_lock(&m);
    n++;
    q_put(x);
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, a, 0);
    pthread_create(&u, 0, b, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    printf("%d\n", n);
    return 0;
}
