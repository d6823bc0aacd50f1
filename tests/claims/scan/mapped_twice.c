// race: UNKNOWN FALSE
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
static int *a, *b;
static void *f(void *p) {
    *a = 1;
    return p;
}
int main(void) {
    pthread_t t;
    int fd = open("file", O_RDWR | O_CREAT, 0600);
    ftruncate(fd, 4096);
    a = mmap(0, 4096, 3, MAP_SHARED, fd, 0);
    b = mmap(0, 4096, 3, MAP_SHARED, fd, 0);
    pthread_create(&t, 0, f, 0);
    *b = 2;
    pthread_join(t, 0);
    return 0;
}
