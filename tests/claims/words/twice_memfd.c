//! finds race
// with RIGHT: silent
// Two mappings of one memfd, at different offsets.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
static char *one, *two;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *a) {
#ifdef RIGHT
    pthread_mutex_lock(&m);
#endif
    if (a)
        *(long *)(one + 4096 + 64) = 1;
    else
        *(long *)(two + 64) += 1;
#ifdef RIGHT
    pthread_mutex_unlock(&m);
#endif
    return 0;
}
int main(void) {
    pthread_t a, b;
    int fd = memfd_create("x", 0);
    ftruncate(fd, 8192);
    one = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    two = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 4096);
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, &a);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
