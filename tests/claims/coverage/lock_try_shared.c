//! fails: a try fails or not, as others hold the lock together.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>
static char name[] = "/tmp/lockedXXXXXX";
static int got = -1, f1, f2;
static void *reads(void *a) {
    flock(f1, LOCK_SH);
    flock(f1, LOCK_UN);
    return a;
}
static void *tries(void *a) {
    got = flock(f2, LOCK_EX | LOCK_NB);
    if (got == 0)
        flock(f2, LOCK_UN);
    return a;
}
int main(void) {
    pthread_t a, b;
    f1 = mkstemp(name);
    f2 = open(name, O_RDWR);
    unlink(name);
    pthread_create(&a, 0, reads, 0);
    pthread_create(&b, 0, tries, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(got == 0);
    return 0;
}
