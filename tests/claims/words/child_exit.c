//! finds race
// with RIGHT: right
// What a child ends with was its parent's when it was made: it is another one in another order.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static long route(long v) {
    int status;
    pid_t child = fork();
    if (!child)
        _exit((int)v);
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
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
