//! right
/* Two threads send under a lock, two receive under another. */
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, r = PTHREAD_MUTEX_INITIALIZER;
static int P[2];
static void *A(void *z) {
    pthread_mutex_lock(&m);
    write(P[1], z, 1);
    pthread_mutex_unlock(&m);
    return 0;
}
static void *B(void *z) {
    char c;
    pthread_mutex_lock(&r);
    read(P[0], &c, 1);
    pthread_mutex_unlock(&r);
    return 0;
}
int main(void) {
    pipe(P);
    pthread_t a[4];
    pthread_create(&a[0], 0, A, "a");
    pthread_create(&a[1], 0, A, "b");
    pthread_create(&a[2], 0, B, 0);
    pthread_create(&a[3], 0, B, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(a[i], 0);
    return 0;
}
