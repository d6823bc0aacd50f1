//! right
/* One token in a pipe guards x. */
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

static int x, P[2];
static void *A(void *z) {
    for (int i = 0; i < 2; i++) {
        char c;
        read(P[0], &c, 1);
        x++;
        write(P[1], &c, 1);
    }
    return 0;
}
static void *B(void *z) {
    return A(z);
}
int main(void) {
    pipe(P);
    write(P[1], "t", 1);
    pthread_t a, b;
    pthread_create(&a, 0, A, 0);
    pthread_create(&b, 0, B, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
