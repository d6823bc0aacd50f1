/* A job that can be cancelled while it runs. Its worker notices at the end, gives the buffer back
 * and reports; the canceller, who looks once more, gives the same buffer back. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { WAITING, RUNNING, CANCELLING, CANCELLED, DONE };
static atomic_int state;
static atomic_int given_back;
static int *buffer;

static void give_back(void) {
    assert(atomic_fetch_add(&given_back, 1) == 0);
    free(buffer);
}

static void *worker(void *unused) {
    int was = WAITING;
    if (!atomic_compare_exchange_strong(&state, &was, RUNNING))
        return unused;
    for (int i = 0; i < 8; i++)
        buffer[i] = i;
    was = RUNNING;
    if (atomic_compare_exchange_strong(&state, &was, DONE))
        return unused;
    give_back(); /* cancelled while it ran */
    state = CANCELLED;
    return unused;
}

static void *canceller(void *unused) {
    int was = WAITING;
    if (atomic_compare_exchange_strong(&state, &was, CANCELLED)) {
        give_back();
        return unused;
    }
    was = RUNNING;
    if (!atomic_compare_exchange_strong(&state, &was, CANCELLING))
        return unused;
#ifndef RIGHT
    if (state == CANCELLED) /* the worker has seen it already */
        give_back();
#endif
    return unused;
}

int main(void) {
    pthread_t a, b;
    buffer = calloc(8, sizeof *buffer);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, canceller, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    if (!given_back)
        free(buffer);
    return 0;
}
