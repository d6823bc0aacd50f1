/* A block that another thread frees: with augur's malloc who frees it uses it again, so that the
 * maker never gets it back, in no interleaving. */
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
