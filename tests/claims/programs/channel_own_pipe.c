//! right
/* What a thread writes into its own pipe it reads back. */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x, P[2];
static void *A(void *a) {
    pthread_mutex_lock(&m);
    int v = x;
    pthread_mutex_unlock(&m);
    int s = -1;
    write(P[1], &v, sizeof v);
    read(P[0], &s, sizeof s);
    assert(s == v);
    return 0;
}
static void *B(void *a) {
    pthread_mutex_lock(&m);
    x = 5;
    pthread_mutex_unlock(&m);
    return 0;
}
int main() {
    pipe(P);
    pthread_t t, u;
    pthread_create(&t, 0, A, 0);
    pthread_create(&u, 0, B, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
