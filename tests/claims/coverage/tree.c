//! fails: a tree of libc, with a comparison of the program
#include <assert.h>
#include <pthread.h>
#include <search.h>
#include <stdlib.h>
static void *root;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int keys[2] = {1, 1};
static int order(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}
static void add(int *key) {
    pthread_mutex_lock(&m);
    int *there = *(int **)tsearch(key, &root, order);
    pthread_mutex_unlock(&m);
    if (key == &keys[0])
        assert(there == key);
}
static void *A(void *x) {
    add(&keys[0]);
    return x;
}
static void *B(void *x) {
    add(&keys[1]);
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
