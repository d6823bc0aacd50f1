/* A stack of free blocks as indices, changed by compare-and-exchange. ABA: one thread has read head 0 and
 * next 1; the other takes 0, takes 1, and gives 0 back; the first one's exchange succeeds, and block 1,
 * which is in use, is free again. No data race. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { NONE = -1 };
static atomic_int head = 0, next[3] = {1, 2, NONE}, in_use[3];

static int take(void) {
    int first = atomic_load(&head); // bug
    while (first != NONE) {
        int second = atomic_load(&next[first]);                      // bug
        if (atomic_compare_exchange_strong(&head, &first, second)) { // bug
            assert(atomic_exchange(&in_use[first], 1) == 0);
            return first;
        }
    }
    return NONE;
}

static void give(int block) {
    atomic_store(&in_use[block], 0);
    int first = atomic_load(&head);
    do
        atomic_store(&next[block], first);
    while (!atomic_compare_exchange_strong(&head, &first, block));
}

static void *one(void *unused) {
    take();
    take();
    return unused;
}

static void *other(void *unused) {
    int a = take();
    take();
    if (a != NONE)
        give(a);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
