//! silent
// Two mappings of one file; the threads use different parts of it.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
static long *one, *two;
static void *work(void *a) {
    if (a)
        one[1] = 1;
    else
        two[2] += 1;
    return 0;
}
int main(void) {
    pthread_t a, b;
    int fd = memfd_create("x", 0);
    ftruncate(fd, 4096);
    one = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    two = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, &a);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return (int)(one[2] + two[1]) - 2;
}
