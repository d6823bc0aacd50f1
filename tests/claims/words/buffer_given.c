//! finds race
// with RIGHT: right
// What is put out stands in a buffer of the program.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
static long route(long v) {
    char buffer[64] = {0};
    FILE *f = fopen("/dev/null", "w");
    setvbuf(f, buffer, _IOFBF, sizeof buffer);
    fputc((int)('0' + v), f);
    long r = buffer[0] - '0';
    fclose(f);
    return r;
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
