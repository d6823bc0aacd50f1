//! fails: libc is called through a pointer
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static char *(*volatile get)(const char *) = getenv;
static int (*volatile set)(const char *, const char *, int) = setenv;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *A(void *x) {
    pthread_mutex_lock(&m);
    assert(!get("QQ"));
    pthread_mutex_unlock(&m);
    return x;
}
static void *B(void *x) {
    pthread_mutex_lock(&m);
    set("QQ", "1", 1);
    pthread_mutex_unlock(&m);
    return x;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, A, NULL);
    pthread_create(&b, NULL, B, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
