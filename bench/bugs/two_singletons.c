/* An object that exists once, made by whoever needs it first; the pointer is atomic, but looking and
 * storing are two steps: two are made, and two threads work on different ones. No data race. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int *_Atomic counter;
static atomic_int made;

static atomic_int *get(void) {
    atomic_int *c = atomic_load(&counter); // bug
    if (!c) {
        c = calloc(1, sizeof *c);
        atomic_fetch_add(&made, 1);
        atomic_store(&counter, c); // bug
    }
    return c;
}

static void *hit(void *unused) {
    atomic_fetch_add(get(), 1);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, hit, NULL);
    pthread_create(&b, NULL, hit, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(made == 1 && *counter == 2);
    free(counter);
    return 0;
}
