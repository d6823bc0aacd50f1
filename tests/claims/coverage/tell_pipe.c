//! fails: two threads write to a pipe, main reads who was first
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static int p[2];
static void *A(void *x) {
    (void)!write(p[1], "A", 1);
    return x;
}
static void *B(void *x) {
    (void)!write(p[1], "B", 1);
    return x;
}
int main(void) {
    pthread_t a, b;
    char c = 0;
    (void)!pipe(p);
    pthread_create(&a, NULL, A, NULL);
    pthread_create(&b, NULL, B, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    (void)!read(p[0], &c, 1);
    assert(c == 'A');
    return 0;
}
