//! fails: a signal comes when it comes
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int rung, n;
static void ring(int s) {
    (void)s;
    rung = 1;
}
static void *A(void *x) {
    n = rung;
    usleep(1000);
    return x;
}
static void *B(void *x) {
    usleep(1000);
    return x;
}
int main(void) {
    pthread_t a, b;
    signal(SIGALRM, ring);
    ualarm(500, 0);
    pthread_create(&a, NULL, A, NULL);
    pthread_create(&b, NULL, B, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(!n);
    return 0;
}
