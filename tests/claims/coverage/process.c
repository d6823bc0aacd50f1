//! fails: a race in another process decides
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static int n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *A(void *x) {
    pthread_mutex_lock(&m);
    n = n * 2 + 1;
    pthread_mutex_unlock(&m);
    return x;
}
static void *B(void *x) {
    pthread_mutex_lock(&m);
    n = n * 3;
    pthread_mutex_unlock(&m);
    return x;
}
int main(void) {
    pthread_t a, b;
    int status = 0;
    pid_t child = fork();
    if (!child) {
        pthread_create(&a, NULL, A, NULL);
        pthread_create(&b, NULL, B, NULL);
        pthread_join(a, NULL);
        pthread_join(b, NULL);
        _exit(n != 3);
    }
    waitpid(child, &status, 0);
    assert(!status);
    return 0;
}
