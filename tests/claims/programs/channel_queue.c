//! right
/* y is written only if 5 came through the pipe, and then it was written before. */
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x, y, P[2];
static void *B(void *a) {
    y++;
    pthread_mutex_lock(&m);
    x = 5;
    pthread_mutex_unlock(&m);
    return 0;
}
static void *A(void *a) {
    pthread_mutex_lock(&m);
    int v = x;
    pthread_mutex_unlock(&m);
    write(P[1], &v, sizeof v);
    return 0;
}
static void *C(void *a) {
    int s = -1;
    read(P[0], &s, sizeof s);
    if (s == 5)
        y++;
    return 0;
}
int main() {
    pipe(P);
    pthread_t t, u, w;
    pthread_create(&u, 0, B, 0);
    pthread_create(&t, 0, A, 0);
    pthread_create(&w, 0, C, 0);
    pthread_join(u, 0);
    pthread_join(t, 0);
    pthread_join(w, 0);
    return 0;
}
