//! fails: assembler reads what another thread writes
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static int g;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *A(void *x) {
    int v;
    pthread_mutex_lock(&m);
    __asm__ volatile("movl %1, %0" : "=r"(v) : "m"(g));
    pthread_mutex_unlock(&m);
    if (v)
        abort();
    return x;
}
static void *B(void *x) {
    pthread_mutex_lock(&m);
    g = 1;
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
