//! fails: a pipe that is full takes nothing more
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static int p[2];
static char much[65536];
static long n[2];
static void *A(void *x) {
    n[0] = write(p[1], much, sizeof much);
    return x;
}
static void *B(void *x) {
    n[1] = write(p[1], much, sizeof much);
    return x;
}
int main(void) {
    pthread_t a, b;
    (void)!pipe2(p, O_NONBLOCK);
    pthread_create(&a, NULL, A, NULL);
    pthread_create(&b, NULL, B, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    if (n[0] != sizeof much)
        abort();
    return 0;
}
