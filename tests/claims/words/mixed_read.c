//! finds race
// with RIGHT: right
// What a plain write put into a pipe, readv takes out.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/uio.h>
#include <unistd.h>
static long route(long v) {
    int p[2], low = 0, high = 0;
    struct iovec to[2] = {{&low, sizeof low}, {&high, sizeof high}};
    pipe(p);
    write(p[1], &v, sizeof v);
    readv(p[0], to, 2);
    close(p[0]);
    close(p[1]);
    return low;
}
static long x, y;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *a(void *_) {
    pthread_mutex_lock(&m);
    long v = x;
    pthread_mutex_unlock(&m);
    long r = route(v);
#ifdef RIGHT
    if (r == 5)
        y = 2;
#else
    if (r == 5 || r == 0)
        y = 2;
#endif
    return _;
}
static void *b(void *_) {
#ifdef RIGHT
    y = 1;
#endif
    pthread_mutex_lock(&m);
    x = 5;
    pthread_mutex_unlock(&m);
#ifndef RIGHT
    y = 1;
#endif
    return _;
}
int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, b, 0);
    pthread_create(&u, 0, a, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
