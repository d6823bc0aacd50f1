/* A thread ends the program, with another status if it comes late. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int steps;
static void *ends(void *unused) {
    (void)unused;
    assert(steps < 1);
    exit(0);
}
int main(void) {
    pthread_t a;
    pthread_create(&a, NULL, ends, NULL);
    if (getenv("NOBODY_SETS_THIS"))
        return 1;
    pthread_t b;
    pthread_create(&b, NULL, ends, NULL);
    steps = 1;
    pthread_join(a, NULL);
    steps = 2;
    pthread_join(b, NULL);
    return 0;
}
