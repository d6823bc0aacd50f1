//! finds race
// with RIGHT: silent
// A flag with two addresses hands over.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
static int fd;
static char *A, *B;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
#define L pthread_mutex_lock(&m)
#define U pthread_mutex_unlock(&m)
static void maps(void) {
    fd = memfd_create("x", 0);
    ftruncate(fd, 8192);
    A = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    B = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}
static int y;
static void *one(void *_) {
    y = 1;
    __atomic_store_n((int *)A, 1, 5);
#ifndef RIGHT
    y = 3;
#endif
    return 0;
}
static void *two(void *_) {
    while (!__atomic_load_n((int *)B, 5))
        sched_yield();
    y = 2;
    return 0;
}
int main(void) {
    pthread_t a, b;
    maps();
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
