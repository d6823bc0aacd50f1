//! fails: two threads print into one file, main reads who was first
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static FILE *f;
static void *A(void *x) {
    fputs("A", f);
    return x;
}
static void *B(void *x) {
    fputs("B", f);
    return x;
}
int main(void) {
    pthread_t a, b;
    f = tmpfile();
    pthread_create(&a, NULL, A, NULL);
    pthread_create(&b, NULL, B, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    rewind(f);
    assert(fgetc(f) == 'A');
    return 0;
}
