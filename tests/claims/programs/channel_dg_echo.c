//! right
/* What goes into a pair of datagram sockets comes back, and one more. */
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
    int s = -1;
    send(P[0], &v, sizeof v, 0);
    recv(P[0], &s, sizeof s, 0);
    assert(s == v + 1);
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
    recv(P[1], &v, sizeof v, 0);
    v++;
    send(P[1], &v, sizeof v, 0);
    return 0;
}
int main(void) {
    socketpair(AF_UNIX, SOCK_DGRAM, 0, P);
    pthread_t a, b, c;
    pthread_create(&a, 0, A, 0);
    pthread_create(&b, 0, B, 0);
    pthread_create(&c, 0, C, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
