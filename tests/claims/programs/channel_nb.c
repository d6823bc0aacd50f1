//! right
/* Nothing was there to read, so nothing had been sent. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int x, P[2];
static void *A(void *z) {
    x = 1;
    write(P[1], "a", 1);
    return 0;
}
static void *B(void *z) {
    char c;
    if (read(P[0], &c, 1) == 1)
        x++;
    return 0;
}
int main(void) {
    pipe2(P, O_NONBLOCK);
    pthread_t a, b;
    pthread_create(&a, 0, A, 0);
    pthread_create(&b, 0, B, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
