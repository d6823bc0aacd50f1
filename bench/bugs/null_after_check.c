/* A pointer is checked, and read again to be used. It is cleared between: a crash. No data race: the
 * pointer is atomic. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct handler {
    int calls;
};
static struct handler standard;
static struct handler *_Atomic handler = &standard;

static void *event(void *unused) {
    if (handler != NULL)  // bug
        handler->calls++; // bug
    return unused;
}

static void *unregister(void *unused) {
    handler = NULL; // bug
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, event, NULL);
    pthread_create(&b, NULL, unregister, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
