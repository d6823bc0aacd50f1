//! finds race
// with RIGHT: silent
// Two descriptions of one file: flock excludes the threads.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>
static char name[] = "/tmp/lockedXXXXXX";
static int n;
static void *work(void *a) {
    int fd = open(name, O_RDWR);
    for (int i = 0; i < 2; i++) {
        flock(fd, LOCK_EX);
        n++;
        flock(fd, LOCK_UN);
    }
#ifndef RIGHT
    if (a)
        n++;
#endif
    close(fd);
    return 0;
}
int main(void) {
    pthread_t a, b;
    close(mkstemp(name));
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, name);
    pthread_join(a, 0);
    pthread_join(b, 0);
    unlink(name);
#ifdef RIGHT
    assert(n == 4);
#endif
    return 0;
}
