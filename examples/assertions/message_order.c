/* Message passing in the wrong order: "ready" is said before the message is written. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int ready;
static int message;

static void *sender(void *unused) {
#ifdef RIGHT
    message = 7;
    ready = 1;
#else
    ready = 1;
    message = 7;
#endif
    return unused;
}

static void *receiver(void *unused) {
    while (!ready)
        sched_yield();
    assert(message == 7);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, sender, NULL);
    pthread_create(&b, NULL, receiver, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
