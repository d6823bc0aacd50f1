/* Dekker's idea with the own flag raised after the look at the other's: both see it down, and both
 * enter. No waiting, so that a plain run is not slow. No data race. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag[2], entered;

static void *side(void *arg) {
    int me = *(int *)arg;
    int other = atomic_load(&flag[1 - me]); // bug
    atomic_store(&flag[me], 1);             // bug
    if (!other)
        atomic_fetch_add(&entered, 1);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int number[2] = {0, 1};
    pthread_create(&a, NULL, side, &number[0]);
    pthread_create(&b, NULL, side, &number[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(entered <= 1);
    return 0;
}
