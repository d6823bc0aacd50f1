//! fails: a value that depends on the schedule goes through a pipe, in one thread
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static int p[2], n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *A(void *x) {
    pthread_mutex_lock(&m);
    n = n * 2 + 1;
    pthread_mutex_unlock(&m);
    return x;
}
static void *B(void *x) {
    pthread_mutex_lock(&m);
    n = n * 3;
    pthread_mutex_unlock(&m);
    return x;
}
int main(void) {
    pthread_t a, b;
    int c = 0;
    (void)!pipe(p);
    pthread_create(&a, NULL, A, NULL);
    pthread_create(&b, NULL, B, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    (void)!write(p[1], &n, sizeof n);
    (void)!read(p[0], &c, sizeof c);
    if (c != 3)
        abort();
    return 0;
}
