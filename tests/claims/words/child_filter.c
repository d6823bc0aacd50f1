//! reports race
// with RIGHT: right
// A child sends back what it got.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static long route(long v) {
    int to[2], from[2];
    pipe(to);
    pipe(from);
    pid_t child = fork();
    if (!child) {
        read(to[0], &v, sizeof v);
        write(from[1], &v, sizeof v);
        _exit(0);
    }
    write(to[1], &v, sizeof v);
    read(from[0], &v, sizeof v);
    waitpid(child, 0, 0);
    return v;
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
