//! right
/* A full pipe holds its writer until somebody reads: x is written before and after. */
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

static int x, P[2];
static char buf[4096];
static void *A(void *z) {
    for (int i = 0; i < 17; i++)
        write(P[1], buf, 4096);
    x = 1;
    return 0;
}
static void *B(void *z) {
    char c[4096];
    x = 2;
    read(P[0], c, 4096);
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
