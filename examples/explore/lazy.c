/* Made by the first who needs it. Who comes while it is being made looks again a few times, and then
 * goes on as if it were there. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { NONE, MAKING, MADE };
static atomic_int state;
static int value;

static void make(void) {
    int table[8] = {1};
    for (int i = 1; i < 8; i++)
        table[i] = table[i - 1] + i;
    value = table[7];
}

static int get(void) {
    int s = NONE;
    if (atomic_compare_exchange_strong(&state, &s, MAKING)) {
        make();
        state = MADE;
    } else if (s == MAKING) {
#ifdef RIGHT
        while (state != MADE)
            sched_yield();
#else
        for (int i = 0; i < 3 && state != MADE; i++)
            sched_yield();
#endif
    }
    return value;
}

static void *use(void *unused) {
    assert(get() == 29);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, use, NULL);
    pthread_create(&b, NULL, use, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
