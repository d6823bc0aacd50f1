//! finds race
// with RIGHT: right
// Who writes where nobody reads any more comes after the close.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
static int y;
static pthread_t t;
static int p[2];
static void *hear(void *_) {
    if (write(p[1], "", 1) < 0 && errno == EPIPE)
        y = 2;
    return _;
}
int main(void) {
    signal(SIGPIPE, SIG_IGN);
    pipe(p);
    pthread_create(&t, 0, hear, 0);
#ifdef RIGHT
    y = 1;
#endif
    close(p[0]);
#ifndef RIGHT
    y = 1;
#endif
    pthread_join(t, 0);
    return 0;
}
