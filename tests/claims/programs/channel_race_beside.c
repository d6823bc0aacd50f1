//! R1 proved  race on 'x'
/* Threads talk, but not about x. */
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

static int x, P[2];
static void *A(void *z) {
    write(P[1], "a", 1);
    x = 1;
    return 0;
}
static void *B(void *z) {
    char c;
    read(P[0], &c, 1);
    x = 2;
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
