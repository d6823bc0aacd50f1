/* A structure that is copied as a whole. */
#include <assert.h>
#include <pthread.h>
struct three {
    long a, b, c;
};
static struct three shared = {1, 1, 1};
static void *changes(void *unused) {
    struct three x = {2, 2, 2};
    shared = x;
    return unused;
}
static void *copies(void *unused) {
    struct three y = shared;
    assert(y.a == y.c);
    return unused;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, changes, NULL);
    pthread_create(&b, NULL, copies, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
