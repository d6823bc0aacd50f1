//! fails: one memory at two addresses
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
static volatile int *p, *q;
static void *A(void *x) {
    *p = 1;
    return x;
}
static void *B(void *x) {
    if (*q)
        abort();
    return x;
}
int main(void) {
    pthread_t a, b;
    int f = memfd_create("claims", 0);
    (void)!ftruncate(f, 4096);
    p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
    q = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
    pthread_create(&b, NULL, B, NULL);
    pthread_create(&a, NULL, A, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
