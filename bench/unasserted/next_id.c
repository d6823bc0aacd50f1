/* Atomic accesses, but two of them: two orders get the same number. Right: one atomic addition. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int next = 1;
static int got[2];

static void *order(void *at) {
#ifdef RIGHT
    *(int *)at = atomic_fetch_add(&next, 1);
#else
    int id = atomic_load(&next);
    atomic_store(&next, id + 1); // bug
    *(int *)at = id;
#endif
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, order, &got[0]);
    pthread_create(&b, NULL, order, &got[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("orders %d and %d\n", got[0], got[1]);
    return 0;
}
