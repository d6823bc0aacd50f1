//! A1 proved  assertion 'v == 5' fails
/* A value that was read too early travels through a socket pair. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x, P[2];
static void *A(void *z) {
    pthread_mutex_lock(&m);
    int v = x;
    pthread_mutex_unlock(&m);
    send(P[1], &v, sizeof v, 0);
    return 0;
}
static void *B(void *z) {
    pthread_mutex_lock(&m);
    x = 5;
    pthread_mutex_unlock(&m);
    return 0;
}
static void *C(void *z) {
    int v;
    recv(P[0], &v, sizeof v, 0);
    assert(v == 5);
    return 0;
}
int main(void) {
    socketpair(AF_UNIX, SOCK_STREAM, 0, P);
    pthread_t a, b, c;
    pthread_create(&b, 0, B, 0);
    pthread_create(&a, 0, A, 0);
    pthread_create(&c, 0, C, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
