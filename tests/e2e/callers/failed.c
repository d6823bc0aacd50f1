/* Fails two calls deep; what the callers did last stands on other lines than their calls (callers.sh). */
#include <assert.h>
#include <pthread.h>

int total = 1, seen;

static inline void want(int least) {
    assert(total >= least); /* fails */
}
static void __attribute__((noinline)) look(void) {
    seen = 1;
    want(10); /* want */
}
static void __attribute__((noinline)) check(int *busy) {
    *busy = 1; /* busy */
    look();    /* look */
    *busy = 0;
}

static void *work(void *p) {
    check(&seen); /* check */
    return p;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    return 0;
}
