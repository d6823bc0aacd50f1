//! fails: two threads install a handler; main looks which one stays
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
static void one(int s) {
    (void)s;
}
static void two(int s) {
    (void)s;
}
static void *A(void *x) {
    signal(SIGUSR1, one);
    return x;
}
static void *B(void *x) {
    signal(SIGUSR1, two);
    return x;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, A, NULL);
    pthread_create(&b, NULL, B, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(signal(SIGUSR1, SIG_DFL) == two);
    return 0;
}
