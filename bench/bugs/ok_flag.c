/* Right: a message behind an atomic flag, which is stored with release and read with acquire. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready;
static int message;

static void *sender(void *unused) {
    message = 42;
    atomic_store_explicit(&ready, 1, memory_order_release);
    return unused;
}

static void *receiver(void *got) {
    if (atomic_load_explicit(&ready, memory_order_acquire))
        *(int *)got = message;
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int got = 42;
    pthread_create(&a, NULL, sender, NULL);
    pthread_create(&b, NULL, receiver, &got);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return got != 42;
}
