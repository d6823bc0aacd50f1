//! fails: one thread changes the directory that the other one asks for
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static char where[4096];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *A(void *x) {
    pthread_mutex_lock(&m);
    (void)!getcwd(where, sizeof where);
    pthread_mutex_unlock(&m);
    return x;
}
static void *B(void *x) {
    pthread_mutex_lock(&m);
    (void)!chdir("/");
    pthread_mutex_unlock(&m);
    return x;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, A, NULL);
    pthread_create(&b, NULL, B, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(strcmp(where, "/"));
    return 0;
}
