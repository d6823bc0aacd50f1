//! fails: keys are numbered as they come
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static pthread_key_t k[2];
static void *A(void *x) {
    pthread_key_create(&k[0], NULL);
    return x;
}
static void *B(void *x) {
    pthread_key_create(&k[1], NULL);
    return x;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, A, NULL);
    pthread_create(&b, NULL, B, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(k[0] < k[1]);
    return 0;
}
