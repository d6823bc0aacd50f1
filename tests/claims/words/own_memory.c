//! finds assertion
// with RIGHT: right
/* A process copies its own memory by its number, which a replay tells as it was. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sys/uio.h>
#include <unistd.h>
static long a, b;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *writer(void *p) {
    pthread_mutex_lock(&m);
    a = 5;
    pthread_mutex_unlock(&m);
    return p;
}
static void *copier(void *p) {
    struct iovec to = {&b, sizeof b}, from = {&a, sizeof a};
    pthread_mutex_lock(&m);
    assert(process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)sizeof a);
#ifdef RIGHT
    assert(b == a);
#else
    assert(b == 0);
#endif
    pthread_mutex_unlock(&m);
    return p;
}
int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, copier, NULL);
    pthread_create(&t[1], NULL, writer, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
