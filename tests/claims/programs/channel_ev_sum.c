//! right
/* The sum of what two threads added, whoever came first. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int P[2];
static void *A(void *z) {
    uint64_t v = 3;
    write(P[0], &v, 8);
    return 0;
}
static void *B(void *z) {
    uint64_t v = 4;
    write(P[0], &v, 8);
    return 0;
}
int main(void) {
    P[0] = eventfd(0, 0);
    pthread_t a, b;
    pthread_create(&a, 0, A, 0);
    pthread_create(&b, 0, B, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    uint64_t s;
    read(P[0], &s, 8);
    assert(s == 7);
    return 0;
}
