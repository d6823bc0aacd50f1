//! finds race
// with RIGHT: silent
// Readers share the lock, the writer has it alone.
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>
static char name[] = "/tmp/lockedXXXXXX";
static int n, seen[2];
static void *reads(void *a) {
    int fd = open(name, O_RDWR);
    flock(fd, LOCK_SH);
    seen[a != 0] = n;
    flock(fd, LOCK_UN);
    close(fd);
    return 0;
}
static void *writes(void *a) {
    int fd = open(name, O_RDWR);
#ifdef RIGHT
    flock(fd, LOCK_EX);
#else
    flock(fd, LOCK_SH);
#endif
    n++;
    flock(fd, LOCK_UN);
    close(fd);
    return a;
}
int main(void) {
    pthread_t a, b, c;
    close(mkstemp(name));
    pthread_create(&a, 0, reads, 0);
    pthread_create(&b, 0, writes, 0);
    pthread_create(&c, 0, reads, name);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    unlink(name);
    return 0;
}
