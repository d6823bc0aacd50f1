/* A queue of tasks with two ends: its owner takes from the bottom, thieves from the top. For the last
 * task they must agree; the owner forgets to ask. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { TASKS = 3, NOTHING = -1 };
static const int task[TASKS] = {0, 1, 2};
static atomic_int top, bottom = TASKS;
static atomic_int taken[TASKS];

static void run(int number) {
    if (number != NOTHING)
        assert(atomic_fetch_add(&taken[number], 1) == 0);
}

static int take(void) {
    int b = --bottom, t = top;
    if (t > b) {
        bottom = t;
        return NOTHING;
    }
    int number = task[b];
    if (t == b) { /* the last one */
#ifdef RIGHT
        if (!atomic_compare_exchange_strong(&top, &t, t + 1))
            number = NOTHING;
        bottom = b + 1;
#else
        bottom = t;
#endif
    }
    return number;
}

static int steal(void) {
    int t = top, b = bottom;
    if (t >= b)
        return NOTHING;
    int number = task[t];
    if (!atomic_compare_exchange_strong(&top, &t, t + 1))
        return NOTHING;
    return number;
}

static void *owner(void *unused) {
    run(take());
    run(take());
    return unused;
}

static void *thief(void *unused) {
    run(steal());
    return unused;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, NULL, owner, NULL);
    pthread_create(&b, NULL, thief, NULL);
    pthread_create(&c, NULL, thief, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
