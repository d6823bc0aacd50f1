//! finds race
// with RIGHT: silent
// lockf is of the process: threads need a lock of their own.
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static char name[] = "/tmp/lockedXXXXXX";
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *work(void *a) {
    int fd = open(name, O_RDWR);
#ifdef RIGHT
    pthread_mutex_lock(&m);
#endif
    lockf(fd, F_LOCK, 0);
    n++;
    lockf(fd, F_ULOCK, 0);
#ifdef RIGHT
    pthread_mutex_unlock(&m);
#endif
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
