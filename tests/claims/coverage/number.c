//! fails: libc reads a number that another thread writes
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static char text[8] = "1";
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *A(void *x) {
    pthread_mutex_lock(&m);
    int v = atoi(text);
    pthread_mutex_unlock(&m);
    if (v == 7)
        abort();
    return x;
}
static void *B(void *x) {
    pthread_mutex_lock(&m);
    text[0] = '7';
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
