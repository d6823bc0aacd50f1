/* A block that another thread frees: the maker gets it again, or another one. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static void *first;
static void *frees(void *unused) {
    free(first);
    return unused;
}
int main(void) {
    pthread_t a;
    first = malloc(40);
    void *was = first;
    pthread_create(&a, NULL, frees, NULL);
    void *second = malloc(40);
    pthread_join(a, NULL);
    assert(second != was);
    return 0;
}
