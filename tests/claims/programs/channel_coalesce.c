//! right
/* A read gets what was sent before it, not what is sent later. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int x, P[2], Q[2];
static void *A(void *z) {
    write(P[1], "a", 1);
    char c;
    read(Q[0], &c, 1);
    write(P[1], "b", 1);
    return 0;
}
static void *B(void *z) {
    char c[8];
    int n = read(P[0], c, 8);
    assert(n == 1);
    write(Q[1], "x", 1);
    n = read(P[0], c, 8);
    assert(n == 1);
    return 0;
}
int main(void) {
    pipe(P);
    pipe(Q);
    pthread_t a, b;
    pthread_create(&a, 0, A, 0);
    pthread_create(&b, 0, B, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
