//! finds race
// with RIGHT: silent
// Who closes the last descriptor gives the lock up. A try that fails gets nothing.
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>
static char name[] = "/tmp/lockedXXXXXX";
static int n;
static void *closes(void *a) {
    int fd = open(name, O_RDWR);
    flock(fd, LOCK_EX);
    n++;
    close(fd);
    return a;
}
static void *tries(void *a) {
    int fd = open(name, O_RDWR);
#ifdef RIGHT
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
#else
    flock(fd, LOCK_EX | LOCK_NB);
#endif
        n++;
    close(fd);
    return a;
}
int main(void) {
    pthread_t a, b;
    close(mkstemp(name));
    pthread_create(&a, 0, closes, 0);
    pthread_create(&b, 0, tries, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    unlink(name);
    return 0;
}
