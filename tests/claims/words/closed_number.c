//! finds race
// with RIGHT: right
// A descriptor that is not open any more was closed before.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <unistd.h>
static int y;
static pthread_t t;
static int p[2];
static void *hear(void *_) {
    if (write(p[1], "", 1) < 0 && errno == EBADF)
        y = 2;
    return _;
}
int main(void) {
    pipe(p);
    pthread_create(&t, 0, hear, 0);
#ifdef RIGHT
    y = 1;
#endif
    close(p[1]);
#ifndef RIGHT
    y = 1;
#endif
    pthread_join(t, 0);
    return 0;
}
