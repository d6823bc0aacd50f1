//! finds race
// with RIGHT: silent
// Locks of open file descriptions. With fcntl's own locks a process never waits for itself.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#ifdef RIGHT
#define HOW F_OFD_SETLKW
#else
#define HOW F_SETLKW
#endif
static char name[] = "/tmp/lockedXXXXXX";
static int n;
static void *work(void *a) {
    int fd = open(name, O_RDWR);
    struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
    fcntl(fd, HOW, &l);
    n++;
    l.l_type = F_UNLCK;
    fcntl(fd, HOW, &l);
    close(fd);
    return a;
}
int main(void) {
    pthread_t a, b;
    close(mkstemp(name));
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    unlink(name);
    return 0;
}
