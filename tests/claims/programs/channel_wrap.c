//! right
/* Large messages and many of them, through a pipe and a pair at the same time; a value in the last one. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x, P[2], Q[2];
static void *A(void *z) {
    char b[1000];
    for (int i = 0; i < 300; i++) {
        memset(b, i, 1000);
        if (i == 299) {
            pthread_mutex_lock(&m);
            b[0] = x;
            b[1] = x;
            pthread_mutex_unlock(&m);
        }
        write(P[1], b, 1000);
        send(Q[1], b, 1000, 0);
    }
    return 0;
}
static void *B(void *z) {
    pthread_mutex_lock(&m);
    x = 5;
    pthread_mutex_unlock(&m);
    return 0;
}
static void *C(void *z) {
    char b[1000], c[1000];
    for (int i = 0; i < 300; i++) {
        read(P[0], b, 1000);
        recv(Q[0], c, 1000, 0);
        assert(b[0] == c[0] && b[1] == c[0]);
    }
    return 0;
}
int main(void) {
    pipe(P);
    socketpair(AF_UNIX, SOCK_STREAM, 0, Q);
    pthread_t a, b, c;
    pthread_create(&a, 0, A, 0);
    pthread_create(&b, 0, B, 0);
    pthread_create(&c, 0, C, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
