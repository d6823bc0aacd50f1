//! fails: the mask of new files belongs to all threads
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
static mode_t was;
static void *A(void *x) {
    was = umask(022);
    return x;
}
static void *B(void *x) {
    umask(077);
    return x;
}
int main(void) {
    pthread_t a, b;
    umask(022);
    pthread_create(&a, NULL, A, NULL);
    pthread_create(&b, NULL, B, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(was == 022);
    return 0;
}
