/* Memory that is freed by one thread and asked for by the other: the same address or not. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static void *first, *second;
static void *frees(void *unused) {
    free(first);
    return unused;
}
static void *asks(void *unused) {
    second = malloc(40);
    return unused;
}
int main(void) {
    pthread_t a, b;
    first = malloc(40);
    void *was = first;
    pthread_create(&a, NULL, asks, NULL);
    pthread_create(&b, NULL, frees, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(second != was);
    return 0;
}
