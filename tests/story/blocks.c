/* A broken block that only says again that its accesses race, and one that says more: its accesses all hold a lock. */
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, g = PTHREAD_MUTEX_INITIALIZER;
static long evictions, stock = 5;
static void *one(void *p) {
    pthread_mutex_lock(&m);
    evictions++;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&g);
    long s = stock;
    pthread_mutex_unlock(&g);
    pthread_mutex_lock(&g);
    stock = s - 1;
    pthread_mutex_unlock(&g);
    pthread_mutex_unlock(&m);
    return p;
}
static void *two(void *p) {
    evictions++;
    pthread_mutex_lock(&g);
    stock = 4;
    pthread_mutex_unlock(&g);
    return p;
}
int main(void) {
    pthread_t t, u;
    pthread_create(&t, NULL, one, NULL);
    pthread_create(&u, NULL, two, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    printf("%ld %ld\n", evictions, stock);
    return 0;
}
