/* Threads that make threads; the second one of all can be either's. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int order;
static int mine[2];
static void *leaf(void *to) {
    *(int *)to = ++order;
    return NULL;
}
static void *branch(void *to) {
    pthread_t t;
    pthread_create(&t, NULL, leaf, to);
    pthread_join(t, NULL);
    return NULL;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, branch, &mine[0]);
    pthread_create(&b, NULL, branch, &mine[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(mine[0] == 1);
    return 0;
}
