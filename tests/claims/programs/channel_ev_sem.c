//! right
/* An event counter as a semaphore guards x. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int x, P[2];
static void *A(void *z) {
    for (int i = 0; i < 2; i++) {
        uint64_t c = 1;
        read(P[0], &c, 8);
        x++;
        c = 1;
        write(P[0], &c, 8);
    }
    return 0;
}
static void *B(void *z) {
    return A(z);
}
int main(void) {
    P[0] = eventfd(1, EFD_SEMAPHORE);
    pthread_t a, b;
    pthread_create(&a, 0, A, 0);
    pthread_create(&b, 0, B, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
