//! D1 proved  deadlock
/* Who waits for a message holds the lock that its sender needs. */
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int P[2];
static void *A(void *z) {
    pthread_mutex_lock(&m);
    write(P[1], "a", 1);
    pthread_mutex_unlock(&m);
    return 0;
}
static void *B(void *z) {
    char c;
    pthread_mutex_lock(&m);
    read(P[0], &c, 1);
    pthread_mutex_unlock(&m);
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
