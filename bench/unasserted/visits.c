/* A counter without a lock. Right: atomic. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#ifdef RIGHT
static atomic_int visits;
#else
static int visits;
#endif

static void *visit(void *unused) {
    visits++; // bug
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, visit, NULL);
    pthread_create(&b, NULL, visit, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d visits\n", visits);
    return 0;
}
