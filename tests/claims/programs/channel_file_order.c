//! right
/* A variable and its copy in a file change together, under a lock. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x, f;
static void *A(void *z) {
    pthread_mutex_lock(&m);
    int v = x, s = 0;
    pread(f, &s, sizeof s, 0);
    pthread_mutex_unlock(&m);
    assert(s == v);
    return 0;
}
static void *B(void *z) {
    pthread_mutex_lock(&m);
    x = 5;
    pwrite(f, &x, sizeof x, 0);
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    char name[] = "/tmp/channel-XXXXXX";
    f = mkstemp(name);
    unlink(name);
    pthread_t a, b;
    pthread_create(&a, 0, A, 0);
    pthread_create(&b, 0, B, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
