//! A1 proved  assertion 'v == 6' fails
/* A value that was read too early travels through an event counter. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x, P[2];
static void *A(void *z) {
    pthread_mutex_lock(&m);
    uint64_t v = x + 1;
    pthread_mutex_unlock(&m);
    write(P[0], &v, 8);
    return 0;
}
static void *B(void *z) {
    pthread_mutex_lock(&m);
    x = 5;
    pthread_mutex_unlock(&m);
    return 0;
}
static void *C(void *z) {
    uint64_t v;
    read(P[0], &v, 8);
    assert(v == 6);
    return 0;
}
int main(void) {
    P[0] = eventfd(0, 0);
    pthread_t a, b, c;
    pthread_create(&b, 0, B, 0);
    pthread_create(&a, 0, A, 0);
    pthread_create(&c, 0, C, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
