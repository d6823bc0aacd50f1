//! right
/* Nothing was there when it looked, so x was not set; a lock holds both together. */
#define _GNU_SOURCE
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x, P[2];
static void *A(void *z) {
    pthread_mutex_lock(&m);
    struct pollfd p = {P[0], POLLIN, 0};
    int there = poll(&p, 1, 0), v = x;
    pthread_mutex_unlock(&m);
    assert(there == v);
    return 0;
}
static void *B(void *z) {
    pthread_mutex_lock(&m);
    write(P[1], "b", 1);
    x = 1;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pipe(P);
    pthread_t a, b;
    pthread_create(&a, 0, A, 0);
    pthread_create(&b, 0, B, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
